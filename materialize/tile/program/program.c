#include "materialize/tile/program/program.h"

#include <string.h>

#include "materialize/plan/group.h"
#include "materialize/stages/reduce.h"
#include "views/nest.h"

/* ---- The nest ---- */

/* Makes the nest of a stage that lays runs side by side: its only axis is that of the runs. */
static bool make_nest_of_runs(zc_tile_program *p, zc_arena *arena)
{
    p->rank = p->kept = p->pitch = 1;
    p->shape = zc_arena_take(arena, 1, sizeof *p->shape);
    p->stride = zc_arena_take(arena, 1, sizeof *p->stride);
    p->outer = zc_arena_take(arena, 1, sizeof *p->outer);
    p->inner = zc_arena_take(arena, 1, sizeof *p->inner);
    if (p->shape == NULL || p->stride == NULL || p->outer == NULL || p->inner == NULL)
        return false;
    *p->shape = p->stage->value_count;
    *p->stride = 0;
    return true;
}

/* Adds a last axis of one element: there is room for one of the stage's that is left out. */
static void add_axis(zc_tile_program *p)
{
    for (int32_t operand = 0; operand <= p->stage->access_count; operand++)
        p->stride[(size_t)operand * (size_t)p->pitch + (size_t)p->rank] = 0;
    p->shape[p->rank++] = 1;
}

static bool make_nest(zc_tile_program *p, zc_arena *arena)
{
    const zc_stage *stage = p->stage;
    if (zc_stage_is_parted(stage))
        return make_nest_of_runs(p, arena);
    size_t pitch = (size_t)stage->rank, row_bytes = pitch * sizeof(int64_t);
    p->pitch = stage->rank;
    p->stride = zc_arena_take(arena, (size_t)(1 + stage->access_count) * pitch, sizeof *p->stride);
    p->shape = zc_arena_take(arena, pitch, sizeof *p->shape);
    p->outer = zc_arena_take(arena, pitch, sizeof *p->outer);
    p->inner = zc_arena_take(arena, pitch, sizeof *p->inner);
    if (p->stride == NULL || p->shape == NULL || p->outer == NULL || p->inner == NULL)
        return false;
    memset(p->stride, 0, row_bytes);
    memcpy(p->stride, stage->store.stride, (size_t)stage->kept * sizeof(int64_t));
    if (stage->access_count > 0)
        memcpy(p->stride + pitch, stage->stride, (size_t)stage->access_count * row_bytes);
    memcpy(p->shape, stage->shape, row_bytes);
    zc_nest nest = {.rank = stage->rank,
                    .kept = zc_stage_free_axes(stage),
                    .operands = 1 + stage->access_count,
                    .pitch = p->pitch,
                    .shape = p->shape,
                    .stride = p->stride};
    zc_nest_simplify(&nest);
    p->kept = nest.kept;
    p->rank = zc_stage_is_ordered(stage) || zc_is_combined(stage) ? nest.rank : nest.kept;
    if (zc_stage_absorbs(stage) && p->rank == p->kept) /* a block of one element for each result */
        add_axis(p);
    return true;
}

bool zc_tile_begin(zc_tile_program *p, const zc_stage *stage, char *const *slots, int threads, zc_arena *arena)
{
    *p = (zc_tile_program){.stage = stage, .kernels = zc_kernels_best(), .slots = slots, .threads = threads};
    return make_nest(p, arena);
}

void zc_tile_set_defaults(zc_tile_program *p)
{
    p->own = NULL;
    p->table = NULL;
    p->row_axis = p->col_axis = -1;
    p->is_streamed = p->asks_ahead = p->stores_directly = p->joins_picked = p->counts = false;
    p->groups = 1;
    p->group_length = zc_walked_count(p->stage);
    p->joined = 1;
    p->takes_data = false;
    p->blocks = (zc_tile_blocks){0};
}

bool zc_tile_is_stored(const zc_tile_program *p)
{
    return p->rank == p->kept && (p->stage->kind->is_elementwise || p->stage->kind->reduces);
}

bool zc_tile_is_joined(const zc_tile_program *p)
{
    return p->rank > p->kept && zc_stage_joins(p->stage) && !zc_stage_absorbs(p->stage);
}

/* ---- Reads along axes ---- */

