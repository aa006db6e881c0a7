/*
 * Rearranging: concat, stack, roll, pad, tile, repeat, take and take_along_axis. What they give, what they refuse and
 * in which words, and what they cost, which is nothing before something is materialised.
 */
#include <string.h>

#include "tests/api/values.h"

/* ---- What they give ---- */

Test(rearrange, concat_and_stack_put_tensors_in_a_row)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 2)), *y = zc_add(count_to(b, ZC_SHAPE(1, 2)), zc_weak_int(b.ctx, 10));
    EXPECT(zc_concat(b.ctx, TENSORS(x, y, x), 0), 0, 1, 2, 3, 10, 11, 0, 1, 2, 3);
    EXPECT(zc_concat(b.ctx, TENSORS(x, zc_matrix_transpose(y)), -1), 0, 1, 10, 2, 3, 11);
    EXPECT(zc_concat(b.ctx, TENSORS(x), 1), 0, 1, 2, 3);
    EXPECT(zc_concat(b.ctx, TENSORS(zc_slice(x, 0, 0, 0, 1), y, zc_slice(x, 0, 0, 0, 1)), 0), 10, 11);
    zc_tensor *stacked[] = {zc_stack(b.ctx, TENSORS(x, zc_negative(x)), 0),
                            zc_stack(b.ctx, TENSORS(x, zc_negative(x)), 1),
                            zc_stack(b.ctx, TENSORS(x, zc_negative(x)), -1)};
    EXPECT(stacked[0], 0, 1, 2, 3, 0, -1, -2, -3);
    EXPECT(stacked[1], 0, 1, 0, -1, 2, 3, -2, -3);
    EXPECT(stacked[2], 0, 0, 1, -1, 2, -2, 3, -3);
    for (int i = 0; i < 3; i++)
        expect_shape(stacked[i], ZC_SHAPE(2, 2, 2));
    zc_tensor *scalars = zc_stack(b.ctx, TENSORS(zc_weak_int(b.ctx, 4), zc_index(zc_index(x, 0, 1), 0, 1)), 0);
    expect_shape(scalars, ZC_SHAPE(2));
    EXPECT(scalars, 4, 3);
    finish(b);
}

Test(rearrange, roll_brings_the_end_round_to_the_front)
{
    bench b = begin();
    zc_tensor *x = zc_iota(b.ctx, 5), *grid = count_to(b, ZC_SHAPE(2, 3));
    EXPECT(zc_roll(x, 1, LENGTHS(2), (const int[]){0}), 3, 4, 0, 1, 2);
    EXPECT(zc_roll(x, 1, LENGTHS(-1), (const int[]){-1}), 1, 2, 3, 4, 0);
    EXPECT(zc_roll(x, 1, LENGTHS(10), (const int[]){0}), 0, 1, 2, 3, 4);
    EXPECT(zc_roll(x, 1, LENGTHS(INT64_MIN), (const int[]){0}), 3, 4, 0, 1, 2); /* -2^63 is 2 above a multiple of 5 */
    EXPECT(zc_roll(x, 0, NULL, NULL), 0, 1, 2, 3, 4);
    EXPECT(zc_roll(grid, 2, LENGTHS(1, 1), (const int[]){0, 1}), 5, 3, 4, 2, 0, 1);
    EXPECT(zc_roll(grid, 2, LENGTHS(1, 1), (const int[]){1, 1}), 1, 2, 0, 4, 5, 3);
    expect_shape(zc_roll(zc_slice(grid, 0, 0, 0, 1), 1, LENGTHS(7), (const int[]){0}), ZC_SHAPE(0, 3));
    finish(b);
}

