/* Reductions: dtypes, empty axes, invariant axes by rule, the fixed order, and indices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"
#include "tests/support/wide.h"

Test(reductions, dtypes_are_the_standards)
{
    bench b = begin();
    zc_tensor *i16 = OF(b.ctx, ZC_INT16, 1), *u8 = OF(b.ctx, ZC_UINT8, 1), *f32 = OF(b.ctx, ZC_FLOAT32, 1);
    cr_assert_eq(zc_dtype_of(zc_sum(i16, ZC_ALL_AXES, false)), ZC_INT64);
    cr_assert_eq(zc_dtype_of(zc_sum(zc_less(i16, i16), ZC_ALL_AXES, false)), ZC_INT64);
    cr_assert_eq(zc_dtype_of(zc_prod(u8, ZC_ALL_AXES, false)), ZC_UINT64);
    cr_assert_eq(zc_dtype_of(zc_sum(f32, ZC_ALL_AXES, false)), ZC_FLOAT32);
    cr_assert_eq(zc_dtype_of(zc_mean(u8, ZC_ALL_AXES, false)), ZC_FLOAT64);
    cr_assert_eq(zc_dtype_of(zc_mean(f32, ZC_ALL_AXES, false)), ZC_FLOAT32);
    cr_assert_eq(zc_dtype_of(zc_max(u8, ZC_ALL_AXES, false)), ZC_UINT8);
    cr_assert_eq(zc_dtype_of(zc_argmin(u8, ZC_ALL_AXES, false)), ZC_INT64);
    cr_assert_eq(zc_dtype_of(zc_any(f32, ZC_ALL_AXES, false)), ZC_BOOL);
    finish(b);
}

/* In float32, in its fixed order, and rounded once. */
static void check_narrow(bench b, zc_dtype dtype)
{
    double values[3000];
    for (int i = 0; i < 3000; i++)
        values[i] = ldexp(zc_random_double() - 0.25, (int)zc_random_range(-3, 5));
    zc_tensor *x = zc_reshape(values_of(b.ctx, dtype, 3000, values), ZC_SHAPE(3, 1000)),
              *repeated = zc_astype(x, ZC_FLOAT32);
    zc_tensor *(*const accumulated[])(const zc_tensor *, int, const int *, bool) = {zc_sum, zc_prod, zc_mean};
    for (int i = 0; i < 3; i++) {
        zc_tensor *got = accumulated[i](x, ZC_AXES(1), true), *wanted = accumulated[i](repeated, ZC_AXES(1), true);
        cr_assert(zc_dtype_of(got) == dtype && zc_rank(got) == 2);
        for (int row = 0; row < 3; row++)
            cr_assert_eq(value_at(got, row), value_at(zc_astype(wanted, dtype), row));
    }
    zc_tensor *many = zc_full(b.ctx, ZC_SHAPE(60000), dtype, 2);
    cr_assert_eq(value_at(zc_mean(many, ZC_ALL_AXES, false), 0), 2); /* the sum is beyond float16 */
    cr_assert_eq(value_at(zc_sum(zc_full(b.ctx, ZC_SHAPE(1, 4096), dtype, 0.5), ZC_AXES(1), false), 0), 2048);
    cr_assert_eq(value_at(zc_max(x, ZC_ALL_AXES, false), 0), value_at(zc_max(repeated, ZC_ALL_AXES, false), 0));
    cr_assert_eq(value_at(zc_min(x, ZC_ALL_AXES, false), 0), value_at(zc_min(repeated, ZC_ALL_AXES, false), 0));
    cr_assert_eq(integer_at(zc_argmin(x, ZC_ALL_AXES, false), 0),
                 integer_at(zc_argmin(repeated, ZC_ALL_AXES, false), 0));
    cr_assert_eq(integer_at(zc_argmax(x, ZC_AXES(0), false), 7), integer_at(zc_argmax(repeated, ZC_AXES(0), false), 7));
}

Test(reductions, of_16_bit_floats_are_accumulated_in_float32)
{
    bench b = begin();
    zc_random_begin("reductions/narrow");
    check_narrow(b, ZC_FLOAT16);
    check_narrow(b, ZC_BFLOAT16);
    finish(b);
}

