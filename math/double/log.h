/*
 * Logarithms and inverse hyperbolic functions. Sources: x = 2^k m and the series of log m = log((1+s)/(1-s)) in
 * s = (m-1)/(m+1), where s is a pair, so that only terms from s^3 on are rounded more than once.
 */
#ifndef ZC_MATH_DOUBLE_LOG_H
#define ZC_MATH_DOUBLE_LOG_H

#include "math/double/base.h"
#include "math/double/polynomials.h"

/* k ln 2 + log((1+s)/(1-s)) */
static inline pair log_of_quotient(double k, pair s)
{
    double z = s.high * s.high, rest = fma_float64(s.high * z, log_rest(z), 2.0 * s.low);
    double twice = 2.0 * s.high, sum = fma_float64(k, ZC_LN2, twice), lost = fma_float64(k, ZC_LN2, -sum) + twice;
    return fast_two_sum(sum, lost + fma_float64(k, ZC_LN2_REST, rest));
}

/* k ln 2 + log(1 + f), sqrt(1/2) <= 1 + f <= sqrt(2) */
static inline pair log_of_reduced(double k, pair f)
{
    pair sum = two_sum(2.0, f.high);
    sum.low += f.low;
    return log_of_quotient(k, divide_pairs(f, sum));
}

/* log(1 + f); f > -1 and finite */
static inline pair log1p_pair(pair f)
{
    double k;
    pair y = two_sum(1.0, f.high);
    y = fast_two_sum(y.high, y.low + f.low);
    double m = split_exponent(y.high, &k);
    double low = y.low * exp2_integer(integer_of(-clamp_double(k, -1000.0, 1000.0)));
    return log_of_reduced(k, select_pair(k == 0, f, (pair){m - 1.0, low}));
}

/* log x for a positive x */
static inline pair log_pair(double x)
{
    double k, m = split_exponent(x, &k);
    return log_of_reduced(k, (pair){m - 1.0, 0.0});
}

/* Logarithms outside the positive finite numbers, else y. */
static inline double log_edges(double x, double y)
{
    y = x == 0 ? -(double)INFINITY : y;
    y = x == (double)INFINITY ? x : y;
    return x < 0 || x != x ? (double)NAN : y;
}

static inline pair near_log_pair(double x)
{
    double k, m = near_split_exponent(x, &k);
    return log_of_reduced(k, (pair){m - 1.0, 0.0});
}

static inline double near_log_float64(double x)
{
    return near_log_pair(x).high;
}

static inline double log_float64(double x)
{
    return log_edges(x, log_pair(x).high);
}

static inline double log2_of_log(pair y)
{
    return multiply_pairs(y, (pair){ZC_LOG2_E, ZC_LOG2_E_REST}).high;
}

static inline double near_log2_float64(double x)
{
    return log2_of_log(near_log_pair(x));
}

static inline double log2_float64(double x)
{
    return log_edges(x, log2_of_log(log_pair(x)));
}

static inline double log10_of_log(pair y)
{
    return multiply_pairs(y, (pair){ZC_LOG10_E, ZC_LOG10_E_REST}).high;
}

static inline double near_log10_float64(double x)
{
    return log10_of_log(near_log_pair(x));
}

static inline double log10_float64(double x)
{
    return log_edges(x, log10_of_log(log_pair(x)));
}

static inline double log1p_float64(double x)
{
    double y = log1p_pair((pair){x, 0.0}).high;
    return absolute(x) < 0x1p-54 ? x : log_edges(1.0 + x, y);
}

/* ---- Inverse hyperbolic functions ---- */

/* Beyond this, x + sqrt(x^2 + c) is 2x to more than double's precision. */
#define ZC_MERELY_TWICE 0x1p30

