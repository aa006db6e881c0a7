/*
 * x * y + z, rounded once: IEEE-754's fusedMultiplyAdd, of which the elementary functions are made.
 *
 * It is one instruction where the machine has one, and integer arithmetic elsewhere: both are exact but for one
 * rounding, so they have the same bits. The C library's function is never called: what it does, the machine it runs on
 * decides. ZC_SOFTWARE_FMA asks for the second form everywhere.
 */
#ifndef ZC_MATH_FLOATS_FUSED_H
#define ZC_MATH_FLOATS_FUSED_H

#include <math.h>
#include <stdint.h>

#include "math/floats/narrow.h"

/* Not copied into its callers: an elementary function has some thirty. */
#define ZC_APART_FMA static __attribute__((noinline, unused))

ZC_APART_FMA float software_fma_float32(float x, float y, float z)
{
    return (float)odd_fma(x, y, z);
}

/* ---- float64: in integers of 128 bits ---- */

/* (high 2^64 + low) 2^exponent */
typedef struct wide_integer {
    uint64_t high, low;
    int exponent;
} wide_integer;

/* The significand of a finite number other than 0, with its leading bit in place 52. */
static inline uint64_t significand_of(double x, int *exponent)
{
    const uint64_t bits = bits_of(x), fraction = bits & UINT64_C(0x000fffffffffffff);
    const int biased = (int)(bits >> 52 & 0x7ff);
    if (biased != 0) {
        *exponent = biased - 1075;
        return fraction | UINT64_C(0x0010000000000000);
    }
    const int shift = __builtin_clzll(fraction) - 11;
    *exponent = -1074 - shift;
    return fraction << shift;
}

/* The product of two significands, with its leading bit in place 124 or 125. */
static inline wide_integer product_of_significands(double x, double y)
{
    int exponent_x, exponent_y;
    const uint64_t a = significand_of(x, &exponent_x) << 10, b = significand_of(y, &exponent_y) << 10;
    const uint64_t a_high = a >> 32, a_low = a & UINT32_MAX, b_high = b >> 32, b_low = b & UINT32_MAX;
    const uint64_t low = a_low * b_low, middle = a_high * b_low + (low >> 32); /* below 2^64: a and b are below 2^63 */
    const uint64_t other = a_low * b_high + (middle & UINT32_MAX);
    const uint64_t high = a_high * b_high + (middle >> 32) + (other >> 32);
    return (wide_integer){high, other << 32 | (low & UINT32_MAX), exponent_x + exponent_y - 20};
}

/* Divided by 2^count, the last bit set where something was lost. */
static inline wide_integer shifted_right(wide_integer x, int64_t count)
{
    if (count <= 0)
        return x;
    if (count >= 64) {
        x.low = x.high | (x.low != 0);
        x.high = 0;
        count = count > 127 ? 63 : count - 64;
        if (count == 0)
            return x;
    }
    const uint64_t lost = x.low << (64 - count);
    x.low = x.low >> count | x.high << (64 - count) | (lost != 0);
    x.high >>= count;
    return x;
}

static inline wide_integer sum_of_wide(wide_integer x, wide_integer y)
{
    const uint64_t low = x.low + y.low;
    return (wide_integer){x.high + y.high + (low < x.low), low, x.exponent};
}

static inline wide_integer difference_of_wide(wide_integer x, wide_integer y)
{
    return (wide_integer){x.high - y.high - (x.low < y.low), x.low - y.low, x.exponent};
}

/* The nearest number to x, halves to even, of a sign. */
static inline double nearest_to_wide(wide_integer x, uint64_t sign)
{
    if (x.high == 0) {
        x.high = x.low;
        x.low = 0;
        x.exponent -= 64;
    }
    if (x.high == 0)
        return 0.0;
    const int shift = __builtin_clzll(x.high);
    x.high = shift == 0 ? x.high : x.high << shift | x.low >> (64 - shift);
    const uint64_t significand = x.high | ((x.low << shift) != 0);
    const int biased = x.exponent - shift + 64 + 63 + 1023;
    if (biased >= 2047)
        return double_of(sign | bits_of((double)INFINITY));
    if (biased < -51) /* below the least number: that one, or 0 from its half on */
        return double_of(sign | (uint64_t)((biased == -52) & (significand > UINT64_C(1) << 63)));
    const int lost = biased >= 1 ? 11 : 12 - biased;
    const uint64_t rest = significand << (64 - lost), whole = significand >> lost, half = UINT64_C(1) << 63;
    const uint64_t rounded = whole + (uint64_t)((rest > half) | ((rest == half) & (int)(whole & 1)));
    /* A normal number's leading bit is one more in the exponent, and so is what rounding carries. */
    return double_of(sign | (rounded + ((uint64_t)(biased >= 1 ? biased - 1 : 0) << 52)));
}

static inline int is_finite_and_not_0(double x)
{
    return (x != 0) & (fabs(x) < (double)INFINITY);
}

ZC_APART_FMA double software_fma_float64(double x, double y, double z)
{
    if (!is_finite_and_not_0(x) || !is_finite_and_not_0(y))
        return x * y + z; /* the product is exact */
    if (z == 0)
        return x * y;
    if (!is_finite_and_not_0(z))
        return z;
    const uint64_t top = UINT64_C(0x8000000000000000);
    const uint64_t sign_product = (bits_of(x) ^ bits_of(y)) & top, sign_z = bits_of(z) & top;
    wide_integer product = product_of_significands(x, y), addend = {.low = 0};
    addend.high = significand_of(z, &addend.exponent) << 9; /* leading bit in place 125 of 128 */
    addend.exponent -= 73;
    const int apart = product.exponent - addend.exponent;
    product = shifted_right(product, -(int64_t)apart);
    addend = shifted_right(addend, apart);
    product.exponent = addend.exponent = apart > 0 ? product.exponent : addend.exponent;
    if (sign_product == sign_z)
        return nearest_to_wide(sum_of_wide(product, addend), sign_z);
    const int is_larger = product.high != addend.high ? product.high > addend.high : product.low > addend.low;
    const wide_integer rest = is_larger ? difference_of_wide(product, addend) : difference_of_wide(addend, product);
    return nearest_to_wide(rest, is_larger ? sign_product : sign_z);
}

/* ---- What everybody calls ---- */

static inline float fma_float32(float x, float y, float z)
{
#if !defined(ZC_SOFTWARE_FMA) && (defined(__FP_FAST_FMAF) || defined(__FMA__))
    return __builtin_fmaf(x, y, z);
#else
    return software_fma_float32(x, y, z);
#endif
}

static inline double fma_float64(double x, double y, double z)
{
#if !defined(ZC_SOFTWARE_FMA) && (defined(__FP_FAST_FMA) || defined(__FMA__))
    return __builtin_fma(x, y, z);
#else
    return software_fma_float64(x, y, z);
#endif
}

#endif
