/*
 * A convolution of 8 pictures of 56 x 56 with 64 channels, 64 filters of 3 x 3, forward and both gradients: as
 * contractions over windows that are a view, and by im2col, which copies them first. Prints time and memory of both.
 */
#include "examples/convolution.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

enum { PICTURES = 8, CHANNELS = 64, SIDE = 56, FILTERS = 64, WINDOW = 3 };

static const convolution same = {.stride = {1, 1}, .dilation = {1, 1}, .pad = {1, 1}, .groups = 1};

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Computes t and prints what that took. NULL on failure. */
static zc_tensor *measure(const char *what, const zc_tensor *t)
{
    zc_tensor *out = NULL;
    if (t == NULL)
        return NULL;
    zc_context *ctx = zc_context_of(t);
    zc_memory_reset_peak(ctx);
    const int64_t held = zc_memory_usage(ctx).held_bytes;
    const double start = seconds();
    if (zc_materialize(t, &out) != ZC_OK)
        return NULL;
    const double took = seconds() - start;
    printf("%-42s %7.1f ms %8.1f MB at the peak\n", what, 1e3 * took,
           1e-6 * (double)(zc_memory_usage(ctx).peak_bytes - held));
    return out;
}

/* Every window copied, as rows of a matrix: what BLAS needs. */
static zc_tensor *convolve_by_im2col(const zc_tensor *x, const zc_tensor *w)
{
    const int64_t window[] = {WINDOW, WINDOW};
    const zc_tensor *windows = windows_of(with_zeros(x, same.pad, same.pad), window, same.stride, same.dilation);
    const int order[] = {0, 2, 3, 1, 4, 5}; /* pictures, rows, columns; channels, window */
    const zc_tensor *rows = zc_reshape(zc_copy(zc_permute_dims(windows, 6, order)),
                                       ZC_SHAPE(PICTURES, (int64_t)SIDE * SIDE, (int64_t)CHANNELS * WINDOW * WINDOW));
    const zc_tensor *filters = zc_reshape(w, ZC_SHAPE(FILTERS, (int64_t)CHANNELS * WINDOW * WINDOW));
    return zc_reshape(zc_matmul(filters, zc_matrix_transpose(rows)), ZC_SHAPE(PICTURES, FILTERS, SIDE, SIDE));
}

/* Wave after wave. */
static zc_tensor *draw(zc_context *ctx, int rank, const int64_t *shape, double step)
{
    zc_tensor *out = NULL;
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    zc_tensor *places = zc_multiply(zc_astype(zc_iota(ctx, size), ZC_FLOAT64), zc_weak_float(ctx, step));
    return zc_materialize(zc_astype(zc_reshape(zc_sin(places), rank, shape), ZC_FLOAT32), &out) == ZC_OK ? out : NULL;
}

/* Largest distance between the results of two ways. */
static double distance(const zc_tensor *a, const zc_tensor *b)
{
    zc_tensor *out = NULL;
    if (zc_materialize(zc_max(zc_abs(zc_subtract(a, b)), ZC_ALL_AXES, false), &out) != ZC_OK)
        return INFINITY;
    return (double)*(const float *)zc_data(out);
}

static int run(zc_context *ctx)
{
    const zc_tensor *x = draw(ctx, ZC_SHAPE(PICTURES, CHANNELS, SIDE, SIDE), 0.37);
    const zc_tensor *w = draw(ctx, ZC_SHAPE(FILTERS, CHANNELS, WINDOW, WINDOW), 0.11);
    const zc_tensor *delta = draw(ctx, ZC_SHAPE(PICTURES, FILTERS, SIDE, SIDE), 0.23);
    zc_tensor *recorded[2] = {NULL, NULL};
    if (x == NULL || w == NULL || delta == NULL)
        return 1;
    printf("pictures %.1f MB, filters %.1f MB, result %.1f MB; windows, if they were copied, %.1f MB\n",
           4e-6 * (double)zc_size(x), 4e-6 * (double)zc_size(w), 4e-6 * (double)zc_size(delta),
           4e-6 * (double)zc_size(x) * (WINDOW * WINDOW));
    const zc_tensor *y = measure("convolution over windows", convolve(x, w, &same));
    const zc_tensor *copied = measure("convolution by im2col", convolve_by_im2col(x, w));
    const zc_tensor *of_w = measure("gradient of the filters over windows", gradient_of_filters(x, w, delta, &same));
    const zc_tensor *of_x = measure("gradient of the pictures over windows", gradient_of_pictures(x, w, delta, &same));
    if (zc_vjp(convolve(x, w, &same), delta, 2, (const zc_tensor *const[]){x, w}, recorded) != ZC_OK)
        return 1;
    const zc_tensor *by_vjp_x = measure("gradient of the pictures by zc_vjp", recorded[0]);
    const zc_tensor *by_vjp_w = measure("gradient of the filters by zc_vjp", recorded[1]);
    if (y == NULL || copied == NULL || of_x == NULL || of_w == NULL || by_vjp_x == NULL || by_vjp_w == NULL)
        return 1;
    const double apart = fmax(distance(y, copied), fmax(distance(of_x, by_vjp_x), distance(of_w, by_vjp_w)));
    printf("the ways differ by %.1e at most\n", apart);
    return apart < 1e-2 ? 0 : 1;
}

int main(void)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    int status = scope != NULL ? run(ctx) : 1;
    if (ctx != NULL && zc_error_status(ctx) != ZC_OK)
        fprintf(stderr, "convolution: %s\n", zc_error_text(ctx));
    zc_scope_end(scope);
    zc_context_free(ctx);
    return status;
}
