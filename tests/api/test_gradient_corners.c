/*
 * Gradients where formulas end: at corners the subgradient of least size, and zero for elements that were not chosen,
 * whatever the slope is there. Expected values are derivatives by hand; the law compares with the function of the
 * chosen elements alone.
 */
#include <math.h>

#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { COUNT = 4 };

typedef zc_tensor *function(zc_context *ctx, const zc_tensor *x);

#define FUNCTION(name, value)                                                                                          \
    static zc_tensor *name(zc_context *ctx, const zc_tensor *x)                                                        \
    {                                                                                                                  \
        (void)ctx;                                                                                                     \
        return value;                                                                                                  \
    }

#define NUMBER(value) zc_weak_float(ctx, value)
#define ALL           ZC_ALL_AXES, false

FUNCTION(norm, zc_vector_norm(x, ALL, 2))
FUNCTION(norm_of_order_3, zc_vector_norm(x, ALL, 3))
FUNCTION(norm_of_order_half, zc_vector_norm(x, ALL, 0.5))
FUNCTION(norm_by_hand, zc_sqrt(zc_sum(zc_multiply(x, x), ALL)))
FUNCTION(norm_by_powers, zc_sqrt(zc_sum(zc_pow(x, NUMBER(2)), ALL)))
FUNCTION(norm_of_a_product, zc_sqrt(zc_matmul(x, x)))
FUNCTION(root_mean_square, zc_sqrt(zc_mean(zc_square(x), ALL)))
FUNCTION(root_by_pow, zc_pow(zc_sum(zc_square(x), ALL), NUMBER(0.5)))
FUNCTION(root_by_cbrt, zc_cbrt(zc_sum(zc_abs(x), ALL)))
FUNCTION(standard_deviation, zc_std(x, ALL, 0))
FUNCTION(standard_deviation_of_float32, zc_std(zc_astype(x, ZC_FLOAT32), ALL, 1))
FUNCTION(root_of_a_mixture,
         zc_sqrt(zc_sum(zc_add(zc_multiply(zc_square(x), NUMBER(3)), zc_divide(zc_abs(x), NUMBER(2))), ALL)))
FUNCTION(root_of_a_root, zc_sqrt(zc_sqrt(zc_sum(zc_copy(zc_astype(zc_hypot(x, x), ZC_FLOAT32)), ALL))))
FUNCTION(root_of_even_powers, zc_sqrt(zc_sum(zc_pow(zc_abs(zc_pow(x, NUMBER(4))), NUMBER(1.5)), ALL)))
FUNCTION(root_of_fourth_powers, zc_sqrt(zc_sum(zc_pow(x, NUMBER(4)), ALL)))
FUNCTION(size_of_one_element, zc_sqrt(zc_multiply(zc_index(x, 0, 1), zc_index(x, 0, 1))))
FUNCTION(root_of_a_negative_power, zc_pow(zc_sum(zc_square(x), ALL), NUMBER(-0.5)))
FUNCTION(root_across,
         zc_sqrt(zc_sum(zc_multiply(zc_reshape(x, ZC_SHAPE(2, 2)), zc_matrix_transpose(zc_reshape(x, ZC_SHAPE(2, 2)))),
                        ALL)))
