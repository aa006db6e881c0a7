/* Bits as another dtype: existing data in place, computed data as it is computed. And copies, which are the contrary.
 */
#include <string.h>

#include "tests/api/values.h"

Test(bitcast, existing_data_is_shown_in_place)
{
    bench b = begin();
    const float values[] = {0, 1, -2, 3, 4, 5};
    zc_tensor *x = zc_from_data(b.ctx, ZC_FLOAT32, ZC_SHAPE(2, 3), values, sizeof values);
    int64_t held = zc_memory_usage(b.ctx).held_bytes;
    zc_tensor *bytes = zc_bitcast(x, ZC_UINT8), *words = zc_bitcast(zc_flip(x, ZC_AXES(0)), ZC_UINT32);
    zc_tensor *back = zc_bitcast(bytes, ZC_FLOAT32), *wide = zc_bitcast(zc_reshape(x, ZC_SHAPE(6)), ZC_FLOAT64);
    cr_assert(zc_is_view(bytes) && zc_is_view(words) && zc_is_view(back) && zc_is_view(wide));
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes, held, "a bit cast took data memory");
    cr_assert(zc_rank(bytes) == 2 && zc_shape(bytes)[0] == 2 && zc_shape(bytes)[1] == 12);
    cr_assert(zc_data(bytes) == zc_data(x) && zc_data(back) == zc_data(x) && zc_data(wide) == zc_data(x));
    cr_assert_eq(zc_shape(back)[1], 3);
    cr_assert_eq(zc_size(wide), 3);
    double pair;
    memcpy(&pair, values + 4, sizeof pair);
    cr_assert_eq(value_at(wide, 2), pair);
    cr_assert_eq(integer_at(words, 3), 0);
    cr_assert_eq(integer_at(words, 5), INT64_C(0xc0000000));
    cr_assert_eq(integer_at(bytes, 11), 0xc0);
    zc_release(zc_keep(x)); /* the bytes live as long as a tensor shows them */
    cr_assert_eq(value_at(back, 4), 4);
    cr_assert_eq(integer_at(zc_add(zc_astype(bytes, ZC_UINT32), zc_bitcast(words, ZC_UINT8)), 7), 0x7f);
    finish(b);
}

/* Every pair of dtypes of one size, on values still to be computed and on constants, against the data's own bytes. */
Test(bitcast, computed_elements_keep_their_bits)
{
    bench b = begin();
    for (zc_dtype from = 0; from < ZC_DTYPE_COUNT; from++) {
        zc_tensor *x = OF(b.ctx, from, 0, 1, 100, 3, 77), *exists = NULL;
        cr_assert_eq(zc_materialize(zc_copy(x), &exists), ZC_OK);
        for (zc_dtype to = 0; to < ZC_DTYPE_COUNT; to++) {
            zc_tensor *computed = zc_where(zc_broadcast_to(zc_weak_bool(b.ctx, true), ZC_SHAPE(5)), x, x);
            zc_tensor *lazy = zc_bitcast(computed, to), *wanted = zc_bitcast(exists, to), *got = NULL, *dense = NULL;
            if (zc_dtype_bytes(from) != zc_dtype_bytes(to)) {
                cr_assert_null(lazy);
                cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_DTYPE);
                zc_error_clear(b.ctx);
                continue;
            }
            cr_assert_not(zc_is_view(lazy));
            cr_assert(zc_materialize(lazy, &got) == ZC_OK && zc_materialize(zc_copy(wanted), &dense) == ZC_OK);
            cr_assert(zc_dtype_of(got) == to && zc_size(got) == 5);
            cr_assert_arr_eq(zc_data(got), zc_data(dense), 5 * zc_dtype_bytes(to), "%s to %s", zc_dtype_name(from),
                             zc_dtype_name(to));
        }
    }
    cr_assert_eq(integer_at(zc_bitcast(zc_weak_float(b.ctx, 1.5), ZC_INT64), 0), INT64_C(0x3ff8000000000000));
    cr_assert_not(zc_is_weak(zc_bitcast(zc_weak_int(b.ctx, 1), ZC_INT64)));
    finish(b);
}