Test(reductions, keepdims_leaves_axes_of_size_one)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(zc_iota(b.ctx, 24), ZC_SHAPE(2, 3, 4));
    zc_tensor *kept = zc_sum(x, ZC_AXES(0, -1), true), *gone = zc_sum(x, ZC_AXES(2, 0), false);
    cr_assert_eq(zc_rank(kept), 3);
    cr_assert_eq(zc_shape(kept)[0], 1);
    cr_assert_eq(zc_shape(kept)[1], 3);
    cr_assert_eq(zc_rank(gone), 1);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(value_at(kept, i), value_at(gone, i));
    cr_assert_eq(value_at(gone, 1), 4 + 5 + 6 + 7 + 16 + 17 + 18 + 19);
    zc_tensor *none = zc_sum(x, ZC_NO_AXES, false);
    cr_assert_eq(zc_rank(none), 3);
    cr_assert_eq(value_at(none, 23), 23);
    finish(b);
}

Test(reductions, empty_axes_give_the_neutral_element_or_an_error)
{
    bench b = begin();
    zc_tensor *x = zc_from_data(b.ctx, ZC_FLOAT32, ZC_SHAPE(3, 0), NULL, 0);
    cr_assert_eq(value_at(zc_sum(x, ZC_AXES(1), false), 2), 0.0);
    cr_assert_eq(value_at(zc_prod(x, ZC_AXES(1), false), 0), 1.0);
    cr_assert_eq(value_at(zc_any(x, ZC_AXES(1), false), 0), 0.0);
    cr_assert_eq(value_at(zc_all(x, ZC_AXES(1), false), 0), 1.0);
    cr_assert(isnan(value_at(zc_mean(x, ZC_ALL_AXES, false), 0)));
    cr_assert_eq(value_at(zc_sum(zc_broadcast_to(zc_exp(x), ZC_SHAPE(1000, 3, 0)), ZC_AXES(0, 2), false), 2), 0.0);
    zc_tensor *(*const refusing[])(const zc_tensor *, int, const int *, bool) = {zc_max, zc_min, zc_argmax, zc_argmin};
    for (int i = 0; i < 4; i++) {
        cr_assert_null(refusing[i](x, ZC_AXES(1), false));
        cr_assert_not_null(strstr(zc_error_text(b.ctx), "no elements"));
        zc_error_clear(b.ctx);
        cr_assert_eq(zc_size(refusing[i](x, ZC_AXES(0), false)), 0);
    }
    finish(b);
}

Test(reductions, wrong_axes_are_refused)
{
    bench b = begin();
    zc_tensor *x = zc_iota(b.ctx, 5);
    cr_assert_null(zc_sum(x, ZC_AXES(1), false));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_AXIS);
    zc_error_clear(b.ctx);
    cr_assert_null(zc_max(x, ZC_AXES(0, -1), false));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_ARGUMENT);
    finish(b);
}

/* Rows of -1 -1 -1 -2 as a square: the first repeats an element, but the one that is taken does not. */
Test(reductions, a_row_that_is_taken_is_not_reduced_like_the_first)
{
    bench b = begin();
    zc_tensor *x = zc_expand_dims(OF(b.ctx, ZC_FLOAT64, 1, 2), 1);
    zc_tensor *line = zc_reshape(zc_negative(zc_broadcast_to(x, ZC_SHAPE(2, 3))), ZC_SHAPE(6));
    zc_tensor *square = zc_reshape(zc_slice(line, 0, 0, 4, 1), ZC_SHAPE(2, 2));
    zc_tensor *sum = zc_sum(zc_take(square, OF(b.ctx, ZC_INT64, 1, 0), 0), ZC_AXES(1), false);
    cr_expect_eq(value_at(sum, 0), -3);
    cr_expect_eq(value_at(sum, 1), -2);
    finish(b);
}

