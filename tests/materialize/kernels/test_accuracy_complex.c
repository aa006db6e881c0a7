/*
 * The functions of complex numbers against MPFR: the largest error of the kernels, as the distance between two points
 * of the plane in units of the last place of the exact value's size, over parts of every magnitude, dense around the
 * points where a formula gives way to another.
 *
 * Where a part of the exact value lies beyond the largest number, only NaN is wrong.
 */
#include "tests/support/zc_test.h"

#if defined(ZC_TEST_HAVE_MPFR)
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "materialize/kernels/tables/dispatch.h"
#include "tests/materialize/kernels/exact_complex.h"
#include "tests/support/random.h"

enum { SAMPLES = 512, LEAST_PRECISION = 300 };

/* ---- The rows ---- */

typedef struct accuracy {
    const char *name;
    exact_function *exact;
    int range; /* of the exponents of parts */
    double bound[2];
} accuracy;

static const accuracy rows[] = {
#define ZC_COMPLEX_ACCURACY(name, range, bound128, bound64) {#name, exact_##name, range, {bound128, bound64}},
#include "tests/materialize/kernels/accuracy_complex.def"
};

typedef struct format {
    zc_dtype dtype;
    int digits, least, most;
} format;

static const format formats[] = {{ZC_COMPLEX128, 53, -1021, 1024}, {ZC_COMPLEX64, 24, -125, 128}};

/* ---- Arguments ---- */

static const double hard_points[] = {
    1,   0.5,     2,        0.70710678118654757, 1.5707963267948966, 3.1415926535897931, 22, 700,
    710, 0x1p400, 0x1p-450, 6.2831853071795862};

/* The exponents that a row's parts keep within; complex64 has an eighth of complex128's. */
static int range_of(const accuracy *row, const format *f)
{
    return row->range > f->most ? row->range * f->most / 1024 : row->range;
}

static double random_part(const accuracy *row, const format *f)
{
    double sign = zc_random_bool() ? 1 : -1, fraction = 0.5 + 0.5 * zc_random_double();
    int range = range_of(row, f), most = range < f->most ? range : f->most;
    int least = f->least - f->digits > -range ? f->least - f->digits : -range;
    switch (zc_random_range(0, 7)) {
    case 0:
        return sign * ldexp(fraction, (int)zc_random_range(least, most));
    case 1:
        return sign * ldexp(fraction, (int)zc_random_range(-30, 24));
    case 2:
    case 3: {
        double hard = hard_points[zc_random_range(0, sizeof hard_points / sizeof *hard_points - 1)];
        return sign * hard * (1 + ldexp(zc_random_double() - 0.5, -(int)zc_random_range(0, f->digits + 4)));
    }
    default:
        return sign * 8 * zc_random_double();
    }
}

/* Parts of either sort, and now and then a point near the unit circle. */
static void store_argument(const accuracy *row, const format *f, double *parts)
{
    parts[0] = random_part(row, f);
    parts[1] = random_part(row, f);
    if (zc_random_range(0, 7) == 0) {
        double angle = 7 * zc_random_double();
        parts[0] = cos(angle);
        parts[1] = sin(angle);
    }
    double most = ldexp(1 - ldexp(1, -f->digits), range_of(row, f));
    for (int i = 0; i < 2; i++) {
        parts[i] = copysign(fmax(fmin(fabs(parts[i]), most), ldexp(1, f->least - f->digits)), parts[i]);
        parts[i] = f->dtype == ZC_COMPLEX64 ? (double)(float)parts[i] : parts[i];
    }
}

/* ---- Measuring ---- */

static void read_parts(zc_dtype dtype, const void *elements, int i, double *parts)
{
    const char *at = (const char *)elements + (size_t)i * zc_dtype_bytes(dtype);
    zc_scalar wide = zc_scalar_convert(zc_scalar_load(dtype, at), dtype, ZC_COMPLEX128);
    memcpy(parts, wide.complex128, 2 * sizeof *parts);
}

static void write_parts(zc_dtype dtype, void *elements, int i, const double *parts)
{
    zc_scalar wide = {.complex128 = {parts[0], parts[1]}};
    zc_scalar narrow = zc_scalar_convert(wide, ZC_COMPLEX128, dtype);
    memcpy((char *)elements + (size_t)i * zc_dtype_bytes(dtype), narrow.bytes, zc_dtype_bytes(dtype));
}

static bool is_beyond(mpfr_srcptr part, const format *f)
{
    return mpfr_inf_p(part) || (mpfr_regular_p(part) && mpfr_get_exp(part) > f->most - 1);
}

