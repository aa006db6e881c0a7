/*
 * Programs that learn, search and simulate: recurrent networks, training with gradients, clusters, residual blocks,
 * shortest paths, bodies that attract each other.
 */
#include "bench/programs.h"

/* The next matrix of so many rows and columns from y, at *at. */
static zc_tensor *weights(bench_work *w, int64_t *at, int64_t rows, int64_t columns)
{
    zc_tensor *part = bench_part(w->side->y, 0, *at, *at + rows * columns);
    *at += rows * columns;
    return zc_reshape(part, ZC_SHAPE(rows, columns));
}

/* ---- A recurrent network ---- */

enum { HIDDEN = 64, BATCH = 32 };

static zc_tensor *affine(const zc_tensor *x, const zc_tensor *a, const zc_tensor *h, const zc_tensor *b)
{
    return zc_add(zc_matmul(x, a), zc_matmul(h, b));
}

/* A gated recurrent unit over all steps of a batch. */
static bool gru(bench_work *w)
{
    const int64_t hidden = w->n < BATCH * HIDDEN ? 8 : HIDDEN, batch = w->n < BATCH * HIDDEN ? 8 : BATCH;
    zc_tensor *steps = zc_reshape(w->side->x, ZC_SHAPE(-1, batch, hidden)), *m[6];
    int64_t at = 0, count = w->n / (batch * hidden);
    for (int i = 0; i < 6; i++)
        m[i] = weights(w, &at, hidden, hidden);
    zc_tensor *h = zc_keep(bench_zeros(w, ZC_SHAPE(batch, hidden)));
    for (int64_t i = 0; i < count; i++) {
        zc_tensor *x = zc_index(steps, 0, i);
        zc_tensor *update = zc_sigmoid(affine(x, m[0], h, m[1])), *reset = zc_sigmoid(affine(x, m[2], h, m[3]));
        zc_tensor *next = zc_tanh(affine(x, m[4], zc_multiply(reset, h), m[5]));
        bench_carry(&h, zc_add(h, zc_multiply(update, zc_subtract(next, h))));
    }
    return bench_deliver(w, h);
}

static int64_t gru_results(int64_t n)
{
    return n < BATCH * HIDDEN ? 8 * 8 : BATCH * HIDDEN;
}

/* ---- Training ---- */

enum { FEATURES = 32, UNITS = 16 };

static zc_tensor *loss_of(const zc_tensor *x, const zc_tensor *wanted, const zc_tensor *a, const zc_tensor *b)
{
    zc_tensor *guess = zc_matmul(zc_tanh(zc_matmul(x, a)), b);
    return zc_mean(zc_square(zc_subtract(guess, wanted)), ZC_ALL_AXES, false);
}

/* Two layers, trained by gradient descent: their weights after so many steps. */
static bool training(bench_work *w)
{
    zc_tensor *x = bench_table(w->side->x, FEATURES), *wanted = zc_sum(x, ZC_AXES(1), true);
    int64_t at = 0;
    zc_tensor *a = zc_keep(weights(w, &at, FEATURES, UNITS)), *b = zc_keep(weights(w, &at, UNITS, 1));
    for (int64_t i = bench_steps(w, 20); i > 0; i--) {
        const zc_tensor *of[] = {a, b};
        zc_tensor *gain[2];
        if (zc_vjp(loss_of(x, wanted, a, b), NULL, 2, of, gain) != ZC_OK)
            break;
        bench_carry(&a, zc_subtract(a, bench_scaled(w, gain[0], 0.1)));
        bench_carry(&b, zc_subtract(b, bench_scaled(w, gain[1], 0.1)));
    }
    const zc_tensor *both[] = {zc_reshape(a, ZC_SHAPE(-1)), zc_reshape(b, ZC_SHAPE(-1))};
    zc_tensor *all = zc_keep(zc_concat(w->side->ctx, 2, both, 0));
    zc_release(a);
    zc_release(b);
    return bench_deliver(w, all);
}

static int64_t training_results(int64_t n)
{
    (void)n;
    return FEATURES * UNITS + UNITS;
}

/* Chains of Rosenbrock's function, minimized by their gradient; each step is recorded on the one before. */
static bool descent(bench_work *w)
{
    zc_tensor *x = zc_retain(w->side->x);
    for (int64_t i = bench_steps(w, 50); i > 0; i--) {
        zc_tensor *low = bench_part(x, 0, 0, -1), *high = bench_part(x, 0, 1, ZC_NONE);
        zc_tensor *bend = zc_square(zc_subtract(high, zc_square(low)));
        zc_tensor *slope = zc_square(zc_subtract(bench_weak(w, 1.0), low));
        zc_tensor *gain = zc_grad(zc_sum(zc_add(bench_scaled(w, bend, 100.0), slope), ZC_ALL_AXES, false), x);
        bench_carry(&x, zc_subtract(x, bench_scaled(w, gain, 1e-4)));
    }
    return bench_deliver(w, x);
}

/* ---- Clusters ---- */

enum { DIMENSIONS = 8, CLUSTERS = 16 };

