/* From a stage to a tile program: the loop nest, the shape of the tiles, what becomes of the values. */
#include "materialize/tile.h"
#include "views/nest.h"

#include <string.h>

/* Values that keep registers of their own; beyond that, all share. */
enum { MOST_KEPT = 64 };

/* Bytes from which on results are stored past the caches: read and written ones, when about as much is read as is
 * written; and written ones alone of what is only filled, or is read again at once. */
#define LEAST_STREAMED      0x1p24
#define LEAST_STREAMED_ELSE 0x1p25

/* ---- The nest ---- */

static bool make_nest(zc_tile_program *p, zc_arena *arena)
{
    const zc_stage *stage = p->stage;
    size_t pitch = (size_t)stage->rank, row_bytes = pitch * sizeof(int64_t);
    p->pitch = stage->rank;
    p->stride = zc_arena_take(arena, (size_t)(1 + stage->access_count) * pitch, sizeof *p->stride);
    p->shape = zc_arena_take(arena, pitch, sizeof *p->shape);
    p->outer = zc_arena_take(arena, pitch, sizeof *p->outer);
    p->inner = zc_arena_take(arena, pitch, sizeof *p->inner);
    if (p->stride == NULL || p->shape == NULL || p->outer == NULL || p->inner == NULL)
        return false;
    memset(p->stride, 0, row_bytes);
    memcpy(p->stride, stage->store_stride, (size_t)stage->kept * sizeof(int64_t));
    if (stage->access_count > 0)
        memcpy(p->stride + pitch, stage->stride, (size_t)stage->access_count * row_bytes);
    memcpy(p->shape, stage->shape, row_bytes);
    zc_nest nest = {.rank = stage->rank,
                    .kept = stage->adds    ? 0
                            : stage->scans ? stage->rank - 1
                                           : stage->kept,
                    .operands = 1 + stage->access_count,
                    .pitch = p->pitch,
                    .shape = p->shape,
                    .stride = p->stride};
    zc_nest_simplify(&nest);
    p->kept = nest.kept;
    bool is_ordered = stage->adds || stage->scans;
    p->rank = is_ordered || zc_is_joined(stage) ? nest.rank : nest.kept; /* what is not joined is not walked either */
    return true;
}

/* ---- The tiles ---- */

/* How many accesses read consecutive elements along the axis. */
static int32_t consecutive_along(const zc_tile_program *p, int axis)
{
    int32_t count = 0;
    for (int32_t access = 0; access < p->stage->access_count; access++)
        count += zc_tile_load_stride(p, access, axis) == 1;
    return count;
}

/* Whether scans have many lines for each of their elements, so that one at a time would be a tile of a few elements.
 * The nest has no axis for lines of one. */
static bool has_short_lines(const zc_tile_program *p)
{
    enum { SHORT = 16 };
    if (p->rank == p->kept)
        return true;
    return p->kept > 0 && p->shape[p->rank - 1] <= SHORT && p->shape[p->kept - 1] >= p->shape[p->rank - 1];
}

static zc_tile_mode choose_mode(zc_tile_program *p)
{
    bool has_columns = p->kept > 0 && consecutive_along(p, p->kept - 1) > consecutive_along(p, p->rank - 1);
    if (p->stage->adds)
        return ZC_TILE_ADD;
    if (p->stage->scans)
        return has_columns || has_short_lines(p) ? ZC_TILE_SCAN_COLUMN : ZC_TILE_SCAN_RUN;
    if (p->rank == p->kept)
        return ZC_TILE_STORE;
    if (zc_tile_find_pairs(p))
        return ZC_TILE_PAIRS;
    if (has_columns)
        return ZC_TILE_COLUMN;
    bool fits = p->rank == p->kept + 1 && p->shape[p->kept] <= ZC_TILE;
    return fits && p->kept > 0 ? ZC_TILE_ROWS : ZC_TILE_RUN;
}

