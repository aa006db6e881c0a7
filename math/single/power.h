/*
 * float32's cube root, without a division. Sources: the bits of a float, read as a number, grow nearly as its logarithm
 * does; a polynomial's step to 1 / cbrt(x); and one to the root with the exact remainder.
 */
#ifndef ZC_MATH_SINGLE_POWER_H
#define ZC_MATH_SINGLE_POWER_H

#include "math/single/base.h"
#include "math/single/polynomials.h"

/* 1 / cbrt(x), to 1/29 of it. */
static inline float inverse_cbrt_start(float x)
{
    return single_of((uint32_t)(int32_t)fma_float32((float)(int32_t)bits_of_single(x), -1.0f / 3, 0x1.5288p+30f));
}

/* Scales by a power of 8 where a product or its loss would leave the range. */
static inline float cbrt_float32(float x)
{
    float size = absolute_single(x);
    int is_small = size<0x1p-90f, is_large = size> 0x1p90f;
    float scaled = size * (is_small ? 0x1p72f : is_large ? 0x1p-72f : 1.0f), y = inverse_cbrt_start(scaled);
    float z = fma_float32(-(y * y), y * scaled, 1.0f);
    y = fma_float32(y * z, inverse_cbrt_rest_single(z), y);
    float square = y * y, t = scaled * square;
    float squared = t * t, squared_lost = fma_float32(t, t, -squared), cubed = squared * t;
    float remainder = (scaled - cubed) - fma_float32(squared_lost, t, fma_float32(squared, t, -cubed));
    float root = fma_float32(remainder, square * (1.0f / 3), t) * (is_small ? 0x1p-24f : is_large ? 0x1p24f : 1.0f);
    return size < INFINITY ? copy_sign_single(root, x) : x;
}

#endif
