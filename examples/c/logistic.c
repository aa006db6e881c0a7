/* Logistic regression by gradient descent: the loss is written down, its gradient is not. */
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

enum { FEATURES = 16 };

int main(int argc, char **argv)
{
    const unsigned n = program_size(argc, argv, 2000, 100000);
    const size_t bytes = n * sizeof(double);
    double *data = zeros(FEATURES * bytes), *noises = zeros(bytes), weights[FEATURES] = {0}, loss;
    fill_normal(data, FEATURES * n, 1);
    fill_normal(noises, n, 2);
    zc_context *ctx = zc_context_new(NULL);
    zc_scope_begin(ctx); /* until the context ends */
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(n, FEATURES), NULL, 0, data, FEATURES * bytes, NULL, NULL);
    zc_tensor *noise = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(n), NULL, 0, noises, bytes, NULL, NULL);
    zc_tensor *y = zc_eval(ctx, "x[:, 0] - 0.5 * x[:, 1] > noise", ZC_NAMED(x, noise)), *made[2];
    zc_tensor *w = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(FEATURES), weights, sizeof weights);
    int failed = 0;
    for (int step = 0; step < 100 && !failed; step++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *l = zc_eval(ctx, "z = x @ w; mean(softplus(z) - y * z)", ZC_NAMED(x, w, y));
        zc_tensor *next = zc_eval(ctx, "w - 0.5 * grad(l, w)", ZC_NAMED(w, l));
        failed = zc_materialize_all(ZC_TENSORS(l, next), made) || zc_item(made[0], &loss) || zc_replace(&w, made[1]);
        if (step % 20 == 0 && !failed)
            printf("step %d: loss %.9f\n", step, loss);
        zc_scope_end(scope);
    }
    failed = failed || zc_copy_to(w, ZC_FLOAT64, weights, sizeof weights);
    for (int j = 0; j < FEATURES && !failed; j++)
        printf("w[%d] = %.9f\n", j, weights[j]);
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx));
    zc_release(w);
    zc_context_free(ctx);
    free(data);
    free(noises);
    return failed;
}
