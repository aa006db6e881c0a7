/* The example of the README: a file in, a broadcast, a chain, a file out. */
#include <stdio.h>
#include <zerocast.h>

int main(void)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);                              /* owns every tensor below */
    zc_tensor *x = zc_npy_open(ctx, "examples/data/digits.npy");        /* (1797, 64), mapped in place */
    zc_tensor *mean = zc_mean(x, ZC_AXES(0), true);                     /* (1, 64), recorded */
    zc_tensor *grey = zc_broadcast_to(mean, ZC_SHAPE(1797, 64));        /* a view: no memory */
    zc_tensor *centred = zc_subtract(x, grey);                          /* recorded */
    zc_tensor *energy = zc_sum(zc_square(centred), ZC_ALL_AXES, false); /* recorded */
    zc_tensor *out = NULL;
    if (zc_materialize(energy, &out) == ZC_OK) /* computed, in one pass per reduction */
        printf("%.1f\n", *(const double *)zc_data(out));
    else
        fprintf(stderr, "%s\n", zc_error_text(ctx)); /* the first thing that went wrong */
    zc_scope_end(scope);
    zc_context_free(ctx);
    return out == NULL;
}
