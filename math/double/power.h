/*
 * Powers and roots. Sources: x^y = e^(y log x) with the logarithm to 2^-66, as a pair; Halley's iteration for cube
 * roots; one step with the exact remainder for the others.
 */
#ifndef ZC_MATH_DOUBLE_POWER_H
#define ZC_MATH_DOUBLE_POWER_H

#include "math/double/exp.h"
#include "math/double/log.h"

/* ---- x^y ---- */

/* 2s, where (1 + s) / (1 - s) = 1 + f */
static inline pair twice_long_quotient(double f)
{
    return divide_pairs((pair){f + f, 0.0}, two_sum(2.0, f));
}

/* k ln 2 + log((1 + s) / (1 - s)) to 2^-66: 2s (1 + s^2/3 + s^4/5 + ...), where the terms up to s^4 are pairs, too. */
static inline pair log_of_long_quotient(double k, pair twice)
{
    pair z = two_product(0.5 * twice.high, 0.5 * twice.high);
    z.low = fma_float64(0.5 * twice.high, twice.low, z.low);
    pair third = two_product(z.high, ZC_THIRD), square = two_product(z.high, z.high);
    third.low = fma_float64(z.high, ZC_THIRD_REST, fma_float64(z.low, ZC_THIRD, third.low));
    pair fifth = two_product(square.high, ZC_FIFTH), factor = fast_two_sum(third.high, fifth.high);
    double series = 0.5 * z.high * square.high * log_rest_long(z.high);
    factor.low += third.low + (fma_float64(square.low + 2.0 * z.high * z.low, ZC_FIFTH,
                                           fma_float64(square.high, ZC_FIFTH_REST, fifth.low)) +
                               series);
    pair rest = two_product(twice.high, factor.high);
    rest.low = fma_float64(twice.low, factor.high, fma_float64(twice.high, factor.low, rest.low));
    double first = fma_float64(k, ZC_LN2, twice.high), lost = fma_float64(k, ZC_LN2, -first) + twice.high;
    pair second = two_sum(first, rest.high);
    return fast_two_sum(second.high, lost + second.low + fma_float64(k, ZC_LN2_REST, rest.low + twice.low));
}

/* Power by the standard where x is 0, infinite, negative or 1, or y is 0; else `power`, which is |x|^y. */
static inline double pow_edges(double x, double y, double power)
{
    double size = absolute(x), size_y = absolute(y), half = 0.5 * size_y;
    /* Adding 2^52 rounds to whole numbers; from 2^52 on all are whole, from 2^53 on even. */
    int is_whole = (size_y >= 0x1p52) | ((size_y + 0x1p52) - 0x1p52 == size_y);
    int is_odd = (size_y < 0x1p53) & is_whole & ((half + 0x1p52) - 0x1p52 != half);
    double extreme = choose((size == 0) == (y > 0), 0.0, (double)INFINITY);
    power = choose((size == 0) | (size == (double)INFINITY), extreme, power);
    power = choose((x < 0) & (size < (double)INFINITY) & !is_whole, (double)NAN, power);
    power = copy_sign(power, choose(is_odd, x, 1.0));
    power = choose((x != x) | (y != y), x + y, power);
    return choose((x == 1) | (y == 0), 1.0, power);
}

/* x^3, rounded once but for little. */
static inline double cube_float64(double x)
{
    double square = x * x, lost = fma_float64(x, x, -square), y = square * x;
    return choose(absolute(y) < (double)INFINITY, fma_float64(square, x, lost * x), y);
}

/* x^(1/2), which is +0 and infinity where the root is -0 and not defined. */
static inline double half_power_float64(double x)
{
    return choose(x == -(double)INFINITY, (double)INFINITY, sqrt(x + 0.0));
}

/* Exponents that mean an operation: x^2, x^3, 1/x, and the root. */
static inline double pow_by_meaning(double x, double y, double power)
{
    power = choose(y == 2, x * x, power);
    power = choose(y == 3, cube_float64(x), power);
    power = choose(y == 0.5, half_power_float64(x), power);
    return choose(y == -1, 1.0 / x, power);
}

/* Tells whether no such case applies: x is positive and normal, and y a number that means no operation. */
static inline int is_near_power_float64(double x, double y)
{
    return (x >= 0x1p-1022) & (x < (double)INFINITY) & (absolute(y) < 0x1p70) & (y != 2) & (y != 3) & (y != 0.5) &
           (y != -1);
}

/* |y log x| is far beyond the ends of the doubles when |y| is 2^70 and x is not 1. */
static inline double power_of_log(pair log_x, double multiplier)
{
    double product = multiplier * log_x.high, low = fma_float64(multiplier, log_x.high, -product);
    low = fma_float64(multiplier, log_x.low, low);
    double exponent = clamp_double(product, -760.0, 720.0);
    double sum = fma_float64(exponent, ZC_LOG2_E, ZC_ROUNDER), n = sum - ZC_ROUNDER;
    double r = fma_float64(n, -ZC_LN2, exponent) + fma_float64(n, -ZC_LN2_REST, exponent == product ? low : 0.0);
    return scale(exp_reduced_brief(r), integer_of_sum(sum));
}

static inline double pow_float64(double x, double y)
{
    double k, f = split_exponent(absolute(x), &k) - 1.0;
    double power = power_of_log(log_of_long_quotient(k, twice_long_quotient(f)), clamp_double(y, -0x1p70, 0x1p70));
    return pow_by_meaning(x, y, pow_edges(x, y, power));
}

