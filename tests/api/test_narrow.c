/*
 * What is made of 16-bit floats by several operations is computed in float32 and rounded in the end: the same as of the
 * operands converted to float32, with the result converted back.
 */
#include <string.h>

#include "tests/api/values.h"

typedef zc_tensor *make(const zc_tensor *x);

static zc_tensor *var(const zc_tensor *x)
{
    return zc_var(x, ZC_AXES(1), 1, false);
}

static zc_tensor *std(const zc_tensor *x)
{
    return zc_std(x, ZC_ALL_AXES, 0, true);
}

static zc_tensor *norm(const zc_tensor *x)
{
    return zc_vector_norm(x, ZC_AXES(0), false, 2);
}

static zc_tensor *logsumexp(const zc_tensor *x)
{
    return zc_logsumexp(x, ZC_AXES(1), false);
}

static zc_tensor *softmax_sum(const zc_tensor *x)
{
    return zc_softmax_sum(x, zc_matrix_transpose(x), 1);
}

static zc_tensor *softmax(const zc_tensor *x)
{
    return zc_softmax(x, 1);
}

static zc_tensor *cumulative_sum(const zc_tensor *x)
{
    return zc_cumulative_sum(x, 1, true);
}

static zc_tensor *cumulative_prod(const zc_tensor *x)
{
    return zc_cumulative_prod(x, 0, false);
}

static zc_tensor *matmul(const zc_tensor *x)
{
    return zc_matmul(x, zc_matrix_transpose(x));
}

static zc_tensor *vecdot(const zc_tensor *x)
{
    return zc_vecdot(x, x, -1);
}

static zc_tensor *tensordot(const zc_tensor *x)
{
    return zc_tensordot(x, x, ZC_AXES(1), (const int[]){1});
}

/* Twice the same positions, so that the gradient adds up. */
static zc_tensor *gradient_of_take(const zc_tensor *x)
{
    const int64_t positions[] = {0, 2, 0, 0};
    zc_tensor *at = zc_from_data(zc_context_of(x), ZC_INT64, ZC_SHAPE(4), positions, sizeof positions);
    zc_tensor *leaf = NULL;
    cr_assert_eq(zc_materialize(x, &leaf), ZC_OK);
    zc_tensor *sum = zc_sum(zc_multiply(zc_take(leaf, at, 0), zc_take(leaf, at, 0)), ZC_ALL_AXES, false);
    return zc_grad(sum, leaf);
}

static const struct {
    const char *name;
    make *make;
} made[] = {{"var", var},
            {"std", std},
            {"vector_norm", norm},
            {"logsumexp", logsumexp},
            {"softmax", softmax},
            {"softmax_sum", softmax_sum},
            {"cumulative_sum", cumulative_sum},
            {"cumulative_prod", cumulative_prod},
            {"matmul", matmul},
            {"vecdot", vecdot},
            {"tensordot", tensordot}};

/* Numbers whose sums and squares need more than 16 bits, and a row beyond what float16 can sum the squares of. */
static zc_tensor *numbers(zc_context *ctx, zc_dtype dtype)
{
    double values[60];
    for (int i = 0; i < 60; i++)
        values[i] = (i % 7 - 3.3) * (i < 20 ? 0.37 : i < 40 ? 1.9 : 90);
    return zc_reshape(values_of(ctx, dtype, 60, values), ZC_SHAPE(3, 20));
}

Test(narrow, compositions_are_rounded_in_the_end)
{
    static const zc_dtype dtypes[] = {ZC_FLOAT16, ZC_BFLOAT16};
    for (int d = 0; d < 2; d++) {
        for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
            bench b = begin();
            zc_tensor *x = numbers(b.ctx, dtypes[d]), *got = made[i].make(x);
            zc_tensor *wanted = zc_astype(made[i].make(zc_astype(x, ZC_FLOAT32)), dtypes[d]);
            cr_assert(got != NULL && wanted != NULL, "%s", zc_error_text(b.ctx));
            cr_assert_eq(zc_dtype_of(got), dtypes[d], "%s", made[i].name);
            cr_assert_eq(zc_size(got), zc_size(wanted));
            zc_tensor *same = zc_all(zc_equal(got, wanted), ZC_ALL_AXES, false);
            zc_tensor *both_nan = zc_any(zc_isnan(got), ZC_ALL_AXES, false);
            cr_assert_eq(value_at(same, 0), 1, "%s of %s", made[i].name, zc_dtype_name(dtypes[d]));
            cr_assert_eq(value_at(both_nan, 0), 0);
            finish(b);
        }
    }
}

Test(narrow, gradients_add_up_in_float32)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT16, 1.25, 7, -3), *gradient = gradient_of_take(x);
    cr_assert_eq(zc_dtype_of(gradient), ZC_FLOAT16);
    cr_assert_eq(value_at(gradient, 0), 7.5);
    cr_assert_eq(value_at(gradient, 1), 0);
    cr_assert_eq(value_at(gradient, 2), -6);
    finish(b);
}
