#include "materialize/tile/program/worker.h"

#include <string.h>

#include "materialize/tile/program/chains.h"
#include "materialize/tile/program/positions.h"
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

void zc_tile_worker_init(zc_tile_worker *worker, const zc_tile_program *program, char *scratch, char *own, char **block)
{
    worker->program = program;
    worker->scratch = scratch;
    worker->own = own;
    worker->block = block;
    if (program->strategy->begin != NULL)
        program->strategy->begin(worker);
}

void zc_tile_worker_start(zc_tile_worker *worker, const zc_tile_program *program, zc_thread_progress progress)
{
    worker->program = program;
    worker->unit = 0;
    worker->rows = program->rows;
    worker->columns = program->columns;
    worker->moved = 0;
    worker->is_fresh = true;
    worker->bad_index = (zc_bad_index){.check = -1};
    worker->progress = progress;
    for (int a = 0; a < program->rank; a++)
        worker->position[a] = 0;
}

/* A tile of another shape lays its elements out anew, which is as good as having moved along every axis. */
static void resize(zc_tile_worker *w, int64_t *extent, int64_t to)
{
    if (*extent != to)
        w->moved = UINT64_MAX;
    *extent = to;
}

void zc_tile_move(zc_tile_worker *w, int axis, int64_t to)
{
    const zc_tile_program *p = w->program;
    if (w->position[axis] != to)
        w->moved |= UINT64_C(1) << axis;
    w->position[axis] = to;
    if (axis == p->row_axis)
        resize(w, &w->rows, zc_smaller(p->rows, p->shape[axis] - to));
    if (axis == p->col_axis)
        resize(w, &w->columns, zc_smaller(p->columns, p->shape[axis] - to));
}

/* ---- Loads ---- */

zc_tile_access zc_tile_find_access(const zc_tile_worker *w, int32_t access)
{
    const zc_tile_program *p = w->program;
    const int64_t *stride = p->stride + (size_t)(1 + access) * (size_t)p->pitch;
    zc_tile_access found = {.at = p->stage->offset[access]};
    for (int a = 0; a < p->rank; a++)
        found.at += w->position[a] * stride[a]; /* proven: verified to be inside */
    found.row_stride = p->row_axis < 0 ? 0 : stride[p->row_axis];
    found.col_stride = p->col_axis < 0 ? 0 : stride[p->col_axis];
    found.table = p->table == NULL ? NULL : p->table[access];
    return found;
}

static bool is_in_place(const zc_tile_worker *w, const zc_tile_access *a)
{
    bool columns = w->columns == 1 || a->col_stride == 1;
    bool rows = w->rows == 1 || a->row_stride == w->columns;
    return columns && rows;
}

/* Runs are read from front to back, so that each line is read once, however many lines share a place in the caches. */
static void load_by_table(const zc_tile_worker *w, zc_dtype dtype, size_t item, const char *from,
                          const zc_tile_table *table, char *to)
{
    const zc_kernels *k = w->program->kernels;
    if (table->place != NULL) {
        k->gather[dtype](to, from, 0, &(zc_gather_offsets){1, {table->place}, {1}}, w->columns);
        return;
    }
    for (int64_t at = 0, r = 0; at < w->columns; at += table->length, r++)
        k->deal[dtype](to, table->column + at, from + table->run[r] * (int64_t)item, table->length);
}

/* The first row, in all of them: twice as many at a time. */
static void repeat_row(char *to, size_t row_bytes, int64_t rows)
{
    for (int64_t done = 1, more; done < rows; done += more) {
        more = zc_smaller(done, rows - done);
        memcpy(to + (size_t)done * row_bytes, to, (size_t)more * row_bytes); /* proven: inside the block */
    }
}

static void load_each_row(const zc_tile_worker *w, zc_dtype dtype, size_t item, const char *from,
                          const zc_tile_access *a, int64_t rows, char *to)
{
    const size_t row_bytes = (size_t)w->columns * item;
    for (int64_t r = 0; r < rows; r++, to += row_bytes) {
        const char *row = from + r * a->row_stride * (int64_t)item;
        if (a->col_stride == 1)
            memcpy(to, row, row_bytes);
        else
            w->program->kernels->pack[dtype](to, row, a->col_stride, w->columns);
    }
}

