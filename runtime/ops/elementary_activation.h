/*
 * Functions of e^-|x|: sigmoid, silu, softplus, logaddexp, and gelu's form with tanh. Exponential and quotient are
 * pairs; the power of 2 is multiplied last, since results may be subnormal.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTARY_ACTIVATION_H
#define ZC_RUNTIME_OPS_ELEMENTARY_ACTIVATION_H

#include "runtime/ops/elementary_exp.h"
#include "runtime/ops/elementary_log.h"

/* ---- 1 / (1 + e^-x) and products with it ---- */

/* Of a pair x: value * 2^n, where n is 0 unless x is negative. |x| < 1400. */
static inline pair sigmoid_pair(pair x, double *n)
{
    int is_negative = x.high < 0;
    double power_n;
    pair e = exp_pair(is_negative ? x : (pair){-x.high, -x.low}, &power_n);
    double power = exp2_integer(integer_of(power_n < -1000 ? -1000.0 : power_n));
    pair sum = two_sum(1.0, power * e.high);
    *n = is_negative ? power_n : 0.0;
    return divide_pairs(select_pair(is_negative, e, (pair){1.0, 0.0}), fast_two_sum(sum.high, sum.low + power * e.low));
}

static inline double sigmoid_float64(double x)
{
    double n;
    pair y = sigmoid_pair((pair){clamp_double(x, -760.0, 760.0), 0.0}, &n);
    return scale(y.high, integer_of(n));
}

/* x times the sigmoid of z, which is 1 where z is large: then x itself. |x| is below 2^500 elsewhere. */
static inline double times_sigmoid(double x, pair z, int is_one)
{
    double n, factor = is_one ? 1.0 : x;
    pair sigmoid = sigmoid_pair(z, &n), product = two_product(factor, sigmoid.high);
    double y = scale(product.high + (product.low + factor * sigmoid.low), integer_of(n));
    return is_one ? x : absolute(x) < 0x1p-60 ? 0.5 * x : y;
}

/* The limits at the infinities: infinity and -0. */
static inline double silu_float64(double x)
{
    double clamped = clamp_double(x, -760.0, 760.0);
    return times_sigmoid(x < -760 ? -760.0 : x, (pair){clamped, 0.0}, x > 40);
}

/* x / (1 + e^-z) with z = 2 sqrt(2/pi) (x + 0.044715 x^3), which is gelu with tanh. */
static inline double gelu_tanh_float64(double x)
{
    double clamped = clamp_double(x, -24.0, 24.0);
    pair square = two_product(clamped, clamped), cubic = multiply_pairs(square, (pair){ZC_GELU_3, ZC_GELU_3_REST});
    pair sum = add_pairs((pair){ZC_GELU_1, ZC_GELU_1_REST}, cubic), z = multiply_pairs((pair){clamped, 0.0}, sum);
    return times_sigmoid(x < -24 ? -24.0 : x, z, x > 20);
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

/* Where e^x is all that counts, it may be subnormal. */
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

/* Of e^x in double, good to float's precision. |x| < 700. */
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
