/* Reduces runs: all elements of a tile belong to one result and follow each other. */
#include "materialize/plan/group.h"
#include "materialize/tile/program/reduce.h"
#include "materialize/tile/program/strategy.h"

enum { BLOCKS_PER_GROUP = 4 };

static int cost(const zc_tile_program *p)
{
    if (zc_stage_absorbs(p->stage))
        return zc_tile_absorbs_columns(p);
    return zc_tile_is_joined(p) ? zc_tile_reduce_cost(p, p->rank - 1, 1) : ZC_STRATEGY_NONE;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    p->col_axis = p->rank - 1;
    p->row_axis = p->rank - 2 >= p->kept ? p->rank - 2 : -1;
    p->counts = zc_tile_adds_truths(p);
    const int64_t most = p->threads > 1 ? zc_larger(zc_tile_most_group(p), ZC_LEAF) : INT64_MAX;
    if (!zc_tile_prepare_long(p, p->kept, zc_smaller(ZC_TILE_LONGEST, most), arena))
        return ZC_NOT_PREPARED;
    int64_t least = zc_tile_least_group(p, zc_smaller(BLOCKS_PER_GROUP, most / ZC_LEAF));
    while (least > 0 && least < p->columns)
        least *= 2; /* a tile lies in one group */
    zc_tile_divide(p, least);
    return ZC_PREPARED;
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    return zc_tile_reduce_bytes(p, 1);
}

static void begin(zc_tile_worker *w)
{
    zc_tile_reduce_begin(w, 1);
}

static void combine_tile(zc_tile_worker *w, zc_reducer *reducer)
{
    const char *elements = zc_tile_evaluate(w, NULL);
    if (!w->program->counts) {
        zc_reducer_run(reducer, elements, w->rows * w->columns);
        return;
    }
    const int64_t count = w->program->kernels->count(elements, w->rows * w->columns);
    zc_reducer_join_any_order(reducer, &count);
}

static void run_group(zc_tile_worker *w, int64_t group, char *results, int64_t *numbers)
{
    zc_tile_reduce_group(w, combine_tile, 1, group, results, numbers);
}

static void end_groups(zc_tile_worker *w, char *results, int64_t *numbers)
{
    zc_tile_combine_groups(w, w->program->col_axis, results, numbers, 1);
}

static void run_unit(zc_tile_worker *w)
{
    zc_tile_reduce_unit(w, combine_tile, w->program->col_axis, 1);
}

const zc_strategy zc_strategy_reduce_run = {.name = "reduce_run",
                                            .cost = cost,
                                            .prepare = prepare,
                                            .scratch_bytes = scratch_bytes,
                                            .begin = begin,
                                            .run_unit = run_unit,
                                            .run_group = run_group,
                                            .end_groups = end_groups};
