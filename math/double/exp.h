/*
 * Exponentials and hyperbolic functions. Sources: Cody and Waite's argument reduction x = n ln 2 + r, kept as a pair,
 * and Taylor series on |r| <= ln(2)/2. What is added to the leading terms is small, so that one rounding dominates.
 */
#ifndef ZC_MATH_DOUBLE_EXP_H
#define ZC_MATH_DOUBLE_EXP_H

#include "math/double/base.h"
#include "math/double/polynomials.h"

/* x = n * ln 2 + r with |r| <= ln(2)/2; n is whole. The difference for the leading bits of ln 2 is exact. */
static inline pair reduce_exponent(pair x, double *n)
{
    *n = round_double(x.high * ZC_LOG2_E);
    return two_sum(fma_float64(*n, -ZC_LN2, x.high), fma_float64(*n, -ZC_LN2_REST, x.low));
}

/* e^r as a pair, for a reduced r. */
static inline pair exp_reduced(pair r)
{
    pair sum = fast_two_sum(1.0, r.high);
    return fast_two_sum(sum.high, sum.low + fma_float64(r.high * r.high, exp_rest(r.high), r.low));
}

/* e^x = pair * 2^n. |x| < 1400. */
static inline pair exp_pair(pair x, double *n)
{
    return exp_reduced(reduce_exponent(x, n));
}

/* x = n * ln 2 + r, where r is rounded once; returns n + ZC_ROUNDER. */
static inline double reduce_brief(double x, double *r)
{
    double sum = fma_float64(x, ZC_LOG2_E, ZC_ROUNDER), n = sum - ZC_ROUNDER;
    *r = fma_float64(n, -ZC_LN2_REST, fma_float64(n, -ZC_LN2, x));
    return sum;
}

static inline double exp_reduced_brief(double r)
{
    return fma_float64(fma_float64(exp_rest_brief(r), r, 1.0), r, 1.0);
}

/* e^x where the result is a normal number. */
static inline double near_exp_float64(double x)
{
    double r, sum = reduce_brief(x, &r);
    return times_power_of_sum(exp_reduced_brief(r), sum);
}

static inline double exp_float64(double x)
{
    double r, sum = reduce_brief(clamp_double(x, -746.0, 710.0), &r);
    return scale(exp_reduced_brief(r), integer_of_sum(sum));
}

/* 2^r, where |r| <= 1/2 */
static inline double exp2_reduced(double r)
{
    pair product = two_product(r, ZC_LN2);
    return exp_reduced(fast_two_sum(product.high, fma_float64(r, ZC_LN2_REST, product.low))).high;
}

static inline double near_exp2_float64(double x)
{
    double sum = x + ZC_ROUNDER;
    return times_power_of_sum(exp2_reduced(x - (sum - ZC_ROUNDER)), sum);
}

static inline double exp2_float64(double x)
{
    double clamped = clamp_double(x, -1080.0, 1030.0), sum = clamped + ZC_ROUNDER;
    return scale(exp2_reduced(clamped - (sum - ZC_ROUNDER)), integer_of_sum(sum));
}

/* 2^n (e^r - 1) + (2^n - 1), at half the size so that 2^n does not overflow. */
static inline double expm1_float64(double x)
{
    double n;
    pair r = reduce_exponent((pair){clamp_double(x, -60.0, 710.0), 0.0}, &n);
    double half_scale = exp2_integer(integer_of(n) - 1);
    double whole = half_scale - 0.5, lost = (half_scale - whole) - 0.5;
    pair sum = two_sum(whole, half_scale * r.high);
    double square = r.high * r.high, lost_of_square = fma_float64(r.high, r.high, -square);
    double rest = half_scale * fma_float64(square, exp_rest(r.high), fma_float64(0.5, lost_of_square, r.low));
    double y = 2.0 * (sum.high + (sum.low + (lost + rest)));
    return absolute(x) < 0x1p-54 ? x : y;
}

