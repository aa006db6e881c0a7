/* PageRank: each page hands its rank to the pages that it links to, until ranks hardly change. */
#include <stdio.h>
#include <stdlib.h>

#include <zerocast.h>

#include "examples/input.h"

enum { LINKS = 8 };

static const char hand_on[] = "share = where(degree > 0, r / degree, 0); lost = sum(where(degree > 0, 0, r));"
                              "0.15 / r.size + 0.85 * (sum(take(share, source, 0), axis=1) + lost / r.size)";

int main(int argc, char **argv)
{
    const unsigned n = program_size(argc, argv, 2000, 200000);
    const size_t bytes = LINKS * n * sizeof(int32_t);
    int32_t *pages = zeros(bytes); /* those that link to each page */
    fill_integers(pages, LINKS * n, 1, (int)n);
    zc_context *ctx = zc_context_new(NULL);
    zc_scope_begin(ctx); /* until the context ends */
    zc_tensor *source = zc_import(ctx, ZC_INT32, ZC_SHAPE(n, LINKS), NULL, 0, pages, bytes, NULL, NULL), *made[2];
    zc_tensor *r = zc_full(ctx, ZC_SHAPE(n), ZC_FLOAT64, 1.0 / n);
    zc_tensor *degree = zc_eval(ctx, "update(zeros(r.shape), source, 1, 'add')", ZC_NAMED(r, source));
    double change = 1, best, most;
    int steps = 0, failed = zc_replace(&degree, degree) != ZC_OK;
    for (; change > 1e-9 && !failed; steps++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *next = zc_eval(ctx, hand_on, ZC_NAMED(source, degree, r));
        zc_tensor *moved = zc_eval(ctx, "sum(abs(next - r))", ZC_NAMED(next, r));
        failed =
            zc_materialize_all(ZC_TENSORS(next, moved), made) || zc_item(made[1], &change) || zc_replace(&r, made[0]);
        zc_scope_end(scope);
    }
    failed =
        failed || zc_item(zc_argmax(r, ZC_ALL_AXES, false), &best) || zc_item(zc_max(r, ZC_ALL_AXES, false), &most);
    if (failed)
        fprintf(stderr, "%s\n", zc_error_text(ctx));
    else
        printf("%d steps\npage %.0f: %.12f\n", steps, best, most);
    zc_release(r);
    zc_release(degree);
    zc_context_free(ctx);
    free(pages);
    return failed;
}
