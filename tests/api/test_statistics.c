/*
 * logsumexp, and what is made of reductions: var, std, count_nonzero, vector_norm, softmax, log_softmax, softmax_sum,
 * trace and diff. Values by hand, dtypes, nothing to reduce, what is not finite, and refusals in their words.
 */
#include <math.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

#define CLOSE(t, ...)                                                                                                  \
    expect_close(t, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

/* To a few units in the last place of a double; NaN where NaN is wanted. */
static void expect_close(const zc_tensor *t, size_t count, const double *wanted)
{
    cr_assert_not_null(t, "nothing was recorded");
    cr_assert_eq(zc_size(t), (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        double value = value_at(t, (int64_t)i);
        bool is_same = value == wanted[i] || (isnan(value) && isnan(wanted[i]));
        cr_assert(is_same || fabs(value - wanted[i]) <= 1e-14 * (1 + fabs(wanted[i])),
                  "element %zu is %.17g, not %.17g", i, value, wanted[i]);
    }
}

static zc_tensor *nothing(bench b)
{
    return zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(2, 0), NULL, 0);
}

Test(statistics, var_and_std_are_distances_from_the_mean)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(OF(b.ctx, ZC_FLOAT64, 1, 3, 5, 7, 2, 2), ZC_SHAPE(2, 3));
    EXPECT(zc_var(x, ZC_AXES(0), 0, false), 9, 0.25, 2.25);
    EXPECT(zc_var(x, ZC_AXES(0), 1, false), 18, 0.5, 4.5);
    EXPECT(zc_std(x, ZC_AXES(-2), 0, true), 3, 0.5, 1.5);
    CLOSE(zc_var(x, ZC_ALL_AXES, 0, false), 92.0 / 6 - 100.0 / 9); /* mean 20 / 6, mean of squares 92 / 6 */
    expect_shape(zc_std(x, ZC_AXES(1), 0, true), ZC_SHAPE(2, 1));
    EXPECT(zc_var(x, ZC_NO_AXES, 0, false), 0, 0, 0, 0, 0, 0);
    /* More is taken away than there is: the sum of squares by 0. */
    EXPECT(zc_var(OF(b.ctx, ZC_FLOAT64, 1, 3), ZC_ALL_AXES, 5, false), INFINITY);
    CLOSE(zc_var(OF(b.ctx, ZC_FLOAT64, 3), ZC_ALL_AXES, 1, false), NAN);
    CLOSE(zc_std(nothing(b), ZC_AXES(1), 0, false), NAN, NAN);
    cr_assert_eq(zc_size(zc_var(nothing(b), ZC_AXES(0), 0, false)), 0);
    CLOSE(zc_var(OF(b.ctx, ZC_FLOAT64, 1, INFINITY), ZC_ALL_AXES, 0, false), NAN);
    finish(b);
}

Test(statistics, floats_keep_their_dtype_and_others_come_as_float64)
{
    bench b = begin();
    static const zc_dtype from[] = {ZC_BOOL, ZC_INT8, ZC_UINT64, ZC_FLOAT32, ZC_FLOAT64};
    for (size_t d = 0; d < sizeof from / sizeof *from; d++) {
        zc_tensor *x = OF(b.ctx, from[d], 1, 0, 1, 1);
        zc_dtype wanted = from[d] == ZC_FLOAT32 ? ZC_FLOAT32 : ZC_FLOAT64;
        zc_tensor *made[] = {zc_var(x, ZC_ALL_AXES, 0, false),
                             zc_std(x, ZC_ALL_AXES, 0, false),
                             zc_vector_norm(x, ZC_ALL_AXES, false, 0),
                             zc_vector_norm(x, ZC_ALL_AXES, false, 3),
                             zc_logsumexp(x, ZC_ALL_AXES, false),
                             zc_softmax(x, 0),
                             zc_log_softmax(x, 0)};
        for (size_t i = 0; i < sizeof made / sizeof *made; i++)
            cr_assert_eq(zc_dtype_of(made[i]), wanted, "function %zu of dtype %zu", i, d);
        cr_assert_eq(zc_dtype_of(zc_count_nonzero(x, ZC_ALL_AXES, false)), ZC_INT64);
        EXPECT(zc_var(x, ZC_ALL_AXES, 0, false), 0.1875);
        EXPECT(zc_count_nonzero(x, ZC_ALL_AXES, false), 3);
    }
    finish(b);
}

