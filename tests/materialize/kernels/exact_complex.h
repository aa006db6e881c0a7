/*
 * Functions of complex numbers by the textbook's formulas, in logarithms and exponentials of MPFR: exact when the
 * operands come with so many bits that nothing cancels.
 */
#ifndef ZC_TESTS_MATERIALIZE_EXACT_COMPLEX_H
#define ZC_TESTS_MATERIALIZE_EXACT_COMPLEX_H

#include <mpfr.h>

/* ---- Points of MPFR numbers ---- */

typedef struct point {
    mpfr_t x, y;
} point;

#define R MPFR_RNDN

static void begin_point(point *p, mpfr_prec_t precision)
{
    mpfr_inits2(precision, p->x, p->y, (mpfr_ptr)NULL);
}

static void end_point(point *p)
{
    mpfr_clears(p->x, p->y, (mpfr_ptr)NULL);
}

static void copy_point(point *out, const point *p)
{
    (void)mpfr_set(out->x, p->x, R);
    (void)mpfr_set(out->y, p->y, R);
}

/* out may be an operand of each. */
static void add(point *out, const point *a, const point *b, int sign)
{
    (void)(sign > 0 ? mpfr_add(out->x, a->x, b->x, R) : mpfr_sub(out->x, a->x, b->x, R));
    (void)(sign > 0 ? mpfr_add(out->y, a->y, b->y, R) : mpfr_sub(out->y, a->y, b->y, R));
}

static void add_one(point *out, const point *a, int sign)
{
    (void)mpfr_mul_si(out->x, a->x, sign, R);
    (void)mpfr_mul_si(out->y, a->y, sign, R);
    (void)mpfr_add_ui(out->x, out->x, 1, R);
}

static void multiply(point *out, const point *a, const point *b)
{
    mpfr_t x;
    mpfr_init2(x, mpfr_get_prec(out->x));
    (void)mpfr_fmms(x, a->x, b->x, a->y, b->y, R);
    (void)mpfr_fmma(out->y, a->x, b->y, a->y, b->x, R);
    (void)mpfr_set(out->x, x, R);
    mpfr_clear(x);
}

static void divide(point *out, const point *a, const point *b)
{
    point turned;
    mpfr_t square;
    begin_point(&turned, mpfr_get_prec(out->x));
    mpfr_init2(square, mpfr_get_prec(out->x));
    (void)mpfr_fmma(square, b->x, b->x, b->y, b->y, R);
    copy_point(&turned, b);
    (void)mpfr_neg(turned.y, turned.y, R);
    multiply(out, a, &turned);
    (void)mpfr_div(out->x, out->x, square, R);
    (void)mpfr_div(out->y, out->y, square, R);
    mpfr_clear(square);
    end_point(&turned);
}

/* i z and -i z. */
static void turn(point *p, int sign)
{
    mpfr_swap(p->x, p->y);
    (void)(sign > 0 ? mpfr_neg(p->x, p->x, R) : mpfr_neg(p->y, p->y, R));
}

/* ---- The exact functions: out may be z; w is the second operand, or room ---- */

typedef void exact_function(point *out, point *z, point *w);
#define EXACT(name) static void exact_##name(point *out, point *z, point *w)
#define ALONE       (void)w

EXACT(exp)
{
    ALONE;
    mpfr_t size;
    mpfr_init2(size, mpfr_get_prec(out->x));
    (void)mpfr_exp(size, z->x, R);
    (void)mpfr_sin_cos(out->y, out->x, z->y, R);
    (void)mpfr_mul(out->x, out->x, size, R);
    (void)mpfr_mul(out->y, out->y, size, R);
    mpfr_clear(size);
}

EXACT(expm1)
{
    exact_exp(out, z, w);
    (void)mpfr_sub_ui(out->x, out->x, 1, R);
}

EXACT(log)
{
    ALONE;
    mpfr_t size;
    mpfr_init2(size, mpfr_get_prec(out->x));
    (void)mpfr_hypot(size, z->x, z->y, R);
    (void)mpfr_atan2(out->y, z->y, z->x, R);
    (void)mpfr_log(out->x, size, R);
    mpfr_clear(size);
}

static void log_to_base(point *out, point *z, unsigned long base)
{
    mpfr_t log_base;
    mpfr_init2(log_base, mpfr_get_prec(out->x));
    exact_log(out, z, NULL);
    (void)mpfr_log_ui(log_base, base, R);
    (void)mpfr_div(out->x, out->x, log_base, R);
    (void)mpfr_div(out->y, out->y, log_base, R);
    mpfr_clear(log_base);
}

EXACT(log2)
{
    ALONE;
    log_to_base(out, z, 2);
}

EXACT(log10)
{
    ALONE;
    log_to_base(out, z, 10);
}

EXACT(log1p)
{
    add_one(out, z, 1);
    exact_log(out, out, w);
}

