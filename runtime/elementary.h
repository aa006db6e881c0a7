/*
 * exp, log and tanh, written so that compilers turn a loop over them into vector code, with the same bits from every
 * instruction set: additions, multiplications, divisions and bit moves only.
 *
 * Sources: Cody and Waite's argument reduction, Taylor series on the reduced interval. float32 is computed in double
 * and rounded once.
 */
#ifndef ZC_RUNTIME_ELEMENTARY_H
#define ZC_RUNTIME_ELEMENTARY_H

#include <stdint.h>
#include <string.h>

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^n for a normal result. */
static inline double exp2_integer(int64_t n)
{
    return double_of((uint64_t)(n + 1023) << 52);
}

/* ln 2 in two parts; the high one ends in 21 zero bits, so its product with any exponent is exact. */
#define ZC_LN2_HIGH   0x1.62e42feep-1
#define ZC_LN2_LOW    0x1.a39ef35793c76p-33
#define ZC_1_OVER_LN2 0x1.71547652b82fep0

/* Adding it rounds a double below 2^51 to an integer, which then stands in the low bits of the sum. */
#define ZC_ROUNDER 0x1.8p52

/* x = n * ln 2 + r with |r| <= ln(2)/2. Returns r. */
static inline double reduce_exponent(double x, int64_t *n)
{
    double rounded = x * ZC_1_OVER_LN2 + ZC_ROUNDER;
    double whole = rounded - ZC_ROUNDER;
    *n = (int64_t)(bits_of(rounded) - bits_of(ZC_ROUNDER));
    return (x - whole * ZC_LN2_HIGH) - whole * ZC_LN2_LOW;
}

/* (e^r - 1 - r) / r^2 by its Taylor series, |r| <= ln(2)/2: to double's precision and to float's. */
static inline double exp_tail(double r)
{
    double p = 1.0 / 6227020800;
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    return p * r + 0.5;
}

static inline double exp_tail_short(double r)
{
    double p = 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    return p * r + 0.5;
}

static inline double clamp_double(double x, double low, double high)
{
    x = x < low ? low : x;
    return x > high ? high : x; /* NaN passes both */
}

/* Scales in two steps, so that subnormal results are rounded once and overflow gives infinity. */
static inline double exp_float64(double x)
{
    int64_t n;
    double r = reduce_exponent(clamp_double(x, -746.0, 710.0), &n);
    double y = 1.0 + (r + r * r * exp_tail(r));
    int64_t half = (int64_t)(((uint64_t)n + 2048) >> 1) - 1024;
    return y * exp2_integer(half) * exp2_integer(n - half);
}

static inline float exp_float32(float x)
{
    int64_t n;
    double r = reduce_exponent(clamp_double((double)x, -104.0, 89.0), &n);
    double y = 1.0 + (r + r * r * exp_tail_short(r));
    return (float)(y * exp2_integer(n));
}

/* x = 2^k * m with sqrt(1/2) <= m < sqrt(2), for a positive normal x. Returns m - 1, exact. */
static inline double split_exponent(double x, double *k)
{
    const uint64_t sqrt_half = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    uint64_t shifted = bits_of(x) + (one - sqrt_half);
    /* The biased exponent in the low bits of 2^52 is a double without a conversion from int64. */
    *k = double_of(UINT64_C(0x4330000000000000) | (shifted >> 52)) - (0x1p52 + 1023.0);
    return double_of((shifted & UINT64_C(0x000fffffffffffff)) + sqrt_half) - 1.0;
}

/* log((1+s)/(1-s)) = 2s + 2s^3/3 + ...; this is the series of all but 2s, over s, in z = s^2. */
static inline double log_tail(double z)
{
    double p = 2.0 / 23;
    p = p * z + 2.0 / 21;
    p = p * z + 2.0 / 19;
    p = p * z + 2.0 / 17;
    p = p * z + 2.0 / 15;
    p = p * z + 2.0 / 13;
    p = p * z + 2.0 / 11;
    p = p * z + 2.0 / 9;
    p = p * z + 2.0 / 7;
    p = p * z + 2.0 / 5;
    p = p * z + 2.0 / 3;
    return p * z;
}

static inline double log_tail_short(double z)
{
    double p = 2.0 / 13;
    p = p * z + 2.0 / 11;
    p = p * z + 2.0 / 9;
    p = p * z + 2.0 / 7;
    p = p * z + 2.0 / 5;
    p = p * z + 2.0 / 3;
    return p * z;
}

/* What log gives outside the positive finite numbers, else y. */
static inline double log_edges(double x, double y)
{
    y = x == 0 ? -(double)INFINITY : y;
    y = x == (double)INFINITY ? x : y;
    return x < 0 || x != x ? (double)NAN : y;
}

static inline double log_float64(double x)
{
    double k;
    int subnormal = x < 0x1p-1022;
    double f = split_exponent(subnormal ? x * 0x1p54 : x, &k);
    k = subnormal ? k - 54.0 : k;
    double s = f / (2.0 + f), half_square = 0.5 * f * f;
    double tail = s * (half_square + log_tail(s * s)) + k * ZC_LN2_LOW;
    return log_edges(x, k * ZC_LN2_HIGH - ((half_square - tail) - f));
}

static inline float log_float32(float x)
{
    double k;
    double f = split_exponent((double)x, &k); /* a subnormal float is a normal double */
    double s = f / (2.0 + f);
    return (float)log_edges((double)x, k * (ZC_LN2_HIGH + ZC_LN2_LOW) + s * (2.0 + log_tail_short(s * s)));
}

/* tanh |x| = t / (t + 2) with t = e^(2|x|) - 1 = 2^n (e^r - 1) + (2^n - 1). Beyond 22 the quotient rounds to 1. */
static inline double tanh_from(double expm1_r, int64_t n)
{
    double scale = exp2_integer(n);
    double t = scale * expm1_r + (scale - 1.0);
    return t / (t + 2.0);
}

static inline double copy_sign(double magnitude, double sign)
{
    return double_of(bits_of(magnitude) | (bits_of(sign) & UINT64_C(0x8000000000000000)));
}

static inline double absolute(double x)
{
    return double_of(bits_of(x) & UINT64_C(0x7fffffffffffffff));
}

static inline double tanh_float64(double x)
{
    int64_t n;
    double r = reduce_exponent(2.0 * clamp_double(absolute(x), 0.0, 22.0), &n);
    return copy_sign(tanh_from(r + r * r * exp_tail(r), n), x);
}

static inline float tanh_float32(float x)
{
    int64_t n;
    double r = reduce_exponent(2.0 * clamp_double(absolute((double)x), 0.0, 22.0), &n);
    return (float)copy_sign(tanh_from(r + r * r * exp_tail_short(r), n), (double)x);
}

#endif
