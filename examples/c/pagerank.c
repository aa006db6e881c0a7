/* PageRank: each page hands its rank to the pages that it links to, until ranks hardly change. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

enum { LINKS = 8 };

static const char step[] = "share = where(degree > 0, rank / degree, 0); lost = sum(where(degree > 0, 0, rank));"
                           "n = rank.shape[0]; 0.15 / n + 0.85 * (sum(take(share, source, 0), axis=1) + lost / n)";

static int hand_on(zc_context *ctx, const zc_tensor *source, const zc_tensor *degree, zc_tensor **at, double *change)
{
    zc_tensor *rank = *at, *next = zc_eval(ctx, step, ZC_NAMED(source, degree, rank)), *made[2];
    zc_tensor *moved = zc_eval(ctx, "sum(abs(next - rank))", ZC_NAMED(next, rank));
    return zc_materialize_all(ZC_TENSORS(next, moved), made) || zc_item(made[1], change) || zc_replace(at, made[0]);
}

int main(int argc, char **argv)
{
    const int n = program_size(argc, argv, 2000, 200000);
    const size_t count = (size_t)n * LINKS;
    int32_t *pages = malloc(count * sizeof *pages); /* those that link to each page */
    if (pages == NULL)
        return 1;
    fill_integers(pages, count, 1, n);
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *source = zc_import(ctx, ZC_INT32, ZC_SHAPE(n, LINKS), NULL, 0, pages, count * sizeof *pages, NULL, NULL);
    zc_tensor *rank = zc_full(ctx, ZC_SHAPE(n), ZC_FLOAT64, 1.0 / n);
    zc_tensor *degree = zc_eval(ctx, "update(zeros(rank.shape), source, 1, 'add')", ZC_NAMED(rank, source));
    double change = 1, most;
    int64_t best;
    int steps = 0, failed = zc_replace(&degree, degree);
    for (; change > 1e-9 && !failed; steps++) {
        zc_scope *scope = zc_scope_begin(ctx);
        failed = hand_on(ctx, source, degree, &rank, &change);
        zc_scope_end(scope);
    }
    zc_scope *scope = zc_scope_begin(ctx);
    failed = failed || zc_item_int64(zc_argmax(rank, ZC_ALL_AXES, false), &best) ||
             zc_item(zc_max(rank, ZC_ALL_AXES, false), &most);
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx));
    else
        printf("%d steps\npage %" PRId64 ": %.12f\n", steps, best, most);
    zc_scope_end(scope);
    zc_release(source);
    zc_release(rank);
    zc_release(degree);
    zc_context_free(ctx);
    free(pages);
    return failed;
}
