/*
 * Contractions: products of matrices in all transpositions, of odd and of flat shapes, of batches, with vectors, of
 * narrow and of complex numbers.
 */
#include <math.h>

#include "bench/bench.h"

static int64_t side_of(int64_t n)
{
    return (int64_t)(sqrt((double)n) + 0.5);
}

static zc_tensor *square_of(const zc_tensor *x)
{
    return bench_table(x, side_of(zc_size(x)));
}

/* ---- Of square matrices ---- */

static bool product(bench_work *w)
{
    return bench_into(w, zc_matmul(square_of(w->side->x), square_of(w->side->y)));
}

static bool by_transposed(bench_work *w)
{
    return bench_into(w, zc_matmul(square_of(w->side->x), zc_matrix_transpose(square_of(w->side->y))));
}

static bool transposed_by(bench_work *w)
{
    return bench_into(w, zc_matmul(zc_matrix_transpose(square_of(w->side->x)), square_of(w->side->y)));
}

static bool both_transposed(bench_work *w)
{
    zc_tensor *a = zc_matrix_transpose(square_of(w->side->x)), *b = zc_matrix_transpose(square_of(w->side->y));
    return bench_into(w, zc_matmul(a, b));
}

static bool by_itself(bench_work *w)
{
    zc_tensor *a = square_of(w->side->x);
    return bench_into(w, zc_matmul(zc_matrix_transpose(a), a));
}

static bool widened(bench_work *w)
{
    zc_tensor *a = zc_astype(square_of(w->side->x), ZC_INT32), *b = zc_astype(square_of(w->side->y), ZC_INT32);
    return bench_into(w, zc_matmul(a, b));
}

/* A few rows by a layer's weights of int8, with a scale for each row of these. */
enum { FEW = 8 };

static bool quantized(bench_work *w)
{
    const int64_t side = side_of(w->n);
    zc_tensor *rows = zc_reshape(zc_slice(w->side->y, 0, 0, FEW * side, 1), ZC_SHAPE(FEW, side));
    zc_tensor *scale =
        zc_divide(zc_astype(zc_iota(w->side->ctx, side), ZC_FLOAT32), zc_weak_int(w->side->ctx, 1 << 26));
    zc_tensor *weights = zc_multiply(zc_astype(square_of(w->side->x), ZC_FLOAT32), zc_expand_dims(scale, 1));
    return bench_into(w, zc_matmul(zc_astype(rows, ZC_FLOAT32), zc_matrix_transpose(weights)));
}

/* ---- Of other shapes: tables of 64 columns or rows, batches of 64 by 64 ---- */

enum { SHORT = 64 };

static bool tall(bench_work *w)
{
    zc_tensor *b = bench_table(zc_slice(w->side->y, 0, 0, SHORT * SHORT, 1), SHORT);
    return bench_into(w, zc_matmul(bench_table(w->side->x, SHORT), b));
}

static bool flat(bench_work *w)
{
    zc_tensor *a = zc_reshape(w->side->x, ZC_SHAPE(SHORT, -1));
    return bench_into(w, zc_matmul(a, bench_table(w->side->y, SHORT)));
}

static bool batches(bench_work *w)
{
    zc_tensor *a = zc_reshape(w->side->x, ZC_SHAPE(-1, SHORT, SHORT));
    return bench_into(w, zc_matmul(a, zc_reshape(w->side->y, ZC_SHAPE(-1, SHORT, SHORT))));
}

static zc_tensor *vector(const bench_work *w)
{
    return zc_slice(w->side->y, 0, 0, side_of(w->n), 1);
}

static bool by_vector(bench_work *w)
{
    return bench_into(w, zc_matmul(square_of(w->side->x), vector(w)));
}

static bool vector_by(bench_work *w)
{
    return bench_into(w, zc_matmul(vector(w), square_of(w->side->x)));
}

static bool einsum_columns(bench_work *w)
{
    const zc_tensor *operands[] = {square_of(w->side->x), vector(w)};
    return bench_into(w, zc_einsum(w->side->ctx, "ij,i->j", 2, operands));
}

static bool dot(bench_work *w)
{
    return bench_into(w, zc_vecdot(w->side->x, w->side->y, -1));
}

static bool dot_of_columns(bench_work *w)
{
    const zc_tensor *operands[] = {bench_table(w->side->x, SHORT), bench_table(w->side->y, SHORT)};
    return bench_into(w, zc_einsum(w->side->ctx, "ik,ik->k", 2, operands));
}

/* As colours are mixed, and points moved. */
static bool by_few(bench_work *w)
{
    zc_tensor *few = zc_reshape(zc_slice(w->side->y, 0, 0, 16, 1), ZC_SHAPE(4, 4));
    return bench_into(w, zc_matmul(bench_table(w->side->x, 4), few));
}

