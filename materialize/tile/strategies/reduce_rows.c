/* Reduces rows: each row of a tile holds all elements of one result and is short enough to be one sum block. */
#include "materialize/stages/reduce.h"
#include "materialize/tile/program/reduce.h"
#include "materialize/tile/program/strategy.h"

/* State of the prepared strategy, at program->own. */
typedef struct reduce_rows {
    bool is_direct; /* nothing is computed: rows are reduced in place, in memory */
} reduce_rows;

static int cost(const zc_tile_program *p)
{
    bool fits = zc_tile_is_joined(p) && p->kept > 0 && p->rank == p->kept + 1 && p->shape[p->kept] <= ZC_TILE;
    return fits ? zc_tile_reduce_cost(p, p->kept, 0) : ZC_STRATEGY_NONE;
}

/* Tells whether the stage only loads rows that follow each other in memory. */
static bool is_direct(const zc_tile_program *p)
{
    const int32_t last = zc_tile_last_value(p), access = p->stage->values[last].access;
    return last == 0 && p->stage->values[last].kind == ZC_VALUE_LOAD &&
           zc_tile_load_stride(p, access, p->col_axis) == 1 &&
           zc_tile_load_stride(p, access, p->row_axis) == p->shape[p->col_axis];
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    reduce_rows *own = p->own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    p->col_axis = p->rank - 1;
    p->row_axis = p->rank - 2;
    p->counts = zc_tile_adds_truths(p);
    own->is_direct = is_direct(p);
    zc_tile_set_extents(p, ZC_TILE, own->is_direct ? ZC_TILE_LONGEST : ZC_TILE);
    p->rows = zc_smaller(p->rows, ZC_TILE);
    zc_tile_make_loops(p, p->kept);
    return own->is_direct || zc_tile_prepare_blocks(p, arena) ? ZC_PREPARED : ZC_NOT_PREPARED;
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    return zc_tile_reduce_bytes(p, p->rows);
}

static void begin(zc_tile_worker *w)
{
    zc_tile_reduce_begin(w, w->program->rows);
}

static const char *find_rows(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const zc_value *value = &p->stage->values[zc_tile_last_value(p)];
    if (!((const reduce_rows *)p->own)->is_direct)
        return zc_tile_evaluate(w, NULL);
    zc_tile_count(w, w->rows * w->columns);
    return p->slots[value->slot] +
           zc_tile_find_access(w, value->access).at * (int64_t)zc_dtype_bytes((zc_dtype)value->dtype);
}

static void count_truths(const zc_tile_worker *w, const char *rows, int64_t *counts)
{
    for (int64_t i = 0; i < w->rows; i++)
        counts[i] = w->program->kernels->count(rows + i * w->columns, w->columns);
}

static void run_unit(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const zc_reduction reduction = zc_stage_reduced(p->stage)->reduction;
    const zc_dtype dtype = (zc_dtype)zc_stage_result(p->stage)->dtype;
    zc_tile_reduce *r = zc_tile_reduce_of(w);
    zc_tile_move(w, p->col_axis, 0);
    const char *rows = find_rows(w);
    if (p->counts)
        count_truths(w, rows, (int64_t *)(void *)r->results);
    else
        p->kernels->rows[reduction][dtype](r->results, rows, w->columns, w->rows, r->reducer.padding.bytes);
    const size_t item = zc_dtype_bytes(dtype);
    for (int64_t i = 0; zc_reduction_is_index(reduction) && i < w->rows; i++)
        r->numbers[i] =
            p->kernels->find[dtype](rows + (size_t)(i * w->columns) * item, r->results + (size_t)i * item, w->columns);
    zc_tile_store_results(w, p->row_axis, r->results, r->numbers, w->rows);
}

const zc_strategy zc_strategy_reduce_rows = {.name = "reduce_rows",
                                             .cost = cost,
                                             .prepare = prepare,
                                             .scratch_bytes = scratch_bytes,
                                             .begin = begin,
                                             .run_unit = run_unit};
