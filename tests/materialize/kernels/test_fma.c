/*
 * x * y + z, rounded once: the software's form and the kernels of every table against MPFR, on random triples and on
 * those where a rounding is hard: sums that nearly cancel, halves, subnormal results, and the ends of the range.
 *
 * From ZC_TEST_SCALE=65536 on 10^9 triples of each format.
 */
#include "tests/support/zc_test.h"

#if defined(ZC_TEST_HAVE_MPFR)
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "math/floats/fused.h"
#include "tests/materialize/kernels/tables.h"
#include "tests/support/random.h"

enum { BLOCK = 2048, BLOCKS = 8 };

typedef struct format {
    zc_dtype dtype;
    int digits, least, most; /* exponents as MPFR counts them */
} format;

static const format double_format = {ZC_FLOAT64, 53, -1073, 1024}, single_format = {ZC_FLOAT32, 24, -148, 128};

/* ---- Triples: of float32 as doubles ---- */

static double nearest(const format *f, double x)
{
    return f->dtype == ZC_FLOAT32 ? (double)(float)x : x;
}

static double signed_number(double size)
{
    return zc_random_bool() ? size : -size;
}

/* Few digits make ties. */
static double digits(const format *f)
{
    const int count = (int)zc_random_range(0, f->digits - 1);
    return 1 + ldexp((double)zc_random_range(0, (INT64_C(1) << count) - 1), -count);
}

static double number_of(const format *f, int exponent)
{
    return nearest(f, signed_number(ldexp(digits(f), exponent)));
}

static double any_number(const format *f)
{
    static const double special[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN};
    if (zc_random_range(0, 31) == 0)
        return special[zc_random_range(0, sizeof special / sizeof *special - 1)];
    return number_of(f, (int)zc_random_range(f->least - 1, f->most - 1));
}

static double near_number(const format *f)
{
    return number_of(f, (int)zc_random_range(-4, 4));
}

/* The neighbour of x or itself. */
static double stepped(const format *f, double x)
{
    const double to = zc_random_bool() ? INFINITY : -INFINITY;
    if (zc_random_bool())
        return x;
    return f->dtype == ZC_FLOAT32 ? (double)nextafterf((float)x, (float)to) : nextafter(x, to);
}

static void draw(const format *f, double *x, double *y, double *z)
{
    int exponent;
    switch (zc_random_range(0, 5)) {
    case 0: /* any bits */
        *x = any_number(f), *y = any_number(f), *z = any_number(f);
        return;
    case 1: /* nearly cancelling */
        *x = near_number(f), *y = near_number(f), *z = stepped(f, nearest(f, -*x * *y));
        return;
    case 2: /* a half of the product's unit, or around it; and the product around half of z's */
        *x = near_number(f), *y = near_number(f);
        (void)frexp(*x * *y, &exponent);
        *z = number_of(f, exponent - 1 + (int)zc_random_range(-1, 1) * (f->digits + (int)zc_random_range(-2, 2)));
        return;
    case 3: /* small results */
        exponent = (int)zc_random_range(f->least / 2, f->most / 2);
        *x = number_of(f, exponent), *y = number_of(f, f->least - 1 - exponent + (int)zc_random_range(-4, 80));
        *z = number_of(f, f->least - 1 + (int)zc_random_range(0, 80));
        return;
    case 4: /* large ones */
        exponent = (int)zc_random_range(0, f->most - 1);
        *x = number_of(f, exponent), *y = number_of(f, f->most - 1 - exponent + (int)zc_random_range(-3, 1));
        *z = number_of(f, f->most - 1 - (int)zc_random_range(0, 60));
        return;
    default: /* every distance of the addend */
        *x = near_number(f), *y = near_number(f), *z = number_of(f, (int)zc_random_range(-130, 130));
    }
}

/* ---- Comparing ---- */

static double exact_fma(const format *f, double x, double y, double z)
{
    mpfr_t a, b, c, out;
    mpfr_inits2(f->digits, a, b, c, out, (mpfr_ptr)NULL);
    (void)mpfr_set_d(a, x, MPFR_RNDN);
    (void)mpfr_set_d(b, y, MPFR_RNDN);
    (void)mpfr_set_d(c, z, MPFR_RNDN);
    int side = mpfr_fma(out, a, b, c, MPFR_RNDN);
    (void)mpfr_subnormalize(out, side, MPFR_RNDN);
    double result = mpfr_get_d(out, MPFR_RNDN);
    mpfr_clears(a, b, c, out, (mpfr_ptr)NULL);
    return result;
}

static bool same_number(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : a == b && signbit(a) == signbit(b);
}

static void check(const char *whose, const format *f, const double *x, const double *y, const double *z,
                  const double *wanted, const void *got)
{
    const zc_dtype dtype = f->dtype;
    for (int i = 0; i < BLOCK; i++) {
        double g = dtype == ZC_FLOAT32 ? (double)((const float *)got)[i] : ((const double *)got)[i];
        cr_assert(same_number(g, wanted[i]), "%s: %a * %a + %a in %s is %a, not %a", whose, x[i], y[i], z[i],
                  zc_dtype_name(dtype), g, wanted[i]);
    }
}

static void check_block(const format *f, bool all_tables)
{
    static double x[BLOCK], y[BLOCK], z[BLOCK], wanted[BLOCK], got[BLOCK];
    static float x32[BLOCK], y32[BLOCK], z32[BLOCK], got32[BLOCK];
    const bool is_single = f->dtype == ZC_FLOAT32;
    for (int i = 0; i < BLOCK; i++) {
        draw(f, &x[i], &y[i], &z[i]);
        x32[i] = (float)x[i], y32[i] = (float)y[i], z32[i] = (float)z[i];
        wanted[i] = exact_fma(f, x[i], y[i], z[i]);
        got[i] = software_fma_float64(x[i], y[i], z[i]);
        got32[i] = software_fma_float32(x32[i], y32[i], z32[i]);
    }
    check("software", f, x, y, z, wanted, is_single ? (const void *)got32 : got);
    const zc_kernels *tables[MOST_TABLES];
    for (int t = all_tables ? list_tables(tables) - 1 : -1; t >= 0; t--) {
        if (is_single)
            tables[t]->map[ZC_OP_FMA][ZC_FLOAT32](got32, x32, y32, z32, BLOCK);
        else
            tables[t]->map[ZC_OP_FMA][ZC_FLOAT64](got, x, y, z, BLOCK);
        check("a table", f, x, y, z, wanted, is_single ? (const void *)got32 : got);
    }
}

static void check_format(const format *f)
{
    (void)mpfr_set_emin(f->least);
    (void)mpfr_set_emax(f->most);
    for (int i = 0; i < zc_test_count(BLOCKS); i++)
        check_block(f, i < 64);
    mpfr_free_cache();
    cr_log_info("fma of %s: %lld triples", zc_dtype_name(f->dtype), (long long)zc_test_count(BLOCKS) * BLOCK);
}

Test(fma, of_float64_is_rounded_once)
{
    zc_random_begin("fma/float64");
    check_format(&double_format);
}

Test(fma, of_float32_is_rounded_once)
{
    zc_random_begin("fma/float32");
    check_format(&single_format);
}
#else
Test(fma, is_not_measured_because_mpfr_was_not_found_when_this_was_built)
{
    cr_log_warn("fused multiply-adds were not compared: mpfr.h was not found");
}
#endif
