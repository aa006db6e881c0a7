/*
 * Functions of blocks of complex numbers, their parts apart, where no special case is needed.
 *
 * math/complex/complex.h defines the functions and branches. Here the same operations on the same numbers are vector
 * code, in passes that share nothing but the block (near_powers.h says why passes are faster). Every function
 * returns false, the block lost, where an element is outside its range; then the definition computes the elements, as
 * it always does where there are no vectors.
 */
#ifndef ZC_MATERIALIZE_KERNELS_TEMPLATES_PLANES_H
#define ZC_MATERIALIZE_KERNELS_TEMPLATES_PLANES_H

#include "materialize/kernels/templates/emit.h"
#include "math/complex/complex.h"

enum { PLANE_BLOCK = 256 };

#if defined(ZC_VECTOR_BYTES)
/* Real and imaginary parts. */
typedef struct planes {
    double x[PLANE_BLOCK], y[PLANE_BLOCK];
} planes;

typedef bool planes_function(planes *z, int64_t n);

/* Tells whether all sizes are up to `most`: NaN is not. */
static bool are_up_to(const double *x, double most, int64_t n)
{
    uint64_t far = 0;
    for (int64_t i = 0; i < n; i++)
        far |= (uint64_t) !(absolute(x[i]) <= most);
    return far == 0;
}

/* ---- Exponentials ---- */

/* Below this an angle is reduced without branches. */
#define LARGEST_ANGLE 0x1.fffffffffffffp19

static ZC_FLATTENED bool exp_of_planes(planes *z, int64_t n)
{
    double size[PLANE_BLOCK];
    if (!are_up_to(z->x, ZC_FAR_EXPONENT, n) || !are_up_to(z->y, LARGEST_ANGLE, n))
        return false;
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        size[i] = near_exp_float64(z->x[i]);
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++) {
        z->x[i] = size[i] * near_cos_float64(z->y[i]);
        z->y[i] = size[i] * near_sin_float64(z->y[i]);
    }
    return true;
}

/* sinh x and cosh x beside sin y and cos y, for x and y of the block turned by a quarter: x + iy is i z. */
typedef struct waves {
    double sinh[PLANE_BLOCK], cosh[PLANE_BLOCK], sin[PLANE_BLOCK], cos[PLANE_BLOCK];
} waves;

static ZC_FLATTENED bool make_waves(const planes *z, int64_t n, waves *to)
{
    if (!are_up_to(z->y, ZC_FAR_EXPONENT, n) || !are_up_to(z->x, LARGEST_ANGLE, n))
        return false;
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++) {
        to->sinh[i] = sinh_float64(-z->y[i]);
        to->cosh[i] = cosh_float64(-z->y[i]);
    }
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++) {
        to->sin[i] = near_sin_float64(z->x[i]);
        to->cos[i] = near_cos_float64(z->x[i]);
    }
    return true;
}

static bool sin_of_planes(planes *z, int64_t n)
{
    waves w;
    if (!make_waves(z, n, &w))
        return false;
    for (int64_t i = 0; i < n; i++) {
        z->x[i] = w.cosh[i] * w.sin[i];
        z->y[i] = -(w.sinh[i] * w.cos[i]);
    }
    return true;
}

static bool cos_of_planes(planes *z, int64_t n)
{
    waves w;
    if (!make_waves(z, n, &w))
        return false;
    for (int64_t i = 0; i < n; i++) {
        z->x[i] = w.cosh[i] * w.cos[i];
        z->y[i] = w.sinh[i] * w.sin[i];
    }
    return true;
}

/* Kahan's, where the angle is not 0 and the tangent does not round to i. */
static ZC_FLATTENED bool tan_of_planes(planes *z, int64_t n)
{
    double t[PLANE_BLOCK];
    uint64_t far = 0;
    for (int64_t i = 0; i < n; i++)
        far |= (uint64_t)(z->x[i] == 0);
    if (far != 0 || !are_up_to(z->x, LARGEST_ANGLE, n) || !are_up_to(z->y, 22.0, n))
        return false;
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        t[i] = near_tan_float64(z->x[i]);
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++) {
        const double beta = 1.0 + ZC_PRODUCT(t[i], t[i]), s = sinh_float64(-z->y[i]), c = cosh_float64(-z->y[i]);
        const double scale = 1.0 + ZC_PRODUCT(beta * s, s);
        z->x[i] = t[i] / scale;
        z->y[i] = -(beta * c * s / scale);
    }
    return true;
}

/* ---- Logarithms ---- */

/* Tells whether the squares of all sizes and their sums are normal numbers, and no part is a NaN. */
static bool have_normal_squares(const planes *z, int64_t n)
{
    uint64_t far = 0;
    for (int64_t i = 0; i < n; i++) {
        const double largest = larger_size(z->x[i], z->y[i]);
        far |= (uint64_t) !((largest <= 0x1p450) & (largest >= 0x1p-450) & (absolute(z->x[i]) <= 0x1p450));
    }
    return far == 0;
}

static ZC_FLATTENED bool log_of_planes(planes *z, int64_t n)
{
    double high[PLANE_BLOCK], low[PLANE_BLOCK], near[PLANE_BLOCK];
    if (!have_normal_squares(z, n))
        return false;
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++) {
        const pair sum = add_pairs(squared(z->x[i]), squared(z->y[i]));
        high[i] = sum.high;
        low[i] = sum.low;
    }
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        near[i] = half_log1p(add_pairs((pair){high[i], low[i]}, (pair){-1.0, 0.0}));
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        z->y[i] = atan2_float64(z->y[i], z->x[i]);
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        z->x[i] = choose((high[i] > 0.5) & (high[i] < 3.0), near[i], 0.5 * near_log_float64(high[i]));
    return true;
}

static bool log_by_base_of_planes(planes *z, int64_t n, double factor)
{
    if (!log_of_planes(z, n))
        return false;
    for (int64_t i = 0; i < n; i++) {
        z->x[i] *= factor;
        z->y[i] *= factor;
    }
    return true;
}

static bool log2_of_planes(planes *z, int64_t n)
{
    return log_by_base_of_planes(z, n, ZC_LOG2_E);
}

static bool log10_of_planes(planes *z, int64_t n)
{
    return log_by_base_of_planes(z, n, ZC_LOG10_E);
}

/* ---- Powers ---- */

/* Tells whether no exponent is a whole number that means products. */
static bool mean_no_products(const planes *exponent, int64_t n)
{
    uint64_t far = 0;
    for (int64_t i = 0; i < n; i++) {
        const double c = exponent->x[i], size = absolute(c), whole = round_double(c);
        far |= (uint64_t)((exponent->y[i] == 0) & (size <= 100) & (whole == c));
    }
    return far == 0;
}

/* z[0] to the power z[1]. */
static bool pow_of_planes(planes z[2], int64_t n)
{
    planes *to = &z[0], *exponent = &z[1];
    if (!mean_no_products(exponent, n) || !log_of_planes(to, n))
        return false;
    for (int64_t i = 0; i < n; i++) {
        const double a = exponent->x[i], b = exponent->y[i], c = to->x[i], d = to->y[i];
        to->x[i] = ZC_PRODUCT(a, c) - ZC_PRODUCT(b, d);
        to->y[i] = ZC_PRODUCT(a, d) + ZC_PRODUCT(b, c);
    }
    return exp_of_planes(to, n);
}
#endif

#endif
