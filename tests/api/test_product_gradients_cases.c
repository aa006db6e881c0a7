/*
 * Gradients of prod and cumulative_prod: cases by hand, axes that repeat elements, the same bits from all executors,
 * and higher orders against polynomials of small integers, where every sum is exact.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

/* ---- By hand ---- */

static void expect_values(zc_context *ctx, zc_tensor *t, const double *wanted, int count)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_size(out), count);
    for (int i = 0; i < count; i++) {
        double got = ((const double *)zc_data(out))[i];
        cr_assert(got == wanted[i], "element %d of %d is %a, not %a", i, count, got, wanted[i]);
    }
}

Test(product_gradients, exist_where_the_product_is_out_of_range)
{
    static const struct {
        int n;
        double x[3], prod[3], cumulative[3];
    } cases[] = {{2, {1e-200, 1e-200}, {1e-200, 1e-200}, {1, 1e-200}},
                 {2, {1e200, 1e200}, {1e200, 1e200}, {1e200, 1e200}},
                 {3, {INFINITY, 2, 3}, {6, INFINITY, INFINITY}, {9, INFINITY, INFINITY}},
                 {3, {1e-200, 1e200, 1e200}, {INFINITY, 1, 1}, {INFINITY, 1, 1}},
                 {1, {0}, {1}, {1}}};
    zc_context *ctx = zc_context_new(NULL);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        zc_scope *scope = zc_scope_begin(ctx);
        size_t bytes = (size_t)cases[c].n * sizeof(double);
        zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(cases[c].n), cases[c].x, bytes);
        expect_values(ctx, zc_grad(zc_prod(x, ZC_ALL_AXES, false), x), cases[c].prod, cases[c].n);
        expect_values(ctx, zc_grad(zc_cumulative_prod(x, 0, false), x), cases[c].cumulative, cases[c].n);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

/* Products of 16-bit floats are made in float32, where they stay in range. */
Test(product_gradients, of_16_bit_floats_are_made_in_float32)
{
    static const double values[] = {0x1p-12, 0x1p-12, 0x1p14, 0x1p14}, wanted[] = {0x1p16, 0x1p16, 0x1p-10, 0x1p-10};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_astype(zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(4), values, sizeof values), ZC_BFLOAT16);
    expect_values(ctx, zc_astype(zc_grad(zc_prod(x, ZC_ALL_AXES, false), x), ZC_FLOAT64), wanted, 4);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* By x, also of what does not depend on it: derivatives of high orders are 0. */
static zc_tensor *slope_of(const zc_tensor *y, const zc_tensor *x)
{
    zc_tensor *gradient = NULL;
    (void)zc_vjp(y, NULL, 1, &x, &gradient);
    return gradient;
}

/* ---- Axes along which an operand repeats its elements ---- */

static double number_of(zc_context *ctx, zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    return *(const double *)zc_data(out);
}

/* n x^(n-1), and n (n-1) x^(n-2); logarithms in long double, so that what is near 1 keeps its digits. */
static double power_slope(double x, int64_t n, int order)
{
    double factor = order == 1 ? (double)n : (double)n * (double)(n - 1);
    if (n < order)
        return 0;
    return n == order ? factor : (double)(factor * powl((long double)x, (long double)(n - order)));
}

/* Nothing is of the axis's length: neither memory nor time. */
Test(product_gradients, along_a_broadcast_are_powers)
{
    static const int64_t lengths[] = {1, 2, 3, 1000, INT64_C(1000000000000)};
    static const double bases[] = {0, -0.0, 1, -1, 1 + 0x1p-42, 1 - 0x1p-40, -1 - 0x1p-41, 0.5, INFINITY};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 1 << 16});
    for (size_t k = 0; k < sizeof bases / sizeof *bases * (sizeof lengths / sizeof *lengths); k++) {
        double base = bases[k % (sizeof bases / sizeof *bases)];
        int64_t n = lengths[k / (sizeof bases / sizeof *bases)];
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SCALAR_SHAPE, &base, sizeof base);
        zc_tensor *first = zc_grad(zc_prod(zc_broadcast_to(x, ZC_SHAPE(n)), ZC_ALL_AXES, false), x);
        for (int order = 1; order <= 2; order++) {
            double got = number_of(ctx, order == 1 ? first : slope_of(first, x)), wanted = power_slope(base, n, order);
            bool is_near = got == wanted || fabs(got - wanted) <= 4 * DBL_EPSILON * fabs(wanted);
            cr_assert(is_near, "order %d: n %lld, x %a: %a, not %a", order, (long long)n, base, got, wanted);
        }
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

