/*
 * The 16-bit floats: every value to float32 and back, rounding against a search for the nearest neighbour among all
 * values, and operations against float64, which is far more exact than the results.
 *
 * A value is decoded from its fields and neighbours are compared as doubles, which hold values and middles exactly:
 * nothing of math/floats/narrow.h is used to judge it. Every kernel table is tested.
 */
#include <math.h>
#include <string.h>

#include "tests/materialize/kernels/tables.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { VALUES = 1 << 16, BLOCK = 4096 };

typedef struct format {
    zc_dtype dtype;
    int fraction_bits, bias;
    uint16_t infinity;
} format;

static const format formats[] = {{ZC_FLOAT16, 10, 15, 0x7c00}, {ZC_BFLOAT16, 7, 127, 0x7f80}};

/* The number with those bits; what would be infinity is the power of two behind the largest number. */
static double decode(const format *f, unsigned bits)
{
    int exponent = (int)(bits & 0x7fff) >> f->fraction_bits, fraction = (int)bits & ((1 << f->fraction_bits) - 1);
    int whole = exponent == 0 ? fraction : fraction + (1 << f->fraction_bits);
    double size = ldexp(whole, (exponent == 0 ? 1 : exponent) - f->bias - f->fraction_bits);
    return (bits & 0x8000) != 0 ? -size : size;
}

static bool is_nan(const format *f, unsigned bits)
{
    return (bits & 0x7fff) > f->infinity;
}

/* The bits nearest to value + rest, halves to even; rest is far smaller than the last bit of `value`, or 0. */
static uint16_t nearest(const format *f, double value, double rest)
{
    unsigned below = 0, above = f->infinity, sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value), further = signbit(value) ? -rest : rest;
    if (size >= decode(f, above))
        return (uint16_t)(above | sign);
    while (above - below > 1) {
        unsigned middle = (below + above) / 2;
        *(decode(f, middle) <= size ? &below : &above) = middle;
    }
    double middle = (decode(f, below) + decode(f, above)) / 2;
    bool is_above = size > middle || (size == middle && (further > 0 || (further == 0 && below % 2 == 1)));
    return (uint16_t)((is_above ? above : below) | sign);
}

/* ---- Conversions ---- */

static void check_all_values(const format *f, const zc_kernels *k)
{
    static uint16_t bits[VALUES], back[VALUES];
    static float single[VALUES];
    static double real[VALUES];
    for (unsigned i = 0; i < VALUES; i++)
        bits[i] = (uint16_t)i;
    k->cast[ZC_FLOAT32][f->dtype](single, bits, NULL, NULL, VALUES);
    k->cast[ZC_FLOAT64][f->dtype](real, bits, NULL, NULL, VALUES);
    k->cast[f->dtype][ZC_FLOAT32](back, single, NULL, NULL, VALUES);
    for (unsigned i = 0; i < VALUES; i++) {
        double wanted = (i & 0x7fff) == f->infinity ? copysign(INFINITY, decode(f, i)) : decode(f, i);
        if (is_nan(f, i)) {
            cr_assert(isnan(single[i]) && isnan(real[i]) && is_nan(f, back[i]), "%04x is not NaN", i);
            cr_assert_eq(back[i] & 0x8000, i & 0x8000);
            continue;
        }
        cr_assert((double)single[i] == wanted && !signbit(single[i]) == !signbit(wanted), "%04x is %a", i,
                  (double)single[i]);
        cr_assert(real[i] == wanted, "%04x is %a", i, real[i]);
        cr_assert_eq(back[i], i, "%04x comes back as %04x", i, back[i]);
    }
}

Test(narrow, every_value_is_held_by_float32_and_comes_back)
{
    const zc_kernels *k[MOST_TABLES];
    for (int t = list_tables(k) - 1; t >= 0; t--) {
        check_all_values(&formats[0], k[t]);
        check_all_values(&formats[1], k[t]);
    }
}

typedef struct sample {
    double real[BLOCK];
    float single[BLOCK];
    int count;
} sample;

static void add(sample *s, double x)
{
    s->real[s->count] = x;
    s->single[s->count++] = (float)x;
}

