/*
 * Gradients against finite differences, in float64: every differentiable operation, and what views, reductions and
 * rearranging make of them. Weights of f differ, so that gradients that end up in wrong places show.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { N = 6 };

/* A function of up to three tensors of shape (2, 3). */
typedef zc_tensor *function(zc_context *ctx, zc_tensor *const *x);

typedef struct subject {
    const char *name;
    function *f;
    int operands;
    double low, high; /* where the operands lie */
} subject;

/* sum(f(x) * w), with weights 1, 1/2, 1/3 ... over f's elements. */
static zc_tensor *weigh(zc_context *ctx, zc_tensor *y)
{
    cr_assert_not_null(y, "%s", zc_error_text(ctx));
    zc_tensor *index = zc_reshape(zc_iota(ctx, zc_size(y)), zc_rank(y), zc_shape(y));
    zc_tensor *w = zc_reciprocal(zc_add(index, zc_weak_float(ctx, 1)));
    return zc_sum(zc_multiply(y, w), ZC_ALL_AXES, false);
}

static double number_of(zc_context *ctx, zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    return *(const double *)zc_data(out);
}

static zc_tensor *tensor_of(zc_context *ctx, const double *values)
{
    return zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2, 3), values, N * sizeof(double));
}

static double evaluate(const subject *s, double values[3][N])
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x[3];
    for (int k = 0; k < s->operands; k++)
        x[k] = tensor_of(ctx, values[k]);
    double result = number_of(ctx, weigh(ctx, s->f(ctx, x)));
    zc_scope_end(scope);
    zc_context_free(ctx);
    return result;
}

/* Central differences, twice, extrapolated: the error goes with the fourth power of the step. */
static double difference(const subject *s, double values[3][N], int k, int i)
{
    double at = values[k][i], step = 1e-3 * (1 + fabs(at)), slopes[2];
    for (int half = 0; half < 2; half++, step /= 2) {
        values[k][i] = at + step;
        double above = evaluate(s, values);
        values[k][i] = at - step;
        slopes[half] = (above - evaluate(s, values)) / (2 * step);
    }
    values[k][i] = at;
    return (4 * slopes[1] - slopes[0]) / 3;
}

static void check_gradients(zc_context *ctx, const subject *s, zc_tensor *const *x, double values[3][N])
{
    zc_tensor *gradients[3];
    cr_assert_eq(zc_vjp(weigh(ctx, s->f(ctx, x)), NULL, s->operands, (const zc_tensor *const *)x, gradients), ZC_OK,
                 "%s: %s", s->name, zc_error_text(ctx));
    for (int k = 0; k < s->operands; k++) {
        zc_tensor *out = NULL;
        cr_assert_eq(zc_materialize(gradients[k], &out), ZC_OK, "%s: %s", s->name, zc_error_text(ctx));
        cr_assert_eq(zc_rank(out), 2);
        for (int i = 0; i < N; i++) {
            double wanted = difference(s, values, k, i), got = ((const double *)zc_data(out))[i];
            cr_assert_leq(fabs(got - wanted), 1e-6 * (1 + fabs(wanted)), "%s: operand %d, element %d: %.12g, not %.12g",
                          s->name, k, i, got, wanted);
        }
    }
}

static void check_subject(const subject *s)
{
    double values[3][N];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < N; i++)
            values[k][i] = s->low + (s->high - s->low) * (double)zc_random_range(1, 999) / 1000;
    }
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x[3];
    for (int k = 0; k < s->operands; k++)
        x[k] = tensor_of(ctx, values[k]);
    check_gradients(ctx, s, x, values);
    zc_scope_end(scope);
    cr_assert_eq(zc_memory_usage(ctx).held_bytes, 0, "%s: data memory is left", s->name);
    zc_context_free(ctx);
}

#define FUNCTION(name, expression)                                                                                     \
    static zc_tensor *name(zc_context *ctx, zc_tensor *const *x)                                                       \
    {                                                                                                                  \
        (void)ctx;                                                                                                     \
        return expression;                                                                                             \
    }

