/* Numbers in a row, the identity, and fills: NumPy's elements, no data memory, and what a dtype does not hold. */
#include <math.h>
#include <string.h>

#include "tests/api/values.h"

static void expect_told(bench b, const zc_tensor *t, zc_status status, const char *sentence)
{
    cr_expect_null(t, "%s", sentence);
    cr_expect_eq(zc_error_status(b.ctx), status, "%s", sentence);
    cr_expect_str_eq(zc_error_text(b.ctx), sentence);
    zc_error_clear(b.ctx);
}

/* NumPy 2 printed these. */
Test(ranges, of_floats_have_the_elements_of_numpy)
{
    bench b = begin();
    EXPECT(zc_arange(b.ctx, 0, 1, 0.25, ZC_FLOAT64), 0, 0.25, 0.5, 0.75);
    EXPECT(zc_arange(b.ctx, 1, 0, -0.3, ZC_FLOAT64), 1, 0.7, 0.3999999999999999, 0.09999999999999987);
    EXPECT(zc_arange(b.ctx, 0, 0.3, 0.1F, ZC_FLOAT32), 0, 0.1F, 0.2F);
    EXPECT(zc_real(zc_arange(b.ctx, 0.5, 3, 1, ZC_COMPLEX64)), 0.5, 1.5, 2.5);
    EXPECT(zc_arange(b.ctx, 0, 3, 1, ZC_FLOAT16), 0, 1, 2);
    expect_shape(zc_arange(b.ctx, 1, 0, 0.5, ZC_FLOAT64), 1, LENGTHS(0));
    expect_shape(zc_arange(b.ctx, 0, 1e9, 1e-3, ZC_FLOAT64), 1, LENGTHS(1000000000000));
    cr_expect_eq(zc_memory_usage(b.ctx).peak_bytes > 1 << 20, false);
    expect_told(b, zc_arange(b.ctx, 0, 1, 0, ZC_FLOAT32), ZC_ERROR_ARGUMENT, "arange: step is zero");
    expect_told(b, zc_arange(b.ctx, 0, (double)NAN, 1, ZC_FLOAT32), ZC_ERROR_ARGUMENT,
                "arange: start, stop and step do not make a finite range");
    expect_told(b, zc_arange(b.ctx, 0, 1, 1, ZC_BOOL), ZC_ERROR_DTYPE, "arange: a range has numbers, not bools");
    expect_told(b, zc_arange(b.ctx, 0, 1, 1, (zc_dtype)99), ZC_ERROR_DTYPE, "arange: 99 is not a dtype");
    cr_expect_null(zc_arange(NULL, 0, 1, 1, ZC_FLOAT32));
    finish(b);
}

Test(ranges, of_integers_are_exact_or_refused)
{
    bench b = begin();
    const zc_tensor *t = zc_arange(b.ctx, 10, 0, -3, ZC_INT8);
    cr_expect_eq(zc_dtype_of(t), ZC_INT8);
    EXPECT(t, 10, 7, 4, 1);
    EXPECT(zc_arange(b.ctx, 0, 256, 85, ZC_UINT8), 0, 85, 170, 255);
    t = zc_arange_int64(b.ctx, INT64_MIN, INT64_MAX, INT64_MAX);
    expect_shape(t, 1, LENGTHS(3));
    cr_expect_eq(integer_at(t, 0), INT64_MIN);
    cr_expect_eq(integer_at(t, 1), -1);
    cr_expect_eq(integer_at(t, 2), INT64_MAX - 1);
    expect_shape(zc_arange_int64(b.ctx, 0, -1, 1), 1, LENGTHS(0));
    expect_told(b, zc_arange_int64(b.ctx, 0, 1, 0), ZC_ERROR_ARGUMENT, "arange: step is zero");
    expect_told(b, zc_arange_int64(b.ctx, INT64_MIN, INT64_MAX, 1), ZC_ERROR_OVERFLOW,
                "arange: there are more elements than int64 can count");
    expect_told(b, zc_arange(b.ctx, 0, 1.5, 1, ZC_INT32), ZC_ERROR_ARGUMENT,
                "arange: a range of int32 has whole numbers up to 2^53");
    expect_told(b, zc_arange(b.ctx, 0, 0x1p60, 0x1p58, ZC_INT64), ZC_ERROR_ARGUMENT,
                "arange: a range of int64 has whole numbers up to 2^53");
    expect_told(b, zc_arange(b.ctx, 0, 10, 0, ZC_INT64), ZC_ERROR_ARGUMENT, "arange: step is zero");
    expect_told(b, zc_arange(b.ctx, 0, 300, 1, ZC_UINT8), ZC_ERROR_OVERFLOW,
                "arange: uint8 does not hold the elements from 0 to 299");
    expect_told(b, zc_arange(b.ctx, -1, 3, 1, ZC_UINT64), ZC_ERROR_OVERFLOW,
                "arange: uint64 does not hold the elements from -1 to 2");
    cr_expect_null(zc_arange_int64(NULL, 0, 1, 1));
    finish(b);
}

