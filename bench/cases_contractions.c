/*
 * Contractions in what they are used for, at real sizes: chains of operands, the gradient of a convolution's filters,
 * and, as programs, attention, a step of training and a step of k-means.
 */
#include "bench/programs.h"

/* ---- Several operands ---- */

/* A @ B @ A @ v, which is cheap from the right alone. */
static bool chain_of_matrices(bench_work *w)
{
    const zc_tensor *a = bench_square(w->side->x), *b = bench_square(w->side->y);
    const zc_tensor *operands[] = {a, b, a, bench_part(w->side->y, 0, 0, bench_side_of(w->n))};
    return bench_into(w, zc_einsum(w->side->ctx, "ij,jk,kl,l->i", 4, operands));
}

/* ---- Convolution ---- */

enum { WINDOW = 9 };

static int64_t channels_of(int64_t n)
{
    return n <= 4 * KI ? 16 : 64;
}

static int64_t filter_results(int64_t n)
{
    return n < 1 ? n : channels_of(n) * channels_of(n) * WINDOW;
}

/* The gradient with respect to filters of 3 by 3; images and the gradient have n elements each. */
static bool filter_gradient(bench_work *w)
{
    static const int64_t frame[] = {0, 0, 1, 1};
    const int64_t channels = channels_of(w->n), batch = w->n <= 4 * KI ? 1 : 8,
                  side = bench_side_of(w->n / channels / batch);
    zc_tensor *images = zc_reshape(w->side->x, ZC_SHAPE(batch, channels, side, side));
    zc_tensor *padded = zc_pad(images, 4, frame, frame, ZC_PAD_CONSTANT, NULL);
    const zc_tensor *operands[] = {zc_sliding_window_view(padded, ZC_SHAPE(3, 3), ZC_AXES(2, 3)),
                                   zc_reshape(w->side->y, ZC_SHAPE(batch, channels, side, side))};
    return bench_into(w, zc_einsum(w->side->ctx, "nchwij,nohw->ocij", 2, operands));
}

/* ---- Programs ---- */

/* softmax(q @ k.T / 8) @ k of heads of 64 */
static bool attention_program(bench_work *w)
{
    const int64_t heads = w->n >= 512 * KI ? 16 : 2;
    zc_tensor *q = zc_reshape(w->side->x, ZC_SHAPE(heads, -1, 64)),
              *k = zc_reshape(w->side->y, ZC_SHAPE(heads, -1, 64));
    zc_tensor *scores = bench_scaled(w, zc_matmul(q, zc_matrix_transpose(k)), 0.125);
    return bench_into(w, zc_matmul(zc_softmax(scores, -1), k));
}

enum { PIXELS = 784, CLASSES = 10 };

static int64_t units_of(int64_t n)
{
    return n < 1024 * PIXELS ? 16 : 256;
}

static int64_t perceptron_results(int64_t n)
{
    return (PIXELS + CLASSES) * units_of(n);
}

/* One step of gradient descent of two layers, for a batch of pictures: their weights after it. */
static bool perceptron(bench_work *w)
{
    const int64_t units = units_of(w->n), first = PIXELS * units, all = first + units * CLASSES;
    zc_tensor *x = bench_table(w->side->x, PIXELS), *wanted = bench_part(x, 1, 0, CLASSES), *gain[2];
    zc_tensor *a = zc_reshape(bench_part(w->side->y, 0, 0, first), ZC_SHAPE(PIXELS, units));
    zc_tensor *b = zc_reshape(bench_part(w->side->y, 0, first, all), ZC_SHAPE(units, CLASSES));
    zc_tensor *guess = zc_matmul(zc_tanh(bench_scaled(w, zc_matmul(x, a), 0.1)), b);
    zc_tensor *loss = zc_mean(zc_square(zc_subtract(guess, wanted)), ZC_ALL_AXES, false);
    if (zc_vjp(loss, NULL, 2, (const zc_tensor *const[]){a, b}, gain) != ZC_OK)
        return false;
    const zc_tensor *both[] = {zc_reshape(zc_subtract(a, bench_scaled(w, gain[0], 0.1)), ZC_SHAPE(-1)),
                               zc_reshape(zc_subtract(b, bench_scaled(w, gain[1], 0.1)), ZC_SHAPE(-1))};
    return bench_into(w, zc_concat(w->side->ctx, 2, both, 0));
}

