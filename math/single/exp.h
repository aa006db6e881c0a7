/*
 * float32's exponentials and hyperbolic functions. Sources: Cody and Waite's argument reduction x = n ln 2 + r, and the
 * best polynomials on |r| <= ln(2)/2. Where one rounding must not be lost, leading terms are added with what their sum
 * loses.
 *
 * near_NAME is NAME where results are normal numbers: without what the ends of the range take.
 */
#ifndef ZC_MATH_SINGLE_EXP_H
#define ZC_MATH_SINGLE_EXP_H

#include "math/single/base.h"
#include "math/single/polynomials.h"

/* x = n ln 2 + r with |r| <= ln(2)/2, rounded once, and the power 2^n. Where |x| is beyond 177, n does not fit into a
 * power any more; up to 2^20 r is small all the same. */
typedef struct reduced {
    float r;
    int32_t power;
} reduced;

static inline reduced reduce_exponent_single(float x)
{
    float sum = fma_float32(x, ZC_SINGLE_LOG2_E, ZC_SINGLE_ROUNDER), n = sum - ZC_SINGLE_ROUNDER;
    return (reduced){fma_float32(n, -ZC_SINGLE_LN2_REST, fma_float32(n, -ZC_SINGLE_LN2, x)), power_of_sum(sum)};
}

/* The same, and e^r - 1 = first + rest: `first` is x - n ln 2 for the leading bits of ln 2, which is exact. */
typedef struct exp_parts {
    float first, rest;
    int32_t power;
} exp_parts;

static inline exp_parts exp_parts_of(float x)
{
    float sum = fma_float32(x, ZC_SINGLE_LOG2_E, ZC_SINGLE_ROUNDER), n = sum - ZC_SINGLE_ROUNDER;
    float first = fma_float32(n, -ZC_SINGLE_LN2, x), lower = n * -ZC_SINGLE_LN2_REST, r = first + lower;
    return (exp_parts){first, fma_float32(r * r, exp_rest_long_single(r), lower), power_of_sum(sum)};
}

/* e^r - 1 */
static inline float expm1_reduced_single(float r)
{
    return fma_float32(r * r, exp_rest_single(r), r);
}

/* e^r */
static inline float exp_reduced_single(float r)
{
    return fma_float32(fma_float32(exp_rest_single(r), r, 1.0f), r, 1.0f);
}

/* y, but 0 for x below `low`, infinite above `high`, NaN for NaN. */
static inline float exp_edges(float x, float y, float low, float high)
{
    y = x < low ? 0.0f : y;
    return x <= high ? y : x + INFINITY;
}

/* The largest float below 128 ln 2. */
#define ZC_SINGLE_EXP_MOST 0x1.62e42ep6f

static inline float near_exp_float32(float x)
{
    reduced e = reduce_exponent_single(x);
    return times_power(exp_reduced_single(e.r), e.power);
}

static inline float exp_float32(float x)
{
    reduced e = reduce_exponent_single(x);
    float y = exp_reduced_single(e.r);
    y = x < -87.0f ? times_small_power(y, e.power) : times_power(y, e.power);
    return exp_edges(x, y, -104.0f, ZC_SINGLE_EXP_MOST);
}

/* 2^r, where |r| <= 1/2 */
static inline float exp2_reduced_single(float r)
{
    float slope = ZC_SINGLE_LN2 + fma_float32(exp2_rest_single(r), r, ZC_SINGLE_LN2_REST);
    return fma_float32(slope, r, 1.0f);
}

static inline float near_exp2_float32(float x)
{
    float shifted = x + ZC_SINGLE_ROUNDER;
    return times_power(exp2_reduced_single(x - (shifted - ZC_SINGLE_ROUNDER)), power_of_sum(shifted));
}

static inline float exp2_float32(float x)
{
    float shifted = x + ZC_SINGLE_ROUNDER, y = exp2_reduced_single(x - (shifted - ZC_SINGLE_ROUNDER));
    y = x < -125.0f ? times_small_power(y, power_of_sum(shifted)) : times_power(y, power_of_sum(shifted));
    return exp_edges(x, y, -151.0f, 0x1.fffffep6f);
}

/* 2^n (e^r - 1) + (2^n - 1), at half the size so that 2^n does not overflow. */
static inline float expm1_float32(float x)
{
    exp_parts e = exp_parts_of(x);
    float half_scale = float_of_power(e.power - ZC_POWER(1)), whole = half_scale - 0.5f;
    float lost = (half_scale - whole) - 0.5f, sum = fma_float32(half_scale, e.first, whole);
    float rest = fma_float32(half_scale, e.first, whole - sum) + fma_float32(half_scale, e.rest, lost);
    float y = 2.0f * (sum + rest);
    y = x < -20.0f ? -1.0f : absolute_single(x) < 0x1p-25f ? x : y;
    return x <= ZC_SINGLE_EXP_MOST ? y : x + INFINITY;
}

/* ---- Hyperbolic functions ---- */

/* With |x| = n ln 2 + r: 2^n e^r / 2 + side 2^-n e^-r / 2, which is (2^n + side 2^-n) cosh(r) / 2 + (2^n - side 2^-n)
 * sinh(r) / 2; at half the size so that 2^n does not overflow. */
static inline float hyperbolic_single(float size, float side)
{
    float shifted = fma_float32(size, ZC_SINGLE_LOG2_E, ZC_SINGLE_ROUNDER), n = shifted - ZC_SINGLE_ROUNDER;
    int32_t power = power_of_sum(shifted), least = ZC_POWER(-126), opposite = -power - ZC_POWER(2);
    float exact = fma_float32(n, -ZC_SINGLE_LN2, size), lower = n * -ZC_SINGLE_LN2_REST;
    float r = exact + lower, r_rest = (exact - r) + lower;
    float up = float_of_power(power - ZC_POWER(2)), down = side * float_of_power(opposite < least ? least : opposite);
    float even = up + down, lost = down - (even - up), z = r * r;
    float first = up * r, second = down * r, sum = even + first, difference = sum - second;
    float rest = (first - (sum - even)) - (second - (sum - difference)) + lost;
    rest = fma_float32(up - down, fma_float32(r * z, sinh_rest_single(z), r_rest), rest);
    rest = fma_float32(even, fma_float32(z, cosh_rest_single(z), r * r_rest), rest);
    return size <= 89.5f ? 2.0f * (difference + rest) : size + INFINITY;
}

static inline float sinh_float32(float x)
{
    float size = absolute_single(x), y = hyperbolic_single(size, -1.0f);
    return size < 0x1p-13f ? x : copy_sign_single(y, x);
}

static inline float cosh_float32(float x)
{
    return hyperbolic_single(absolute_single(x), 1.0f);
}

/* Near 0 a polynomial, then 1 - 2 / (e^2x + 1); from n = 29 on it rounds to 1. */
static inline float tanh_float32(float x)
{
    const float factor = 2.0f * ZC_SINGLE_LOG2_E;
    float size = absolute_single(x), z = size * size, near = fma_float32(size * z, tanh_rest_single(z), size);
    float shifted = smaller_single(fma_float32(size, factor, ZC_SINGLE_ROUNDER), ZC_SINGLE_ROUNDER + 29.0f);
    float n = shifted - ZC_SINGLE_ROUNDER;
    float r = fma_float32(size, factor, -n), power = float_of_power(power_of_sum(shifted));
    float more = fma_float32(power, r * exp2_slope_single(r), power + 1.0f);
    return copy_sign_single(size > 0.98f ? 1.0f - 2.0f / more : near, x);
}

#endif