FUNCTION(root_of_a_cube, zc_sqrt(zc_sum(zc_pow(x, NUMBER(3)), ALL)))
FUNCTION(root_of_a_power_of_itself, zc_sqrt(zc_sum(zc_pow(x, x), ALL)))
FUNCTION(root_of_a_negated_square, zc_sqrt(zc_sum(zc_multiply(zc_square(x), NUMBER(-1)), ALL)))
FUNCTION(root_of_taken_squares, zc_sqrt(zc_take(zc_square(x), zc_iota(ctx, 4), 0)))
FUNCTION(root_of_a_product, zc_sqrt(zc_matmul(x, zc_flip(x, ZC_ALL_AXES))))
FUNCTION(root_by_an_array, zc_pow(zc_sum(zc_square(x), ALL), zc_multiply(x, NUMBER(0.5))))
FUNCTION(plain_root, zc_sqrt(x))
FUNCTION(root_of_a_sum, zc_sqrt(zc_sum(x, ALL)))
FUNCTION(root_where_positive, zc_where(zc_greater(x, NUMBER(0)), zc_sqrt(x), NUMBER(0)))
FUNCTION(logarithm_where_positive, zc_where(zc_greater(x, NUMBER(0)), zc_log(x), NUMBER(0)))
FUNCTION(quotient_where_positive, zc_where(zc_greater(x, NUMBER(0)), zc_divide(NUMBER(1), x), NUMBER(0)))
FUNCTION(exponential_where_small, zc_where(zc_less(x, NUMBER(10)), zc_exp(x), x))
FUNCTION(product_where_small, zc_where(zc_less(x, NUMBER(10)), zc_multiply(x, zc_exp(x)), NUMBER(0)))
FUNCTION(largest_of_roots, zc_max(zc_sqrt(x), ALL))
FUNCTION(roots_or_one, zc_maximum(zc_sqrt(x), NUMBER(1)))
FUNCTION(clipped_roots, zc_clip(zc_sqrt(x), NUMBER(1), NUMBER(9)))
FUNCTION(relu_of_roots, zc_relu(zc_sqrt(x)))
FUNCTION(size_of_roots, zc_abs(zc_sqrt(x)))
FUNCTION(one_root, zc_index(zc_sqrt(x), 0, 1))
FUNCTION(last_roots, zc_slice(zc_sqrt(x), 0, 1, ZC_NONE, 1))
FUNCTION(taken_roots, zc_take(zc_sqrt(x), zc_add(zc_iota(ctx, 3), zc_weak_int(ctx, 1)), 0))
FUNCTION(chosen_row, zc_where(zc_greater(x, NUMBER(0)),
                              zc_sum(zc_expand_dims(zc_sqrt(x), 1), 1, (const int[]){1}, false), NUMBER(0)))
FUNCTION(chosen_product, zc_where(zc_greater(x, NUMBER(0)),
                                  zc_prod(zc_expand_dims(zc_exp(x), 1), 1, (const int[]){1}, false), NUMBER(0)))

static const struct {
    const char *name;
    function *f;
    double x[COUNT], wanted[COUNT];
} corners[] = {
#define CORNER(f, ...)                                                                                                 \
    {                                                                                                                  \
#f, f, __VA_ARGS__                                                                                             \
    }
    CORNER(norm, {0, 0, 0, 0}, {0, 0, 0, 0}),
    CORNER(norm, {0, 3, 0, 4}, {0, 0.6, 0, 0.8}),
    CORNER(norm_of_order_3, {0, 0, 0, 0}, {0, 0, 0, 0}),
    CORNER(norm_of_order_3, {0, -2, 0, 0}, {0, -1, 0, 0}),
    CORNER(norm_of_order_half, {0, 0, 0, 0}, {0, 0, 0, 0}),
    CORNER(norm_of_order_half, {0, 4, 0, 0}, {0, 1, 0, 0}),
    CORNER(norm_by_hand, {0, 0, 0, 0}, {0, 0, 0, 0}),
    CORNER(norm_by_powers, {0, -0.0, 0, 0}, {0, 0, 0, 0}),
    CORNER(norm_of_a_product, {0, 0, 0, 0}, {0, 0, 0, 0}),
    CORNER(root_mean_square, {0, 0, 0, 0}, {0, 0, 0, 0}),
    CORNER(root_by_pow, {0, 0, 0, 0}, {0, 0, 0, 0}),
    CORNER(root_by_cbrt, {0, 0, 0, 0}, {0, 0, 0, 0}),
    CORNER(root_of_a_mixture, {0, 0, 0, 0}, {0, 0, 0, 0}),
    CORNER(root_of_a_root, {0, 0, 0, 0}, {0, 0, 0, 0}),
    CORNER(root_of_even_powers, {0, 0, 0, 0}, {0, 0, 0, 0}),
    CORNER(root_of_fourth_powers, {0, 0, 0, 0}, {0, 0, 0, 0}),
    CORNER(size_of_one_element, {1, 0, 1, 1}, {0, 0, 0, 0}),
    CORNER(standard_deviation, {3, 3, 3, 3}, {0, 0, 0, 0}),
    CORNER(standard_deviation_of_float32, {3, 3, 3, 3}, {0, 0, 0, 0}),
    CORNER(plain_root, {0, 4, 1, 16}, {INFINITY, 0.25, 0.5, 0.125}),
    CORNER(root_of_a_sum, {1, -1, 2, -2}, {INFINITY, INFINITY, INFINITY, INFINITY}),
    CORNER(root_where_positive, {0, 4, -1, 16}, {0, 0.25, 0, 0.125}),
    CORNER(logarithm_where_positive, {0, 4, -1, 0.5}, {0, 0.25, 0, 2}),
    CORNER(quotient_where_positive, {0, 4, -0.0, 0.5}, {0, -0.0625, 0, -4}),
    CORNER(exponential_where_small, {1000, 0, INFINITY, 0}, {1, 1, 1, 1}),
    CORNER(product_where_small, {1000, 0, INFINITY, 0}, {0, 1, 0, 1}),
    CORNER(largest_of_roots, {0, 4, 0, 1}, {0, 0.25, 0, 0}),
    CORNER(roots_or_one, {0, 4, 0, 16}, {0, 0.25, 0, 0.125}),
    CORNER(clipped_roots, {0, 4, 0, 100}, {0, 0.25, 0, 0}),
    CORNER(relu_of_roots, {0, 4, 0, 16}, {0, 0.25, 0, 0.125}),
    CORNER(size_of_roots, {0, 4, 0, 16}, {0, 0.25, 0, 0.125}),
    CORNER(one_root, {0, 4, 0, 1}, {0, 0.25, 0, 0}),
    CORNER(last_roots, {0, 4, 1, 1}, {0, 0.25, 0.5, 0.5}),
    CORNER(taken_roots, {0, 4, 1, 1}, {0, 0.25, 0.5, 0.5}),
    CORNER(chosen_row, {0, 4, -1, 1}, {0, 0.25, 0, 0.5}),
    CORNER(chosen_product, {-INFINITY, 0, 1, -1}, {0, 0, M_E, 0}),
#undef CORNER
};

