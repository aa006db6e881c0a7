/* Elementwise functions at their special cases, by table, and what floats next to each other and single rounding mean.
 */
#include <math.h>

#include "tests/api/values.h"

typedef struct special_case {
    const char *name;
    int arity;
    zc_tensor *(*f1)(const zc_tensor *);
    zc_tensor *(*f2)(const zc_tensor *, const zc_tensor *);
    zc_tensor *(*f3)(const zc_tensor *, const zc_tensor *, const zc_tensor *);
    double x, y, z, wanted;
} special_case;

static const special_case cases[] = {
#define ZC_SPECIAL_1(name, x, wanted)    {#name "(" #x ")", 1, zc_##name, NULL, NULL, x, 0, 0, wanted},
#define ZC_SPECIAL_2(name, x, y, wanted) {#name "(" #x ", " #y ")", 2, NULL, zc_##name, NULL, x, y, 0, wanted},
#define ZC_SPECIAL_3(name, x, y, z, wanted)                                                                            \
    {#name "(" #x ", " #y ", " #z ")", 3, NULL, NULL, zc_##name, x, y, z, wanted},
#include "tests/api/special_cases.def"
#include "tests/api/special_cases_arithmetic.def"
};

static zc_tensor *apply(zc_context *ctx, const special_case *c, zc_dtype dtype)
{
    zc_tensor *x = OF(ctx, dtype, c->x), *y = OF(ctx, dtype, c->y), *z = OF(ctx, dtype, c->z);
    return c->arity == 1 ? c->f1(x) : c->arity == 2 ? c->f2(x, y) : c->f3(x, y, z);
}

/* Equal with the zero's sign, both NaN, or not whole and within 2 ULP. */
static bool agrees(double got, double wanted, double epsilon)
{
    if (isnan(got) || isnan(wanted))
        return isnan(got) && isnan(wanted);
    if (wanted == trunc(wanted))
        return got == wanted && signbit(got) == signbit(wanted);
    return fabs(got - wanted) <= 2 * epsilon * fabs(wanted);
}

/* Tells whether a number is one of the dtype, or not whole and rounded to one. */
static bool is_held(zc_context *ctx, zc_dtype dtype, double epsilon, double x)
{
    double got = value_at(OF(ctx, dtype, x), 0);
    return isnan(x) || got == x || (x != trunc(x) && fabs(got - x) <= epsilon * fabs(x));
}

/* The 16-bit floats do not hold some of the numbers. */
static bool applies(zc_context *ctx, const special_case *c, zc_dtype dtype, double epsilon)
{
    return epsilon < 0x1p-20 || (is_held(ctx, dtype, epsilon, c->x) && is_held(ctx, dtype, epsilon, c->y) &&
                                 is_held(ctx, dtype, epsilon, c->z) && is_held(ctx, dtype, epsilon, c->wanted));
}

Test(special_cases, are_those_of_the_standard)
{
    static const double epsilon[ZC_DTYPE_COUNT] = {
        [ZC_FLOAT32] = 0x1p-23, [ZC_FLOAT64] = 0x1p-52, [ZC_FLOAT16] = 0x1p-10, [ZC_BFLOAT16] = 0x1p-7};
    for (int dtype = 0; dtype < ZC_DTYPE_COUNT; dtype++) {
        if (epsilon[dtype] == 0)
            continue;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            bench b = begin();
            zc_tensor *result = apply(b.ctx, &cases[i], (zc_dtype)dtype);
            cr_assert_not_null(result, "%s: %s", cases[i].name, zc_error_text(b.ctx));
            double got = value_at(result, 0);
            bool counts = applies(b.ctx, &cases[i], (zc_dtype)dtype, epsilon[dtype]);
            cr_expect(!counts || agrees(got, cases[i].wanted, epsilon[dtype]), "%s of %s is %.17g, not %.17g",
                      cases[i].name, zc_dtype_name((zc_dtype)dtype), got, cases[i].wanted);
            finish(b);
        }
    }
}