/* log(x + sqrt(x^2 + c)) = log(1 + (first + root)), or log x + log 2 for large x. */
static inline double log_of_sum_with_root(double x, pair first, pair root)
{
    int is_large = x > ZC_MERELY_TWICE;
    pair f = two_sum(first.high, root.high);
    f = fast_two_sum(f.high, f.low + (first.low + root.low));
    pair y = log1p_pair(select_pair(is_large, (pair){x, -1.0}, f));
    return is_large ? y.high + (y.low + ZC_LN2) : y.high;
}

/* sqrt(x^2 + 1) - 1 is exact enough as a difference of pairs where x^2 counts at all. */
static inline double asinh_float64(double x)
{
    double size = absolute(x), clamped = clamp_double(size, 0.0, ZC_MERELY_TWICE);
    pair square = two_product(clamped, clamped), sum = two_sum(1.0, square.high);
    pair root = sqrt_pair(fast_two_sum(sum.high, sum.low + square.low));
    root = fast_two_sum(root.high - 1.0, root.low);
    double y = log_of_sum_with_root(clamp_double(size, 0.0, 0x1.fffffffffffffp1023), (pair){clamped, 0.0}, root);
    y = size < 0x1p-28 ? size : y;
    return copy_sign(size == (double)INFINITY ? size : y, x);
}

static inline double acosh_float64(double x)
{
    double clamped = clamp_double(x, 1.0, ZC_MERELY_TWICE);
    pair square = two_product(clamped, clamped), difference = two_sum(square.high, -1.0);
    pair root = sqrt_pair(fast_two_sum(difference.high, difference.low + square.low));
    double y = log_of_sum_with_root(clamp_double(x, 1.0, 0x1.fffffffffffffp1023), two_sum(clamped, -1.0), root);
    y = x == (double)INFINITY ? x : y;
    return x < 1 ? (double)NAN : y;
}

/* s = ((1+x) - 2^k (1-x)) / ((1+x) + 2^k (1-x)) with (1+x) / (1-x) near 2^k */
static inline double atanh_float64(double x)
{
    double k, size = absolute(x), clamped = clamp_double(size, 0.0, 0x1.fffffffffffffp-1);
    pair more = two_sum(1.0, clamped), less = two_sum(1.0, -clamped);
    (void)split_exponent(more.high / less.high, &k);
    double power = exp2_integer(integer_of(k));
    less = (pair){power * less.high, power * less.low};
    pair s = divide_pairs(add_pairs(more, (pair){-less.high, -less.low}), add_pairs(more, less));
    double y = 0.5 * log_of_quotient(k, s).high;
    y = size < 0x1p-28 ? size : y;
    y = size == 1 ? (double)INFINITY : y;
    return size > 1 ? (double)NAN : copy_sign(y, x);
}

/* ---- float32: in double, rounded once ---- */

/* log(1 + x) for a finite x above -1, or a NaN. */
static inline double log1p_short(double x)
{
    double y = 1.0 + x, k, m = split_exponent(y, &k), f = k == 0 ? x : m - 1.0, s = f / (2.0 + f), z = s * s;
    return x != x ? x : fma_float64(k, ZC_LN2, s * fma_float64(z, log_rest_short(z), 2.0));
}

/* x + x^2 / (1 + sqrt(1 + x^2)) is x + sqrt(1 + x^2) - 1. */
static inline float asinh_float32(float x)
{
    double size = absolute((double)x), square = size * size;
    double y = log1p_short(size + square / (1.0 + sqrt(1.0 + square)));
    return (float)copy_sign(size == (double)INFINITY ? size : y, (double)x);
}

static inline float acosh_float32(float x)
{
    double more = (double)x - 1.0, y = log1p_short(more + sqrt(more * ((double)x + 1.0)));
    y = x == INFINITY ? (double)x : y;
    return (float)(x < 1 ? (double)NAN : y);
}

static inline float atanh_float32(float x)
{
    double size = absolute((double)x), y = 0.5 * log1p_short(2.0 * size / (1.0 - size));
    y = size == 1 ? (double)INFINITY : y;
    return (float)(size > 1 ? (double)NAN : copy_sign(y, (double)x));
}

#endif