static void expect(zc_context *ctx, const zc_tensor *gradient, const double *wanted, const char *name)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(gradient, &out), ZC_OK, "%s: %s", name, zc_error_text(ctx));
    const double *got = zc_data(out);
    for (int i = 0; i < COUNT; i++) {
        bool is_right = got[i] == wanted[i] || fabs(got[i] - wanted[i]) <= 1e-14 * fabs(wanted[i]);
        cr_expect(is_right, "%s: element %d is %.17g, not %.17g", name, i, got[i], wanted[i]);
    }
}

Test(gradient_corners, are_subgradients_of_least_size)
{
    zc_context *ctx = zc_context_new(NULL);
    for (size_t c = 0; c < sizeof corners / sizeof *corners; c++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(COUNT), corners[c].x, sizeof corners[c].x);
        expect(ctx, zc_grad(corners[c].f(ctx, x), x), corners[c].wanted, corners[c].name);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

static zc_tensor *root_of_a_tower(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *t = zc_square(x);
    for (int level = 0; level < 20; level++)
        t = zc_add(t, zc_square(x));
    return zc_sqrt(zc_sum(zc_add(t, NUMBER(0)), ALL));
}

/* Slopes of a root are what the formula says where nothing tells that its operand is never negative. */
Test(gradient_corners, other_roots_keep_their_slope)
{
    static function *const roots[] = {
        root_of_a_cube,    root_of_a_power_of_itself, root_of_a_negated_square, root_of_taken_squares,
        root_of_a_product, root_by_an_array,          root_of_a_negative_power, root_across,
        root_of_a_tower};
    zc_context *ctx = zc_context_new(NULL);
    for (size_t r = 0; r < sizeof roots / sizeof *roots; r++) {
        zc_scope *scope = zc_scope_begin(ctx);
        const double values[COUNT] = {1, 2, 1, 2};
        zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(COUNT), values, sizeof values), *out = NULL;
        cr_assert_eq(zc_materialize(zc_grad(roots[r](ctx, x), x), &out), ZC_OK, "root %zu: %s", r, zc_error_text(ctx));
        cr_expect_neq(*(const double *)zc_data(out), 0, "root %zu", r);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

/* Zeros of delta choose, too. */
Test(gradient_corners, a_delta_of_zero_hands_on_zero)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const double values[COUNT] = {0, 4, 0, 16}, chosen[COUNT] = {0, 1, 0, 2}, wanted[COUNT] = {0, 0.25, 0, 0.25};
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(COUNT), values, sizeof values);
    const zc_tensor *delta = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(COUNT), chosen, sizeof chosen), *by = x;
    zc_tensor *gradient = NULL;
    cr_assert_eq(zc_vjp(zc_sqrt(x), delta, 1, &by, &gradient), ZC_OK, "%s", zc_error_text(ctx));
    expect(ctx, gradient, wanted, "sqrt");
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Every differentiable operation of one operand, at places where it has no slope, under where() and without them. */
Test(gradient_corners, where_gives_the_gradient_of_the_chosen_elements_alone)
{
    static const struct {
        const char *name;
        zc_tensor *(*f)(const zc_tensor *x);
    } operations[] = {
#define GRADIENT_OPERATION(name, operands, ...) GRADIENT_OF_##operands(name)
#define GRADIENT_OF_1(name)                     {#name, zc_##name},
#define GRADIENT_OF_2(name)
#define GRADIENT_OF_3(name)
#include "tests/api/gradient_operations.def"
#undef GRADIENT_OPERATION
    };
    static const double edges[] = {0, -0.0, 1, -1, -2, 1e308, -1e308, INFINITY, -INFINITY, NAN};
    enum { EDGES = sizeof edges / sizeof *edges };
    zc_context *ctx = zc_context_new(NULL);
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        zc_scope *scope = zc_scope_begin(ctx);
        double values[EDGES + 1] = {[EDGES] = 0.75};
        for (int i = 0; i < EDGES; i++)
            values[i] = edges[i];
        bool take[EDGES + 1] = {[EDGES] = true};
        zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(EDGES + 1), values, sizeof values);
        zc_tensor *condition = zc_from_data(ctx, ZC_BOOL, ZC_SHAPE(EDGES + 1), take, sizeof take);
        zc_tensor *alone = zc_from_data(ctx, ZC_FLOAT64, 0, NULL, &values[EDGES], sizeof(double));
        zc_tensor *got = NULL, *wanted = NULL;
        zc_tensor *y = zc_where(condition, operations[k].f(x), NUMBER(7));
        cr_assert_eq(zc_materialize(zc_grad(y, x), &got), ZC_OK, "%s: %s", operations[k].name, zc_error_text(ctx));
        cr_assert_eq(zc_materialize(zc_grad(operations[k].f(alone), alone), &wanted), ZC_OK);
        const double *gradient = zc_data(got);
        for (int i = 0; i < EDGES; i++)
            cr_expect_eq(gradient[i], 0, "%s at %g: %g", operations[k].name, edges[i], gradient[i]);
        double own = gradient[EDGES], same = *(const double *)zc_data(wanted);
        cr_expect(own == same || (isnan(own) && isnan(same)), "%s: %g, not %g", operations[k].name, own, same);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

