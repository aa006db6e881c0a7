/* Elementwise operations: dtypes, weak scalars, and results at the edges. */
#include <math.h>
#include <string.h>

#include "tests/api/values.h"

/* NumPy's result_type for every pair, row by row in the order of zc_dtype; bfloat16 is as float16. */
static const char *const promoted[ZC_DTYPE_COUNT] = {
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 float16 bfloat16 complex64 complex128",
    "int8 int8 int16 int32 int64 int16 int32 int64 float64 float32 float64 float16 bfloat16 complex64 complex128",
    "int16 int16 int16 int32 int64 int16 int32 int64 float64 float32 float64 float32 float32 complex64 complex128",
    "int32 int32 int32 int32 int64 int32 int32 int64 float64 float64 float64 float64 float64 complex128 complex128",
    "int64 int64 int64 int64 int64 int64 int64 int64 float64 float64 float64 float64 float64 complex128 complex128",
    "uint8 int16 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 float16 bfloat16 complex64 complex128",
    "uint16 int32 int32 int32 int64 uint16 uint16 uint32 uint64 float32 float64 float32 float32 complex64 complex128",
    "uint32 int64 int64 int64 int64 uint32 uint32 uint32 uint64 float64 float64 float64 float64 complex128 complex128",
    "uint64 float64 float64 float64 float64 uint64 uint64 uint64 uint64 float64 float64 float64 float64 complex128 "
    "complex128",
    "float32 float32 float32 float64 float64 float32 float32 float64 float64 float32 float64 float32 float32 complex64 "
    "complex128",
    "float64 float64 float64 float64 float64 float64 float64 float64 float64 float64 float64 float64 float64 "
    "complex128 complex128",
    "float16 float16 float32 float64 float64 float16 float32 float64 float64 float32 float64 float16 float32 complex64 "
    "complex128",
    "bfloat16 bfloat16 float32 float64 float64 bfloat16 float32 float64 float64 float32 float64 float32 bfloat16 "
    "complex64 complex128",
    "complex64 complex64 complex64 complex128 complex128 complex64 complex64 complex128 complex128 complex64 "
    "complex128 complex64 complex64 complex64 complex128",
    "complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 "
    "complex128 complex128 complex128 complex128 complex128",
};

Test(elementwise, promotion_is_numpys_result_type)
{
    bench b = begin();
    for (int i = 0; i < ZC_DTYPE_COUNT; i++) {
        const char *row = promoted[i];
        for (int j = 0; j < ZC_DTYPE_COUNT; j++) {
            zc_tensor *sum = zc_add(OF(b.ctx, (zc_dtype)i, 1), OF(b.ctx, (zc_dtype)j, 1));
            size_t length = strcspn(row, " ");
            const char *got = zc_dtype_name(zc_dtype_of(sum));
            cr_assert(strlen(got) == length && strncmp(got, row, length) == 0, "%s + %s is %s, not %.*s",
                      zc_dtype_name((zc_dtype)i), zc_dtype_name((zc_dtype)j), got, (int)length, row);
            row += length + 1;
        }
    }
    finish(b);
}