#define FUNCTION_OF_1(op) FUNCTION(f_##op, zc_##op(x[0]))
#define FUNCTION_OF_2(op) FUNCTION(f_##op, zc_##op(x[0], x[1]))
#define FUNCTION_OF_3(op) FUNCTION(f_##op, zc_##op(x[0], x[1], x[2]))

#define GRADIENT_OPERATION(op, operands, low, high) FUNCTION_OF_##operands(op)
#include "tests/api/gradient_operations.def"
#undef GRADIENT_OPERATION

FUNCTION(remainders, zc_remainder(zc_add(x[0], zc_weak_int(ctx, 5)), zc_add(x[1], zc_weak_int(ctx, 2))))
FUNCTION(quotients, zc_floor_divide(zc_add(x[0], zc_weak_int(ctx, 5)), zc_add(x[1], zc_weak_int(ctx, 2))))
FUNCTION(selected, zc_where(zc_less(x[0], x[1]), x[1], zc_square(x[2])))
FUNCTION(converted, zc_square(zc_astype(x[0], ZC_FLOAT64)))

Test(gradients, every_operation_agrees_with_finite_differences)
{
    static const subject subjects[] = {
#define GRADIENT_OPERATION(op, operands, low, high) {#op, f_##op, operands, low, high},
#include "tests/api/gradient_operations.def"
#undef GRADIENT_OPERATION
        {"remainder", remainders, 2, 0.1, 0.2},
        {"floor_divide", quotients, 2, 0.1, 0.2},
        {"where", selected, 3, -2, 2},
        {"astype", converted, 1, -2, 2},
    };
    zc_random_begin("gradients/operations");
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
        check_subject(&subjects[k]);
}

/* ---- Views, reductions, rearranging ---- */

FUNCTION(broadcast, zc_exp(zc_broadcast_to(zc_expand_dims(x[0], 1), ZC_SHAPE(4, 2, 5, 3))))
FUNCTION(outer_sum, zc_tanh(zc_add(zc_expand_dims(x[0], 2), zc_expand_dims(x[1], 1))))
FUNCTION(transposed, zc_multiply(zc_square(zc_matrix_transpose(x[0])), zc_reshape(x[1], ZC_SHAPE(3, 2))))
FUNCTION(sliced, zc_square(zc_slice(zc_slice(x[0], 1, ZC_NONE, ZC_NONE, -2), 0, 1, 2, 1)))
FUNCTION(overlapping, zc_square(zc_as_strided(x[0], ZC_SHAPE(3, 3), (const int64_t[]){1, 1}, 1)))
FUNCTION(windows, zc_exp(zc_sliding_window_view(x[0], ZC_SHAPE(2), ZC_AXES(1))))
FUNCTION(diagonal, zc_exp(zc_diagonal(x[0], 1, 0, 1)))
FUNCTION(shared, zc_add(zc_multiply(x[0], zc_flip(x[0], ZC_ALL_AXES)), zc_exp(x[0])))
FUNCTION(sum, zc_square(zc_sum(zc_exp(x[0]), ZC_AXES(0), true)))
FUNCTION(mean, zc_exp(zc_mean(x[0], ZC_AXES(1), false)))
FUNCTION(prod, zc_prod(zc_add(x[0], x[1]), ZC_AXES(1), false))
FUNCTION(largest, zc_square(zc_max(x[0], ZC_AXES(1), false)))
FUNCTION(smallest, zc_square(zc_min(x[0], ZC_ALL_AXES, false)))
FUNCTION(variance, zc_var(x[0], ZC_AXES(1), 1, false))
FUNCTION(softmax, zc_softmax(zc_multiply(x[0], x[1]), 1))
FUNCTION(weighted, zc_softmax_sum(x[0], zc_matrix_transpose(x[1]), 1))
FUNCTION(logsumexp, zc_logsumexp(x[0], ZC_AXES(0), false))
FUNCTION(matmul, zc_matmul(x[0], zc_matrix_transpose(x[1])))
FUNCTION(cumulative, zc_square(zc_cumulative_sum(x[0], 1, true)))
FUNCTION(products, zc_cumulative_prod(zc_add(x[0], zc_weak_float(ctx, 3)), 0, false))
FUNCTION(concatenated, zc_square(zc_concat(ctx, 3, (const zc_tensor *const[]){x[0], x[1], x[0]}, 1)))
FUNCTION(padded, zc_exp(zc_pad(x[0], 2, (const int64_t[]){1, 2}, (const int64_t[]){0, 3}, ZC_PAD_REFLECT, NULL)))
FUNCTION(rolled, zc_multiply(zc_roll(x[0], 1, (const int64_t[]){2}, (const int[]){1}), x[1]))
FUNCTION(tiled, zc_square(zc_slice(zc_tile(x[0], 2, (const int64_t[]){2, 3}), 1, 1, 8, 1)))
FUNCTION(repeated, zc_exp(zc_repeat(x[0], 3, 0)))

