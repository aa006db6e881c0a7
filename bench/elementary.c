/*
 * What an element of each elementary function costs, next to a loop of calls of the C library's function for one
 * number, in one interleaved run on one thread.
 *
 * usage: elementary [ROUNDS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zerocast.h>

#include "bench/timing.h"

enum { ELEMENTS = 1 << 15, MOST_ROUNDS = 101 };

typedef struct elementary {
    const char *name;
    zc_tensor *(*unary)(const zc_tensor *);
    zc_tensor *(*binary)(const zc_tensor *, const zc_tensor *);
    double (*f64)(double);
    float (*f32)(float);
    double (*f64_of_two)(double, double);
    float (*f32_of_two)(float, float);
    double low, high;
} elementary;

/* Stand-ins for functions that the C library does not have, as one would write them with it. */
static double rsqrt64(double x)
{
    return 1 / sqrt(x);
}
static float rsqrt32(float x)
{
    return 1 / sqrtf(x);
}
static double sigmoid64(double x)
{
    return 1 / (1 + exp(-x));
}
static float sigmoid32(float x)
{
    return 1 / (1 + expf(-x));
}
static double silu64(double x)
{
    return x / (1 + exp(-x));
}
static float silu32(float x)
{
    return x / (1 + expf(-x));
}
static double softplus64(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}
static float softplus32(float x)
{
    return fmaxf(x, 0) + log1pf(expf(-fabsf(x)));
}
static double gelu64(double x)
{
    return 0.5 * x * erfc(-x * sqrt(0.5));
}
static float gelu32(float x)
{
    return 0.5f * x * erfcf(-x * sqrtf(0.5f));
}
static double gelu_tanh64(double x)
{
    return 0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}
static float gelu_tanh32(float x)
{
    return 0.5f * x * (1 + tanhf(0.797884561f * (x + 0.044715f * x * x * x)));
}
static double logaddexp64(double x, double y)
{
    return fmax(x, y) + log1p(exp(-fabs(x - y)));
}
static float logaddexp32(float x, float y)
{
    return fmaxf(x, y) + log1pf(expf(-fabsf(x - y)));
}

#define UNARY(name, f64, f32, low, high)                                                                               \
    {                                                                                                                  \
#name, zc_##name, NULL, f64, f32, NULL, NULL, low, high                                                        \
    }
#define BINARY(name, f64, f32, low, high)                                                                              \
    {                                                                                                                  \
#name, NULL, zc_##name, NULL, NULL, f64, f32, low, high                                                        \
    }

static const elementary rows[] = {
    UNARY(rsqrt, rsqrt64, rsqrt32, 0, 100),
    UNARY(cbrt, cbrt, cbrtf, -100, 100),
    BINARY(hypot, hypot, hypotf, -10, 10),
    BINARY(pow, pow, powf, 0, 10),
    UNARY(exp, exp, expf, -20, 20),
    UNARY(exp2, exp2, exp2f, -20, 20),
    UNARY(expm1, expm1, expm1f, -5, 5),
    UNARY(log, log, logf, 0, 100),
    UNARY(log2, log2, log2f, 0, 100),
    UNARY(log10, log10, log10f, 0, 100),
    UNARY(log1p, log1p, log1pf, -0.9, 10),
    BINARY(logaddexp, logaddexp64, logaddexp32, -10, 10),
    UNARY(sin, sin, sinf, -100, 100),
    UNARY(cos, cos, cosf, -100, 100),
    UNARY(tan, tan, tanf, -100, 100),
    UNARY(asin, asin, asinf, -1, 1),
    UNARY(acos, acos, acosf, -1, 1),
    UNARY(atan, atan, atanf, -10, 10),
    BINARY(atan2, atan2, atan2f, -10, 10),
    UNARY(sinh, sinh, sinhf, -10, 10),
    UNARY(cosh, cosh, coshf, -10, 10),
    UNARY(tanh, tanh, tanhf, -5, 5),
    UNARY(asinh, asinh, asinhf, -10, 10),
    UNARY(acosh, acosh, acoshf, 1, 10),
    UNARY(atanh, atanh, atanhf, -1, 1),
    UNARY(erf, erf, erff, -4, 4),
    UNARY(gelu, gelu64, gelu32, -5, 5),
    UNARY(gelu_tanh, gelu_tanh64, gelu_tanh32, -5, 5),
    UNARY(sigmoid, sigmoid64, sigmoid32, -10, 10),
    UNARY(silu, silu64, silu32, -10, 10),
    UNARY(softplus, softplus64, softplus32, -10, 10),
};

