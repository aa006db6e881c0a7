#include "tests/api/values.h"

#include <math.h>

zc_tensor *values_of(zc_context *ctx, zc_dtype dtype, size_t count, const double *values)
{
    int64_t n = (int64_t)count;
    zc_tensor *doubles = zc_from_data(ctx, ZC_FLOAT64, 1, &n, values, count * sizeof *values);
    return zc_astype(doubles, dtype);
}

double value_at(const zc_tensor *t, int64_t i)
{
    zc_tensor *out = NULL, *as_double = zc_astype(zc_real(t), ZC_FLOAT64);
    return zc_materialize(as_double, &out) == ZC_OK ? ((const double *)zc_data(out))[i] : (double)NAN;
}

int64_t integer_at(const zc_tensor *t, int64_t i)
{
    zc_tensor *out = NULL, *as_integer = zc_astype(t, ZC_INT64);
    return zc_materialize(as_integer, &out) == ZC_OK ? ((const int64_t *)zc_data(out))[i] : INT64_MIN;
}

bench begin_with(zc_options options)
{
    bench b = {.ctx = zc_context_new(&options)};
    b.scope = zc_scope_begin(b.ctx);
    return b;
}

bench begin(void)
{
    return begin_with((zc_options){0});
}

void finish(bench b)
{
    zc_scope_end(b.scope);
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes, 0, "data memory is left");
    zc_context_free(b.ctx);
}

zc_tensor *numbers_in_memory(bench b, zc_dtype dtype, int64_t size)
{
    zc_tensor *out = NULL;
    zc_scope *scope = zc_scope_begin(b.ctx);
    cr_assert_eq(zc_materialize(zc_astype(zc_iota(b.ctx, size), dtype), &out), ZC_OK, "%s", zc_error_text(b.ctx));
    (void)zc_keep(out);
    zc_scope_end(scope);
    return out;
}

bool writes_at_once(zc_tensor **x, const zc_tensor *places, const zc_tensor *values)
{
    const zc_tensor *was = *x;
    cr_assert_eq(zc_assign(x, places, values), ZC_OK, "%s", zc_error_text(zc_context_of(was)));
    return *x == was;
}

zc_tensor *sum_of_all(const zc_tensor *t)
{
    return zc_sum(t, ZC_ALL_AXES, false);
}

zc_tensor *result_of(const zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return out;
}

zc_tensor *count_to(bench b, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    return zc_reshape(zc_iota(b.ctx, size), rank, shape);
}

void expect_values(const zc_tensor *t, size_t count, const double *wanted)
{
    zc_tensor *out = NULL;
    cr_assert_not_null(t, "nothing was recorded");
    cr_assert_eq(zc_materialize(zc_astype(t, ZC_FLOAT64), &out), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    cr_assert_eq(zc_size(t), (int64_t)count);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(((const double *)zc_data(out))[i], wanted[i], "element %zu is %g, not %g", i,
                     ((const double *)zc_data(out))[i], wanted[i]);
}

void expect_shape(const zc_tensor *t, int rank, const int64_t *shape)
{
    cr_assert_not_null(t, "nothing was recorded");
    cr_assert_eq(zc_rank(t), rank);
    for (int a = 0; a < rank; a++)
        cr_assert_eq(zc_shape(t)[a], shape[a], "axis %d has %ld elements", a, (long)zc_shape(t)[a]);
}

void expect_refused(bench b, const zc_tensor *t, zc_status status, const char *sentence)
{
    cr_assert_null(t, "this is not refused: %s", sentence);
    cr_assert_str_eq(zc_error_text(b.ctx), sentence);
    cr_assert_eq(zc_error_status(b.ctx), status);
    zc_error_clear(b.ctx);
}

zc_cost cost_of(const zc_tensor *t)
{
    zc_cost cost = {0};
    cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return cost;
}
