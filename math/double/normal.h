/*
 * The error function and gelu, by the normal distribution's upper tail: T(t) = e^(-t^2/2) times a polynomial in
 * (t-2)/(t+2) over t + 2, where the square is a pair.
 */
#ifndef ZC_MATH_DOUBLE_NORMAL_H
#define ZC_MATH_DOUBLE_NORMAL_H

#include "math/double/exp.h"

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

/* x - |x| T(|x|), or -|x| T(|x|) for a negative x: the power of 2 last, since the product may be subnormal. */
static inline double gelu_float64(double x)
{
    double size = size_within(x, 39.0), half = -0.5 * (size * size),
           half_low = -0.5 * fma_float64(size, size, 2.0 * half);
    double more = size + 2.0, inverse = 1.0 / more;
    double lost = fma_float64(-inverse, more, 1.0) - inverse * (size - (more - 2.0)); /* relative to the inverse */
    double scaled = whole_tail_scaled((size - 2.0) * inverse), tail = scaled * inverse;
    double sum = fma_float64(half, ZC_LOG2_E, ZC_ROUNDER), n = sum - ZC_ROUNDER;
    double r = fma_float64(n, -ZC_LN2, half) + (fma_float64(n, -ZC_LN2_REST, half_low) + lost);
    double e = exp_reduced_brief(r), product = e * tail;
    double rest = fma_float64(e, fma_float64(scaled, inverse, -tail), fma_float64(e, tail, -product));
    return from_both_sides(x, scale(fma_float64(size, product, size * rest), integer_of_sum(sum)));
}

#endif
