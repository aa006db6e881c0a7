/*
 * Layout: what only moves elements, next to loops written by hand and to memcpy of as many bytes.
 */
#include <math.h>

#include "bench/hand.h"

static bool transpose(bench_work *w)
{
    int64_t side = (int64_t)sqrt((double)w->n);
    return bench_into(w, zc_matrix_transpose(zc_reshape(w->side->x, ZC_SHAPE(side, side))));
}

static bool transpose_ragged(bench_work *w)
{
    int64_t rows = (int64_t)sqrt((double)w->n + 81) - 9; /* n is r * (r + 18) */
    return bench_into(w, zc_matrix_transpose(zc_reshape(w->side->x, ZC_SHAPE(rows, -1))));
}

static bool concat(bench_work *w)
{
    const zc_tensor *halves[] = {zc_slice(w->side->x, 0, 0, w->n / 2, 1), zc_slice(w->side->x, 0, w->n / 2, w->n, 1)};
    return bench_into(w, zc_concat(w->side->ctx, 2, halves, 0));
}

static bool concat_columns(bench_work *w)
{
    int64_t columns = bench_columns(w->n) / 2;
    const zc_tensor *tables[] = {
        zc_reshape(zc_slice(w->side->x, 0, 0, w->n / 2, 1), ZC_SHAPE(-1, columns)),
        zc_reshape(zc_slice(w->side->y, 0, 0, w->n / 2, 1), ZC_SHAPE(-1, columns)),
    };
    return bench_into(w, zc_concat(w->side->ctx, 2, tables, 1));
}

static bool pad(bench_work *w)
{
    int64_t columns = bench_columns(w->n), rows = w->n / columns, inner = (rows - 2) * (columns - 2);
    zc_tensor *x = zc_reshape(zc_slice(w->side->x, 0, 0, inner, 1), ZC_SHAPE(rows - 2, columns - 2));
    static const int64_t frame[] = {1, 1};
    return bench_into(w, zc_pad(x, 2, frame, frame, ZC_PAD_CONSTANT, NULL));
}

static bool every_second(bench_work *w)
{
    return bench_into(w, zc_slice(w->side->x, 0, 0, w->n, 2));
}

static bool reversed(bench_work *w)
{
    return bench_into(w, zc_flip(w->side->x, ZC_AXES(0)));
}

/* ---- The table ---- */

static int64_t half(int64_t n)
{
    return n / 2;
}

static const int64_t square_sizes[] = {64 * KI, 4 * MI, 64 * MI, 0};
static const int64_t moved_sizes[] = {16, 256, 4 * KI, 64 * KI, 4 * MI, 64 * MI, 0};
static const int64_t padded_sizes[] = {4 * KI, 64 * KI, 4 * MI, 64 * MI, 0}; /* rows of 1024 */
static const int64_t square_sizes_f64[] = {64 * KI, 4 * MI, 16 * MI, 0};
static const int64_t ragged_sizes[] = {191 * 209, 2047 * 2065, INT64_C(8191) * 8209, 0};

static const bench_bound aligned_bounds[] = {{64 * MI, SECOND, 1.3, .threads = 1}, {.most = 0}};
static const bench_bound f64_bounds[] = {{16 * MI, SECOND, 1.3, .threads = 1}, {.most = 0}};
static const bench_bound ragged_bounds[] = {{INT64_C(8191) * 8209, FIRST, 1.0, .threads = 1}, {.most = 0}};

#define MEMCPY                                                                                                         \
    {                                                                                                                  \
        "memcpy", hand_copy, .yardstick = true                                                                         \
    }

const bench_case layout_cases[] = {
    {.name = "transpose",
     .ours = transpose,
     .references = {{"naive", .run = hand_transpose}, MEMCPY, {"tiles", .run = hand_transpose_tiles}},
     .sizes = square_sizes,
     .bounds = aligned_bounds,
     .peer = "transpose",
     .threads = true},
    {.name = "transpose float64",
     .ours = transpose,
     .references = {{"naive", .run = hand_transpose_f64}, MEMCPY, {"tiles", .run = hand_transpose_f64_tiles}},
     .sizes = square_sizes_f64,
     .bounds = f64_bounds,
     .dtype = "float64",
     .threads = true},
    {.name = "transpose, odd sides",
     .ours = transpose_ragged,
     .references = {{"naive", .run = hand_transpose_ragged}, MEMCPY},
     .sizes = ragged_sizes,
     .bounds = ragged_bounds,
     .threads = true},
    {.name = "concat",
     .ours = concat,
     .references = {{"memcpy", .run = hand_copy}},
     .sizes = moved_sizes,
     .peer = "concat"},
    {.name = "concat of columns",
     .ours = concat_columns,
     .references = {{"memcpy by rows", .run = hand_concat_columns}, MEMCPY},
     .sizes = moved_sizes},
    {.name = "pad",
     .ours = pad,
     .references = {{"memcpy by rows", .run = hand_pad}, MEMCPY},
     .sizes = padded_sizes,
     .peer = "pad"},
    {.name = "every second element",
     .ours = every_second,
     .references = {{"a loop", .run = hand_every_second}},
     .results = half,
     .sizes = moved_sizes},
    {.name = "reversed",
     .ours = reversed,
     .references = {{"a loop", .run = hand_reversed}, MEMCPY},
     .sizes = moved_sizes},
    {.name = NULL},
};
