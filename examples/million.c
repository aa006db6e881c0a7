/*
 * One float, broadcast to 10^6 x 10^6, through five operations, summed up: in microseconds and bytes.
 *
 * What an eager system would need four terabytes for is recorded as views and nodes. Nothing under the sum varies along
 * either axis, so it is evaluated once and multiplied by 10^12.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <zerocast.h>

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* tanh(sqrt(exp(-x^2) + 1)) on every element, then the sum. */
static zc_tensor *record(zc_context *ctx, const zc_tensor *view)
{
    zc_tensor *bell = zc_exp(zc_negative(zc_square(view)));
    zc_tensor *chain = zc_tanh(zc_sqrt(zc_add(bell, zc_weak_float(ctx, 1.0))));
    return zc_sum(chain, ZC_ALL_AXES, false);
}

static int run(zc_context *ctx)
{
    float x = 0.5f;
    zc_tensor *one = zc_from_data(ctx, ZC_FLOAT32, ZC_SCALAR_SHAPE, &x, sizeof x);
    zc_tensor *view = zc_broadcast_to(one, ZC_SHAPE(1000000, 1000000));
    zc_cost cost;
    if (zc_cost_of(view, &cost) != ZC_OK)
        return 1;
    zc_tensor *sum = NULL;
    double start = seconds();
    if (zc_materialize(record(ctx, view), &sum) != ZC_OK)
        return 1;
    double took = seconds() - start;
    float got = *(const float *)zc_data(sum);
    double expected = 1e12 * tanh(sqrt(exp(-0.25) + 1));
    printf("a (10^6, 10^6) float32 view         %" PRId64 " bytes logical, %" PRId64 " held\n", cost.logical_bytes,
           cost.held_bytes);
    printf("sum(tanh(sqrt(exp(-x^2) + 1)))      %.8g (the C library in double: %.8g)\n", (double)got, expected);
    printf("peak of data memory                 %" PRId64 " bytes\n", zc_memory_usage(ctx).peak_bytes);
    printf("recorded, planned and computed in   %.1f microseconds\n", 1e6 * took);
    return fabs((double)got / expected - 1) < 1e-6 ? 0 : 1;
}

int main(void)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    int status = scope != NULL ? run(ctx) : 1;
    if (ctx != NULL && zc_error_status(ctx) != ZC_OK)
        fprintf(stderr, "million: %s\n", zc_error_text(ctx));
    zc_scope_end(scope);
    zc_context_free(ctx);
    return status;
}