/* The axis along which most loads are consecutive of those that leap along the last one; -1: none does. */
static int find_turned_axis(const zc_tile_program *p)
{
    int found = -1, last = p->rank - 1;
    int32_t most = 0;
    for (int a = 0; a < last; a++) {
        int32_t count = 0;
        for (int32_t access = 0; access < p->stage->access_count; access++) {
            int64_t leap = zc_tile_load_stride(p, access, last);
            count += zc_tile_load_stride(p, access, a) == 1 && leap != 0 && leap != 1 && leap != -1;
        }
        if (count > most) {
            most = count;
            found = a;
        }
    }
    return found;
}

/* The columns run along the axis that most reads follow, and what is stored; the rows fill the tile up along the next
 * one out, or along the one that other reads follow. */
static void choose_axes(zc_tile_program *p)
{
    int last = p->rank - 1;
    int turned = p->mode == ZC_TILE_STORE && !p->stage->reduces ? find_turned_axis(p) : -1;
    p->is_turned = turned >= 0;
    switch (p->mode) {
    case ZC_TILE_PAIRS:
        return;
    case ZC_TILE_STORE:
        p->col_axis = last;
        p->row_axis = p->is_turned ? turned : last - 1;
        break;
    case ZC_TILE_ROWS:
    case ZC_TILE_ADD:
        p->col_axis = last;
        p->row_axis = last - 1;
        break;
    case ZC_TILE_RUN:
        p->col_axis = last;
        p->row_axis = last - 1 >= p->kept ? last - 1 : -1;
        break;
    case ZC_TILE_SCAN_RUN:
        p->col_axis = last;
        p->row_axis = -1;
        break;
    case ZC_TILE_SCAN_COLUMN:
    case ZC_TILE_COLUMN:
        p->col_axis = p->kept - 1;
        p->row_axis = p->rank > p->kept ? last : -1;
        break;
    }
    if (p->row_axis < 0)
        p->row_axis = -1;
}

/* Whether rows of the result begin in the midst of cache lines. */
static bool has_broken_lines(const zc_tile_program *p)
{
    size_t item = zc_dtype_bytes(p->stage->result_dtype);
    size_t broken = (size_t)(uintptr_t)p->slots[p->stage->store_slot] + (size_t)p->stage->store_offset * item;
    for (int a = 0; a < p->rank; a++)
        broken |= a == p->col_axis ? 0 : (size_t)p->stride[a] * item; /* proven: verified to be inside */
    return broken % ZC_DATA_ALIGNMENT != 0;
}

/* Elements of a tile of which every thread gets some, but at least so many; INT64_MAX when there is one thread. Whole
 * multiples of the least, so that tiles begin where lines do. */
static int64_t fair_share(const zc_tile_program *p, int64_t least)
{
    enum { TILES_PER_THREAD = 4 };
    if (p->threads < 2)
        return INT64_MAX;
    int64_t share = zc_stage_extent(p->stage, 0, p->stage->kept) / (TILES_PER_THREAD * (int64_t)p->threads);
    return zc_larger(share - share % least, least);
}

/* Columns for some cache lines, and rows for many, while there is some work for every thread; of few rows, more
 * columns. Where lines are broken, neighbours share the columns of one. */
static void choose_turned_extents(zc_tile_program *p, int64_t most)
{
    enum { SQUARE = 16 };
    const int64_t all_rows = p->shape[p->row_axis], all_columns = p->shape[p->col_axis];
    const int64_t item = (int64_t)zc_tile_widest_item(p);
    const bool shares = p->is_streamed && p->stride[p->col_axis] == 1 && has_broken_lines(p);
    most = zc_smaller(most, fair_share(p, ZC_TURNED_LEAST));
    int64_t columns = item < (int64_t)sizeof(double) ? ZC_TURNED_COLUMNS : ZC_TURNED_COLUMNS / 2;
    columns = zc_smaller(zc_larger(columns, most / all_rows), all_columns);
    int64_t rows = zc_smaller(ZC_TURNED_RUN_BYTES / item, zc_larger(most / columns, 1));
    rows -= rows > SQUARE ? rows % SQUARE : 0;
    p->shared_columns = 0;
    if (shares && columns < all_columns) {
        p->shared_columns = ZC_DATA_ALIGNMENT / (int64_t)zc_dtype_bytes(p->stage->result_dtype);
        columns = zc_smaller(columns + p->shared_columns, all_columns);
    }
    p->rows = zc_smaller(rows, all_rows);
    p->columns = columns;
    p->joined = 1;
}

