/*
 * Powers and roots. Sources: x^y = e^(y log x) with the logarithm to 2^-66, as a pair; Halley's iteration for cube
 * roots; one step with the exact remainder for the others.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTARY_POWER_H
#define ZC_RUNTIME_OPS_ELEMENTARY_POWER_H

#include "runtime/ops/elementary_exp.h"
#include "runtime/ops/elementary_log.h"

/* ---- x^y ---- */

/* log x for a positive x to 2^-66: 2s (1 + s^2/3 + ...), where the term of s^2 is a pair, too. */
static inline pair log_pair_long(double x)
{
    double k, f = split_exponent(x, &k) - 1.0;
    pair s = divide_pairs((pair){f + f, 0.0}, two_sum(2.0, f)); /* 2s from here on */
    pair z = two_product(0.5 * s.high, 0.5 * s.high);
    z.low += 0.5 * s.high * s.low;
    pair factor = two_product(z.high, ZC_THIRD);
    factor.low += z.high * ZC_THIRD_REST + z.low * ZC_THIRD + 0.5 * z.high * z.high * log_rest_long(z.high);
    pair rest = two_product(s.high, factor.high);
    rest.low += s.high * factor.low + s.low * factor.high;
    pair first = two_sum(k * ZC_LN2_HIGH, s.high), second = two_sum(first.high, rest.high);
    return fast_two_sum(second.high, first.low + second.low + (rest.low + s.low + k * ZC_LN2_LOW));
}

/* What the standard says where x is 0, infinite, negative or 1, or y is 0; else `power`, which is |x|^y. */
static inline double pow_edges(double x, double y, double power)
{
    double size = absolute(x), size_y = absolute(y), half = 0.5 * size_y;
    /* Adding 2^52 rounds to whole numbers; from 2^52 on all are whole, from 2^53 on even. */
    int is_whole = (size_y >= 0x1p52) | ((size_y + 0x1p52) - 0x1p52 == size_y);
    int is_odd = (size_y < 0x1p53) & is_whole & ((half + 0x1p52) - 0x1p52 != half);
    double extreme = (size == 0) == (y > 0) ? 0.0 : (double)INFINITY;
    power = ((size == 0) | (size == (double)INFINITY)) ? extreme : power;
    power = ((x < 0) & (size < (double)INFINITY) & !is_whole) ? (double)NAN : power;
    power = copy_sign(power, is_odd ? x : 1.0);
    power = ((x != x) | (y != y)) ? x + y : power;
    return ((x == 1) | (y == 0)) ? 1.0 : power;
}

/* |y log x| is far beyond the ends of the doubles when |y| is 2^70 and x is not 1. */
static inline double pow_float64(double x, double y)
{
    double n, multiplier = clamp_double(y, -0x1p70, 0x1p70);
    pair log_x = log_pair_long(absolute(x)), product = two_product(multiplier, log_x.high);
    pair exponent = fast_two_sum(product.high, product.low + multiplier * log_x.low);
    double clamped = clamp_double(exponent.high, -760.0, 720.0);
    exponent = (pair){clamped, clamped == exponent.high ? exponent.low : 0.0};
    pair power = exp_pair(exponent, &n);
    return pow_edges(x, y, scale(power.high, integer_of(n)));
}

/* ---- Roots ---- */

/* x = 8^q m with m between 1/3 and 3: t near the cube root of m, t (t^3 + 2m) / (2t^3 + m), and one step of Newton's
 * with the exact remainder. */