/* Rows side by side in fewer bytes are no square that is turned in registers: each is packed by itself. */
enum { LEAST_TURNED_BYTES = 16 };

static void load_rows(const zc_tile_worker *w, zc_dtype dtype, size_t item, const char *from, const zc_tile_access *a,
                      char *to)
{
    const zc_kernels *k = w->program->kernels;
    const size_t row_bytes = (size_t)w->columns * item;
    const bool is_few_bytes = (size_t)w->rows * item < LEAST_TURNED_BYTES;
    if (a->table != NULL) { /* of a single row */
        load_by_table(w, dtype, item, from, a->table, to);
        return;
    }
    if (w->columns == 1) { /* one element per row: the rows are the run */
        k->pack[dtype](to, from, a->row_stride, w->rows);
        return;
    }
    if (w->rows > 1 && a->row_stride == 1 && a->col_stride != 0 && a->col_stride != 1 && !is_few_bytes) {
        k->transpose[zc_item_size(item)](to, from, a->col_stride, w->rows, w->columns);
        return;
    }
    const int64_t different = a->row_stride == 0 ? 1 : w->rows;
    if (a->col_stride == 0)
        k->spread[dtype](to, from, a->row_stride, different, w->columns);
    else
        load_each_row(w, dtype, item, from, a, different, to);
    if (different < w->rows)
        repeat_row(to, row_bytes, w->rows);
}

/* Counts the elements of a value that are computed at a time: all of the tile's, or one for each row; or, where all are
 * the same, as many as chains read. A tile too small for chains has fewer, and so have the operands' registers. */
static int64_t count_of(const zc_tile_worker *w, const zc_tile_value *value)
{
    int64_t all = value->is_per_row ? w->rows : w->rows * w->columns; /* proven: a tile is small */
    bool is_uniform = value->is_strip && value->chain < 0;
    return is_uniform ? zc_smaller(all, w->program->kernels->chains->tile_bytes / (int64_t)value->item) : all;
}

/* Tells whether chains read a value in place, whatever the tile's shape. */
static bool stays_in_memory(const zc_tile_worker *w, const zc_tile_value *value)
{
    return value->is_single && zc_tile_fits_chain(w, value);
}

static void load(zc_tile_worker *w, int32_t v, char *out)
{
    const zc_value *value = &w->program->stage->values[v];
    const zc_tile_value *prepared = &w->program->blocks.values[v];
    zc_tile_access a = zc_tile_find_access(w, value->access);
    char *from = w->program->slots[value->slot] + (size_t)a.at * prepared->item;
    if (stays_in_memory(w, prepared) || (!prepared->is_strip && !prepared->is_per_row && is_in_place(w, &a))) {
        w->block[v] = from;
        return;
    }
    w->block[v] = out;
    if (prepared->is_per_row)
        w->program->kernels->pack[value->dtype](w->block[v], from, a.row_stride, w->rows);
    else if (prepared->is_strip)
        w->program->kernels->pack[value->dtype](w->block[v], from, 0, count_of(w, prepared));
    else
        load_rows(w, (zc_dtype)value->dtype, prepared->item, from, &a, w->block[v]);
}

static void fill_constant(zc_tile_worker *w, int32_t v)
{
    const zc_value *value = &w->program->stage->values[v];
    const zc_tile_value *prepared = &w->program->blocks.values[v];
    const bool is_single = prepared->is_single && zc_tile_fits_chain(w, prepared);
    w->block[v] = w->scratch + prepared->block;
    w->program->kernels->pack[value->dtype](w->block[v], value->constant->bytes, 0,
                                            is_single ? 1 : count_of(w, prepared));
}

/* ---- Computed positions ---- */

static void check_positions(zc_tile_worker *w, int32_t v)
{
    const zc_value *value = &w->program->stage->values[v];
    const zc_tile_value *prepared = &w->program->blocks.values[v];
    const int64_t *positions = (const int64_t *)(const void *)w->block[value->arg[0]];
    const int64_t *checked =
        zc_check_positions(w->program->kernels, w->program->stage, v, positions,
                           (int64_t *)(void *)(w->scratch + prepared->block), count_of(w, prepared), &w->bad_index);
    w->block[v] = checked == positions ? w->block[value->arg[0]] : w->scratch + prepared->block;
}

