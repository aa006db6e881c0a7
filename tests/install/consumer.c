/* A program of a user who installed zerocast. */
#include <stdio.h>
#include <zerocast.h>

int main(void)
{
    const int64_t shape[] = {1000000, 1000000};
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *one = zc_full(ctx, 0, NULL, ZC_FLOAT32, 1);
    zc_tensor *many = zc_broadcast_to(one, 2, shape);
    printf("zerocast %s: %lld elements\n", zc_version(), (long long)zc_size(many));
    zc_release(many);
    zc_release(one);
    zc_context_free(ctx);
    return 0;
}