Test(elementwise, weak_scalars_take_the_dtype_they_meet)
{
    bench b = begin();
    zc_tensor *i8 = OF(b.ctx, ZC_INT8, 1), *f32 = OF(b.ctx, ZC_FLOAT32, 1), *flag = OF(b.ctx, ZC_BOOL, 1);
    zc_tensor *three = zc_weak_int(b.ctx, 3), *half = zc_weak_float(b.ctx, 0.5), *yes = zc_weak_bool(b.ctx, true);
    cr_assert(zc_is_weak(three) && !zc_is_weak(i8));
    cr_assert_eq(zc_dtype_of(zc_add(i8, three)), ZC_INT8);
    cr_assert_eq(zc_dtype_of(zc_add(three, f32)), ZC_FLOAT32);
    cr_assert_eq(zc_dtype_of(zc_add(f32, half)), ZC_FLOAT32);
    cr_assert_eq(zc_dtype_of(zc_add(OF(b.ctx, ZC_FLOAT16, 1), half)), ZC_FLOAT16);
    cr_assert_eq(zc_dtype_of(zc_add(three, OF(b.ctx, ZC_BFLOAT16, 1))), ZC_BFLOAT16);
    cr_assert_eq(zc_dtype_of(zc_add(i8, half)), ZC_FLOAT64);
    cr_assert_eq(zc_dtype_of(zc_add(flag, three)), ZC_INT64);
    cr_assert_eq(zc_dtype_of(zc_add(flag, yes)), ZC_BOOL);
    cr_assert_eq(zc_dtype_of(zc_add(i8, yes)), ZC_INT8);
    cr_assert_eq(zc_dtype_of(zc_add(three, half)), ZC_FLOAT64);
    zc_tensor *unit = zc_weak_complex(b.ctx, 0, 1);
    cr_assert_eq(zc_dtype_of(zc_add(f32, unit)), ZC_COMPLEX64);
    cr_assert_eq(zc_dtype_of(zc_add(OF(b.ctx, ZC_FLOAT64, 1), unit)), ZC_COMPLEX128);
    cr_assert_eq(zc_dtype_of(zc_multiply(unit, OF(b.ctx, ZC_FLOAT16, 1))), ZC_COMPLEX64);
    cr_assert_eq(zc_dtype_of(zc_multiply(OF(b.ctx, ZC_BFLOAT16, 1), unit)), ZC_COMPLEX64);
    cr_assert_eq(zc_dtype_of(zc_add(i8, unit)), ZC_COMPLEX128);
    cr_assert_eq(zc_dtype_of(zc_add(flag, unit)), ZC_COMPLEX128);
    cr_assert_eq(zc_dtype_of(zc_add(unit, half)), ZC_COMPLEX128);
    cr_assert_eq(zc_dtype_of(zc_add(OF(b.ctx, ZC_COMPLEX64, 1), half)), ZC_COMPLEX64);
    cr_assert_eq(zc_dtype_of(zc_add(OF(b.ctx, ZC_COMPLEX64, 1), unit)), ZC_COMPLEX64);
    cr_assert_eq(zc_dtype_of(zc_divide(f32, three)), ZC_FLOAT32);
    cr_assert_eq(zc_dtype_of(zc_divide(i8, three)), ZC_FLOAT64);
    cr_assert_eq(zc_dtype_of(zc_sqrt(three)), ZC_FLOAT64);
    cr_assert_null(zc_add(i8, zc_weak_int(b.ctx, 128)));
    cr_assert_not_null(strstr(zc_error_text(b.ctx), "128 does not fit in int8"), "%s", zc_error_text(b.ctx));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_OVERFLOW);
    zc_error_clear(b.ctx);
    cr_assert_null(zc_add(OF(b.ctx, ZC_UINT64, 1), zc_weak_int(b.ctx, -1)));
    zc_error_clear(b.ctx);
    cr_assert_eq(zc_dtype_of(zc_add(OF(b.ctx, ZC_UINT16, 1), zc_weak_int(b.ctx, 65535))), ZC_UINT16);
    finish(b);
}

Test(elementwise, domains_refuse_with_a_sentence)
{
    bench b = begin();
    zc_tensor *flag = OF(b.ctx, ZC_BOOL, 1), *f = OF(b.ctx, ZC_FLOAT32, 1);
    cr_assert_null(zc_subtract(flag, flag));
    cr_assert_str_eq(zc_error_text(b.ctx), "subtract: takes numbers, not bool; convert with astype");
    zc_error_clear(b.ctx);
    cr_assert_null(zc_bitwise_and(f, f));
    cr_assert_str_eq(zc_error_text(b.ctx), "bitwise_and: takes integers or bool, not float32");
    zc_error_clear(b.ctx);
    cr_assert_null(zc_where(f, f, f));
    cr_assert_str_eq(zc_error_text(b.ctx), "where: the condition is float32, not bool");
    zc_error_clear(b.ctx);
    cr_assert_null(zc_clip(f, OF(b.ctx, ZC_FLOAT32, 1, 2), OF(b.ctx, ZC_FLOAT32, 1, 2, 3)));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_SHAPE);
    zc_error_clear(b.ctx);
    zc_tensor *wide = zc_broadcast_to(f, ZC_SHAPE(INT64_C(1) << 40, 1));
    cr_assert_null(zc_add(wide, zc_broadcast_to(f, ZC_SHAPE(1, INT64_C(1) << 40))));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_OVERFLOW, "%s", zc_error_text(b.ctx));
    finish(b);
}