Test(statistics, count_nonzero_counts_what_is_not_zero)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(OF(b.ctx, ZC_FLOAT32, 0, -0.0, NAN, INFINITY, 1e-40, 0), ZC_SHAPE(2, 3));
    EXPECT(zc_count_nonzero(x, ZC_AXES(1), false), 1, 2);
    EXPECT(zc_count_nonzero(x, ZC_AXES(0), true), 1, 1, 1);
    EXPECT(zc_count_nonzero(nothing(b), ZC_AXES(1), false), 0, 0);
    EXPECT(zc_count_nonzero(zc_weak_int(b.ctx, 7), ZC_ALL_AXES, false), 1);
    finish(b);
}

/* As a contraction it would store the difference, and round each product together with its sum. */
Test(statistics, vector_norm_is_a_sum_of_squares_in_one_pass)
{
    bench b = begin();
    zc_tensor *x = NULL, *y = zc_full(b.ctx, ZC_SHAPE(300), ZC_FLOAT32, 0.1);
    cr_assert_eq(zc_materialize(zc_astype(count_to(b, ZC_SHAPE(50, 300)), ZC_FLOAT32), &x), ZC_OK);
    zc_tensor *apart = zc_subtract(x, y), *norms = zc_vector_norm(apart, ZC_AXES(1), false, 2);
    zc_tensor *roots = zc_sqrt(zc_sum(zc_square(apart), ZC_AXES(1), false));
    cr_expect_leq(cost_of(norms).peak_bytes, 50 * 4);
    for (int64_t i = 0; i < 50; i++)
        cr_assert_eq(value_at(norms, i), value_at(roots, i));
    finish(b);
}

Test(statistics, vector_norm_has_an_order)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(OF(b.ctx, ZC_INT32, 3, -4, 0, 0, 5, -12), ZC_SHAPE(2, 3));
    EXPECT(zc_vector_norm(x, ZC_AXES(1), false, 2), 5, 13);
    EXPECT(zc_vector_norm(x, ZC_AXES(1), false, 1), 7, 17);
    EXPECT(zc_vector_norm(x, ZC_AXES(1), true, 0), 2, 2);
    EXPECT(zc_vector_norm(x, ZC_AXES(0), false, INFINITY), 3, 5, 12);
    EXPECT(zc_vector_norm(x, ZC_AXES(0), false, -INFINITY), 0, 4, 0);
    CLOSE(zc_vector_norm(x, ZC_AXES(1), false, 3), cbrt(27 + 64), cbrt(125 + 1728));
    CLOSE(zc_vector_norm(zc_index(x, 0, 1), ZC_ALL_AXES, false, -1), 0);
    CLOSE(zc_vector_norm(OF(b.ctx, ZC_FLOAT64, 2, -2), ZC_ALL_AXES, false, -1), 1);
    EXPECT(zc_vector_norm(nothing(b), ZC_AXES(1), false, 2), 0, 0);
    EXPECT(zc_vector_norm(zc_weak_float(b.ctx, -2.5), ZC_ALL_AXES, false, 2), 2.5);
    finish(b);
}