/* Many small matrices, as of joints and of local coordinates. */
static bool small_by_small(bench_work *w)
{
    zc_tensor *a = zc_reshape(w->side->x, ZC_SHAPE(-1, 4, 4));
    return bench_into(w, zc_matmul(a, zc_reshape(w->side->y, ZC_SHAPE(-1, 4, 4))));
}

static bool small_by_vectors(bench_work *w)
{
    zc_tensor *a = zc_reshape(w->side->x, ZC_SHAPE(-1, 4, 4)), *v = zc_slice(w->side->y, 0, 0, w->n / 4, 1);
    return bench_into(w, zc_matmul(a, zc_reshape(v, ZC_SHAPE(-1, 4, 1))));
}

/* As pixels become grey. */
static bool weighted(bench_work *w)
{
    return bench_into(w, zc_matmul(bench_table(w->side->x, 4), zc_slice(w->side->y, 0, 0, 4, 1)));
}

/* As in the gradient of a regression on four features. */
static bool vector_by_tall(bench_work *w)
{
    return bench_into(w, zc_matmul(zc_slice(w->side->y, 0, 0, w->n / 4, 1), bench_table(w->side->x, 4)));
}

static bool dot_of_fourths(bench_work *w)
{
    return bench_into(w, zc_vecdot(zc_slice(w->side->x, 0, 0, ZC_NONE, 4), zc_slice(w->side->y, 0, 0, ZC_NONE, 4), -1));
}

/* ---- The table ---- */

static int64_t fourth(int64_t n)
{
    return n / 4;
}

static int64_t few_rows(int64_t n)
{
    return FEW * side_of(n);
}

static int64_t four(int64_t n)
{
    return n < 4 ? n : 4;
}

static int64_t one(int64_t n)
{
    return n < 1 ? n : 1;
}

static int64_t short_row(int64_t n)
{
    return n < 1 ? n : SHORT;
}

static int64_t short_square(int64_t n)
{
    return n < 1 ? n : SHORT * SHORT;
}

#define SQUARE(n) ((int64_t)(n) * (n))

static const int64_t square_sizes[] = {SQUARE(64),   SQUARE(128),  SQUARE(255),  SQUARE(256),  SQUARE(512),
                                       SQUARE(1000), SQUARE(1023), SQUARE(1024), SQUARE(2048), 0};
static const int64_t turned_sizes[] = {SQUARE(64), SQUARE(255), SQUARE(512), SQUARE(1024), 0};
static const int64_t narrow_sizes[] = {SQUARE(64), SQUARE(512), 0};
static const int64_t layer_sizes[] = {SQUARE(512), SQUARE(4096), 0};
static const int64_t flat_sizes[] = {16 * KI, 256 * KI, 4 * MI, 0};
static const int64_t batch_sizes[] = {16 * KI, 256 * KI, 4 * MI, 0};
static const int64_t vector_sizes[] = {SQUARE(64), SQUARE(256), SQUARE(1000), SQUARE(4096), 0};
static const int64_t einsum_sizes[] = {SQUARE(64), SQUARE(2000), 0};
static const int64_t dot_sizes[] = {4 * KI, MI, 0};

static const bench_bound square_bounds[] = {
    {SQUARE(64), NUMPY, 1.3, .threads = 1},   {SQUARE(128), NUMPY, 1.3, .threads = 1},
    {SQUARE(255), NUMPY, 1.1, .threads = 1},  {SQUARE(256), NUMPY, 1.1, .threads = 1},
    {SQUARE(512), NUMPY, 1.1, .threads = 1},  {SQUARE(1000), NUMPY, 1.1, .threads = 1},
    {SQUARE(1023), NUMPY, 1.1, .threads = 1}, {SQUARE(1024), NUMPY, 1.1, .threads = 1},
    {SQUARE(2048), NUMPY, 1.1, .threads = 1}, {.most = 0}};
static const bench_bound flat_bounds[] = {{0, NUMPY, 1.1, .threads = 1}, {.most = 0}};
static const bench_bound batch_bounds[] = {{0, NUMPY, 1.2, .threads = 1}, {.most = 0}};
static const bench_bound vector_bounds[] = {{SQUARE(64), NUMPY, 1.5, .threads = 1},
                                            {SQUARE(256), NUMPY, 1.5, .threads = 1},
                                            {SQUARE(1000), NUMPY, 1.1, .threads = 1},
                                            {SQUARE(4096), NUMPY, 1.1, .threads = 1},
                                            {.most = 0}};
static const bench_bound narrow_bounds[] = {{0, NUMPY, 0.2, .threads = 1}, {0, XLA, 1.0, .threads = 1}, {.most = 0}};
static const bench_bound peer_bounds[] = {{0, FASTER_PEER, 1.0, .threads = 1}, {.most = 0}};

/* Rounding grows with the terms: the tolerance is for 2048 of them. */
#define PRODUCT(case_name, function, peer_name, size, bound, type, near)                                               \
    {                                                                                                                  \
        .name = (case_name ", " type), .ours = (function), .sizes = (size), .bounds = (bound), .peer = (peer_name),    \
        .dtype = (type), .peer_tolerance = (near), .threads = true, .slow = true                                       \
    }
