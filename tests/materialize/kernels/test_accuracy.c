/*
 * The elementary functions against MPFR: the largest error of the kernels in units of the last place, over arguments of
 * every magnitude, dense in the ranges of accuracy.def and around the points where a formula gives way to another.
 *
 * Overflow counts as the power of two behind the largest number, so that an infinity is right where the exact value
 * rounds to it. Where the exact value is no number, the result must be none.
 */
#include "tests/support/zc_test.h"

#if defined(ZC_TEST_HAVE_MPFR)
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "materialize/kernels/tables/dispatch.h"
#include "tests/support/random.h"

enum { SAMPLES = 2048, PRECISION = 240 };

/* ---- The exact values ---- */

typedef void exact_function(mpfr_t out, mpfr_t x, mpfr_t y);

#define EXACT_1(name, call)                                                                                            \
    static void exact_##name(mpfr_t out, mpfr_t x, mpfr_t y)                                                           \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        (void)call(out, x, MPFR_RNDN);                                                                                 \
    }
#define EXACT_2(name, call)                                                                                            \
    static void exact_##name(mpfr_t out, mpfr_t x, mpfr_t y)                                                           \
    {                                                                                                                  \
        (void)call(out, x, y, MPFR_RNDN);                                                                              \
    }
EXACT_1(rsqrt, mpfr_rec_sqrt)
EXACT_1(cbrt, mpfr_cbrt)
EXACT_2(hypot, mpfr_hypot)
EXACT_2(pow, mpfr_pow)
EXACT_1(exp, mpfr_exp)
EXACT_1(exp2, mpfr_exp2)
EXACT_1(expm1, mpfr_expm1)
EXACT_1(log, mpfr_log)
EXACT_1(log2, mpfr_log2)
EXACT_1(log10, mpfr_log10)
EXACT_1(log1p, mpfr_log1p)
EXACT_1(sin, mpfr_sin)
EXACT_1(cos, mpfr_cos)
EXACT_1(tan, mpfr_tan)
EXACT_1(asin, mpfr_asin)
EXACT_1(acos, mpfr_acos)
EXACT_1(atan, mpfr_atan)
EXACT_2(atan2, mpfr_atan2)
EXACT_1(sinh, mpfr_sinh)
EXACT_1(cosh, mpfr_cosh)
EXACT_1(tanh, mpfr_tanh)
EXACT_1(asinh, mpfr_asinh)
EXACT_1(acosh, mpfr_acosh)
EXACT_1(atanh, mpfr_atanh)
EXACT_1(erf, mpfr_erf)

/* log(e^x + e^y) with the larger one taken out. */
static void exact_logaddexp(mpfr_t out, mpfr_t x, mpfr_t y)
{
    mpfr_ptr large = mpfr_greater_p(x, y) ? x : y, small = large == x ? y : x;
    (void)mpfr_sub(out, small, large, MPFR_RNDN);
    (void)mpfr_exp(out, out, MPFR_RNDN);
    (void)mpfr_log1p(out, out, MPFR_RNDN);
    (void)mpfr_add(out, out, large, MPFR_RNDN);
}

static void exact_softplus(mpfr_t out, mpfr_t x, mpfr_t y)
{
    (void)y;
    bool is_large = mpfr_cmp_si(x, 1000) > 0; /* and the exponential might overflow even here */
    (void)(is_large ? mpfr_set(out, x, MPFR_RNDN) : mpfr_exp(out, x, MPFR_RNDN));
    (void)(is_large ? 0 : mpfr_log1p(out, out, MPFR_RNDN));
}