Test(ranges, between_two_points_end_with_the_last)
{
    bench b = begin();
    EXPECT(zc_linspace(b.ctx, 0, 1, 5, true, ZC_FLOAT64), 0, 0.25, 0.5, 0.75, 1);
    EXPECT(zc_linspace(b.ctx, 0, 1, 4, false, ZC_FLOAT64), 0, 0.25, 0.5, 0.75);
    EXPECT(zc_linspace(b.ctx, 0, 0.3, 4, true, ZC_FLOAT64), 0, 0.09999999999999999, 0.19999999999999998, 0.3);
    EXPECT(zc_linspace(b.ctx, 2, 9, 1, true, ZC_FLOAT64), 2);
    EXPECT(zc_linspace(b.ctx, 0, 5e-324, 3, true, ZC_FLOAT64), 0, 0, 5e-324);
    EXPECT(zc_real(zc_linspace(b.ctx, 0, 2, 3, true, ZC_COMPLEX128)), 0, 1, 2);
    expect_shape(zc_linspace(b.ctx, 0, 1, 0, true, ZC_FLOAT32), 1, LENGTHS(0));
    expect_told(b, zc_linspace(b.ctx, 0, 1, -1, true, ZC_FLOAT32), ZC_ERROR_ARGUMENT,
                "linspace: the count is negative");
    expect_told(b, zc_linspace(b.ctx, 0, 1, 2, true, ZC_INT32), ZC_ERROR_DTYPE,
                "linspace: points have a floating dtype; round them and use astype");
    expect_told(b, zc_linspace(b.ctx, 0, 1, 2, true, (zc_dtype)99), ZC_ERROR_DTYPE, "linspace: 99 is not a dtype");
    cr_expect_null(zc_linspace(NULL, 0, 1, 2, true, ZC_FLOAT32));
    finish(b);
}

Test(ranges, the_identity_has_its_ones_on_one_diagonal)
{
    bench b = begin();
    for (int64_t k = -4; k <= 4; k++) {
        const zc_tensor *t = zc_eye(b.ctx, 2, 3, k, ZC_INT32);
        expect_shape(t, 2, LENGTHS(2, 3));
        for (int64_t i = 0; i < 6; i++)
            cr_expect_eq(integer_at(t, i), i % 3 - i / 3 == k, "%lld: %lld", (long long)k, (long long)i);
    }
    expect_shape(zc_eye(b.ctx, 0, 3, INT64_MIN, ZC_BOOL), 2, LENGTHS(0, 3));
    EXPECT(zc_eye(b.ctx, 1, 2, INT64_MAX, ZC_FLOAT16), 0, 0);
    EXPECT(zc_eye(b.ctx, 1, 2, INT64_MIN, ZC_FLOAT16), 0, 0);
    expect_told(b, zc_eye(b.ctx, -1, 2, 0, ZC_FLOAT32), ZC_ERROR_ARGUMENT, "eye: the size is negative");
    expect_told(b, zc_eye(b.ctx, 1, -2, 0, ZC_FLOAT32), ZC_ERROR_ARGUMENT, "eye: the size is negative");
    expect_told(b, zc_eye(b.ctx, 1, 2, 0, (zc_dtype)99), ZC_ERROR_DTYPE, "eye: 99 is not a dtype");
    cr_expect_null(zc_eye(NULL, 1, 2, 0, ZC_FLOAT32));
    finish(b);
}