Test(statistics, exponentials_do_not_overflow)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1000, 1000, 1000, 1000), *low = OF(b.ctx, ZC_FLOAT64, -2000, -2000);
    CLOSE(zc_logsumexp(x, ZC_ALL_AXES, false), 1000 + log(4));
    CLOSE(zc_logsumexp(low, ZC_ALL_AXES, true), -2000 + log(2));
    EXPECT(zc_softmax(x, 0), 0.25, 0.25, 0.25, 0.25);
    CLOSE(zc_log_softmax(low, -1), -log(2), -log(2));
    zc_tensor *mixed = zc_reshape(OF(b.ctx, ZC_FLOAT64, 0, log(3), -INFINITY, 0, 0, log(2)), ZC_SHAPE(2, 3));
    CLOSE(zc_softmax(mixed, 1), 0.25, 0.75, 0, 0.25, 0.25, 0.5);
    CLOSE(zc_softmax(mixed, 0), 0.5, 0.75, 0, 0.5, 0.25, 1);
    CLOSE(zc_log_softmax(mixed, 1), log(0.25), log(0.75), -INFINITY, log(0.25), log(0.25), log(0.5));
    CLOSE(zc_logsumexp(mixed, ZC_AXES(1), false), log(4), log(4));
    finish(b);
}

Test(statistics, exponentials_of_what_is_not_finite)
{
    bench b = begin();
    zc_tensor *low = OF(b.ctx, ZC_FLOAT64, -INFINITY, -INFINITY), *high = OF(b.ctx, ZC_FLOAT64, 1, INFINITY),
              *nan = OF(b.ctx, ZC_FLOAT64, 1, NAN);
    EXPECT(zc_logsumexp(low, ZC_ALL_AXES, false), -INFINITY);
    EXPECT(zc_logsumexp(high, ZC_ALL_AXES, false), INFINITY);
    CLOSE(zc_logsumexp(nan, ZC_ALL_AXES, false), NAN);
    CLOSE(zc_softmax(low, 0), NAN, NAN);
    CLOSE(zc_softmax(high, 0), 0, NAN);
    CLOSE(zc_log_softmax(nan, 0), NAN, NAN);
    /* No elements: the logarithm of an empty sum, and nothing to make softmax of. */
    EXPECT(zc_logsumexp(nothing(b), ZC_AXES(1), false), -INFINITY, -INFINITY);
    expect_shape(zc_logsumexp(nothing(b), ZC_AXES(1), true), ZC_SHAPE(2, 1));
    expect_shape(zc_logsumexp(nothing(b), ZC_AXES(0), false), ZC_SHAPE(0));
    expect_shape(zc_softmax(nothing(b), 1), ZC_SHAPE(2, 0));
    expect_shape(zc_log_softmax(nothing(b), 0), ZC_SHAPE(2, 0));
    EXPECT(zc_logsumexp(zc_weak_float(b.ctx, 3), ZC_NO_AXES, false), 3);
    finish(b);
}

Test(statistics, trace_sums_a_diagonal)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 3, 4));
    EXPECT(zc_trace(x, 0, 0, 1), 16, 18, 20, 22);
    EXPECT(zc_trace(x, 1, -2, -1), 1 + 6 + 11, 13 + 18 + 23);
    EXPECT(zc_trace(x, -1, 1, 2), 4 + 9, 16 + 21);
    EXPECT(zc_trace(x, 4, 1, 2), 0, 0);
    cr_assert_eq(zc_dtype_of(zc_trace(zc_astype(x, ZC_UINT8), 0, 0, 1)), ZC_UINT64);
    cr_assert_eq(zc_dtype_of(zc_trace(zc_astype(x, ZC_BOOL), 0, 0, 1)), ZC_INT64);
    EXPECT(zc_trace(nothing(b), 0, 0, 1), 0);
    finish(b);
}

Test(statistics, diff_subtracts_neighbours)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(OF(b.ctx, ZC_INT16, 1, 4, 9, 16, 5, 0, 2, 2), ZC_SHAPE(2, 4));
    EXPECT(zc_diff(x, 1, 1), 3, 5, 7, -5, 2, 0);
    EXPECT(zc_diff(x, -1, 2), 2, 2, 7, -2);
    EXPECT(zc_diff(x, 0, 1), 4, -4, -7, -14);
    EXPECT(zc_diff(x, 0, 0), 1, 4, 9, 16, 5, 0, 2, 2);
    expect_shape(zc_diff(x, 1, 4), ZC_SHAPE(2, 0));
    expect_shape(zc_diff(x, 1, INT64_MAX), ZC_SHAPE(2, 0));
    expect_shape(zc_diff(nothing(b), 1, 3), ZC_SHAPE(2, 0));
    EXPECT(zc_diff(OF(b.ctx, ZC_UINT8, 3, 1), 0, 1), 254);
    zc_tensor *truth = zc_diff(OF(b.ctx, ZC_BOOL, 1, 0, 0, 1), 0, 2);
    cr_assert_eq(zc_dtype_of(truth), ZC_BOOL);
    EXPECT(truth, 1, 1);
    finish(b);
}

