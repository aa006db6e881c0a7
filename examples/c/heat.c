/* Heat spreads over a plate until it hardly changes: expressions as text, and the result in the place of what it was
 * made of. */
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

static const char spread[] =
    "c = u[1:-1, 1:-1]; pad(c + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * c), 1)";

int main(int argc, char **argv)
{
    const unsigned n = program_size(argc, argv, 128, 1024);
    const size_t bytes = sizeof(double) * n * n;
    double *plate = zeros(bytes), change = 1;
    for (size_t i = n / 4; i < n / 2; i++)
        plate[i * n + i] = 100;
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *u = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(n, n), NULL, 0, plate, bytes, NULL, NULL);
    int failed = 0;
    for (int step = 1; step <= 500 && change >= 0.01 && !failed; step++) {
        zc_scope *scope = zc_scope_begin(ctx); /* owns next */
        zc_tensor *next = zc_eval(ctx, spread, ZC_NAMED(u));
        if (step % 50 == 0) {
            failed = zc_item(zc_eval(ctx, "max(abs(next - u))", ZC_NAMED(next, u)), &change) != ZC_OK;
            if (!failed)
                printf("%d: %.6f\n", step, change);
        }
        failed = failed || zc_replace(&u, next); /* computes next, releases what was there */
        zc_scope_end(scope);
    }
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx)); /* the first thing that went wrong */
    zc_release(u);
    zc_context_free(ctx);
    free(plate);
    return failed;
}