static zc_tensor *positions(zc_context *ctx)
{
    return zc_remainder(zc_multiply(zc_iota(ctx, 7), zc_weak_int(ctx, 5)), zc_weak_int(ctx, 3));
}

FUNCTION(taken, zc_exp(zc_take(zc_square(x[0]), positions(ctx), 1)))
FUNCTION(scaled,
         zc_square(zc_add(zc_take(x[0], zc_slice(positions(ctx), 0, 0, 2, 1), 1), zc_take(x[1], zc_iota(ctx, 2), 1))))

FUNCTION(along, zc_multiply(zc_take_along_axis(x[0], zc_argmax(x[1], ZC_AXES(1), true), 1), x[1]))

/* The gradient of something that already holds gradients: of a broadcast, a slice, and a take. */
static zc_tensor *second(zc_context *ctx, zc_tensor *const *x)
{
    zc_tensor *taken = zc_take(zc_tanh(x[0]), positions(ctx), 1);
    zc_tensor *y = zc_multiply(zc_sum(zc_exp(taken), ZC_AXES(1), true), zc_slice(x[0], 1, 0, 2, 1));
    return zc_multiply(zc_grad(y, x[0]), x[1]);
}

Test(gradients, views_and_rearranging_agree_with_finite_differences)
{
    static const subject subjects[] = {
        {"broadcast", broadcast, 1, -1, 1},
        {"outer_sum", outer_sum, 2, -1, 1},
        {"transposed", transposed, 2, -1, 1},
        {"sliced", sliced, 1, -1, 1},
        {"overlapping", overlapping, 1, -1, 1},
        {"windows", windows, 1, -1, 1},
        {"diagonal", diagonal, 1, -1, 1},
        {"shared", shared, 1, -1, 1},
        {"sum", sum, 1, -1, 1},
        {"mean", mean, 1, -1, 1},
        {"prod", prod, 2, -1, 1},
        {"max", largest, 1, -1, 1},
        {"min", smallest, 1, -1, 1},
        {"var", variance, 1, -1, 1},
        {"softmax", softmax, 2, -1, 1},
        {"softmax_sum", weighted, 2, -1, 1},
        {"logsumexp", logsumexp, 1, -1, 1},
        {"matmul", matmul, 2, -1, 1},
        {"cumulative_sum", cumulative, 1, -1, 1},
        {"cumulative_prod", products, 1, -1, 1},
        {"concat", concatenated, 2, -1, 1},
        {"pad", padded, 1, -1, 1},
        {"roll", rolled, 2, -1, 1},
        {"tile", tiled, 1, -1, 1},
        {"repeat", repeated, 1, -1, 1},
        {"take", taken, 1, -1, 1},
        {"two takes", scaled, 2, -1, 1},
        {"take_along_axis", along, 2, -1, 1},
        {"gradient of a gradient", second, 2, -1, 1},
    };
    zc_random_begin("gradients/views");
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
        check_subject(&subjects[k]);
}