/* Whether there is nothing to compute: a load is joined by columns or by rows that follow each other, or stored, along
 * which it is consecutive. What is true becomes 1 where it is stored, so bools are not copied; and what is stored past
 * the caches comes from rows, or is one element a row. */
static bool is_bare(const zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    const zc_value *result = zc_stage_result(stage);
    if (stage->value_count != 1 || result->kind != ZC_VALUE_LOAD || p->col_axis < 0)
        return false;
    const int64_t along = zc_tile_load_stride(p, result->access, p->col_axis);
    bool is_consecutive = along == 1;
    bool is_copied = p->mode == ZC_TILE_STORE && !stage->reduces && !p->is_turned && stage->result_dtype != ZC_BOOL &&
                     zc_tile_store_stride(p, p->col_axis) == 1;
    bool is_dense = is_consecutive && p->row_axis >= 0 &&
                    zc_tile_load_stride(p, result->access, p->row_axis) == p->shape[p->col_axis];
    return (p->mode == ZC_TILE_COLUMN && is_consecutive) || (p->mode == ZC_TILE_ROWS && is_dense) ||
           (is_copied && (is_consecutive || along == 0 || !p->is_streamed));
}

/* Elements of partners that fit into so many bytes: whole vectors. */
static int64_t partners_in(const zc_tile_program *p, int64_t bytes)
{
    int64_t item = (int64_t)zc_dtype_bytes((zc_dtype)zc_stage_result(p->stage)->dtype);
    int64_t count = bytes / (p->shape[p->kept] * item); /* proven: a short row */
    return zc_larger(count - count % ZC_LANES, ZC_LANES);
}

/* So many columns that their rows stay in the second-level cache turned, block by block in the first. */
static void choose_partners_extents(zc_tile_program *p)
{
    enum { ROWS = 32 };
    p->block_columns = zc_smaller(partners_in(p, ZC_PARTNERS_BLOCK_BYTES), ZC_TILE / 2);
    p->columns = zc_smaller(partners_in(p, ZC_PARTNERS_BYTES), p->shape[p->col_axis]);
    p->rows = zc_smaller(ROWS, p->shape[p->row_axis]);
    p->joined = 1;
}

/* Joined elements that a thread takes on at least, when they are divided; rows, where they are joined by columns. */
static int64_t least_group(const zc_tile_program *p)
{
    return p->mode == ZC_TILE_COLUMN ? ZC_LEAF : 4 * ZC_LEAF;
}

/* Whether threads may share the elements of one result: of a single axis. */
static bool may_divide(const zc_tile_program *p)
{
    return p->threads > 1 && (p->mode == ZC_TILE_RUN || p->mode == ZC_TILE_COLUMN) && p->rank == p->kept + 1 &&
           zc_walked_count(p->stage) >= 2 * least_group(p);
}

/* Of columns that are joined where they lie: as long runs of memory as leave the lanes in the second-level cache, while
 * there is something for every thread. */
static int64_t bare_columns(const zc_tile_program *p)
{
    const int64_t most = ZC_TILE_BARE_BYTES / (int64_t)zc_dtype_bytes((zc_dtype)zc_stage_result(p->stage)->dtype);
    if (p->threads < 2 || may_divide(p))
        return most;
    int64_t share = zc_stage_extent(p->stage, 0, p->stage->kept) / (2 * (int64_t)p->threads);
    return zc_larger(zc_smaller(share - share % ZC_TILE_COLUMNS, most), ZC_TILE_COLUMNS);
}