static void expect(const zc_tensor *t, const double *wanted, int n, const char *what)
{
    for (int i = 0; i < n; i++) {
        double got = value_at(t, i);
        cr_assert(got == wanted[i] || (isnan(got) && isnan(wanted[i])), "%s: element %d is %g, not %g", what, i, got,
                  wanted[i]);
        cr_assert_eq(signbit(got) != 0 && got == 0, signbit(wanted[i]) != 0 && wanted[i] == 0, "%s: zero's sign", what);
    }
}

#define EXACTLY(t, ...)                                                                                                \
    expect(t, (const double[]){__VA_ARGS__}, (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), #t)

Test(elementwise, integers_wrap_and_division_is_total)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_INT8, 127, -128, 7, -7, 7, -7, 5), *y = OF(b.ctx, ZC_INT8, 1, -1, 2, 2, -2, -2, 0);
    EXACTLY(zc_add(x, y), -128, 127, 9, -5, 5, -9, 5);
    EXACTLY(zc_multiply(x, x), 1, 0, 49, 49, 49, 49, 25);
    EXACTLY(zc_floor_divide(x, y), 127, -128, 3, -4, -4, 3, 0);
    EXACTLY(zc_remainder(x, y), 0, 0, 1, 1, -1, -1, 0);
    EXACTLY(zc_negative(x), -127, -128, -7, 7, -7, 7, -5);
    EXACTLY(zc_abs(x), 127, -128, 7, 7, 7, 7, 5);
    EXACTLY(zc_pow(OF(b.ctx, ZC_INT32, 2, -3, 1, -1, 5, -1), OF(b.ctx, ZC_INT32, 10, 3, -4, -3, -1, -2)), 1024, -27, 1,
            -1, 0, 1);
    EXACTLY(zc_subtract(OF(b.ctx, ZC_UINT8, 1), OF(b.ctx, ZC_UINT8, 2)), 255);
    EXACTLY(zc_bitwise_left_shift(OF(b.ctx, ZC_INT8, 1, 1, 1, 1), OF(b.ctx, ZC_INT8, 3, 8, -1, 7)), 8, 0, 0, -128);
    EXACTLY(zc_bitwise_right_shift(OF(b.ctx, ZC_INT8, -8, -8, 8, -8), OF(b.ctx, ZC_INT8, 1, 9, 9, -1)), -4, -1, 0, -1);
    EXACTLY(zc_bitwise_invert(OF(b.ctx, ZC_UINT8, 0, 255)), 255, 0);
    EXACTLY(zc_bitwise_invert(OF(b.ctx, ZC_BOOL, 0, 1)), 1, 0);
    EXACTLY(zc_bitwise_xor(OF(b.ctx, ZC_INT16, 6), OF(b.ctx, ZC_INT16, 3)), 5);
    EXACTLY(zc_bitwise_or(OF(b.ctx, ZC_INT16, 6), OF(b.ctx, ZC_INT16, 3)), 7);
    EXACTLY(zc_bitwise_left_shift(OF(b.ctx, ZC_BOOL, 1, 1), OF(b.ctx, ZC_BOOL, 0, 1)), 1, 0);
    EXACTLY(zc_bitwise_right_shift(OF(b.ctx, ZC_BOOL, 1, 1), OF(b.ctx, ZC_BOOL, 0, 1)), 1, 0);
    EXACTLY(zc_relu(OF(b.ctx, ZC_INT16, -2, 0, 3)), 0, 0, 3);
    finish(b);
}