/* Binomials with changing signs: the 20th difference of a power of 3 is 2^20 times that power. */
Test(statistics, many_differences_cost_no_more_than_they_must)
{
    bench b = begin();
    double powers[24] = {1};
    for (int i = 1; i < 24; i++)
        powers[i] = 3 * powers[i - 1];
    zc_tensor *x = values_of(b.ctx, ZC_INT64, 24, powers);
    EXPECT(zc_diff(x, 0, 20), 0x1p20, 3 * 0x1p20, 9 * 0x1p20, 27 * 0x1p20);
    cr_assert_lt(cost_of(zc_diff(zc_negative(x), 0, 20)).written_bytes, 24 * 20 * 8);
    finish(b);
}

/* docs/array_api.md tells both. */
Test(statistics, special_cases_where_numpy_and_the_standard_part)
{
    bench b = begin();
    zc_tensor *pair = OF(b.ctx, ZC_FLOAT64, 1, 2), *same = OF(b.ctx, ZC_FLOAT64, 3, 3);
    for (int correction = 2; correction < 4; correction++) {
        cr_expect_eq(value_at(zc_var(pair, ZC_ALL_AXES, correction, false), 0), (double)INFINITY);
        cr_expect_eq(value_at(zc_std(pair, ZC_ALL_AXES, correction, false), 0), (double)INFINITY);
        cr_expect(isnan(value_at(zc_var(same, ZC_ALL_AXES, correction, false), 0)));
    }
    const double parts[] = {1, 2, NAN, 4};
    zc_tensor *mean = zc_mean(zc_from_data(b.ctx, ZC_COMPLEX128, ZC_SHAPE(2), parts, sizeof parts), ZC_ALL_AXES, false);
    cr_expect(isnan(value_at(zc_real(mean), 0)));
    cr_expect_eq(value_at(zc_imag(mean), 0), 3);
    finish(b);
}

Test(statistics, wrong_calls_are_refused)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 3));
    expect_refused(b, zc_var(x, ZC_AXES(2), 0, false), ZC_ERROR_AXIS, "var: axis 2 is out of bounds for rank 2");
    expect_refused(b, zc_std(x, ZC_AXES(0, -2), 0, false), ZC_ERROR_ARGUMENT, "std: axis 0 is named twice");
    expect_refused(b, zc_var(x, ZC_ALL_AXES, NAN, false), ZC_ERROR_ARGUMENT, "var: the correction is not a number");
    expect_refused(b, zc_count_nonzero(x, ZC_AXES(5), false), ZC_ERROR_AXIS,
                   "count_nonzero: axis 5 is out of bounds for rank 2");
    expect_refused(b, zc_vector_norm(x, ZC_AXES(-3), false, 2), ZC_ERROR_AXIS,
                   "vector_norm: axis -3 is out of bounds for rank 2");
    expect_refused(b, zc_vector_norm(x, ZC_ALL_AXES, false, NAN), ZC_ERROR_ARGUMENT,
                   "vector_norm: the order is not a number");
    expect_refused(b, zc_vector_norm(nothing(b), ZC_ALL_AXES, false, -INFINITY), ZC_ERROR_ARGUMENT,
                   "vector_norm: no elements along the reduced axes of shape (2, 0)");
    expect_refused(b, zc_logsumexp(x, ZC_AXES(3), false), ZC_ERROR_AXIS,
                   "logsumexp: axis 3 is out of bounds for rank 2");
    expect_refused(b, zc_softmax(x, 2), ZC_ERROR_AXIS, "softmax: axis 2 is out of bounds for rank 2");
    expect_refused(b, zc_log_softmax(zc_index(zc_index(x, 0, 0), 0, 0), 0), ZC_ERROR_AXIS,
                   "log_softmax: axis 0 is out of bounds for rank 0");
    expect_refused(b, zc_diff(x, 2, 1), ZC_ERROR_AXIS, "diff: axis 2 is out of bounds for rank 2");
    expect_refused(b, zc_diff(x, 0, -1), ZC_ERROR_ARGUMENT, "diff: -1 times is negative");
    expect_refused(b, zc_trace(zc_index(x, 0, 0), 0, 0, 1), ZC_ERROR_SHAPE,
                   "trace: a diagonal needs rank 2 or more, not 1");
    expect_refused(b, zc_trace(x, 0, 0, -2), ZC_ERROR_ARGUMENT, "trace: a diagonal needs two axes, not 0 twice");
    finish(b);
}