Test(special_cases, neighbours_are_the_c_librarys)
{
    static const double values[] = {0.0,
                                    -0.0,
                                    0x1p-1074,
                                    -0x1p-1074,
                                    0x1p-1022,
                                    1,
                                    -1,
                                    1.5,
                                    0x1.fffffffffffffp1023,
                                    -0x1.fffffffffffffp1023,
                                    INFINITY,
                                    -INFINITY,
                                    0x1p-149,
                                    -0x1p-149,
                                    0x1.fffffep127};
    bench b = begin();
    int count = (int)(sizeof values / sizeof *values);
    for (int i = 0; i < count * count; i++) {
        double x = values[i / count], y = values[i % count];
        double got = value_at(zc_nextafter(OF(b.ctx, ZC_FLOAT64, x), OF(b.ctx, ZC_FLOAT64, y)), 0);
        double wanted = nextafter(x, y);
        cr_assert(got == wanted && signbit(got) == signbit(wanted), "%a towards %a: %a, not %a", x, y, got, wanted);
        float x32 = (float)x, y32 = (float)y;
        double wanted32 = (double)nextafterf(x32, y32);
        got = value_at(zc_nextafter(OF(b.ctx, ZC_FLOAT32, x32), OF(b.ctx, ZC_FLOAT32, y32)), 0);
        cr_assert(got == wanted32 && signbit(got) == signbit(wanted32), "%a towards %a: %a", x32, y32, got);
    }
    finish(b);
}

Test(special_cases, fma_rounds_once)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1 + 0x1p-52), *minus = OF(b.ctx, ZC_FLOAT64, -1 - 0x1p-51);
    cr_assert_eq(value_at(zc_fma(x, x, minus), 0), 0x1p-104);
    /* A sum that lies beside the middle between two floats, but on it once it is rounded to double. */
    zc_tensor *one = OF(b.ctx, ZC_FLOAT32, 1 + 0x1p-12), *most = OF(b.ctx, ZC_FLOAT32, 1 + 0x1p-12);
    zc_tensor *little = OF(b.ctx, ZC_FLOAT32, -0x1p-80);
    cr_assert_eq(value_at(zc_fma(one, most, little), 0), (double)fmaf(1 + 0x1p-12f, 1 + 0x1p-12f, -0x1p-80f));
    cr_assert_eq(value_at(zc_fma(one, most, little), 0), 1 + 0x1p-11);
    finish(b);
}

Test(special_cases, integers_are_whole_and_finite)
{
    bench b = begin();
    zc_tensor *i8 = OF(b.ctx, ZC_INT8, -128), *u64 = OF(b.ctx, ZC_UINT64, 7), *flag = OF(b.ctx, ZC_BOOL, 1);
    zc_tensor *(*const whole[])(const zc_tensor *) = {zc_floor, zc_ceil, zc_trunc, zc_round, zc_positive, zc_sign};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        cr_assert_eq(zc_dtype_of(whole[i](i8)), ZC_INT8);
        cr_assert_eq(value_at(whole[i](i8), 0), whole[i] == zc_sign ? -1 : -128);
        cr_assert_eq(zc_dtype_of(whole[i](u64)), ZC_UINT64);
        cr_assert_eq(value_at(whole[i](u64), 0), whole[i] == zc_sign ? 1 : 7);
        cr_assert_null(whole[i](flag));
        cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_DTYPE);
        zc_error_clear(b.ctx);
    }
    cr_assert_eq(zc_dtype_of(zc_isfinite(i8)), ZC_BOOL);
    cr_assert_eq(value_at(zc_isfinite(i8), 0), 1);
    cr_assert_eq(value_at(zc_isnan(u64), 0), 0);
    cr_assert_eq(value_at(zc_isinf(i8), 0), 0);
    cr_assert_eq(value_at(zc_signbit(i8), 0), 1);
    cr_assert_eq(zc_dtype_of(zc_reciprocal(i8)), ZC_FLOAT64);
    finish(b);
}
