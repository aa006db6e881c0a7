/*
 * Reduces tiles of results, where few elements are joined into each: windows, pools, short axes. The elements come one
 * after the other, each for all results of a tile at once. Of short rows in memory a tile has all elements, turned so
 * that those that come at once are side by side.
 */
#include "materialize/stages/reduce.h"
#include "materialize/tile/program/reduce.h"
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

/* Columns from which on a row of results is a tile of its own, so that rows are joined where they are in memory; the
 * columns of a tile whose rows are consecutive in memory; and the least elements of a tile when threads share the work.
 */
enum { LONG_ROW = 256, TURNED_COLUMNS = 32, LEAST_ELEMENTS = 64 };

/* Finds the kept axis that becomes the rows of a tile: the one along which the most loads are consecutive, of those
 * that are not along the columns; else the one next to the columns. -1: there is none. */
static int find_rows(const zc_tile_program *p)
{
    const int columns = p->kept - 1;
    int found = columns - 1;
    int32_t most = 0;
    for (int a = 0; a < columns; a++) {
        int32_t count = 0;
        for (int32_t access = 0; access < p->stage->access_count; access++) {
            const int64_t leap = zc_tile_load_stride(p, access, columns);
            count += zc_tile_load_stride(p, access, a) == 1 && leap != 0 && leap != 1;
        }
        if (count > most) {
            most = count;
            found = a;
        }
    }
    return found;
}

static bool is_turned(const zc_tile_program *p, int rows)
{
    return rows >= 0 && zc_tile_consecutive_along(p, rows) > zc_tile_consecutive_along(p, p->kept - 1);
}

/* Tells whether loads are consecutive along the last reduced axis rather than along results. */
static bool is_along_elements(const zc_tile_program *p)
{
    const int last = p->rank - 1, rows = find_rows(p);
    const int along = is_turned(p, rows) ? rows : p->kept - 1;
    return zc_tile_consecutive_along(p, along) < zc_tile_consecutive_along(p, last);
}

/* Finds the kept axis along which a turned load stays, so that tiles one after the other along it already have it. -1:
 * there is none. */
static int find_stay(const zc_tile_program *p)
{
    enum { LEAST_TILES = 8 };
    for (int a = p->kept - 2; a >= 0; a--) {
        if (p->shape[a] < LEAST_TILES)
            continue;
        for (int32_t access = 0; access < p->stage->access_count; access++) {
            const int64_t leap = zc_tile_load_stride(p, access, p->kept - 1);
            if (leap != 0 && leap != 1 && zc_tile_load_stride(p, access, a) == 0)
                return a;
        }
    }
    return -1;
}

/* Tells whether the stage reduces windows: loads are consecutive along results and along elements, since windows
 * overlap. */
static bool is_of_windows(const zc_tile_program *p)
{
    for (int32_t access = 0; access < p->stage->access_count; access++) {
        if (zc_tile_load_stride(p, access, p->kept - 1) == 1 && zc_tile_load_stride(p, access, p->rank - 1) == 1)
            return true;
    }
    return false;
}

static int64_t extent_of(const zc_tile_program *p, int axis)
{
    return axis < 0 ? 1 : p->shape[axis];
}

/* Tells truths that are computed and counted in a byte for each result. */
static bool counts_in_bytes(const zc_tile_program *p)
{
    return zc_tile_adds_truths(p) && p->rank - 1 == p->kept && p->shape[p->kept] <= UINT8_MAX &&
           p->stage->values[zc_stage_result(p->stage)->arg[0]].kind == ZC_VALUE_OP;
}

/* The most elements of a row that is joined for many results at once: positions of the greatest are found one by one,
 * operands that stay are turned once for all of them, and bytes take little memory. */
static int64_t most_of_row(const zc_tile_program *p)
{
    enum { SHORT = ZC_LANES - 1, SHORT_OF_INDEX = 63, SHORT_OF_PAIRS = 24, SHORT_OF_BYTES = 128 };
    if (zc_reduction_is_index(zc_stage_reduced(p->stage)->reduction))
        return SHORT_OF_INDEX;
    return find_stay(p) < 0 ? SHORT : counts_in_bytes(p) ? SHORT_OF_BYTES : SHORT_OF_PAIRS;
}

/* Takes what is one sum block where the results of a tile are more than the elements that other strategies join at a
 * time. Many columns, or many rows of them, are left to reduce_columns unless they are of windows, and rows that fill
 * the lanes to reduce_rows. */
static int cost(const zc_tile_program *p)
{
    enum { COST = 2, FEW_COLUMNS = 128, FEW_ROWS = 64 };
    if (!zc_tile_is_joined(p) || p->kept == 0 || zc_walked_count(p->stage) > ZC_LEAF)
        return ZC_STRATEGY_NONE;
    const int last = p->rank - 1, rows = find_rows(p);
    const bool is_single = last == p->kept;
    const int64_t columns = p->shape[p->kept - 1], length = p->shape[last];
    const int64_t run = is_single ? length : length * p->shape[last - 1]; /* proven: a sum block is small */
    const int64_t results = zc_smaller(zc_smaller(extent_of(p, rows), ZC_TILE) * zc_smaller(columns, ZC_TILE), ZC_TILE);
    bool takes;
    if (is_along_elements(p))
        takes = length <= most_of_row(p) && results > 4 * run;
    else
        takes = results > run &&
                (!is_single || is_of_windows(p) || (columns < FEW_COLUMNS && length <= FEW_ROWS && results > columns));
    return takes ? COST : ZC_STRATEGY_NONE;
}