Test(elementwise, floats_follow_ieee_and_python)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT32, 7, -7, 7, -7, 1, NAN, 0), *y = OF(b.ctx, ZC_FLOAT32, 2, 2, -2, -2, 0, 1, -1);
    EXACTLY(zc_floor_divide(x, y), 3, -4, -4, 3, INFINITY, NAN, -0.0);
    EXACTLY(zc_remainder(x, y), 1, 1, -1, -1, NAN, NAN, -0.0);
    EXACTLY(zc_minimum(x, y), 2, -7, -2, -7, 0, NAN, -1);
    EXACTLY(zc_maximum(y, x), 7, 2, 7, -2, 1, NAN, 0);
    EXACTLY(zc_clip(x, zc_weak_int(b.ctx, -1), zc_weak_int(b.ctx, 2)), 2, -1, 2, -1, 1, NAN, 0);
    EXACTLY(zc_relu(OF(b.ctx, ZC_FLOAT64, -1, 2, NAN)), 0, 2, NAN);
    EXACTLY(zc_sqrt(OF(b.ctx, ZC_INT32, 16, 0, -1)), 4, 0, NAN);
    EXACTLY(zc_divide(OF(b.ctx, ZC_INT32, 1, 1), OF(b.ctx, ZC_INT32, 4, 0)), 0.25, INFINITY);
    EXACTLY(zc_abs(OF(b.ctx, ZC_FLOAT32, -0.0, -2)), 0, 2);
    EXACTLY(zc_pow(OF(b.ctx, ZC_FLOAT32, 2, 4), OF(b.ctx, ZC_FLOAT32, -1, 0.5)), 0.5, 2);
    EXACTLY(zc_square(OF(b.ctx, ZC_FLOAT64, -3)), 9);
    finish(b);
}

/* Exponents 2 and -1 that take the dtype of what they meet are cheaper operations where those have the same bits. */
Test(elementwise, powers_of_weak_numbers_are_those_of_others)
{
    bench b = begin(), other = begin();
    zc_tensor *two = zc_weak_int(b.ctx, 2), *least = zc_weak_int(b.ctx, -1), *f = OF(b.ctx, ZC_FLOAT32, 4, -0.5);
    zc_tensor *i = OF(b.ctx, ZC_INT16, 3, -1), *z = zc_astype(f, ZC_COMPLEX64);
    EXACTLY(zc_pow(f, two), 16, 0.25);
    EXACTLY(zc_pow(f, least), 0.25, -2);
    EXACTLY(zc_pow(f, zc_weak_float(b.ctx, 2)), 16, 0.25);
    EXACTLY(zc_pow(f, zc_weak_float(b.ctx, -1)), 0.25, -2);
    EXACTLY(zc_pow(i, two), 9, 1);
    EXACTLY(zc_pow(i, least), 0, -1);
    EXACTLY(zc_pow(OF(b.ctx, ZC_BOOL, 1, 0), two), 1, 0);
    EXACTLY(zc_pow(i, zc_weak_float(b.ctx, 2)), 9, 1);
    EXACTLY(zc_pow(zc_weak_int(b.ctx, 3), two), 9);
    EXACTLY(zc_real(zc_pow(z, two)), 16, 0.25);
    EXACTLY(zc_real(zc_pow(z, least)), 0.25, -2);
    EXACTLY(zc_real(zc_pow(f, zc_weak_complex(b.ctx, 2, 0))), 16, 0.25);
    cr_assert_eq(zc_dtype_of(zc_pow(i, zc_weak_float(b.ctx, 2))), ZC_FLOAT64);
    expect_refused(b, zc_pow(f, NULL), ZC_ERROR_ARGUMENT, "pow: b is NULL");
    expect_refused(b, zc_pow(NULL, two), ZC_ERROR_ARGUMENT, "pow: a is NULL");
    cr_assert_null(zc_pow(f, zc_weak_int(other.ctx, 2)));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_ARGUMENT);
    finish(b);
    finish(other);
}

