/* One tile: where its elements are, and every value computed over them. */
#include "materialize/tile.h"

#include <string.h>

void zc_tile_worker_init(zc_tile_worker *worker, const zc_tile_program *program, char *scratch, char **reg)
{
    *worker = (zc_tile_worker){.program = program, .scratch = scratch, .reg = reg, .is_fresh = true, .stray.check = -1};
    worker->rows = program->rows;
    worker->columns = program->columns;
    const zc_stage *stage = program->stage;
    if (stage->reduces && program->mode != ZC_TILE_STORE) {
        zc_joiner_init(&worker->joiner, program->kernels, stage->reduction, (zc_dtype)zc_stage_result(stage)->dtype,
                       program->joined, zc_walked_count(stage), scratch + program->joiner_at);
    }
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

typedef struct tile_access {
    int64_t at;         /* of the tile's first element */
    int64_t row_stride; /* elements */
    int64_t col_stride;
} tile_access;

static tile_access find_access(const zc_tile_worker *w, int32_t access)
{
    const zc_tile_program *p = w->program;
    const int64_t *stride = p->stride + (size_t)(1 + access) * (size_t)p->pitch;
    tile_access found = {.at = p->stage->offset[access]};
    for (int a = 0; a < p->rank; a++)
        found.at += w->position[a] * stride[a]; /* proven: verified to be inside */
    found.row_stride = p->row_axis < 0 ? 0 : stride[p->row_axis];
    found.col_stride = p->col_axis < 0 ? 0 : stride[p->col_axis];
    return found;
}

static bool is_in_place(const zc_tile_worker *w, const tile_access *a)
{
    bool columns = w->columns == 1 || a->col_stride == 1;
    bool rows = w->rows == 1 || a->row_stride == w->columns;
    return columns && rows;
}

static void load_rows(const zc_tile_worker *w, zc_dtype dtype, size_t item, const char *from, const tile_access *a,
                      char *to)
{
    const zc_kernels *k = w->program->kernels;
    const size_t row_bytes = (size_t)w->columns * item;
    if (w->columns == 1) { /* one element per row: the rows are the run */
        k->gather[dtype](to, from, a->row_stride, w->rows);
        return;
    }
    if (w->rows > 1 && a->row_stride == 1 && a->col_stride != 0 && a->col_stride != 1) {
        k->transpose[zc_item_size(item)](to, from, a->col_stride, w->rows, w->columns);
        return;
    }
    for (int64_t r = 0; r < w->rows; r++, to += row_bytes) {
        if (r > 0 && a->row_stride == 0)
            memcpy(to, to - row_bytes, row_bytes);
        else if (a->col_stride == 1)
            memcpy(to, from + r * a->row_stride * (int64_t)item, row_bytes);
        else
            k->gather[dtype](to, from + r * a->row_stride * (int64_t)item, a->col_stride, w->columns);
    }
}

/* How many elements of a value are computed at a time: all of the tile's, or, of one that is the same for all of them,
 * as many as chains read. A tile too small for chains has fewer, and so have the operands' registers. */
static int64_t count_of(const zc_tile_worker *w, const zc_tile_value *value)
{
    int64_t all = w->rows * w->columns; /* proven: a tile is small */
    bool is_uniform = value->is_small && value->chain < 0;
    return is_uniform ? zc_smaller(all, w->program->kernels->chains->tile_bytes / (int64_t)value->item) : all;
}

/* Whether chains read a value where it lies, whatever the tile's shape. */
static bool stays_in_memory(const zc_tile_worker *w, const zc_tile_value *value)
{
    return (value->is_single || w->program->is_by_rows) && zc_tile_fits_chain(w, value);
}

static void load(zc_tile_worker *w, int32_t v)
{
    const zc_value *value = &w->program->stage->values[v];
    const zc_tile_value *prepared = &w->program->values[v];
    tile_access a = find_access(w, value->access);
    char *from = w->program->slots[value->slot] + (size_t)a.at * prepared->item;
    if (stays_in_memory(w, prepared) || (!prepared->is_small && is_in_place(w, &a))) {
        w->reg[v] = from;
        return;
    }
    w->reg[v] = w->scratch + prepared->reg;
    if (prepared->is_small)
        w->program->kernels->gather[value->dtype](w->reg[v], from, 0, count_of(w, prepared));
    else
        load_rows(w, (zc_dtype)value->dtype, prepared->item, from, &a, w->reg[v]);
}

static void fill_constant(zc_tile_worker *w, int32_t v)
{
    const zc_value *value = &w->program->stage->values[v];
    const zc_tile_value *prepared = &w->program->values[v];
    const bool is_single = prepared->is_single && zc_tile_fits_chain(w, prepared);
    w->reg[v] = w->scratch + prepared->reg;
    w->program->kernels->gather[value->dtype](w->reg[v], value->constant.bytes, 0,
                                              is_single ? 1 : count_of(w, prepared));
}

/* ---- Computed positions ---- */

static void check(zc_tile_worker *w, int32_t v)
{
    const zc_value *value = &w->program->stage->values[v];
    int64_t *to = (int64_t *)(void *)(w->scratch + w->program->values[v].reg);
    const int64_t *positions = (const int64_t *)(const void *)w->reg[value->arg[0]];
    w->reg[v] = (char *)to;
    zc_check_positions(w->program->kernels, w->program->stage, v, positions, to, w->rows * w->columns, &w->stray);
}

/* Whether the positions are the same all along a row of the tile. */
static bool rows_stay_together(const zc_tile_program *p, const zc_value *value)
{
    uint64_t axes = 0;
    for (int i = 0; i < value->arity; i++)
        axes |= p->values[value->arg[i]].axes;
    return p->col_axis >= 0 && (axes >> p->col_axis & 1) == 0;
}

/* One row after the other: moved as a whole, or element by element. */
static void pick_rows(const zc_tile_worker *w, const zc_value *value, const char *from, const tile_access *a,
                      zc_picks *picks, char *to)
{
    const zc_kernels *k = w->program->kernels;
    const size_t item = zc_dtype_bytes((zc_dtype)value->dtype), row_bytes = (size_t)w->columns * item;
    const bool together = rows_stay_together(w->program, value);
    for (int64_t r = 0; r < w->rows; r++, to += row_bytes) {
        int64_t moved = r * a->row_stride; /* proven: verified to be inside */
        for (int i = 0; together && i < picks->count; i++)
            moved += picks->position[i][r * w->columns] * picks->stride[i]; /* proven: likewise */
        const char *row = from + moved * (int64_t)item;
        if (!together)
            k->pick[value->dtype](to, row, a->col_stride, picks, w->columns);
        else if (a->col_stride == 1)
            memcpy(to, row, row_bytes);
        else
            k->gather[value->dtype](to, row, a->col_stride, w->columns);
        for (int i = 0; !together && i < picks->count; i++)
            picks->position[i] += w->columns;
    }
}

static void pick(zc_tile_worker *w, int32_t v)
{
    const zc_value *value = &w->program->stage->values[v];
    const zc_tile_value *prepared = &w->program->values[v];
    tile_access a = find_access(w, value->access);
    const char *from = w->program->slots[value->slot] + (size_t)a.at * prepared->item;
    zc_picks picks = {.count = value->arity};
    for (int i = 0; i < picks.count; i++) {
        picks.position[i] = (const int64_t *)(const void *)w->reg[value->arg[i]];
        picks.stride[i] = value->pick_stride[i];
    }
    w->reg[v] = w->scratch + prepared->reg;
    if (w->columns == 1) /* one element per row: the rows are the run */
        w->program->kernels->pick[value->dtype](w->reg[v], from, a.row_stride, &picks, w->rows);
    else
        pick_rows(w, value, from, &a, &picks, w->reg[v]);
}

static void fill_index(zc_tile_worker *w, int32_t v)
{
    tile_access a = find_access(w, w->program->stage->values[v].access);
    int64_t *to = (int64_t *)(void *)(w->scratch + w->program->values[v].reg);
    w->reg[v] = (char *)to;
    for (int64_t r = 0; r < w->rows; r++)
        w->program->kernels->index(to + r * w->columns, a.at + r * a.row_stride, a.col_stride, w->columns);
}

/* ---- Values ---- */

static void compute(zc_tile_worker *w, int32_t v, char *out)
{
    const zc_value *value = &w->program->stage->values[v];
    const void *arg[ZC_MAX_ARITY] = {NULL};
    for (int i = 0; i < value->arity; i++)
        arg[i] = w->reg[value->arg[i]];
    w->reg[v] = out;
    w->program->values[v].kernel(out, arg[0], arg[1], arg[2], count_of(w, &w->program->values[v]));
}

static void evaluate_value(zc_tile_worker *w, int32_t v, char *out)
{
    const zc_value *value = &w->program->stage->values[v];
    char *own = w->scratch + w->program->values[v].reg;
    switch (value->kind) {
    case ZC_VALUE_LOAD:
        load(w, v);
        break;
    case ZC_VALUE_CONSTANT:
        fill_constant(w, v);
        break;
    case ZC_VALUE_INDEX:
        fill_index(w, v);
        break;
    case ZC_VALUE_CHECK:
        check(w, v);
        break;
    case ZC_VALUE_PICK:
        pick(w, v);
        break;
    default:
        compute(w, v, out != NULL ? out : own);
        break;
    }
}

void zc_tile_count(zc_tile_worker *w)
{
    int64_t own = zc_smaller(w->columns, w->program->columns - w->program->shared_columns);
    (void)zc_pace_add(&w->pace, w->rows * own * w->program->stage->value_count); /* proven: a tile is small */
}

const char *zc_tile_evaluate(zc_tile_worker *w, char *out)
{
    const zc_tile_program *p = w->program;
    int32_t last = p->stage->value_count - 1;
    for (int32_t v = 0; v <= last; v++) {
        const zc_tile_value *value = &p->values[v];
        if (value->is_kept && !w->is_fresh && (value->axes & w->moved) == 0 && w->moved != UINT64_MAX)
            continue;
        char *to = v == last && !value->is_kept ? out : NULL;
        if (value->chain < 0 || !zc_tile_fits_chain(w, value))
            evaluate_value(w, v, to);
        else if (p->chains[value->chain].last == v)
            zc_tile_run_chain(w, &p->chains[value->chain], to);
    }
    w->is_fresh = false;
    w->moved = 0;
    zc_tile_count(w);
    return w->reg[last];
}

/* A row of one element, stored past the caches: a block of them, line by line as often as it takes. */
static void stream_element(const zc_kernels *k, zc_dtype dtype, char *to, const char *from, int64_t n)
{
    const int64_t item = (int64_t)zc_dtype_bytes(dtype);
    _Alignas(ZC_DATA_ALIGNMENT) char block[ZC_TILE * sizeof(zc_scalar)];
    int64_t head = zc_smaller((int64_t)(-(uintptr_t)to % ZC_DATA_ALIGNMENT) / item, n);
    k->gather[dtype](to, from, 0, head);
    k->gather[dtype](block, from, 0, zc_smaller(n - head, ZC_TILE));
    for (int64_t at = head; at < n; at += ZC_TILE)
        k->stream(to + at * item, 0, block, (size_t)(zc_smaller(n - at, ZC_TILE) * item), 1);
}

void zc_tile_copy(zc_tile_worker *w, char *to, int64_t pitch)
{
    const zc_tile_program *p = w->program;
    const zc_kernels *k = p->kernels;
    const zc_value *value = zc_stage_result(p->stage);
    const size_t item = p->values[0].item, row_bytes = (size_t)w->columns * item;
    const tile_access a = find_access(w, value->access);
    const char *from = p->slots[value->slot] + a.at * (int64_t)item;
    for (int64_t r = 0; r < w->rows; r++, to += pitch, from += a.row_stride * (int64_t)item) {
        if (a.col_stride == 0 && p->is_streamed)
            stream_element(k, (zc_dtype)value->dtype, to, from, w->columns);
        else if (a.col_stride != 1)
            k->gather[value->dtype](to, from, a.col_stride, w->columns);
        else if (p->is_streamed)
            k->stream(to, 0, from, row_bytes, 1);
        else
            memcpy(to, from, row_bytes);
    }
    zc_tile_count(w);
}

const char *zc_tile_rows(zc_tile_worker *w, int64_t *pitch)
{
    const zc_tile_program *p = w->program;
    const int64_t item = (int64_t)p->values[p->stage->value_count - 1].item;
    if (!p->is_bare) {
        *pitch = w->columns * item;
        return zc_tile_evaluate(w, NULL);
    }
    const zc_value *value = zc_stage_result(p->stage);
    tile_access a = find_access(w, value->access);
    *pitch = a.row_stride * item;
    zc_tile_count(w);
    return p->slots[value->slot] + a.at * item;
}
