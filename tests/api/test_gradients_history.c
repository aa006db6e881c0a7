/* Gradients in the middle of a graph. */
#include <math.h>

#include "tests/support/zc_test.h"
#include "zerocast.h"

/* What lies before the first of those that are differentiated by is not walked: nothing there needs a gradient, and a
 * loop takes the gradient of each step in time that does not depend on the steps before. */
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