Test(fills, that_a_dtype_does_not_hold_are_refused)
{
    static const struct {
        zc_dtype dtype;
        double value;
        const char *sentence; /* NULL: held */
    } rows[] = {{ZC_UINT8, 255, NULL},
                {ZC_UINT8, 300, "full: uint8 does not hold 300"},
                {ZC_UINT8, -1, "full: uint8 does not hold -1"},
                {ZC_INT16, 1.5, "full: int16 does not hold 1.5"},
                {ZC_INT64, 0x1p63, "full: int64 does not hold 9.2233720368547758e+18"},
                {ZC_INT64, -0x1p63, NULL},
                {ZC_UINT64, 0x1p63, NULL},
                {ZC_UINT64, 0x1p64, "full: uint64 does not hold 1.8446744073709552e+19"},
                {ZC_INT32, (double)NAN, "full: int32 does not hold nan"},
                {ZC_BOOL, 1, NULL},
                {ZC_BOOL, 2, "full: bool does not hold 2"},
                {ZC_BOOL, (double)NAN, "full: bool does not hold nan"},
                {ZC_FLOAT16, 65504, NULL},
                {ZC_FLOAT16, 0.1, NULL},
                {ZC_FLOAT16, 70000, "full: float16 does not hold 70000"},
                {ZC_FLOAT16, (double)INFINITY, NULL},
                {ZC_FLOAT32, 1e39, "full: float32 does not hold 9.9999999999999994e+38"},
                {ZC_FLOAT32, (double)NAN, NULL},
                {ZC_COMPLEX64, 2, NULL},
                {ZC_COMPLEX64, -1e39, "full: complex64 does not hold -9.9999999999999994e+38"}};
    bench b = begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const zc_tensor *t = zc_full(b.ctx, ZC_SHAPE(2), rows[i].dtype, rows[i].value);
        if (rows[i].sentence != NULL)
            expect_told(b, t, ZC_ERROR_ARGUMENT, rows[i].sentence);
        else
            cr_expect_not_null(t, "%s", zc_error_text(b.ctx));
    }
    finish(b);
}

Test(fills, of_int64_are_exact)
{
    bench b = begin();
    const int64_t large = (INT64_C(1) << 53) + 1;
    cr_expect_eq(integer_at(zc_full_int64(b.ctx, ZC_SHAPE(2), ZC_INT64, large), 1), large);
    cr_expect_eq(integer_at(zc_full_int64(b.ctx, ZC_SHAPE(2), ZC_UINT64, INT64_MAX), 1), INT64_MAX);
    EXPECT(zc_full_int64(b.ctx, ZC_SHAPE(2), ZC_FLOAT64, large), 0x1p53, 0x1p53);
    EXPECT(zc_full_int64(b.ctx, ZC_SHAPE(1), ZC_INT8, -128), -128);
    expect_told(b, zc_full_int64(b.ctx, ZC_SHAPE(2), ZC_UINT64, -1), ZC_ERROR_ARGUMENT,
                "full_int64: uint64 does not hold -1");
    expect_told(b, zc_full_int64(b.ctx, ZC_SHAPE(2), ZC_INT8, 128), ZC_ERROR_ARGUMENT,
                "full_int64: int8 does not hold 128");
    expect_told(b, zc_full_int64(b.ctx, ZC_SHAPE(2), ZC_BOOL, 2), ZC_ERROR_ARGUMENT,
                "full_int64: bool does not hold 2");
    expect_told(b, zc_full_int64(b.ctx, ZC_SHAPE(2), ZC_FLOAT16, 70000), ZC_ERROR_ARGUMENT,
                "full_int64: float16 does not hold 70000");
    expect_told(b, zc_full_int64(b.ctx, ZC_SHAPE(2), (zc_dtype)99, 1), ZC_ERROR_DTYPE, "full_int64: 99 is not a dtype");
    cr_expect_null(zc_full_int64(NULL, ZC_SHAPE(2), ZC_INT8, 1));
    finish(b);
}