/* ---- What finite differences cannot tell ---- */

static void expect_values(zc_context *ctx, zc_tensor *t, const double *values, int count)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_size(out), count);
    for (int i = 0; i < count; i++)
        cr_assert_float_eq(((const double *)zc_data(out))[i], values[i], 1e-12, "element %d is %g, not %g", i,
                           ((const double *)zc_data(out))[i], values[i]);
}

/* Products around zeros, by hand: for each element the products of all others. */
Test(gradients, products_with_zeros)
{
    static const double one[] = {2, 0, 3, 4}, two[] = {2, 0, 3, 0}, one_wanted[] = {0, 24, 0, 0}, none[] = {0, 0, 0, 0};
    /* Running products of 2 0 3 4: by the first, 1; by the second, 2 + 6 + 24; nothing after it. */
    static const double running[] = {1, 32, 0, 0}, running_two[] = {1, 2 + 6, 0, 0};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(4), one, sizeof one);
    zc_tensor *y = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(4), two, sizeof two);
    expect_values(ctx, zc_grad(zc_prod(x, ZC_ALL_AXES, false), x), one_wanted, 4);
    expect_values(ctx, zc_grad(zc_prod(y, ZC_ALL_AXES, false), y), none, 4);
    expect_values(ctx, zc_grad(zc_cumulative_prod(x, 0, false), x), running, 4);
    expect_values(ctx, zc_grad(zc_cumulative_prod(y, 0, false), y), running_two, 4);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- Gradients of gradients at zeros ---- */

FUNCTION(slope_of_prod, zc_grad(weigh(ctx, zc_prod(x[0], ZC_AXES(1), false)), x[0]))
FUNCTION(slope_of_all, zc_grad(zc_prod(x[0], ZC_ALL_AXES, false), x[0]))
FUNCTION(slope_of_broadcast, zc_grad(zc_prod(zc_broadcast_to(x[0], ZC_SHAPE(2, 2, 3)), ZC_AXES(0, 2), false), x[0]))
FUNCTION(slope_of_products, zc_grad(weigh(ctx, zc_cumulative_prod(x[0], 1, false)), x[0]))
FUNCTION(slope_of_columns, zc_grad(weigh(ctx, zc_cumulative_prod(x[0], 0, true)), x[0]))
FUNCTION(third_of_prod, zc_grad(zc_multiply(slope_of_all(ctx, x), zc_exp(x[0])), x[0]))
FUNCTION(third_of_products, zc_grad(zc_multiply(slope_of_products(ctx, x), zc_exp(x[0])), x[0]))

static void check_at(const subject *s, const double *at)
{
    double values[3][N];
    memcpy(values[0], at, sizeof values[0]);
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = tensor_of(ctx, at);
    check_gradients(ctx, s, &x, values);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* A product is a polynomial, so its slopes beside a zero say what they are at it. */
Test(gradients, of_gradients_of_products_with_zeros)
{
    static const double few[][N] = {
        {2, 0, -3, 0.5, 4, 1.5}, {0, 2, 3, 1, -0.0, 0}, {2, 0, 0, 5, 1, 3}, {0, 2, 0, 2, 0, 3}, {-1, 2, 0.5, 3, 2, 1}};
    static const double many[][N] = {{0, 0, 0, 2, 3, 4}, {0, 2, 0, 0, 0, 5}, {0, 0, 0, 0, 0, 0}, {3, 0, 0, 0, 0, 2}};
    static const subject second[] = {{"prod", slope_of_prod, 1, 0, 0},
                                     {"prod of all", slope_of_all, 1, 0, 0},
                                     {"prod of a broadcast", slope_of_broadcast, 1, 0, 0},
                                     {"cumulative_prod", slope_of_products, 1, 0, 0},
                                     {"cumulative_prod of columns", slope_of_columns, 1, 0, 0}};
    static const subject third[] = {{"third of prod", third_of_prod, 1, 0, 0},
                                    {"third of cumulative_prod", third_of_products, 1, 0, 0}};
    for (size_t k = 0; k < sizeof second / sizeof *second; k++) {
        for (size_t i = 0; i < sizeof few / sizeof *few; i++)
            check_at(&second[k], few[i]);
        for (size_t i = 0; i < sizeof many / sizeof *many; i++)
            check_at(&second[k], many[i]);
    }
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        check_at(&third[0], few[i]);
        check_at(&third[1], few[i]);
    }
}

