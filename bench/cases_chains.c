/*
 * Elementwise chains in float32: recorded afresh for every run, as a program does, into a warm buffer. From 4 elements
 * of the cache to four times the last one.
 */
#include "bench/hand.h"

/* min(max(relu(x * 1.5 + y), 0.125), 0.75) */
static bool clamp(bench_work *w)
{
    zc_tensor *v = zc_relu(zc_add(zc_multiply(w->side->x, bench_weak(w, 1.5)), w->side->y));
    return bench_into(w, zc_clip(v, bench_weak(w, 0.125), bench_weak(w, 0.75)));
}

/* sqrt(x * x + y * y) */
static bool length(bench_work *w)
{
    const zc_tensor *x = w->side->x, *y = w->side->y;
    return bench_into(w, zc_sqrt(zc_add(zc_multiply(x, x), zc_multiply(y, y))));
}

/* Horner's scheme of degree 6: twelve operations, one load. */
static bool polynomial(bench_work *w)
{
    static const double coefficients[] = {-0.25, 0.75, -1.5, 0.375, 1.25, -0.625};
    zc_tensor *p = bench_weak(w, 0.5);
    for (size_t i = 0; i < sizeof coefficients / sizeof *coefficients; i++)
        p = zc_add(zc_multiply(p, w->side->x), bench_weak(w, coefficients[i]));
    return bench_into(w, p);
}

/* (x - mean) * factor * weight + bias: two operands vary by row, two by column */
static bool normalise(bench_work *w)
{
    int64_t columns = bench_columns(w->n), rows = w->n / columns;
    const zc_tensor *parameters = w->side->parameters;
    zc_tensor *weight = zc_slice(parameters, 0, 0, columns, 1);
    zc_tensor *bias = zc_slice(parameters, 0, columns, 2 * columns, 1);
    zc_tensor *mean = zc_expand_dims(zc_slice(parameters, 0, PARAMETERS, PARAMETERS + rows, 1), 1);
    zc_tensor *factor = zc_expand_dims(zc_slice(parameters, 0, PARAMETERS + rows, PARAMETERS + 2 * rows, 1), 1);
    zc_tensor *x = zc_reshape(w->side->x, ZC_SHAPE(rows, columns));
    return bench_into(w, zc_add(zc_multiply(zc_multiply(zc_subtract(x, mean), factor), weight), bias));
}

/* 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x))) */
static bool gelu(bench_work *w)
{
    const zc_tensor *x = w->side->x;
    zc_tensor *cube = zc_multiply(zc_multiply(zc_multiply(bench_weak(w, 0.044715), x), x), x);
    zc_tensor *tanh = zc_tanh(zc_multiply(bench_weak(w, 0.797884561), zc_add(x, cube)));
    return bench_into(w, zc_multiply(zc_multiply(bench_weak(w, 0.5), x), zc_add(bench_weak(w, 1), tanh)));
}

static const int64_t sizes[] = {16, 256, 4 * KI, 64 * KI, 256 * KI, MI, 4 * MI, 64 * MI, 0};

#define CHAIN_BOUNDS(numpy_gain)                                                                                       \
    {4 * KI, FIRST, 1.5, .without_call = true, .threads = 1}, {256 * KI, FIRST, 1.15, .threads = 1},                   \
        {64 * MI, SECOND, 1.05, .threads = 1}, {64 * MI, FIRST, 0.8, .threads = 1},                                    \
        {64 * MI, NUMPY, 1 / (numpy_gain), .threads = 1}, {64 * MI, NUMPY_OUT, 1 / 2.5, .threads = 1},                 \
        {64 * MI, NUMEXPR, 1 / 3.0, .threads = 1},                                                                     \
    {                                                                                                                  \
        .most = 0                                                                                                      \
    }

static const bench_bound bounds[] = {CHAIN_BOUNDS(4.0)};
/* Bound by arithmetic, not by memory: how the result is stored says nothing. */
static const bench_bound gelu_bounds[] = {CHAIN_BOUNDS(6.0)};

#define BY_HAND(name)                                                                                                  \
    {                                                                                                                  \
        {"ordinary stores", .run = hand_##name},                                                                       \
        {                                                                                                              \
            "streaming stores", .run = hand_##name##_streaming                                                         \
        }                                                                                                              \
    }

const bench_case chain_cases[] = {
    {.name = "scale, add, relu, clamp",
     .ours = clamp,
     .references = BY_HAND(clamp),
     .sizes = sizes,
     .bounds = bounds,
     .peer = "clamp",
     .xla_tolerance = 1e-6,
     .threads = true,
     .splits = true},
    {.name = "sqrt(x*x + y*y)",
     .ours = length,
     .references = BY_HAND(length),
     .sizes = sizes,
     .bounds = bounds,
     .peer = "length",
     .xla_tolerance = 1e-6,
     .threads = true,
     .splits = true},
    {.name = "polynomial of 12 operations",
     .ours = polynomial,
     .references = BY_HAND(polynomial),
     .sizes = sizes,
     .bounds = bounds,
     .peer = "polynomial",
     .xla_tolerance = 1e-6,
     .threads = true,
     .splits = true},
    {.name = "layer norm",
     .ours = normalise,
     .references = BY_HAND(normalise),
     .sizes = sizes,
     .bounds = bounds,
     .peer = "normalise",
     .xla_tolerance = 1e-6,
     .threads = true,
     .splits = true},
    {.name = "gelu (tanh)",
     .ours = gelu,
     .references = BY_HAND(gelu),
     .sizes = sizes,
     .bounds = gelu_bounds,
     .peer = "gelu",
     .tolerance = 1e-6,
     .peer_tolerance = 1e-6,
     .threads = true,
     .splits = true},
    {.name = NULL},
};