Test(rearrange, pad_continues_an_axis_in_five_ways)
{
    bench b = begin();
    zc_tensor *x = zc_add(zc_iota(b.ctx, 3), zc_weak_int(b.ctx, 1));
    EXPECT(zc_pad(x, 1, LENGTHS(2), LENGTHS(1), ZC_PAD_CONSTANT, NULL), 0, 0, 1, 2, 3, 0);
    EXPECT(zc_pad(x, 1, LENGTHS(2), LENGTHS(1), ZC_PAD_CONSTANT, zc_weak_float(b.ctx, 7.9)), 7, 7, 1, 2, 3, 7);
    EXPECT(zc_pad(x, 1, LENGTHS(2), LENGTHS(1), ZC_PAD_EDGE, NULL), 1, 1, 1, 2, 3, 3);
    EXPECT(zc_pad(x, 1, LENGTHS(5), LENGTHS(4), ZC_PAD_REFLECT, NULL), 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3);
    EXPECT(zc_pad(x, 1, LENGTHS(5), LENGTHS(4), ZC_PAD_SYMMETRIC, NULL), 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1);
    EXPECT(zc_pad(x, 1, LENGTHS(5), LENGTHS(4), ZC_PAD_WRAP, NULL), 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1);
    EXPECT(zc_pad(x, 1, LENGTHS(0), LENGTHS(0), ZC_PAD_WRAP, NULL), 1, 2, 3);
    EXPECT(zc_pad(zc_slice(x, 0, 1, 3, 1), 1, LENGTHS(3), LENGTHS(2), ZC_PAD_REFLECT, NULL), 3, 2, 3, 2, 3, 2, 3);
    EXPECT(zc_pad(count_to(b, ZC_SHAPE(1, 2)), 2, LENGTHS(1, 0), LENGTHS(0, 1), ZC_PAD_CONSTANT, NULL), 0, 0, 0, 0, 1,
           0);
    EXPECT(zc_pad(zc_slice(x, 0, 0, 0, 1), 1, LENGTHS(1), LENGTHS(1), ZC_PAD_CONSTANT, zc_weak_int(b.ctx, 4)), 4, 4);
    EXPECT(zc_pad(zc_index(x, 0, 2), 0, LENGTHS(0), LENGTHS(0), ZC_PAD_EDGE, NULL), 3);
    cr_assert_eq(zc_dtype_of(zc_pad(x, 1, LENGTHS(1), LENGTHS(1), ZC_PAD_CONSTANT, zc_weak_float(b.ctx, 1))), ZC_INT64);
    finish(b);
}

/* One element has nothing to turn round to: each mode repeats it, without a run for every time. */
Test(rearrange, padding_of_one_element_is_a_broadcast)
{
    bench b = begin();
    const int64_t most = INT64_MAX / 2 - 1;
    zc_tensor *one = zc_slice(zc_iota(b.ctx, 9), 0, 5, 6, 1);
    for (int mode = ZC_PAD_EDGE; mode <= ZC_PAD_WRAP; mode++) {
        zc_tensor *wide = zc_pad(one, 1, LENGTHS(most), LENGTHS(most), (zc_pad_mode)mode, NULL);
        expect_shape(wide, ZC_SHAPE(2 * most + 1));
        EXPECT(zc_slice(wide, 0, most - 1, most + 2, 1), 5, 5, 5);
        EXPECT(zc_index(wide, 0, 0), 5);
    }
    finish(b);
}

/* The place in an axis of `extent` elements that stands at place i of the axis continued for ever. */
static int64_t continued(zc_pad_mode mode, int64_t extent, int64_t i)
{
    int64_t step = mode == ZC_PAD_REFLECT ? extent - 1 : extent, period = mode == ZC_PAD_WRAP ? extent : 2 * step;
    int64_t at = (i % period + period) % period;
    if (mode == ZC_PAD_WRAP || at < extent)
        return at;
    return mode == ZC_PAD_REFLECT ? period - at : period - 1 - at;
}

/* Wide padding is recorded in a few nodes, whatever its width, and read at any place. */
Test(rearrange, wide_padding_repeats_an_axis_by_positions)
{
    static const int64_t widths[] = {20, 23, 1000, INT64_MAX / 4};
    bench b = begin();
    zc_tensor *x = zc_add(zc_iota(b.ctx, 3), zc_weak_int(b.ctx, 10));
    for (int mode = ZC_PAD_REFLECT; mode <= ZC_PAD_WRAP; mode++) {
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            const int64_t nodes = zc_memory_usage(b.ctx).nodes, before = widths[w], after = widths[w] / 2;
            zc_tensor *wide = zc_pad(x, 1, LENGTHS(before), LENGTHS(after), (zc_pad_mode)mode, NULL);
            expect_shape(wide, ZC_SHAPE(before + 3 + after));
            cr_expect_leq(zc_memory_usage(b.ctx).nodes, nodes + 40);
            const int64_t places[] = {0, 1, 7, before - 2, before, before + 3, before + after, before + after + 2};
            for (size_t i = 0; i < sizeof places / sizeof *places; i++)
                EXPECT(zc_index(wide, 0, places[i]),
                       (double)(10 + continued((zc_pad_mode)mode, 3, places[i] - before)));
        }
    }
    finish(b);
}

