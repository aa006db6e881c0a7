/*
 * Functions of e^-|x|: sigmoid, silu, softplus, logaddexp, and gelu's form with tanh. Exponential and quotient are
 * pairs; the power of 2 is multiplied last, since results may be subnormal.
 */
#ifndef ZC_MATH_DOUBLE_ACTIVATION_H
#define ZC_MATH_DOUBLE_ACTIVATION_H

#include "math/double/exp.h"
#include "math/double/log.h"

/* ---- 1 / (1 + e^size) and products with it ---- */

/* e^r - 1 */
static inline pair expm1_reduced_brief(double r)
{
    double square = r * r, q = exp_rest_brief(r), t = fma_float64(square, q, r);
    return (pair){t, fma_float64(square, q, r - t)};
}

/* factor / (1 + 2^n (1 + t)), where 2^n is a number from 1 on. */
static inline double near_over_1_plus_exp(double factor, double power, pair t)
{
    double whole = 1.0 + power, lost = fma_float64(power, t.low, 1.0 - (whole - power));
    double sum = fma_float64(power, t.high, whole);
    return quotient_of_pairs((pair){factor, -0.0}, (pair){sum, fma_float64(power, t.high, whole - sum) + lost});
}

/* The same for n up to 1100: over 2^-n + 1 + t, and times 2^-n in the end, since the result may be subnormal. Where
 * both forms are defined, they differ by a power of 2 in every step. */
static inline double far_over_1_plus_exp(double factor, int64_t n, pair t)
{
    double one = exp2_integer(n < 1000 ? -n : -1000), whole = 1.0 + one, lost = t.low + (one - (whole - 1.0));
    double sum = whole + t.high, low = ((whole - sum) + t.high) + lost;
    return scale(quotient_of_pairs((pair){factor, -0.0}, (pair){sum, low}), -n);
}

/* On the other side of 0 it is 1 less that. */
static inline double side_of_sigmoid64(double x, double below)
{
    return x < 0 ? below : 1.0 - below;
}

static inline double near_sigmoid_float64(double x)
{
    double r, sum = reduce_brief(absolute(x), &r);
    return side_of_sigmoid64(x, near_over_1_plus_exp(1.0, power_of_whole(sum), expm1_reduced_brief(r)));
}

static inline double sigmoid_float64(double x)
{
    double r, sum = reduce_brief(size_within(x, 760.0), &r);
    return side_of_sigmoid64(x, far_over_1_plus_exp(1.0, integer_of_sum(sum), expm1_reduced_brief(r)));
}

/* The same with a factor x: x less |x| / (1 + e^size), or only that on the left. */
static inline double near_silu_float64(double x)
{
    double size = absolute(x), r, sum = reduce_brief(size, &r);
    return from_both_sides(x, near_over_1_plus_exp(size, power_of_whole(sum), expm1_reduced_brief(r)));
}

static inline double silu_float64(double x)
{
    double size = size_within(x, 760.0), r, sum = reduce_brief(size, &r);
    return from_both_sides(x, far_over_1_plus_exp(size, integer_of_sum(sum), expm1_reduced_brief(r)));
}

/* x / (1 + e^-z) with z = 2 sqrt(2/pi) (x + 0.044715 x^3), which is gelu with tanh. */
static inline pair gelu_expm1(double size, double *n)
{
    pair square = two_product(size, size), cubic = multiply_pairs(square, (pair){ZC_GELU_3, ZC_GELU_3_REST});
    pair sum = add_pairs((pair){ZC_GELU_1, ZC_GELU_1_REST}, cubic), z = multiply_pairs((pair){size, 0.0}, sum);
    pair r = reduce_exponent(z, n), t = expm1_reduced_brief(r.high);
    t.low += fma_float64(r.low, r.high, r.low);
    return t;
}

static inline double near_gelu_tanh_float64(double x)
{
    double size = absolute(x), n;
    pair t = gelu_expm1(size, &n);
    return from_both_sides(x, near_over_1_plus_exp(size, exp2_integer(integer_of(n)), t));
}

static inline double gelu_tanh_float64(double x)
{
    double size = size_within(x, 24.0), n;
    pair t = gelu_expm1(size, &n);
    return from_both_sides(x, far_over_1_plus_exp(size, integer_of(n), t));
}

/* ---- log(e^x + e^y) ---- */

/* log(1 + e^-d), for a d that is not negative. */
static inline pair log1p_exp(pair d)
{
    double n;
    int is_far = d.high > 700;
    pair e = exp_pair((pair){is_far ? -700.0 : -d.high, is_far ? 0.0 : -d.low}, &n);
    double power = exp2_integer(integer_of(n));
    e = (pair){power * e.high, power * e.low};
    int is_halved = e.high > ZC_TAN_PI_8;
    pair less = two_sum(e.high, -1.0);
    pair half = {0.5 * less.high, 0.5 * (less.low + e.low)};
    return log_of_reduced(is_halved ? 1.0 : 0.0, select_pair(is_halved, fast_two_sum(half.high, half.low), e));
}

/* Gives e^x alone where nothing else counts: it may be subnormal. */
static inline double softplus_float64(double x)
{
    pair rest = log1p_exp((pair){absolute(x), 0.0}), y = two_sum(x > 0 ? x : 0.0, rest.high);
    double sum = x > 700 ? x : y.high + (y.low + rest.low);
    return x < -40 ? exp_float64(x) : x != x ? x : sum;
}

static inline double logaddexp_float64(double x, double y)
{
    double large = x > y ? x : y, small = x > y ? y : x;
    pair d = two_sum(large, -small);
    int is_alone = !(d.high < 700); /* infinities come here, too */
    pair rest = log1p_exp(is_alone ? (pair){700.0, 0.0} : d), sum = two_sum(large, rest.high);
    double value = is_alone ? large : sum.high + (sum.low + rest.low);
    return ((x != x) | (y != y)) ? x + y : value;
}

/* ---- float32: in double, rounded once ---- */

/* e^x in double, good to float's precision. |x| < 700. */
static inline double exp_short(double x)
{
    double n, r = reduce_exponent_short(x, &n);
    return (1.0 + expm1_reduced_short(r)) * exp2_integer(integer_of(n));
}

static inline float logaddexp_float32(float x, float y)
{
    double large = x > y ? (double)x : (double)y, d = absolute((double)x - (double)y);
    double sum = large + log1p_short(exp_short(-(d < 200 ? d : 200.0)));
    float value = d < 200 ? (float)sum : (float)large;
    return ((x != x) | (y != y)) ? x + y : value;
}

#endif