static inline double cbrt_float64(double x)
{
    double size = absolute(x), k, m = split_exponent(size, &k), q = round_double(k * (1.0 / 3)), rest = k - 3.0 * q;
    double t = cbrt_start(m) * (rest == 0 ? 1.0 : rest > 0 ? ZC_CBRT_2 : ZC_CBRT_HALF);
    m = m * (rest == 0 ? 1.0 : rest > 0 ? 2.0 : 0.5);
    double cube = t * t * t;
    t = t * ((cube + 2.0 * m) / (2.0 * cube + m));
    pair square = two_product(t, t), exact = two_product(square.high, t);
    t = t + ((m - exact.high) - (exact.low + square.low * t)) / (3.0 * square.high);
    double y = copy_sign(t * exp2_integer(integer_of(q)), x);
    return ((x == 0) | !(size < (double)INFINITY)) ? x : y;
}

/* 1 / sqrt(x): y (1 + (1 - x y^2) / 2). Scaled by a power of 4 where products would leave the range. */
static inline double rsqrt_float64(double x)
{
    int is_small = x<0x1p-500, is_large = x> 0x1p500;
    double scaled = x * (is_small ? 0x1p600 : is_large ? 0x1p-600 : 1.0);
    double y = 1.0 / sqrt(scaled);
    pair product = two_product(scaled, y), one = two_product(product.high, y);
    double rest = (1.0 - one.high) - (one.low + product.low * y);
    y = (y + 0.5 * y * rest) * (is_small ? 0x1p300 : is_large ? 0x1p-300 : 1.0);
    y = x == (double)INFINITY ? 0.0 : y;
    return x == 0 ? copy_sign((double)INFINITY, x) : y;
}

static inline double hypot_float64(double x, double y)
{
    double a = absolute(x), b = absolute(y), large = a > b ? a : b, small = a > b ? b : a;
    double up = large < 0x1p-450 ? 0x1p600 : large > 0x1p450 ? 0x1p-600 : 1.0;
    double down = large < 0x1p-450 ? 0x1p-600 : large > 0x1p450 ? 0x1p600 : 1.0;
    pair square = two_product(large * up, large * up), other = two_product(small * up, small * up);
    pair root = sqrt_pair(add_pairs(square, other));
    double size = (root.high + root.low) * down;
    size = ((x != x) | (y != y)) ? x + y : size;
    return ((a == (double)INFINITY) | (b == (double)INFINITY)) ? (double)INFINITY : size;
}

/* ---- float32: in double, rounded once ---- */

/* The logarithm to double's precision: its error counts up to 128 times. */
static inline float pow_float32(float x, float y)
{
    double k, n, f = split_exponent(absolute((double)x), &k) - 1.0, s = f / (2.0 + f), z = s * s;
    double log_x = k * ZC_LN2 + s * (2.0 + z * log_rest(z));
    double exponent = clamp_double((double)y, -0x1p60, 0x1p60) * log_x;
    double r = reduce_exponent_short(clamp_double(exponent, -160.0, 130.0), &n);
    double power = (1.0 + expm1_reduced_short(r)) * exp2_integer(integer_of(n));
    return (float)pow_edges((double)x, (double)y, power);
}

static inline float cbrt_float32(float x)
{
    double size = absolute((double)x), k, m = split_exponent(size, &k), q = round_double(k * (1.0 / 3)),
           rest = k - 3.0 * q;
    double t = cbrt_start(m) * (rest == 0 ? 1.0 : rest > 0 ? ZC_CBRT_2 : ZC_CBRT_HALF);
    m = m * (rest == 0 ? 1.0 : rest > 0 ? 2.0 : 0.5);
    double cube = t * t * t, y = t * ((cube + 2.0 * m) / (2.0 * cube + m)) * exp2_integer(integer_of(q));
    return ((x == 0) | !(size < (double)INFINITY)) ? x : (float)copy_sign(y, (double)x);
}

static inline float rsqrt_float32(float x)
{
    return (float)(1.0 / sqrt((double)x));
}

static inline float hypot_float32(float x, float y)
{
    double a = absolute((double)x), b = absolute((double)y), size = sqrt(a * a + b * b);
    return ((a == (double)INFINITY) | (b == (double)INFINITY)) ? (float)INFINITY : (float)size;
}

#endif