/* Function of x, of shape (3,), that is seen along axes that repeat elements, and along one that does not. */
typedef zc_tensor *repeater(zc_tensor *x, int64_t n);

static zc_tensor *repeat_before(zc_tensor *x, int64_t n)
{
    return zc_broadcast_to(x, ZC_SHAPE(n, 3));
}

static zc_tensor *repeat_after(zc_tensor *x, int64_t n)
{
    return zc_square(zc_broadcast_to(zc_expand_dims(x, 1), ZC_SHAPE(3, n)));
}

static zc_tensor *repeat_computed(zc_tensor *x, int64_t n)
{
    zc_tensor *wide = zc_exp(zc_broadcast_to(zc_expand_dims(x, 1), ZC_SHAPE(3, n)));
    return zc_matrix_transpose(zc_concat(zc_context_of(x), 2, (const zc_tensor *const[]){wide, zc_negative(wide)}, 0));
}

static zc_tensor *repeat_reduced(zc_tensor *x, int64_t n)
{
    return zc_cumulative_sum(zc_sum(zc_broadcast_to(zc_expand_dims(x, 1), ZC_SHAPE(2, 3, n)), ZC_AXES(0), false), 0,
                             false);
}

/* The same for few repetitions as where nothing is known to be repeated, and for 10^12 in no more memory. */
Test(product_gradients, do_not_walk_repeated_axes)
{
    static repeater *const repeaters[] = {repeat_before, repeat_after, repeat_computed, repeat_reduced};
    static const double values[] = {0.75, -1.25, 1.5};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 1 << 16});
    for (size_t k = 0; k < sizeof repeaters / sizeof *repeaters; k++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(3), values, sizeof values), *out = NULL;
        zc_tensor *few = repeaters[k](x, 5), *delta = NULL;
        cr_assert_eq(zc_materialize(few, &delta), ZC_OK, "%s", zc_error_text(ctx));
        zc_tensor *others = zc_grad(zc_prod(delta, ZC_ALL_AXES, false), delta);
        cr_assert_eq(zc_vjp(few, others, 1, (const zc_tensor *const[]){x}, &out), ZC_OK);
        zc_tensor *error = zc_subtract(zc_grad(zc_prod(few, ZC_ALL_AXES, false), x), out);
        zc_tensor *size = zc_max(zc_abs(out), ZC_ALL_AXES, false);
        cr_assert_leq(number_of(ctx, zc_max(zc_abs(zc_divide(error, size)), ZC_ALL_AXES, false)), 100 * DBL_EPSILON,
                      "%zu", k);
        zc_tensor *many = repeaters[k](x, INT64_C(1000000000000));
        cr_assert_eq(zc_materialize(zc_grad(zc_prod(many, ZC_ALL_AXES, false), x), &out), ZC_OK, "%zu: %s", k,
                     zc_error_text(ctx));
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

/* ---- Executors ---- */