/* The law behind the rule: a sum over an invariant axis of n is n * x rounded once, and so on. */
Test(reductions, invariant_axes_are_reduced_by_rule)
{
    bench b = begin();
    const int64_t n = 10000019;
    zc_tensor *x = OF(b.ctx, ZC_FLOAT32, 0.1, -3, 1e30, 7), *i = OF(b.ctx, ZC_INT32, 3, -5, 2, 0);
    zc_tensor *repeated = zc_broadcast_to(zc_expand_dims(x, 1), ZC_SHAPE(4, n));
    zc_tensor *integers = zc_broadcast_to(i, ZC_SHAPE(n, 4));
    zc_tensor *unsigned_sum = zc_prod(zc_astype(integers, ZC_UINT8), ZC_AXES(0), false);
    for (int k = 0; k < 4; k++) {
        float value = (float)value_at(x, k);
        cr_assert_eq((float)value_at(zc_sum(repeated, ZC_AXES(1), false), k), (float)((double)value * (double)n));
        cr_assert_eq(value_at(zc_mean(repeated, ZC_AXES(1), false), k), (double)value);
        cr_assert_eq(value_at(zc_max(repeated, ZC_AXES(1), false), k), (double)value);
        cr_assert_eq(value_at(zc_argmax(repeated, ZC_AXES(1), false), k), 0);
        cr_assert_eq(integer_at(zc_sum(integers, ZC_AXES(0), false), k), (int64_t)value_at(i, k) * n);
    }
    uint64_t power = 1;
    for (int64_t p = 0; p < n; p++)
        power *= 3;
    cr_assert_eq((uint64_t)integer_at(unsigned_sum, 0), power);
    cr_assert_eq(value_at(zc_prod(zc_broadcast_to(OF(b.ctx, ZC_FLOAT64, -1), ZC_SHAPE(n, 1)), ZC_AXES(0), false), 0),
                 -1);
    cr_assert_eq(value_at(zc_prod(zc_broadcast_to(OF(b.ctx, ZC_FLOAT32, 2), ZC_SHAPE(10, 1)), ZC_AXES(0), false), 0),
                 1024);
    cr_assert(isinf(value_at(zc_prod(repeated, ZC_AXES(1), false), 3)));
    cr_assert_eq(value_at(zc_sum(zc_full(b.ctx, ZC_SHAPE(n, n), ZC_FLOAT64, 0.5), ZC_ALL_AXES, false), 0),
                 0.5 * (double)(n * n));
    finish(b);
}

/* So often that the product of an odd number of 24 bits is just beside the middle between two floats, which a double
 * does not tell from the middle. */
static int64_t count_beside_middle(int64_t odd)
{
    const int64_t beside = (INT64_C(1) << 49) + (zc_random_range(0, 1) == 0 ? -1 : 1);
    uint64_t inverse = (uint64_t)odd; /* of 3 bits; each step doubles them */
    for (int step = 0; step < 5; step++)
        inverse *= 2 - (uint64_t)odd * inverse;
    return (int64_t)((uint64_t)beside * inverse & ((UINT64_C(1) << 50) - 1));
}

/* x * n rounded once, against integers: x is 24 bits, and n has up to 50. */
Test(reductions, sums_over_invariant_axes_are_rounded_once)
{
    zc_random_begin("reductions/sums");
    for (int i = 0; i < zc_test_count(2000); i++) {
        bench b = begin();
        const int64_t mantissa = zc_random_range(1 << 23, (1 << 24) - 1) | 1;
        const int64_t n =
            i % 2 == 0 ? zc_random_range(2, INT64_C(1) << zc_random_range(2, 50)) : count_beside_middle(mantissa);
        const wide_unsigned product = (wide_unsigned)mantissa * (wide_unsigned)n;
        zc_tensor *x = OF(b.ctx, ZC_FLOAT32, -(double)mantissa);
        zc_tensor *sum = zc_sum(zc_broadcast_to(x, ZC_SHAPE(n)), ZC_ALL_AXES, false);
        cr_assert_eq(value_at(sum, 0), -(double)(float)product, "%ld times %ld", (long)mantissa, (long)n);
        finish(b);
    }
}

/* The same as pow, on every machine. */
Test(reductions, products_over_invariant_axes_are_powers)
{
    zc_random_begin("reductions/powers");
    for (int i = 0; i < zc_test_count(200); i++) {
        bench b = begin_with((zc_options){.executor = i % 2 == 0 ? ZC_EXECUTOR_TILE : ZC_EXECUTOR_REFERENCE});
        int64_t n = zc_random_range(2, 1000);
        zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 2 * zc_random_double() - 0.5), *exponent = zc_weak_float(b.ctx, (double)n);
        zc_tensor *product = zc_prod(zc_broadcast_to(x, ZC_SHAPE(n)), ZC_ALL_AXES, false);
        cr_assert_eq(value_at(product, 0), value_at(zc_pow(x, exponent), 0), "%a to the %ld", value_at(x, 0), (long)n);
        finish(b);
    }
}

