/*
 * float32's logarithms. Sources: x = 2^k m, with m between 0.675 and 1.35, and the best polynomial for log(1 + f)
 * beyond f - f^2/2. The largest terms are added with what their sum loses.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTARY_SINGLE_LOG_H
#define ZC_RUNTIME_OPS_ELEMENTARY_SINGLE_LOG_H

#include "runtime/ops/elementary_single_base.h"
#include "runtime/ops/elementary_single_polynomials.h"

/* x = 2^k m with 0.675 <= m < 1.35, for a positive x. Returns m - 1, which is exact. */
static inline float split_exponent_single(float x, float *k)
{
    const uint32_t least = bits_of_single(0.675f);
    int is_subnormal = x < 0x1p-126f;
    uint32_t shifted = bits_of_single(is_subnormal ? x * 0x1p23f : x) - least;
    *k = (float)((int32_t)shifted >> 23) - (is_subnormal ? 23.0f : 0.0f);
    return single_of((shifted & UINT32_C(0x007fffff)) + least) - 1.0f;
}

/* log(1 + f) - f */
static inline float log1p_beyond_f(float f)
{
    return f * f * (f * log1p_rest_single(f) - 0.5f);
}

/* What logarithms give outside the positive finite numbers, else y. */
static inline float log_edges_single(float x, float y)
{
    y = x < INFINITY ? y : x;
    return x > 0 ? y : x == 0 ? -INFINITY : NAN;
}

static inline float log_float32(float x)
{
    float k, f = split_exponent_single(x, &k), whole = k * ZC_SINGLE_LN2_HIGH, sum = whole + f;
    float y = sum + ((f - (sum - whole)) + (k * ZC_SINGLE_LN2_LOW + log1p_beyond_f(f)));
    return log_edges_single(x, y);
}

/* whole + lower + factor (f - f^2/2) + f^3 rest for another base, where the factor is a split: the product of the
 * leading parts is exact. */
static inline float log_of_base(float whole, float lower, float f, float factor_high, float factor_low, float rest)
{
    float factor = factor_high + factor_low, f_high = leading_bits(f), first = f_high * factor_high;
    float beyond = f * f * (f * rest - 0.5f * factor), second = (f - f_high) * factor + f_high * factor_low;
    float sum = whole + first;
    return sum + ((first - (sum - whole)) + (lower + second + beyond));
}

static inline float log2_float32(float x)
{
    float k, f = split_exponent_single(x, &k), rest = log2_1p_rest_single(f);
    return log_edges_single(x, log_of_base(k, -0.0f, f, ZC_SINGLE_LOG2_E_SPLIT, ZC_SINGLE_LOG2_E_REST, rest));
}

static inline float log10_float32(float x)
{
    float k, f = split_exponent_single(x, &k), rest = log10_1p_rest_single(f);
    float whole = k * ZC_SINGLE_LOG10_2_HIGH, lower = k * ZC_SINGLE_LOG10_2_LOW;
    return log_edges_single(x, log_of_base(whole, lower, f, ZC_SINGLE_LOG10_E_SPLIT, ZC_SINGLE_LOG10_E_REST, rest));
}

/* Where 1 + x is 2^k (1 + f) with another k than 0, what the sum 1 + x loses counts by the derivative at f. */
static inline float log1p_float32(float x)
{
    float y = 1.0f + x, part = y - 1.0f, lost = (1.0f - (y - part)) + (x - part);
    float k, f = split_exponent_single(y, &k);
    int is_near = k == 0;
    lost = (is_near | (x > 0x1p30f)) ? 0.0f : lost * float_of_power(-ZC_POWER((int32_t)k));
    f = is_near ? x : f;
    float whole = k * ZC_SINGLE_LN2_HIGH, sum = whole + f, slope = 1.0f - f * (1.0f - f);
    float rest = k * ZC_SINGLE_LN2_LOW + (lost * slope + log1p_beyond_f(f));
    float value = sum + ((f - (sum - whole)) + rest);
    return absolute_single(x) < 0x1p-25f ? x : log_edges_single(y, value);
}

#endif
