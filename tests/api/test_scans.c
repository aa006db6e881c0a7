/*
 * Scans: values by hand, dtypes, windows that have the bits of the whole, and the order, which neither threads nor
 * executors change.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

typedef zc_tensor *scan(const zc_tensor *x, int axis, bool include_initial);

Test(scans, each_element_is_joined_with_all_before_it)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 3));
    EXPECT(zc_cumulative_sum(x, 1, false), 0, 1, 3, 3, 7, 12);
    EXPECT(zc_cumulative_sum(x, -2, false), 0, 1, 2, 3, 5, 7);
    EXPECT(zc_cumulative_prod(x, 1, false), 0, 0, 0, 3, 12, 60);
    EXPECT(zc_cumulative_sum(x, 1, true), 0, 0, 1, 3, 0, 3, 7, 12);
    EXPECT(zc_cumulative_prod(zc_add(x, zc_weak_int(b.ctx, 1)), 0, true), 1, 1, 1, 1, 2, 3, 4, 10, 18);
    expect_shape(zc_cumulative_sum(x, 0, true), ZC_SHAPE(3, 3));
    finish(b);
}

/* A complex product begins with 1+0j, also where it is of one element: an infinite part meets its 0. */
Test(scans, of_one_complex_element_begin_with_one)
{
    static const zc_executor executors[] = {ZC_EXECUTOR_TILE, ZC_EXECUTOR_REFERENCE};
    for (int e = 0; e < 2; e++) {
        bench b = begin_with((zc_options){.executor = executors[e]});
        zc_tensor *z = zc_complex(OF(b.ctx, ZC_FLOAT32, 1, INFINITY, 3), OF(b.ctx, ZC_FLOAT32, INFINITY, 1, 4));
        zc_tensor *lines = zc_cumulative_prod(zc_expand_dims(z, 1), 1, false);
        cr_expect(isnan(value_at(zc_real(lines), 0)));
        cr_expect(isnan(value_at(zc_imag(lines), 1)));
        cr_expect_eq(value_at(zc_real(lines), 2), 3);
        cr_expect(isnan(value_at(zc_real(zc_cumulative_prod(zc_slice(z, 0, 0, 1, 1), 0, false)), 0)));
        finish(b);
    }
}

Test(scans, dtypes_are_those_of_sum_and_prod)
{
    bench b = begin();
    static const zc_dtype from[] = {ZC_BOOL, ZC_INT8, ZC_INT64, ZC_UINT8, ZC_UINT64, ZC_FLOAT32, ZC_FLOAT64};
    for (size_t d = 0; d < sizeof from / sizeof *from; d++) {
        zc_tensor *x = OF(b.ctx, from[d], 1, 1, 1);
        for (int initial = 0; initial < 2; initial++) {
            cr_assert_eq(zc_dtype_of(zc_cumulative_sum(x, 0, initial)), zc_dtype_of(zc_sum(x, ZC_ALL_AXES, false)));
            cr_assert_eq(zc_dtype_of(zc_cumulative_prod(x, 0, initial)), zc_dtype_of(zc_prod(x, ZC_ALL_AXES, false)));
        }
        EXPECT(zc_cumulative_sum(x, 0, false), 1, 2, 3);
    }
    EXPECT(zc_cumulative_sum(OF(b.ctx, ZC_INT8, 127, 127, -128), 0, false), 127, 254, 126);
    zc_tensor *wraps = zc_cumulative_prod(zc_full(b.ctx, ZC_SHAPE(65), ZC_UINT64, 2), 0, false);
    cr_assert_eq((uint64_t)integer_at(wraps, 62), UINT64_C(1) << 63);
    cr_assert_eq(integer_at(wraps, 64), 0);
    finish(b);
}

Test(scans, special_values_and_zeros)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, -0.0, -0.0, INFINITY, 1, -INFINITY, 2);
    zc_tensor *sums = zc_cumulative_sum(x, 0, false);
    cr_assert(signbit(value_at(sums, 0)) && signbit(value_at(sums, 1)), "-0.0 + -0.0 is -0.0");
    cr_assert_eq(value_at(sums, 3), INFINITY);
    cr_assert(isnan(value_at(sums, 4)) && isnan(value_at(sums, 5)));
    finish(b);
}