/* A norm at zero is a corner, too, where the squares were computed or picked before they were added. */
Test(gradient_corners, of_roots_of_computed_squares)
{
    static const double values[COUNT] = {0, 0, 4, -2}, wanted[COUNT] = {0, 0, 1, -1};
    enum { WAYS = 4 };
    zc_context *ctx = zc_context_new(NULL);
    for (int way = 0; way < WAYS; way++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = zc_variable(zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(COUNT), values, sizeof values));
        zc_tensor *square = zc_square(x), *computed = NULL, *gradient = NULL;
        if (way == 0)
            cr_assert_eq(zc_materialize(square, &computed), ZC_OK, "%s", zc_error_text(ctx));
        else if (way == 1)
            cr_assert_eq(zc_sort(square, 0, true, &computed), ZC_OK, "%s", zc_error_text(ctx));
        else if (way == 2)
            cr_assert_eq(zc_compact(zc_flip(square, ZC_ALL_AXES), &computed), ZC_OK, "%s", zc_error_text(ctx));
        else
            computed = zc_take(square, zc_iota(ctx, COUNT), 0);
        zc_tensor *roots = zc_sqrt(zc_sum(zc_expand_dims(computed, 1), 1, (const int[]){1}, false));
        cr_assert_eq(zc_materialize(zc_grad(roots, x), &gradient), ZC_OK, "%s", zc_error_text(ctx));
        for (int i = 0; i < COUNT; i++)
            cr_expect_eq(((const double *)zc_data(gradient))[i], wanted[i], "way %d, element %d", way, i);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}