/* Whole rows are the rows of a tile, for some columns of results. */
static void set_extents_of_rows(zc_tile_program *p)
{
    p->row_axis = p->rank - 1;
    p->rows = p->shape[p->row_axis];
    p->counts = counts_in_bytes(p);
    const int64_t most = zc_smaller((p->counts ? 8 : 2) * ZC_TILE / p->rows, zc_tile_fair_share(p, LEAST_ELEMENTS));
    p->columns = p->column_step =
        zc_smaller(p->shape[p->col_axis], zc_smaller(zc_larger(most, LEAST_ELEMENTS), ZC_TILE));
    p->joined = p->columns;
}

static void set_extents(zc_tile_program *p)
{
    const int64_t all_rows = extent_of(p, p->row_axis), all_columns = p->shape[p->col_axis];
    const int64_t most = zc_smaller(ZC_TILE, zc_tile_fair_share(p, LEAST_ELEMENTS));
    const bool turns = is_turned(p, p->row_axis);
    p->columns = p->column_step = zc_smaller(all_columns, turns ? TURNED_COLUMNS : most);
    const bool is_long = zc_tile_only_loads(p) && !turns && p->columns >= LONG_ROW;
    p->rows = is_long ? 1 : zc_smaller(all_rows, zc_larger(most / p->columns, 1));
    p->joined = p->rows * p->columns;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    p->col_axis = p->kept - 1;
    p->row_axis = find_rows(p);
    if (p->rank - 1 == p->kept && is_along_elements(p))
        set_extents_of_rows(p);
    else
        set_extents(p);
    zc_tile_make_loops(p, p->kept);
    const int stay = p->row_axis >= p->kept ? find_stay(p) : -1;
    if (stay >= 0)
        zc_tile_move_loop_to_end(p, stay);
    return zc_tile_prepare_blocks(p, arena) ? ZC_PREPARED : ZC_NOT_PREPARED;
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    return zc_tile_reduce_bytes(p, p->joined);
}

static void begin(zc_tile_worker *w)
{
    zc_tile_reduce_begin(w, w->program->joined);
}

/* The elements stay where they are when they are in no block, which is in memory, or in a lane. */
static void combine_tile(zc_tile_worker *w, zc_reducer *reducer)
{
    const char *row = zc_tile_evaluate(w, zc_reducer_room(reducer));
    const bool is_in_block = (uintptr_t)row - (uintptr_t)w->scratch < w->program->blocks.bytes;
    zc_reducer_row(reducer, row, !is_in_block && row != zc_reducer_room(reducer));
}

/* All elements of the results: there is one such tile. */
static void combine_rows(zc_tile_worker *w, zc_reducer *reducer)
{
    const char *elements = zc_tile_evaluate(w, NULL);
    if (zc_reduction_is_index(reducer->reduction)) {
        zc_reducer_rows(reducer, elements, w->columns * (int64_t)reducer->element, w->rows);
        return;
    }
    for (int64_t r = 0; r < w->rows; r++)
        zc_reducer_row(reducer, elements + (size_t)(r * w->columns) * reducer->element, true);
}

/* Counts the truths of the results: all of them are in the tile at hand. */
static void count_rows(zc_tile_worker *w, int64_t *counts)
{
    const zc_kernels *k = w->program->kernels;
    uint8_t sums[ZC_TILE] = {0};
    const char *truths = zc_tile_evaluate(w, NULL);
    for (int64_t r = 0; r < w->rows; r++)
        k->map[ZC_OP_ADD][ZC_UINT8](sums, sums, truths + r * w->columns, NULL, w->columns);
    k->cast[ZC_INT64][ZC_UINT8](counts, sums, NULL, NULL, w->columns);
}

static void run_unit(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    zc_tile_reduce *r = zc_tile_reduce_of(w);
    if (p->counts) {
        zc_tile_move(w, p->row_axis, 0);
        count_rows(w, (int64_t *)(void *)r->results);
        zc_tile_store_results(w, p->col_axis, r->results, r->numbers, w->columns);
    } else if (p->row_axis < p->kept) {
        zc_tile_reduce_group(w, combine_tile, w->rows * w->columns, 0, r->results, r->numbers);
        zc_tile_store_all_results(w, r->results, r->numbers);
    } else {
        zc_tile_reduce_group(w, combine_rows, w->columns, 0, r->results, r->numbers);
        zc_tile_store_results(w, p->col_axis, r->results, r->numbers, w->columns);
    }
}

const zc_strategy zc_strategy_reduce_tiles = {.name = "reduce_tiles",
                                              .cost = cost,
                                              .prepare = prepare,
                                              .scratch_bytes = scratch_bytes,
                                              .begin = begin,
                                              .run_unit = run_unit};