/* Tells whether the positions are the same all along a row of the tile. */
static bool rows_stay_together(const zc_tile_program *p, const zc_value *value)
{
    uint64_t axes = 0;
    for (int i = 0; i < value->arity; i++)
        axes |= p->blocks.values[value->arg[i]].axes;
    return p->col_axis >= 0 && (axes >> p->col_axis & 1) == 0;
}

/* Source and positions of a pick. */
typedef struct picked {
    zc_tile_access access;
    const char *from;
    int64_t item, each; /* bytes of an element, and positions of a row */
    zc_gather_offsets picks;
} picked;

static picked find_picked(const zc_tile_worker *w, const zc_value *value)
{
    picked found = {.access = zc_tile_find_access(w, value->access),
                    .item = (int64_t)zc_dtype_bytes((zc_dtype)value->dtype),
                    .each = w->program->blocks.values[value->arg[0]].is_per_row ? 1 : w->columns,
                    .picks = {.count = value->arity}};
    found.from = w->program->slots[value->slot] + found.access.at * found.item;
    for (int i = 0; i < value->arity; i++) {
        found.picks.position[i] = (const int64_t *)(const void *)w->block[value->arg[i]];
        found.picks.stride[i] = value->pick_stride[i];
    }
    return found;
}

/* Finds the beginning of row r, all of which is moved alike. */
static inline const char *picked_row(const picked *from, int64_t r)
{
    int64_t moved = r * from->access.row_stride; /* proven: verified to be inside */
    for (int i = 0; i < from->picks.count; i++)
        moved += from->picks.position[i][r * from->each] * from->picks.stride[i]; /* proven: likewise */
    return from->from + moved * from->item;
}

/* Asks for a row that is moved soon: no machine knows where rows at any positions are. */
static inline void ask_for(const char *row, size_t row_bytes)
{
    enum { LINE = 64, MOST = 1024 }; /* bytes; the rest of a longer row is read ahead */
    for (size_t at = 0; at < row_bytes && at < MOST; at += LINE)
        __builtin_prefetch(row + at);
}

/* One row after the other, each moved as a whole. */
static void pick_whole_rows(const zc_tile_worker *w, zc_dtype dtype, const picked *from, char *to)
{
    enum { ROWS_AHEAD = 8 };
    const size_t row_bytes = (size_t)(w->columns * from->item);
    for (int64_t r = 0; r < w->rows; r++, to += row_bytes) {
        if (from->access.col_stride == 1 && r + ROWS_AHEAD < w->rows)
            ask_for(picked_row(from, r + ROWS_AHEAD), row_bytes);
        if (from->access.col_stride == 1)
            memcpy(to, picked_row(from, r), row_bytes);
        else
            w->program->kernels->pack[dtype](to, picked_row(from, r), from->access.col_stride, w->columns);
    }
}

/* Element by element. */
static void pick_elements(const zc_tile_worker *w, zc_dtype dtype, picked *from, char *to)
{
    for (int64_t r = 0; r < w->rows; r++, to += w->columns * from->item) {
        w->program->kernels->gather[dtype](to, from->from + r * from->access.row_stride * from->item,
                                           from->access.col_stride, &from->picks, w->columns);
        for (int i = 0; i < from->picks.count; i++)
            from->picks.position[i] += w->columns;
    }
}

static void pick(zc_tile_worker *w, int32_t v, char *out)
{
    const zc_value *value = &w->program->stage->values[v];
    picked from = find_picked(w, value);
    w->block[v] = out;
    if (w->columns == 1) /* one element per row: the rows are the run */
        w->program->kernels->gather[value->dtype](out, from.from, from.access.row_stride, &from.picks, w->rows);
    else if (rows_stay_together(w->program, value))
        pick_whole_rows(w, (zc_dtype)value->dtype, &from, out);
    else
        pick_elements(w, (zc_dtype)value->dtype, &from, out);
}

void zc_tile_find_picked_rows(const zc_tile_worker *w, const char **row)
{
    const picked from = find_picked(w, zc_stage_result(w->program->stage));
    for (int64_t r = 0; r < w->rows; r++)
        row[r] = picked_row(&from, r);
}

/* ---- Functions ---- */

