/*
 * sin, cos and tan. Sources: Cody and Waite's reduction by parts of pi/2 for |x| < 2^20, Payne and Hanek's by the bits
 * of 2/pi beyond; then polynomials on |r| <= pi/4.
 *
 * Each function comes twice: NAME_float64 for every x, and near_NAME_float64 for |x| < 2^20, infinities and NaN, which
 * is free of branches.
 */
#ifndef ZC_MATH_DOUBLE_TRIGONOMETRIC_H
#define ZC_MATH_DOUBLE_TRIGONOMETRIC_H

#include "math/double/base.h"
#include "math/double/polynomials.h"
#include "math/single/trigonometric.h"

/* x = quadrant * pi/2 + r, |r| <= pi/4. Of the quadrant only the last two bits count. */
typedef struct angle {
    pair r;
    uint64_t quadrant;
} angle;

static inline int is_far_float64(double x)
{
    double size = absolute(x);
    return (size >= 0x1p20) & (size < (double)INFINITY);
}

/* The first difference is exact, and what the second one loses is known: the first is a multiple of the second's unit.
 */
static inline angle reduce_near(double x)
{
    double shifted = fma_float64(x, ZC_2_OVER_PI, ZC_ROUNDER), n = shifted - ZC_ROUNDER;
    double first = fma_float64(n, -ZC_HALF_PI_1, x), second = n * ZC_HALF_PI_2, r = first - second;
    double lost = fma_float64(n, ZC_HALF_PI_3, fma_float64(n, ZC_HALF_PI_2, -second));
    return (angle){{r, ((first - r) - second) - lost}, bits_of(shifted)};
}

/* ---- Payne and Hanek's reduction ---- */

/* |x| = m 2^e with a whole m of 53 bits. In m 2^e 2/pi, bits of 2/pi that would be worth 4 quadrants or more only add
 * whole turns, so m is multiplied by a window that begins below them: 224 bits, of whose product as many are kept. Two
 * of them are the quadrant, and of the 222 behind the point all but the last 53 are exact. */
enum { ZC_WINDOW_DIGITS = 7 };

/* The 32 bits of 2/pi from number `at` on; number 0 is worth 1/2, and those before it are 0. at >= -64. */
static inline uint32_t digit_of_2_over_pi(int at)
{
    int word = (at + 64) / 32 - 2, shift = (at + 64) % 32;
    uint64_t high = word >= 0 ? two_over_pi_bits[word] : 0, low = word >= -1 ? two_over_pi_bits[word + 1] : 0;
    return (uint32_t)((high << 32 | low) >> (32 - shift));
}

/* The digits of m times the window that begins with bit `first`, from the highest, modulo what they can hold. */
static inline void multiply_by_window(uint64_t m, int first, uint32_t product[ZC_WINDOW_DIGITS])
{
    const uint64_t digits_of_m[2] = {m & UINT32_MAX, m >> 32};
    for (int i = 0; i < ZC_WINDOW_DIGITS; i++)
        product[i] = 0;
    for (int k = 0; k < 2; k++) {
        uint64_t carry = 0;
        for (int i = ZC_WINDOW_DIGITS - 1; i >= k; i--) {
            carry += digits_of_m[k] * digit_of_2_over_pi(first + 32 * i) + product[i - k];
            product[i - k] = (uint32_t)carry;
            carry >>= 32;
        }
    }
}

/* 64 bits from bit 2 of product[i] on: what stands behind the two bits of the quadrant, for i = 0. */
static inline uint64_t bits_behind_quadrant(const uint32_t *product, int i)
{
    return (uint64_t)product[i] << 34 | (uint64_t)product[i + 1] << 2 | product[i + 2] >> 30;
}

static __attribute__((noinline, unused)) angle reduce_far(double x)
{
    uint32_t product[ZC_WINDOW_DIGITS];
    uint64_t bits = bits_of(absolute(x)), mantissa_bits = UINT64_C(0x000fffffffffffff);
    int e = (int)(bits >> 52) - (1023 + 52);
    multiply_by_window((bits & mantissa_bits) | (mantissa_bits + 1), e - 2, product);
    uint64_t quadrant = (product[0] >> 30) + (product[0] >> 29 & 1); /* the nearest one */
    uint64_t high = bits_behind_quadrant(product, 0), middle = bits_behind_quadrant(product, 2);
    uint64_t low = bits_behind_quadrant(product, 4);
    int is_below = (int)(high >> 63); /* the nearest: then 1 less the fraction counts, downwards */
    if (is_below)
        high = ~high, middle = ~middle, low = ~low;
    pair fraction = two_sum((double)(high >> 11) * 0x1p-53, (double)((high & 0x7ff) << 42 | middle >> 22) * 0x1p-106);
    double rest = (double)((middle & 0x3fffff) << 31 | low >> 33) * 0x1p-159;
    const pair half_pi = {2 * ZC_QUARTER_PI, 2 * ZC_QUARTER_PI_REST};
    pair r = multiply_pairs(fast_two_sum(fraction.high, fraction.low + rest), half_pi);
    int is_negative = is_below != (x < 0);
    return (angle){{is_negative ? -r.high : r.high, is_negative ? -r.low : r.low}, x < 0 ? 0 - quadrant : quadrant};
}

