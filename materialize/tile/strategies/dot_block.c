/*
 * Computes sums over pairs of rows, four rows and four others at a time in vector registers. Pair by pair, each row
 * would be loaded again for every other one.
 */
#include "materialize/stages/reduce_finalize.h"
#include "materialize/tile/program/dots.h"
#include "materialize/tile/program/reduce.h"
#include "materialize/tile/program/store.h"
#include "materialize/tile/program/strategy.h"

#include <string.h>

/* Shorter rows that do not fill their lanes evenly spend too much time on the remainder. */
enum { AT_ONCE = ZC_DOT_BLOCK_ROWS * ZC_DOT_BLOCK_ROWS, LEAST_RAGGED_LENGTH = 2 * ZC_LANES };

static int cost(const zc_tile_program *p)
{
    enum { COST = 1 };
    zc_tile_dots dots;
    if (!zc_tile_find_dots(p, &dots) || p->kernels->row_dot[dots.kind][dots.dtype] == NULL)
        return ZC_STRATEGY_NONE;
    if (p->shape[dots.row_axis] < ZC_DOT_BLOCK_ROWS || p->shape[dots.col_axis] < ZC_DOT_BLOCK_ROWS)
        return ZC_STRATEGY_NONE;
    bool is_worth_it = dots.length >= LEAST_RAGGED_LENGTH || dots.length % ZC_LANES == 0;
    return is_worth_it ? COST : ZC_STRATEGY_NONE;
}

static zc_preparation prepare(zc_tile_program *p, zc_arena *arena)
{
    zc_tile_dots *dots = zc_arena_take(arena, 1, sizeof *dots);
    if (dots == NULL)
        return ZC_NOT_PREPARED;
    (void)zc_tile_find_dots(p, dots); /* as cost() has found */
    p->own = dots;
    p->row_axis = dots->row_axis;
    p->col_axis = dots->col_axis;
    p->is_streamed = zc_tile_should_stream(p);
    p->rows = ZC_DOT_BLOCK_ROWS;
    p->columns = p->column_step = zc_smaller(ZC_TILE / ZC_DOT_BLOCK_ROWS, p->shape[p->col_axis]);
    p->joined = AT_ONCE;
    zc_tile_make_loops(p, p->kept);
    return ZC_PREPARED;
}

static size_t scratch_bytes(const zc_tile_program *p)
{
    return zc_tile_reduce_bytes(p, p->rows * p->columns);
}

static void begin(zc_tile_worker *w)
{
    zc_tile_reduce_begin(w, w->program->rows * w->program->columns);
}

/* Finds four rows from `at` on; where the list ends before, repeats the first of the four. */
static void take_four(const zc_tile_row_list *list, int64_t at, const char **rows)
{
    for (int64_t r = 0; r < ZC_DOT_BLOCK_ROWS; r++)
        rows[r] = list->first + (at + r < list->count ? at + r : at) * list->step;
}

/* The sums of four by four pairs, by sum blocks where the rows are longer than one. */
static void reduce_block(zc_tile_worker *w, const zc_tile_dots *dots, const char **x, const char **y, void *out)
{
    zc_row_dot_kernel *pair = w->program->kernels->row_dot[dots->kind][dots->dtype];
    zc_reducer *reducer = &zc_tile_reduce_of(w)->reducer;
    const size_t block_bytes = ZC_LEAF * reducer->item;
    if (dots->length <= ZC_LEAF) {
        pair(out, (const void *const *)x, (const void *const *)y, dots->length, reducer->padding.bytes);
        return;
    }
    zc_reducer_begin(reducer, AT_ONCE, 0);
    for (int64_t at = 0; at < dots->length; at += ZC_LEAF) {
        int64_t n = zc_smaller(ZC_LEAF, dots->length - at);
        pair(out, (const void *const *)x, (const void *const *)y, n, reducer->padding.bytes);
        zc_reducer_joined(reducer, out, NULL, n);
        for (int r = 0; r < ZC_DOT_BLOCK_ROWS; r++) {
            x[r] += block_bytes;
            y[r] += block_bytes;
        }
    }
    zc_reducer_end(reducer, out, NULL);
}

static void run_unit(zc_tile_worker *w)
{
    const zc_tile_program *p = w->program;
    const zc_tile_dots *dots = p->own;
    const zc_tile_row_list left = zc_tile_left_rows(w, dots), right = zc_tile_right_rows(w, dots);
    const size_t item = zc_dtype_bytes(dots->dtype), row_bytes = (size_t)w->columns * item;
    const char *x[ZC_DOT_BLOCK_ROWS], *y[ZC_DOT_BLOCK_ROWS];
    char *results = zc_tile_reduce_of(w)->results;
    _Alignas(ZC_DATA_ALIGNMENT) char block[AT_ONCE * sizeof(zc_scalar)];
    for (int64_t c = 0; c < w->columns; c += ZC_DOT_BLOCK_ROWS) {
        int64_t count = zc_smaller(ZC_DOT_BLOCK_ROWS, w->columns - c);
        take_four(&left, 0, x);
        take_four(&right, c, y);
        reduce_block(w, dots, x, y, block);
        for (int64_t r = 0; r < w->rows; r++)
            memcpy(results + (size_t)r * row_bytes + (size_t)c * item, block + (size_t)(r * ZC_DOT_BLOCK_ROWS) * item,
                   (size_t)count * item);
    }
    zc_finalize(p->stage, results, NULL, results, w->rows * w->columns);
    for (int64_t r = 0; r < w->rows; r++)
        zc_tile_store_run(w, zc_tile_row_address(w, r), results + (size_t)r * row_bytes,
                          zc_tile_store_stride(p, p->col_axis), w->columns);
    zc_tile_count_dots(w, dots);
}

const zc_strategy zc_strategy_dot_block = {.name = "dot_block",
                                           .cost = cost,
                                           .prepare = prepare,
                                           .scratch_bytes = scratch_bytes,
                                           .begin = begin,
                                           .run_unit = run_unit};
