/*
 * Products and quotients of complex numbers, and the elementary functions, made of the real ones: so they have the same
 * bits from every instruction set, too. But for products they branch, and are no vector code.
 *
 * Results of the functions have a small error as points of the plane: it is measured by their size, not part by part.
 * Infinities, NaN and the signs of zeros are those of C's Annex G, which the array API standard repeats. complex64 is
 * computed in complex128 and each part rounded once.
 *
 * Sources: W. Kahan, "Branch cuts for complex elementary functions, or: much ado about nothing's sign bit" (1987); C17,
 * Annex G.
 */
#ifndef ZC_MATH_COMPLEX_COMPLEX_H
#define ZC_MATH_COMPLEX_COMPLEX_H

#include "math/elementary.h"

/* A function that is not copied into its callers. */
#define ZC_COMPLEX_FN static __attribute__((noinline)) double _Complex

#define ZC_PI_4         0x1.921fb54442d18p-1
#define ZC_PI_2         0x1.921fb54442d18p+0
#define ZC_IS_FINITE(x) (absolute(x) < (double)INFINITY)
#define ZC_IS_FAR(x)    (absolute(x) == (double)INFINITY)

static inline double _Complex point(double x, double y)
{
    return __builtin_complex(x, y);
}

/* i z and -i z. */
static inline double _Complex turn_left(double _Complex z)
{
    return point(-__builtin_cimag(z), __builtin_creal(z));
}

static inline double _Complex turn_right(double _Complex z)
{
    return point(__builtin_cimag(z), -__builtin_creal(z));
}

/* The sign of `sign` on any number. A NaN's sign is nobody's business, so it counts as positive. */
static inline double with_sign(double x, double sign)
{
    return sign != sign ? absolute(x) : copy_sign(absolute(x), sign);
}

static inline double larger_size(double x, double y)
{
    double a = absolute(x), b = absolute(y);
    return a > b ? a : b;
}

/* ---- Products and quotients, which C leaves to the compiler ---- */

/* A product that is rounded. Without this gcc 12 makes a * b + c and d * e - f beside each other one instruction, which
 * rounds once, although contraction is off. */
#if __has_builtin(__builtin_assoc_barrier)
#define ZC_PRODUCT(a, b) __builtin_assoc_barrier((a) * (b))
#else
#define ZC_PRODUCT(a, b) ((a) * (b))
#endif

#define ZC_FIELD(f)    f##_complex64
#define ZC_T           float _Complex
#define ZC_PART_T      float
#define ZC_M(function) function##f
#include "math/complex/field_tmpl.h"
#define ZC_FIELD(f)    f##_complex128
#define ZC_T           double _Complex
#define ZC_PART_T      double
#define ZC_M(function) function
#include "math/complex/field_tmpl.h"

/* ---- Exponentials ---- */

/* e^x / divisor in the direction (c, s), in two factors: what they give together may overflow where the parts do not.
 */
static inline double _Complex far_exponential(double x, double c, double s, double divisor)
{
    double half = exp_float64(0.5 * x), first = half / divisor;
    return point(first * c * half, first * s * half);
}

#define ZC_FAR_EXPONENT 700.0

ZC_COMPLEX_FN exp_complex128(double _Complex z)
{
    double x = __builtin_creal(z), y = __builtin_cimag(z);
    if (y == 0)
        return point(exp_float64(x), y);
    if (!ZC_IS_FINITE(y) && ZC_IS_FAR(x))
        return x < 0 ? point(0, with_sign(0, y)) : point(x, (double)NAN);
    if (!ZC_IS_FINITE(y))
        return point((double)NAN, (double)NAN);
    double c = cos_float64(y), s = sin_float64(y);
    if (absolute(x) > ZC_FAR_EXPONENT)
        return far_exponential(x, c, s, 1.0);
    double size = exp_float64(x);
    return point(size * c, size * s);
}

/* e^x cos y - 1 = (e^x - 1) cos y - 2 sin(y/2)^2 */
ZC_COMPLEX_FN expm1_complex128(double _Complex z)
{
    double x = __builtin_creal(z), y = __builtin_cimag(z);
    if (y == 0)
        return point(expm1_float64(x), y);
    if (!ZC_IS_FINITE(y) || !(absolute(x) < ZC_FAR_EXPONENT)) {
        double _Complex power = exp_complex128(z);
        return point(__builtin_creal(power) - 1.0, __builtin_cimag(power));
    }
    double s = sin_float64(0.5 * y);
    return point(ZC_PRODUCT(expm1_float64(x), cos_float64(y)) - ZC_PRODUCT(2.0 * s, s),
                 exp_float64(x) * sin_float64(y));
}

