/* Reduces columns: each column of a tile belongs to one result, and the rows are combined in their order. */
#include "materialize/plan/group.h"
#include "materialize/stages/reduce.h"
#include "materialize/tile/program/reduce.h"
#include "materialize/tile/program/strategy.h"

/* The rows of a tile, and the bytes of a row, when columns are reduced in memory. The lanes, sixteen such rows, stay in
 * the second-level cache. */
enum { DIRECT_ROWS = 128, DIRECT_BYTES = 8 << 10 };

/* The rows of a tile that are picked and joined where they are, and the least bytes of such a row. */
enum { PICKED_ROWS = ZC_LANES, LEAST_PICKED_BYTES = 128 };

/* State of the prepared strategy, at program->own. */
typedef struct reduce_columns {
    bool is_direct; /* nothing is computed: columns are reduced in place, in memory */
} reduce_columns;

static int cost(const zc_tile_program *p)
{
    if (zc_stage_absorbs(p->stage))
        return p->kept > 0 ? !zc_tile_absorbs_columns(p) : ZC_STRATEGY_NONE;
    return zc_tile_is_joined(p) && p->kept > 0 ? zc_tile_reduce_cost(p, p->kept - 1, 2) : ZC_STRATEGY_NONE;
}

/* Tells whether the stage only loads rows of consecutive elements. */
static bool is_direct(const zc_tile_program *p)
{
    return zc_tile_only_loads(p) && zc_tile_load_stride(p, zc_stage_result(p->stage)->access, p->col_axis) == 1;
}

/* Tells whether rows that are picked are joined in place. */
static bool joins_picked(const zc_tile_program *p)
{
    const int64_t item = (int64_t)zc_dtype_bytes((zc_dtype)zc_stage_result(p->stage)->dtype);
    return zc_tile_picks_rows(p) &&
           p->shape[p->col_axis] * item >= LEAST_PICKED_BYTES; /* proven: a row lies in memory */
}

/* The longest rows that leave the lanes in the cache and give every thread a part. */
static int64_t direct_columns(const zc_tile_program *p)
{
    const bool has_log_sums = zc_reduction_has_log_sums(zc_stage_reduced(p->stage)->reduction);
    const int64_t item = (int64_t)zc_dtype_bytes((zc_dtype)zc_stage_result(p->stage)->dtype);
    const int64_t most = has_log_sums ? ZC_STATE_COLUMNS : DIRECT_BYTES / item;
    if (zc_stage_absorbs(p->stage))
        return ZC_STATE_COLUMNS;
    if (p->threads < 2 || zc_tile_least_group(p, 1) > 0)
        return most;
    int64_t share = zc_stage_extent(p->stage, 0, p->stage->kept) / (2 * (int64_t)p->threads);
    return zc_larger(zc_smaller(share - share % ZC_TILE_COLUMNS, most), ZC_TILE_COLUMNS);
}

/* The rows are a power of two, so that tiles end where sum blocks end. */
static void set_extents(zc_tile_program *p, bool direct)
{
    const int64_t all = p->shape[p->row_axis], all_columns = p->shape[p->col_axis];
    const int64_t most = p->joins_picked ? ZC_TILE : direct ? direct_columns(p) : ZC_TILE_COLUMNS;
    p->columns = p->column_step = zc_smaller(all_columns, most);
    const int64_t rows = p->joins_picked ? PICKED_ROWS : direct ? DIRECT_ROWS : zc_larger(ZC_TILE / p->columns, 1);
    p->rows = zc_smaller(rows, all);
    while ((p->rows & (p->rows - 1)) != 0)
        p->rows &= p->rows - 1;
    p->joined = p->columns;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    reduce_columns *own = p->own = zc_arena_take(arena, 1, sizeof *own);
    if (own == NULL)
        return ZC_NOT_PREPARED;
    p->col_axis = p->kept - 1;
    p->row_axis = p->rank - 1;
    own->is_direct = is_direct(p);
    p->joins_picked = joins_picked(p);
    set_extents(p, own->is_direct);
    zc_tile_make_loops(p, p->kept);
    if (!own->is_direct && !zc_tile_prepare_blocks(p, arena))
        return ZC_NOT_PREPARED;
    if (!zc_stage_absorbs(p->stage)) /* its lanes are in no order that groups have */
        zc_tile_divide(p, zc_tile_least_group(p, 1));
    return ZC_PREPARED;
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    return zc_tile_reduce_bytes(p, p->columns);
}

static void begin(zc_tile_worker *w)
{
    zc_tile_reduce_begin(w, w->program->columns);
}

static void combine_picked(zc_tile_worker *w, zc_reducer *reducer)
{
    const char *row[PICKED_ROWS];
    (void)zc_tile_evaluate(w, NULL);
    zc_tile_find_picked_rows(w, row);
    for (int64_t r = 0; r < w->rows; r++)
        zc_reducer_row(reducer, row[r], true);
}

static void combine_tile(zc_tile_worker *w, zc_reducer *reducer)
{
    const zc_tile_program *p = w->program;
    const zc_value *value = zc_stage_result(p->stage);
    const int64_t item = (int64_t)zc_dtype_bytes((zc_dtype)value->dtype);
    if (p->joins_picked) {
        combine_picked(w, reducer);
        return;
    }
    if (!((const reduce_columns *)p->own)->is_direct) {
        zc_reducer_rows(reducer, zc_tile_evaluate(w, NULL), w->columns * item, w->rows);
        return;
    }
    const zc_tile_access a = zc_tile_find_access(w, value->access);
    zc_reducer_rows(reducer, p->slots[value->slot] + a.at * item, a.row_stride * item, w->rows);
    zc_tile_count(w, w->rows * w->columns);
}

static void run_group(zc_tile_worker *w, int64_t group, char *results, int64_t *numbers)
{
    zc_tile_reduce_group(w, combine_tile, w->columns, group, results, numbers);
}

static void end_groups(zc_tile_worker *w, char *results, int64_t *numbers)
{
    zc_tile_combine_groups(w, w->program->col_axis, results, numbers, w->columns);
}

static void run_unit(zc_tile_worker *w)
{
    zc_tile_reduce_unit(w, combine_tile, w->program->col_axis, w->columns);
}

const zc_strategy zc_strategy_reduce_columns = {.name = "reduce_columns",
                                                .cost = cost,
                                                .prepare = prepare,
                                                .scratch_bytes = scratch_bytes,
                                                .begin = begin,
                                                .run_unit = run_unit,
                                                .run_group = run_group,
                                                .end_groups = end_groups};