/* ---- From the reduced angle ---- */

/* Leading parts and what is to be added to them. */
static inline pair sin_reduced(pair r)
{
    double z = r.high * r.high;
    return (pair){r.high, fma_float64(r.high * z, sin_rest(z), r.low * fma_float64(-0.5, z, 1.0))};
}

static inline pair cos_reduced(pair r)
{
    pair z = two_product(r.high, r.high), sum = fast_two_sum(1.0, -0.5 * z.high);
    double lost = fma_float64(r.high, r.low, 0.5 * z.low);
    return (pair){sum.high, sum.low + fma_float64(z.high * z.high, cos_rest(z.high), -lost)};
}

static inline double sin_of_angle(angle a, uint64_t quadrant)
{
    pair s = sin_reduced(a.r), c = cos_reduced(a.r), y = select_pair((quadrant & 1) != 0, c, s);
    double value = y.high + y.low;
    return (quadrant & 2) != 0 ? -value : value;
}

static inline double tan_of_angle(angle a)
{
    pair s = sin_reduced(a.r), c = cos_reduced(a.r);
    s = fast_two_sum(s.high, s.low);
    c = fast_two_sum(c.high, c.low);
    int is_odd = (a.quadrant & 1) != 0;
    pair y = divide_pairs(select_pair(is_odd, c, s), select_pair(is_odd, s, c));
    return is_odd ? -y.high : y.high;
}

/* For tiny x the function is x; 0 keeps its sign. */
#define ZC_SMALL_ANGLE 0x1p-28

static inline double near_sin_float64(double x)
{
    angle a = reduce_near(x);
    return absolute(x) < ZC_SMALL_ANGLE ? x : sin_of_angle(a, a.quadrant);
}

static inline double near_cos_float64(double x)
{
    angle a = reduce_near(x);
    return sin_of_angle(a, a.quadrant + 1);
}

static inline double near_tan_float64(double x)
{
    return absolute(x) < ZC_SMALL_ANGLE ? x : tan_of_angle(reduce_near(x));
}

static inline double sin_float64(double x)
{
    if (!is_far_float64(x))
        return near_sin_float64(x);
    angle a = reduce_far(x);
    return sin_of_angle(a, a.quadrant);
}

static inline double cos_float64(double x)
{
    if (!is_far_float64(x))
        return near_cos_float64(x);
    angle a = reduce_far(x);
    return sin_of_angle(a, a.quadrant + 1);
}

static inline double tan_float64(double x)
{
    return is_far_float64(x) ? tan_of_angle(reduce_far(x)) : near_tan_float64(x);
}

/* ---- float32: in double, rounded once ---- */

static inline int is_far_float32(float x)
{
    float size = absolute_single(x);
    return (size >= 0x1p16f) & (size < INFINITY);
}

static inline double reduce_near_short(double x, uint64_t *quadrant)
{
    double shifted = fma_float64(x, ZC_2_OVER_PI, ZC_ROUNDER), n = shifted - ZC_ROUNDER;
    *quadrant = bits_of(shifted);
    return fma_float64(n, -ZC_HALF_PI_2, fma_float64(n, -ZC_HALF_PI_1, x));
}

static inline double sin_short(double r)
{
    double z = r * r;
    return fma_float64(r * z, sin_rest_short(z), r);
}

static inline double cos_short(double r)
{
    double z = r * r;
    return fma_float64(z * z, cos_rest_short(z), fma_float64(-0.5, z, 1.0));
}

/* sin and cos in float32 (math/single/trigonometric.h). */
static inline float near_sin_float32(float x)
{
    float y = sin_of_angle_single(reduce_near_single(x), 0);
    return x == 0 ? x : y;
}

static inline float near_cos_float32(float x)
{
    return sin_of_angle_single(reduce_near_single(x), 1);
}

static inline float near_tan_float32(float x)
{
    uint64_t quadrant;
    double r = reduce_near_short((double)x, &quadrant), s = sin_short(r), c = cos_short(r);
    int is_odd = (quadrant & 1) != 0;
    double y = (is_odd ? -c : s) / (is_odd ? s : c);
    return x == 0 ? x : (float)y;
}

static inline float sin_float32(float x)
{
    return is_far_float32(x) ? (float)sin_float64((double)x) : near_sin_float32(x);
}

static inline float cos_float32(float x)
{
    return is_far_float32(x) ? (float)cos_float64((double)x) : near_cos_float32(x);
}

static inline float tan_float32(float x)
{
    return is_far_float64((double)x) ? (float)tan_float64((double)x) : near_tan_float32(x);
}

#endif
