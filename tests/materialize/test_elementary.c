/*
 * exp, log and tanh against the C library's long double functions: the error in units of the last place, over random
 * arguments of every magnitude, and the values at the edges.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/elements.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { SAMPLES = 200000 };

typedef struct function {
    const char *name;
    double (*f64)(double);
    float (*f32)(float);
    long double (*exact)(long double);
    double low, high;      /* of the arguments */
    double most64, most32; /* error that is allowed, in ULP */
} function;

static double exp64(double x)
{
    return exp_float64(x);
}
static float exp32(float x)
{
    return exp_float32(x);
}
static double log64(double x)
{
    return log_float64(x);
}
static float log32(float x)
{
    return log_float32(x);
}
static double tanh64(double x)
{
    return tanh_float64(x);
}
static float tanh32(float x)
{
    return tanh_float32(x);
}

static const function functions[] = {
    {"exp", exp64, exp32, expl, -750, 712, 1.0, 0.6},
    {"log", log64, log32, logl, 0, 1e300, 1.0, 0.6},
    {"tanh", tanh64, tanh32, tanhl, -25, 25, 3.0, 0.6},
};

/* The distance of x from the exact value, in units of the last place of the dtype there. */
static double ulp_error(long double got, long double exact, int digits, int least_exponent)
{
    int exponent;
    (void)frexpl(exact, &exponent);
    exponent = exponent < least_exponent ? least_exponent : exponent;
    return (double)fabsl((got - exact) / ldexpl(1.0L, exponent - digits));
}

/* Spread over the magnitudes of the range as well as over the range itself. */
static double argument(const function *f)
{
    double x = f->low + (f->high - f->low) * zc_random_double();
    if (zc_random_bool())
        x *= pow(10, -(double)zc_random_range(0, f->high > 1e6 ? 600 : 20));
    return x;
}

Test(elementary, errors_stay_within_the_stated_units_in_the_last_place)
{
    zc_random_begin("elementary/ulp");
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        const function *f = &functions[k];
        double worst64 = 0, worst32 = 0;
        for (int i = 0; i < SAMPLES * zc_test_scale(); i++) {
            double x = argument(f);
            long double exact = f->exact((long double)x);
            if (x != 0 && fabsl(exact) <= DBL_MAX && fabsl(exact) > 0)
                worst64 = fmax(worst64, ulp_error((long double)f->f64(x), exact, 53, -1021));
            float x32 = (float)x;
            exact = f->exact((long double)x32);
            if (x32 != 0 && fabsl(exact) <= FLT_MAX && fabsl(exact) > 0 && isfinite(x32))
                worst32 = fmax(worst32, ulp_error((long double)f->f32(x32), exact, 24, -125));
        }
        cr_log_info("%s: %.3f ULP in float64, %.3f in float32", f->name, worst64, worst32);
        cr_assert_leq(worst64, f->most64, "%s: %.3f ULP in float64", f->name, worst64);
        cr_assert_leq(worst32, f->most32, "%s: %.3f ULP in float32", f->name, worst32);
    }
}

Test(elementary, edges_are_those_of_the_standard)
{
    cr_assert_eq(exp_float64(-INFINITY), 0.0);
    cr_assert_eq(exp_float64(INFINITY), (double)INFINITY);
    cr_assert_eq(exp_float64(0.0), 1.0);
    cr_assert_eq(exp_float64(-0.0), 1.0);
    cr_assert(isnan(exp_float64(NAN)));
    cr_assert_eq(exp_float64(710), (double)INFINITY);
    cr_assert_eq(exp_float64(-745.2), 0.0);
    cr_assert_eq(exp_float64(-745.0), 0x1p-1074);
    cr_assert_eq(exp_float32(89.0f), (float)INFINITY);
    cr_assert_eq(exp_float32(-104.0f), 0.0f);
    cr_assert_eq(log_float64(1.0), 0.0);
    cr_assert_eq(log_float64(0.0), -(double)INFINITY);
    cr_assert_eq(log_float64(-0.0), -(double)INFINITY);
    cr_assert_eq(log_float64(INFINITY), (double)INFINITY);
    cr_assert(isnan(log_float64(-1.0)));
    cr_assert(isnan(log_float64(NAN)));
    cr_assert(isnan(log_float32(-INFINITY)));
    cr_assert_eq(tanh_float64(INFINITY), 1.0);
    cr_assert_eq(tanh_float64(-INFINITY), -1.0);
    cr_assert_eq(tanh_float64(0.0), 0.0);
    cr_assert(signbit(tanh_float64(-0.0)));
    cr_assert(isnan(tanh_float64(NAN)));
    cr_assert_eq(tanh_float32(30.0f), 1.0f);
}