/* Gradients where operands are infinite, or r has no slope: the limit, if there is one, else what the manual says. */
Test(gradients, of_limits_are_the_limits)
{
    enum { COUNT = 8 };
    static const double x[COUNT] = {INFINITY, -INFINITY, INFINITY, 0, 2, 0, 3, INFINITY};
    static const double y[COUNT] = {0, -INFINITY, INFINITY, -INFINITY, -INFINITY, 0, 4, -INFINITY};
    static const double added_x[COUNT] = {1, 0.5, 0.5, 1, 1, 0.5, 0.26894142136999512, 1};
    static const double added_y[COUNT] = {0, 0.5, 0.5, 0, 0, 0.5, 0.73105857863000488, 0};
    static const double half = 0.70710678118654752440;
    static const double distant_x[COUNT] = {1, -half, half, 0, 0, 0, 0.6, half};
    static const double distant_y[COUNT] = {0, -half, half, -1, -1, 0, 0.8, -half};
    static const double signs[COUNT] = {INFINITY, -INFINITY, NAN, 0, -0.0, 1, -1, -NAN};
    static const double signed_x[COUNT] = {1, 1, 1, 1, -1, 1, -1, -1}, zeros[COUNT] = {0};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *a = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(COUNT), x, sizeof x);
    zc_tensor *b = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(COUNT), y, sizeof y);
    zc_tensor *s = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(COUNT), signs, sizeof signs);
    expect_values(ctx, zc_grad(zc_logaddexp(a, b), a), added_x, COUNT);
    expect_values(ctx, zc_grad(zc_logaddexp(a, b), b), added_y, COUNT);
    expect_values(ctx, zc_grad(zc_hypot(a, b), a), distant_x, COUNT);
    expect_values(ctx, zc_grad(zc_hypot(a, b), b), distant_y, COUNT);
    expect_values(ctx, zc_grad(zc_copysign(a, s), a), signed_x, COUNT);
    expect_values(ctx, zc_grad(zc_copysign(a, s), s), zeros, COUNT);
    zc_tensor *third = zc_slice(b, 0, 5, 6, 1);
    expect_values(ctx,
                  zc_grad(zc_grad(zc_logaddexp(third, zc_full(ctx, ZC_SCALAR_SHAPE, ZC_FLOAT64, 0)), third), third),
                  (const double[]){0.25}, 1);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Steps of a rule must not leave the range of a dtype that holds its result: squares of distances, and the number of
 * equals that share. */
Test(gradients, results_within_a_dtypes_range_are_found)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_full(ctx, ZC_SHAPE(1), ZC_FLOAT64, 1e200), *y = zc_full(ctx, ZC_SHAPE(1), ZC_FLOAT64, 1e200);
    expect_values(ctx, zc_multiply(zc_grad(zc_atan2(x, y), x), x), (const double[]){0.5}, 1);
    expect_values(ctx, zc_multiply(zc_grad(zc_atan2(x, y), y), x), (const double[]){-0.5}, 1);
    zc_tensor *narrow = zc_full(ctx, ZC_SCALAR_SHAPE, ZC_FLOAT16, 1);
    zc_tensor *most = zc_max(zc_broadcast_to(narrow, ZC_SHAPE(100000)), ZC_ALL_AXES, false);
    cr_assert_float_eq(number_of(ctx, zc_astype(zc_grad(most, narrow), ZC_FLOAT64)), 1, 0.01);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* nGraph's own example of Broadcast: delta of ones over (2, 3) comes back as its sum over the broadcast axes. */
