/*
 * float32's functions of e^-|x|: sigmoid, silu, gelu's form with tanh, softplus.
 */
#ifndef ZC_MATH_SINGLE_ACTIVATION_H
#define ZC_MATH_SINGLE_ACTIVATION_H

#include "math/single/exp.h"
#include "math/single/log.h"

/* ---- 1 / (1 + e^size) and products with it ---- */

/* factor / (1 + 2^n e^r), where the power is 2^n >= 1 and finite. */
static inline float near_over_1_plus(float factor, float power, float r)
{
    float square = r * r, q = exp_rest_single(r), t = fma_float32(square, q, r), t_low = fma_float32(square, q, r - t);
    float whole = 1.0f + power, lost = fma_float32(power, t_low, 1.0f - (whole - power));
    float sum = fma_float32(power, t, whole);
    return quotient_single(factor, -0.0f, sum, fma_float32(power, t, whole - sum) + lost);
}

/* The same of a power up to 2^173: factor * 2^-n over 2^-n + e^r. It is multiplied 2^64 too large, so that a
 * subnormal result is rounded once. Where both forms are defined, they differ by a power of 2 in every step. */
static inline float far_over_1_plus(float factor, int32_t power, float r)
{
    float square = r * r, q = exp_rest_single(r), t = fma_float32(square, q, r), t_low = fma_float32(square, q, r - t);
    float one = float_of_power(-(power < ZC_POWER(126) ? power : ZC_POWER(126))), whole = 1.0f + one;
    float lost = t_low + (one - (whole - 1.0f)), sum = whole + t, low = ((whole - sum) + t) + lost;
    return quotient_single(factor * float_of_power(ZC_POWER(64) - power), -0.0f, sum, low) * 0x1p-64f;
}

/* The rest of sigmoid, on the other side of 0 it is 1 less that. */
static inline float side_of_sigmoid(float x, float below)
{
    return x < 0 ? below : 1.0f - below;
}

static inline float near_sigmoid_float32(float x)
{
    reduced e = reduce_exponent_single(absolute_single(x));
    return side_of_sigmoid(x, near_over_1_plus(1.0f, float_of_power(e.power), e.r));
}

static inline float sigmoid_float32(float x)
{
    reduced e = reduce_exponent_single(size_up_to(x, 110.0f));
    return side_of_sigmoid(x, far_over_1_plus(1.0f, e.power, e.r));
}

/* The same with a factor x: x less |x| / (1 + e^size), or only that on the left. */
static inline float times_sigmoid_single(float x, float below)
{
    return x < 0 ? -below : x - below;
}

static inline float near_silu_float32(float x)
{
    float size = absolute_single(x);
    reduced e = reduce_exponent_single(size);
    return times_sigmoid_single(x, near_over_1_plus(size, float_of_power(e.power), e.r));
}

static inline float silu_float32(float x)
{
    float size = size_up_to(x, 120.0f);
    reduced e = reduce_exponent_single(size);
    return times_sigmoid_single(x, far_over_1_plus(size, e.power, e.r));
}

/* x / (1 + e^-z) with z = 2 sqrt(2/pi) (x + 0.044715 x^3), which is gelu with tanh. z is the sum of `first` and
 * `second`, and needed to 32 bits. */
static inline reduced reduce_gelu_single(float size)
{
    float square = size * size, square_low = fma_float32(size, size, -square);
    float sum = fma_float32(ZC_SINGLE_GELU_3, square, ZC_SINGLE_GELU_1);
    float low = fma_float32(ZC_SINGLE_GELU_3, square, ZC_SINGLE_GELU_1 - sum);
    low = low +
          fma_float32(ZC_SINGLE_GELU_3, square_low, fma_float32(ZC_SINGLE_GELU_3_REST, square, ZC_SINGLE_GELU_1_REST));
    float first = size * sum, second = fma_float32(size, low, fma_float32(size, sum, -first));
    float shifted = fma_float32(first, ZC_SINGLE_LOG2_E, ZC_SINGLE_ROUNDER), n = shifted - ZC_SINGLE_ROUNDER;
    float r = fma_float32(n, -ZC_SINGLE_LN2, first) + fma_float32(n, -ZC_SINGLE_LN2_REST, second);
    return (reduced){r, power_of_sum(shifted)};
}

static inline float near_gelu_tanh_float32(float x)
{
    float size = absolute_single(x);
    reduced e = reduce_gelu_single(size);
    return times_sigmoid_single(x, near_over_1_plus(size, float_of_power(e.power), e.r));
}

static inline float gelu_tanh_float32(float x)
{
    float size = size_up_to(x, 11.0f);
    reduced e = reduce_gelu_single(size);
    return times_sigmoid_single(x, far_over_1_plus(size, e.power, e.r));
}

/* ---- log(1 + e^x) ---- */

/* log(1 + e^-size) as an unevaluated sum, for a size up to 120. With f = e^-size where that is small, else ln 2 +
 * log(1 + (e^-size - 1) / 2); from 17 on the exponential alone. */
static inline float log1p_exp_single(float size, float *rest)
{
    exp_parts e = exp_parts_of(-size);
    float sum = 1.0f + e.first, beyond = (e.first - (sum - 1.0f)) + e.rest;
    float value = sum + beyond, power = float_of_power(e.power < ZC_POWER(-30) ? ZC_POWER(-30) : e.power);
    float f = power * value, f_low = power * (beyond - (value - sum)), less = f - 1.0f;
    int is_halved = f > 0.38f, is_far = size > 17.0f;
    f_low = is_halved ? 0.5f * ((f - (less + 1.0f)) + f_low) : f_low;
    f = is_halved ? 0.5f * less : f;
    float whole = is_halved ? ZC_SINGLE_LN2 : 0.0f, lower = is_halved ? ZC_SINGLE_LN2_REST : 0.0f, first = whole + f;
    float series = fma_float32(f * f, fma_float32(f, log1p_rest_long_single(f), -0.5f), fma_float32(-f_low, f, f_low));
    *rest = (f - (first - whole)) + (lower + series);
    *rest = is_far ? 0.0f : *rest;
    return is_far ? times_small_power(value, e.power) : first;
}

static inline float softplus_float32(float x)
{
    float rest, first = log1p_exp_single(size_up_to(x, 110.0f), &rest), positive = x > 0 ? x : 0.0f;
    float sum = positive + first, part = sum - positive;
    float y = sum + (((positive - (sum - part)) + (first - part)) + rest);
    return x <= 30.0f ? y : x;
}

#endif