static bool k_means(bench_work *w)
{
    zc_context *ctx = w->side->ctx;
    zc_tensor *points = bench_table(w->side->x, DIMENSIONS);
    zc_tensor *centers = zc_keep(bench_part(points, 0, 0, CLUSTERS));
    for (int64_t i = bench_steps(w, 10); i > 0; i--) {
        zc_tensor *apart = zc_subtract(zc_expand_dims(points, 1), zc_expand_dims(centers, 0));
        zc_tensor *nearest = zc_argmin(zc_sum(zc_square(apart), ZC_AXES(2), false), ZC_AXES(1), true);
        zc_tensor *belongs = zc_astype(zc_equal(nearest, zc_iota(ctx, CLUSTERS)), ZC_FLOAT64);
        zc_tensor *count = zc_maximum(zc_sum(belongs, ZC_AXES(0), false), bench_weak(w, 1.0));
        zc_tensor *sum = zc_matmul(zc_matrix_transpose(belongs), points);
        bench_carry(&centers, zc_divide(sum, zc_expand_dims(count, 1)));
    }
    return bench_deliver(w, centers);
}

static int64_t k_means_results(int64_t n)
{
    (void)n;
    return DIMENSIONS * CLUSTERS;
}

/* ---- Blocks ---- */

/* y + softmax(the rows of y, standardized), many deep. */
static bool residual_softmax(bench_work *w)
{
    zc_tensor *y = zc_keep(bench_square(w->side->x));
    for (int64_t i = bench_steps(w, 200); i > 0; i--) {
        zc_tensor *centered = zc_subtract(y, zc_mean(y, ZC_AXES(1), true));
        zc_tensor *rows = zc_divide(centered, zc_std(y, ZC_AXES(1), 0, true));
        bench_carry(&y, zc_add(y, zc_softmax(rows, 1)));
    }
    return bench_deliver(w, y);
}

/* ---- Paths and bodies ---- */

/* All shortest paths of a graph: paths of twice as many edges, again and again. */
static bool shortest_paths(bench_work *w)
{
    zc_tensor *d = zc_keep(bench_square(w->side->x));
    for (int64_t edges = 1; edges < bench_side_of(w->n); edges *= 2)
        bench_carry(&d, zc_min(zc_add(zc_expand_dims(d, 2), zc_expand_dims(d, 0)), ZC_AXES(1), false));
    return bench_deliver(w, d);
}

/* Bodies in space: positions after so many steps. */
static bool bodies(bench_work *w)
{
    zc_tensor *at = zc_keep(bench_table(w->side->x, 3)), *speed = zc_keep(zc_multiply(at, bench_weak(w, 0.0)));
    for (int64_t i = bench_steps(w, 20); i > 0; i--) {
        zc_tensor *apart = zc_subtract(zc_expand_dims(at, 0), zc_expand_dims(at, 1));
        zc_tensor *square = zc_add(zc_sum(zc_square(apart), ZC_AXES(2), true), bench_weak(w, 0.01));
        zc_tensor *pull = zc_sum(zc_divide(apart, zc_multiply(square, zc_sqrt(square))), ZC_AXES(1), false);
        bench_carry(&speed, zc_add(speed, bench_scaled(w, pull, 1e-5)));
        bench_carry(&at, zc_add(at, bench_scaled(w, speed, 0.01)));
    }
    zc_release(speed);
    return bench_deliver(w, at);
}

/* The eigenvector of the largest eigenvalue. */
static bool power_iteration(bench_work *w)
{
    zc_tensor *a = bench_square(w->side->x), *v = zc_keep(zc_index(a, 0, 0));
    for (int64_t i = bench_steps(w, 50); i > 0; i--) {
        zc_tensor *next = zc_matmul(a, v);
        bench_carry(&v, zc_divide(next, zc_sqrt(zc_sum(zc_square(next), ZC_ALL_AXES, false))));
    }
    return bench_deliver(w, v);
}

/* ---- The table ---- */

static const int64_t gru_sizes[] = {640, 50 * BATCH *HIDDEN, 0};
static const int64_t training_sizes[] = {640, 256 * FEATURES, 0};
static const int64_t descent_sizes[] = {500, 10000, 0};
static const int64_t point_sizes[] = {512, 4096 * DIMENSIONS, 0};
static const int64_t block_sizes[] = {576, 64 * 64, 0};
static const int64_t path_sizes[] = {576, 128 * 128, 0};
static const int64_t body_sizes[] = {192, 3 * 400, 0};
static const int64_t matrix_sizes[] = {576, 256 * 256, 0};

#define MODEL(name, function, size) BENCH_PROGRAM(name, function, size), .dtype = "float64", .result = "float64"

const bench_case model_cases[] = {
    {MODEL("gated recurrent unit, 50 steps", gru, gru_sizes), .results = gru_results, .y_times = 2},
    {MODEL("two layers trained, 20 steps", training, training_sizes), .results = training_results},
    {MODEL("Rosenbrock's valley by gradients, 50 steps", descent, descent_sizes)},
    {MODEL("k-means, 10 steps", k_means, point_sizes), .results = k_means_results},
    {MODEL("y + softmax(standardized y), 200 deep", residual_softmax, block_sizes)},
    {MODEL("all shortest paths by doubling", shortest_paths, path_sizes)},
    {MODEL("bodies that attract each other, 20 steps", bodies, body_sizes)},
    {MODEL("power iteration, 50 steps", power_iteration, matrix_sizes), .results = bench_side_of},
    {.name = NULL},
};
