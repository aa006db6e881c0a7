/*
 * Reductions: sums of everything and along each axis, softmax, distances of all pairs of rows.
 */
#include <math.h>

#include "bench/hand.h"

static bool sum(bench_work *w)
{
    return bench_into(w, zc_sum(w->side->x, ZC_ALL_AXES, false));
}

static zc_tensor *table(const bench_work *w)
{
    return zc_reshape(w->side->x, ZC_SHAPE(-1, bench_columns(w->n)));
}

static bool sum_first(bench_work *w)
{
    return bench_into(w, zc_sum(table(w), ZC_AXES(0), false));
}

static bool sum_middle(bench_work *w)
{
    return bench_into(w, zc_sum(zc_reshape(w->side->x, ZC_SHAPE(-1, 256, 256)), ZC_AXES(1), false));
}

static bool sum_last(bench_work *w)
{
    return bench_into(w, zc_sum(table(w), ZC_AXES(1), false));
}

static bool softmax(bench_work *w)
{
    return bench_into(w, zc_softmax(table(w), -1));
}

static bool distances(bench_work *w, int64_t depth)
{
    int64_t rows = (int64_t)sqrt((double)w->n);
    zc_tensor *x = zc_reshape(zc_slice(w->side->x, 0, 0, rows * depth, 1), ZC_SHAPE(rows, depth));
    return bench_into(w, zc_sum(zc_square(zc_subtract(zc_expand_dims(x, 1), x)), ZC_AXES(2), false));
}

static bool distances8(bench_work *w)
{
    return distances(w, 8);
}

static bool distances16(bench_work *w)
{
    return distances(w, 16);
}

static bool distances64(bench_work *w)
{
    return distances(w, 64);
}

/* ---- The table ---- */

static int64_t one(int64_t n)
{
    return n < 1 ? n : 1;
}

static int64_t per_middle(int64_t n)
{
    return n / 256;
}

static int64_t per_row(int64_t n)
{
    return n / bench_columns(n);
}

static const int64_t sum_sizes[] = {16, 256, 4 * KI, 256 * KI, 4 * MI, 64 * MI, 0};
static const int64_t table_sizes[] = {16, 256, 4 * KI, 64 * KI, 256 * KI, 4 * MI, 16 * MI, 64 * MI, 0};
static const int64_t middle_sizes[] = {64 * KI, 4 * MI, 64 * MI, 0}; /* whole tables of 256 by 256 */
static const int64_t pair_sizes[] = {64 * KI, 4 * MI, 64 * MI, 0};   /* 256, 2048 and 8192 rows */

static const bench_bound sum_bounds[] = {{64 * MI, FIRST, 0.8, .threads = 1}, {.most = 0}};
static const bench_bound pair_bounds[] = {
    {64 * MI, FIRST, 1.15, .threads = 1}, {64 * MI, NUMPY, 1 / 30.0, .threads = 1}, {.most = 0}};

static const bench_bound softmax_bounds[] = {
    {256 * KI, XLA, 0.9, .threads = 1}, {16 * MI, XLA, 0.9, .threads = 1}, {.most = 0}};

#define SUM(case_name, function, size, result, bound)                                                                  \
    {                                                                                                                  \
        .name = (case_name), .ours = (function), .references = {{"one stream", .run = hand_##function}},               \
        .results = (result), .sizes = (size), .bounds = (bound), .peer = #function, .tolerance = 1e-4,                 \
        .peer_tolerance = 1e-4, .threads = true                                                                        \
    }

#define PAIRS(depth, peer_name)                                                                                        \
    {                                                                                                                  \
        .name = "distances of all rows of " #depth, .ours = distances##depth,                                          \
        .references = {{"eight rows at a time", .run = hand_distances##depth}}, .sizes = pair_sizes,                   \
        .bounds = pair_bounds, .peer = (peer_name), .tolerance = 1e-5, .peer_tolerance = 1e-5,                         \
        .peer_memory = 3 * (depth) + 2, .lean = true, .threads = true                                                  \
    }

const bench_case reduction_cases[] = {
    SUM("sum", sum, sum_sizes, one, sum_bounds),
    SUM("sum along the first of two axes", sum_first, table_sizes, bench_columns, NULL),
    SUM("sum along the middle of three axes", sum_middle, middle_sizes, per_middle, NULL),
    SUM("sum along the last of two axes", sum_last, table_sizes, per_row, NULL),
    {.name = "softmax of rows",
     .ours = softmax,
     .references = {{"row by row", .run = hand_softmax}},
     .sizes = table_sizes,
     .bounds = softmax_bounds,
     .peer = "softmax",
     .tolerance = 1e-6,
     .peer_tolerance = 1e-6,
     .threads = true},
    PAIRS(8, "distances8"),
    PAIRS(16, "distances16"),
    PAIRS(64, "distances64"),
    {.name = NULL},
};