/* The distance of `got` from the exact value, in ULP of its size; negative where got is a NaN. */
static double error_of(const format *f, const double *got, point *exact)
{
    if (isnan(got[0]) || isnan(got[1]))
        return -1;
    if (is_beyond(exact->x, f) || is_beyond(exact->y, f))
        return 0;
    mpfr_t size, x, y;
    mpfr_inits2(mpfr_get_prec(exact->x), size, x, y, (mpfr_ptr)NULL);
    (void)mpfr_hypot(size, exact->x, exact->y, R);
    long exponent = mpfr_zero_p(size) || mpfr_get_exp(size) < f->least ? f->least : mpfr_get_exp(size);
    (void)mpfr_sub_d(x, exact->x, got[0], R);
    (void)mpfr_sub_d(y, exact->y, got[1], R);
    (void)mpfr_hypot(size, x, y, R);
    (void)mpfr_mul_2si(size, size, f->digits - exponent, R);
    double error = mpfr_get_d(size, R);
    mpfr_clears(size, x, y, (mpfr_ptr)NULL);
    return error;
}

/* Enough that sums of numbers so far apart, and their squares, lose nothing. */
static mpfr_prec_t precision_for(const double *z, const double *w)
{
    double spread = 0;
    for (int i = 0; i < 2; i++)
        spread = fmax(spread, fmax(fabs(log2(fabs(z[i]))), fabs(log2(fabs(w[i])))));
    return LEAST_PRECISION + 4 * (mpfr_prec_t)spread;
}

static void evaluate_exactly(const accuracy *row, const double *z, const double *w, point *exact)
{
    point a, b;
    mpfr_prec_t precision = precision_for(z, w);
    begin_point(&a, precision);
    begin_point(&b, precision);
    mpfr_set_prec(exact->x, precision);
    mpfr_set_prec(exact->y, precision);
    (void)mpfr_set_d(a.x, z[0], R);
    (void)mpfr_set_d(a.y, z[1], R);
    (void)mpfr_set_d(b.x, w[0], R);
    (void)mpfr_set_d(b.y, w[1], R);
    row->exact(exact, &a, &b);
    end_point(&a);
    end_point(&b);
}

static zc_op op_named(const char *name)
{
    int op = 0;
    while (op < ZC_OP_ROWS && strcmp(zc_op_describe((zc_op)op)->name, name) != 0)
        op++;
    cr_assert_lt(op, ZC_OP_ROWS, "there is no operation %s", name);
    return (zc_op)op;
}

/* Unit that errors are counted in: the error of a power grows with the exponential that it is. */
static double tolerance_of(const accuracy *row, const double *z, const double *w)
{
    if (row->exact != exact_pow)
        return 1;
    return 1 + hypot(w[0], w[1]) * hypot(log(hypot(z[0], z[1])), atan2(z[1], z[0]));
}

static double worst_of_block(const accuracy *row, const format *f)
{
    static zc_scalar x[SAMPLES], y[SAMPLES], out[SAMPLES];
    double worst = 0, z[2], w[2], got[2];
    point exact;
    begin_point(&exact, LEAST_PRECISION);
    for (int i = 0; i < SAMPLES; i++) {
        store_argument(row, f, z);
        store_argument(row, f, w);
        write_parts(f->dtype, x, i, z);
        write_parts(f->dtype, y, i, w);
    }
    zc_kernels_best()->map[op_named(row->name)][f->dtype](out, x, y, NULL, SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        read_parts(f->dtype, x, i, z);
        read_parts(f->dtype, y, i, w);
        read_parts(f->dtype, out, i, got);
        evaluate_exactly(row, z, w, &exact);
        double error = error_of(f, got, &exact) / tolerance_of(row, z, w);
        cr_assert(error >= 0 && error <= row->bound[f->dtype == ZC_COMPLEX64],
                  "%s(%a%+aj, %a%+aj) of %s is %a%+aj: %.3f ULP", row->name, z[0], z[1], w[0], w[1],
                  zc_dtype_name(f->dtype), got[0], got[1], error);
        worst = fmax(worst, error);
    }
    end_point(&exact);
    return worst;
}

Test(accuracy_complex, errors_stay_within_their_bounds)
{
    zc_skip_of_one_thread();
    zc_random_begin("accuracy/complex");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
            double worst = 0;
            for (int i = 0; i < zc_test_scale(); i++)
                worst = fmax(worst, worst_of_block(&rows[r], &formats[k]));
            cr_log_info("%s of %s: %.3f ULP", rows[r].name, zc_dtype_name(formats[k].dtype), worst);
        }
    }
    mpfr_free_cache();
}
#else
Test(accuracy_complex, is_not_measured_because_mpfr_was_not_found_when_this_was_built)
{
    cr_log_warn("the errors of the functions of complex numbers were not measured: mpfr.h was not found");
}
#endif
