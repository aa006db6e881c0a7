/*
 * Reductions over all pairs of points: n elements of x and y are points of 3, 16 or 64 coordinates. The matrix of all
 * pairs, which the expressions name, is not to be in memory.
 */
#include <math.h>

#include "bench/hand.h"

static zc_tensor *points(const zc_tensor *t, int64_t n, int64_t depth)
{
    return bench_table(zc_slice(t, 0, 0, n, 1), depth);
}

/* x[:, None] - y */
static zc_tensor *differences(const bench_work *w, int64_t depth)
{
    zc_tensor *x = zc_expand_dims(points(w->side->x, w->n, depth), 1);
    return zc_subtract(x, points(w->side->y, w->n, depth));
}

static zc_tensor *squares(const bench_work *w, int64_t depth)
{
    return zc_sum(zc_square(differences(w, depth)), ZC_AXES(2), false);
}

static zc_tensor *kernel(const bench_work *w, int64_t depth)
{
    return zc_exp(zc_negative(squares(w, depth)));
}

/* A number for each point of y. */
static zc_tensor *weights(const bench_work *w, int64_t depth)
{
    return zc_slice(w->side->x, 0, 0, w->n / depth, 1);
}

static bool smoothed(bench_work *w, int64_t depth)
{
    return bench_into(w, zc_matmul(kernel(w, depth), weights(w, depth)));
}

static bool density(bench_work *w, int64_t depth)
{
    return bench_into(w, zc_sum(kernel(w, depth), ZC_AXES(1), false));
}

static bool nearest(bench_work *w, int64_t depth)
{
    return bench_into(w, zc_argmin(squares(w, depth), ZC_AXES(1), false));
}

static bool distance(bench_work *w, int64_t depth)
{
    return bench_into(w, zc_min(squares(w, depth), ZC_AXES(1), false));
}

static bool pair_loss(bench_work *w, int64_t depth)
{
    return bench_into(w, zc_reshape(zc_mean(kernel(w, depth), ZC_ALL_AXES, false), ZC_SHAPE(1)));
}

static bool log_density(bench_work *w, int64_t depth)
{
    return bench_into(w, zc_logsumexp(zc_negative(squares(w, depth)), ZC_AXES(1), false));
}

static bool soft_nearest(bench_work *w, int64_t depth)
{
    return bench_into(w, zc_matmul(zc_softmax(zc_negative(squares(w, depth)), 1), weights(w, depth)));
}

static bool spread(bench_work *w, int64_t depth)
{
    return bench_into(w, zc_std(squares(w, depth), ZC_AXES(1), 0, false));
}

static bool laplacian(bench_work *w, int64_t depth)
{
    zc_tensor *sums = zc_sum(zc_abs(differences(w, depth)), ZC_AXES(2), false);
    return bench_into(w, zc_sum(zc_exp(zc_negative(sums)), ZC_AXES(1), false));
}

/* The distances of the ten nearest. */
static bool ten_nearest(bench_work *w, int64_t depth)
{
    enum { COUNT = 10 };
    zc_tensor *values = NULL, *indices = NULL;
    return zc_top_k(squares(w, depth), COUNT, 1, false, &values, &indices) == ZC_OK && bench_into(w, values);
}

/* Differentiates the sum of the kernel by x. */
static bool pair_gradient(bench_work *w, int64_t depth)
{
    zc_tensor *x = zc_variable(points(w->side->x, w->n, depth)), *y = points(w->side->y, w->n, depth);
    zc_tensor *apart = zc_square(zc_subtract(zc_expand_dims(x, 1), y));
    zc_tensor *all = zc_exp(zc_negative(zc_sum(apart, ZC_AXES(2), false)));
    return bench_into(w, zc_grad(zc_sum(all, ZC_ALL_AXES, false), x));
}

/* ---- The table ---- */

#define EACH_CASE(f)                                                                                                   \
    f(smoothed) f(density) f(nearest) f(distance) f(pair_loss) f(log_density) f(soft_nearest) f(spread) f(laplacian)   \
        f(ten_nearest) f(pair_gradient)
#define OF_DEPTH(function, depth)                                                                                      \
    static bool function##_##depth(bench_work *w)                                                                      \
    {                                                                                                                  \
        return function(w, depth);                                                                                     \
    }
#define OF_EACH_DEPTH(function) OF_DEPTH(function, 3) OF_DEPTH(function, 16) OF_DEPTH(function, 64)