/* ---- Roots ---- */

/* x = 8^q m with m between 1/3 and 3: t near the cube root of m, t (t^3 + 2m) / (2t^3 + m), and one step of Newton's
 * with the exact remainder. */
static inline double cbrt_float64(double x)
{
    double size = absolute(x), k, m = split_exponent(size, &k), q = round_double(k * (1.0 / 3)), rest = k - 3.0 * q;
    double t = cbrt_start(m) * (rest == 0 ? 1.0 : rest > 0 ? ZC_CBRT_2 : ZC_CBRT_HALF);
    m = m * (rest == 0 ? 1.0 : rest > 0 ? 2.0 : 0.5);
    double cubed = t * t * t;
    t = t * (fma_float64(2.0, m, cubed) / fma_float64(2.0, cubed, m));
    pair square = two_product(t, t), exact = two_product(square.high, t);
    t = t + ((m - exact.high) - fma_float64(square.low, t, exact.low)) / (3.0 * square.high);
    double y = copy_sign(t * exp2_integer(integer_of(q)), x);
    return ((x == 0) | !(size < (double)INFINITY)) ? x : y;
}

/* 1 / sqrt(x): y (1 + (1 - x y^2) / 2). Scaled by a power of 4 where products would leave the range. */
static inline double rsqrt_float64(double x)
{
    int is_small = x<0x1p-500, is_large = x> 0x1p500;
    double scaled = x * (is_small ? 0x1p600 : is_large ? 0x1p-600 : 1.0);
    double y = 1.0 / sqrt(scaled);
    pair product = two_product(scaled, y);
    double rest = fma_float64(-product.low, y, fma_float64(-product.high, y, 1.0));
    y = fma_float64(0.5 * y, rest, y) * (is_small ? 0x1p300 : is_large ? 0x1p-300 : 1.0);
    y = x == (double)INFINITY ? 0.0 : y;
    return x == 0 ? copy_sign((double)INFINITY, x) : y;
}

/* 1 / x within 1/300 of it, for a normal x whose inverse is normal: its bits less those of x, and a step of Newton's.
 * Of 0 it is any number. */
static inline double rough_inverse(double x)
{
    double start = double_of(UINT64_C(0x7fde623822fc16e6) - bits_of(x));
    return start * fma_float64(-x, start, 2.0);
}

/* The root of a sum of squares, and what it and the sum lose: a unit or two, for which no division is needed. A
 * subnormal result is rounded once, too: its unit is that of a sum with 2^-422, as long as it is scaled. */
static inline double hypot_float64(double x, double y)
{
    double a = absolute(x), b = absolute(y), large = a > b ? a : b, small = a > b ? b : a;
    double up = large < 0x1p-450 ? 0x1p600 : large > 0x1p450 ? 0x1p-600 : 1.0;
    double down = large < 0x1p-450 ? 0x1p-600 : large > 0x1p450 ? 0x1p600 : 1.0;
    pair square = two_product(large * up, large * up), other = two_product(small * up, small * up);
    pair sum = fast_two_sum(square.high, other.high);
    double root = sqrt(sum.high);
    double rest = fma_float64(-root, root, sum.high) + (sum.low + (square.low + other.low));
    double rounder = ((large < 0x1p-450) & (root < 0x1p-422)) ? 0x1p-422 : 0.0, whole = root + rounder;
    double lost = fma_float64(rest, rough_inverse(root + root), root - (whole - rounder));
    double size = ((whole + lost) - rounder) * down;
    return ((a == (double)INFINITY) | (b == (double)INFINITY)) ? (double)INFINITY : size;
}

/* ---- float32: in double, rounded once ---- */

/* y log2 x, where x = 2^k (1 + f); the logarithm's error counts up to 150 times. */
static inline double exponent_short(double k, double f, double y)
{
    return clamp_double(y * fma_float64(f, log2_slope_short(f), k), -160.0, 130.0);
}

/* 2^exponent */
static inline double power_short(double exponent)
{
    double sum = exponent + ZC_ROUNDER, r = exponent - (sum - ZC_ROUNDER);
    return times_power_of_sum(exp2_short(r), sum);
}

static inline float pow_float32(float x, float y)
{
    double k, f = split_exponent(absolute((double)x), &k) - 1.0;
    double power = power_short(exponent_short(k, f, clamp_double((double)y, -0x1p60, 0x1p60)));
    return (float)pow_by_meaning((double)x, (double)y, pow_edges((double)x, (double)y, power));
}

static inline int is_near_power_float32(float x, float y)
{
    return (x > 0) & (x < INFINITY) & (absolute((double)y) < 0x1p60) & (y != 2) & (y != 3) & (y != 0.5f) & (y != -1);
}

static inline float cube_float32(float x)
{
    return (float)cube_float64((double)x);
}

static inline float half_power_float32(float x)
{
    return x == -INFINITY ? INFINITY : sqrtf(x + 0.0F); /* which is the root in double, rounded */
}

static inline float rsqrt_float32(float x)
{
    return (float)(1.0 / sqrt((double)x));
}

static inline float hypot_float32(float x, float y)
{
    double a = absolute((double)x), b = absolute((double)y), size = sqrt(fma_float64(a, a, b * b));
    return ((a == (double)INFINITY) | (b == (double)INFINITY)) ? (float)INFINITY : (float)size;
}

#endif