/* Every number, the middles between neighbours, and what lies right beside them in double and in float. */
static void sample_around(sample *s, const format *f, unsigned bits)
{
    double low = decode(f, bits), middle = (low + decode(f, bits + 1)) / 2, sign = zc_random_bool() ? 1 : -1;
    s->count = 0;
    for (int i = 0; i < 2; i++) {
        double at = i == 0 ? low : middle;
        add(s, sign * at);
        add(s, sign * nextafter(at, INFINITY));
        add(s, sign * nextafter(at, -INFINITY));
        add(s, sign * (double)nextafterf((float)at, INFINITY));
        add(s, sign * (double)nextafterf((float)at, -INFINITY));
        add(s, sign * (at + (middle - low) * zc_random_double()));
    }
}

static void check_rounding(const format *f, const zc_kernels *k, const sample *s)
{
    uint16_t from_double[BLOCK], from_single[BLOCK];
    k->cast[f->dtype][ZC_FLOAT64](from_double, s->real, NULL, NULL, s->count);
    k->cast[f->dtype][ZC_FLOAT32](from_single, s->single, NULL, NULL, s->count);
    for (int i = 0; i < s->count; i++) {
        unsigned wanted = nearest(f, s->real[i], 0);
        cr_assert_eq(from_double[i], wanted, "%a to %s is %04x, not %04x", s->real[i], zc_dtype_name(f->dtype),
                     from_double[i], wanted);
        wanted =
            isinf(s->single[i]) ? f->infinity | (s->single[i] < 0 ? 0x8000U : 0) : nearest(f, (double)s->single[i], 0);
        cr_assert_eq(from_single[i], wanted, "float %a to %s is %04x, not %04x", s->single[i], zc_dtype_name(f->dtype),
                     from_single[i], wanted);
    }
}

Test(narrow, rounding_is_to_the_nearest_and_halves_to_even)
{
    static sample s;
    const zc_kernels *k[MOST_TABLES];
    zc_random_begin("narrow/rounding");
    for (int t = list_tables(k) - 1; t >= 0; t--) {
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            for (unsigned bits = 0; bits < formats[i].infinity; bits++) {
                sample_around(&s, &formats[i], bits);
                check_rounding(&formats[i], k[t], &s);
            }
            s.count = 0;
            for (int exponent = -1074; exponent < 1024; exponent++)
                add(&s, ldexp(1 + zc_random_double(), exponent));
            add(&s, INFINITY);
            add(&s, -INFINITY);
            check_rounding(&formats[i], k[t], &s);
        }
    }
}

/* The last 12 bits of what a double does not hold are the rest. */
static uint16_t nearest_integer(const format *f, uint64_t x)
{
    uint64_t head = x >> 53 == 0 ? x : x & ~UINT64_C(0xfff);
    return nearest(f, (double)head, (double)(x - head));
}

/* Integers beyond 2^53 next to middles, which a double would take for them. */
Test(narrow, integers_are_rounded_once)
{
    const zc_kernels *k[MOST_TABLES];
    zc_random_begin("narrow/integers");
    for (int t = list_tables(k) - 1; t >= 0; t--) {
        for (int i = 0; i < 20000; i++) {
            uint64_t middle = (zc_random_u64() | UINT64_C(1) << 63) & ~((UINT64_C(1) << 55) - 1);
            middle = (middle | UINT64_C(1) << 55) >> zc_random_range(1, 62);
            int64_t x = (int64_t)(middle + (uint64_t)zc_random_range(-2, 2));
            uint64_t y = (uint64_t)x << 1 | (uint64_t)zc_random_bool();
            int64_t minus = -x;
            uint16_t got[3];
            for (size_t j = 0; j < sizeof formats / sizeof *formats; j++) {
                const format *f = &formats[j];
                k[t]->cast[f->dtype][ZC_INT64](&got[0], &x, NULL, NULL, 1);
                k[t]->cast[f->dtype][ZC_INT64](&got[1], &minus, NULL, NULL, 1);
                k[t]->cast[f->dtype][ZC_UINT64](&got[2], &y, NULL, NULL, 1);
                unsigned wanted = nearest_integer(f, (uint64_t)x);
                cr_assert_eq(got[0], wanted, "%lld to %s", (long long)x, zc_dtype_name(f->dtype));
                cr_assert_eq(got[1], x == 0 ? 0 : wanted | 0x8000, "%lld to %s", (long long)minus,
                             zc_dtype_name(f->dtype));
                cr_assert_eq(got[2], nearest_integer(f, y), "%llu to %s", (unsigned long long)y,
                             zc_dtype_name(f->dtype));
            }
        }
    }
}

