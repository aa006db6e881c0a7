/*
 * Windows that slide: convolutions as products over zc_sliding_window_view(), pooling, sums.
 */
#include <math.h>

#include "bench/bench.h"

/* The images of a convolution of so many elements: batch, channels, and as many pixels a side. */
typedef struct images {
    int64_t elements, batch, channels, side;
} images;

static images images_of(int64_t n)
{
    static const images known[] = {{4 * KI, 1, 16, 16}, {8 * 64 * 56 * 56, 8, 64, 56}};
    return n <= known[0].elements ? known[0] : known[1];
}

static zc_tensor *padded(const zc_tensor *x, images im)
{
    static const int64_t frame[] = {0, 0, 1, 1};
    return zc_pad(zc_reshape(x, ZC_SHAPE(im.batch, im.channels, im.side, im.side)), 4, frame, frame, ZC_PAD_CONSTANT,
                  NULL);
}

static bool convolve(bench_work *w)
{
    images im = images_of(w->n);
    zc_tensor *windows = zc_sliding_window_view(padded(w->side->x, im), ZC_SHAPE(3, 3), ZC_AXES(2, 3));
    zc_tensor *weights = zc_reshape(zc_slice(w->side->y, 0, 0, im.channels * im.channels * 9, 1),
                                    ZC_SHAPE(im.channels, im.channels, 3, 3));
    const zc_tensor *operands[] = {windows, weights};
    return bench_into(w, zc_einsum(w->side->ctx, "nchwij,ocij->nohw", 2, operands));
}

/* The same as one product of matrices for each image: (o, c * 9) by (c * 9, h * w). */
static bool convolve_by_matmul(bench_work *w)
{
    images im = images_of(w->n);
    zc_tensor *windows = zc_sliding_window_view(padded(w->side->x, im), ZC_SHAPE(3, 3), ZC_AXES(2, 3));
    zc_tensor *columns = zc_reshape(zc_permute_dims(windows, ZC_AXES(0, 1, 4, 5, 2, 3)),
                                    ZC_SHAPE(im.batch, im.channels * 9, im.side * im.side));
    zc_tensor *weights = bench_table(zc_slice(w->side->y, 0, 0, im.channels * im.channels * 9, 1), im.channels * 9);
    return bench_into(w, zc_matmul(weights, columns));
}

/* Windows of 2 by 2 that do not overlap. */
static zc_tensor *pools(const bench_work *w)
{
    images im = images_of(w->n);
    return zc_reshape(w->side->x, ZC_SHAPE(im.batch * im.channels, im.side / 2, 2, im.side / 2, 2));
}

static bool max_pool(bench_work *w)
{
    return bench_into(w, zc_max(pools(w), ZC_AXES(2, 4), false));
}

static bool mean_pool(bench_work *w)
{
    return bench_into(w, zc_mean(pools(w), ZC_AXES(2, 4), false));
}

/* Windows of 3 by 3, every second one. */
static bool max_pool_overlapping(bench_work *w)
{
    images im = images_of(w->n);
    zc_tensor *x = zc_reshape(w->side->x, ZC_SHAPE(im.batch * im.channels, im.side, im.side));
    zc_tensor *windows = zc_sliding_window_view(x, ZC_SHAPE(3, 3), ZC_AXES(1, 2));
    windows = zc_slice(zc_slice(windows, 1, 0, ZC_NONE, 2), 2, 0, ZC_NONE, 2);
    return bench_into(w, zc_max(windows, ZC_AXES(3, 4), false));
}

static zc_tensor *square_of(const bench_work *w)
{
    return bench_table(w->side->x, (int64_t)(sqrt((double)w->n) + 0.5));
}

static bool window_sum(bench_work *w)
{
    zc_tensor *windows = zc_sliding_window_view(square_of(w), ZC_SHAPE(3, 3), ZC_ALL_AXES);
    return bench_into(w, zc_sum(windows, ZC_AXES(2, 3), false));
}

static bool slices_sum(bench_work *w)
{
    zc_tensor *x = square_of(w), *sum = NULL;
    int64_t inner = zc_shape(x)[0] - 2;
    for (int64_t i = 0; i < 9; i++) {
        zc_tensor *part = zc_slice(zc_slice(x, 0, i / 3, i / 3 + inner, 1), 1, i % 3, i % 3 + inner, 1);
        sum = i == 0 ? part : zc_add(sum, part);
    }
    return bench_into(w, sum);
}

/* ---- The table ---- */

static int64_t quarter(int64_t n)
{
    return n / 4;
}

static int64_t overlapping(int64_t n)
{
    images im = images_of(n);
    int64_t side = (im.side - 3) / 2 + 1;
    return im.batch * im.channels * side * side;
}

static int64_t inner_square(int64_t n)
{
    int64_t side = (int64_t)(sqrt((double)n) + 0.5) - 2;
    return side * side;
}

static const int64_t image_sizes[] = {4 * KI, 8 * 64 * 56 * 56, 0};
static const int64_t square_sizes[] = {4 * KI, 1000000, 0};

static const bench_bound convolution_bounds[] = {{0, XLA, 1.0, .threads = 1}, {.most = 0}};
static const bench_bound peer_bounds[] = {{0, FASTER_PEER, 1.0, .threads = 1}, {.most = 0}};

#define WINDOWS_32(case_name, function, peer_name, count, size, bound)                                                 \
    {                                                                                                                  \
        .name = (case_name ", float32"), .ours = (function), .results = (count), .sizes = (size), .bounds = (bound),   \
        .peer = (peer_name), .peer_tolerance = 1e-4, .threads = true, .slow = true                                     \
    }
#define WINDOWS_64(case_name, function, peer_name, count, size, bound)                                                 \
    {                                                                                                                  \
        .name = (case_name ", float64"), .ours = (function), .results = (count), .sizes = (size), .bounds = (bound),   \
        .peer = (peer_name), .dtype = "float64", .peer_tolerance = 1e-11, .threads = true, .slow = true                \
    }
#define WINDOWS(case_name, function, peer_name, count, size, bound)                                                    \
    WINDOWS_32(case_name, function, peer_name, count, size, bound),                                                    \
        WINDOWS_64(case_name, function, peer_name, count, size, bound)

const bench_case window_cases[] = {
    WINDOWS("convolution 3x3, einsum", convolve, "convolve", NULL, image_sizes, convolution_bounds),
    WINDOWS("convolution 3x3, matmul", convolve_by_matmul, "convolve", NULL, image_sizes, convolution_bounds),
    WINDOWS("max pool 2x2", max_pool, "max_pool", quarter, image_sizes, peer_bounds),
    WINDOWS("mean pool 2x2", mean_pool, "mean_pool", quarter, image_sizes, peer_bounds),
    WINDOWS("max pool 3x3, step 2", max_pool_overlapping, "max_pool_overlapping", overlapping, image_sizes,
            peer_bounds),
    WINDOWS("sum of 3x3, windows", window_sum, "window_sum", inner_square, square_sizes, peer_bounds),
    WINDOWS("sum of 3x3, slices", slices_sum, "slices_sum", inner_square, square_sizes, peer_bounds),
    {.name = NULL},
};
