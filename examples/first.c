/* The example of the README: a file in, a broadcast, a reduction, a number out. */
#include <stdio.h>
#include <zerocast.h>

int main(void)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);                           /* owns every tensor below */
    zc_tensor *x = zc_open(ctx, "examples/data/digits.npy");         /* (1797, 64), mapped in place */
    zc_tensor *apart = zc_subtract(x, zc_mean(x, ZC_AXES(0), true)); /* (1, 64) against (1797, 64): recorded */
    double energy;
    zc_status status = zc_item(zc_sum(zc_square(apart), ZC_ALL_AXES, false), &energy); /* computed */
    if (status == ZC_OK)
        printf("%.1f\n", energy);
    else
        fprintf(stderr, "%s\n", zc_error_text(ctx)); /* the first failure */
    zc_scope_end(scope);
    zc_context_free(ctx);
    return status != ZC_OK;
}
