/* A server: many small requests of varying shapes, each for the correlations of the columns of a table. What takes more
 * than a limit is refused with a sentence, and a client that hangs up gets nothing; the context goes on, and holds
 * nothing of either. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

enum { POOL = 500 * 4000 };

static zc_status answer(zc_context *ctx, const double *pool, int rows, int columns, double *total)
{
    zc_scope *scope = zc_scope_begin(ctx); /* owns every tensor below */
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(rows, columns), NULL, 0, pool, POOL * sizeof *pool, NULL, NULL);
    zc_tensor *asked = zc_eval(ctx, "s = (x - mean(x, axis=0)) / std(x, axis=0); s.T @ s / x.shape[0]", ZC_NAMED(x));
    zc_tensor *matrix = NULL; /* the answer */
    zc_status status = zc_materialize(asked, &matrix);
    if (status == ZC_OK)
        status = zc_item(zc_sum(matrix, ZC_ALL_AXES, false), total);
    zc_scope_end(scope);
    return status;
}

int main(int argc, char **argv)
{
    const int requests = (int)program_size(argc, argv, 40, 20000);
    double *pool = zeros(POOL * sizeof *pool), total;
    fill_normal(pool, POOL, 1);
    zc_context *ctx = zc_context_new(&(zc_options){.memory_limit = 16 << 20});
    for (int i = 0; i < requests; i++) {
        const int rows = 50 + i * 37 % 450, columns = i % 10 == 7 ? 4000 : 2 + i * 11 % 14;
        if (i % 10 == 3)
            zc_cancel(ctx); /* as another thread does while the call below computes */
        const zc_status status = answer(ctx, pool, rows, columns, &total);
        if (status == ZC_OK)
            printf("request %d: %.9f\n", i, total);
        else
            printf("request %d: %s\n", i, status == ZC_CANCELLED ? "cancelled" : "refused");
        if (status != ZC_OK)
            fprintf(stderr, "%s\n", zc_error_text(ctx));
        zc_error_clear(ctx);
    }
    printf("%" PRId64 " bytes held\n", zc_memory_usage(ctx).held_bytes);
    zc_context_free(ctx);
    free(pool);
    return 0;
}
