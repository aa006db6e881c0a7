/*
 * What the elementary functions are made of: bits of doubles, scaling, and pairs of doubles.
 *
 * A pair is the unevaluated sum of a double and a much smaller one: about 106 bits. Sums and products of two doubles
 * are pairs exactly (Knuth's and Dekker's theorems), as long as nothing overflows and products stay above 2^-960. The
 * error of a product takes one fused multiply-add where the machine has it, and Dekker's splitting elsewhere: both are
 * exact, so the bits are the same. Operands of products stay below 2^990, where splitting would overflow.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTARY_BASE_H
#define ZC_RUNTIME_OPS_ELEMENTARY_BASE_H

#include <math.h>
#include <stdint.h>

#include "runtime/dtypes/float_bits.h"

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
#if defined(__FP_FAST_FMA) || defined(__FMA__)
    return (pair){product, __builtin_fma(a, b, -product)};
#else
    const double splitter = 0x1p27 + 1;
    double a_shifted = splitter * a, b_shifted = splitter * b;
    double a_high = a_shifted - (a_shifted - a), b_high = b_shifted - (b_shifted - b);
    double a_low = a - a_high, b_low = b - b_high;
    return (pair){product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
#endif
}

static inline pair add_pairs(pair a, pair b)
{
    pair sum = two_sum(a.high, b.high);
    return fast_two_sum(sum.high, sum.low + (a.low + b.low));
}

static inline pair multiply_pairs(pair a, pair b)
{
    pair product = two_product(a.high, b.high);
    return fast_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/* One division: the quotient by way of the reciprocal is off by a few units, which the remainder mends. */
static inline pair divide_pairs(pair a, pair b)
{
    double reciprocal = 1.0 / b.high, quotient = a.high * reciprocal;
    pair product = two_product(quotient, b.high);
    double rest = ((a.high - product.high) - product.low) + (a.low - quotient * b.low);
    return fast_two_sum(quotient, rest * reciprocal);
}

/* The square root of a positive pair, or of 0. */
static inline pair sqrt_pair(pair a)
{
    double root = sqrt(a.high);
    pair square = two_product(root, root);
    double rest = ((a.high - square.high) - square.low) + a.low;
    return (pair){root, a.high == 0 ? 0.0 : rest / (root + root)};
}

static inline pair select_pair(int condition, pair a, pair b)
{
    return (pair){condition ? a.high : b.high, condition ? a.low : b.low};
}

#endif
