/*
 * float32's exponentials and hyperbolic functions. Sources: Cody and Waite's argument reduction x = n ln 2 + r, and the
 * best polynomials on |r| <= ln(2)/2. Leading terms are added with what their sum loses.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTARY_SINGLE_EXP_H
#define ZC_RUNTIME_OPS_ELEMENTARY_SINGLE_EXP_H

#include "runtime/ops/elementary_single_base.h"
#include "runtime/ops/elementary_single_polynomials.h"

/* x = n ln 2 + r + rest with |r| <= ln(2)/2 and a rest that few need, and the power 2^n. */
typedef struct reduced {
    float r, rest;
    int32_t power;
} reduced;

/* Of x + low. Where the sum is beyond 177, n does not fit into a power any more; up to 2^20 r is small all the same. */
static inline reduced reduce_sum_single(float x, float low)
{
    float sum = (x + low) * ZC_SINGLE_LOG2_E + ZC_SINGLE_ROUNDER, n = sum - ZC_SINGLE_ROUNDER;
    float near = x - n * ZC_SINGLE_LN2_HIGH, rest = low - n * ZC_SINGLE_LN2_LOW, r = near + rest;
    return (reduced){r, (near - r) + rest, power_of_sum(sum)};
}

static inline reduced reduce_exponent_single(float x)
{
    return reduce_sum_single(x, -0.0f);
}

/* e^r - 1 - r */
static inline float exp_beyond_r(float r)
{
    return r * r * exp_rest_single(r);
}

/* y, but 0 for x below `low`, infinite above `high`, NaN for NaN. */
static inline float exp_edges(float x, float y, float low, float high)
{
    y = x < low ? 0.0f : y;
    return x <= high ? y : x + INFINITY;
}

/* The largest float below 128 ln 2. */
#define ZC_SINGLE_EXP_MOST 0x1.62e42ep6f

static inline float exp_float32(float x)
{
    reduced e = reduce_exponent_single(x);
    float sum = 1.0f + e.r, y = sum + ((e.r - (sum - 1.0f)) + exp_beyond_r(e.r));
    y = x < -87.0f ? times_small_power(y, e.power) : times_power(y, e.power);
    return exp_edges(x, y, -104.0f, ZC_SINGLE_EXP_MOST);
}

static inline float exp2_float32(float x)
{
    float shifted = x + ZC_SINGLE_ROUNDER, r = x - (shifted - ZC_SINGLE_ROUNDER), first = r * ZC_SINGLE_LN2;
    float sum = 1.0f + first, rest = r * ZC_SINGLE_LN2_REST + r * r * exp2_rest_single(r);
    float y = sum + ((first - (sum - 1.0f)) + rest);
    y = x < -125.0f ? times_small_power(y, power_of_sum(shifted)) : times_power(y, power_of_sum(shifted));
    return exp_edges(x, y, -151.0f, 0x1.fffffep6f);
}

/* 2^n (e^r - 1) + (2^n - 1), at half the size so that 2^n does not overflow. */
static inline float expm1_float32(float x)
{
    reduced e = reduce_exponent_single(x);
    float half_scale = float_of_power(e.power - ZC_POWER(1)), high = half_scale * e.r;
    float whole = half_scale - 0.5f, lost = (half_scale - whole) - 0.5f, sum = whole + high;
    float y = 2.0f *
              (sum + ((high - (sum - whole)) + (lost + half_scale * (e.rest + e.r * e.r * exp_rest_long_single(e.r)))));
    y = x < -20.0f ? -1.0f : absolute_single(x) < 0x1p-25f ? x : y;
    return x <= ZC_SINGLE_EXP_MOST ? y : x + INFINITY;
}

/* ---- Hyperbolic functions ---- */

/* With |x| = n ln 2 + r: 2^n e^r / 2 + side 2^-n e^-r / 2, which is (2^n + side 2^-n) cosh(r) / 2 + (2^n - side 2^-n)
 * sinh(r) / 2; at half the size so that 2^n does not overflow. */
static inline float hyperbolic_single(float size, float side)
{
    reduced e = reduce_exponent_single(size);
    int32_t least = ZC_POWER(-126), lower = -e.power - ZC_POWER(2);
    float up = float_of_power(e.power - ZC_POWER(2)), down = side * float_of_power(lower < least ? least : lower);
    float even = up + down, lost = down - (even - up), z = e.r * e.r;
    float first = up * e.r, second = down * e.r, sum = even + first, difference = sum - second;
    float rest = (first - (sum - even)) - (second - (sum - difference)) + lost;
    rest = rest + ((up - down) * (e.rest + e.r * z * sinh_rest_single(z)) + even * (z * cosh_rest_single(z)));
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

/* t / (t + 2) with t = e^2x - 1; beyond 10 it rounds to 1. */
static inline float tanh_float32(float x)
{
    float size = size_up_to(x, 10.0f);
    reduced e = reduce_exponent_single(size + size);
    float power = float_of_power(e.power), whole = power - 1.0f, first = power * e.r, t = whole + first;
    float t_low = (first - (t - whole)) + power * (exp_beyond_r(e.r)), sum = t + t_low;
    float denominator = sum + 2.0f, high = leading_bits(denominator), low = ((2.0f - high) + t) + t_low;
    float y = quotient_single(t, t_low, denominator, high, low);
    return absolute_single(x) >= 0x1p-13f ? copy_sign_single(y, x) : x;
}

#endif