/* The most columns of a tile; most: its elements, where its kind does not say otherwise. */
static int64_t most_columns(const zc_tile_program *p, int64_t most)
{
    if (p->mode == ZC_TILE_COLUMN && p->is_bare)
        return bare_columns(p);
    return p->mode == ZC_TILE_COLUMN || p->mode == ZC_TILE_SCAN_COLUMN ? ZC_TILE_COLUMNS : most;
}

/* most: elements of a tile, where its kind does not say otherwise. */
static void choose_extents(zc_tile_program *p, int64_t most)
{
    if (p->is_turned) {
        choose_turned_extents(p, most);
        return;
    }
    if (p->mode == ZC_TILE_PAIRS && p->partners != NULL) {
        choose_partners_extents(p);
        return;
    }
    bool is_column = p->mode == ZC_TILE_COLUMN || p->mode == ZC_TILE_SCAN_COLUMN;
    if (p->mode == ZC_TILE_PAIRS)
        most = ZC_TILE / ZC_PAIR_ROWS;
    p->columns = p->col_axis < 0 ? 1 : zc_smaller(p->shape[p->col_axis], most_columns(p, most));
    bool whole_rows = is_column || p->mode == ZC_TILE_PAIRS || p->col_axis < 0 || p->columns == p->shape[p->col_axis];
    int64_t rows = p->mode == ZC_TILE_PAIRS      ? ZC_PAIR_ROWS
                   : p->is_bare && is_column     ? ZC_TILE_BARE_ROWS
                   : p->mode == ZC_TILE_ROWS     ? zc_smaller(most / p->columns, ZC_TILE)
                   : p->is_bare || p->is_by_rows ? most / p->columns
                                                 : ZC_TILE / p->columns;
    p->rows = p->row_axis < 0 || !whole_rows || rows == 0 ? 1 : zc_smaller(p->shape[p->row_axis], rows);
    while (p->mode == ZC_TILE_COLUMN && (p->rows & (p->rows - 1)) != 0)
        p->rows &= p->rows - 1; /* a power of two, so that tiles end where groups of leaves do */
    p->joined = p->mode == ZC_TILE_COLUMN ? p->columns : p->mode == ZC_TILE_PAIRS ? ZC_PAIR_ROWS * ZC_PAIR_ROWS : 1;
}

/* ---- The loops ---- */

static void add_loop(zc_tile_loop *loops, int *count, const zc_tile_program *p, int axis)
{
    int64_t step = axis == p->row_axis ? p->rows : axis == p->col_axis ? p->columns - p->shared_columns : 1;
    loops[(*count)++] = (zc_tile_loop){axis, step, (p->shape[axis] + step - 1) / step};
}

static void add_loops(zc_tile_loop *loops, int *count, const zc_tile_program *p, int first, int last)
{
    *count = 0;
    for (int a = first; a < last; a++)
        add_loop(loops, count, p, a);
}

/* Turned tiles follow each other along their rows: so the lines are read on that the tile before has begun, and turned
 * partners are of use again. */
static void move_to_end(zc_tile_loop *loops, int count, int axis)
{
    for (int i = 0; i + 1 < count; i++) {
        if (loops[i].axis == axis) {
            zc_tile_loop moved = loops[i];
            loops[i] = loops[i + 1];
            loops[i + 1] = moved;
        }
    }
}

static void make_loops(zc_tile_program *p)
{
    int outer_end = p->mode == ZC_TILE_STORE ? p->rank : p->kept;
    add_loops(p->outer, &p->outer_count, p, 0, outer_end);
    if (p->is_turned || p->partners != NULL)
        move_to_end(p->outer, p->outer_count, p->row_axis);
    add_loops(p->inner, &p->inner_count, p, outer_end, p->rank);
    p->units = 1;
    for (int i = 0; i < p->outer_count; i++)
        p->units *= p->outer[i].count; /* proven: not more than the domain's size */
}

