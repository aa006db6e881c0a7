/* The strategies that go along elements in their order: scan and scatter. */
#include "tests/materialize/tile/strategy_case.h"
#include "tests/support/zc_test.h"

static zc_tensor *scan_last(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_cumulative_sum(x, -1, false);
}

static zc_tensor *scan_first(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_cumulative_prod(x, 0, false);
}

static zc_tensor *scan_of_flipped(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_cumulative_sum(zc_flip(x, ZC_ALL_AXES), -1, false);
}

static zc_tensor *scan_of_repeated(const zc_tensor *x, const zc_tensor *y)
{
    return zc_cumulative_prod(zc_broadcast_to(x, zc_rank(y), zc_shape(y)), -1, false);
}

static zc_tensor *scan_of_transposed(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_cumulative_sum(zc_matrix_transpose(x), -1, false);
}

static zc_tensor *scan_of_sums(const zc_tensor *x, const zc_tensor *y)
{
    return zc_cumulative_sum(zc_add(x, y), -1, false);
}

static zc_tensor *sum(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_sum(x, ZC_AXES(-1), false);
}

static zc_tensor *gradient_of(const zc_tensor *t, const zc_tensor *x)
{
    zc_tensor *out = NULL;
    return zc_vjp(t, NULL, 1, &x, &out) == ZC_OK ? out : NULL;
}

/* Each row goes to the place that a position of it names; several meet. */
static zc_tensor *scattered_rows(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *squares = zc_iota(zc_context_of(x), zc_shape(y)[0]);
    const zc_tensor *positions =
        zc_remainder(zc_multiply(squares, squares), zc_weak_int(zc_context_of(x), zc_shape(x)[0]));
    return gradient_of(zc_multiply(zc_take(x, positions, 0), y), x);
}

/* Windows overlap, so their elements meet. */
static zc_tensor *scattered_windows(const zc_tensor *x, const zc_tensor *y)
{
    zc_tensor *windows = zc_sliding_window_view(x, 1, zc_shape(y), ZC_AXES(-1));
    return gradient_of(zc_multiply(windows, y), x);
}

/* As many elements as there are, each in a place of its own. */
static zc_tensor *flipped(const zc_tensor *x, const zc_tensor *y)
{
    return gradient_of(zc_multiply(zc_flip(x, ZC_ALL_AXES), y), x);
}

static const strategy_case scans[] = {
    {"scan", scan_last, {1, {2}}, ONE},
    {"scan", scan_last, {1, {1023}}, ONE},
    {"scan", scan_last, {1, {1024}}, ONE},
    {"scan", scan_last, {1, {1025}}, ONE},
    {"scan", scan_last, {2, {5, 3000}}, ONE},
    {"scan", scan_last, {2, {300, 2}}, ONE}, /* short lines, many at a time */
    {"scan", scan_last, {2, {300, 16}}, ONE},
    {"scan", scan_last, {2, {300, 17}}, ONE},
    {"scan", scan_last, {2, {5, 1}}, ONE},
    {"scan", scan_first, {2, {1, 5}}, ONE},
    {"scan", scan_first, {2, {5, 255}}, ONE}, /* lines side by side */
    {"scan", scan_first, {2, {1025, 3}}, ONE},
    {"scan", scan_first, {2, {70, 257}}, ONE},
    {"scan", scan_first, {3, {7, 3, 5}}, ONE},
    {"scan", scan_of_flipped, {2, {5, 70}}, ONE},
    {"scan", scan_of_repeated, {2, {5, 1}}, {2, {5, 1030}}},
    {"scan", scan_of_transposed, {2, {33, 65}}, ONE},
    {"scan", scan_of_sums, {2, {5, 1030}}, {2, {5, 1}}},
    {"!scan", sum, {2, {5, 7}}, ONE},
    {"none", scan_last, {2, {5, 0}}, ONE},
    {"none", scan_last, {2, {0, 5}}, ONE},
};

Test(strategies, scan_carries_along_lines)
{
    EXPECT_STRATEGIES("strategies, scan", scans, ALL_DTYPES);
}

static const strategy_case scatters[] = {
    {"scatter", scattered_rows, {2, {3, 5}}, {2, {2, 5}}},
    {"scatter", scattered_rows, {2, {7, 5}}, {2, {50, 5}}},
    {"scatter", scattered_rows, {1, {7}}, {1, {1025}}},
    {"scatter", scattered_rows, {2, {7, 1030}}, {2, {9, 1030}}},
    {"scatter", scattered_windows, {1, {9}}, {1, {3}}},
    {"scatter", scattered_windows, {1, {1100}}, {1, {70}}},
    {"scatter", scattered_windows, {2, {3, 40}}, {1, {2}}},
    {"!scatter", flipped, {2, {5, 7}}, {2, {5, 7}}},
    {"!scatter", sum, {2, {5, 7}}, ONE},
};

Test(strategies, scatter_takes_elements_that_meet)
{
    EXPECT_STRATEGIES("strategies, scatter", scatters, FLOATS);
}
