/* The nearest of some places for each of some points in space. The matrix of their distances is never in memory. */
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

int main(int argc, char **argv)
{
    const unsigned n = program_size(argc, argv, 1000, 20000);
    const size_t bytes = 3 * n * sizeof(double);
    double *points = zeros(bytes), *places = zeros(bytes), distance, indices;
    fill_numbers(points, 3 * n, 1);
    fill_numbers(places, 3 * n, 2);
    zc_context *ctx = zc_context_new(NULL);
    zc_scope_begin(ctx); /* until the context ends */
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(n, 3), NULL, 0, points, bytes, NULL, NULL);
    zc_tensor *y = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(n, 3), NULL, 0, places, bytes, NULL, NULL);
    zc_tensor *d = zc_eval(ctx, "sum(square(x[:, None] - y), axis=2)", ZC_NAMED(x, y)), *made[2];
    zc_tensor *mean = zc_eval(ctx, "mean(sqrt(min(d, axis=1)))", ZC_NAMED(d));
    zc_tensor *sum = zc_eval(ctx, "sum(argmin(d, axis=1))", ZC_NAMED(d));
    const int failed =
        zc_materialize_all(ZC_TENSORS(mean, sum), made) || zc_item(made[0], &distance) || zc_item(made[1], &indices);
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx));
    else
        printf("mean distance %.12f\nsum of indices %.0f\n", distance, indices);
    zc_context_free(ctx);
    free(points);
    free(places);
    return failed;
}