/* Divides the joined elements when there are too few results to keep the threads busy: only a single axis, into runs of
 * 2^k leaves, which the tree joins as wholes anyway. */
static void choose_groups(zc_tile_program *p)
{
    p->groups = 1;
    p->group_length = zc_walked_count(p->stage);
    if (!may_divide(p) || p->units >= 4 * (int64_t)p->threads)
        return;
    int64_t length = least_group(p), all = p->shape[p->rank - 1];
    while (p->mode == ZC_TILE_RUN && length < p->columns)
        length *= 2; /* a tile lies in one part */
    while (all / length > 8 * (int64_t)p->threads)
        length *= 2;
    p->group_length = length;
    p->groups = (all + length - 1) / length;
}

/* ---- The values ---- */

static uint64_t axes_of_access(const zc_tile_program *p, int32_t access)
{
    uint64_t axes = 0;
    for (int a = 0; a < p->rank; a++)
        axes |= (uint64_t)(zc_tile_load_stride(p, access, a) != 0) << a;
    return axes;
}

/* The axis that moves from one tile to the next, as a bit; 0 when there is one tile. */
static uint64_t fastest_axis(const zc_tile_program *p)
{
    for (int i = p->inner_count - 1; i >= 0; i--) {
        if (p->inner[i].count > 1)
            return UINT64_C(1) << p->inner[i].axis;
    }
    for (int i = p->outer_count - 1; i >= 0; i--) {
        if (p->outer[i].count > 1)
            return UINT64_C(1) << p->outer[i].axis;
    }
    return 0;
}

static bool describe_values(zc_tile_program *p, zc_arena *arena)
{
    const zc_stage *stage = p->stage;
    p->values = zc_arena_take(arena, (size_t)stage->value_count, sizeof *p->values);
    if (p->values == NULL)
        return false;
    uint64_t fastest = fastest_axis(p);
    int32_t kept = 0;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        zc_tile_value *out = &p->values[v];
        *out = (zc_tile_value){.item = zc_dtype_bytes((zc_dtype)value->dtype)};
        if (zc_value_moves(value))
            out->axes = axes_of_access(p, value->access);
        for (int i = 0; i < value->arity; i++)
            out->axes |= p->values[value->arg[i]].axes;
        if (value->kind == ZC_VALUE_OP)
            out->kernel = zc_kernel_of(p->kernels, stage, value);
        out->is_kept = fastest != 0 && (out->axes & fastest) == 0 && kept < MOST_KEPT;
        kept += out->is_kept;
    }
    return true;
}

/* A value may be kept only if what it is computed from is. */
static void drop_unsupported(zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        for (int i = 0; i < value->arity; i++)
            p->values[v].is_kept &= p->values[value->arg[i]].is_kept;
    }
}

/* ---- The whole ---- */

/* Everything that depends on how large tiles are. */
static bool prepare_tiles(zc_tile_program *p, int64_t most, zc_arena *arena, int32_t *full_count)
{
    choose_extents(p, most);
    make_loops(p);
    choose_groups(p);
    if (!describe_values(p, arena))
        return false;
    drop_unsupported(p);
    return zc_tile_find_chains(p, arena) && zc_tile_assign_registers(p, arena, full_count);
}

/* Whether a tile may be computed row by row where everything lies: rows that a chain can do, neither too short nor too
 * long, along which loads are consecutive or the same. */
static bool may_work_by_rows(const zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    const zc_chain_kernels *chains = p->kernels->chains;
    if (chains == NULL || p->mode != ZC_TILE_STORE || stage->reduces || p->is_turned || p->is_bare || p->row_axis < 0 ||
        zc_tile_store_stride(p, p->col_axis) != 1 || p->shape[p->col_axis] > ZC_TILE_LONGEST ||
        p->shape[p->col_axis] < chains->tile_bytes / (int64_t)zc_dtype_bytes(stage->result_dtype))
        return false;
    for (int32_t access = 0; access < stage->access_count; access++) {
        int64_t stride = zc_tile_load_stride(p, access, p->col_axis);
        if (stride != 0 && stride != 1)
            return false;
    }
    return true;
}

