/*
 * What float32's own elementary functions are made of: twice as many lanes as by way of double. Bits, and powers of 2.
 */
#ifndef ZC_MATH_SINGLE_BASE_H
#define ZC_MATH_SINGLE_BASE_H

#include <math.h>
#include <stdint.h>

#include "math/floats/fused.h"

/* ---- Bits ---- */

static inline float absolute_single(float x)
{
    return single_of(bits_of_single(x) & UINT32_C(0x7fffffff));
}

/* The magnitude is not negative. */
static inline float copy_sign_single(float magnitude, float sign)
{
    return single_of(bits_of_single(magnitude) | (bits_of_single(sign) & UINT32_C(0x80000000)));
}

/* |x|, but `most` where it is larger; NaN stays. */
static inline float size_up_to(float x, float most)
{
    float size = absolute_single(x);
    return most < size ? most : size;
}

/* The smaller of two that are not negative, by their bits, which have the floats' order: one instruction of vectors.
 * `most` for NaN. */
static inline float smaller_single(float size, float most)
{
    uint32_t bits = bits_of_single(size);
    return single_of(bits < bits_of_single(most) ? bits : bits_of_single(most));
}

/* ---- Powers of 2 ---- */

/* Adding it rounds a float below 2^22 to an integer, which then stands in the low bits of the sum. */
#define ZC_SINGLE_ROUNDER 0x1.8p23f

/* A power 2^n is n in the place of a float's exponent, so that it can be added there. */
#define ZC_POWER(n) ((int32_t)((uint32_t)(n) << 23))

/* Power of n + ZC_SINGLE_ROUNDER. */
static inline int32_t power_of_sum(float sum)
{
    return ZC_POWER(bits_of_single(sum));
}

static inline float float_of_power(int32_t power)
{
    return single_of((uint32_t)power + bits_of_single(1.0f));
}

/* y times the power: both y and the result are normal numbers. */
static inline float times_power(float y, int32_t power)
{
    return single_of(bits_of_single(y) + (uint32_t)power);
}

/* The same with a result that may be subnormal, and is rounded once. y is between 1/2 and 2, n at least -180. */
static inline float times_small_power(float y, int32_t power)
{
    return single_of(bits_of_single(y) + (uint32_t)power + (uint32_t)ZC_POWER(64)) * 0x1p-64f;
}

/* ---- Quotients ---- */

/* (a + a_low) / (b + b_low), rounded once but for little: the remainder of the quotient by way of the reciprocal is
 * known. The low parts are small beside the others. */
static inline float quotient_single(float a, float a_low, float b, float b_low)
{
    float reciprocal = 1.0f / b, quotient = a * reciprocal;
    float rest = fma_float32(-quotient, b, a) + fma_float32(-quotient, b_low, a_low);
    return fma_float32(rest, reciprocal, quotient);
}

#endif