Test(rearrange, tile_and_repeat_say_again)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 2));
    EXPECT(zc_tile(x, 2, LENGTHS(1, 2)), 0, 1, 0, 1, 2, 3, 2, 3);
    EXPECT(zc_tile(x, 2, LENGTHS(2, 1)), 0, 1, 2, 3, 0, 1, 2, 3);
    EXPECT(zc_tile(x, 1, LENGTHS(2)), 0, 1, 0, 1, 2, 3, 2, 3);
    expect_shape(zc_tile(x, 3, LENGTHS(3, 1, 2)), ZC_SHAPE(3, 2, 4));
    EXPECT(zc_tile(x, 0, NULL), 0, 1, 2, 3);
    expect_shape(zc_tile(x, 2, LENGTHS(0, 2)), ZC_SHAPE(0, 4));
    EXPECT(zc_tile(zc_weak_int(b.ctx, 6), 1, LENGTHS(3)), 6, 6, 6);
    EXPECT(zc_repeat(x, 2, 0), 0, 1, 0, 1, 2, 3, 2, 3);
    EXPECT(zc_repeat(x, 2, -1), 0, 0, 1, 1, 2, 2, 3, 3);
    expect_shape(zc_repeat(x, 0, 1), ZC_SHAPE(2, 0));
    finish(b);
}

/* An empty axis, or one that is said once, takes no axis more, however often and whatever the rank. */
Test(rearrange, repeating_nothing_takes_nothing)
{
    bench b = begin();
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < ZC_MAX_RANK; a++)
        shape[a] = a < 60 ? 1 : 2;
    zc_tensor *deep = count_to(b, ZC_MAX_RANK, shape), *empty = zc_slice(count_to(b, ZC_SHAPE(2, 5)), 0, 0, 0, 1);
    expect_shape(zc_repeat(deep, 1, 63), ZC_MAX_RANK, shape);
    expect_shape(zc_tile(deep, 1, LENGTHS(1)), ZC_MAX_RANK, shape);
    expect_shape(zc_tile(empty, 2, LENGTHS(INT64_C(1) << 62, 1)), ZC_SHAPE(0, 5));
    shape[3] = 4;
    expect_shape(zc_repeat(deep, 4, 3), ZC_MAX_RANK, shape);
    expect_refused(b, zc_repeat(deep, 2, 63), ZC_ERROR_SHAPE,
                   "repeat: rank 64 leaves no room for the axis that repeats");
    expect_refused(b, zc_tile(deep, 1, LENGTHS(0)), ZC_ERROR_SHAPE,
                   "tile: rank 64 leaves no room for the axis that repeats");
    finish(b);
}

Test(rearrange, takes_pick_by_position)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 3));
    EXPECT(zc_take(x, OF(b.ctx, ZC_INT64, 2, 0, -1), 1), 2, 0, 2, 5, 3, 5);
    EXPECT(zc_take(x, OF(b.ctx, ZC_UINT8, 1, 1, 0), -2), 3, 4, 5, 3, 4, 5, 0, 1, 2);
    zc_tensor *scalar = zc_take(x, zc_weak_int(b.ctx, -3), 1);
    expect_shape(scalar, ZC_SHAPE(2));
    EXPECT(scalar, 0, 3);
    zc_tensor *grid = zc_take(x, zc_reshape(OF(b.ctx, ZC_INT32, 0, 1, 1, 0), ZC_SHAPE(2, 2)), 0);
    expect_shape(grid, ZC_SHAPE(2, 2, 3));
    EXPECT(grid, 0, 1, 2, 3, 4, 5, 3, 4, 5, 0, 1, 2);
    EXPECT(zc_take(zc_flip(x, ZC_ALL_AXES), OF(b.ctx, ZC_INT8, 0), 0), 5, 4, 3);
    zc_tensor *none = zc_slice(OF(b.ctx, ZC_INT64, 1), 0, 0, 0, 1);
    expect_shape(zc_take(x, none, 0), ZC_SHAPE(0, 3));
    EXPECT(zc_sum(zc_take(x, none, 0), ZC_ALL_AXES, false), 0);
    expect_shape(zc_take(zc_slice(x, 1, 0, 0, 1), none, 1), ZC_SHAPE(2, 0)); /* nothing is taken of nothing */
    EXPECT(zc_take_along_axis(x, zc_reshape(OF(b.ctx, ZC_INT64, 2, -3), ZC_SHAPE(2, 1)), 1), 2, 3);
    EXPECT(zc_take_along_axis(x, zc_reshape(OF(b.ctx, ZC_INT64, 1, 0, -1), ZC_SHAPE(1, 3)), 0), 3, 1, 5);
    EXPECT(zc_take_along_axis(zc_slice(x, 0, 1, 2, 1), zc_reshape(OF(b.ctx, ZC_INT64, 2, 1), ZC_SHAPE(2, 1)), 1), 5, 4);
    finish(b);
}

