/* k-means: points are given to the nearest of some centers, which then move to the mean of their points. The distances
 * of all points from all centers are never in memory. */
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

enum { AXES = 4, CENTERS = 8, STEPS = 10 };

static int move(zc_context *ctx, const zc_tensor *x, zc_tensor **center, int step)
{
    double mean, first;
    zc_tensor *d = zc_eval(ctx, "sum(square(x[:, None] - c), axis=2)", "x, c", ZC_TENSORS(x, *center));
    zc_tensor *is_of = zc_eval(ctx, "argmin(d, axis=1)[:, None] == arange(8)", ZC_NAMED(d));
    zc_tensor *counts = zc_eval(ctx, "sum(is_of, axis=0)", ZC_NAMED(is_of));
    zc_tensor *next = zc_eval(ctx, "astype(is_of, float64).T @ x / counts[:, None]", ZC_NAMED(is_of, x, counts));
    zc_tensor *spread = zc_eval(ctx, "mean(min(d, axis=1))", ZC_NAMED(d)), *made[3];
    if (zc_materialize_all(ZC_TENSORS(next, spread, zc_index(counts, 0, 0)), made) || zc_replace(center, made[0]) ||
        zc_item(made[1], &mean) || zc_item(made[2], &first))
        return 1;
    printf("step %d: %.6f, of center 0 %.0f\n", step, mean, first);
    return 0;
}

int main(int argc, char **argv)
{
    const int n = program_size(argc, argv, 10000, 1000000);
    const size_t count = (size_t)n * AXES;
    double *points = malloc(count * sizeof *points);
    if (points == NULL)
        return 1;
    fill_numbers(points, count, 1);
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(n, AXES), NULL, 0, points, count * sizeof *points, NULL, NULL);
    zc_tensor *center = zc_slice(x, 0, 0, CENTERS, 1);
    int failed = 0;
    for (int step = 0; step < STEPS && !failed; step++) {
        zc_scope *scope = zc_scope_begin(ctx);
        failed = move(ctx, x, &center, step);
        zc_scope_end(scope);
    }
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx));
    zc_release(center);
    zc_release(x);
    zc_context_free(ctx);
    free(points);
    return failed;
}