/* ---- Random numbers ---- */

/* Philox 2x32-10 by its definition. */
static uint64_t philox(uint64_t counter, uint32_t key)
{
    uint32_t low = (uint32_t)counter, high = (uint32_t)(counter >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t product = (uint64_t)low * 0xD256D193U;
        low = (uint32_t)(product >> 32) ^ key ^ high;
        high = (uint32_t)product;
        key += 0x9E3779B9U;
    }
    return (uint64_t)low << 32 | high;
}

Test(random, bits_are_those_of_the_generator)
{
    enum { COUNT = 3000 };
    static uint64_t bits[COUNT];
    static double uniform[COUNT];
    bench b = begin();
    cr_assert_eq(philox(UINT64_C(0x85a308d3243f6a88), 0x13198a2e), UINT64_C(0xdd7ce038f62a4c12)); /* its own answer */
    cr_assert_eq(zc_copy_to(zc_random_bits(b.ctx, ZC_SHAPE(30, 100), 77), ZC_UINT64, bits, sizeof bits), ZC_OK);
    cr_assert_eq(
        zc_copy_to(zc_random_uniform(b.ctx, ZC_SHAPE(COUNT), 77, ZC_FLOAT64), ZC_FLOAT64, uniform, sizeof uniform),
        ZC_OK);
    for (uint64_t i = 0; i < COUNT; i++) {
        cr_assert_eq(bits[i], philox(i, 77), "%d", (int)i);
        cr_assert_eq(uniform[i], (double)(philox(i, 77) >> 11) * 0x1p-53, "%d", (int)i);
    }
    const zc_tensor *narrow = zc_random_uniform(b.ctx, ZC_SHAPE(COUNT), 77, ZC_FLOAT32);
    cr_expect_eq(value_at(zc_index(narrow, 0, 5), 0), (double)(philox(5, 77) >> 40) * 0x1p-24);
    const zc_tensor *normal = zc_random_normal(b.ctx, ZC_SHAPE(200, 500), 3, ZC_FLOAT64);
    cr_expect(fabs(value_at(zc_mean(normal, ZC_ALL_AXES, false), 0)) < 0.02);
    cr_expect(fabs(value_at(zc_std(normal, ZC_ALL_AXES, 0, false), 0) - 1) < 0.02);
    finish(b);
}

Test(random, seeds_and_dtypes_are_refused)
{
    bench b = begin();
    expect_refused(b, zc_random_bits(b.ctx, ZC_SHAPE(3), UINT64_C(1) << 32), ZC_ERROR_ARGUMENT,
                   "random_bits: the seed 4294967296 is above 4294967295");
    expect_refused(b, zc_random_uniform(b.ctx, ZC_SHAPE(3), 1, ZC_FLOAT16), ZC_ERROR_DTYPE,
                   "random_uniform: makes float32 or float64");
    expect_refused(b, zc_random_normal(b.ctx, ZC_SHAPE(-3), 1, ZC_FLOAT32), ZC_ERROR_ARGUMENT,
                   "random_normal: size -3 of axis 0 of shape (-3,) is negative");
    expect_shape(zc_random_normal(b.ctx, ZC_SHAPE(0, 3), 1, ZC_FLOAT32), 2, LENGTHS(0, 3));
    zc_error_clear(NULL);
    cr_expect_null(zc_random_bits(NULL, ZC_SHAPE(3), 1));
    cr_expect_null(zc_random_uniform(NULL, ZC_SHAPE(3), 1, ZC_FLOAT32));
    cr_expect_null(zc_random_normal(NULL, ZC_SHAPE(3), 1, ZC_FLOAT32));
    zc_error_clear(NULL);
    finish(b);
}
