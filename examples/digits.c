/*
 * Leave-one-out nearest neighbour over 1,797 handwritten digits.
 *
 * Every digit is compared with every other: a difference tensor of shape (1797, 1797, 64), which never exists. It is
 * recorded as two broadcast views, a subtraction and a square, and the sum over its last axis is all that is written.
 *
 * usage: digits [DIGITS.npy LABELS.npy]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <zerocast.h>

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* images: (n, 64). The index of each image's nearest other image, (n) int64. */
static zc_tensor *nearest_other(zc_context *ctx, const zc_tensor *images, zc_tensor **difference)
{
    int64_t n = zc_shape(images)[0];
    zc_tensor *f = zc_astype(images, ZC_FLOAT32);
    *difference = zc_subtract(zc_expand_dims(f, 1), zc_expand_dims(f, 0)); /* (n, n, 64), no memory */
    zc_tensor *distance = zc_sum(zc_square(*difference), ZC_AXES(2), false);
    zc_tensor *i = zc_iota(ctx, n);
    zc_tensor *is_self = zc_equal(zc_expand_dims(i, 1), i);
    zc_tensor *others = zc_where(is_self, zc_weak_float(ctx, 1e30), distance);
    return zc_argmin(others, ZC_AXES(1), false);
}

static void report(zc_context *ctx, int64_t right, int64_t n, const zc_cost *whole, double took)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    zc_memory memory = zc_memory_usage(ctx);
    const double mb = 1e6;
    printf("nearest neighbours right            %" PRId64 " of %" PRId64 " (%.2f %%)\n", right, n,
           100.0 * (double)right / (double)n);
    printf("the difference tensor, materialised %10.1f MB\n", (double)whole->logical_bytes / mb);
    printf("held for it: the file, mapped       %10.1f MB\n", (double)whole->held_bytes / mb);
    printf("peak of data memory                 %10.1f MB\n", (double)memory.peak_bytes / mb);
    printf("peak of the process, resident       %10.1f MB\n", (double)usage.ru_maxrss * 1024 / mb);
    printf("time                                %10.1f ms\n", 1e3 * took);
}

static int run(zc_context *ctx, const char *images_path, const char *labels_path)
{
    double start = seconds();
    zc_tensor *images = zc_npy_open(ctx, images_path);
    zc_tensor *labels = zc_npy_open(ctx, labels_path);
    if (images == NULL || labels == NULL || zc_rank(images) != 2 || zc_rank(labels) != 1 ||
        zc_dtype_of(labels) != ZC_UINT8 || zc_size(labels) != zc_shape(images)[0])
        return 1;
    zc_tensor *difference, *nearest = NULL, *label = NULL;
    zc_cost whole;
    if (zc_materialize(nearest_other(ctx, images, &difference), &nearest) != ZC_OK ||
        zc_materialize(labels, &label) != ZC_OK || zc_cost_of(difference, &whole) != ZC_OK)
        return 1;
    const int64_t *index = zc_data(nearest);
    const uint8_t *digit = zc_data(label);
    int64_t right = 0;
    for (int64_t i = 0; i < zc_size(nearest); i++)
        right += digit[index[i]] == digit[i];
    report(ctx, right, zc_size(nearest), &whole, seconds() - start);
    return 0;
}

int main(int argc, char **argv)
{
    const char *images = argc > 2 ? argv[1] : "examples/data/digits.npy";
    const char *labels = argc > 2 ? argv[2] : "examples/data/digits_labels.npy";
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    int status = scope != NULL ? run(ctx, images, labels) : 1;
    if (status != 0)
        fprintf(stderr, "digits: %s\n", ctx != NULL ? zc_error_text(ctx) : "out of memory");
    zc_scope_end(scope);
    zc_context_free(ctx);
    return status;
}