ZC_COMPLEX_FN sinh_complex128(double _Complex z)
{
    double x = __builtin_creal(z), y = __builtin_cimag(z);
    if (y == 0)
        return point(sinh_float64(x), y);
    if (!ZC_IS_FINITE(y))
        return point(x == 0 || ZC_IS_FAR(x) ? x : (double)NAN, (double)NAN);
    double c = cos_float64(y), s = sin_float64(y);
    if (absolute(x) > ZC_FAR_EXPONENT)
        return far_exponential(absolute(x), with_sign(1.0, x) * c, s, 2.0);
    return point(sinh_float64(x) * c, cosh_float64(x) * s);
}

ZC_COMPLEX_FN cosh_complex128(double _Complex z)
{
    double x = __builtin_creal(z), y = __builtin_cimag(z), side = with_sign(1.0, x);
    if (y == 0)
        return point(cosh_float64(x), side * y);
    if (!ZC_IS_FINITE(y))
        return point(ZC_IS_FAR(x) ? absolute(x) : (double)NAN, x == 0 ? side * with_sign(0, y) : (double)NAN);
    double c = cos_float64(y), s = sin_float64(y);
    if (absolute(x) > ZC_FAR_EXPONENT)
        return far_exponential(absolute(x), c, side * s, 2.0);
    return point(cosh_float64(x) * c, sinh_float64(x) * s);
}

/* Kahan's, in the tangent of y. Beyond 22 the real part is 1. */
ZC_COMPLEX_FN tanh_complex128(double _Complex z)
{
    double x = __builtin_creal(z), y = __builtin_cimag(z);
    if (y == 0)
        return point(tanh_float64(x), y);
    if (!ZC_IS_FINITE(y))
        return point(ZC_IS_FAR(x) ? with_sign(1.0, x)
                     : x == 0     ? x
                                  : (double)NAN,
                     ZC_IS_FAR(x) ? with_sign(0.0, y) : (double)NAN);
    if (absolute(x) > 22.0)
        return point(with_sign(1.0, x), 4.0 * sin_float64(y) * cos_float64(y) * exp_float64(-2.0 * absolute(x)));
    double t = tan_float64(y), beta = 1.0 + ZC_PRODUCT(t, t), s = sinh_float64(x);
    double scale = 1.0 + ZC_PRODUCT(beta * s, s);
    return point(beta * cosh_float64(x) * s / scale, t / scale);
}

ZC_COMPLEX_FN sin_complex128(double _Complex z)
{
    return turn_right(sinh_complex128(turn_left(z)));
}

ZC_COMPLEX_FN cos_complex128(double _Complex z)
{
    return cosh_complex128(turn_left(z));
}

ZC_COMPLEX_FN tan_complex128(double _Complex z)
{
    return turn_right(tanh_complex128(turn_left(z)));
}

/* ---- Logarithms ---- */

/* x^2, exactly but where it counts for nothing. */
static inline pair squared(double x)
{
    return absolute(x) < 0x1p-450 ? (pair){x * x, 0.0} : two_product(x, x);
}

/* log(1 + f) / 2 */
static inline double half_log1p(pair f)
{
    return 0.5 * (absolute(f.high) < 0x1p-54 ? f.high : log1p_pair(f).high);
}

/* log|z|. Near 1 the squares are added as pairs, less 1: nothing is lost. */
static __attribute__((noinline)) double log_of_size(double x, double y)
{
    double largest = larger_size(x, y);
    if (x != x || y != y || largest == 0 || ZC_IS_FAR(largest))
        return log_float64(hypot_float64(x, y));
    if (largest > 0x1p450)
        return log_float64(hypot_float64(x * 0x1p-600, y * 0x1p-600)) + 600 * ZC_LN2;
    if (largest < 0x1p-450)
        return log_float64(hypot_float64(x * 0x1p600, y * 0x1p600)) - 600 * ZC_LN2;
    pair sum = add_pairs(squared(x), squared(y));
    if (sum.high > 0.5 && sum.high < 3.0)
        return half_log1p(add_pairs(sum, (pair){-1.0, 0.0}));
    return 0.5 * log_float64(sum.high);
}

