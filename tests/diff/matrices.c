#include "tests/diff/matrices.h"

#include <stdlib.h>

zc_tensor *numbers(zc_context *ctx, int64_t rows, int64_t columns)
{
    const int64_t count = rows * columns;
    float *values = malloc((size_t)count * sizeof *values);
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)((i * 2654435761) % 1000) / 8 - 60;
    zc_tensor *t = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(rows, columns), values, (size_t)count * sizeof *values);
    free(values);
    return t;
}

zc_tensor *standardized(const zc_tensor *x)
{
    return zc_divide(zc_subtract(x, zc_mean(x, ZC_AXES(0), false)), zc_std(x, ZC_AXES(0), 0, false));
}