/* Tiles are as large as the cache takes the registers that they need: very large when chains need none, and small when
 * rows are short. How many a turned tile needs, the first attempt tells. */
static bool choose_tiles(zc_tile_program *p, zc_arena *arena)
{
    int32_t full_count;
    if (p->is_turned) {
        int64_t most = ZC_TURNED_BYTES / (int64_t)zc_tile_widest_item(p) / 2;
        return prepare_tiles(p, most, arena, &full_count) &&
               (full_count < 3 || prepare_tiles(p, zc_larger(2 * most / full_count, ZC_TILE), arena, &full_count));
    }
    const int64_t fair = p->mode == ZC_TILE_STORE ? fair_share(p, ZC_TILE) : ZC_TILE_LONGEST;
    p->is_by_rows = may_work_by_rows(p);
    if (p->is_by_rows) {
        if (!prepare_tiles(p, zc_smaller(ZC_TILE_LONGEST, fair), arena, &full_count))
            return false;
        if (zc_tile_works_by_rows(p))
            return true;
        p->is_by_rows = false;
    }
    bool is_unbounded = p->is_bare || p->mode == ZC_TILE_RUN || (p->mode == ZC_TILE_STORE && !p->stage->reduces);
    bool is_long = is_unbounded && p->col_axis >= 0 && (p->is_bare || p->shape[p->col_axis] > ZC_TILE);
    if (!is_long)
        return prepare_tiles(p, ZC_TILE, arena, &full_count);
    if (!prepare_tiles(p, zc_smaller(ZC_TILE_LONGEST, fair), arena, &full_count))
        return false;
    if (full_count == 0)
        return true;
    return prepare_tiles(p, zc_smaller(full_count == 1 ? ZC_TILE_LONG : ZC_TILE, fair), arena, &full_count);
}

/* Bytes that a load reads: those along the axes that it moves along. */
static double bytes_of_load(const zc_tile_program *p, const zc_value *value)
{
    double bytes = (double)zc_dtype_bytes((zc_dtype)value->dtype);
    for (int a = 0; a < p->rank; a++)
        bytes *= zc_tile_load_stride(p, value->access, a) != 0 ? (double)p->shape[a] : 1.0;
    return bytes;
}

/* Results beyond what the caches hold go past them: they would only push out what is read. */
static bool is_streamed(const zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    double stored = (double)zc_stage_extent(stage, 0, stage->kept) * (double)zc_dtype_bytes(stage->result_dtype);
    double loaded = 0.0;
    for (int32_t v = 0; v < stage->value_count; v++)
        loaded += zc_value_reads(&stage->values[v]) ? bytes_of_load(p, &stage->values[v]) : 0.0;
    bool is_computed = stage->store_slot == ZC_OUTPUT_SLOT && loaded >= stored / 2.0;
    bool is_large = is_computed ? stored + loaded >= LEAST_STREAMED : stored >= LEAST_STREAMED_ELSE;
    bool is_stored = p->mode == ZC_TILE_STORE || p->mode == ZC_TILE_PAIRS;
    return is_stored && p->kernels->chains != NULL && is_large;
}

bool zc_tile_prepare(zc_tile_program *p, const zc_stage *stage, char *const *slots, int threads, zc_arena *arena)
{
    *p = (zc_tile_program){.stage = stage, .kernels = zc_kernels_best(), .slots = slots, .threads = threads};
    if (!make_nest(p, arena))
        return false;
    p->mode = choose_mode(p);
    choose_axes(p);
    p->is_streamed = is_streamed(p);
    p->is_bare = is_bare(p);
    if (!choose_tiles(p, arena))
        return false;
    zc_tile_lay_out(p);
    return true;
}