Test(elementwise, comparisons_and_logic_give_bool)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2, NAN, 0), *y = OF(b.ctx, ZC_FLOAT64, 2, 2, NAN, -0.0);
    EXACTLY(zc_equal(x, y), 0, 1, 0, 1);
    EXACTLY(zc_not_equal(x, y), 1, 0, 1, 0);
    EXACTLY(zc_less(x, y), 1, 0, 0, 0);
    EXACTLY(zc_less_equal(x, y), 1, 1, 0, 1);
    EXACTLY(zc_greater(x, y), 0, 0, 0, 0);
    EXACTLY(zc_greater_equal(x, y), 0, 1, 0, 1);
    EXACTLY(zc_logical_and(x, y), 1, 1, 1, 0);
    EXACTLY(zc_logical_or(x, OF(b.ctx, ZC_INT8, 0, 0, 0, 0)), 1, 1, 1, 0);
    EXACTLY(zc_logical_xor(x, y), 0, 0, 0, 0);
    EXACTLY(zc_logical_not(x), 0, 0, 0, 1);
    EXACTLY(zc_where(zc_less(x, y), x, zc_weak_int(b.ctx, 9)), 1, 9, 9, 9);
    EXACTLY(zc_add(OF(b.ctx, ZC_BOOL, 1, 0), OF(b.ctx, ZC_BOOL, 1, 0)), 1, 0);
    EXACTLY(zc_multiply(OF(b.ctx, ZC_BOOL, 1, 1), OF(b.ctx, ZC_BOOL, 1, 0)), 1, 0);
    EXACTLY(zc_maximum(OF(b.ctx, ZC_BOOL, 1, 0), OF(b.ctx, ZC_BOOL, 0, 0)), 1, 0);
    EXACTLY(zc_abs(OF(b.ctx, ZC_BOOL, 1, 0)), 1, 0);
    cr_assert_eq(zc_dtype_of(zc_logical_not(x)), ZC_BOOL);
    finish(b);
}

Test(elementwise, signed_and_uint64_compare_by_value)
{
    bench b = begin();
    const int64_t s[] = {-1, 0, INT64_MAX, 5, -1};
    const uint64_t u[] = {UINT64_MAX, 0, (uint64_t)INT64_MAX + 1, 4, 0};
    zc_tensor *x = zc_from_data(b.ctx, ZC_INT64, ZC_SHAPE(5), s, sizeof s);
    zc_tensor *y = zc_from_data(b.ctx, ZC_UINT64, ZC_SHAPE(5), u, sizeof u);
    EXACTLY(zc_equal(x, y), 0, 1, 0, 0, 0);
    EXACTLY(zc_not_equal(x, y), 1, 0, 1, 1, 1);
    EXACTLY(zc_less(x, y), 1, 0, 1, 0, 1);
    EXACTLY(zc_less_equal(x, y), 1, 1, 1, 0, 1);
    EXACTLY(zc_greater(x, y), 0, 0, 0, 1, 0);
    EXACTLY(zc_greater_equal(x, y), 0, 1, 0, 1, 0);
    EXACTLY(zc_equal(y, x), 0, 1, 0, 0, 0);
    EXACTLY(zc_not_equal(y, x), 1, 0, 1, 1, 1);
    EXACTLY(zc_less(y, x), 0, 0, 0, 1, 0);
    EXACTLY(zc_less_equal(y, x), 0, 1, 0, 1, 0);
    EXACTLY(zc_greater(y, x), 1, 0, 1, 0, 1);
    EXACTLY(zc_greater_equal(y, x), 1, 1, 1, 0, 1);
    EXACTLY(zc_less(y, OF(b.ctx, ZC_INT8, -1)), 0, 0, 0, 0, 0);
    EXACTLY(zc_greater(y, zc_weak_int(b.ctx, -1)), 1, 1, 1, 1, 1);
    finish(b);
}

/* A number that the other operand's dtype does not hold is an int64 where it is compared. */
Test(elementwise, numbers_that_do_not_fit_compare_by_value)
{
    bench b = begin();
    static const zc_dtype dtypes[] = {ZC_INT8, ZC_UINT8, ZC_UINT16, ZC_INT32, ZC_UINT32, ZC_UINT64, ZC_BOOL};
    static const int64_t numbers[] = {-1, INT64_MIN, 1000, INT64_C(1) << 40, INT64_MAX, 0, 1};
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++) {
        zc_tensor *x = OF(b.ctx, dtypes[d], 0, 1); /* so that C's own comparison tells */
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            const int64_t n = numbers[i];
            zc_tensor *number = zc_weak_int(b.ctx, n);
            EXACTLY(zc_equal(x, number), 0 == n, 1 == n);
            EXACTLY(zc_not_equal(number, x), 0 != n, 1 != n);
            EXACTLY(zc_less(x, number), 0 < n, 1 < n);
            EXACTLY(zc_less(number, x), n < 0, n < 1);
            EXACTLY(zc_greater_equal(x, number), 0 >= n, 1 >= n);
        }
    }
    EXACTLY(zc_divide(OF(b.ctx, ZC_INT8, 30), zc_weak_int(b.ctx, 300)), 0.1);
    finish(b);
}