/* ---- Membership ---- */

Test(statistics, isin_compares_every_element_with_every_value)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, NAN, -0.0, 4, 5), *values = OF(b.ctx, ZC_FLOAT32, 0, 5, NAN, 5);
    EXPECT(zc_isin(x, values), 0, 0, 1, 0, 1);
    EXPECT(zc_isin(x, zc_slice(values, 0, 0, 0, 1)), 0, 0, 0, 0, 0);
    EXPECT(zc_isin(x, zc_weak_int(b.ctx, 4)), 0, 0, 0, 1, 0);
    cr_assert_eq(zc_dtype_of(zc_isin(x, values)), ZC_BOOL);
    zc_tensor *table = zc_isin(count_to(b, ZC_SHAPE(2, 3)), zc_expand_dims(OF(b.ctx, ZC_INT8, 5, 0), 1));
    expect_shape(table, ZC_SHAPE(2, 3));
    EXPECT(table, 1, 0, 0, 0, 0, 1);
    zc_tensor *z = zc_complex(x, zc_multiply(x, zc_weak_int(b.ctx, 2)));
    EXPECT(zc_isin(z, zc_weak_complex(b.ctx, 4, 8)), 0, 0, 0, 1, 0);
    int64_t large[] = {INT64_MAX}, ones[ZC_MAX_RANK];
    zc_tensor *most = zc_from_data(b.ctx, ZC_INT64, ZC_SHAPE(1), large, sizeof large);
    EXPECT(zc_isin(most, zc_astype(most, ZC_UINT64)), 1);
    for (int a = 0; a < ZC_MAX_RANK; a++)
        ones[a] = 1;
    expect_refused(b, zc_isin(zc_full(b.ctx, ZC_MAX_RANK, ones, ZC_INT8, 1), x), ZC_ERROR_SHAPE,
                   "isin: x has 64 axes, and the values need one more");
    EXPECT(zc_isin(OF(b.ctx, ZC_INT8, 44, 1), zc_weak_int(b.ctx, 300)), 0, 0); /* by value: no int8 is 300 */
    zc_context *other = zc_context_new(NULL);
    zc_tensor *foreign = zc_iota(other, 3);
    expect_refused(b, zc_isin(x, foreign), ZC_ERROR_ARGUMENT,
                   "isin: operands belong to different contexts; zc_adopt brings them together");
    zc_release(foreign);
    zc_context_free(other);
    cr_assert_null(zc_isin(NULL, x));
    cr_assert_null(zc_isin(x, NULL));
    finish(b);
}

Test(statistics, nothing_makes_nothing)
{
    bench b = begin();
    cr_assert_null(zc_var(NULL, ZC_ALL_AXES, 0, false));
    cr_assert_null(zc_std(NULL, ZC_ALL_AXES, 0, false));
    cr_assert_null(zc_count_nonzero(NULL, ZC_ALL_AXES, false));
    cr_assert_null(zc_vector_norm(NULL, ZC_ALL_AXES, false, 2));
    cr_assert_null(zc_logsumexp(NULL, ZC_ALL_AXES, false));
    cr_assert_null(zc_softmax(NULL, 0));
    cr_assert_null(zc_log_softmax(NULL, 0));
    cr_assert_null(zc_softmax_sum(NULL, NULL, 0));
    cr_assert_null(zc_trace(NULL, 0, 0, 1));
    cr_assert_null(zc_diff(NULL, 0, 1));
    finish(b);
}

