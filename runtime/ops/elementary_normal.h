/*
 * The error function and gelu, by the normal distribution's upper tail: T(t) = e^(-t^2/2) times a polynomial in
 * (t-2)/(t+2) over t + 2, where the square is a pair.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTARY_NORMAL_H
#define ZC_RUNTIME_OPS_ELEMENTARY_NORMAL_H

#include "runtime/ops/elementary_exp.h"

/* T(t) = pair * 2^n for t > 1.19, where `half_square` is t^2/2; below 2^-1100 beyond 39. */
static inline pair upper_tail(pair t, pair half_square, double *n)
{
    pair e = exp_pair((pair){-half_square.high, -half_square.low}, n), sum = two_sum(2.0, t.high);
    pair inverse = divide_pairs((pair){1.0, 0.0}, (pair){sum.high, sum.low + t.low});
    double scaled = tail_scaled((t.high - 2.0) * inverse.high);
    pair g = two_product(scaled, inverse.high), product = two_product(e.high, g.high);
    g.low = fma_float64(scaled, inverse.low, g.low);
    return (pair){product.high, fma_float64(e.low, g.high, fma_float64(e.high, g.low, product.low))};
}

/* erf x = 1 - 2 T(x sqrt 2). Beyond 6 it rounds to 1. */
static inline double erf_float64(double x)
{
    double size = absolute(x), clamped = clamp_double(size, 0.0, 6.0), n;
    pair t = two_product(clamped, 4.0 * ZC_1_OVER_SQRT_8);
    t.low = fma_float64(clamped, 4.0 * ZC_1_OVER_SQRT_8_REST, t.low);
    pair tail = upper_tail(t, two_product(clamped, clamped), &n);
    double twice = 2.0 * exp2_integer(integer_of(n));
    pair large = fast_two_sum(1.0, -(twice * tail.high));
    double value = large.high + fma_float64(-twice, tail.low, large.low);
    return size < 0.85 ? fma_float64(x, erf_rest(clamped * clamped), x) : copy_sign(value, x);
}

/* Half of 1 + erf(x / sqrt 2), for |x| < 1.2: what is added to 1/2 keeps its leading part as a pair. */
static inline double normal_near_0(double x)
{
    pair slope = two_product(x, ZC_1_OVER_SQRT_8), sum = two_sum(0.5, slope.high);
    double rest = fma_float64(slope.high, erf_rest(0.5 * x * x), fma_float64(x, ZC_1_OVER_SQRT_8_REST, slope.low));
    return sum.high + (sum.low + rest);
}

/* x (1 - T(|x|)), or x T(|x|) for a negative x: with 2^n last, since the product may be subnormal. */
static inline double gelu_float64(double x)
{
    double clamped = clamp_double(x, -39.0, 39.0), size = absolute(clamped), n;
    pair square = two_product(clamped, clamped);
    pair tail = upper_tail((pair){size, 0.0}, (pair){0.5 * square.high, 0.5 * square.low}, &n);
    double low = scale(clamped * tail.high + clamped * tail.low, integer_of(n));
    double high = x * (1.0 - tail.high * exp2_integer(integer_of(n < -1000 ? -1000.0 : n)));
    double near = x * normal_near_0(clamp_double(x, -1.2, 1.2));
    return size < 1.2 ? near : x < 0 ? low : high;
}

/* ---- float32: in double, rounded once ---- */

/* x T(|x|) or x (1 - T(|x|)) with the tail T(t) = e^(p(t) - t^2/2). */
static inline float gelu_float32(float x)
{
    double factor = x < -14.5f ? -14.5 : (double)x, t = size_within((double)x, 14.5), n;
    double r = reduce_exponent_short(fma_float64(-0.5 * t, t, log_tail_short(t)), &n);
    double tail = (1.0 + expm1_reduced_short(r)) * exp2_integer(integer_of(n));
    return (float)(factor * (x < 0 ? tail : 1.0 - tail));
}

#endif
