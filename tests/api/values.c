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
    zc_tensor *out = NULL, *as_double = zc_astype(t, ZC_FLOAT64);
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
