/*
 * Lays runs side by side: the stage stores many loads and constants, each in its run along an axis, and computes
 * nothing. A unit is a number of runs, each of which is moved on its own, without a tile.
 */
#include "materialize/stages/runs.h"
#include "materialize/tile/program/strategy.h"

#include <string.h>

/* Elements that a unit moves, about. */
enum { UNIT = 1 << 15 };

static int cost(const zc_tile_program *p)
{
    enum { COST = 1 };
    return p->stage->kind == &zc_stage_kind_runs ? COST : ZC_STRATEGY_NONE;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    (void)arena;
    const int64_t elements = zc_stage_extent(p->stage, 0, p->stage->rank);
    const int64_t each = zc_larger(elements / p->stage->value_count, 1);
    p->col_axis = 0;
    p->columns = p->column_step = zc_smaller(zc_larger(UNIT / each, 1), p->shape[0]);
    p->rows = 1;
    zc_tile_make_loops(p, 1);
    return ZC_PREPARED;
}

/* Box that is moved: axes of more than one element, and their strides in elements. A constant has strides 0. */
typedef struct box {
    int rank;
    int64_t shape[ZC_MAX_RANK], from[ZC_MAX_RANK], to[ZC_MAX_RANK];
} box;

static const char *find_box(const zc_tile_program *p, int32_t v, box *b)
{
    const zc_stage *stage = p->stage;
    const zc_value *value = &stage->values[v];
    const bool is_load = value->kind == ZC_VALUE_LOAD;
    const int64_t item = (int64_t)zc_dtype_bytes(stage->store.dtype);
    const int64_t *stride = stage->stride + (is_load ? (size_t)value->access * (size_t)stage->rank : 0);
    b->rank = 0;
    for (int a = 0; a < stage->rank; a++) {
        int64_t extent = zc_stage_extent_of(stage, v, a);
        if (extent == 1)
            continue;
        b->shape[b->rank] = extent;
        b->from[b->rank] = is_load ? stride[a] : 0;
        b->to[b->rank++] = stage->store.stride[a];
    }
    return is_load ? p->slots[value->slot] + stage->offset[value->access] * item /* proven: verified to be inside */
                   : (const char *)value->constant->bytes;
}

/* Moves a line of n elements. */
static void move_line(const zc_kernels *k, zc_dtype dtype, const char *from, int64_t from_stride, char *to,
                      int64_t to_stride, int64_t n)
{
    const int64_t item = (int64_t)zc_dtype_bytes(dtype);
    if (to_stride == 1 && from_stride == 1) {
        memcpy(to, from, (size_t)(n * item));
    } else if (to_stride == 1) {
        k->pack[dtype](to, from, from_stride, n);
    } else if (from_stride == 1) {
        k->unpack[dtype](to, from, to_stride, n);
    } else {
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * to_stride * item, from + i * from_stride * item, (size_t)item); /* proven: likewise */
    }
}

static void move_box(const zc_kernels *k, zc_dtype dtype, const box *b, const char *from, char *to)
{
    int64_t at[ZC_MAX_RANK] = {0};
    const int64_t item = (int64_t)zc_dtype_bytes(dtype);
    const int last = b->rank - 1;
    for (;;) {
        move_line(k, dtype, from, last < 0 ? 0 : b->from[last], to, last < 0 ? 1 : b->to[last],
                  last < 0 ? 1 : b->shape[last]);
        int a = last - 1;
        for (; a >= 0 && ++at[a] == b->shape[a]; a--) {
            from -= (b->shape[a] - 1) * b->from[a] * item; /* proven: likewise */
            to -= (b->shape[a] - 1) * b->to[a] * item;     /* proven: likewise */
            at[a] = 0;
        }
        if (a < 0)
            return;
        from += b->from[a] * item; /* proven: likewise */
        to += b->to[a] * item;     /* proven: likewise */
    }
}

static void run_unit(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const zc_stage *stage = p->stage;
    const int64_t item = (int64_t)zc_dtype_bytes(stage->store.dtype);
    char *store = p->slots[stage->store.slot] + stage->store.offset * item;
    const int32_t first = (int32_t)w->position[0], end = first + (int32_t)w->columns;
    for (int32_t v = first; v < end; v++) {
        box b;
        const char *from = find_box(p, v, &b);
        int64_t at = stage->runs.first[v] * stage->store.stride[stage->runs.axis]; /* proven: verified to be inside */
        move_box(p->kernels, stage->store.dtype, &b, from, store + at * item);
    }
    int64_t line = zc_stage_extent(stage, 0, stage->rank) / stage->shape[stage->runs.axis];
    zc_tile_count(w, line * (stage->runs.first[end] - stage->runs.first[first])); /* proven: a part of the domain */
}

const zc_strategy zc_strategy_runs = {.name = "runs", .cost = cost, .prepare = prepare, .run_unit = run_unit};
