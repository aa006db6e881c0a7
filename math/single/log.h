/*
 * float32's logarithms. Sources: x = 2^k m, with m between 0.675 and 1.35, and the best polynomial for log(1 + f)
 * beyond f - f^2/2. The largest terms are added with what their sum loses.
 */
#ifndef ZC_MATH_SINGLE_LOG_H
#define ZC_MATH_SINGLE_LOG_H

#include "math/single/base.h"
#include "math/single/polynomials.h"

/* x = 2^k m with 0.675 <= m < 1.35, for a positive x. Returns m - 1, which is exact. */
static inline float split_exponent_single(float x, float *k)
{
    const uint32_t least = bits_of_single(0.675f);
    int is_subnormal = x < 0x1p-126f;
    uint32_t shifted = bits_of_single(is_subnormal ? x * 0x1p23f : x) - least;
    *k = (float)((int32_t)shifted >> 23) - (is_subnormal ? 23.0f : 0.0f);
    return single_of((shifted & UINT32_C(0x007fffff)) + least) - 1.0f;
}

/* The same for a normal number. */
static inline float near_split_exponent_single(float x, float *k)
{
    const uint32_t least = bits_of_single(0.675f);
    uint32_t shifted = bits_of_single(x) - least;
    *k = (float)((int32_t)shifted >> 23);
    return single_of((shifted & UINT32_C(0x007fffff)) + least) - 1.0f;
}

/* log(1 + f) - f */
static inline float log1p_beyond_f(float f)
{
    return f * f * fma_float32(f, log1p_rest_single(f), -0.5f);
}

/* Logarithms outside the positive finite numbers, else y. */
static inline float log_edges_single(float x, float y)
{
    y = x < INFINITY ? y : x;
    return x > 0 ? y : x == 0 ? -INFINITY : NAN;
}

/* k ln 2 + log(1 + f) + rest, where the rest is small */
static inline float log_of_parts_single(float k, float f, float rest)
{
    float sum = fma_float32(k, ZC_SINGLE_LN2, f), lost = fma_float32(k, ZC_SINGLE_LN2, -sum) + f;
    return sum + (lost + fma_float32(k, ZC_SINGLE_LN2_REST, log1p_beyond_f(f) + rest));
}

static inline float near_log_float32(float x)
{
    float k, f = near_split_exponent_single(x, &k);
    return log_of_parts_single(k, f, -0.0f);
}

static inline float log_float32(float x)
{
    float k, f = split_exponent_single(x, &k);
    return log_edges_single(x, log_of_parts_single(k, f, -0.0f));
}

/* whole + lower + factor (f - f^2/2) + f^3 rest for another base. */
static inline float log_of_base(float whole, float lower, float f, float factor, float factor_rest, float rest)
{
    float first = f * factor, first_lost = fma_float32(f, factor, -first), sum = whole + first;
    float lost = fma_float32(fma_float32(-0.5f * f, f, f), factor_rest, first_lost) + ((whole - sum) + first),
          half = -0.5f * factor;
    float beyond = fma_float32(f * f, fma_float32(f, rest, half), lower);
    return sum + (lost + beyond);
}

static inline float log2_of_parts_single(float k, float f)
{
    return log_of_base(k, -0.0f, f, ZC_SINGLE_LOG2_E, ZC_SINGLE_LOG2_E_REST, log2_1p_rest_single(f));
}

static inline float near_log2_float32(float x)
{
    float k, f = near_split_exponent_single(x, &k);
    return log2_of_parts_single(k, f);
}

static inline float log2_float32(float x)
{
    float k, f = split_exponent_single(x, &k);
    return log_edges_single(x, log2_of_parts_single(k, f));
}

static inline float log10_of_parts_single(float k, float f)
{
    float whole = k * ZC_SINGLE_LOG10_2, lost = fma_float32(k, ZC_SINGLE_LOG10_2, -whole);
    float lower = fma_float32(k, ZC_SINGLE_LOG10_2_REST, lost);
    return log_of_base(whole, lower, f, ZC_SINGLE_LOG10_E, ZC_SINGLE_LOG10_E_REST, log10_1p_rest_single(f));
}

static inline float near_log10_float32(float x)
{
    float k, f = near_split_exponent_single(x, &k);
    return log10_of_parts_single(k, f);
}

static inline float log10_float32(float x)
{
    float k, f = split_exponent_single(x, &k);
    return log_edges_single(x, log10_of_parts_single(k, f));
}

/* Makes up for the loss of the sum 1 + x by the derivative at f, where 1 + x is 2^k (1 + f) with another k than 0. */
static inline float log1p_float32(float x)
{
    float y = 1.0f + x, part = y - 1.0f, lost = (1.0f - (y - part)) + (x - part);
    float k, f = split_exponent_single(y, &k);
    int is_near = k == 0;
    lost = (is_near | (x > 0x1p30f)) ? 0.0f : lost * float_of_power(-ZC_POWER((int32_t)k));
    f = is_near ? x : f;
    float slope = fma_float32(-f, 1.0f - f, 1.0f), value = log_of_parts_single(k, f, lost * slope);
    return absolute_single(x) < 0x1p-25f ? x : log_edges_single(y, value);
}

#endif