ZC_COMPLEX_FN log_complex128(double _Complex z)
{
    double x = __builtin_creal(z), y = __builtin_cimag(z);
    return point(log_of_size(x, y), atan2_float64(y, x));
}

ZC_COMPLEX_FN log2_complex128(double _Complex z)
{
    double _Complex y = log_complex128(z);
    return point(__builtin_creal(y) * ZC_LOG2_E, __builtin_cimag(y) * ZC_LOG2_E);
}

ZC_COMPLEX_FN log10_complex128(double _Complex z)
{
    double _Complex y = log_complex128(z);
    return point(__builtin_creal(y) * ZC_LOG10_E, __builtin_cimag(y) * ZC_LOG10_E);
}

/* |1 + z|^2 = 1 + (2 x + x^2 + y^2); left of -1/2 and far away 1 + x is exact enough. */
ZC_COMPLEX_FN log1p_complex128(double _Complex z)
{
    double x = __builtin_creal(z), y = __builtin_cimag(z), more = 1.0 + x;
    bool is_near = x >= -0.5 && larger_size(x, y) < 0x1p20; /* a y that is NaN is its own size */
    pair excess = add_pairs(add_pairs((pair){2.0 * x, 0.0}, squared(is_near ? x : 0)), squared(is_near ? y : 0));
    return point(is_near ? half_log1p(excess) : log_of_size(more, y), atan2_float64(y, more));
}

/* ---- Powers ---- */

/* The root of the larger part is exact enough to divide the other by. */
ZC_COMPLEX_FN sqrt_complex128(double _Complex z)
{
    double x = __builtin_creal(z), y = __builtin_cimag(z), largest = larger_size(x, y);
    if (x == 0 && y == 0)
        return point(0, y);
    if (ZC_IS_FAR(y))
        return point((double)INFINITY, y);
    if (ZC_IS_FAR(x))
        return x > 0 ? point(x, y != y ? y : with_sign(0.0, y)) : point(y != y ? y : 0.0, with_sign(x, y));
    double up = largest > 0x1p1000 ? 0x1p-100 : largest < 0x1p-900 ? 0x1p200 : 1.0;
    double down = largest > 0x1p1000 ? 0x1p50 : largest < 0x1p-900 ? 0x1p-100 : 1.0;
    double root = sqrt(0.5 * (absolute(x * up) + hypot_float64(x * up, y * up)));
    double other = absolute(y * up) / (2.0 * root) * down;
    root *= down;
    return x < 0 ? point(other, with_sign(root, y)) : point(root, with_sign(other, y));
}

/* Squares and multiplies. */
static inline double _Complex whole_power(double _Complex x, int n)
{
    double _Complex result = 1;
    bool is_one = true;
    for (int left = n < 0 ? -n : n; left > 0; left >>= 1, x = times_complex128(x, x)) {
        if ((left & 1) == 0)
            continue;
        result = is_one ? x : times_complex128(result, x);
        is_one = false;
    }
    return n < 0 ? inverse_complex128(result) : result;
}

/* Small whole powers are products, as NumPy's; others are e^(y log x). Of 0 only those on the positive axis exist. */
ZC_COMPLEX_FN pow_complex128(double _Complex x, double _Complex y)
{
    double power = __builtin_creal(y);
    bool is_real = __builtin_cimag(y) == 0;
    if (is_real && power == 0)
        return 1;
    if (x == 0)
        return is_real && power > 0 ? 0 : point((double)NAN, (double)NAN);
    if (is_real && absolute(power) <= 100 && round_double(power) == power)
        return whole_power(x, (int)power);
    return exp_complex128(times_complex128(y, log_complex128(x)));
}

/* ---- Inverse functions: Kahan's, on the roots of 1 - z and 1 + z, whose imaginary parts have opposite signs ---- */

/* Beyond this, the root of z^2 - 1 is z. An infinite x beside a y that is NaN is not the larger size. */
#define ZC_FAR_POINT 0x1p400

ZC_COMPLEX_FN acos_complex128(double _Complex z)
{
    double x = __builtin_creal(z), y = __builtin_cimag(z);
    if (x == 0 && y != y)
        return point(ZC_PI_2, y);
    if (larger_size(x, y) > ZC_FAR_POINT || ZC_IS_FAR(x))
        return point(atan2_float64(absolute(y), x), -with_sign(log_of_size(x, y) + ZC_LN2, y));
    double _Complex less = sqrt_complex128(point(1.0 - x, -y)), more = sqrt_complex128(point(1.0 + x, y));
    double a = __builtin_creal(less), b = __builtin_cimag(less), c = __builtin_creal(more), d = __builtin_cimag(more);
    return point(2.0 * atan2_float64(a, c), asinh_float64(ZC_PRODUCT(c, b) - ZC_PRODUCT(d, a)));
}