Test(elementwise, conversion_saturates_and_wraps)
{
    bench b = begin();
    zc_tensor *f = OF(b.ctx, ZC_FLOAT64, 1e300, -1e300, NAN, 1.9, -1.9, 127.5, 256);
    EXACTLY(zc_astype(f, ZC_INT8), 127, -128, 0, 1, -1, 127, 127);
    EXACTLY(zc_astype(f, ZC_UINT8), 255, 0, 0, 1, 0, 127, 255);
    EXACTLY(zc_astype(f, ZC_BOOL), 1, 1, 1, 1, 1, 1, 1);
    EXACTLY(zc_astype(f, ZC_FLOAT32), INFINITY, -INFINITY, NAN, (double)1.9f, (double)-1.9f, 127.5, 256);
    EXACTLY(zc_astype(OF(b.ctx, ZC_INT32, 300, -1), ZC_UINT8), 44, 255);
    cr_assert_eq(integer_at(zc_astype(f, ZC_INT64), 0), INT64_MAX);
    cr_assert_eq(integer_at(zc_astype(f, ZC_INT64), 1), INT64_MIN);
    zc_tensor *same = zc_astype(f, ZC_FLOAT64);
    cr_assert_eq(value_at(same, 3), 1.9);
    finish(b);
}

/* Any byte but 0 in foreign memory is true. */
Test(elementwise, foreign_bools_are_read_as_truth_values)
{
    bench b = begin();
    static const uint8_t memory[] = {0, 1, 2, 255};
    zc_tensor *x = zc_import(b.ctx, ZC_BOOL, ZC_SHAPE(4), NULL, 0, memory, 4, NULL, NULL);
    EXACTLY(zc_equal(x, zc_weak_bool(b.ctx, true)), 0, 1, 1, 1);
    EXACTLY(zc_astype(x, ZC_INT32), 0, 1, 1, 1);
    EXACTLY(zc_sum(x, ZC_ALL_AXES, false), 3);
    EXACTLY(zc_where(x, x, x), 0, 1, 1, 1);
    EXACTLY(zc_argmax(x, ZC_ALL_AXES, false), 1);
    finish(b);
}

Test(elementwise, result_type_is_where_operands_meet)
{
    zc_context *ctx = zc_context_new(NULL), *foreign = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_dtype dtype = ZC_BOOL;
    zc_tensor *i8 = zc_full(ctx, ZC_SHAPE(2), ZC_INT8, 1), *u16 = zc_full(ctx, ZC_SCALAR_SHAPE, ZC_UINT16, 1);
    zc_tensor *other = zc_full(foreign, ZC_SCALAR_SHAPE, ZC_INT8, 1), *large = zc_weak_int(ctx, 300);
    cr_assert_eq(zc_result_type(2, (const zc_tensor *const[]){i8, u16}, &dtype), ZC_OK);
    cr_assert_eq(dtype, ZC_INT32);
    cr_assert_eq(zc_result_type(2, (const zc_tensor *const[]){zc_weak_int(ctx, 3), i8}, &dtype), ZC_OK);
    cr_assert_eq(dtype, ZC_INT8);
    cr_assert_eq(zc_result_type(1, (const zc_tensor *const[]){zc_weak_float(ctx, 3)}, &dtype), ZC_OK);
    cr_assert_eq(dtype, ZC_FLOAT64);
    cr_assert_eq(zc_result_type(2, (const zc_tensor *const[]){i8, large}, &dtype), ZC_ERROR_OVERFLOW);
    cr_assert_str_eq(zc_error_text(ctx), "result_type: the integer 300 does not fit in int8");
    cr_assert_eq(zc_result_type(2, (const zc_tensor *const[]){i8, other}, &dtype), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_result_type(1, (const zc_tensor *const[]){i8}, NULL), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_result_type(2, (const zc_tensor *const[]){i8, NULL}, &dtype), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_result_type(0, NULL, &dtype), ZC_ERROR_ARGUMENT);
    zc_release(other);
    zc_scope_end(scope);
    zc_context_free(foreign);
    zc_context_free(ctx);
}
