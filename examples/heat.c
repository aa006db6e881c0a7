/* Heat spreads over a plate until it hardly changes: expressions as text, and the result in the place of what it was
 * made of. */
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

enum { N = 128 };

static const char next_plate[] =
    "c = u[1:-1, 1:-1]; pad(c + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * c), 1)";

static int spread(zc_context *ctx, zc_tensor **u)
{
    double change = 1;
    for (int step = 1; step <= 500 && change >= 0.01; step++) {
        zc_tensor *next = zc_eval(ctx, next_plate, "u", ZC_TENSORS(*u));
        if (step % 50 == 0) {
            zc_tensor *most = zc_eval(ctx, "max(abs(next - u))", "next, u", ZC_TENSORS(next, *u));
            if (zc_item(most, &change) == ZC_OK)
                printf("%d: %.6f\n", step, change);
            zc_release(most);
        }
        const zc_status status = zc_replace(u, next); /* computes next, releases what was there */
        zc_release(next);
        if (status != ZC_OK)
            return 1;
    }
    return 0;
}

int main(void)
{
    static double plate[N][N];
    for (int i = N / 4; i < N / 2; i++)
        plate[i][i] = 100;
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *u = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(N, N), NULL, 0, plate, sizeof plate, NULL, NULL);
    const int failed = spread(ctx, &u);
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx)); /* the first thing that went wrong */
    zc_release(u);
    zc_context_free(ctx);
    return failed;
}