Test(scans, axes_without_elements)
{
    bench b = begin();
    zc_tensor *x = zc_from_data(b.ctx, ZC_INT32, ZC_SHAPE(3, 0), NULL, 0);
    expect_shape(zc_cumulative_sum(x, 1, false), ZC_SHAPE(3, 0));
    cr_assert_eq(zc_materialize(zc_cumulative_prod(x, 0, false), &x), ZC_OK);
    EXPECT(zc_cumulative_sum(x, 1, true), 0, 0, 0);
    EXPECT(zc_cumulative_prod(x, 1, true), 1, 1, 1);
    expect_shape(zc_cumulative_prod(x, 0, true), ZC_SHAPE(4, 0));
    finish(b);
}

Test(scans, wrong_calls_are_refused)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 3)), *number = zc_weak_int(b.ctx, 3);
    expect_refused(b, zc_cumulative_sum(x, 2, false), ZC_ERROR_AXIS,
                   "cumulative_sum: axis 2 is out of bounds for rank 2");
    expect_refused(b, zc_cumulative_prod(x, -3, true), ZC_ERROR_AXIS,
                   "cumulative_prod: axis -3 is out of bounds for rank 2");
    expect_refused(b, zc_cumulative_sum(number, 0, false), ZC_ERROR_AXIS,
                   "cumulative_sum: axis 0 is out of bounds for rank 0");
    cr_assert_null(zc_cumulative_sum(NULL, 0, false));
    cr_assert_null(zc_cumulative_prod(NULL, 0, true));
    cr_assert_eq(zc_error_status(b.ctx), ZC_OK);
    finish(b);
}

/* ---- Windows ---- */

static void expect_same_bits(const zc_tensor *a, const zc_tensor *b, const char *what)
{
    zc_tensor *left = NULL, *right = NULL;
    cr_assert_eq(zc_materialize(a, &left), ZC_OK, "%s: %s", what, zc_error_text(zc_context_of(a)));
    cr_assert_eq(zc_materialize(b, &right), ZC_OK, "%s: %s", what, zc_error_text(zc_context_of(b)));
    cr_assert_eq(zc_size(left), zc_size(right), "%s", what);
    cr_assert_eq(memcmp(zc_data(left), zc_data(right), (size_t)zc_size(left) * sizeof(float)), 0, "%s", what);
}

static zc_tensor *random_floats(bench b, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    float *values = malloc((size_t)size * sizeof *values);
    for (int64_t i = 0; i < size; i++)
        values[i] = (float)(2 * zc_random_double() - 0.9);
    zc_tensor *x = zc_from_data(b.ctx, ZC_FLOAT32, rank, shape, values, (size_t)size * sizeof *values);
    free(values);
    return x;
}

/* The same window of a scan that is recorded, and of one that exists. */
static void check_window(scan *function, int axis, int step)
{
    bench b = begin_with((zc_options){.executor = step == 2 ? ZC_EXECUTOR_REFERENCE : ZC_EXECUTOR_TILE});
    bool initial = zc_random_bool();
    zc_tensor *x = zc_exp(zc_permute_dims(random_floats(b, ZC_SHAPE(7, 50, 3)), ZC_AXES(2, 0, 1)));
    zc_tensor *recorded = function(x, axis, initial), *whole = NULL;
    cr_assert_eq(zc_materialize(function(x, axis, initial), &whole), ZC_OK);
    if (zc_random_bool()) {
        recorded = zc_flip(recorded, ZC_AXES(step - 1));
        whole = zc_flip(whole, ZC_AXES(step - 1));
    }
    for (int a = 0; a < 3; a++) {
        int64_t from = zc_random_range(0, zc_shape(whole)[a]), to = zc_random_range(from, zc_shape(whole)[a]);
        recorded = zc_slice(recorded, a, from, to, step);
        whole = zc_slice(whole, a, from, to, step);
    }
    expect_same_bits(recorded, whole, "a window of a scan");
    finish(b);
}