Test(gradients, a_broadcast_gets_the_sum_over_its_axes)
{
    static const double three[] = {1, 2, 3}, twos[] = {2, 2, 2}, six[] = {6}, zero[] = {0};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(3), three, sizeof three);
    zc_tensor *s = zc_from_data(ctx, ZC_FLOAT64, ZC_SCALAR_SHAPE, three, sizeof *three);
    expect_values(ctx, zc_grad(zc_ngraph_broadcast(x, ZC_SHAPE(2, 3), ZC_AXES(0)), x), twos, 3);
    expect_values(ctx, zc_grad(zc_ngraph_broadcast(s, ZC_SHAPE(2, 3), ZC_AXES(0, 1)), s), six, 1);
    expect_values(ctx, zc_grad(zc_broadcast_to(s, ZC_SHAPE(0, 4)), s), zero, 1);
    expect_values(ctx, zc_grad(zc_stablehlo_broadcast_in_dim(x, ZC_SHAPE(3, 2), ZC_AXES(0)), x), twos, 3);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Places that cross the rows of what is differentiated, whose own gradient repeats a row: each element gets what stands
 * in its column. */
Test(gradients, of_a_gradient_seen_where_rows_are_crossed)
{
    enum { STEP = 4 };
    double values[N * N], weights[N], wanted[N * N] = {0};
    for (int i = 0; i < N * N; i++) {
        values[i] = i + 1;
        weights[i % N] = 10 + i % N;
    }
    for (int at = 0; at < N * N; at += STEP)
        wanted[at] = 2 * weights[at % N];
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(N, N), values, sizeof values), *second = NULL;
    zc_tensor *v = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(N), weights, sizeof weights);
    zc_tensor *crossing = zc_as_strided(zc_copy(x), 1, (const int64_t[]){N * N / STEP}, (const int64_t[]){STEP}, 0);
    zc_tensor *first = zc_grad(zc_sum(zc_square(crossing), ZC_ALL_AXES, false), x);
    zc_tensor *columns = zc_sum(first, ZC_AXES(0), false);
    cr_assert_eq(zc_vjp(columns, v, 1, (const zc_tensor *const[]){x}, &second), ZC_OK, "%s", zc_error_text(ctx));
    expect_values(ctx, second, wanted, N * N);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* One element, taken at a position that is a scalar. */
Test(gradients, of_one_element_taken)
{
    static const double values[] = {1, 2, 3}, wanted[] = {0, 4, 0};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(3), values, sizeof values);
    zc_tensor *y = zc_square(zc_take(x, zc_weak_int(ctx, 1), 0)), *first = zc_grad(y, x);
    expect_values(ctx, first, wanted, 3);
    static const double twos[] = {0, 2, 0};
    expect_values(ctx, zc_grad(first, x), twos, 3);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* A (10^7, 10^7) broadcast and its gradient take next to no memory. */
Test(gradients, nothing_of_the_size_of_a_broadcast_is_held)
{
    zc_context *ctx = zc_context_new(&(zc_options){.memory_limit = 1 << 16});
    zc_scope *scope = zc_scope_begin(ctx);
    double one = 1;
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SCALAR_SHAPE, &one, sizeof one);
    zc_tensor *y = zc_sum(zc_exp(zc_broadcast_to(x, ZC_SHAPE(10000000, 10000000))), ZC_ALL_AXES, false);
    cr_assert_float_eq(number_of(ctx, y) / 1e14, exp(1), 1e-12);
    cr_assert_float_eq(number_of(ctx, zc_grad(y, x)) / 1e14, exp(1), 1e-12);
    cr_assert_leq(zc_memory_usage(ctx).peak_bytes, 1024);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Two x of one node, one of them a part; a tensor that y does not depend on; a delta. */
