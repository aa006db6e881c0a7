/*
 * Quantiles of every dtype and length against an oracle in long double: positions are exact, what lies between two
 * elements is rounded once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { MOST = 40 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* Quantile of `count` elements that are in order, NaN last. */
static long double oracle(const double *sorted, int64_t count, double q, bool skip_nan)
{
    while (skip_nan && count > 0 && isnan(sorted[count - 1]))
        count--;
    if (count == 0 || isnan(sorted[count - 1]))
        return NAN;
    double at = q * (double)(count - 1);
    long double low = sorted[(int64_t)floor(at)], high = sorted[(int64_t)ceil(at)], weight = at - floor(at);
    return low == high ? low : low * (1 - weight) + high * weight;
}

static zc_tensor *quantile(zc_context *ctx, const zc_tensor *x, double q, bool skip_nan)
{
    zc_tensor *out = NULL, *as_double = NULL;
    const zc_tensor *number = zc_weak_float(ctx, q);
    cr_assert_eq(zc_quantile(x, number, ZC_ALL_AXES, false, skip_nan, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_materialize(zc_astype(out, ZC_FLOAT64), &as_double), ZC_OK);
    return as_double;
}

/* Elements that every dtype of `dtypes` holds, some of them equal, infinite or NaN. */
static double draw(bool is_float)
{
    static const double special[] = {INFINITY, -INFINITY, NAN};
    if (is_float && zc_random_range(0, 9) == 0)
        return special[zc_random_range(0, 2)];
    return (double)zc_random_range(0, 100);
}

Test(quantiles, of_every_dtype_lie_where_the_definition_says)
{
    static const zc_dtype dtypes[] = {ZC_BOOL,   ZC_INT8,    ZC_UINT8,    ZC_INT16,   ZC_UINT32, ZC_INT64,
                                      ZC_UINT64, ZC_FLOAT16, ZC_BFLOAT16, ZC_FLOAT32, ZC_FLOAT64};
    zc_context *ctx = zc_context_new(NULL);
    zc_random_begin("quantiles");
    for (int t = 0; t < zc_test_count(400); t++) {
        zc_scope *scope = zc_scope_begin(ctx);
        const zc_dtype dtype = dtypes[zc_random_range(0, sizeof dtypes / sizeof *dtypes - 1)];
        double values[MOST], q = zc_random_bool() ? (double)zc_random_range(0, 8) / 8 : zc_random_double();
        int64_t count = zc_random_range(1, MOST);
        bool skip_nan = zc_random_bool(), is_float = dtype >= ZC_FLOAT16;
        for (int64_t i = 0; i < count; i++)
            values[i] = draw(is_float);
        zc_tensor *x =
            zc_astype(zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(count), values, sizeof(double) * (size_t)count), dtype);
        const double got = *(const double *)zc_data(quantile(ctx, x, q, skip_nan));
        for (int64_t i = 0; i < count && dtype == ZC_BOOL; i++)
            values[i] = values[i] != 0;
        qsort(values, (size_t)count, sizeof *values, compare);
        const long double wanted = oracle(values, count, q, skip_nan);
        const long double unit = dtype == ZC_BFLOAT16  ? 0x1p-8L
                                 : dtype == ZC_FLOAT16 ? 0x1p-11L
                                 : dtype == ZC_FLOAT32 ? 0x1p-24L
                                                       : 0x1p-52L;
        cr_assert((isnan(got) && isnan(wanted)) || got == (double)wanted || fabsl(got - wanted) <= unit * fabsl(wanted),
                  "%s of %lld at %g: %.17g, not %.17Lg", zc_dtype_name(dtype), (long long)count, q, got, wanted);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

/* Lengths and positions that narrow floats do not count. */
Test(quantiles, of_long_narrow_arrays_are_where_they_are)
{
    zc_skip_of_one_thread();
    static const struct {
        zc_dtype dtype;
        int64_t count;
    } cases[] = {{ZC_FLOAT16, 70001}, {ZC_BFLOAT16, 1000}, {ZC_FLOAT32, (1 << 24) + 3}};
    zc_context *ctx = zc_context_new(NULL);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        zc_scope *scope = zc_scope_begin(ctx);
        int64_t count = cases[c].count, middle = count / 2;
        zc_tensor *is_high = zc_greater_equal(zc_iota(ctx, count), zc_weak_int(ctx, middle));
        zc_tensor *x = zc_astype(is_high, cases[c].dtype); /* 0 below the middle, 1 from there on */
        cr_expect_eq(*(const double *)zc_data(quantile(ctx, x, 0.5, false)), count % 2 == 1 ? 1 : 0.5);
        cr_expect_eq(*(const double *)zc_data(quantile(ctx, x, 0.5 - 2.0 / (double)count, true)), 0);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

Test(quantiles, of_infinite_and_distant_elements_are_limits)
{
    static const struct {
        double x[4], q, wanted;
    } cases[] = {{{1, 2, INFINITY, INFINITY}, 0.5, INFINITY},
                 {{1, 2, INFINITY, INFINITY}, 1, INFINITY},
                 {{1, 2, INFINITY, INFINITY}, 0.25, 1.75},
                 {{-INFINITY, -INFINITY, 3, 4}, 0, -INFINITY},
                 {{-INFINITY, -INFINITY, 3, 4}, 0.5, -INFINITY},
                 {{-INFINITY, -INFINITY, 3, 4}, 1, 4},
                 {{-INFINITY, -INFINITY, INFINITY, 4}, 0, -INFINITY},
                 {{-1.7e308, -1.7e308, 1.7e308, 1.7e308}, 0.5, 0},
                 {{1, 1, 1, 1}, 0.3, 1}};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(4), cases[c].x, sizeof cases[c].x);
        double got = *(const double *)zc_data(quantile(ctx, x, cases[c].q, false));
        cr_expect_eq(got, cases[c].wanted, "case %zu: %g", c, got);
    }
    const double both[] = {-INFINITY, INFINITY};
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2), both, sizeof both), *out = NULL;
    cr_assert_eq(zc_median(x, ZC_ALL_AXES, false, false, &out), ZC_OK);
    cr_expect(isnan(*(const double *)zc_data(out)));
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Axes of q come first; those of x that are reduced stay as 1 or go. */
Test(quantiles, have_the_axes_of_q_and_of_x)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const double q[] = {0, 0.5, 1, 0.25, 0.75, 1};
    zc_tensor *x = zc_reshape(zc_iota(ctx, 60), ZC_SHAPE(3, 4, 5)), *out = NULL;
    zc_tensor *parts = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2, 3), q, sizeof q);
    cr_assert_eq(zc_quantile(x, parts, ZC_AXES(0, -1), true, true, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_rank(out), 5);
    const int64_t shape[] = {2, 3, 1, 4, 1};
    cr_expect_arr_eq(zc_shape(out), shape, sizeof shape);
    const double *got = zc_data(out);
    for (int i = 0; i < 6; i++) { /* rows 1: 5 .. 9, 25 .. 29, 45 .. 49, in order 15 numbers */
        static const double row[] = {5, 6, 7, 8, 9, 25, 26, 27, 28, 29, 45, 46, 47, 48, 49};
        double at = q[i] * 14, low = row[(int)floor(at)], high = row[(int)ceil(at)];
        cr_expect_eq(got[i * 4 + 1], low + (high - low) * (at - floor(at)), "%g", got[i * 4 + 1]);
    }
    cr_assert_eq(zc_quantile(zc_slice(x, 1, 0, 0, 1), parts, ZC_AXES(1), false, false, &out), ZC_OK);
    cr_expect(zc_size(out) == 90 && isnan(*(const double *)zc_data(out)), "of nothing");
    cr_assert_eq(zc_quantile(x, zc_slice(parts, 0, 0, 0, 1), ZC_NO_AXES, false, false, &out), ZC_OK);
    cr_expect_eq(zc_size(out), 0);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* To x where the elements were, and to q by the distance of the two. */
Test(quantiles, have_gradients)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const double values[] = {30, 10, 20, 70}, wanted[] = {0.75, 0, 0.25, 0};
    zc_tensor *x = zc_variable(zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(4), values, sizeof values)), *out = NULL,
              *g = NULL;
    zc_tensor *q = zc_variable(zc_weak_float(ctx, 1.75 / 3));
    cr_assert_eq(zc_quantile(x, q, ZC_ALL_AXES, false, false, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_materialize(zc_grad(out, x), &g), ZC_OK, "%s", zc_error_text(ctx));
    for (int i = 0; i < 4; i++)
        cr_expect_float_eq(((const double *)zc_data(g))[i], wanted[i], 1e-15);
    cr_assert_eq(zc_materialize(zc_grad(out, q), &g), ZC_OK, "%s", zc_error_text(ctx));
    cr_expect_eq(*(const double *)zc_data(g), 30);
    cr_assert_eq(zc_median(zc_variable(zc_exp(x)), ZC_ALL_AXES, false, true, &out), ZC_OK);
    cr_expect_not_null(zc_grad(out, x), "through two variables");
    zc_scope_end(scope);
    zc_context_free(ctx);
}

