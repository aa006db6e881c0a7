/*
 * float32's arc tangent. Sources: atan x = pi/4 + atan((x - 1) / (x + 1)) from 1/2 to tan(3 pi/8), pi/2 - atan(1/x)
 * beyond, with what the quotients lose, and the best polynomial on what is left.
 */
#ifndef ZC_MATH_SINGLE_INVERSE_H
#define ZC_MATH_SINGLE_INVERSE_H

#include "math/single/base.h"
#include "math/single/polynomials.h"

/* The point (1, |x|) is turned by no, one or two quarters of pi: (u, v) is (0, 1), (1, 1) or (1, 0). Beyond 2^30 the
 * result is pi/2. */
static inline float atan_float32(float x)
{
    float size = size_up_to(x, 0x1p30f), u = size <= 0.5f ? 0.0f : 1.0f, v = size > ZC_SINGLE_TAN_3_PI_8 ? 0.0f : 1.0f;
    float a = fma_float32(v, size, -u), b = fma_float32(u, size, v), b_lost = fma_float32(u, size, v - b);
    float reciprocal = 1.0f / b, t = a * reciprocal;
    float t_lost = fma_float32(-t, b_lost, fma_float32(-t, b, a)) * reciprocal;
    float turns = fma_float32(0.5f, u - v, 0.5f), whole = turns * ZC_SINGLE_HALF_PI_1, sum = whole + t;
    float rest = fma_float32(t * (t * t), atan_rest_single(t * t), fma_float32(turns, ZC_SINGLE_HALF_PI_2, t_lost));
    return copy_sign_single(sum + (((whole - sum) + t) + rest), x);
}

#endif