/* Dtypes promote; a weak scalar takes the dtype of what it stands beside. */
Test(rearrange, dtypes_meet_as_in_an_operation)
{
    bench b = begin();
    zc_tensor *bytes = OF(b.ctx, ZC_INT8, -1, 2), *words = OF(b.ctx, ZC_UINT16, 3, 4),
              *floats = OF(b.ctx, ZC_FLOAT32, 0.5);
    zc_tensor *one = zc_weak_int(b.ctx, 1), *element = zc_index(bytes, 0, 0);
    zc_tensor *met = zc_concat(b.ctx, TENSORS(bytes, words), 0), *mixed = zc_concat(b.ctx, TENSORS(bytes, floats), 0);
    cr_assert_eq(zc_dtype_of(met), ZC_INT32);
    EXPECT(met, -1, 2, 3, 4);
    cr_assert_eq(zc_dtype_of(mixed), ZC_FLOAT32);
    EXPECT(mixed, -1, 2, 0.5);
    cr_assert_eq(zc_dtype_of(zc_stack(b.ctx, TENSORS(element, one), 0)), ZC_INT8);
    cr_assert_eq(zc_dtype_of(zc_stack(b.ctx, TENSORS(one, zc_index(floats, 0, 0)), 0)), ZC_FLOAT32);
    cr_assert_eq(zc_dtype_of(zc_stack(b.ctx, TENSORS(one, zc_weak_bool(b.ctx, true)), 0)), ZC_INT64);
    cr_assert_not(zc_is_weak(zc_index(zc_stack(b.ctx, TENSORS(one, one), 0), 0, 0)));
    cr_assert_eq(zc_dtype_of(zc_take(floats, OF(b.ctx, ZC_UINT8, 0), 0)), ZC_FLOAT32);
    expect_refused(b, zc_stack(b.ctx, TENSORS(element, zc_weak_int(b.ctx, 300)), 0), ZC_ERROR_OVERFLOW,
                   "stack: the integer 300 does not fit in int8");
    finish(b);
}

/* ---- What they refuse ---- */

Test(rearrange, null_gives_null)
{
    bench b = begin();
    zc_tensor *x = zc_iota(b.ctx, 3);
    cr_assert_null(zc_concat(NULL, TENSORS(x), 0));
    expect_refused(b, zc_concat(b.ctx, TENSORS(x, NULL), 0), ZC_ERROR_ARGUMENT, "concat: tensors[1] is NULL");
    expect_refused(b, zc_stack(b.ctx, TENSORS(NULL, x), 0), ZC_ERROR_ARGUMENT, "stack: tensors[0] is NULL");
    cr_assert_null(zc_roll(NULL, 0, NULL, NULL));
    cr_assert_null(zc_pad(NULL, 0, NULL, NULL, ZC_PAD_EDGE, NULL));
    cr_assert_null(zc_tile(NULL, 0, NULL));
    cr_assert_null(zc_repeat(NULL, 1, 0));
    expect_refused(b, zc_take(NULL, x, 0), ZC_ERROR_ARGUMENT, "take: t is NULL");
    expect_refused(b, zc_take(x, NULL, 0), ZC_ERROR_ARGUMENT, "take: positions is NULL");
    expect_refused(b, zc_take_along_axis(x, NULL, 0), ZC_ERROR_ARGUMENT, "take_along_axis: positions is NULL");
    cr_assert_eq(zc_error_status(b.ctx), ZC_OK);
    finish(b);
}