/* Only one of two reduced axes is invariant: the indices still count both. */
Test(reductions, indices_count_invariant_axes)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_INT32, 5, 1, 9, 9);
    zc_tensor *inner = zc_broadcast_to(zc_expand_dims(x, 1), ZC_SHAPE(4, 100));
    zc_tensor *outer = zc_broadcast_to(x, ZC_SHAPE(100, 4));
    cr_assert_eq(value_at(zc_argmax(inner, ZC_ALL_AXES, false), 0), 200);
    cr_assert_eq(value_at(zc_argmin(inner, ZC_ALL_AXES, false), 0), 100);
    cr_assert_eq(value_at(zc_argmax(outer, ZC_ALL_AXES, false), 0), 2);
    zc_tensor *nan = OF(b.ctx, ZC_FLOAT32, 1, NAN, 3, NAN);
    cr_assert_eq(value_at(zc_argmin(nan, ZC_ALL_AXES, false), 0), 1);
    cr_assert_eq(value_at(zc_argmax(nan, ZC_ALL_AXES, false), 0), 1);
    cr_assert(isnan(value_at(zc_max(nan, ZC_ALL_AXES, false), 0)));
    finish(b);
}

/* A concat of what repeats and what does not: rows of its sum come from an operand whose rows alone would go by rule.
 * They have the bits of those rows of the whole, and still have them when the concat is computed first. */
Test(reductions, of_a_window_have_the_bits_of_the_whole)
{
    bench b = begin();
    const int64_t n = 1000;
    zc_tensor *x = zc_sin(zc_astype(zc_iota(b.ctx, 5), ZC_FLOAT32));
    zc_tensor *repeated = zc_broadcast_to(zc_expand_dims(x, 1), ZC_SHAPE(5, n));
    zc_tensor *other = zc_cos(zc_reshape(zc_astype(zc_iota(b.ctx, 3 * n), ZC_FLOAT32), ZC_SHAPE(3, n)));
    zc_tensor *whole = NULL, *again = NULL, *made = NULL;
    const zc_tensor *parts[] = {repeated, other};
    zc_tensor *concat = zc_concat(b.ctx, 2, parts, 0), *sum = zc_sum(concat, ZC_AXES(1), false);
    zc_tensor *window = zc_add(zc_slice(sum, 0, 0, 5, 1), zc_weak_float(b.ctx, 0)); /* computed before the whole is */
    double first[5];
    for (int i = 0; i < 5; i++)
        first[i] = value_at(window, i);
    cr_assert_eq(zc_materialize(sum, &whole), ZC_OK);
    cr_assert_eq(zc_materialize(concat, &made), ZC_OK);
    cr_assert_eq(zc_materialize(zc_sum(concat, ZC_AXES(1), false), &again), ZC_OK);
    for (int i = 0; i < 5; i++) {
        cr_expect_eq(first[i], value_at(whole, i));
        cr_expect_eq(value_at(again, i), value_at(whole, i));
    }
    finish(b);
}

/* Which axes it leaves out, and so how it is added up, is a matter of what was recorded, not of what is there. */
Test(reductions, of_compact_results_do_not_depend_on_what_was_computed)
{
    bench b = begin();
    zc_tensor *row = zc_sin(zc_astype(zc_iota(b.ctx, 7), ZC_FLOAT32)), *made = NULL, *before = NULL, *after = NULL;
    zc_tensor *rows = zc_exp(zc_broadcast_to(row, ZC_SHAPE(1000, 7))), *turned = zc_matrix_transpose(rows);
    cr_assert_eq(zc_compact(turned, &before), ZC_OK);
    cr_assert_eq(zc_materialize(rows, &made), ZC_OK);
    cr_assert_eq(zc_compact(turned, &after), ZC_OK);
    cr_expect_eq(zc_strides(before)[1], 0);
    cr_expect_eq(zc_strides(after)[1], 0);
    for (int i = 0; i < 7; i++)
        cr_expect_eq(value_at(zc_sum(before, ZC_AXES(1), false), i), value_at(zc_sum(after, ZC_AXES(1), false), i));
    finish(b);
}

