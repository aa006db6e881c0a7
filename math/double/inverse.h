/*
 * asin, acos, atan and atan2. Sources: asin x = pi/2 - 2 asin(sqrt((1-x)/2)) beyond 1/2; atan(a/b) = pi/4 +
 * atan((a-b)/(a+b)) beyond pi/8; polynomials on what is left. Roots and quotients are pairs.
 */
#ifndef ZC_MATH_DOUBLE_INVERSE_H
#define ZC_MATH_DOUBLE_INVERSE_H

#include "math/double/base.h"
#include "math/double/polynomials.h"

/* ---- asin and acos ---- */

/* |x| where that is at most 1/2, else sqrt((1-|x|)/2), and its arc sine less itself. NaN where |x| > 1. */
static inline pair arc_of(double size, int is_large, double *rest)
{
    double z = is_large ? 0.5 * (1.0 - size) : size * size;
    pair t = select_pair(is_large, sqrt_pair((pair){z, 0.0}), (pair){size, 0.0});
    *rest = fma_float64(t.high * z, asin_rest(z), t.low);
    return t;
}

/* turns * pi/4 + times * (high + low), each part of the first product exact. */
static inline double from_quarters(double turns, double times, double high, double low)
{
    pair sum = two_sum(turns * ZC_QUARTER_PI, times * high);
    return sum.high + (sum.low + fma_float64(turns, ZC_QUARTER_PI_REST, times * low));
}

static inline double asin_float64(double x)
{
    double size = absolute(x), rest;
    int is_large = size > 0.5;
    pair t = arc_of(size, is_large, &rest);
    double y = is_large ? from_quarters(2.0, -2.0, t.high, rest) : t.high + rest;
    return copy_sign(y, x);
}

static inline double acos_float64(double x)
{
    double size = absolute(x), rest;
    int is_large = size > 0.5, is_negative = x < 0;
    pair t = arc_of(size, is_large, &rest);
    double turns = is_large ? (is_negative ? 4.0 : 0.0) : 2.0;
    double times = is_large ? (is_negative ? -2.0 : 2.0) : is_negative ? 1.0 : -1.0;
    return from_quarters(turns, times, t.high, rest);
}

/* ---- atan and atan2 ---- */

/* turns * pi/4 + sign * atan(a/b) with 0 <= a <= b, b between 2^-60 and 2^60. */
static inline double atan_of_quotient(double a, double b, double turns, double sign)
{
    int is_middle = a > ZC_TAN_PI_8 * b;
    pair difference = two_sum(a, -b), sum = two_sum(a, b);
    pair u =
        divide_pairs(select_pair(is_middle, difference, (pair){a, 0.0}), select_pair(is_middle, sum, (pair){b, 0.0}));
    double z = u.high * u.high, rest = fma_float64(u.high * z, atan_rest(z), u.low);
    return from_quarters(is_middle ? turns + sign : turns, sign, u.high, rest);
}

/* Beyond 2^60 the result is pi/2. */
static inline double atan_float64(double x)
{
    double size = absolute(x), clamped = clamp_double(size, 0.0, 0x1p60);
    int is_steep = size > 1;
    double y = atan_of_quotient(is_steep ? 1.0 : clamped, is_steep ? clamped : 1.0, is_steep ? 2.0 : 0.0,
                                is_steep ? -1.0 : 1.0);
    return size < 0x1p-28 ? x : copy_sign(y, x);
}

/* The angle of (x, |y|) counts from 0, pi/2 or pi, in quarters of pi: up from 0, and left of pi/2. `side` is 1 or -1,
 * the sign of x. */
static inline double quarters_of(int is_steep, double side)
{
    return choose(is_steep, 2.0, 2.0 - 2.0 * side);
}

/* The finite point in whose direction an infinite one lies; others as they are. */
static inline double finite_size(double size, double other)
{
    double unit = choose(size == (double)INFINITY, 1.0, 0.0);
    return choose((size == (double)INFINITY) | (other == (double)INFINITY), unit, size);
}

/* Both sizes are scaled so that the larger one is near 1. Where the quotient is tiny and counts from 0, it is the
 * result; also where it is subnormal. */
static inline double atan2_float64(double y, double x)
{
    double size_x = finite_size(absolute(x), absolute(y)), size_y = finite_size(absolute(y), absolute(x));
    int is_steep = size_y > size_x;
    double a = choose(is_steep, size_x, size_y), b = choose(is_steep, size_y, size_x);
    b = choose(b == 0, 1.0, b);
    double factor = double_of((UINT64_C(2046) - (bits_of(choose(b > 0x1p1022, 0x1p1022, b)) >> 52)) << 52);
    double side = copy_sign(1.0, x), turns = quarters_of(is_steep, side), quotient = a / b;
    double value = atan_of_quotient(a * factor, b * factor, turns, choose(is_steep, -side, side));
    value = ((turns == 0) & (quotient < 0x1p-28)) ? quotient : value;
    return ((x != x) | (y != y)) ? x + y : copy_sign(value, y);
}

/* ---- float32: in double, rounded once ---- */

static inline double arc_of_short(double size, int is_large)
{
    double z = is_large ? 0.5 * (1.0 - size) : size * size, t = is_large ? sqrt(z) : size;
    return fma_float64(t * z, asin_rest_short(z), t);
}

static inline float asin_float32(float x)
{
    double size = absolute((double)x);
    int is_large = size > 0.5;
    double y = arc_of_short(size, is_large);
    return (float)copy_sign(is_large ? 2.0 * ZC_QUARTER_PI - 2.0 * y : y, (double)x);
}

static inline float acos_float32(float x)
{
    double size = absolute((double)x);
    int is_large = size > 0.5;
    double y = arc_of_short(size, is_large), signed_y = x < 0 ? -y : y;
    double large = (x < 0 ? 4.0 * ZC_QUARTER_PI : 0.0) + 2.0 * signed_y;
    return (float)(is_large ? large : 2.0 * ZC_QUARTER_PI - signed_y);
}

static inline double atan_of_quotient_short(double a, double b, double turns, double sign)
{
    int is_middle = a > ZC_TAN_PI_8 * b;
    double u = (is_middle ? a - b : a) / (is_middle ? a + b : b), z = u * u;
    return fma_float64(is_middle ? turns + sign : turns, ZC_QUARTER_PI,
                       sign * fma_float64(u * z, atan_rest_short(z), u));
}

static inline float atan2_float32(float y, float x)
{
    double size_x = finite_size(absolute((double)x), absolute((double)y));
    double size_y = finite_size(absolute((double)y), absolute((double)x));
    int is_steep = size_y > size_x;
    double a = choose(is_steep, size_x, size_y), b = choose(is_steep, size_y, size_x);
    b = choose(b == 0, 1.0, b);
    double side = copy_sign(1.0, (double)x);
    double value = atan_of_quotient_short(a, b, quarters_of(is_steep, side), choose(is_steep, -side, side));
    return ((x != x) | (y != y)) ? x + y : (float)copy_sign(value, (double)y);
}

#endif