Test(rearrange, concats_that_do_not_fit_are_refused)
{
    bench b = begin();
    zc_context *other = zc_context_new(NULL);
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 3)), *y = zc_iota(b.ctx, 3), *foreign = zc_iota(other, 3);
    const zc_tensor *const same[] = {x, x};
    expect_refused(b, zc_concat(b.ctx, 0, same, 0), ZC_ERROR_ARGUMENT, "concat: there are no tensors");
    expect_refused(b, zc_concat(b.ctx, -1, same, 0), ZC_ERROR_ARGUMENT, "concat: there are no tensors");
    expect_refused(b, zc_stack(b.ctx, 2, NULL, 0), ZC_ERROR_ARGUMENT, "stack: there are no tensors");
    expect_refused(b, zc_concat(b.ctx, 2, same, 2), ZC_ERROR_AXIS, "concat: axis 2 is out of bounds for rank 2");
    expect_refused(b, zc_stack(b.ctx, 2, same, -4), ZC_ERROR_AXIS, "stack: axis -4 is out of bounds for rank 3");
    expect_refused(b, zc_concat(b.ctx, TENSORS(zc_index(y, 0, 0)), 0), ZC_ERROR_AXIS,
                   "concat: axis 0 is out of bounds for rank 0");
    expect_refused(b, zc_concat(b.ctx, TENSORS(y, foreign), 0), ZC_ERROR_ARGUMENT,
                   "concat: operands belong to different contexts; zc_adopt brings them together");
    expect_refused(b, zc_concat(b.ctx, TENSORS(x, x, zc_matrix_transpose(x)), 0), ZC_ERROR_SHAPE,
                   "concat: tensor 0 has shape (2, 3), but tensor 2 has (3, 2); they may differ along axis 0 only");
    expect_refused(b, zc_concat(b.ctx, TENSORS(x, y), 1), ZC_ERROR_SHAPE,
                   "concat: tensor 0 has shape (2, 3), but tensor 1 has (3,); they may differ along axis 1 only");
    expect_refused(b, zc_stack(b.ctx, TENSORS(y, zc_slice(y, 0, 1, 3, 1)), 0), ZC_ERROR_SHAPE,
                   "stack: tensor 0 has shape (3,), but tensor 1 has (2,)");
    zc_release(foreign);
    zc_context_free(other);
    finish(b);
}

Test(rearrange, results_that_int64_does_not_count_are_refused)
{
    bench b = begin();
    const int64_t half = INT64_C(1) << 62;
    zc_tensor *y = zc_iota(b.ctx, 2), *single = zc_slice(y, 0, 0, 1, 1),
              *long_one = zc_broadcast_to(zc_index(y, 0, 0), ZC_SHAPE(half));
    zc_tensor *wide = zc_broadcast_to(zc_index(y, 0, 0), ZC_SHAPE(INT64_C(1) << 32, INT64_C(1) << 30));
    expect_refused(b, zc_concat(b.ctx, TENSORS(long_one, long_one), 0), ZC_ERROR_OVERFLOW,
                   "concat: the extents along axis 0 add up to more than int64 holds");
    expect_refused(b, zc_concat(b.ctx, TENSORS(wide, wide), 1), ZC_ERROR_OVERFLOW,
                   "concat: the sizes of shape (4294967296, 2147483648) multiply to more than 2^63 - 1");
    expect_refused(b, zc_stack(b.ctx, TENSORS(long_one, long_one), 0), ZC_ERROR_OVERFLOW,
                   "stack: the sizes of shape (2, 4611686018427387904) multiply to more than 2^63 - 1");
    expect_refused(b, zc_pad(y, 1, LENGTHS(INT64_MAX), LENGTHS(0), ZC_PAD_CONSTANT, NULL), ZC_ERROR_OVERFLOW,
                   "pad: the padding of axis 0 is more than int64 holds");
    expect_refused(b, zc_pad(y, 1, LENGTHS(INT64_MAX - 3), LENGTHS(0), ZC_PAD_CONSTANT, NULL), ZC_ERROR_OVERFLOW,
                   "pad: the padding of axis 0 is more than int64 holds");
    expect_refused(b, zc_pad(y, 1, LENGTHS(half), LENGTHS(half), ZC_PAD_EDGE, NULL), ZC_ERROR_OVERFLOW,
                   "pad: the padding of axis 0 is more than int64 holds");
    expect_refused(b, zc_pad(wide, 2, LENGTHS(0, INT64_C(1) << 31), LENGTHS(0, 0), ZC_PAD_EDGE, NULL),
                   ZC_ERROR_OVERFLOW,
                   "pad: the sizes of shape (4294967296, 3221225472) multiply to more than 2^63 - 1");
    expect_refused(b, zc_tile(y, 1, LENGTHS(half)), ZC_ERROR_OVERFLOW,
                   "tile: axis 0 of 2 elements, 4611686018427387904 times, is more than int64 holds");
    expect_refused(b, zc_repeat(wide, 2, 0), ZC_ERROR_OVERFLOW,
                   "repeat: axis 0 of 4294967296 elements, 2 times, is more than int64 holds");
    expect_refused(b, zc_take(zc_broadcast_to(single, ZC_SHAPE(half, 1)), zc_broadcast_to(single, ZC_SHAPE(3)), 1),
                   ZC_ERROR_OVERFLOW,
                   "take: the sizes of shape (4611686018427387904, 3) multiply to more than 2^63 - 1");
    finish(b);
}

