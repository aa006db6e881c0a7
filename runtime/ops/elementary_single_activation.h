/*
 * float32's functions of e^-|x|: sigmoid, silu, gelu's form with tanh, softplus.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTARY_SINGLE_ACTIVATION_H
#define ZC_RUNTIME_OPS_ELEMENTARY_SINGLE_ACTIVATION_H

#include "runtime/ops/elementary_single_exp.h"
#include "runtime/ops/elementary_single_log.h"

/* ---- 1 / (1 + e^size) and products with it ---- */

/* factor / (1 + e^size) where e^size = 2^n (1 + r + beyond): factor * 2^-n over 2^-n + 1 + r + beyond. The size is up
 * to 120; the power is multiplied 2^64 too large, so that a subnormal result is rounded once. */
static inline float over_1_plus_exp(float factor, reduced x, float beyond)
{
    float one = float_of_power(-(x.power < ZC_POWER(126) ? x.power : ZC_POWER(126)));
    float whole = 1.0f + one, lost = one - (whole - 1.0f), sum = (whole + x.r) + beyond, high = leading_bits(sum);
    float low = ((whole - high) + x.r) + (beyond + lost);
    return quotient_single(factor * float_of_power(ZC_POWER(64) - x.power), -0.0f, sum, high, low) * 0x1p-64f;
}

/* Of the other side of 0 it is 1 less that. */
static inline float sigmoid_float32(float x)
{
    reduced e = reduce_exponent_single(size_up_to(x, 110.0f));
    float below = over_1_plus_exp(1.0f, e, exp_beyond_r(e.r)), value = x < 0 ? below : 1.0f - below;
    return x != x ? x : value;
}

/* The same with a factor x: x less |x| / (1 + e^size), or only that on the left. */
static inline float times_sigmoid_single(float x, float below)
{
    return (x < 0 ? -0.0f : x) - below;
}

static inline float silu_float32(float x)
{
    float size = size_up_to(x, 120.0f);
    reduced e = reduce_exponent_single(size);
    return times_sigmoid_single(x, over_1_plus_exp(size, e, exp_beyond_r(e.r)));
}

/* x / (1 + e^-z) with z = 2 sqrt(2/pi) (x + 0.044715 x^3), which is gelu with tanh. z is the sum of `first`, which is
 * exact, and `second`, and needed to 32 bits. */
static inline float gelu_tanh_float32(float x)
{
    float size = size_up_to(x, 11.0f), square = leading_bits(size * size);
    split a = split_of(size);
    float square_low = (a.high * a.high - square) + (a.high + size) * a.low, cubic = ZC_SINGLE_GELU_3 * square;
    float sum = leading_bits(cubic + ZC_SINGLE_GELU_1);
    float rest = ZC_SINGLE_GELU_1_REST + (ZC_SINGLE_GELU_3 * square_low + ZC_SINGLE_GELU_3_REST * (size * size));
    float sum_low = ((ZC_SINGLE_GELU_1 - sum) + cubic) + rest;
    float first = a.high * sum, second = a.high * sum_low + a.low * (sum + sum_low);
    reduced e = reduce_sum_single(first, second);
    return times_sigmoid_single(x, over_1_plus_exp(size, e, exp_beyond_r(e.r)));
}

/* ---- log(1 + e^x) ---- */

/* log(1 + e^-size) as an unevaluated sum, for a size up to 120. With f = e^-size where that is small, else ln 2 +
 * log(1 + (e^-size - 1) / 2); from 17 on the exponential alone. */
static inline float log1p_exp_single(float size, float *rest)
{
    reduced e = reduce_exponent_single(-size);
    float sum = 1.0f + e.r, beyond = (e.r - (sum - 1.0f)) + (e.rest + e.r * e.r * exp_rest_long_single(e.r));
    float value = sum + beyond, power = float_of_power(e.power < ZC_POWER(-126) ? ZC_POWER(-126) : e.power);
    float f = power * value, f_low = power * (beyond - (value - sum)), less = f - 1.0f;
    int is_halved = f > 0.38f, is_far = size > 17.0f;
    f_low = is_halved ? 0.5f * ((f - (less + 1.0f)) + f_low) : f_low;
    f = is_halved ? 0.5f * less : f;
    float whole = is_halved ? ZC_SINGLE_LN2_HIGH : 0.0f, lower = is_halved ? ZC_SINGLE_LN2_LOW : 0.0f,
          first = whole + f;
    *rest = (f - (first - whole)) + (lower + ((f_low - f_low * f) + f * f * (f * log1p_rest_long_single(f) - 0.5f)));
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