static void exact_sigmoid(mpfr_t out, mpfr_t x, mpfr_t y)
{
    (void)y;
    (void)mpfr_neg(out, x, MPFR_RNDN);
    (void)mpfr_exp(out, out, MPFR_RNDN);
    (void)mpfr_add_ui(out, out, 1, MPFR_RNDN);
    (void)mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

static void exact_silu(mpfr_t out, mpfr_t x, mpfr_t y)
{
    exact_sigmoid(out, x, y);
    (void)mpfr_mul(out, out, x, MPFR_RNDN);
}

/* x erfc(-x / sqrt 2) / 2 */
static void exact_gelu(mpfr_t out, mpfr_t x, mpfr_t y)
{
    (void)mpfr_sqrt_ui(y, 2, MPFR_RNDN);
    (void)mpfr_div(out, x, y, MPFR_RNDN);
    (void)mpfr_neg(out, out, MPFR_RNDN);
    (void)mpfr_erfc(out, out, MPFR_RNDN);
    (void)mpfr_mul(out, out, x, MPFR_RNDN);
    (void)mpfr_div_ui(out, out, 2, MPFR_RNDN);
}

/* x sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)) */
static void exact_gelu_tanh(mpfr_t out, mpfr_t x, mpfr_t y)
{
    (void)mpfr_sqr(y, x, MPFR_RNDN);
    (void)mpfr_mul_ui(y, y, 44715, MPFR_RNDN);
    (void)mpfr_div_ui(y, y, 1000000, MPFR_RNDN);
    (void)mpfr_add_ui(y, y, 1, MPFR_RNDN);
    (void)mpfr_mul(y, y, x, MPFR_RNDN);
    (void)mpfr_const_pi(out, MPFR_RNDN);
    (void)mpfr_ui_div(out, 8, out, MPFR_RNDN);
    (void)mpfr_sqrt(out, out, MPFR_RNDN);
    (void)mpfr_mul(y, y, out, MPFR_RNDN);
    exact_sigmoid(out, y, NULL);
    (void)mpfr_mul(out, out, x, MPFR_RNDN);
}

/* ---- The rows ---- */

typedef struct accuracy {
    const char *name;
    exact_function *exact;
    double low, high;
    double bound[ZC_DTYPE_COUNT];
} accuracy;

/* 16-bit floats are float32's results, rounded: half a unit, and float32's error. */
#define BOUND16 0.501

static const accuracy rows[] = {
#define ZC_ACCURACY(name, low, high, bound64, bound32)                                                                 \
    {#name,                                                                                                            \
     exact_##name,                                                                                                     \
     low,                                                                                                              \
     high,                                                                                                             \
     {[ZC_FLOAT64] = bound64, [ZC_FLOAT32] = bound32, [ZC_FLOAT16] = BOUND16, [ZC_BFLOAT16] = BOUND16}},
#include "tests/materialize/kernels/accuracy.def"
};

/* Format of a float dtype's numbers: p bits, least and largest exponents of mpfr_get_exp(). */
typedef struct format {
    zc_dtype dtype;
    int digits, least, most;
} format;

static const format formats[] = {
    {ZC_FLOAT64, 53, -1021, 1024}, {ZC_FLOAT32, 24, -125, 128}, {ZC_FLOAT16, 11, -13, 16}, {ZC_BFLOAT16, 8, -125, 128}};

/* ---- Arguments ---- */

/* Points where formulas change, or functions have zeros, poles and branch points. The first lies closer to a multiple
 * of pi/2 than any other double. */
static const double hard_points[] = {0x1.6ac5b262ca1ffp849,
                                     0.5,
                                     1,
                                     1.4142135623730951,
                                     0.7071067811865476,
                                     0.41421356237309503,
                                     0.85,
                                     1e-8,
                                     0.34657359027997264,
                                     0.6931471805599453,
                                     1.5707963267948966,
                                     0x1p-28,
                                     0x1p-54,
                                     3.141592653589793,
                                     0.1715728752538099,
                                     0.7071067811865476,
                                     22,
                                     0x1p20,
                                     0x1p30,
                                     709.782712893384,
                                     -745.13321910194122,
                                     2.414213562373095,
                                     40,
                                     700,
                                     355,
                                     0x1p1023,
                                     6,
                                     0.675,
                                     1.35,
                                     0.8,
                                     10,
                                     87,
                                     88.722839,
                                     103.97208};

static double argument(const accuracy *row, const format *f)
{
    double sign = zc_random_bool() ? 1 : -1;
    switch (zc_random_range(0, 7)) {
    case 0: /* any magnitude */
        return sign * ldexp(0.5 + 0.5 * zc_random_double(), (int)zc_random_range(f->least - f->digits, f->most));
    case 1: /* moderate ones */
        return sign * ldexp(0.5 + 0.5 * zc_random_double(), (int)zc_random_range(-30, 24));
    case 2: { /* around a hard point, ever closer */
        double point = hard_points[zc_random_range(0, sizeof hard_points / sizeof *hard_points - 1)];
        return sign * point * (1 + ldexp(zc_random_double() - 0.5, -(int)zc_random_range(0, f->digits)));
    }
    case 3: /* around multiples of a quarter of pi */
        return sign * (double)zc_random_range(0, 1 << 22) * 0.78539816339744831;
    case 4: /* the largest subnormal ones: a result among them may be rounded twice */
        return sign * ldexp(0.5 + 0.5 * zc_random_double(), f->least - (int)zc_random_range(0, 3));
    default:
        return row->low + (row->high - row->low) * zc_random_double();
    }
}

/* Exponents of pow whose results are finite, for the most part. */
static double exponent_for(double x, const format *f)
{
    double size = fabs(log2(fabs(x))), most = f->most + f->digits;
    if (zc_random_range(0, 3) == 0)
        return (double)zc_random_range(-20, 20);
    return size > 0 && isfinite(size) ? (2 * zc_random_double() - 1) * most / size : zc_random_double();
}

/* ---- Measuring ---- */

/* Cancellation leaves logaddexp next to its zeros with an error that is small beside its operands. */
static long exponent_of_unit(const accuracy *row, const format *f, mpfr_t exact, mpfr_t x)
{
    long exponent = mpfr_zero_p(exact) ? f->least : mpfr_get_exp(exact);
    if (row->exact == exact_logaddexp && !mpfr_zero_p(x) && mpfr_get_exp(x) - 4 > exponent)
        exponent = mpfr_get_exp(x) - 4;
    return (exponent < f->least ? f->least : exponent) - f->digits;
}

/* The error of `got` in ULP; negative where one is a NaN and the other is not. */
static double error_of(const accuracy *row, const format *f, double got, mpfr_t exact, mpfr_t x)
{
    if (mpfr_nan_p(exact) || isnan(got))
        return mpfr_nan_p(exact) && isnan(got) ? 0 : -1;
    if (mpfr_inf_p(exact) || (!mpfr_zero_p(exact) && mpfr_get_exp(exact) > f->most))
        return isinf(got) && (got > 0) == (mpfr_sgn(exact) > 0) ? 0 : -1;
    long unit = exponent_of_unit(row, f, exact, x);
    mpfr_t difference;
    mpfr_init2(difference, PRECISION);
    if (isinf(got))
        (void)mpfr_set_si_2exp(difference, got > 0 ? 1 : -1, f->most, MPFR_RNDN);
    else
        (void)mpfr_set_d(difference, got, MPFR_RNDN);
    (void)mpfr_sub(difference, difference, exact, MPFR_RNDN);
    (void)mpfr_mul_2si(difference, difference, -unit, MPFR_RNDN);
    double error = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return error;
}

static zc_op op_named(const char *name)
{
    for (int op = 0; op < ZC_OP_ROWS; op++) {
        if (strcmp(zc_op_describe((zc_op)op)->name, name) == 0)
            return (zc_op)op;
    }
    cr_assert_fail("there is no operation %s", name);
    return ZC_OP_ROWS;
}

static double load(const format *f, const void *elements, int i)
{
    const char *at = (const char *)elements + (size_t)i * zc_dtype_bytes(f->dtype);
    return zc_scalar_convert(zc_scalar_load(f->dtype, at), f->dtype, ZC_FLOAT64).float64;
}

static void store(const format *f, void *elements, int i, double x)
{
    size_t item = zc_dtype_bytes(f->dtype);
    /* Zeros and infinities are cases of their own. */
    double most = ldexp(1 - ldexp(1, -f->digits), f->most), least = ldexp(1, f->least - f->digits);
    double size = fmax(fmin(fabs(x), most), least);
    zc_scalar nearest = zc_scalar_convert((zc_scalar){.float64 = copysign(size, x)}, ZC_FLOAT64, f->dtype);
    memcpy((char *)elements + (size_t)i * item, nearest.bytes, item);
}

static double worst_of_block(const accuracy *row, const format *f)
{
    static double x[SAMPLES], y[SAMPLES], out[SAMPLES];
    double worst = 0;
    mpfr_t exact, mx, my;
    mpfr_inits2(PRECISION, exact, mx, my, (mpfr_ptr)NULL);
    zc_op op = op_named(row->name);
    for (int i = 0; i < SAMPLES; i++) {
        store(f, x, i, argument(row, f));
        store(f, y, i, op == ZC_OP_POW ? exponent_for(load(f, x, i), f) : argument(row, f));
    }
    zc_kernels_best()->map[op][f->dtype](out, x, y, NULL, SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        (void)mpfr_set_d(mx, load(f, x, i), MPFR_RNDN);
        (void)mpfr_set_d(my, load(f, y, i), MPFR_RNDN);
        row->exact(exact, mx, my);
        double error = error_of(row, f, load(f, out, i), exact, mpfr_cmpabs(mx, my) > 0 ? mx : my);
        cr_assert(error >= 0, "%s(%a, %a) of %s is %a", row->name, load(f, x, i), load(f, y, i),
                  zc_dtype_name(f->dtype), load(f, out, i));
        if (error > worst) {
            worst = error;
            cr_assert(error <= row->bound[f->dtype], "%s(%a, %a) of %s is %a: %.3f ULP", row->name, load(f, x, i),
                      load(f, y, i), zc_dtype_name(f->dtype), load(f, out, i), error);
        }
    }
    mpfr_clears(exact, mx, my, (mpfr_ptr)NULL);
    return worst;
}

/* A long run is for float32. The formats of 16 bits have 2^16 values, and float64 would take as long again for a sample
 * that is thinner in any case. */
static int blocks_of(const format *f)
{
    enum { ENOUGH = 1 << 5 };
    int scale = zc_test_scale();
    return f->dtype == ZC_FLOAT32 || scale < ENOUGH ? scale : ENOUGH;
}

Test(accuracy, errors_stay_within_their_bounds)
{
    zc_skip_of_one_thread();
    zc_random_begin("accuracy/mpfr");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
            double worst = 0;
            int blocks = blocks_of(&formats[k]);
            for (int i = 0; i < blocks; i++)
                worst = fmax(worst, worst_of_block(&rows[r], &formats[k]));
            cr_log_info("%s of %s: %.3f ULP in %d samples", rows[r].name, zc_dtype_name(formats[k].dtype), worst,
                        blocks * SAMPLES);
        }
    }
    mpfr_free_cache();
}
/* ---- float32 next to float64, which is 2^27 times as near to the exact value ---- */

