/*
 * float32's error function: a polynomial near 0, and one around a middle m where erf(m) is nearly a float. And gelu, by
 * the normal distribution's upper tail.
 */
#ifndef ZC_MATH_SINGLE_NORMAL_H
#define ZC_MATH_SINGLE_NORMAL_H

#include "math/single/base.h"
#include "math/single/polynomials.h"

/* Beyond 3.92 it rounds to 1. */
static inline float erf_float32(float x)
{
    float size = absolute_single(x), from_middle = smaller_single(size, 3.92f) - ZC_SINGLE_ERF_MIDDLE;
    float near = fma_float32(size, erf_rest_single(size * size), size);
    float far = fma_float32(from_middle, erf_slope_single(from_middle), ZC_SINGLE_ERF_OF_MIDDLE);
    return copy_sign_single(size > 1.0f ? far : near, x);
}

/* e^(-x^2/2) = power e^w: 2 e^w = whole + rest, where `whole` is exact and lies between 1.3 and 2.7. */
typedef struct normal_parts {
    float whole, rest;
    int32_t power;
} normal_parts;

/* Parts for a size up to 14.5; the power is 2^64 too large, so that it is one of a normal number. The square is rounded
 * to a multiple of 2^-22, as 2 + 2w has to be; what it loses is added to what is left of multiples of ln 2. */
static inline normal_parts normal_parts_of(float size)
{
    const float rounder = ZC_SINGLE_ROUNDER + 64.0f;
    float square = fma_float32(size, size, 3.0f) - 3.0f, square_low = fma_float32(size, size, -square);
    float sum = fma_float32(square, -0.5f * ZC_SINGLE_LOG2_E, rounder), n = sum - rounder;
    float first = fma_float32(n, -ZC_SINGLE_TWICE_LN2, -square);
    float lower = fma_float32(n, -ZC_SINGLE_TWICE_LN2_REST, -square_low), twice = first + lower;
    float rest = fma_float32(twice * twice, exp_rest_of_twice_single(twice), lower);
    return (normal_parts){2.0f + first, rest, power_of_sum(sum)};
}

/* x - |x| T(|x|), or -|x| T(|x|) for a negative x, where 2 T(t) = e^(-t^2/2) (1 + tail) / (a + b t): `tail` is below
 * 0.11. One division is for both, since it gives 1 over the product of a + b t and of the denominator of `tail`; what
 * its halves lose is mended by their remainders. From 14.5 on it is x or nearly -0. */
static inline float gelu_float32(float x)
{
    float size = smaller_single(absolute_single(x), 14.5f);
    normal_parts e = normal_parts_of(size);
    float below = fma_float32(size, ZC_SINGLE_TAIL_B, ZC_SINGLE_TAIL_A);
    float below_low = fma_float32(size, ZC_SINGLE_TAIL_B, ZC_SINGLE_TAIL_A - below);
    float lower = tail_rest_lower_single(size), both = 1.0f / (below * lower);
    float inverse = both * lower, inverse_lower = both * below;
    float lost = fma_float32(-below_low, inverse, fma_float32(-below, inverse, 1.0f));
    float tail = tail_rest_upper_single(size) * inverse_lower;
    tail = fma_float32(tail, fma_float32(-lower, inverse_lower, 1.0f), tail);
    /* size / (a + b size) and what it loses, times 2^n; then times whole + rest. */
    float scaled = times_power(inverse, e.power), factor = size * scaled;
    float factor_low = fma_float32(factor, lost, fma_float32(size, scaled, -factor));
    float rest = fma_float32(tail, e.whole + e.rest, e.rest);
    float product = fma_float32(factor, e.whole, fma_float32(factor, rest, factor_low * (e.whole + rest)));
    /* x if it is positive or NaN, else -0. */
    return fma_float32(product, -0x1p-66f, -0.0f > x ? -0.0f : x);
}

#endif