Test(scans, windows_have_the_bits_of_the_whole)
{
    zc_random_begin("scans/windows");
    for (int i = 0; i < zc_test_count(60); i++) {
        check_window(zc_cumulative_sum, i % 3, 1 + i / 3 % 3);
        check_window(zc_cumulative_prod, i % 3, 1 + i / 3 % 3);
    }
}

/* ---- The order ---- */

/* One addition after the other, in float. */
static void check_order(bench b, int64_t lines, int64_t count, int axis)
{
    zc_tensor *x = random_floats(b, 2, axis == 1 ? LENGTHS(lines, count) : LENGTHS(count, lines)), *out = NULL;
    cr_assert_eq(zc_materialize(zc_cumulative_sum(x, axis, false), &out), ZC_OK, "%s", zc_error_text(b.ctx));
    const float *values = zc_data(x), *sums = zc_data(out);
    int64_t along = axis == 1 ? 1 : lines, across = axis == 1 ? count : 1;
    for (int64_t l = 0; l < lines; l++) {
        float sum = -0.0f;
        for (int64_t i = 0; i < count; i++) {
            sum += values[l * across + i * along];
            cr_assert_eq(sums[l * across + i * along], sum, "line %ld, element %ld", (long)l, (long)i);
        }
    }
}

Test(scans, elements_are_added_in_order_for_any_thread_count_and_executor)
{
    static const int64_t shapes[][2] = {{1, 1}, {1, 1024}, {1, 5000}, {5000, 2}, {37, 1025}, {700, 300}};
    zc_random_begin("scans/order");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int run = 0; run < 4; run++) {
            bench b = begin_with((zc_options){.threads = run == 0 ? 1 : run,
                                              .executor = run == 0 ? ZC_EXECUTOR_REFERENCE : ZC_EXECUTOR_TILE});
            check_order(b, shapes[s][0], shapes[s][1], 0);
            check_order(b, shapes[s][0], shapes[s][1], 1);
            finish(b);
        }
    }
}

/* ---- What a scan costs ---- */

/* Along a broadcast axis that is not scanned nothing is made twice; a row is scanned alone. */
Test(scans, only_what_is_seen_is_scanned)
{
    bench b = begin();
    const int64_t n = 1000, wide = 1000000;
    zc_tensor *row = zc_astype(zc_iota(b.ctx, n), ZC_FLOAT64), *x = zc_broadcast_to(row, ZC_SHAPE(wide, n));
    zc_tensor *scanned = zc_cumulative_sum(x, 1, false);
    cr_assert_leq(cost_of(zc_sum(scanned, ZC_ALL_AXES, false)).written_bytes, (n + 1) * 8);
    cr_assert_leq(cost_of(zc_index(scanned, 0, 5)).written_bytes, 2 * n * 8);
    EXPECT(zc_slice(zc_index(scanned, 0, 5), 0, 3, 5, 1), 6, 10);
    zc_tensor *down =
        zc_slice(zc_cumulative_sum(zc_full(b.ctx, ZC_SHAPE(wide, wide), ZC_INT32, 2), 0, false), 0, 2, 4, 1);
    EXPECT(zc_slice(down, 1, 7, 9, 1), 6, 6, 8, 8);
    cr_assert_leq(cost_of(zc_slice(down, 1, 7, 9, 1)).written_bytes, 10 * 8);
    finish(b);
}

Test(scans, results_belong_to_the_callers_scope)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2, 3, 4);
    zc_scope *inner = zc_scope_begin(b.ctx);
    zc_tensor *kept = zc_keep(zc_cumulative_prod(x, 0, true));
    cr_assert_not_null(zc_cumulative_sum(kept, 0, true));
    zc_scope_end(inner);
    EXPECT(kept, 1, 1, 2, 6, 24);
    zc_release(kept);
    finish(b);
}
