/*
 * The 16-bit floats: float16 (IEEE-754 binary16) and bfloat16 (the upper half of a float32), kept as their bits. They
 * are computed in float32, which holds every one of them exactly.
 *
 * Invariant: what is rounded to 16 bits is rounded once, to nearest, halves to even. Values that float32 does not hold
 * come to it rounded to odd: that keeps what the second rounding needs to know (Boldo and Melquiond, "When double
 * rounding is odd", 2005), since float32 has more than two bits to spare. NaN stays NaN, with its sign.
 */
#ifndef ZC_MATH_FLOATS_NARROW_H
#define ZC_MATH_FLOATS_NARROW_H

#include <stdint.h>

#include "math/floats/float_bits.h"

/* ---- To float32: exact ---- */

/* The exponent is biased by 112 more there. Subnormals get 2^-14 as leading bit, which is subtracted. */
static inline float value_float16(uint16_t x)
{
    const uint32_t shifted = (uint32_t)(x & 0x7fff) << 13, bias = UINT32_C(112) << 23;
    const uint32_t sign = (uint32_t)(x & 0x8000) << 16;
    float value = single_of(shifted + bias);
    value = shifted < UINT32_C(0x00800000) ? single_of(shifted + bias + UINT32_C(0x00800000)) - 0x1p-14f : value;
    const uint32_t quiet = shifted > UINT32_C(0x0f800000) ? UINT32_C(0x00400000) : 0;
    const uint32_t special = (shifted + 2 * bias) | quiet;
    const uint32_t bits = shifted >= UINT32_C(0x0f800000) ? special : bits_of_single(value);
    return single_of(bits | sign);
}

static inline float value_bfloat16(uint16_t x)
{
    return single_of((uint32_t)x << 16);
}

/* ---- From float32: rounded once ---- */

/* Normal results are rounded in the bits, where a carry goes up into the exponent; adding 1/2 rounds subnormal ones,
 * whose unit is that of floats there. */
static inline uint16_t nearest_float16(float x)
{
    const uint32_t bits = bits_of_single(x), size = bits & UINT32_C(0x7fffffff), sign = bits >> 16 & 0x8000;
    const uint32_t normal = ((size + 0xfff + (size >> 13 & 1)) >> 13) - (UINT32_C(112) << 10);
    const uint32_t subnormal = bits_of_single(single_of(size) + 0.5f) - UINT32_C(0x3f000000);
    const uint32_t infinite = UINT32_C(0x7c00), nan = UINT32_C(0x7e00) | (size >> 13 & 0x3ff);
    uint32_t result = size < UINT32_C(0x38800000) ? subnormal : normal; /* 2^-14 */
    result = size >= UINT32_C(0x477ff000) ? infinite : result;          /* 65520 */
    result = size > UINT32_C(0x7f800000) ? nan : result;
    return (uint16_t)(result | sign);
}

static inline uint16_t nearest_bfloat16(float x)
{
    const uint32_t bits = bits_of_single(x);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16, nan = bits >> 16 | 0x40;
    return (uint16_t)((bits & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000) ? nan : rounded);
}

/* ---- To float32, rounded to odd: of its two neighbours, an inexact value takes the one whose last bit is 1 ---- */

static inline float odd_of_float32(float x)
{
    return x;
}

static inline float odd_of_float64(double x)
{
    const float nearest = (float)x;
    const double back = (double)nearest;
    const uint32_t bits = bits_of_single(nearest);
    const int is_inexact = (back < x) | (back > x), is_even = (bits & 1) == 0;
    const int is_below = (x > 0 ? back : -back) < (x > 0 ? x : -x);
    const uint32_t odd = bits + (is_below ? 1 : UINT32_MAX);
    return single_of(is_inexact & is_even ? odd : bits);
}

/* The last bit that a double keeps of the integer takes up those below it. */
static inline float odd_of_uint64(uint64_t x)
{
    const uint64_t jammed = (x & ~UINT64_C(0x7ff)) | (uint64_t)((x & 0x7ff) != 0) << 11;
    return odd_of_float64((double)(x >> 53 == 0 ? x : jammed));
}

static inline float odd_of_int64(int64_t x)
{
    const float size = odd_of_uint64(x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
    return x < 0 ? -size : size;
}

/* Rounds any number to odd; a type that is neither a float nor 64 bits without sign fits in int64. */
#define ZC_ODD(x)                                                                                                      \
    _Generic((x), float : odd_of_float32, double : odd_of_float64, uint64_t : odd_of_uint64, default : odd_of_int64)(x)

/* ---- Operations whose meaning is not float32's, rounded ---- */

/* A step of one is one in the bits, away from zero or towards it; off zero it goes to the least of y's sign. */
static inline uint16_t step_narrow(uint16_t x, float from, float to)
{
    const uint16_t least = (uint16_t)((bits_of_single(to) >> 16 & 0x8000) | 1);
    const int is_away = (from < to) == (from > 0);
    return from == 0 ? least : (uint16_t)(is_away ? x + 1 : x - 1);
}

static inline float nextafter_float16(float x, float y)
{
    const float next = value_float16(step_narrow(nearest_float16(x), x, y));
    const float step = x == y ? y : next;
    return x != x ? x : y != y ? y : step;
}

static inline float nextafter_bfloat16(float x, float y)
{
    const float next = value_bfloat16(step_narrow(nearest_bfloat16(x), x, y));
    const float step = x == y ? y : next;
    return x != x ? x : y != y ? y : step;
}

/* x * y + z in double, rounded to odd: the product is exact. What is rounded again is rounded once in the end. */
static inline double odd_fma(float x, float y, float z)
{
    const double product = (double)x * (double)y, sum = product + (double)z, part = sum - product;
    const double error = (product - (sum - part)) + ((double)z - part); /* NaN beside an infinite sum */
    const uint64_t bits = bits_of(sum);
    const int is_inexact = (error < 0) | (error > 0), is_even = (bits & 1) == 0;
    const uint64_t odd = bits + ((error > 0) == (sum > 0) ? UINT64_C(1) : UINT64_MAX);
    return double_of(is_inexact & is_even ? odd : bits);
}

static inline float fma_float16(float x, float y, float z)
{
    return odd_of_float64(odd_fma(x, y, z));
}

static inline float fma_bfloat16(float x, float y, float z)
{
    return odd_of_float64(odd_fma(x, y, z));
}

#endif