/* Axes of the nest along which values vary, as bit sets: values beyond count as varying along all. */
enum { MOST_SEEN = 64 };

typedef struct varying {
    uint64_t axes[MOST_SEEN];
} varying;

/* Axes along which the operands of value v vary. */
static uint64_t axes_of_operands(const zc_tile_program *p, int32_t v, const varying *seen)
{
    const zc_value *value = &p->stage->values[v];
    uint64_t axes = 0;
    for (int i = 0; i < value->arity; i++)
        axes |= value->arg[i] < MOST_SEEN ? seen->axes[value->arg[i]] : UINT64_MAX;
    return axes;
}

/* Axes along which value v varies, noted for those behind it. */
static uint64_t find_axes(const zc_tile_program *p, int32_t v, varying *seen)
{
    const zc_value *value = &p->stage->values[v];
    uint64_t axes = axes_of_operands(p, v, seen);
    for (int a = 0; a < p->rank && zc_value_moves(value); a++)
        axes |= (uint64_t)(zc_tile_load_stride(p, value->access, a) != 0) << a;
    if (v < MOST_SEEN)
        seen->axes[v] = axes;
    return axes;
}

/* Number of elements of the nest along some axes. */
static int64_t extent_along(const zc_tile_program *p, uint64_t axes)
{
    int64_t elements = 1;
    for (int a = 0; a < p->rank; a++)
        elements *= (axes >> a & 1) != 0 ? p->shape[a] : 1; /* proven: at most the domain's */
    return elements;
}

int64_t zc_tile_consecutive_along(const zc_tile_program *p, int axis)
{
    varying seen = {{0}};
    int64_t elements = 0;
    for (int32_t v = 0; v < p->stage->value_count; v++) {
        const zc_value *value = &p->stage->values[v];
        const uint64_t axes = find_axes(p, v, &seen);
        if (zc_value_moves(value) && zc_tile_load_stride(p, value->access, axis) == 1)
            elements = zc_saturating_add(elements, extent_along(p, axes));
    }
    return elements;
}

/* The number of elements in parts of the largest number, rounded. */
static int64_t parts_of(int64_t most, int64_t elements)
{
    return elements / most + (elements % most > most / 2);
}

int64_t zc_tile_read_cost_along(const zc_tile_program *p, int axis)
{
    enum { LEAST_REPEATED = 8 };
    varying seen = {{0}};
    int64_t most = 1, scattered = 0, repeated = 0;
    for (int32_t v = 0; v < p->stage->value_count; v++) {
        const zc_value *value = &p->stage->values[v];
        const int64_t read = extent_along(p, find_axes(p, v, &seen));
        if (!zc_value_moves(value))
            continue;
        const int64_t stride = zc_tile_load_stride(p, value->access, axis);
        most = zc_larger(most, read);
        if (stride == 0 && p->shape[axis] >= LEAST_REPEATED)
            repeated = zc_saturating_add(repeated, read);
        else if (stride != 1 && zc_value_reads(value))
            scattered = zc_saturating_add(scattered, read);
    }
    const int64_t one_by_one = scattered > 0 ? ZC_TILE_ONE_BY_ONE * (1 + parts_of(most, scattered)) : 0;
    return one_by_one + parts_of(most, repeated);
}

int32_t zc_tile_picked_one_by_one(const zc_tile_program *p, int axis)
{
    varying seen = {{0}};
    int32_t count = 0;
    for (int32_t v = 0; v < p->stage->value_count; v++) {
        const bool is_one_by_one = (axes_of_operands(p, v, &seen) >> axis & 1) != 0;
        count += p->stage->values[v].kind == ZC_VALUE_PICK && is_one_by_one;
        (void)find_axes(p, v, &seen);
    }
    return count;
}

bool zc_tile_picks_rows(const zc_tile_program *p)
{
    const zc_value *value = zc_stage_result(p->stage);
    return value->kind == ZC_VALUE_PICK && p->col_axis >= 0 &&
           zc_tile_load_stride(p, value->access, p->col_axis) == 1 && zc_tile_picked_one_by_one(p, p->col_axis) == 0;
}

bool zc_tile_only_loads(const zc_tile_program *p)
{
    return p->stage->value_count == 1 && zc_stage_result(p->stage)->kind == ZC_VALUE_LOAD;
}