Test(gradients, several_tensors_at_once)
{
    static const double values[] = {1, 2, 3, 4, 5, 6}, part[] = {-4, -6}, whole[] = {2, -4, -6, 8, 0, 0},
                        zeros[6] = {0};
    static const double delta[] = {1, -1, -1, 1};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(6), values, sizeof values);
    zc_tensor *other = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(6), values, sizeof values);
    zc_tensor *d = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(4), delta, sizeof delta);
    zc_tensor *y = zc_square(zc_slice(x, 0, 0, 4, 1)), *out[3];
    const zc_tensor *by[] = {x, zc_slice(x, 0, 1, 3, 1), other};
    cr_assert_eq(zc_vjp(y, d, 3, by, out), ZC_OK, "%s", zc_error_text(ctx));
    expect_values(ctx, out[0], whole, 6);
    expect_values(ctx, out[1], part, 2);
    expect_values(ctx, out[2], zeros, 6);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

static void expect_refused(zc_context *ctx, const zc_tensor *y, const zc_tensor *delta, const zc_tensor *x,
                           zc_status status, const char *fragment)
{
    zc_tensor *out = (zc_tensor *)(uintptr_t)x;
    zc_error_clear(ctx);
    cr_assert_eq(zc_vjp(y, delta, 1, &x, &out), status, "%s", zc_error_text(ctx));
    cr_assert_null(out);
    cr_assert_not_null(strstr(zc_error_text(ctx), fragment), "%s", zc_error_text(ctx));
}

Test(gradients, what_has_none_is_refused)
{
    zc_context *ctx = zc_context_new(NULL), *foreign = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    double values[] = {1, 2, 3};
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(3), values, sizeof values);
    zc_tensor *i = zc_iota(ctx, 3), *b = zc_broadcast_to(x, ZC_SHAPE(2, 3)), *f = zc_adopt(foreign, x);
    expect_refused(ctx, x, NULL, i, ZC_ERROR_DTYPE, "x is int64");
    expect_refused(ctx, i, NULL, x, ZC_ERROR_DTYPE, "y is int64");
    expect_refused(ctx, zc_exp(b), NULL, b, ZC_ERROR_ARGUMENT, "repeats elements, as constants do; take variable()");
    expect_refused(ctx, zc_nextafter(x, x), NULL, x, ZC_ERROR_ARGUMENT, "nextafter has no gradient");
    expect_refused(ctx, zc_exp(x), b, x, ZC_ERROR_SHAPE, "delta has shape (2, 3), but y has (3,)");
    expect_refused(ctx, x, NULL, f, ZC_ERROR_ARGUMENT, "different contexts");
    expect_refused(ctx, x, f, x, ZC_ERROR_ARGUMENT, "different contexts");
    zc_error_clear(ctx);
    zc_tensor *out = x;
    cr_assert_eq(zc_vjp(NULL, NULL, 1, &(const zc_tensor *){x}, &out), ZC_ERROR_ARGUMENT);
    zc_error_clear(ctx);
    cr_assert(out == NULL && zc_grad(i, x) == NULL);
    cr_assert_str_eq(zc_error_text(ctx), "grad: y is int64; floats have gradients");
    zc_error_clear(ctx);
    cr_assert_eq(zc_vjp(x, NULL, 1, NULL, NULL), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_vjp(NULL, NULL, 0, NULL, NULL), ZC_ERROR_ARGUMENT);
    cr_assert_null(zc_grad(x, NULL));
    zc_release(f);
    zc_scope_end(scope);
    zc_context_free(foreign);
    zc_context_free(ctx);
}

/* A chain that is deeper than any stack: 1 + 10^5 * 2^-20, term by term. */
Test(gradients, deep_chains_are_walked_without_recursion)
{
    enum { DEPTH = 100000 };
    zc_skip_of_one_thread();
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    double one = 1;
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SCALAR_SHAPE, &one, sizeof one), *y = x;
    for (int i = 0; i < DEPTH; i++)
        y = zc_add(y, x);
    cr_assert_float_eq(number_of(ctx, zc_grad(y, x)), DEPTH + 1, 1e-6);
    zc_scope_end(scope);
    zc_context_free(ctx);
}