/* An elementary function is computed from one block of the first-level cache into another, and reads nothing else for
 * so long. Meanwhile the operands of what follows it are asked for, a few lines at a time: many lines at once wait for
 * each other. */
enum { LEAST_FUNCTION_COST = 12, LEAST_COST_OF_ASKING_MORE = 20, MOST_ASKED = 4, ASKED_BYTES = 512, LINE_BYTES = 64 };

typedef struct asked {
    int count;
    const char *from[MOST_ASKED];
    size_t item[MOST_ASKED];
} asked;

static bool is_function(const zc_value *value)
{
    return value->kind == ZC_VALUE_OP && zc_op_describe((zc_op)value->op)->cost >= LEAST_FUNCTION_COST;
}

/* Finds the loads that values behind a function read in place, up to the next function; and the place where values
 * behind the last one are stored, if it takes long enough for twice as many lines. */
static asked find_asked(const zc_tile_worker *w, int32_t function)
{
    const zc_tile_program *p = w->program;
    asked found = {.count = 0};
    int32_t v = function + 1;
    for (; v < p->stage->value_count && !is_function(&p->stage->values[v]); v++) {
        const zc_value *value = &p->stage->values[v];
        const zc_tile_value *prepared = &p->blocks.values[v];
        if (value->kind != ZC_VALUE_LOAD || prepared->is_strip || prepared->is_per_row || prepared->is_kept ||
            found.count == MOST_ASKED)
            continue;
        zc_tile_access a = zc_tile_find_access(w, value->access);
        if (!is_in_place(w, &a))
            continue;
        found.item[found.count] = prepared->item;
        found.from[found.count++] = p->slots[value->slot] + (size_t)a.at * prepared->item;
    }
    const bool is_last = v == p->stage->value_count && v > function + 1 && found.count < MOST_ASKED;
    const bool takes_long = zc_op_describe((zc_op)p->stage->values[function].op)->cost >= LEAST_COST_OF_ASKING_MORE;
    if (is_last && takes_long && !p->is_streamed && zc_tile_may_compute_in_place(w)) {
        found.item[found.count] = zc_dtype_bytes(p->stage->store.dtype);
        found.from[found.count++] = zc_tile_store_address(w);
    }
    return found;
}

/* Inlined before GCC looks at what functions do: it takes calls of one that only prefetches for calls of nothing. */
static inline __attribute__((always_inline)) void ask(const asked *operands, int64_t begin, int64_t count)
{
    for (int i = 0; i < operands->count; i++) {
        const char *from = operands->from[i] + (size_t)begin * operands->item[i];
        for (size_t at = 0; at < (size_t)count * operands->item[i]; at += LINE_BYTES)
            __builtin_prefetch(from + at);
    }
}

/* Computes a function of all of a tile in parts. False where there is nothing to ask for. */
static bool compute_asking(const zc_tile_worker *w, int32_t v, char *out, const char *from)
{
    const zc_tile_value *values = w->program->blocks.values, *value = &values[v];
    const size_t from_item = values[w->program->stage->values[v].arg[0]].item;
    const int64_t part = ASKED_BYTES / (int64_t)value->item, all = count_of(w, value);
    const asked operands = find_asked(w, v);
    if (operands.count == 0 || value->is_strip || value->is_per_row)
        return false;
    for (int64_t begin = 0, count; begin < all; begin += count) {
        count = zc_smaller(part, all - begin);
        ask(&operands, begin, count);
        value->kernel(out + (size_t)begin * value->item, from + (size_t)begin * from_item, NULL, NULL, count);
    }
    return true;
}

/* ---- Values ---- */

static void compute(zc_tile_worker *w, int32_t v, char *out)
{
    const zc_value *values = w->program->stage->values, *value = &values[v];
    const void *arg[ZC_MAX_ARITY] = {NULL};
    for (int i = 0; i < value->arity; i++)
        arg[i] = w->block[value->arg[i]];
    if (value->arity == 2 && values[value->arg[1]].kind == ZC_VALUE_CONSTANT)
        arg[2] = arg[1]; /* one number */
    w->block[v] = out;
    if (w->program->blocks.values[v].compares_positions) {
        zc_tile_compare_positions(w, v, out);
        return;
    }
    if (w->program->asks_ahead && value->arity == 1 && is_function(value) && compute_asking(w, v, out, arg[0]))
        return;
    w->program->blocks.values[v].kernel(out, arg[0], arg[1], arg[2], count_of(w, &w->program->blocks.values[v]));
}

