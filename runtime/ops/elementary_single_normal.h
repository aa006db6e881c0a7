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
    float size = size_up_to(x, 4.0f), near = fma_float32(x, erf_rest_single(x * x), x);
    reduced e = reduce_exponent_single(fma_float32(-1.5f, size, log_erfc_single(size)));
    float power = float_of_power(e.power), far = fma_float32(-power, expm1_reduced_single(e.r), 1.0f - power);
    return size > 0.8f ? copy_sign_single(far, x) : near;
}

#endif
