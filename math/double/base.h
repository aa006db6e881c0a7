/*
 * What the elementary functions are made of: bits of doubles, scaling, and pairs of doubles.
 *
 * A pair is the unevaluated sum of a double and a much smaller one: about 106 bits. Sums and products of two doubles
 * are pairs exactly, as long as nothing overflows and products stay above 2^-960.
 */
#ifndef ZC_MATH_DOUBLE_BASE_H
#define ZC_MATH_DOUBLE_BASE_H

#include <math.h>
#include <stdint.h>

#include "math/floats/fused.h"

/* ---- Bits ---- */

static inline double absolute(double x)
{
    return double_of(bits_of(x) & UINT64_C(0x7fffffffffffffff));
}

/* The magnitude is not negative. */
static inline double copy_sign(double magnitude, double sign)
{
    return double_of(bits_of(magnitude) | (bits_of(sign) & UINT64_C(0x8000000000000000)));
}

static inline double clamp_double(double x, double low, double high)
{
    x = x < low ? low : x;
    return x > high ? high : x; /* NaN passes both */
}

/* condition ? a : b by bits, where a chain of selections would become branches that no compiler turns into vectors. */
static inline double choose(int condition, double a, double b)
{
    uint64_t mask = (uint64_t)0 - (uint64_t)(condition != 0);
    return double_of((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

/* x times a function that is f(|x|) left of 0 and 1 less that right of it: `below` is |x| f(|x|). */
static inline double from_both_sides(double x, double below)
{
    return x < 0 ? -below : x - below;
}

/* ---- Powers of 2 ---- */

/* Adding it rounds a double below 2^51 to an integer, which then stands in the low bits of the sum. */
#define ZC_ROUNDER 0x1.8p52

static inline double round_double(double x)
{
    return (x + ZC_ROUNDER) - ZC_ROUNDER;
}

/* The integer that a whole double below 2^51 holds. */
static inline int64_t integer_of(double whole)
{
    return (int64_t)(bits_of(whole + ZC_ROUNDER) - bits_of(ZC_ROUNDER));
}

/* 2^n for a normal result. */
static inline double exp2_integer(int64_t n)
{
    return double_of((uint64_t)(n + 1023) << 52);
}

/* The integer n of n + ZC_ROUNDER. */
static inline int64_t integer_of_sum(double sum)
{
    return (int64_t)(bits_of(sum) - bits_of(ZC_ROUNDER));
}

/* y * 2^n for that n: both y and the result are normal numbers. */
static inline double times_power_of_sum(double y, double sum)
{
    return double_of(bits_of(y) + (bits_of(sum) << 52));
}

/* 2^n for that n. */
static inline double power_of_whole(double sum)
{
    return times_power_of_sum(1.0, sum);
}

/* |x|, but `most` where it is larger; NaN stays. */
static inline double size_within(double x, double most)
{
    double size = absolute(x);
    return most < size ? most : size;
}

/* y * 2^n in two steps, so that subnormal results are rounded once and overflow gives infinity. |n| < 2048. */
static inline double scale(double y, int64_t n)
{
    int64_t half = (int64_t)(((uint64_t)n + 2048) >> 1) - 1024;
    return y * exp2_integer(half) * exp2_integer(n - half);
}

/* x = 2^k * m with sqrt(1/2) <= m < sqrt(2), for a positive x. Returns m. */
static inline double split_exponent(double x, double *k)
{
    const uint64_t sqrt_half = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    int is_subnormal = x < 0x1p-1022;
    uint64_t shifted = bits_of(is_subnormal ? x * 0x1p54 : x) + (one - sqrt_half);
    /* The biased exponent in the low bits of 2^52 is a double without a conversion from int64. */
    double exponent = double_of(UINT64_C(0x4330000000000000) | (shifted >> 52)) - (0x1p52 + 1023.0);
    *k = is_subnormal ? exponent - 54.0 : exponent;
    return double_of((shifted & UINT64_C(0x000fffffffffffff)) + sqrt_half);
}

/* The same for a normal number. */
static inline double near_split_exponent(double x, double *k)
{
    const uint64_t sqrt_half = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    uint64_t shifted = bits_of(x) + (one - sqrt_half);
    *k = double_of(UINT64_C(0x4330000000000000) | (shifted >> 52)) - (0x1p52 + 1023.0);
    return double_of((shifted & UINT64_C(0x000fffffffffffff)) + sqrt_half);
}

/* ---- Pairs ---- */

typedef struct pair {
    double high, low;
} pair;

static inline pair two_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (pair){sum, (a - (sum - part)) + (b - part)};
}

/* |a| >= |b|, or a is 0. */
static inline pair fast_two_sum(double a, double b)
{
    double sum = a + b;
    return (pair){sum, b - (sum - a)};
}

static inline pair two_product(double a, double b)
{
    double product = a * b;
    return (pair){product, fma_float64(a, b, -product)};
}

static inline pair add_pairs(pair a, pair b)
{
    pair sum = two_sum(a.high, b.high);
    return fast_two_sum(sum.high, sum.low + (a.low + b.low));
}

static inline pair multiply_pairs(pair a, pair b)
{
    pair product = two_product(a.high, b.high);
    return fast_two_sum(product.high, fma_float64(a.low, b.high, fma_float64(a.high, b.low, product.low)));
}

/* One division: the quotient by way of the reciprocal is off by a few units, which the remainder mends. */
static inline pair divide_pairs(pair a, pair b)
{
    double reciprocal = 1.0 / b.high, quotient = a.high * reciprocal;
    double rest = fma_float64(-quotient, b.high, a.high) + fma_float64(-quotient, b.low, a.low);
    return fast_two_sum(quotient, rest * reciprocal);
}

/* a / b, rounded once but for little. */
static inline double quotient_of_pairs(pair a, pair b)
{
    double reciprocal = 1.0 / b.high, quotient = a.high * reciprocal;
    double rest = fma_float64(-quotient, b.high, a.high) + fma_float64(-quotient, b.low, a.low);
    return fma_float64(rest, reciprocal, quotient);
}

/* The square root of a positive pair, or of 0. */
static inline pair sqrt_pair(pair a)
{
    double root = sqrt(a.high);
    double rest = fma_float64(-root, root, a.high) + a.low;
    return (pair){root, a.high == 0 ? 0.0 : rest / (root + root)};
}

static inline pair select_pair(int condition, pair a, pair b)
{
    return (pair){condition ? a.high : b.high, condition ? a.low : b.low};
}

#endif