/* ---- Hyperbolic functions: 2 e^x = 2^(n+1) (cosh r + sinh r) ---- */

/* With g = 4^-n: sinh |x| = 2^(n-1) ((1-g) cosh r + (1+g) sinh r), cosh |x| = 2^(n-1) ((1+g) cosh r + (1-g) sinh r). */
typedef struct hyperbolic {
    double n;
    pair less, more;              /* 1 - g and 1 + g */
    double r, sinh_low, cosh_low; /* sinh r = r + sinh_low, cosh r = 1 + cosh_low */
} hyperbolic;

static inline hyperbolic reduce_hyperbolic(double size)
{
    double n;
    pair r = reduce_exponent((pair){size, 0.0}, &n);
    double g = exp2_integer(integer_of(-2.0 * clamp_double(n, 0.0, 60.0)));
    double less = 1.0 - g, more = 1.0 + g, z = r.high * r.high;
    double sinh_low = fma_float64(r.high * z, sinh_rest(z), r.low);
    double cosh_low = fma_float64(z, cosh_rest(z), r.high * r.low);
    return (hyperbolic){n, {less, (1.0 - less) - g}, {more, (1.0 - more) + g}, r.high, sinh_low, cosh_low};
}

/* even cosh r + odd sinh r */
static inline pair combine_hyperbolic(const hyperbolic *h, pair even, pair odd)
{
    pair product = two_product(odd.high, h->r), sum = two_sum(even.high, product.high);
    double rest =
        fma_float64(odd.high, h->sinh_low, fma_float64(even.high, h->cosh_low, fma_float64(odd.low, h->r, even.low)));
    return fast_two_sum(sum.high, sum.low + (product.low + rest));
}

static inline double sinh_float64(double x)
{
    double size = absolute(x);
    hyperbolic h = reduce_hyperbolic(clamp_double(size, 0.0, 720.0));
    pair y = combine_hyperbolic(&h, h.less, h.more);
    return size < 0x1p-28 ? x : copy_sign(scale(y.high, integer_of(h.n) - 1), x);
}

static inline double cosh_float64(double x)
{
    hyperbolic h = reduce_hyperbolic(clamp_double(absolute(x), 0.0, 720.0));
    pair y = combine_hyperbolic(&h, h.more, h.less);
    return scale(y.high, integer_of(h.n) - 1);
}

/* t / (t + 2) with t = e^2x - 1; beyond 22 it rounds to 1. */
static inline double tanh_float64(double x)
{
    double twice = 2.0 * size_within(x, 22.0), sum = fma_float64(twice, ZC_LOG2_E, ZC_ROUNDER), n = sum - ZC_ROUNDER;
    double r = fma_float64(n, -ZC_LN2, twice), lower = n * -ZC_LN2_REST, near = r + lower;
    double rest = fma_float64(near * near, exp_rest_brief(near), lower);
    double power = power_of_whole(sum), whole = power - 1.0, first = fma_float64(power, r, whole);
    rest = fma_float64(power, rest, fma_float64(power, r, whole - first));
    pair t = {first + rest, 0.0};
    t.low = (first - t.high) + rest;
    double more = t.high + 2.0, large = t.high > 2.0 ? t.high : 2.0;
    double low = ((large - more) + (t.high > 2.0 ? 2.0 : t.high)) + t.low;
    return copy_sign(quotient_of_pairs(t, (pair){more, low}), x);
}

/* ---- float32: in double, rounded once ---- */

/* x = n * ln 2 + r for a float x. */
static inline double reduce_exponent_short(double x, double *n)
{
    *n = round_double(x * ZC_LOG2_E);
    return fma_float64(*n, -ZC_LN2, x);
}

/* e^r - 1 */
static inline double expm1_reduced_short(double r)
{
    return fma_float64(r * r, exp_rest_short(r), r);
}

#endif