static void evaluate_value(zc_tile_worker *w, int32_t v, char *out)
{
    const zc_value *value = &w->program->stage->values[v];
    char *own = w->scratch + w->program->blocks.values[v].block;
    /* Loads and picks are moved to a block where they are bools, which are no 0 and 1 yet, or are stored past the
     * caches, which takes a block. */
    char *moved = out != NULL && value->dtype != ZC_BOOL && !w->program->is_streamed ? out : own;
    if (w->program->blocks.values[v].is_implied)
        return;
    switch (value->kind) {
    case ZC_VALUE_LOAD:
        load(w, v, moved);
        break;
    case ZC_VALUE_CONSTANT:
        fill_constant(w, v);
        break;
    case ZC_VALUE_INDEX:
        w->block[v] = own;
        zc_tile_fill_positions(w, v, own);
        break;
    case ZC_VALUE_CHECK:
        check_positions(w, v);
        break;
    case ZC_VALUE_PICK:
        pick(w, v, moved);
        break;
    default:
        compute(w, v, out != NULL ? out : own);
        break;
    }
}

void zc_tile_count(zc_tile_worker *w, int64_t elements)
{
    (void)zc_thread_progress_add(&w->progress,
                                 elements * zc_stage_values_each(w->program->stage)); /* proven: a tile is small */
}

/* Tells whether a value of the tile before is also that of this tile. */
static bool is_still_there(const zc_tile_worker *w, const zc_tile_value *value)
{
    return value->is_kept && !w->is_fresh && (value->axes & w->moved) == 0 && w->moved != UINT64_MAX;
}

static void end_tile(zc_tile_worker *w)
{
    w->is_fresh = false;
    w->moved = 0;
}

const char *zc_tile_compute(zc_tile_worker *w, char *out)
{
    const zc_tile_blocks *blocks = &w->program->blocks;
    const int32_t last = zc_tile_last_value(w->program);
    for (int32_t v = 0; v <= last; v++) {
        const zc_tile_value *value = &blocks->values[v];
        if (is_still_there(w, value))
            continue;
        char *to = v == last && !value->is_kept ? out : NULL;
        if (value->chain < 0 || !zc_tile_fits_chain(w, value))
            evaluate_value(w, v, to);
        else if (blocks->chains[value->chain].last == v)
            zc_tile_run_chain(w, &blocks->chains[value->chain], to);
    }
    end_tile(w);
    return w->block[last];
}

const char *zc_tile_evaluate(zc_tile_worker *w, char *out)
{
    const char *elements = zc_tile_compute(w, out);
    zc_tile_count(w, w->rows * zc_smaller(w->columns, w->program->column_step));
    return elements;
}

void zc_tile_evaluate_operands(zc_tile_worker *w)
{
    const zc_stage *stage = w->program->stage;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_tile_value *value = &w->program->blocks.values[v];
        if (value->chain < 0 && !is_still_there(w, value))
            evaluate_value(w, v, NULL);
    }
    end_tile(w);
}

bool zc_tile_next(const zc_tile_worker *w, int64_t *at)
{
    const zc_tile_program *p = w->program;
    for (int i = p->inner_count - 1; i >= 0; i--) {
        if (++at[i] < p->inner[i].count)
            return !w->progress.is_stopped;
        at[i] = 0;
    }
    return false;
}

void zc_tile_move_inside(zc_tile_worker *w, const int64_t *at)
{
    const zc_tile_program *p = w->program;
    for (int i = 0; i < p->inner_count; i++)
        zc_tile_move(w, p->inner[i].axis, at[i] * p->inner[i].step); /* proven: inside the axis */
}

void zc_tile_move_to_unit(zc_tile_worker *w, int64_t unit)
{
    const zc_tile_program *p = w->program;
    w->unit = unit;
    for (int i = p->outer_count - 1; i >= 0; i--) {
        zc_tile_move(w, p->outer[i].axis, unit % p->outer[i].count * p->outer[i].step); /* proven: inside the axis */
        unit /= p->outer[i].count;
    }
}