/* Log sums over axes of every kind: walked and by rule, in rows and in columns, and of more than a leaf. */
Test(statistics, logarithms_of_sums_of_exponentials)
{
    enum { ROWS = 37, COLUMNS = 1100 };
    bench b = begin();
    zc_random_begin("statistics/logsumexp");
    double x[ROWS][COLUMNS], by_rows[ROWS] = {0}, by_columns[COLUMNS] = {0}, all = 0;
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++) {
            x[r][c] = 60 * zc_random_double() - 30;
            by_rows[r] += exp(x[r][c]);
            by_columns[c] += exp(x[r][c]);
            all += exp(x[r][c]);
        }
    }
    zc_tensor *t = zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(ROWS, COLUMNS), x, sizeof x);
    zc_tensor *wide = zc_broadcast_to(zc_expand_dims(t, 1), ZC_SHAPE(3, ROWS, 7, COLUMNS));
    zc_tensor *of_rows = zc_logsumexp(wide, ZC_AXES(0, 2, 3), false), *of_columns = zc_logsumexp(t, ZC_AXES(0), false);
    for (int r = 0; r < ROWS; r++)
        cr_expect_float_eq(value_at(of_rows, r), log(21 * by_rows[r]), 1e-13, "row %d", r);
    for (int c = 0; c < COLUMNS; c++)
        cr_expect_float_eq(value_at(of_columns, c), log(by_columns[c]), 1e-13, "column %d", c);
    CLOSE(zc_logsumexp(t, ZC_ALL_AXES, false), log(all));
    CLOSE(zc_logsumexp(OF(b.ctx, ZC_FLOAT32, 0, -200, -87.5, -INFINITY), ZC_ALL_AXES, false), 0);
    CLOSE(zc_logsumexp(OF(b.ctx, ZC_FLOAT64, -1000, 0, -708.5), ZC_ALL_AXES, false), 0);
    EXPECT(zc_logsumexp(OF(b.ctx, ZC_FLOAT32, INFINITY, 3, INFINITY, -INFINITY), ZC_ALL_AXES, false), INFINITY);
    CLOSE(zc_logsumexp(OF(b.ctx, ZC_FLOAT64, INFINITY, NAN, -INFINITY), ZC_ALL_AXES, false), NAN);
    EXPECT(zc_logsumexp(zc_reshape(nothing(b), ZC_SHAPE(0, 16)), ZC_ALL_AXES, false), -INFINITY);
    EXPECT(zc_logsumexp(nothing(b), ZC_ALL_AXES, false), -INFINITY);
    CLOSE(zc_logsumexp(zc_broadcast_to(zc_weak_float(b.ctx, 2), ZC_SHAPE(5)), ZC_ALL_AXES, false), 2 + log(5));
    finish(b);
}

