/* Results read as numbers, copied out in another dtype, and put in the place of what a loop goes on with. */
#include "tests/api/values.h"

#include <math.h>

static const zc_dtype integers[] = {ZC_BOOL,  ZC_INT8,   ZC_INT16,  ZC_INT32, ZC_INT64,
                                    ZC_UINT8, ZC_UINT16, ZC_UINT32, ZC_UINT64};
static const zc_dtype floats[] = {ZC_FLOAT16, ZC_BFLOAT16, ZC_FLOAT32, ZC_FLOAT64};

static void expect_failure(bench b, zc_status status, zc_status wanted, const char *sentence)
{
    cr_expect_eq(status, wanted);
    cr_expect_str_eq(zc_error_text(b.ctx), sentence);
    zc_error_clear(b.ctx);
}

static void expect_number(const zc_tensor *t, double wanted)
{
    double value = -77;
    int64_t integer = -77;
    cr_expect_eq(zc_item(t, &value), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    cr_expect_eq(value, wanted, "%s: %g", zc_dtype_name(zc_dtype_of(t)), value);
    cr_expect_eq(zc_item_int64(t, &integer), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    cr_expect_eq((double)integer, wanted);
}

Test(item, gives_the_number_of_every_dtype)
{
    bench b = begin();
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        expect_number(zc_index(OF(b.ctx, integers[i], 0, 1), 0, 1), 1);
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        double value = 0;
        expect_number(zc_negative(zc_index(OF(b.ctx, floats[i], 0, 96), 0, 1)), -96);
        cr_expect_eq(zc_item(zc_full(b.ctx, ZC_SHAPE(1, 1), floats[i], -0.25), &value), ZC_OK);
        cr_expect_eq(value, -0.25);
    }
    const unsigned char truth = 7; /* foreign memory */
    expect_number(zc_from_data(b.ctx, ZC_BOOL, ZC_SHAPE(1), &truth, 1), 1);
    expect_number(zc_sum(OF(b.ctx, ZC_UINT8, 200, 100), ZC_ALL_AXES, false), 300);
    finish(b);
}

Test(item, gives_whole_numbers_exactly)
{
    static const int64_t signed_values[] = {INT64_MIN, INT64_MAX, (INT64_C(1) << 53) + 1, INT64_C(1) << 53, -1};
    static const bool is_double[] = {true, false, false, true, true};
    bench b = begin();
    for (int i = 0; i < 5; i++) {
        const zc_tensor *t = zc_from_data(b.ctx, ZC_INT64, ZC_SHAPE(1), &signed_values[i], sizeof(int64_t));
        int64_t integer = 5;
        double value = 5;
        cr_expect_eq(zc_item_int64(t, &integer), ZC_OK);
        cr_expect_eq(integer, signed_values[i]);
        if (is_double[i]) {
            cr_expect_eq(zc_item(t, &value), ZC_OK);
            cr_expect_eq(value, (double)signed_values[i]);
        } else {
            expect_failure(b, zc_item(t, &value), ZC_ERROR_OVERFLOW,
                           "item: a double does not hold the int64; ask for item_int64()");
            cr_expect_eq(value, 5, "on failure it stays");
        }
    }
    const uint64_t large[] = {UINT64_MAX, UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1};
    const zc_tensor *t = zc_from_data(b.ctx, ZC_UINT64, ZC_SHAPE(3), large, sizeof large);
    double value = 5;
    int64_t integer = 5;
    expect_failure(b, zc_item(zc_index(t, 0, 0), &value), ZC_ERROR_OVERFLOW,
                   "item: a double does not hold the uint64; ask for item_int64()");
    expect_failure(b, zc_item(zc_index(t, 0, 2), &value), ZC_ERROR_OVERFLOW,
                   "item: a double does not hold the uint64; ask for item_int64()");
    expect_failure(b, zc_item_int64(zc_index(t, 0, 0), &integer), ZC_ERROR_OVERFLOW,
                   "item_int64: 18446744073709551615 is no int64");
    cr_expect_eq(zc_item(zc_index(t, 0, 1), &value), ZC_OK);
    cr_expect_eq(value, 0x1p63);
    cr_expect_eq(integer, 5);
    finish(b);
}

Test(item, refuses_what_is_no_number_of_the_type)
{
    static const double no_integers[] = {2.5, -0.5, 0x1p63, -0x1p64, INFINITY, NAN};
    static const char *const sentences[] = {"item_int64: 2.5 is no int64",
                                            "item_int64: -0.5 is no int64",
                                            "item_int64: 9.2233720368547758e+18 is no int64",
                                            "item_int64: -1.8446744073709552e+19 is no int64",
                                            "item_int64: inf is no int64",
                                            "item_int64: nan is no int64"};
    bench b = begin();
    int64_t integer = 5;
    double value = 5;
    for (int i = 0; i < 6; i++)
        expect_failure(b, zc_item_int64(zc_weak_float(b.ctx, no_integers[i]), &integer), ZC_ERROR_OVERFLOW,
                       sentences[i]);
    expect_number(zc_full(b.ctx, ZC_SCALAR_SHAPE, ZC_FLOAT64, -0x1p63), -0x1p63);
    const zc_tensor *two = OF(b.ctx, ZC_FLOAT64, 1, 2);
    expect_failure(b, zc_item(two, &value), ZC_ERROR_SHAPE, "item: a tensor of 2 elements is not one number");
    expect_failure(b, zc_item_int64(zc_weak_complex(b.ctx, 1, 0), &integer), ZC_ERROR_DTYPE,
                   "item_int64: complex128 has two parts; take real() or imag()");
    expect_failure(b, zc_item(zc_weak_int(b.ctx, 1), NULL), ZC_ERROR_ARGUMENT,
                   "item: there is nowhere to put the result");
    cr_expect_eq(zc_item(NULL, &value), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_item_int64(NULL, &integer), ZC_ERROR_ARGUMENT);
    const zc_tensor *outside = zc_take(two, OF(b.ctx, ZC_INT64, 7), 0);
    cr_expect_eq(zc_item(outside, &value), ZC_ERROR_INDEX);
    cr_expect_eq(value, 5);
    cr_expect_eq(integer, 5);
    finish(b);
}

Test(item, copies_are_converted_as_astype_does)
{
    bench b = begin();
    const zc_tensor *x = zc_matrix_transpose(zc_reshape(OF(b.ctx, ZC_FLOAT64, 1.75, -2, 300, 4), ZC_SHAPE(2, 2)));
    int32_t whole[4];
    float same[4];
    cr_expect_eq(zc_copy_to(x, ZC_INT32, whole, sizeof whole), ZC_OK);
    cr_expect(whole[0] == 1 && whole[1] == 300 && whole[2] == -2 && whole[3] == 4);
    cr_expect_eq(zc_copy_to(x, ZC_FLOAT32, same, sizeof same), ZC_OK);
    cr_expect(same[0] == 1.75F && same[1] == 300 && same[2] == -2 && same[3] == 4);
    expect_failure(b, zc_copy_to(x, ZC_INT32, whole, sizeof whole - 1), ZC_ERROR_ARGUMENT,
                   "copy_to: 15 bytes are not those of 4 elements of int32");
    expect_failure(b, zc_copy_to(x, ZC_INT32, NULL, sizeof whole), ZC_ERROR_ARGUMENT, "copy_to: the target is NULL");
    cr_expect_eq(zc_copy_to(NULL, ZC_INT32, whole, sizeof whole), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_copy_to(x, (zc_dtype)99, whole, sizeof whole), ZC_ERROR_DTYPE);
    zc_error_clear(b.ctx);
    const zc_tensor *endless = zc_full(b.ctx, ZC_SHAPE(INT64_C(1) << 61), ZC_UINT8, 1);
    cr_expect_eq(zc_copy_to(endless, ZC_COMPLEX128, whole, sizeof whole), ZC_ERROR_ARGUMENT);
    finish(b);
}

/* ---- Replacing ---- */

/* 1, 1.5, 1.75 ... from a slot that begins within a scope. */
Test(replace, a_loop_goes_on_with_its_result)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *outer = zc_scope_begin(ctx);
    zc_tensor *x = zc_full(ctx, ZC_SHAPE(100), ZC_FLOAT64, 1);
    for (int i = 0; i < 50; i++) {
        zc_scope *inner = zc_scope_begin(ctx);
        cr_assert_eq(zc_replace(&x, zc_add(zc_multiply(x, zc_weak_float(ctx, 0.5)), zc_weak_int(ctx, 1))), ZC_OK);
        zc_scope_end(inner);
        cr_expect_eq(zc_memory_usage(ctx).held_bytes, 800, "step %d", i);
    }
    zc_scope_end(outer);
    double last = 0;
    zc_tensor *element = zc_index(x, 0, 99);
    cr_expect_eq(zc_item(element, &last), ZC_OK);
    cr_expect_lt(fabs(last - 2), 1e-14);
    zc_release(element);
    zc_release(x);
    zc_context_free(ctx);
}