/* ---- The fixed order, against a plain statement of it ---- */

static float join(float *lanes)
{
    for (int half = 8; half > 0; half /= 2) {
        for (int l = 0; l < half; l++)
            lanes[l] += lanes[l + half];
    }
    return lanes[0];
}

/* Leaves of 1024 in 16 lanes; the largest power of two of leaves on the left, the rest on the right. */
static float tree_sum(const float *x, int64_t n, int64_t stride)
{
    if (n <= 1024) {
        float lanes[16];
        for (int l = 0; l < 16; l++)
            lanes[l] = -0.0f;
        for (int64_t i = 0; i < n; i++)
            lanes[i % 16] += x[i * stride];
        return join(lanes);
    }
    int64_t left = 1024;
    while (2 * left < n)
        left *= 2;
    return tree_sum(x, left, stride) + tree_sum(x + left * stride, n - left, stride);
}

static float *random_floats(int64_t n)
{
    float *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(zc_random_double() - 0.3);
    return x;
}

static void check_order(int64_t rows, int64_t columns, int threads, zc_executor executor)
{
    bench b = begin_with((zc_options){.threads = threads, .executor = executor});
    float *x = random_floats(rows * columns);
    zc_tensor *t = zc_from_data(b.ctx, ZC_FLOAT32, ZC_SHAPE(rows, columns), x, (size_t)(rows * columns) * sizeof *x);
    zc_tensor *by_row = NULL, *by_column = NULL, *all = NULL;
    cr_assert_eq(zc_materialize(zc_sum(t, ZC_AXES(1), false), &by_row), ZC_OK);
    cr_assert_eq(zc_materialize(zc_sum(t, ZC_AXES(0), false), &by_column), ZC_OK);
    cr_assert_eq(zc_materialize(zc_sum(t, ZC_ALL_AXES, false), &all), ZC_OK);
    for (int64_t r = 0; r < rows; r++)
        cr_assert_eq(((const float *)zc_data(by_row))[r], tree_sum(x + r * columns, columns, 1),
                     "row %ld of (%ld, %ld)", (long)r, (long)rows, (long)columns);
    for (int64_t c = 0; c < columns; c++)
        cr_assert_eq(((const float *)zc_data(by_column))[c], tree_sum(x + c, rows, columns), "column %ld of (%ld, %ld)",
                     (long)c, (long)rows, (long)columns);
    cr_assert_eq(((const float *)zc_data(all))[0], tree_sum(x, rows * columns, 1));
    free(x);
    finish(b);
}

Test(reductions, sums_follow_the_tree_for_any_shape_and_thread_count)
{
    static const int64_t shapes[][2] = {{1, 1},     {3, 5},      {7, 16},     {2, 1023},  {2, 1024},
                                        {2, 1025},  {1, 100003}, {100003, 1}, {40000, 3}, {3, 40000},
                                        {257, 300}, {5000, 64},  {9000, 700}};
    zc_random_begin("reductions/tree");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int threads = 1; threads <= 3; threads++)
            check_order(shapes[i][0], shapes[i][1], threads, ZC_EXECUTOR_TILE);
        if (shapes[i][0] * shapes[i][1] < 200000)
            check_order(shapes[i][0], shapes[i][1], 1, ZC_EXECUTOR_REFERENCE);
    }
}

/* Large enough that threads divide the elements of a single result. */
Test(reductions, indices_of_large_tensors_are_the_first)
{
    zc_random_begin("reductions/argmin");
    const int64_t n = 300000;
    for (int threads = 1; threads <= 2; threads++) {
        bench b = begin_with((zc_options){.threads = threads});
        int32_t *x = malloc((size_t)n * sizeof *x);
        int64_t wanted = 0;
        for (int64_t i = 0; i < n; i++) {
            x[i] = (int32_t)zc_random_range(0, 20000);
            wanted = x[i] < x[wanted] ? i : wanted;
        }
        zc_tensor *t = zc_from_data(b.ctx, ZC_INT32, ZC_SHAPE(n), x, (size_t)n * sizeof *x);
        cr_assert_eq(integer_at(zc_argmin(t, ZC_ALL_AXES, false), 0), wanted);
        zc_tensor *columns = zc_reshape(t, ZC_SHAPE(n / 2, 2)), *found = zc_argmax(columns, ZC_AXES(0), false);
        for (int64_t c = 0; c < 2; c++) {
            int64_t best = 0;
            for (int64_t r = 0; r < n / 2; r++)
                best = x[2 * r + c] > x[2 * best + c] ? r : best;
            cr_assert_eq(integer_at(found, c), best);
        }
        cr_assert_eq(value_at(zc_max(columns, ZC_ALL_AXES, false), 0), 20000);
        free(x);
        finish(b);
    }
}

