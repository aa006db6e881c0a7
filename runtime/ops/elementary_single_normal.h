/*
 * float32's error function: a polynomial near 0, and one around a middle m where erf(m) is nearly a float.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTARY_SINGLE_NORMAL_H
#define ZC_RUNTIME_OPS_ELEMENTARY_SINGLE_NORMAL_H

#include "runtime/ops/elementary_single_base.h"
#include "runtime/ops/elementary_single_polynomials.h"

/* Beyond 3.92 it rounds to 1. */
static inline float erf_float32(float x)
{
    float size = absolute_single(x), from_middle = smaller_single(size, 3.92f) - ZC_SINGLE_ERF_MIDDLE;
    float near = fma_float32(size, erf_rest_single(size * size), size);
    float far = fma_float32(from_middle, erf_slope_single(from_middle), ZC_SINGLE_ERF_OF_MIDDLE);
    return copy_sign_single(size > 1.0f ? far : near, x);
}

#endif
