/* k-means: points are given to the nearest of some centers, which then move to the mean of their points. The distances
 * of all points from all centers are never in memory. */
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

enum { AXES = 4, CENTERS = 8 };

int main(int argc, char **argv)
{
    const unsigned n = program_size(argc, argv, 10000, 1000000);
    const size_t bytes = AXES * n * sizeof(double);
    double *points = zeros(bytes), mean, first;
    fill_numbers(points, AXES * n, 1);
    zc_context *ctx = zc_context_new(NULL);
    zc_scope_begin(ctx); /* until the context ends */
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(n, AXES), NULL, 0, points, bytes, NULL, NULL);
    zc_tensor *c = zc_slice(x, 0, 0, CENTERS, 1), *made[3];
    int failed = 0;
    for (int step = 0; step < 10 && !failed; step++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *d = zc_eval(ctx, "sum(square(x[:, None] - c), axis=2)", ZC_NAMED(x, c));
        zc_tensor *is_of = zc_eval(ctx, "argmin(d, axis=1)[:, None] == arange(d.shape[1])", ZC_NAMED(d));
        zc_tensor *counts = zc_sum(is_of, ZC_AXES(0), false);
        zc_tensor *next = zc_eval(ctx, "astype(is_of, float64).T @ x / counts[:, None]", ZC_NAMED(is_of, x, counts));
        zc_tensor *spread = zc_eval(ctx, "mean(min(d, axis=1))", ZC_NAMED(d));
        failed = zc_materialize_all(ZC_TENSORS(next, spread, zc_index(counts, 0, 0)), made) ||
                 zc_item(made[1], &mean) || zc_item(made[2], &first) || zc_replace(&c, made[0]);
        if (!failed)
            printf("step %d: %.6f, of center 0 %.0f\n", step, mean, first);
        zc_scope_end(scope);
    }
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx));
    zc_release(c);
    zc_context_free(ctx);
    free(points);
    return failed;
}
