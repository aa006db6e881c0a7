/*
 * float32's error function: a polynomial near 0, then 1 - e^(p(x) - 3x/2), where p(x) - 3x/2 is the logarithm of what
 * erf lacks to 1.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTARY_SINGLE_NORMAL_H
#define ZC_RUNTIME_OPS_ELEMENTARY_SINGLE_NORMAL_H

#include "runtime/ops/elementary_single_exp.h"

/* Beyond 4 it rounds to 1. */
static inline float erf_float32(float x)
{
    float size = size_up_to(x, 4.0f);
    float high = leading_bits(size), low = log_erfc_single(size) - 1.5f * (size - high);
    reduced e = reduce_sum_single(-1.5f * high, low);
    float power = float_of_power(e.power), far = (1.0f - power) - power * (e.r + exp_beyond_r(e.r));
    return absolute_single(x) > 0.8f ? copy_sign_single(far, x) : x + x * erf_rest_single(x * x);
}

#endif