/* ---- Operations ---- */

/* Elements of 16 bits, of every magnitude or moderate. */
static void draw(const format *f, uint16_t *x, double *as_double)
{
    for (int i = 0; i < BLOCK; i++) {
        x[i] = (uint16_t)zc_random_u64();
        if (zc_random_bool())
            x[i] = nearest(f, ldexp(zc_random_double() - 0.5, (int)zc_random_range(-3, 8)), 0);
    }
    zc_kernels_portable.cast[ZC_FLOAT64][f->dtype](as_double, x, NULL, NULL, BLOCK);
}

static bool agrees(const format *f, uint16_t got, double value, double rest)
{
    if (isnan(value))
        return is_nan(f, got);
    return got == (isinf(value) ? (value < 0 ? 0x8000 : 0) | f->infinity : nearest(f, value, rest));
}

/* In double, sums and products of two such numbers err by less than tells a middle from its neighbourhood; and so do
 * quotients, whose digits never come that near to one. */
Test(narrow, basic_operations_are_those_of_float64_rounded)
{
    static const zc_op ops[] = {ZC_OP_ADD,     ZC_OP_SUBTRACT,  ZC_OP_MULTIPLY, ZC_OP_DIVIDE,
                                ZC_OP_SQRT,    ZC_OP_REMAINDER, ZC_OP_SQUARE,   ZC_OP_RECIPROCAL,
                                ZC_OP_MAXIMUM, ZC_OP_MINIMUM,   ZC_OP_NEGATIVE, ZC_OP_ABS,
                                ZC_OP_FLOOR,   ZC_OP_ROUND,     ZC_OP_COPYSIGN, ZC_OP_SIGN};
    static uint16_t x[BLOCK], y[BLOCK], got[BLOCK];
    static double xd[BLOCK], yd[BLOCK], exact[BLOCK];
    const zc_kernels *k[MOST_TABLES];
    zc_random_begin("narrow/basic");
    for (int t = list_tables(k) - 1; t >= 0; t--) {
        for (size_t i = 0; i < 2 * sizeof ops / sizeof *ops; i++) {
            const format *f = &formats[i % 2];
            draw(f, x, xd);
            draw(f, y, yd);
            k[t]->map[ops[i / 2]][f->dtype](got, x, y, NULL, BLOCK);
            zc_kernels_portable.map[ops[i / 2]][ZC_FLOAT64](exact, xd, yd, NULL, BLOCK);
            for (int e = 0; e < BLOCK; e++)
                cr_assert(agrees(f, got[e], exact[e], 0), "%s of %s (%a, %a) is %04x", zc_op_describe(ops[i / 2])->name,
                          zc_dtype_name(f->dtype), xd[e], yd[e], got[e]);
        }
    }
}

Test(narrow, fma_is_rounded_once)
{
    static uint16_t x[BLOCK], y[BLOCK], z[BLOCK], got[BLOCK];
    static double xd[BLOCK], yd[BLOCK], zd[BLOCK];
    const zc_kernels *k[MOST_TABLES];
    zc_random_begin("narrow/fma");
    for (int t = list_tables(k) - 1; t >= 0; t--) {
        for (size_t i = 0; i < 8; i++) {
            const format *f = &formats[i % 2];
            draw(f, x, xd);
            draw(f, y, yd);
            draw(f, z, zd);
            k[t]->map[ZC_OP_FMA][f->dtype](got, x, y, z, BLOCK);
            for (int e = 0; e < BLOCK; e++) {
                double product = xd[e] * yd[e], sum = product + zd[e], rest = 0;
                if (isfinite(sum)) /* the part of the smaller one that the sum has lost */
                    rest = fabs(product) > fabs(zd[e]) ? zd[e] - (sum - product) : product - (sum - zd[e]);
                cr_assert(agrees(f, got[e], sum, rest), "%a * %a + %a in %s is %04x", xd[e], yd[e], zd[e],
                          zc_dtype_name(f->dtype), got[e]);
            }
        }
    }
}

