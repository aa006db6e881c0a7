/* Gradients in the middle of a graph. */
#include <math.h>

#include "tests/api/values.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

/* Nodes before the first of those that are differentiated by are not walked: none there needs a gradient, and a loop
 * takes the gradient of each step in time that does not depend on the steps before. */
Test(gradients, what_was_recorded_before_x_needs_no_gradient)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const double values[] = {1, -2, 4};
    zc_tensor *a = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(3), values, sizeof values);
    zc_tensor *x = zc_nextafter(a, a), *between = zc_exp(x), *y = zc_multiply(zc_square(x), between);
    zc_tensor *gradient = NULL, *both[2] = {NULL, NULL};
    cr_assert_eq(zc_materialize(zc_grad(y, x), &gradient), ZC_OK, "%s", zc_error_text(ctx));
    for (int i = 0; i < 3; i++) { /* (x^2 + 2 x) exp(x) */
        double v = values[i], wanted = (v * v + 2 * v) * exp(v);
        cr_expect_float_eq(((const double *)zc_data(gradient))[i], wanted, 1e-12 * fabs(wanted));
    }
    const zc_tensor *const of[] = {between, x}; /* the later one is made of the other */
    cr_assert_eq(zc_vjp(y, NULL, 2, of, both), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_materialize(both[0], &gradient), ZC_OK);
    cr_expect_eq(((const double *)zc_data(gradient))[2], 16);
    cr_assert_eq(zc_materialize(both[1], &gradient), ZC_OK);
    cr_expect_float_eq(((const double *)zc_data(gradient))[2], 24 * exp(4), 1e-9);
    cr_expect_null(zc_grad(y, a), "nextafter has no gradient");
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* A tensor of numbers alone, which is not in memory, and what is computed of it, with the plan found again. */
static zc_tensor *of_numbers(zc_context *ctx)
{
    return zc_multiply(zc_astype(zc_iota(ctx, 3), ZC_FLOAT64), zc_weak_float(ctx, 0.5));
}

/* Elements that were computed from no buffer remember the nodes that they were computed from. */
Test(gradients, of_what_was_computed_from_numbers_is_refused)
{
    zc_context *ctx = zc_context_new(NULL);
    for (int time = 0; time < 3; time++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = of_numbers(ctx), *y = result_of(zc_square(x));
        cr_expect_null(zc_grad(sum_of_all(y), x), "%d", time);
        cr_expect_null(zc_grad(sum_of_all(result_of(zc_exp(y))), x), "%d", time);
        zc_error_clear(ctx);
        cr_expect_not_null(zc_grad(sum_of_all(zc_square(x)), x));
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

/* Data that is computed while the parameters are there is not made of them; bits tell it apart, but for a few. */
Test(gradients, besides_what_was_computed_from_others_are_given)
{
    enum { TIMES = 20 };
    int given = 0;
    zc_context *ctx = zc_context_new(NULL);
    for (int time = 0; time < TIMES; time++) {
        zc_scope *scope = zc_scope_begin(ctx);
        const double values[] = {1, -2, 4};
        zc_tensor *x = zc_negative(of_numbers(ctx)), *of = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(3), values, 24);
        zc_tensor *data = result_of(time % 2 == 0 ? zc_square(of) : zc_square(zc_astype(zc_iota(ctx, 3), ZC_FLOAT64)));
        given += zc_grad(sum_of_all(zc_multiply(data, x)), x) != NULL;
        zc_error_clear(ctx);
        zc_scope_end(scope);
    }
    cr_expect_geq(given, TIMES - 2);
    zc_context_free(ctx);
}