static void expect_refusal(zc_context *ctx, zc_status got, zc_status wanted, const char *text)
{
    cr_expect_eq(got, wanted, "%s", text);
    cr_expect_not_null(strstr(zc_error_text(ctx), text), "%s", zc_error_text(ctx));
    zc_error_clear(ctx);
}

Test(quantiles, refuse_other_parts)
{
    zc_context *ctx = zc_context_new(NULL), *other = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const double parts[] = {0.5, -0.1, 50, 1.0000001, NAN};
    const zc_tensor *x = zc_iota(ctx, 3), *half = zc_weak_float(ctx, 0.5);
    zc_tensor *out = zc_iota(ctx, 1), *foreign = zc_weak_float(other, 0.5);
    for (int i = 1; i < 5; i++) {
        zc_tensor *q = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2), (const double[]){0.5, parts[i]}, 2 * sizeof *parts);
        expect_refusal(ctx, zc_quantile(x, q, ZC_ALL_AXES, false, false, &out), ZC_ERROR_ARGUMENT,
                       "it lies between 0 and 1");
        cr_expect_null(out);
    }
    expect_refusal(ctx, zc_quantile(x, half, ZC_AXES(1), false, false, &out), ZC_ERROR_AXIS, "axis 1");
    expect_refusal(ctx, zc_quantile(x, foreign, ZC_ALL_AXES, false, false, &out), ZC_ERROR_ARGUMENT, "contexts");
    expect_refusal(ctx, zc_quantile(zc_astype(x, ZC_COMPLEX64), half, ZC_ALL_AXES, false, false, &out), ZC_ERROR_DTYPE,
                   "order");
    expect_refusal(ctx, zc_quantile(x, half, ZC_ALL_AXES, false, false, NULL), ZC_ERROR_ARGUMENT, "nowhere");
    int64_t ones[ZC_MAX_RANK];
    for (int a = 0; a < ZC_MAX_RANK; a++)
        ones[a] = 1;
    const zc_tensor *many = zc_full(ctx, ZC_MAX_RANK, ones, ZC_FLOAT64, 0.5);
    expect_refusal(ctx, zc_quantile(zc_reshape(x, ZC_SHAPE(3, 1)), many, ZC_AXES(0), false, false, &out),
                   ZC_ERROR_SHAPE, "axes of q and x");
    cr_expect_eq(zc_quantile(NULL, half, ZC_ALL_AXES, false, false, &out), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_quantile(x, NULL, ZC_ALL_AXES, false, false, &out), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_median(NULL, ZC_ALL_AXES, false, false, &out), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_median(NULL, ZC_ALL_AXES, false, false, NULL), ZC_ERROR_ARGUMENT);
    zc_scope_end(scope);
    zc_release(foreign);
    zc_context_free(other);
    zc_context_free(ctx);
}
