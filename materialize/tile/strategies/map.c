/*
 * Computes every value of a tile at a time and stores the last one. It takes every stage that stores each element in a
 * place of its own. Such a stage may be a reduction that combines nothing, because its axes are invariant or empty:
 * then the strategy applies the reduction's rule for these axes.
 */
#include "materialize/stages/reduce_finalize.h"
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

static int cost(const zc_tile_program *p)
{
    enum { COST = 4 };
    return zc_tile_is_stored(p) ? COST : ZC_STRATEGY_NONE;
}

static bool prepare_short(zc_tile_program *p, int64_t most_elements, zc_arena *arena)
{
    zc_tile_set_extents(p, ZC_TILE, most_elements);
    zc_tile_make_loops(p, p->rank);
    return zc_tile_prepare_blocks(p, arena);
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    const bool reduces = p->stage->kind->reduces;
    p->col_axis = p->rank - 1; /* -1: none */
    p->row_axis = p->rank > 1 ? p->rank - 2 : -1;
    p->is_streamed = zc_tile_should_stream(p);
    p->asks_ahead = zc_tile_should_ask(p);
    p->stores_directly =
        !reduces && p->stage->store.overwritten < 0 && (p->col_axis < 0 || zc_tile_store_stride(p, p->col_axis) == 1);
    const int64_t fair = zc_tile_fair_share(p, ZC_TILE);
    bool ready;
    if (!reduces && zc_tile_picks_rows(p) && p->shape[p->col_axis] <= ZC_TILE)
        ready = prepare_short(p, zc_smaller(ZC_TILE_LONG, fair), arena);
    else
        ready = reduces ? prepare_short(p, ZC_TILE, arena) : zc_tile_prepare_long(p, p->rank, fair, arena);
    return ready ? ZC_PREPARED : ZC_NOT_PREPARED;
}

/* Results of a reduction. */
static size_t scratch_bytes(const zc_tile_program *p)
{
    return p->stage->kind->reduces ? (size_t)(p->rows * p->columns) * sizeof(zc_scalar)
                                   : 0; /* proven: a tile is small */
}

static void run_unit(zc_tile_worker *w)
{
    const zc_stage *stage = w->program->stage;
    char *to = zc_tile_store_address(w);
    if (!stage->kind->reduces) {
        zc_tile_store(w, to, zc_tile_evaluate(w, zc_tile_may_compute_in_place(w) ? to : NULL));
        return;
    }
    const char *values = zc_walked_count(stage) == 0 ? NULL : zc_tile_evaluate(w, NULL);
    if (values == NULL)
        zc_tile_count(w, w->rows * w->columns);
    zc_finalize(stage, values, NULL, w->own, w->rows * w->columns);
    zc_tile_store(w, to, w->own);
}

const zc_strategy zc_strategy_map = {
    .name = "map", .cost = cost, .prepare = prepare, .scratch_bytes = scratch_bytes, .run_unit = run_unit};