/* A computed NaN keeps its payload on the way to integers, in both executors. */
Test(bitcast, both_executors_see_the_same_bits)
{
    for (zc_executor executor = ZC_EXECUTOR_TILE; executor <= ZC_EXECUTOR_REFERENCE; executor++) {
        bench b = begin_with((zc_options){.executor = executor});
        const uint32_t bits[] = {0x7fc12345, 0xff800001, 0x80000000, 1};
        zc_tensor *x = zc_from_data(b.ctx, ZC_UINT32, ZC_SHAPE(4), bits, sizeof bits);
        zc_tensor *floats = zc_bitcast(zc_bitwise_or(x, zc_weak_int(b.ctx, 0)), ZC_FLOAT32);
        zc_tensor *again = zc_bitcast(zc_flip(floats, ZC_ALL_AXES), ZC_UINT32);
        for (int i = 0; i < 4; i++)
            cr_assert_eq(integer_at(again, i), bits[3 - i]);
        finish(b);
    }
}

Test(bitcast, any_byte_but_0_is_true)
{
    bench b = begin();
    const uint8_t bytes[] = {0, 1, 2, 255};
    zc_tensor *x = zc_from_data(b.ctx, ZC_UINT8, ZC_SHAPE(4), bytes, sizeof bytes);
    zc_tensor *truth = zc_bitcast(x, ZC_BOOL), *computed = zc_bitcast(zc_bitwise_invert(x), ZC_BOOL);
    cr_assert_eq(zc_data(truth), zc_data(x));
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(integer_at(zc_logical_and(truth, truth), i), i > 0);
        cr_assert_eq(integer_at(computed, i), i < 3);
    }
    finish(b);
}

Test(bitcast, refuses_what_is_not_aligned)
{
    bench b = begin();
    _Alignas(8) static const uint8_t bytes[32] = {0};
    zc_tensor *odd = zc_import(b.ctx, ZC_UINT8, ZC_SHAPE(16), NULL, 0, bytes + 1, 16, NULL, NULL);
    cr_assert_null(zc_bitcast(odd, ZC_INT16));
    cr_assert_not_null(strstr(zc_error_text(b.ctx), "bitcast: the memory is not aligned to elements of int16"));
    zc_error_clear(b.ctx);
    zc_tensor *even = zc_import(b.ctx, ZC_UINT8, ZC_SHAPE(16), NULL, 0, bytes, 16, NULL, NULL);
    cr_assert_null(zc_bitcast(zc_slice(even, 0, 2, 10, 1), ZC_INT32));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_ARGUMENT);
    zc_error_clear(b.ctx);
    cr_assert_not_null(zc_bitcast(zc_slice(even, 0, 2, 10, 1), ZC_INT16));
    cr_assert_null(zc_bitcast(even, ZC_DTYPE_COUNT));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_DTYPE);
    finish(b);
}

Test(bitcast, a_copy_has_memory_of_its_own)
{
    bench b = begin();
    const double values[] = {1, 2, 3, 4};
    zc_tensor *x = zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(2, 2), values, sizeof values), *copy = NULL;
    int64_t held = zc_memory_usage(b.ctx).held_bytes;
    zc_tensor *recorded = zc_copy(zc_matrix_transpose(x));
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes, held, "recording a copy took data memory");
    cr_assert_not(zc_is_view(recorded));
    cr_assert_eq(zc_materialize(recorded, &copy), ZC_OK);
    cr_assert_arr_eq(zc_data(copy), ((const double[]){1, 3, 2, 4}), sizeof values);
    cr_assert_eq(zc_materialize(zc_copy(x), &copy), ZC_OK);
    cr_assert_neq(zc_data(copy), zc_data(x));
    cr_assert_arr_eq(zc_data(copy), values, sizeof values);
    finish(b);
}

Test(bitcast, reshape_view_never_copies)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(zc_iota(b.ctx, 24), ZC_SHAPE(2, 3, 4)), *y = zc_negative(x);
    zc_tensor *flat = zc_reshape_view(zc_slice(y, 0, 1, 2, 1), ZC_SHAPE(-1));
    cr_assert(zc_rank(flat) == 1 && zc_size(flat) == 12);
    cr_assert_eq(integer_at(flat, 3), -15);
    cr_assert_eq(zc_broadcast_axes(zc_reshape_view(zc_broadcast_to(x, ZC_SHAPE(6, 2, 3, 4)), ZC_SHAPE(2, 3, 6, 4))), 3);
    cr_assert_null(zc_reshape_view(zc_matrix_transpose(y), ZC_SHAPE(24)));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_SHAPE);
    cr_assert_str_eq(zc_error_text(b.ctx),
                     "reshape_view: shape (2, 4, 3) with strides (12, 1, 4) takes a copy to become (24,)");
    zc_error_clear(b.ctx);
    cr_assert_null(zc_reshape_view(y, ZC_SHAPE(5, 5)));
    cr_assert_not_null(strstr(zc_error_text(b.ctx), "reshape_view: shape (2, 3, 4) of 24 elements"));
    finish(b);
}