bool zc_tile_adds_truths(const zc_tile_program *p)
{
    const zc_stage *stage = p->stage;
    const zc_value *value = zc_stage_result(stage);
    return p->rank > p->kept && zc_stage_joins(stage) && zc_stage_reduced(stage)->reduction == ZC_REDUCTION_SUM &&
           value->kind == ZC_VALUE_OP && value->op == ZC_OP_CAST && value->dtype == ZC_INT64 &&
           stage->values[value->arg[0]].dtype == ZC_BOOL;
}

/* ---- Tiles and loops ---- */

int64_t zc_tile_fair_share(const zc_tile_program *p, int64_t least)
{
    enum { TILES_PER_THREAD = 4 };
    if (p->threads < 2)
        return INT64_MAX;
    int64_t share = zc_stage_extent(p->stage, 0, p->stage->kept) / (TILES_PER_THREAD * (int64_t)p->threads);
    return zc_larger(share - share % least, least);
}

void zc_tile_set_extents(zc_tile_program *p, int64_t most_columns, int64_t most_elements)
{
    p->columns = p->column_step = p->col_axis < 0 ? 1 : zc_smaller(p->shape[p->col_axis], most_columns);
    bool has_whole_rows = p->col_axis < 0 || p->columns == p->shape[p->col_axis];
    int64_t rows = most_elements / p->columns;
    p->rows = p->row_axis < 0 || !has_whole_rows || rows == 0 ? 1 : zc_smaller(p->shape[p->row_axis], rows);
}

static void add_loops(zc_tile_loop *loops, int *count, const zc_tile_program *p, int first, int last)
{
    *count = 0;
    for (int axis = first; axis < last; axis++) {
        int64_t step = axis == p->row_axis ? p->rows : axis == p->col_axis ? p->column_step : 1;
        loops[(*count)++] = (zc_tile_loop){axis, step, zc_divide_up(p->shape[axis], step)};
    }
}

static void count_units(zc_tile_program *p)
{
    p->units = 1;
    for (int i = 0; i < p->outer_count; i++)
        p->units *= p->outer[i].count; /* proven: not more than the domain's size */
}

void zc_tile_make_loops(zc_tile_program *p, int outer_end)
{
    add_loops(p->outer, &p->outer_count, p, 0, outer_end);
    add_loops(p->inner, &p->inner_count, p, outer_end, p->rank);
    count_units(p);
}

void zc_tile_move_loop_to_end(zc_tile_program *p, int axis)
{
    for (int i = 0; i + 1 < p->outer_count; i++) {
        if (p->outer[i].axis == axis) {
            zc_tile_loop moved = p->outer[i];
            p->outer[i] = p->outer[i + 1];
            p->outer[i + 1] = moved;
        }
    }
}

void zc_tile_set_step(zc_tile_program *p, int axis, int64_t step)
{
    for (int i = 0; i < p->outer_count; i++) {
        if (p->outer[i].axis == axis)
            p->outer[i] = (zc_tile_loop){axis, step, zc_divide_up(p->shape[axis], step)};
    }
    count_units(p);
}

static bool prepare_extents(zc_tile_program *p, int outer_end, int64_t most_columns, zc_arena *arena)
{
    zc_tile_set_extents(p, most_columns, ZC_TILE);
    zc_tile_make_loops(p, outer_end);
    return zc_tile_prepare_blocks(p, arena);
}

/* Finds the number of blocks in a first attempt. Tiles of small elements have more of them, for as many bytes. */
bool zc_tile_prepare_long(zc_tile_program *p, int outer_end, int64_t fair, zc_arena *arena)
{
    const int64_t times = zc_larger((int64_t)(sizeof(float) / zc_tile_widest_item(p)), 1);
    bool is_long = p->col_axis >= 0 && p->shape[p->col_axis] > ZC_TILE;
    if (!is_long)
        return prepare_extents(p, outer_end, ZC_TILE, arena);
    if (!prepare_extents(p, outer_end, zc_smaller(times * ZC_TILE_LONGEST, fair), arena))
        return false;
    if (p->blocks.full_count == 0)
        return true;
    int64_t most = p->blocks.full_count == 1 ? times * ZC_TILE_LONG : ZC_TILE;
    return prepare_extents(p, outer_end, zc_smaller(most, fair), arena);
}