/* By what it is said to be, along either axis and of operands of one and more axes. */
Test(statistics, means_weighted_by_softmax)
{
    bench b = begin();
    const double ninf = -INFINITY;
    zc_tensor *scores = zc_reshape(OF(b.ctx, ZC_FLOAT64, 0, log(3), ninf, 0, 0, log(2)), ZC_SHAPE(2, 3));
    zc_tensor *values = zc_reshape(OF(b.ctx, ZC_FLOAT64, 1, 10, 5, 2, 7, 4), ZC_SHAPE(3, 2));
    zc_tensor *line = OF(b.ctx, ZC_INT32, 4, 8, 12);
    CLOSE(zc_softmax_sum(scores, values, 1), 4, 4, 5, 5);
    CLOSE(zc_softmax_sum(scores, line, -1), 7, 9);
    CLOSE(zc_softmax_sum(zc_index(scores, 0, 0), values, 0), 4, 4);
    CLOSE(zc_softmax_sum(zc_index(scores, 0, 1), line, 0), 9);
    CLOSE(zc_softmax_sum(zc_matrix_transpose(scores), values, 0), 4, 4, 5, 5);
    CLOSE(zc_softmax_sum(OF(b.ctx, ZC_FLOAT64, 1e4, ninf, 1e4), line, 0), 8);
    expect_shape(zc_softmax_sum(zc_broadcast_to(scores, ZC_SHAPE(5, 4, 2, 3)), zc_expand_dims(values, 0), -1),
                 ZC_SHAPE(5, 4, 2, 2));
    for (int s = ZC_BOOL; s < ZC_COMPLEX64; s++) {
        for (int v = ZC_BOOL; v <= ZC_COMPLEX128; v++) {
            const zc_tensor *x = zc_astype(scores, (zc_dtype)s), *y = zc_astype(values, (zc_dtype)v);
            cr_expect_eq(zc_dtype_of(zc_softmax_sum(x, y, 1)), zc_dtype_of(zc_matmul(zc_softmax(x, 1), y)), "%d %d", s,
                         v);
        }
    }
    zc_tensor *equal = zc_astype(OF(b.ctx, ZC_INT8, 0, 0), ZC_FLOAT16);
    CLOSE(zc_softmax_sum(equal, OF(b.ctx, ZC_INT64, 1000000, 3000000), 0), 2e6);
    CLOSE(zc_softmax_sum(OF(b.ctx, ZC_FLOAT64, ninf, ninf, ninf), line, 0), NAN);
    CLOSE(zc_softmax_sum(nothing(b), zc_reshape(nothing(b), ZC_SHAPE(0, 1)), 1), NAN, NAN);
    expect_refused(b, zc_softmax_sum(zc_astype(line, ZC_COMPLEX64), line, 0), ZC_ERROR_DTYPE,
                   "softmax_sum: takes real numbers, not complex64");
    expect_refused(b, zc_softmax_sum(scores, values, 2), ZC_ERROR_AXIS,
                   "softmax_sum: axis 2 is out of bounds for rank 2");
    expect_refused(b, zc_softmax_sum(scores, values, 0), ZC_ERROR_SHAPE,
                   "softmax_sum: the axes that are summed over differ: shapes (3, 2) and (3, 2)");
    finish(b);
}

/* Broadcast rows are made once; of a large tensor no more than its results and the largest element are written. */
Test(statistics, nothing_is_expanded)
{
    bench b = begin();
    const int64_t n = 1000, wide = 1000000;
    zc_tensor *row = zc_astype(zc_iota(b.ctx, n), ZC_FLOAT64), *x = zc_broadcast_to(row, ZC_SHAPE(wide, n));
    cr_assert_lt(cost_of(zc_var(x, ZC_ALL_AXES, 0, false)).written_bytes, 100 + n * 8);
    cr_assert_lt(cost_of(zc_logsumexp(x, ZC_AXES(1), false)).peak_bytes, 8 * wide + 1000);
    zc_tensor *window = zc_slice(zc_softmax(x, 1), 0, 5, 7, 1);
    cr_assert_lt(cost_of(window).written_bytes, 6 * n * 8, "rows are computed once and written to both places");
    cr_assert_leq(cost_of(window).peak_bytes, 3 * n * 8);
    CLOSE(zc_sum(window, ZC_AXES(1), false), 1, 1);
    CLOSE(zc_var(x, ZC_ALL_AXES, 0, false), (1e6 - 1) / 12);
    finish(b);
}

/* The result belongs to the scope that is open, and alone. */
Test(statistics, results_belong_to_the_callers_scope)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2, 3, 4), *out = NULL;
    zc_scope *inner = zc_scope_begin(b.ctx);
    zc_tensor *kept = zc_keep(zc_softmax(x, 0)), *deviation = zc_std(x, ZC_ALL_AXES, 0, false);
    cr_assert_eq(zc_materialize(deviation, &out), ZC_OK);
    zc_scope_end(inner);
    CLOSE(zc_sum(kept, ZC_ALL_AXES, false), 1);
    zc_release(kept);
    finish(b);
}