EXACT(sqrt)
{
    ALONE;
    mpfr_t size;
    int sign = mpfr_signbit(z->y) ? -1 : 1;
    mpfr_init2(size, mpfr_get_prec(out->x));
    (void)mpfr_hypot(size, z->x, z->y, R);
    (void)mpfr_sub(out->y, size, z->x, R);
    (void)mpfr_add(out->x, size, z->x, R);
    (void)mpfr_div_ui(out->x, out->x, 2, R);
    (void)mpfr_div_ui(out->y, out->y, 2, R);
    (void)mpfr_sqrt(out->x, out->x, R);
    (void)mpfr_sqrt(out->y, out->y, R);
    (void)mpfr_mul_si(out->y, out->y, sign, R);
    mpfr_clear(size);
}

/* sinh z = (e^z - e^-z) / 2, cosh z = (e^z + e^-z) / 2 */
static void hyperbolic(point *out, point *z, int sign)
{
    point other;
    begin_point(&other, mpfr_get_prec(out->x));
    (void)mpfr_neg(other.x, z->x, R);
    (void)mpfr_neg(other.y, z->y, R);
    exact_exp(&other, &other, NULL);
    exact_exp(out, z, NULL);
    add(out, out, &other, sign);
    (void)mpfr_div_ui(out->x, out->x, 2, R);
    (void)mpfr_div_ui(out->y, out->y, 2, R);
    end_point(&other);
}

EXACT(sinh)
{
    ALONE;
    hyperbolic(out, z, -1);
}

EXACT(cosh)
{
    ALONE;
    hyperbolic(out, z, 1);
}

EXACT(tanh)
{
    hyperbolic(w, z, 1);
    hyperbolic(out, z, -1);
    divide(out, out, w);
}

EXACT(sin)
{
    turn(z, 1);
    exact_sinh(out, z, w);
    turn(out, -1);
}

EXACT(cos)
{
    turn(z, 1);
    exact_cosh(out, z, w);
}

EXACT(tan)
{
    turn(z, 1);
    exact_tanh(out, z, w);
    turn(out, -1);
}

/* log(z + sqrt(z^2 + 1)) */
EXACT(asinh)
{
    multiply(w, z, z);
    add_one(w, w, 1);
    exact_sqrt(w, w, NULL);
    add(out, z, w, 1);
    exact_log(out, out, NULL);
}

EXACT(asin)
{
    turn(z, 1);
    exact_asinh(out, z, w);
    turn(out, -1);
}

EXACT(acos)
{
    mpfr_t right;
    mpfr_init2(right, mpfr_get_prec(out->x));
    exact_asin(out, z, w);
    (void)mpfr_const_pi(right, R);
    (void)mpfr_div_ui(right, right, 2, R);
    (void)mpfr_sub(out->x, right, out->x, R);
    (void)mpfr_neg(out->y, out->y, R);
    mpfr_clear(right);
}

/* log(z + sqrt(z + 1) sqrt(z - 1)) */
EXACT(acosh)
{
    point less;
    begin_point(&less, mpfr_get_prec(out->x));
    copy_point(&less, z);
    (void)mpfr_sub_ui(less.x, less.x, 1, R);
    exact_sqrt(&less, &less, NULL);
    add_one(w, z, 1);
    exact_sqrt(w, w, NULL);
    multiply(w, w, &less);
    add(out, z, w, 1);
    exact_log(out, out, NULL);
    end_point(&less);
}

/* (log(1 + z) - log(1 - z)) / 2 */
EXACT(atanh)
{
    add_one(w, z, -1);
    exact_log(w, w, NULL);
    exact_log1p(out, z, NULL);
    add(out, out, w, -1);
    (void)mpfr_div_ui(out->x, out->x, 2, R);
    (void)mpfr_div_ui(out->y, out->y, 2, R);
}

EXACT(atan)
{
    turn(z, 1);
    exact_atanh(out, z, w);
    turn(out, -1);
}

EXACT(multiply)
{
    multiply(out, z, w);
}

EXACT(divide)
{
    divide(out, z, w);
}

EXACT(square)
{
    ALONE;
    multiply(out, z, z);
}

EXACT(reciprocal)
{
    (void)mpfr_set_ui(w->x, 1, R);
    (void)mpfr_set_ui(w->y, 0, R);
    divide(out, w, z);
}

EXACT(sign)
{
    ALONE;
    mpfr_t size;
    mpfr_init2(size, mpfr_get_prec(out->x));
    (void)mpfr_hypot(size, z->x, z->y, R);
    (void)mpfr_div(out->x, z->x, size, R);
    (void)mpfr_div(out->y, z->y, size, R);
    mpfr_clear(size);
}

EXACT(pow)
{
    exact_log(out, z, NULL);
    multiply(out, out, w);
    exact_exp(out, out, NULL);
}

#endif
