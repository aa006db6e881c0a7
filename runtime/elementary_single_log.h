/*
 * float32's logarithms. Sources: x = 2^k m, with m between 2/3 and 4/3, and the best polynomial for log(1 + f) beyond
 * f - f^2/2. The largest terms are added with what their sum loses.
 */
#ifndef ZC_RUNTIME_ELEMENTARY_SINGLE_LOG_H
#define ZC_RUNTIME_ELEMENTARY_SINGLE_LOG_H

#include "runtime/elementary_single_base.h"
#include "runtime/elementary_single_polynomials.h"

/* x = 2^k m with 2/3 <= m < 4/3, for a positive x. Returns m - 1, which is exact. */
static inline float split_exponent_single(float x, float *k)
{
    const uint32_t two_thirds = UINT32_C(0x3f2aaaab);
    int is_subnormal = x < 0x1p-126f;
    uint32_t shifted = bits_of_single(is_subnormal ? x * 0x1p23f : x) - two_thirds;
    *k = (float)((int32_t)shifted >> 23) - (is_subnormal ? 23.0f : 0.0f);
    return single_of((shifted & UINT32_C(0x007fffff)) + two_thirds) - 1.0f;
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

#endif