/* One element that differs, at each place in turn: within a row of lanes, and beyond. */
Test(reductions, of_truth_find_one_element_anywhere)
{
    enum { N = 1100 };
    bench b = begin();
    zc_tensor *index = zc_iota(b.ctx, N);
    for (int64_t at = 0; at < N; at += at < 70 ? 1 : 101) {
        zc_tensor *place = zc_weak_int(b.ctx, at);
        EXPECT(zc_all(zc_not_equal(index, place), ZC_ALL_AXES, false), 0);
        EXPECT(zc_any(zc_equal(index, place), ZC_ALL_AXES, false), 1);
    }
    EXPECT(zc_all(zc_less(index, zc_weak_int(b.ctx, N)), ZC_ALL_AXES, false), 1);
    EXPECT(zc_any(zc_less(index, zc_weak_int(b.ctx, 0)), ZC_ALL_AXES, false), 0);
    finish(b);
}

/* A float32 times how often it is repeated is rounded once: of more digits than double has, too. */
Test(reductions, of_long_repetitions_are_rounded_once)
{
    static const float values[] = {16777215, -16777213, 1, 0.1f, -3e38f, 0, INFINITY};
    static const int64_t counts[] = {(INT64_C(1) << 39) + 1, (INT64_C(1) << 38) + 3, (INT64_C(1) << 37) - 1, 3};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            bench b = begin();
            zc_tensor *x = zc_constant(b.ctx, ZC_FLOAT32, &values[i]);
            float wanted = (float)((long double)values[i] * (long double)counts[k]); /* 64 digits: exact */
            EXPECT(zc_sum(zc_broadcast_to(x, ZC_SHAPE(counts[k])), ZC_ALL_AXES, false), (double)wanted);
            finish(b);
        }
    }
    bench b = begin();
    zc_tensor *nan = zc_weak_float(b.ctx, NAN);
    EXPECT(zc_isnan(zc_sum(zc_broadcast_to(zc_astype(nan, ZC_FLOAT32), ZC_SHAPE(3)), ZC_ALL_AXES, false)), 1);
    finish(b);
}

/* The first NaN is the extreme, in whichever leaf it lies. */
Test(reductions, indices_of_nan_are_the_first_ones)
{
    static const int64_t places[][2] = {{3000, 4999}, {10, 3000}, {0, 1}, {4999, 4999}, {1023, 1024}};
    enum { N = 5000 };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        bench b = begin();
        zc_tensor *n = zc_iota(b.ctx, N), *value = zc_astype(n, ZC_FLOAT32);
        zc_tensor *is_nan =
            zc_logical_or(zc_equal(n, zc_weak_int(b.ctx, places[i][0])), zc_equal(n, zc_weak_int(b.ctx, places[i][1])));
        zc_tensor *x = NULL;
        cr_assert_eq(zc_materialize(zc_where(is_nan, zc_weak_float(b.ctx, NAN), value), &x), ZC_OK);
        EXPECT(zc_argmax(x, ZC_ALL_AXES, false), (double)places[i][0]);
        EXPECT(zc_argmin(x, ZC_ALL_AXES, false), (double)places[i][0]);
        EXPECT(zc_argmin(zc_astype(zc_reshape(x, ZC_SHAPE(N / 2, 2)), ZC_FLOAT16), ZC_AXES(0), false),
               places[i][0] % 2 == 0   ? (double)(places[i][0] / 2)
               : places[i][1] % 2 == 0 ? (double)(places[i][1] / 2)
                                       : 0,
               places[i][0] % 2 == 1   ? (double)(places[i][0] / 2)
               : places[i][1] % 2 == 1 ? (double)(places[i][1] / 2)
                                       : 0);
        zc_release(x);
        finish(b);
    }
}