/* In ULP of float32; overflow counts as 2^128, and a NaN beside a number as infinitely far. */
static double error_beside(float got, double wanted)
{
    const double overflow = 0x1p128;
    if (isnan(got) || isnan(wanted))
        return isnan(got) && isnan(wanted) ? 0 : INFINITY;
    double x = fmax(fmin((double)got, overflow), -overflow), exact = fmax(fmin(wanted, overflow), -overflow);
    int exponent;
    (void)frexp(exact, &exponent);
    return ldexp(fabs(x - exact), 24 - (exponent < -125 ? -125 : exponent));
}

static double worst_spread(const accuracy *row, uint64_t samples)
{
    static float x[SAMPLES], out[SAMPLES];
    static double wide[SAMPLES], wanted[SAMPLES];
    zc_op op = op_named(row->name);
    uint64_t step = (UINT64_C(1) << 32) / samples;
    double worst = 0;
    for (uint64_t begin = 0; begin < samples; begin += SAMPLES) {
        for (uint64_t i = 0; i < SAMPLES; i++) {
            uint32_t bits = (uint32_t)((begin + i) * step + (uint64_t)zc_random_range(0, (int64_t)step - 1));
            memcpy(&x[i], &bits, sizeof bits);
            wide[i] = (double)x[i];
        }
        zc_kernels_best()->map[op][ZC_FLOAT32](out, x, NULL, NULL, SAMPLES);
        zc_kernels_best()->map[op][ZC_FLOAT64](wanted, wide, NULL, NULL, SAMPLES);
        for (int i = 0; i < SAMPLES; i++) {
            double error = error_beside(out[i], wanted[i]);
            worst = fmax(worst, error);
            cr_assert(error <= row->bound[ZC_FLOAT32], "%s(%a) of float32 is %a instead of %a: %.3f ULP", row->name,
                      (double)x[i], (double)out[i], wanted[i], error);
        }
    }
    return worst;
}

/* Every float32 from ZC_TEST_SCALE=65536 on. */
Test(accuracy, float32_stays_within_its_bounds_all_over_its_range)
{
    zc_random_begin("accuracy/spread");
    const uint64_t all = UINT64_C(1) << 32;
    uint64_t samples = 1 << 16;
    for (int scale = zc_test_scale(); scale > 1 && samples < all; scale /= 2)
        samples *= 2;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (zc_op_describe(op_named(rows[r].name))->arity == 1)
            cr_log_info("%s of float32: %.4f ULP in %llu samples", rows[r].name, worst_spread(&rows[r], samples),
                        (unsigned long long)samples);
    }
}
#else
Test(accuracy, is_not_measured_because_mpfr_was_not_found_when_this_was_built)
{
    cr_log_warn("the errors of the elementary functions were not measured: mpfr.h was not found");
}
#endif