Test(rearrange, lists_and_lengths_that_make_no_sense_are_refused)
{
    bench b = begin();
    zc_context *other = zc_context_new(NULL);
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 3)), *none = zc_slice(x, 0, 0, 0, 1), *foreign = zc_weak_int(other, 1);
    const int axes[] = {0};
    expect_refused(b, zc_roll(x, -1, LENGTHS(1), axes), ZC_ERROR_ARGUMENT, "roll: a list is missing");
    expect_refused(b, zc_roll(x, 1, NULL, axes), ZC_ERROR_ARGUMENT, "roll: a list is missing");
    expect_refused(b, zc_roll(x, 1, LENGTHS(1), NULL), ZC_ERROR_ARGUMENT, "roll: a list is missing");
    expect_refused(b, zc_roll(x, 2, LENGTHS(1, 1), (const int[]){0, 2}), ZC_ERROR_AXIS,
                   "roll: axis 2 is out of bounds for rank 2");
    expect_refused(b, zc_pad(x, 1, LENGTHS(1), LENGTHS(1), ZC_PAD_EDGE, NULL), ZC_ERROR_ARGUMENT,
                   "pad: shape (2, 3) has 2 axes, but padding is given for 1");
    expect_refused(b, zc_pad(x, 2, NULL, LENGTHS(1, 1), ZC_PAD_EDGE, NULL), ZC_ERROR_ARGUMENT,
                   "pad: shape (2, 3) has 2 axes, but padding is given for 0");
    expect_refused(b, zc_pad(x, 2, LENGTHS(1, 1), NULL, ZC_PAD_EDGE, NULL), ZC_ERROR_ARGUMENT,
                   "pad: shape (2, 3) has 2 axes, but padding is given for 0");
    expect_refused(b, zc_pad(x, 2, LENGTHS(1, -1), LENGTHS(1, 1), ZC_PAD_EDGE, NULL), ZC_ERROR_ARGUMENT,
                   "pad: the padding of axis 1 is negative");
    expect_refused(b, zc_pad(x, 2, LENGTHS(1, 1), LENGTHS(-2, 1), ZC_PAD_EDGE, NULL), ZC_ERROR_ARGUMENT,
                   "pad: the padding of axis 0 is negative");
    expect_refused(b, zc_pad(x, 2, LENGTHS(1, 1), LENGTHS(1, 1), (zc_pad_mode)5, NULL), ZC_ERROR_ARGUMENT,
                   "pad: 5 is not a mode");
    expect_refused(b, zc_pad(x, 2, LENGTHS(1, 1), LENGTHS(1, 1), (zc_pad_mode)-1, NULL), ZC_ERROR_ARGUMENT,
                   "pad: -1 is not a mode");
    expect_refused(b, zc_pad(x, 2, LENGTHS(1, 1), LENGTHS(1, 1), ZC_PAD_CONSTANT, x), ZC_ERROR_ARGUMENT,
                   "pad: the value is no scalar of the tensor's context");
    expect_refused(b, zc_pad(x, 2, LENGTHS(1, 1), LENGTHS(1, 1), ZC_PAD_CONSTANT, foreign), ZC_ERROR_ARGUMENT,
                   "pad: the value is no scalar of the tensor's context");
    expect_refused(b, zc_pad(none, 2, LENGTHS(0, 1), LENGTHS(1, 0), ZC_PAD_WRAP, NULL), ZC_ERROR_ARGUMENT,
                   "pad: axis 0 of shape (0, 3) has no elements to repeat");
    expect_shape(zc_pad(none, 2, LENGTHS(0, 1), LENGTHS(0, 1), ZC_PAD_WRAP, NULL), ZC_SHAPE(0, 5));
    expect_refused(b, zc_tile(x, 2, LENGTHS(1, -2)), ZC_ERROR_ARGUMENT, "tile: -2 times is negative");
    expect_refused(b, zc_tile(x, -1, LENGTHS(1)), ZC_ERROR_ARGUMENT,
                   "tile: a list of -1 numbers is no list of repetitions");
    expect_refused(b, zc_tile(x, 65, LENGTHS(1)), ZC_ERROR_ARGUMENT,
                   "tile: a list of 65 numbers is no list of repetitions");
    expect_refused(b, zc_tile(x, 1, NULL), ZC_ERROR_ARGUMENT, "tile: a list of 1 numbers is no list of repetitions");
    expect_refused(b, zc_repeat(x, -1, 0), ZC_ERROR_ARGUMENT, "repeat: -1 times is negative");
    expect_refused(b, zc_repeat(x, 1, 2), ZC_ERROR_AXIS, "repeat: axis 2 is out of bounds for rank 2");
    zc_release(foreign);
    zc_context_free(other);
    finish(b);
}