#define RESULTING(case_name, function, peer_name, size, bound, type, near, count)                                      \
    {                                                                                                                  \
        .name = (case_name ", " type), .ours = (function), .sizes = (size), .bounds = (bound), .peer = (peer_name),    \
        .dtype = (type), .peer_tolerance = (near), .results = (count), .threads = true, .slow = true                   \
    }
#define BOTH(kind, ...) kind(__VA_ARGS__, "float32", 2e-4), kind(__VA_ARGS__, "float64", 1e-11)
#define BOTH_RESULTING(count, ...)                                                                                     \
    RESULTING(__VA_ARGS__, "float32", 2e-4, count), RESULTING(__VA_ARGS__, "float64", 1e-11, count)

const bench_case product_cases[] = {
    BOTH(PRODUCT, "A @ B", product, "product", square_sizes, square_bounds),
    BOTH(PRODUCT, "A @ B.T", by_transposed, "by_transposed", turned_sizes, square_bounds),
    BOTH(PRODUCT, "A.T @ B", transposed_by, "transposed_by", turned_sizes, square_bounds),
    BOTH(PRODUCT, "A.T @ B.T", both_transposed, "both_transposed", turned_sizes, square_bounds),
    BOTH(PRODUCT, "A.T @ A", by_itself, "by_itself", turned_sizes, square_bounds),
    BOTH(PRODUCT, "tall: (n, 64) @ (64, 64)", tall, "tall", flat_sizes, flat_bounds),
    BOTH_RESULTING(short_square, "flat: (64, n) @ (n, 64)", flat, "flat", flat_sizes, flat_bounds),
    BOTH(PRODUCT, "batches of (64, 64) @ (64, 64)", batches, "batches", batch_sizes, batch_bounds),
    BOTH_RESULTING(side_of, "A @ v", by_vector, "by_vector", vector_sizes, vector_bounds),
    BOTH_RESULTING(side_of, "v @ A", vector_by, "vector_by", vector_sizes, vector_bounds),
    BOTH_RESULTING(side_of, "einsum ij,i->j", einsum_columns, "einsum_columns", einsum_sizes, peer_bounds),
    BOTH_RESULTING(one, "vecdot", dot, "dot", dot_sizes, flat_bounds),
    RESULTING("vecdot", dot, "dot", dot_sizes, peer_bounds, "int8", 0, one),
    RESULTING("vecdot", dot, "dot", dot_sizes, peer_bounds, "int32", 0, one),
    RESULTING("vecdot", dot, "dot", dot_sizes, peer_bounds, "complex64", 2e-4, one),
    RESULTING("vecdot", dot, "dot", dot_sizes, peer_bounds, "complex128", 1e-11, one),
    BOTH_RESULTING(short_row, "einsum ik,ik->k, rows of 64", dot_of_columns, "dot_of_columns", flat_sizes, peer_bounds),
    BOTH(PRODUCT, "narrow: (n, 4) @ (4, 4)", by_few, "by_few", flat_sizes, peer_bounds),
    BOTH(PRODUCT, "batches of (4, 4) @ (4, 4)", small_by_small, "small_by_small", flat_sizes, peer_bounds),
    BOTH_RESULTING(fourth, "batches of (4, 4) @ (4, 1)", small_by_vectors, "small_by_vectors", flat_sizes, peer_bounds),
    BOTH_RESULTING(fourth, "weighted: (n, 4) @ (4,)", weighted, "weighted", flat_sizes, peer_bounds),
    BOTH_RESULTING(four, "v @ (n, 4)", vector_by_tall, "vector_by_tall", flat_sizes, peer_bounds),
    BOTH_RESULTING(one, "vecdot of every fourth", dot_of_fourths, "dot_of_fourths", dot_sizes, peer_bounds),
    PRODUCT("A @ B", product, "product", narrow_sizes, narrow_bounds, "float16", 1e-2),
    PRODUCT("A @ B", product, "product", narrow_sizes, narrow_bounds, "bfloat16", 5e-2),
    {.name = "A @ B, int8 to int32",
     .ours = widened,
     .sizes = narrow_sizes,
     .bounds = narrow_bounds,
     .peer = "widened",
     .dtype = "int8",
     .result = "int32",
     .threads = true,
     .slow = true},
    {.name = "8 rows by int8 weights with scales",
     .ours = quantized,
     .sizes = layer_sizes,
     .bounds = peer_bounds,
     .peer = "quantized",
     .dtype = "int8",
     .result = "float32",
     .results = few_rows,
     .peer_tolerance = 2e-4,
     .threads = true,
     .slow = true},
    PRODUCT("A @ B", product, "product", narrow_sizes, peer_bounds, "complex64", 2e-4),
    PRODUCT("A @ B", product, "product", narrow_sizes, peer_bounds, "complex128", 1e-11),
    {.name = NULL},
};