static double x64[ELEMENTS], y64[ELEMENTS], out64[ELEMENTS];
static float x32[ELEMENTS], y32[ELEMENTS], out32[ELEMENTS];

static void fill(const elementary *row)
{
    for (int i = 0; i < ELEMENTS; i++) {
        x64[i] = row->low + (row->high - row->low) * ((double)(i * 7919LL % ELEMENTS) + 0.5) / ELEMENTS;
        y64[i] = row->low + (row->high - row->low) * ((double)(i * 6271LL % ELEMENTS) + 0.5) / ELEMENTS;
        x32[i] = (float)x64[i];
        y32[i] = (float)y64[i];
    }
}

static bool run_ours(const elementary *row, zc_context *ctx, zc_dtype dtype)
{
    const int64_t n = ELEMENTS;
    size_t bytes = ELEMENTS * zc_dtype_bytes(dtype);
    bool is_double = dtype == ZC_FLOAT64;
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_import(ctx, dtype, 1, &n, NULL, 0, is_double ? (void *)x64 : (void *)x32, bytes, NULL, NULL);
    zc_tensor *y = zc_import(ctx, dtype, 1, &n, NULL, 0, is_double ? (void *)y64 : (void *)y32, bytes, NULL, NULL);
    zc_tensor *r = row->unary != NULL ? row->unary(x) : row->binary(x, y);
    bool ok = zc_materialize_into(r, is_double ? (void *)out64 : (void *)out32, bytes, NULL, 0) == ZC_OK;
    zc_scope_end(scope);
    return ok;
}

static void run_library(const elementary *row, zc_dtype dtype)
{
    if (dtype == ZC_FLOAT64) {
        for (int i = 0; i < ELEMENTS; i++)
            out64[i] = row->f64 != NULL ? row->f64(x64[i]) : row->f64_of_two(x64[i], y64[i]);
    } else {
        for (int i = 0; i < ELEMENTS; i++)
            out32[i] = row->f32 != NULL ? row->f32(x32[i]) : row->f32_of_two(x32[i], y32[i]);
    }
}

/* Medians in nanoseconds per element. */
static bool time_row(const elementary *row, zc_context *ctx, zc_dtype dtype, int rounds, double *ours, double *library)
{
    double our_times[MOST_ROUNDS], library_times[MOST_ROUNDS];
    for (int i = 0; i < rounds; i++) {
        double start = seconds();
        if (!run_ours(row, ctx, dtype))
            return false;
        double middle = seconds();
        run_library(row, dtype);
        our_times[i] = middle - start;
        library_times[i] = seconds() - middle;
    }
    qsort(our_times, (size_t)rounds, sizeof *our_times, compare_doubles);
    qsort(library_times, (size_t)rounds, sizeof *library_times, compare_doubles);
    *ours = 1e9 * our_times[rounds / 2] / ELEMENTS;
    *library = 1e9 * library_times[rounds / 2] / ELEMENTS;
    return true;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 15;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    bool ok = ctx != NULL;
    printf("ns per element, 1 thread, medians of %ld rounds\n%-12s %10s %10s %7s %10s %10s %7s\n", rounds, "function",
           "float64", "library", "ratio", "float32", "library", "ratio");
    for (size_t i = 0; ok && i < sizeof rows / sizeof *rows; i++) {
        double ours64, library64, ours32, library32;
        fill(&rows[i]);
        ok = time_row(&rows[i], ctx, ZC_FLOAT64, (int)rounds, &ours64, &library64) &&
             time_row(&rows[i], ctx, ZC_FLOAT32, (int)rounds, &ours32, &library32);
        if (ok)
            printf("%-12s %10.2f %10.2f %7.2f %10.2f %10.2f %7.2f\n", rows[i].name, ours64, library64,
                   ours64 / library64, ours32, library32, ours32 / library32);
    }
    if (!ok)
        fprintf(stderr, "elementary: %s\n", ctx == NULL ? "no context" : zc_error_text(ctx));
    zc_context_free(ctx);
    return ok ? 0 : 1;
}