Test(narrow, neighbours_are_those_in_the_order_of_values)
{
    static uint16_t x[VALUES], up[VALUES], down[VALUES], high[VALUES], low[VALUES];
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const format *f = &formats[i];
        for (unsigned e = 0; e < VALUES; e++) {
            x[e] = (uint16_t)e;
            high[e] = f->infinity;
            low[e] = f->infinity | 0x8000;
        }
        zc_kernels_best()->map[ZC_OP_NEXTAFTER][f->dtype](up, x, high, NULL, VALUES);
        zc_kernels_best()->map[ZC_OP_NEXTAFTER][f->dtype](down, x, low, NULL, VALUES);
        cr_assert(up[0] == 1 && up[0x8000] == 1 && down[0] == 0x8001 && down[0x8000] == 0x8001);
        cr_assert(up[f->infinity] == f->infinity && down[f->infinity] == f->infinity - 1);
        for (unsigned e = 1; e < f->infinity; e++) {
            cr_assert(up[e] == e + 1 && down[e] == e - 1, "%04x", e);
            cr_assert(down[e | 0x8000] == (e + 1) + 0x8000 && up[e | 0x8000] == (e - 1) + 0x8000, "%04x", e | 0x8000);
        }
        for (unsigned e = f->infinity + 1; e < 0x8000; e++)
            cr_assert(is_nan(f, up[e]) && is_nan(f, down[e]));
    }
}

/* Largest error of an operation of one float at every value, against float64 in units of the last place. */
static double worst_error(const format *f, zc_op op)
{
    static uint16_t x[VALUES], got[VALUES];
    static double xd[VALUES], exact[VALUES];
    double worst = 0, largest = decode(f, f->infinity);
    for (unsigned e = 0; e < VALUES; e++)
        x[e] = (uint16_t)e;
    zc_kernels_best()->cast[ZC_FLOAT64][f->dtype](xd, x, NULL, NULL, VALUES);
    zc_kernels_best()->map[op][f->dtype](got, x, NULL, NULL, VALUES);
    zc_kernels_best()->map[op][ZC_FLOAT64](exact, xd, NULL, NULL, VALUES);
    for (unsigned e = 0; e < VALUES; e++) {
        cr_assert_eq(is_nan(f, got[e]), isnan(exact[e]), "%s(%a) of %s", zc_op_describe(op)->name, xd[e],
                     zc_dtype_name(f->dtype));
        if (isnan(exact[e]) || fabs(exact[e]) >= largest)
            continue;
        int exponent;
        (void)frexp(exact[e], &exponent);
        exponent = exponent < 2 - f->bias ? 2 - f->bias : exponent; /* subnormal numbers share a unit */
        worst = fmax(worst, ldexp(fabs(decode(f, got[e]) - exact[e]), f->fraction_bits + 1 - exponent));
    }
    return worst;
}

Test(narrow, functions_of_every_value_are_within_half_a_unit)
{
    for (int op = 0; op < ZC_OP_ROWS; op++) {
        const zc_op_info *info = zc_op_describe((zc_op)op);
        bool is_unary_float = info->arity == 1 && info->result == ZC_RESULT_SAME && info->domain == ZC_DOMAIN_FLOAT;
        for (size_t i = 0; is_unary_float && i < sizeof formats / sizeof *formats; i++) {
            double worst = worst_error(&formats[i], (zc_op)op);
            cr_expect(worst <= 0.501, "%s of %s: %.4f ULP", info->name, zc_dtype_name(formats[i].dtype), worst);
        }
    }
}