Test(rearrange, takes_that_do_not_fit_are_refused)
{
    bench b = begin();
    zc_context *other = zc_context_new(NULL);
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 3)), *p = zc_iota(b.ctx, 2), *foreign = zc_iota(other, 2);
    zc_tensor *none = zc_slice(x, 1, 0, 0, 1);
    expect_refused(b, zc_take(x, OF(b.ctx, ZC_FLOAT32, 0), 0), ZC_ERROR_DTYPE,
                   "take: positions are integers, not float32");
    expect_refused(b, zc_take_along_axis(x, zc_equal(x, x), 0), ZC_ERROR_DTYPE,
                   "take_along_axis: positions are integers, not bool");
    expect_refused(b, zc_take(x, foreign, 0), ZC_ERROR_ARGUMENT,
                   "take: operands belong to different contexts; zc_adopt brings them together");
    expect_refused(b, zc_take(x, p, 2), ZC_ERROR_AXIS, "take: axis 2 is out of bounds for rank 2");
    expect_refused(b, zc_take(zc_index(p, 0, 0), p, 0), ZC_ERROR_AXIS, "take: axis 0 is out of bounds for rank 0");
    expect_refused(b, zc_take(none, p, 1), ZC_ERROR_INDEX,
                   "take: there is no element to take: axis 1 of shape (2, 0), positions of shape (2,)");
    expect_refused(b, zc_take_along_axis(x, p, 0), ZC_ERROR_SHAPE,
                   "take_along_axis: the ranks differ: axis 0 of shape (2, 3), positions of shape (2,)");
    expect_refused(
        b, zc_take_along_axis(x, zc_reshape(p, ZC_SHAPE(1, 2)), 0), ZC_ERROR_SHAPE,
        "take_along_axis: the shapes do not fit together: axis 0 of shape (2, 3), positions of shape (1, 2)");
    zc_release(foreign);
    zc_context_free(other);
    finish(b);
}

/* Views of one element with so many axes. */
static zc_tensor *of_rank(bench b, int rank, int64_t last)
{
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < rank; a++)
        shape[a] = a == rank - 1 ? last : 1;
    return count_to(b, rank, shape);
}