/* Gradients of running products along an axis of `n`, of which `seen` elements are looked at, for all executors. */
static void expect_same_bits(int64_t rows, int64_t n, int axis, int64_t seen)
{
    static const zc_options ways[] = {
        {.executor = ZC_EXECUTOR_REFERENCE, .threads = 1}, {.threads = 1}, {.threads = 2}};
    zc_tensor *out[3] = {NULL};
    zc_context *ctx[3];
    for (int w = 0; w < 3; w++) {
        ctx[w] = zc_context_new(&ways[w]);
        zc_scope *scope = zc_scope_begin(ctx[w]);
        const int64_t shape[2] = {axis == 1 ? rows : n, axis == 1 ? n : rows};
        zc_tensor *index = zc_reshape(zc_iota(ctx[w], rows * n), 2, shape);
        zc_tensor *x = zc_add(zc_sin(zc_astype(index, ZC_FLOAT64)), zc_weak_float(ctx[w], 0.875));
        zc_tensor *y = zc_add(zc_cumulative_prod(x, axis, false), zc_prod(x, 1, &axis, true));
        zc_tensor *weights = zc_divide(index, zc_weak_float(ctx[w], 7)), *slope = NULL;
        cr_assert_eq(zc_vjp(y, weights, 1, (const zc_tensor *const[]){x}, &slope), ZC_OK);
        cr_assert_eq(zc_materialize(zc_slice(slope, axis, 0, seen, 1), &out[w]), ZC_OK);
        (void)zc_keep(out[w]);
        zc_scope_end(scope);
    }
    for (int w = 1; w < 3; w++)
        cr_assert_eq(memcmp(zc_data(out[0]), zc_data(out[w]), (size_t)zc_size(out[0]) * sizeof(double)), 0,
                     "(%lld, %lld) along %d, seen %lld, way %d", (long long)rows, (long long)n, axis, (long long)seen,
                     w);
    for (int w = 0; w < 3; w++) {
        zc_release(out[w]);
        zc_context_free(ctx[w]);
    }
}

Test(product_gradients, have_the_same_bits_from_all_executors)
{
    static const int64_t lengths[] = {1, 2, 3, 17, 1023, 1025, 20000};
    for (int axis = 0; axis < 2; axis++) {
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            expect_same_bits(1, lengths[k], axis, lengths[k]);
            expect_same_bits(3, lengths[k], axis, 1);
            expect_same_bits(600, lengths[k] % 1000, axis, (lengths[k] + 1) / 2 % 1000);
        }
    }
}

/* ---- Higher orders ---- */

enum { ORDERS = 4, SMALL = 7 };

/* The coefficient of t^order in the product of x[k] + v[k] t over k from 0 to `last` without one. */
static double find_coefficient(const double *x, const double *v, int last, int without, int order)
{
    double polynomial[ORDERS + 1] = {1};
    for (int k = 0; k <= last; k++) {
        for (int power = order; power >= 0 && k != without; power--)
            polynomial[power] = x[k] * polynomial[power] + (power > 0 ? v[k] * polynomial[power - 1] : 0);
    }
    return polynomial[order];
}

/* The gradient of f's derivative along v, taken `order` times. */
static void check_orders(const double *x, const double *v, int n, bool is_running)
{
    double wanted[SMALL], factorial = 1;
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *t = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(n), x, (size_t)n * sizeof *x);
    zc_tensor *along = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(n), v, (size_t)n * sizeof *v);
    zc_tensor *y = is_running ? zc_cumulative_prod(t, 0, false) : zc_prod(t, ZC_ALL_AXES, false);
    for (int order = 0; order < ORDERS; order++) {
        zc_tensor *gradient = slope_of(y, t);
        for (int i = 0; i < n; i++) {
            wanted[i] = 0;
            for (int j = is_running ? i : n - 1; j < n; j++)
                wanted[i] += factorial * find_coefficient(x, v, j, i, order);
        }
        expect_values(ctx, gradient, wanted, n);
        y = zc_sum(zc_multiply(gradient, along), ZC_ALL_AXES, false);
        factorial *= order + 1;
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Integers of which any number are 0. */
Test(product_gradients, of_any_order_are_right_at_zeros)
{
    zc_skip_of_one_thread();
    zc_random_begin("product_gradients/orders");
    for (int i = 0; i < zc_test_count(400); i++) {
        double x[SMALL], v[SMALL];
        int n = (int)zc_random_range(1, SMALL);
        for (int k = 0; k < n; k++) {
            x[k] = (double)(zc_random_bool() ? 0 : zc_random_range(-3, 3));
            v[k] = (double)zc_random_range(-2, 3);
        }
        check_orders(x, v, n, i % 2 == 0);
    }
}