ZC_COMPLEX_FN asin_complex128(double _Complex z)
{
    double x = __builtin_creal(z), y = __builtin_cimag(z);
    if (x == 0 && y != y)
        return z;
    if (larger_size(x, y) > ZC_FAR_POINT || ZC_IS_FAR(x))
        return point(atan2_float64(x, absolute(y)), with_sign(log_of_size(x, y) + ZC_LN2, y));
    double _Complex less = sqrt_complex128(point(1.0 - x, -y)), more = sqrt_complex128(point(1.0 + x, y));
    double a = __builtin_creal(less), b = __builtin_cimag(less), c = __builtin_creal(more), d = __builtin_cimag(more);
    return point(atan2_float64(x, ZC_PRODUCT(a, c) - ZC_PRODUCT(b, d)),
                 asinh_float64(ZC_PRODUCT(a, d) - ZC_PRODUCT(b, c)));
}

ZC_COMPLEX_FN asinh_complex128(double _Complex z)
{
    return turn_right(asin_complex128(turn_left(z)));
}

ZC_COMPLEX_FN acosh_complex128(double _Complex z)
{
    double _Complex arc = acos_complex128(z);
    return point(absolute(__builtin_cimag(arc)), with_sign(__builtin_creal(arc), __builtin_cimag(z)));
}

/* atanh of a point on the right; the part y^2 counts but for underflow. */
static inline double _Complex atanh_right(double x, double y)
{
    double less = 1.0 - x;
    if (less == 0 && absolute(y) < 0x1p-400)
        return point(0.5 * (ZC_LN2 - log_float64(absolute(y))), y == 0 ? y : with_sign(ZC_PI_4, y));
    double square = ZC_PRODUCT(y, y);
    return point(0.25 * log1p_float64(4.0 * x / (ZC_PRODUCT(less, less) + square)),
                 0.5 * atan2_float64(2.0 * y, ZC_PRODUCT(less, 1.0 + x) - square));
}

ZC_COMPLEX_FN atanh_complex128(double _Complex z)
{
    double x = __builtin_creal(z), y = __builtin_cimag(z), side = with_sign(1.0, x);
    if (x == 0 && y != y)
        return z;
    if (ZC_IS_FAR(x) || ZC_IS_FAR(y))
        return point(with_sign(0.0, x), y != y ? y : with_sign(ZC_PI_2, y));
    if (larger_size(x, y) > ZC_FAR_POINT) {
        double size = hypot_float64(0.5 * x, 0.5 * y);
        return point(0.25 * x / size / size, with_sign(ZC_PI_2, y));
    }
    double _Complex right = atanh_right(absolute(x), side * y);
    return point(side * __builtin_creal(right), side * __builtin_cimag(right));
}

ZC_COMPLEX_FN atan_complex128(double _Complex z)
{
    return turn_right(atanh_complex128(turn_left(z)));
}

/* ---- complex64: in complex128, rounded once ---- */

#define ZC_SHORT(f)                                                                                                    \
    static inline float _Complex f##_complex64(float _Complex z)                                                       \
    {                                                                                                                  \
        return (float _Complex)f##_complex128((double _Complex)z);                                                     \
    }
ZC_SHORT(exp)
ZC_SHORT(expm1)
ZC_SHORT(sinh)
ZC_SHORT(cosh)
ZC_SHORT(tanh)
ZC_SHORT(sin)
ZC_SHORT(cos)
ZC_SHORT(tan)
ZC_SHORT(log)
ZC_SHORT(log2)
ZC_SHORT(log10)
ZC_SHORT(log1p)
ZC_SHORT(sqrt)
ZC_SHORT(acos)
ZC_SHORT(asin)
ZC_SHORT(asinh)
ZC_SHORT(acosh)
ZC_SHORT(atanh)
ZC_SHORT(atan)

static inline float _Complex pow_complex64(float _Complex x, float _Complex y)
{
    return (float _Complex)pow_complex128((double _Complex)x, (double _Complex)y);
}

#undef ZC_SHORT
#undef ZC_COMPLEX_FN

#endif