enum { DIMENSIONS = 32 };

static int64_t clusters_of(int64_t n)
{
    return n < 2 * MI ? 16 : 64;
}

static int64_t step_results(int64_t n)
{
    return DIMENSIONS * clusters_of(n);
}

/* The centers after a step: distances are |c|^2 - 2 p c, and sums of points a product with who belongs to whom. */
static bool k_means_step(bench_work *w)
{
    const int64_t clusters = clusters_of(w->n);
    zc_tensor *points = bench_table(w->side->x, DIMENSIONS), *centers = bench_part(points, 0, 0, clusters);
    zc_tensor *lengths = zc_vecdot(centers, centers, -1);
    zc_tensor *apart = zc_subtract(lengths, bench_scaled(w, zc_matmul(points, zc_matrix_transpose(centers)), 2.0));
    zc_tensor *nearest = zc_argmin(apart, ZC_AXES(1), true);
    zc_tensor *belongs = zc_astype(zc_equal(nearest, zc_iota(w->side->ctx, clusters)), zc_dtype_of(points));
    zc_tensor *count = zc_maximum(zc_sum(belongs, ZC_AXES(0), false), bench_weak(w, 1.0));
    zc_tensor *sums = zc_matmul(zc_matrix_transpose(belongs), points);
    return bench_into(w, zc_divide(sums, zc_expand_dims(count, 1)));
}

/* ---- The table ---- */

#define SQUARE(n) ((int64_t)(n) * (n))

static const int64_t chain_sizes[] = {SQUARE(64), SQUARE(1000), 0};
static const int64_t image_sizes[] = {4 * KI, 8 * 64 * 56 * 56, 0};
static const int64_t attention_sizes[] = {8 * KI, 512 * KI, 0};
static const int64_t picture_sizes[] = {32 * PIXELS, 1024 * PIXELS, 0};
static const int64_t point_sizes[] = {4 * KI, 2 * MI, 0};

static const bench_bound peer_bounds[] = {{0, FASTER_PEER, 1.0, .threads = 1}, {.most = 0}};
static const bench_bound xla_bounds[] = {{0, XLA, 1.0, .threads = 1}, {.most = 0}};

#define CONTRACTION(case_name, function, size, bound, near)                                                            \
    .name = (case_name), .ours = (function), .sizes = (size), .bounds = (bound), .peer = #function,                    \
    .peer_tolerance = (near), .threads = true, .slow = true

/* A point between two centers goes to either, by the last bit of its distances; a center moves by a thousandth then. */
const bench_case contraction_cases[] = {
    {CONTRACTION("einsum ij,jk,kl,l->i, float32", chain_of_matrices, chain_sizes, peer_bounds, 2e-4),
     .results = bench_side_of},
    {CONTRACTION("gradient of a convolution's filters, float32", filter_gradient, image_sizes, xla_bounds, 1e-3),
     .results = filter_results},
    {CONTRACTION("attention, 16 heads of 512 by 64, float32", attention_program, attention_sizes, xla_bounds, 1e-4),
     .program = true, .is_step = true},
    {CONTRACTION("perceptron, a step of gradients, float32", perceptron, picture_sizes, peer_bounds, 1e-4),
     .results = perceptron_results, .program = true, .is_step = true},
    {CONTRACTION("k-means, a step of 64K points, float32", k_means_step, point_sizes, peer_bounds, 5e-3),
     .results = step_results, .program = true, .is_step = true},
    {.name = NULL},
};
