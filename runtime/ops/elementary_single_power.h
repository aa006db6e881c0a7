/*
 * float32's cube root, without a division: m y^2 with a polynomial's y = 1 / cbrt(m), and a step with the exact
 * remainder.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTARY_SINGLE_POWER_H
#define ZC_RUNTIME_OPS_ELEMENTARY_SINGLE_POWER_H

#include "runtime/ops/elementary_single_log.h"

/* x = 8^q m, with m = 2^rest (1 + f) between 1/3 and 3. */
static inline float cbrt_float32(float x)
{
    float size = absolute_single(x), k, f = split_exponent_single(size, &k);
    float sum = fma_float32(k, 1.0f / 3, ZC_SINGLE_ROUNDER), rest = fma_float32(sum - ZC_SINGLE_ROUNDER, -3.0f, k);
    float m = (1.0f + f) * (rest == 0 ? 1.0f : rest > 0 ? 2.0f : 0.5f);
    float y = inverse_cbrt_start_single(f) * (rest == 0 ? 1.0f : rest > 0 ? ZC_SINGLE_CBRT_HALF : ZC_SINGLE_CBRT_2);
    float square = y * y, t = m * square;
    float squared = t * t, squared_lost = fma_float32(t, t, -squared), cubed = squared * t;
    float remainder = (m - cubed) - fma_float32(squared_lost, t, fma_float32(squared, t, -cubed));
    float root = times_power(fma_float32(remainder, square * (1.0f / 3), t), power_of_sum(sum));
    return ((x == 0) | !(size < INFINITY)) ? x : copy_sign_single(root, x);
}

#endif
