/* Statistics of a long series over a moving window: mean and standard deviation, and what lies outside of a band. The
 * windows are a view: no memory. */
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

int main(int argc, char **argv)
{
    const unsigned n = program_size(argc, argv, 10000, 4000000);
    double *series = zeros(n * sizeof *series), average, most, outside;
    fill_normal(series, n, 1);
    zc_context *ctx = zc_context_new(NULL);
    zc_scope_begin(ctx); /* until the context ends */
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(n), NULL, 0, series, n * sizeof *series, NULL, NULL);
    zc_tensor *windows = zc_sliding_window_view(x, ZC_SHAPE(20), ZC_AXES(0)), *made[3];
    zc_tensor *m = zc_mean(windows, ZC_AXES(1), false), *s = zc_std(windows, ZC_AXES(1), 0, false);
    zc_tensor *count = zc_eval(ctx, "sum(abs(x[19:] - m) > 2 * s)", ZC_NAMED(x, m, s));
    zc_tensor *means = zc_mean(m, ZC_ALL_AXES, false), *largest = zc_max(s, ZC_ALL_AXES, false);
    const int failed = zc_materialize_all(ZC_TENSORS(means, largest, count), made) || zc_item(made[0], &average) ||
                       zc_item(made[1], &most) || zc_item(made[2], &outside);
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx));
    else
        printf("mean of means %.9f\nlargest deviation %.9f\noutside %.0f\n", average, most, outside);
    zc_context_free(ctx);
    free(series);
    return failed;
}
