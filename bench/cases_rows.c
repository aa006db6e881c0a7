/*
 * What models do with rows and columns of a table: norms, softmax and its kin, variances, attention.
 */
#include "bench/bench.h"

static zc_tensor *table(const bench_work *w)
{
    return bench_table(w->side->x, bench_columns(w->n));
}

static bool log_softmax(bench_work *w)
{
    return bench_into(w, zc_log_softmax(table(w), -1));
}

static bool softmax64(bench_work *w)
{
    return bench_into(w, zc_softmax(table(w), -1));
}

static bool softmax_columns(bench_work *w)
{
    return bench_into(w, zc_softmax(table(w), 0));
}

static bool logsumexp(bench_work *w)
{
    return bench_into(w, zc_logsumexp(table(w), ZC_AXES(1), false));
}

static bool var_rows(bench_work *w)
{
    return bench_into(w, zc_var(table(w), ZC_AXES(1), 0, false));
}

static bool var_columns(bench_work *w)
{
    return bench_into(w, zc_var(table(w), ZC_AXES(0), 0, false));
}

static bool std_rows(bench_work *w)
{
    return bench_into(w, zc_std(table(w), ZC_AXES(1), 0, false));
}

/* (x - mean) / sqrt(var + 1e-5) * weight + bias */
static bool layer_norm(bench_work *w)
{
    int64_t columns = bench_columns(w->n);
    zc_tensor *x = table(w), *y = w->side->y;
    zc_tensor *mean = zc_mean(x, ZC_AXES(1), true), *var = zc_var(x, ZC_AXES(1), 0, true);
    zc_tensor *normal = zc_divide(zc_subtract(x, mean), zc_sqrt(zc_add(var, bench_weak(w, 1e-5))));
    zc_tensor *weight = zc_slice(y, 0, 0, columns, 1), *bias = zc_slice(y, 0, w->n - columns, w->n, 1);
    return bench_into(w, zc_add(zc_multiply(normal, weight), bias));
}

/* x / sqrt(mean(x * x) + 1e-5) * weight */
static bool rms_norm(bench_work *w)
{
    zc_tensor *x = table(w), *weight = zc_slice(w->side->y, 0, 0, bench_columns(w->n), 1);
    zc_tensor *square = zc_mean(zc_square(x), ZC_AXES(1), true);
    return bench_into(w, zc_multiply(zc_divide(x, zc_sqrt(zc_add(square, bench_weak(w, 1e-5)))), weight));
}

/* softmax(q @ k.T / 8) @ v, heads of 64, twice as many positions for four times as many elements */
static bool attention(bench_work *w)
{
    int64_t heads = w->n >= 512 * KI ? 16 : 2, places = w->n / heads / 64;
    zc_tensor *q = zc_reshape(w->side->x, ZC_SHAPE(heads, places, 64));
    zc_tensor *k = zc_reshape(w->side->y, ZC_SHAPE(heads, places, 64));
    zc_tensor *scores = zc_multiply(zc_matmul(q, zc_matrix_transpose(k)), bench_weak(w, 0.125));
    return bench_into(w, zc_matmul(zc_softmax(scores, -1), k));
}

/* ---- The table ---- */

static int64_t rows(int64_t n)
{
    return n / bench_columns(n);
}

static const int64_t sizes[] = {4 * KI, 256 * KI, 16 * MI, 0};
static const int64_t attention_sizes[] = {8 * KI, 512 * KI, 2 * MI, 0};

static const bench_bound bounds[] = {{0, XLA, 0.9, .threads = 1}, {.most = 0}};
static const bench_bound attention_bounds[] = {{0, XLA, 1.0, .threads = 1}, {.most = 0}};

#define IN_BOTH_32(case_name, function, count, size, bound)                                                            \
    {                                                                                                                  \
        .name = (case_name ", float32"), .ours = (function), .results = (count), .sizes = (size), .bounds = (bound),   \
        .peer = #function, .peer_tolerance = 1e-4, .threads = true, .slow = true                                       \
    }
#define IN_BOTH_64(case_name, function, count, size, bound)                                                            \
    {                                                                                                                  \
        .name = (case_name ", float64"), .ours = (function), .results = (count), .sizes = (size), .bounds = (bound),   \
        .peer = #function, .dtype = "float64", .peer_tolerance = 1e-11, .threads = true, .slow = true                  \
    }
#define IN_BOTH(case_name, function, count, size, bound)                                                               \
    IN_BOTH_32(case_name, function, count, size, bound), IN_BOTH_64(case_name, function, count, size, bound)

const bench_case row_cases[] = {
    {.name = "softmax of rows, float64",
     .ours = softmax64,
     .sizes = sizes,
     .bounds = bounds,
     .peer = "softmax",
     .dtype = "float64",
     .peer_tolerance = 1e-12,
     .threads = true},
    IN_BOTH("softmax of columns", softmax_columns, NULL, sizes, bounds),
    IN_BOTH("log_softmax of rows", log_softmax, NULL, sizes, bounds),
    IN_BOTH("logsumexp of rows", logsumexp, rows, sizes, bounds),
    IN_BOTH("var of rows", var_rows, rows, sizes, bounds),
    IN_BOTH("var of columns", var_columns, bench_columns, sizes, bounds),
    IN_BOTH("std of rows", std_rows, rows, sizes, bounds),
    IN_BOTH("layer norm with its statistics", layer_norm, NULL, sizes, bounds),
    IN_BOTH("rms norm", rms_norm, NULL, sizes, bounds),
    IN_BOTH("attention, heads of 64", attention, NULL, attention_sizes, attention_bounds),
    {.name = NULL},
};
