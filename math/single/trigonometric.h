/*
 * float32's sin and cos. Sources: Cody and Waite's reduction by parts of pi/2 for |x| < 2^16, where the first
 * difference is exact; then polynomials on |r| <= pi/4. Beyond, in double (math/double/trigonometric.h).
 */
#ifndef ZC_MATH_SINGLE_TRIGONOMETRIC_H
#define ZC_MATH_SINGLE_TRIGONOMETRIC_H

#include "math/single/base.h"
#include "math/single/polynomials.h"

/* x = quadrant * pi/2 + r + rest. Of the quadrant only the last two bits count. */
typedef struct angle_single {
    float r, rest;
    uint32_t quadrant;
} angle_single;

static inline angle_single reduce_near_single(float x)
{
    float shifted = fma_float32(x, ZC_SINGLE_2_OVER_PI, ZC_SINGLE_ROUNDER), n = shifted - ZC_SINGLE_ROUNDER;
    float first = fma_float32(n, -ZC_SINGLE_HALF_PI_1, x), second = n * ZC_SINGLE_HALF_PI_2, r = first - second;
    float lost = fma_float32(n, ZC_SINGLE_HALF_PI_3, fma_float32(n, ZC_SINGLE_HALF_PI_2, -second));
    return (angle_single){r, ((first - r) - second) - lost, bits_of_single(shifted)};
}

/* sin of the angle and `quarters` quadrants more. */
static inline float sin_of_angle_single(angle_single a, uint32_t quarters)
{
    float r = a.r, z = r * r, half = 0.5f * z, most = 1.0f - half;
    float sine = r + fma_float32(r * z, sin_rest_single(z), a.rest);
    float lost = fma_float32(-r, a.rest, (1.0f - most) - half);
    float cosine = most + fma_float32(z * z, cos_rest_single(z), lost);
    uint32_t quadrant = a.quadrant + quarters, sign = (quadrant & 2) << 30;
    return single_of(bits_of_single((quadrant & 1) != 0 ? cosine : sine) ^ sign);
}

#endif
