/*
 * Exponentials and hyperbolic functions. Sources: Cody and Waite's argument reduction x = n ln 2 + r, kept as a pair,
 * and Taylor series on |r| <= ln(2)/2. What is added to the leading terms is small, so that one rounding dominates.
 */
#ifndef ZC_RUNTIME_OPS_ELEMENTARY_EXP_H
#define ZC_RUNTIME_OPS_ELEMENTARY_EXP_H

#include "runtime/ops/elementary_base.h"
#include "runtime/ops/elementary_polynomials.h"

/* x = n * ln 2 + r with |r| <= ln(2)/2; n is whole. */
static inline pair reduce_exponent(pair x, double *n)
{
    *n = round_double(x.high * ZC_LOG2_E);
    pair r = two_sum(x.high - *n * ZC_LN2_HIGH, -(*n * ZC_LN2_LOW));
    return fast_two_sum(r.high, r.low + x.low);
}

/* e^r as a pair, for a reduced r. */
static inline pair exp_reduced(pair r)
{
    pair sum = fast_two_sum(1.0, r.high);
    return fast_two_sum(sum.high, sum.low + (r.low + r.high * r.high * exp_rest(r.high)));
}

/* e^x = pair * 2^n. |x| < 1400. */
static inline pair exp_pair(pair x, double *n)
{
    return exp_reduced(reduce_exponent(x, n));
}

static inline double exp_float64(double x)
{
    double n;
    pair y = exp_pair((pair){clamp_double(x, -746.0, 710.0), 0.0}, &n);
    return scale(y.high, integer_of(n));
}

static inline double exp2_float64(double x)
{
    double clamped = clamp_double(x, -1080.0, 1030.0), n = round_double(clamped), rest = clamped - n;
    pair r = two_product(rest, ZC_LN2);
    pair y = exp_reduced(fast_two_sum(r.high, r.low + rest * ZC_LN2_REST));
    return scale(y.high, integer_of(n));
}

/* 2^n (e^r - 1) + (2^n - 1), at half the size so that 2^n does not overflow. */
static inline double expm1_float64(double x)
{
    double n;
    pair r = reduce_exponent((pair){clamp_double(x, -60.0, 710.0), 0.0}, &n);
    double half_scale = exp2_integer(integer_of(n) - 1);
    double whole = half_scale - 0.5, lost = (half_scale - whole) - 0.5;
    pair sum = two_sum(whole, half_scale * r.high);
    double rest = half_scale * (r.low + r.high * r.high * exp_rest(r.high));
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
    hyperbolic h;
    pair r = reduce_exponent((pair){size, 0.0}, &h.n);
    double g = exp2_integer(integer_of(-2.0 * clamp_double(h.n, 0.0, 60.0)));
    double less = 1.0 - g, more = 1.0 + g, z = r.high * r.high;
    h.less = (pair){less, (1.0 - less) - g};
    h.more = (pair){more, (1.0 - more) + g};
    h.r = r.high;
    h.sinh_low = r.high * z * sinh_rest(z) + r.low;
    h.cosh_low = z * cosh_rest(z) + r.high * r.low;
    return h;
}

/* even cosh r + odd sinh r */
static inline pair combine_hyperbolic(const hyperbolic *h, pair even, pair odd)
{
    pair product = two_product(odd.high, h->r), sum = two_sum(even.high, product.high);
    double rest = even.low + odd.low * h->r + even.high * h->cosh_low + odd.high * h->sinh_low;
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

/* Beyond 22 the quotient rounds to 1. */
static inline double tanh_float64(double x)
{
    double size = absolute(x);
    hyperbolic h = reduce_hyperbolic(clamp_double(size, 0.0, 22.0));
    pair y = divide_pairs(combine_hyperbolic(&h, h.less, h.more), combine_hyperbolic(&h, h.more, h.less));
    return size < 0x1p-28 ? x : copy_sign(y.high, x);
}

/* ---- float32: in double, rounded once ---- */

/* x = n * ln 2 + r for a float x. */
static inline double reduce_exponent_short(double x, double *n)
{
    *n = round_double(x * ZC_LOG2_E);
    return (x - *n * ZC_LN2_HIGH) - *n * ZC_LN2_LOW;
}

/* e^r - 1 */
static inline double expm1_reduced_short(double r)
{
    return r + r * r * exp_rest_short(r);
}

#endif