EACH_CASE(OF_EACH_DEPTH)

#define TABLE_OF(depth)                                                                                                \
    static int64_t count_##depth(int64_t n)                                                                            \
    {                                                                                                                  \
        return n / (depth);                                                                                            \
    }                                                                                                                  \
    static int64_t ten_of_##depth(int64_t n)                                                                           \
    {                                                                                                                  \
        return n / (depth)*10;                                                                                         \
    }                                                                                                                  \
    static const int64_t sizes_##depth[] = {500 * (depth), 10000 * (depth), 0};

TABLE_OF(3)
TABLE_OF(16)
TABLE_OF(64)

static int64_t one(int64_t n)
{
    return n < 1 ? n : 1;
}

enum { BESIDE = 2 * MI };

static const bench_bound plain_bounds[] = {
    {0, FIRST, 1.2, .threads = 1}, {0, FASTER_PEER, 1.0, .threads = 0}, {.most = 0}};
static const bench_bound exp_bounds[] = {
    {0, FIRST, 1.4, .threads = 1}, {0, FASTER_PEER, 1.0, .threads = 0}, {.most = 0}};
static const bench_bound peer_bounds[] = {{0, FASTER_PEER, 1.0, .threads = 0}, {.most = 0}};

#define PAIRS(case_name, function, depth, type, count, bound, near, ...)                                               \
    {                                                                                                                  \
        .name = (case_name " of " #depth ", " type), .ours = function##_##depth, .results = (count),                   \
        .sizes = sizes_##depth, .bounds = (bound), .peer = #function "_" #depth, .dtype = (type),                      \
        .peer_tolerance = (near), .peer_memory = 64, .threads = true, .shared_from = 10000 * (depth),                  \
        .beside = BESIDE, .slow = true, __VA_ARGS__                                                                    \
    }
#define BY_HAND(name) .tolerance = 1e-4, .references = {{"blocks of eight rows", .run = (name)}}
/* Distances that differ by their last bit are of another point. */
#define OF_NUMBERS(name) .references = {{"blocks of eight rows", .run = (name), .yardstick = true}}, .result = "int64"
#define WITH_HAND(case_name, function, depth, bound)                                                                   \
    PAIRS(case_name, function, depth, "float32", count_##depth, bound, 1e-3, BY_HAND(hand_##function##_##depth))
#define BESIDE_PEERS(case_name, function, depth, count)                                                                \
    PAIRS(case_name, function, depth, "float32", count, peer_bounds, 1e-3, .tolerance = 0)
#define WIDE(case_name, function, depth)                                                                               \
    PAIRS(case_name, function, depth, "float64", count_##depth, peer_bounds, 1e-9, .tolerance = 0)

#define SUMS_OF(depth)                                                                                                 \
    WITH_HAND("exp(-d) @ b", smoothed, depth, exp_bounds), WITH_HAND("sum of exp(-d)", density, depth, exp_bounds),    \
        BESIDE_PEERS("mean of all exp(-d)", pair_loss, depth, one),                                                    \
        BESIDE_PEERS("logsumexp of -d", log_density, depth, count_##depth),                                            \
        BESIDE_PEERS("softmax of -d @ b", soft_nearest, depth, count_##depth),                                         \
        BESIDE_PEERS("std of d", spread, depth, count_##depth),                                                        \
        BESIDE_PEERS("sum of exp(-l1)", laplacian, depth, count_##depth),                                              \
        BESIDE_PEERS("gradient of sum of exp(-d)", pair_gradient, depth, NULL), WIDE("exp(-d) @ b", smoothed, depth)

#define EXTREMES_OF(depth)                                                                                             \
    WITH_HAND("min of d", distance, depth, plain_bounds),                                                              \
        PAIRS("argmin of d", nearest, depth, "float32", count_##depth, plain_bounds, HUGE_VAL,                         \
              OF_NUMBERS(hand_nearest_##depth)),                                                                       \
        BESIDE_PEERS("ten least of d", ten_nearest, depth, ten_of_##depth), WIDE("min of d", distance, depth)

const bench_case pair_cases[] = {
    SUMS_OF(3), EXTREMES_OF(3), SUMS_OF(16), EXTREMES_OF(16), SUMS_OF(64), EXTREMES_OF(64), {.name = NULL},
};
