/*
 * Elementary functions and powers of one operand, next to NumPy and XLA, and to some by hand.
 */
#include "bench/hand.h"

#define FUNCTION(name)                                                                                                 \
    static bool name##_of(bench_work *w)                                                                               \
    {                                                                                                                  \
        return bench_into(w, zc_##name(w->side->x));                                                                   \
    }

FUNCTION(exp)
FUNCTION(tanh)
FUNCTION(sigmoid)
FUNCTION(silu)
FUNCTION(erf)
FUNCTION(gelu)
FUNCTION(sin)
FUNCTION(abs)
FUNCTION(angle)

/* Takes logarithms of positive numbers: 1 + x. */
static bool log_of(bench_work *w)
{
    return bench_into(w, zc_log(zc_add(w->side->x, bench_weak(w, 1))));
}

static bool silu_gate(bench_work *w)
{
    return bench_into(w, zc_multiply(zc_silu(w->side->x), w->side->y));
}

static bool square_power(bench_work *w)
{
    return bench_into(w, zc_pow(w->side->x, zc_weak_int(w->side->ctx, 2)));
}

static bool real_power(bench_work *w)
{
    return bench_into(w, zc_pow(zc_add(w->side->x, bench_weak(w, 1)), bench_weak(w, 2.5)));
}

static zc_tensor *normal_distribution(const bench_work *w, zc_tensor *t)
{
    zc_tensor *whole = zc_add(zc_erf(zc_multiply(t, bench_weak(w, 0.70710678118654752))), bench_weak(w, 1));
    return zc_multiply(whole, bench_weak(w, 0.5));
}

/* The prices of calls by Black and Scholes: at 80 to 120 for 100, due in 1/10 to 2 years, at 5 % and a volatility of
 * 0.2. */
static bool black_scholes(bench_work *w)
{
    zc_tensor *price = zc_add(zc_multiply(zc_abs(w->side->x), bench_weak(w, 40)), bench_weak(w, 80));
    zc_tensor *years = zc_add(zc_multiply(zc_abs(w->side->y), bench_weak(w, 1.9)), bench_weak(w, 0.1));
    zc_tensor *spread = zc_multiply(zc_sqrt(years), bench_weak(w, 0.2));
    zc_tensor *drift = zc_add(zc_log(zc_divide(price, bench_weak(w, 100))), zc_multiply(years, bench_weak(w, 0.07)));
    zc_tensor *d1 = zc_divide(drift, spread), *d2 = zc_subtract(d1, spread);
    zc_tensor *due = zc_multiply(zc_exp(zc_multiply(years, bench_weak(w, -0.05))), bench_weak(w, 100));
    return bench_into(
        w, zc_subtract(zc_multiply(price, normal_distribution(w, d1)), zc_multiply(due, normal_distribution(w, d2))));
}

static bool complex_product(bench_work *w)
{
    zc_tensor *near_one = zc_add(zc_multiply(bench_table(w->side->x, 64), bench_weak(w, 0.1)), bench_weak(w, 1));
    return bench_into(w, zc_prod(near_one, ZC_AXES(1), false));
}

/* ---- The table ---- */

static int64_t per_64(int64_t n)
{
    return n / 64;
}

static const int64_t sizes[] = {4 * KI, 256 * KI, 16 * MI, 64 * MI, 0};
static const int64_t f64_sizes[] = {4 * KI, 256 * KI, 16 * MI, 0};
static const int64_t complex_sizes[] = {4 * KI, MI, 0};

static const bench_bound bounds[] = {{0, XLA, 0.9, .threads = 1}, {.most = 0}};
static const bench_bound hand_bounds[] = {{0, FIRST, 1.3, .threads = 1}, {0, XLA, 0.9, .threads = 1}, {.most = 0}};
static const bench_bound price_bounds[] = {{0, XLA, 0.7, .threads = 1}, {.most = 0}};
static const bench_bound peer_bounds[] = {{0, FASTER_PEER, 1.0, .threads = 1}, {.most = 0}};

#define OF_FLOATS_32(case_name, function, bound)                                                                       \
    {                                                                                                                  \
        .name = (case_name ", float32"), .ours = (function), .sizes = sizes, .bounds = (bound), .peer = #function,     \
        .peer_tolerance = 1e-5, .threads = true                                                                        \
    }
#define OF_FLOATS_64(case_name, function, bound)                                                                       \
    {                                                                                                                  \
        .name = (case_name ", float64"), .ours = (function), .sizes = f64_sizes, .bounds = (bound), .peer = #function, \
        .dtype = "float64", .peer_tolerance = 1e-12, .threads = true                                                   \
    }
#define BY_HAND(case_name, function)                                                                                   \
    OF_BOTH(#case_name "(x), float32", function, hand_##case_name##_f32, sizes, "float32", 1e-6, 1e-5),                \
        OF_BOTH(#case_name "(x), float64", function, hand_##case_name##_f64, f64_sizes, "float64", 1e-15, 1e-12)
#define OF_BOTH(case_name, function, hand, its_sizes, its_dtype, hand_tolerance, its_tolerance)                        \
    {                                                                                                                  \
        .name = (case_name), .ours = (function), .references = {{"fma", .run = (hand)}}, .sizes = (its_sizes),         \
        .bounds = hand_bounds, .peer = #function, .dtype = (its_dtype), .tolerance = (hand_tolerance),                 \
        .peer_tolerance = (its_tolerance), .threads = true, .splits = true                                             \
    }
#define OF_FLOATS(case_name, function, bound)                                                                          \
    OF_FLOATS_32(case_name, function, bound), OF_FLOATS_64(case_name, function, bound)

const bench_case function_cases[] = {
    BY_HAND(exp, exp_of),
    OF_FLOATS("log(1 + x)", log_of, bounds),
    BY_HAND(tanh, tanh_of),
    OF_FLOATS("sigmoid(x)", sigmoid_of, bounds),
    OF_FLOATS("silu(x)", silu_of, bounds),
    OF_FLOATS("silu(x) * y", silu_gate, bounds),
    OF_FLOATS("erf(x)", erf_of, bounds),
    BY_HAND(gelu, gelu_of),
    OF_FLOATS("sin(x)", sin_of, peer_bounds),
    OF_FLOATS("x**2", square_power, peer_bounds),
    OF_FLOATS("(1 + x)**2.5", real_power, peer_bounds),
    OF_FLOATS_64("prices of calls", black_scholes, price_bounds),
    {.name = "prices of calls, float32",
     .ours = black_scholes,
     .sizes = sizes,
     .bounds = bounds,
     .peer = "black_scholes",
     .peer_tolerance = 1e-4,
     .threads = true},
    {.name = "exp(z), complex128",
     .ours = exp_of,
     .sizes = complex_sizes,
     .bounds = peer_bounds,
     .peer = "exp_of",
     .dtype = "complex128",
     .peer_tolerance = 1e-12,
     .threads = true},
    {.name = "abs(z), complex128",
     .ours = abs_of,
     .sizes = complex_sizes,
     .bounds = peer_bounds,
     .peer = "abs_of",
     .dtype = "complex128",
     .result = "float64",
     .peer_tolerance = 1e-12,
     .threads = true},
    {.name = "angle(z), complex128",
     .ours = angle_of,
     .sizes = complex_sizes,
     .bounds = peer_bounds,
     .peer = "angle_of",
     .dtype = "complex128",
     .result = "float64",
     .peer_tolerance = 1e-12,
     .threads = true},
    {.name = "z**2, complex64",
     .ours = square_power,
     .sizes = complex_sizes,
     .bounds = peer_bounds,
     .peer = "square_power",
     .dtype = "complex64",
     .peer_tolerance = 1e-5,
     .threads = true},
    {.name = "(1 + z)**2.5, complex64",
     .ours = real_power,
     .sizes = complex_sizes,
     .bounds = peer_bounds,
     .peer = "real_power",
     .dtype = "complex64",
     .peer_tolerance = 1e-4,
     .threads = true},
    {.name = "prod of rows of 64, complex64",
     .ours = complex_product,
     .results = per_64,
     .sizes = complex_sizes,
     .bounds = peer_bounds,
     .peer = "complex_product",
     .dtype = "complex64",
     .peer_tolerance = 1e-4,
     .threads = true},
    {.name = NULL},
};