Test(replace, several_are_replaced_or_none)
{
    bench b = begin();
    zc_tensor *x = zc_keep(OF(b.ctx, ZC_FLOAT64, 1, 2)), *y = NULL, *was = x;
    zc_tensor **slots[] = {&x, &y}, **no_slot[] = {&x, NULL};
    const zc_tensor *z = zc_square(x), *outside = zc_take(x, OF(b.ctx, ZC_INT64, 7), 0);
    cr_expect_eq(zc_replace_all(ZC_TENSORS(z, outside), slots), ZC_ERROR_INDEX);
    zc_error_clear(b.ctx);
    cr_expect(x == was && y == NULL);
    expect_failure(b, zc_replace_all(ZC_TENSORS(z, z), no_slot), ZC_ERROR_ARGUMENT,
                   "replace_all: there is nowhere to put the result");
    expect_failure(b, zc_replace_all(ZC_TENSORS(z), NULL), ZC_ERROR_ARGUMENT,
                   "replace_all: there is nowhere to put the result");
    expect_failure(b, zc_replace(NULL, z), ZC_ERROR_ARGUMENT, "replace: there is nowhere to put the result");
    cr_expect_eq(zc_replace(&x, NULL), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_replace_all(0, NULL, NULL), ZC_OK);
    cr_expect_eq(x, was);
    cr_assert_eq(zc_replace_all(ZC_TENSORS(zc_negative(z), zc_sum(z, ZC_ALL_AXES, false)), slots), ZC_OK);
    EXPECT(x, -1, -4);
    EXPECT(y, 5);
    zc_release(x);
    zc_release(y);
    finish(b);
}
