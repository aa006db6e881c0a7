/* Logistic regression by gradient descent: the loss is written down, its gradient is not. */
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

enum { FEATURES = 16, STEPS = 100 };

static int descend(zc_context *ctx, const zc_tensor *x, const zc_tensor *y, zc_tensor **w, double *loss)
{
    zc_tensor *z = zc_matmul(x, *w), *made[2];
    zc_tensor *l = zc_eval(ctx, "mean(softplus(z) - y * z)", ZC_NAMED(z, y)), *g = zc_grad(l, *w);
    zc_tensor *next = zc_eval(ctx, "w - 0.5 * g", "w, g", ZC_TENSORS(*w, g));
    return zc_materialize_all(ZC_TENSORS(l, next), made) || zc_item(made[0], loss) || zc_replace(w, made[1]);
}

int main(int argc, char **argv)
{
    const int n = program_size(argc, argv, 2000, 100000);
    const size_t bytes = (size_t)n * sizeof(double);
    double *data = malloc(FEATURES * bytes), *labels = malloc(bytes), weights[FEATURES] = {0}, loss = 0;
    if (data == NULL || labels == NULL)
        return 1;
    fill_normal(data, (size_t)n * FEATURES, 1);
    fill_normal(labels, (size_t)n, 2);
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(n, FEATURES), NULL, 0, data, FEATURES * bytes, NULL, NULL);
    zc_tensor *noise = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(n), NULL, 0, labels, bytes, NULL, NULL);
    zc_tensor *y = zc_eval(ctx, "x[:, 0] - 0.5 * x[:, 1] > noise", ZC_NAMED(x, noise));
    zc_tensor *w = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(FEATURES), weights, sizeof weights);
    int failed = 0;
    for (int step = 0; step < STEPS && !failed; step++) {
        zc_scope *scope = zc_scope_begin(ctx);
        failed = descend(ctx, x, y, &w, &loss);
        zc_scope_end(scope);
        if (step % 20 == 0 && !failed)
            printf("step %d: loss %.9f\n", step, loss);
    }
    failed = failed || zc_copy_to(w, ZC_FLOAT64, weights, sizeof weights);
    for (int j = 0; j < FEATURES && !failed; j++)
        printf("w[%d] = %.9f\n", j, weights[j]);
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx));
    zc_release(x);
    zc_release(noise);
    zc_release(y);
    zc_release(w);
    zc_context_free(ctx);
    free(data);
    free(labels);
    return failed;
}