Test(rearrange, ranks_up_to_the_highest_work_and_no_further)
{
    bench b = begin();
    zc_tensor *deep = of_rank(b, ZC_MAX_RANK, 3), *almost = of_rank(b, ZC_MAX_RANK - 1, 3),
              *p = OF(b.ctx, ZC_INT64, 2, 0);
    EXPECT(zc_concat(b.ctx, TENSORS(deep, zc_negative(deep)), 63), 0, 1, 2, 0, -1, -2);
    EXPECT(zc_concat(b.ctx, TENSORS(deep, zc_negative(deep)), 5), 0, 1, 2, 0, -1, -2);
    expect_refused(b, zc_stack(b.ctx, TENSORS(deep), 0), ZC_ERROR_SHAPE, "stack: the rank is 64 already");
    cr_assert_eq(zc_rank(zc_stack(b.ctx, TENSORS(almost, almost), 63)), ZC_MAX_RANK);
    EXPECT(zc_stack(b.ctx, TENSORS(almost, zc_negative(almost)), 63), 0, 0, 1, -1, 2, -2);
    EXPECT(zc_roll(deep, 1, LENGTHS(1), (const int[]){63}), 2, 0, 1);
    int64_t before[ZC_MAX_RANK] = {[0] = 1}, after[ZC_MAX_RANK] = {[63] = 1};
    EXPECT(zc_pad(deep, 64, before, after, ZC_PAD_EDGE, NULL), 0, 1, 2, 2, 0, 1, 2, 2);
    EXPECT(zc_tile(almost, 1, LENGTHS(2)), 0, 1, 2, 0, 1, 2);
    EXPECT(zc_add(zc_tile(almost, 1, LENGTHS(2)), zc_repeat(almost, 2, -1)), 0, 1, 3, 1, 3, 4);
    EXPECT(zc_take(almost, p, 62), 2, 0);
    EXPECT(zc_add(zc_expand_dims(zc_take(almost, p, 62), 0), zc_weak_int(b.ctx, 1)), 3, 1);
    EXPECT(zc_take(deep, zc_weak_int(b.ctx, 1), 63), 1);
    cr_assert_null(zc_take_along_axis(deep, deep, 63));
    cr_assert_not_null(strstr(zc_error_text(b.ctx), "take_along_axis: the rank leaves no room for the positions"));
    zc_error_clear(b.ctx);
    cr_assert_null(zc_take(deep, p, 63));
    cr_assert_not_null(strstr(zc_error_text(b.ctx), "take: the result would have too many axes"));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_SHAPE);
    finish(b);
}

/* The positions of a take are taken themselves, where the domain has room for one picked axis more, but not for two. */
Test(rearrange, takes_of_the_highest_rank_take_their_positions)
{
    bench b = begin();
    for (int rank = ZC_MAX_RANK - 4; rank < ZC_MAX_RANK; rank++) {
        zc_tensor *x = of_rank(b, rank, 3),
                  *order = zc_remainder(zc_multiply(x, zc_weak_int(b.ctx, 2)), zc_weak_int(b.ctx, 3));
        zc_tensor *positions = zc_take_along_axis(order, zc_flip(x, ZC_AXES(-1)), -1);
        EXPECT(positions, 1, 2, 0);
        EXPECT(zc_take_along_axis(zc_negative(x), positions, -1), -1, -2, 0);
        EXPECT(zc_add(zc_take_along_axis(x, positions, -1),
                      zc_take_along_axis(x, zc_take_along_axis(order, positions, -1), -1)),
               1 + 2, 2 + 1, 0);
    }
    finish(b);
}

Test(rearrange, triangles)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(zc_iota(b.ctx, 12), ZC_SHAPE(3, 4));
    EXPECT(zc_tril(x, 0), 0, 0, 0, 0, 4, 5, 0, 0, 8, 9, 10, 0);
    EXPECT(zc_triu(x, 1), 0, 1, 2, 3, 0, 0, 6, 7, 0, 0, 0, 11);
    EXPECT(zc_tril(x, -2), 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0);
    EXPECT(zc_index(zc_triu(zc_broadcast_to(x, ZC_SHAPE(2, 3, 4)), INT64_MIN), 0, 1), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
           11);
    cr_assert_eq(zc_dtype_of(zc_tril(zc_astype(x, ZC_BOOL), 0)), ZC_BOOL);
    expect_refused(b, zc_tril(zc_iota(b.ctx, 3), 0), ZC_ERROR_SHAPE, "tril: a matrix has two axes, not 1");
    cr_assert_null(zc_triu(NULL, 0));
    finish(b);
}
