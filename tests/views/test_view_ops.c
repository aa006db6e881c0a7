/*
 * View operations by hand: the shapes and strides they give over a row-major operand, and the sentences that refuse.
 * What they show element by element is in test_chains.c.
 */
#include "views/view_ops.h"

#include "tests/support/random.h"
#include "tests/support/zc_test.h"

#include <inttypes.h>
#include <string.h>

static zc_reason why;
static zc_view in;
static zc_view out;

static void expect_view(const char *name, zc_status status, int rank, const int64_t *shape, const int64_t *stride,
                        int64_t offset)
{
    cr_expect_eq(status, ZC_OK, "%s: %s", name, why.text);
    if (status != ZC_OK)
        return;
    cr_expect(zc_shape_equal(out.rank, out.shape, rank, shape), "%s: another shape", name);
    cr_expect(zc_shape_equal(out.rank, out.stride, rank, stride), "%s: other strides", name);
    cr_expect_eq(out.offset, offset, "%s: offset %" PRId64, name, out.offset);
}

static void expect_refusal(zc_status status, zc_status expected, const char *sentence)
{
    cr_expect_eq(status, expected, "%s", sentence);
    cr_expect_str_eq(why.text, sentence);
}

static void give(int rank, const int64_t *shape)
{
    zc_view_row_major(rank, shape, &in);
    memset(&out, 0x5a, sizeof out);
    why.text[0] = '\0';
}

Test(view_ops, permute_dims)
{
    give(ZC_SHAPE(2, 3, 4));
    expect_view("reversed", zc_view_permute_dims(&in, ZC_AXES(2, 1, 0), &out, &why), ZC_SHAPE(4, 3, 2),
                (int64_t[]){1, 4, 12}, 0);
    expect_view("negative axes", zc_view_permute_dims(&in, ZC_AXES(-1, 0, 1), &out, &why), ZC_SHAPE(4, 2, 3),
                (int64_t[]){1, 12, 4}, 0);
    expect_refusal(zc_view_permute_dims(&in, ZC_AXES(0, 1), &out, &why), ZC_ERROR_ARGUMENT,
                   "the order names 2 axes, the tensor has 3");
    expect_refusal(zc_view_permute_dims(&in, ZC_ALL_AXES, &out, &why), ZC_ERROR_ARGUMENT,
                   "the order names -1 axes, the tensor has 3");
    expect_refusal(zc_view_permute_dims(&in, ZC_AXES(0, 1, -2), &out, &why), ZC_ERROR_ARGUMENT,
                   "axis 1 is named twice");
    expect_refusal(zc_view_permute_dims(&in, ZC_AXES(0, 1, 3), &out, &why), ZC_ERROR_AXIS,
                   "axis 3 is out of bounds for rank 3");
    expect_refusal(zc_view_permute_dims(&in, 3, NULL, &out, &why), ZC_ERROR_ARGUMENT, "the list of axes is NULL");
    give(ZC_SCALAR_SHAPE);
    expect_view("of a scalar", zc_view_permute_dims(&in, ZC_NO_AXES, &out, &why), ZC_SCALAR_SHAPE, NULL, 0);
}

Test(view_ops, exchanging_and_moving_axes)
{
    give(ZC_SHAPE(2, 3, 4));
    expect_view("matrix_transpose", zc_view_matrix_transpose(&in, &out, &why), ZC_SHAPE(2, 4, 3), (int64_t[]){12, 1, 4},
                0);
    expect_view("swapaxes", zc_view_swapaxes(&in, 0, -1, &out, &why), ZC_SHAPE(4, 3, 2), (int64_t[]){1, 4, 12}, 0);
    expect_view("an axis with itself", zc_view_swapaxes(&in, 1, -2, &out, &why), ZC_SHAPE(2, 3, 4),
                (int64_t[]){12, 4, 1}, 0);
    expect_view("moved back", zc_view_moveaxis(&in, 0, -1, &out, &why), ZC_SHAPE(3, 4, 2), (int64_t[]){4, 1, 12}, 0);
    expect_view("moved to the front", zc_view_moveaxis(&in, 2, 0, &out, &why), ZC_SHAPE(4, 2, 3), (int64_t[]){1, 12, 4},
                0);
    expect_refusal(zc_view_swapaxes(&in, 3, 0, &out, &why), ZC_ERROR_AXIS, "axis 3 is out of bounds for rank 3");
    expect_refusal(zc_view_swapaxes(&in, 0, -4, &out, &why), ZC_ERROR_AXIS, "axis -4 is out of bounds for rank 3");
    expect_refusal(zc_view_moveaxis(&in, 4, 0, &out, &why), ZC_ERROR_AXIS, "axis 4 is out of bounds for rank 3");
    expect_refusal(zc_view_moveaxis(&in, 0, 5, &out, &why), ZC_ERROR_AXIS, "axis 5 is out of bounds for rank 3");
    give(ZC_SHAPE(3));
    expect_refusal(zc_view_matrix_transpose(&in, &out, &why), ZC_ERROR_SHAPE, "a matrix needs rank 2 or more, not 1");
}

Test(view_ops, expand_dims_and_squeeze)
{
    give(ZC_SHAPE(2, 3));
    expect_view("in front", zc_view_expand_dims(&in, 0, &out, &why), ZC_SHAPE(1, 2, 3), (int64_t[]){0, 3, 1}, 0);
    expect_view("at the end", zc_view_expand_dims(&in, -1, &out, &why), ZC_SHAPE(2, 3, 1), (int64_t[]){3, 1, 0}, 0);
    expect_view("inside", zc_view_expand_dims(&in, -2, &out, &why), ZC_SHAPE(2, 1, 3), (int64_t[]){3, 0, 1}, 0);
    expect_refusal(zc_view_expand_dims(&in, 3, &out, &why), ZC_ERROR_AXIS, "axis 3 is out of bounds for rank 3");
    expect_refusal(zc_view_expand_dims(&in, -4, &out, &why), ZC_ERROR_AXIS, "axis -4 is out of bounds for rank 3");
    give(ZC_SHAPE(1, 2, 1));
    expect_view("one", zc_view_squeeze(&in, ZC_AXES(-1), &out, &why), ZC_SHAPE(1, 2), (int64_t[]){0, 1}, 0);
    expect_view("both", zc_view_squeeze(&in, ZC_AXES(2, 0), &out, &why), ZC_SHAPE(2), (int64_t[]){1}, 0);
    expect_view("none", zc_view_squeeze(&in, ZC_NO_AXES, &out, &why), ZC_SHAPE(1, 2, 1), (int64_t[]){0, 1, 0}, 0);
    expect_refusal(zc_view_squeeze(&in, ZC_AXES(0, 1), &out, &why), ZC_ERROR_SHAPE,
                   "axis 1 of shape (1, 2, 1) has size 2, not 1");
    expect_refusal(zc_view_squeeze(&in, ZC_ALL_AXES, &out, &why), ZC_ERROR_SHAPE,
                   "axis 1 of shape (1, 2, 1) has size 2, not 1");
    expect_refusal(zc_view_squeeze(&in, ZC_AXES(0, 0), &out, &why), ZC_ERROR_ARGUMENT, "axis 0 is named twice");
}

Test(view_ops, ranks_end_at_64)
{
    int64_t ones[ZC_MAX_RANK];
    for (int a = 0; a < ZC_MAX_RANK; a++)
        ones[a] = 1;
    give(ZC_MAX_RANK - 1, ones);
    cr_expect_eq(zc_view_expand_dims(&in, 0, &in, &why), ZC_OK);
    cr_expect_eq(in.rank, ZC_MAX_RANK);
    expect_refusal(zc_view_expand_dims(&in, 0, &out, &why), ZC_ERROR_ARGUMENT,
                   "the tensor has rank 64 already, the highest");
    cr_expect_eq(zc_view_squeeze(&in, ZC_ALL_AXES, &in, &why), ZC_OK);
    cr_expect_eq(in.rank, 0);
}

/* Two axes of size 2 and 3 at either end of 64, so that every set of axes needs its last bit. */
Test(view_ops, the_64th_axis_is_an_axis_like_others)
{
    int64_t shape[ZC_MAX_RANK];
    int reversed[ZC_MAX_RANK];
    for (int a = 0; a < ZC_MAX_RANK; a++) {
        shape[a] = a == 0 ? 2 : a == ZC_MAX_RANK - 1 ? 3 : 1;
        reversed[a] = ZC_MAX_RANK - 1 - a;
    }
    give(ZC_MAX_RANK, shape);
    zc_view flat;
    bool affine;
    cr_expect_eq(zc_view_permute_dims(&in, ZC_MAX_RANK, reversed, &out, &why), ZC_OK);
    cr_expect_eq(zc_view_flip(&out, ZC_AXES(63), &out, &why), ZC_OK);
    cr_expect_eq(out.offset, 3);
    cr_expect_eq(out.stride[63], -3);
    cr_expect_eq(zc_view_slice(&out, -64, 1, ZC_NONE, 1, &out, &why), ZC_OK);
    cr_expect_eq(zc_view_reshape(&out, ZC_SHAPE(2, 2), &affine, &flat, &why), ZC_OK);
    cr_expect(affine);
    cr_expect(zc_shape_equal(flat.rank, flat.stride, ZC_SHAPE(1, -3)));
    cr_expect_eq(flat.offset, 4);
    cr_expect_eq(zc_view_diagonal(&out, 0, 0, 63, &out, &why), ZC_OK);
    cr_expect_eq(out.rank, 63);
    cr_expect_eq(out.stride[62], -2);
    expect_refusal(zc_view_squeeze(&in, ZC_AXES(63), &out, &why), ZC_ERROR_SHAPE,
                   "axis 63 of shape (2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                   "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1... has size 3, not 1");
}

Test(view_ops, flip)
{
    give(ZC_SHAPE(2, 3));
    expect_view("the last", zc_view_flip(&in, ZC_AXES(-1), &out, &why), ZC_SHAPE(2, 3), (int64_t[]){3, -1}, 2);
    expect_view("all", zc_view_flip(&in, ZC_ALL_AXES, &out, &why), ZC_SHAPE(2, 3), (int64_t[]){-3, -1}, 5);
    expect_refusal(zc_view_flip(&in, ZC_AXES(2), &out, &why), ZC_ERROR_AXIS, "axis 2 is out of bounds for rank 2");
    give(ZC_SHAPE(1, 0));
    expect_view("nothing", zc_view_flip(&in, ZC_ALL_AXES, &out, &why), ZC_SHAPE(1, 0), (int64_t[]){0, 0}, 0);
}

/* NumPy's rot90 on [[0, 1, 2], [3, 4, 5]]. */
Test(view_ops, rot90)
{
    give(ZC_SHAPE(2, 3));
    expect_view("once", zc_view_rot90(&in, 1, 0, 1, &out, &why), ZC_SHAPE(3, 2), (int64_t[]){-1, 3}, 2);
    expect_view("twice", zc_view_rot90(&in, 2, 0, 1, &out, &why), ZC_SHAPE(2, 3), (int64_t[]){-3, -1}, 5);
    expect_view("thrice", zc_view_rot90(&in, 3, 0, 1, &out, &why), ZC_SHAPE(3, 2), (int64_t[]){1, -3}, 3);
    expect_view("back", zc_view_rot90(&in, -1, 0, 1, &out, &why), ZC_SHAPE(3, 2), (int64_t[]){1, -3}, 3);
    expect_view("the other way", zc_view_rot90(&in, 1, 1, 0, &out, &why), ZC_SHAPE(3, 2), (int64_t[]){1, -3}, 3);
    expect_view("round", zc_view_rot90(&in, INT64_MIN, -2, -1, &out, &why), ZC_SHAPE(2, 3), (int64_t[]){3, 1}, 0);
    expect_refusal(zc_view_rot90(&in, 1, 1, -1, &out, &why), ZC_ERROR_ARGUMENT,
                   "a rotation needs two axes, not 1 twice");
    expect_refusal(zc_view_rot90(&in, 1, 2, 0, &out, &why), ZC_ERROR_AXIS, "axis 2 is out of bounds for rank 2");
    expect_refusal(zc_view_rot90(&in, 1, 0, -3, &out, &why), ZC_ERROR_AXIS, "axis -3 is out of bounds for rank 2");
    give(ZC_SHAPE(3));
    expect_refusal(zc_view_rot90(&in, 0, 0, 0, &out, &why), ZC_ERROR_SHAPE, "a rotation needs rank 2 or more, not 1");
}

Test(view_ops, slice_and_index)
{
    give(ZC_SHAPE(4, 5));
    expect_view("[1:3]", zc_view_slice(&in, 0, 1, 3, 1, &out, &why), ZC_SHAPE(2, 5), (int64_t[]){5, 1}, 5);
    expect_view("[:, ::-2]", zc_view_slice(&in, 1, ZC_NONE, ZC_NONE, -2, &out, &why), ZC_SHAPE(4, 3),
                (int64_t[]){5, -2}, 4);
    expect_view("[-1:]", zc_view_slice(&in, -2, -1, ZC_NONE, 1, &out, &why), ZC_SHAPE(1, 5), (int64_t[]){0, 1}, 15);
    expect_view("[3:3]", zc_view_slice(&in, 0, 3, 3, 1, &out, &why), ZC_SHAPE(0, 5), (int64_t[]){0, 0}, 0);
    expect_view("[-2]", zc_view_index(&in, 0, -2, &out, &why), ZC_SHAPE(5), (int64_t[]){1}, 10);
    expect_view("[:, 0]", zc_view_index(&in, 1, 0, &out, &why), ZC_SHAPE(4), (int64_t[]){5}, 0);
    expect_refusal(zc_view_slice(&in, 0, 0, 1, 0, &out, &why), ZC_ERROR_ARGUMENT, "the step of a slice cannot be 0");
    expect_refusal(zc_view_slice(&in, 2, 0, 1, 1, &out, &why), ZC_ERROR_AXIS, "axis 2 is out of bounds for rank 2");
    expect_refusal(zc_view_index(&in, 0, 4, &out, &why), ZC_ERROR_INDEX,
                   "index 4 is out of bounds for axis 0 of size 4");
    expect_refusal(zc_view_index(&in, -1, -6, &out, &why), ZC_ERROR_INDEX,
                   "index -6 is out of bounds for axis 1 of size 5");
    expect_refusal(zc_view_index(&in, 2, 0, &out, &why), ZC_ERROR_AXIS, "axis 2 is out of bounds for rank 2");
    give(ZC_SHAPE(0, 5));
    expect_view("an axis beside an empty one", zc_view_index(&in, 1, 3, &out, &why), ZC_SHAPE(0), (int64_t[]){0}, 0);
    expect_refusal(zc_view_index(&in, 0, 0, &out, &why), ZC_ERROR_INDEX,
                   "index 0 is out of bounds for axis 0 of size 0");
}

/* Python's rule, one element at a time: walk from the clamped start while the stop is not reached. */
static int64_t count_slice(int64_t extent, int64_t start, int64_t stop, int64_t step, int64_t *first)
{
    int64_t i = start == ZC_NONE ? (step > 0 ? 0 : extent - 1) : start < 0 ? start + extent : start;
    int64_t j = stop == ZC_NONE ? (step > 0 ? extent : -1) : stop < 0 ? stop + extent : stop;
    if (stop != ZC_NONE && j < -1)
        j = -1;
    while (step > 0 ? i < 0 : i >= extent)
        i += step > 0 ? 1 : -1;
    int64_t count = 0;
    for (int64_t at = i; at >= 0 && at < extent && (step > 0 ? at < j : at > j); at += step)
        *first = count++ == 0 ? at : *first;
    return count;
}

Test(view_ops, every_small_slice_is_pythons)
{
    for (int64_t extent = 0; extent <= 5; extent++)
        for (int64_t start = -8; start <= 8; start++)
            for (int64_t stop = -8; stop <= 8; stop++)
                for (int64_t step = -6; step <= 6; step++) {
                    int64_t from = start == -8 ? ZC_NONE : start;
                    int64_t to = stop == -8 ? ZC_NONE : stop;
                    int64_t first = 0;
                    give(1, &extent);
                    if (step == 0)
                        continue;
                    cr_assert_eq(zc_view_slice(&in, 0, from, to, step, &out, &why), ZC_OK);
                    int64_t count = count_slice(extent, from, to, step, &first);
                    cr_assert_eq(out.shape[0], count, "range(%d)[%d:%d:%d]", (int)extent, (int)start, (int)stop,
                                 (int)step);
                    cr_assert_eq(out.offset, count > 0 ? first : 0);
                    cr_assert_eq(out.stride[0], count > 1 ? step : 0);
                }
}

/* NumPy's diagonal, cases with the numbers it gives. */
Test(view_ops, diagonal)
{
    give(ZC_SHAPE(3, 4));
    expect_view("main", zc_view_diagonal(&in, 0, 0, 1, &out, &why), ZC_SHAPE(3), (int64_t[]){5}, 0);
    expect_view("above", zc_view_diagonal(&in, 2, 0, 1, &out, &why), ZC_SHAPE(2), (int64_t[]){5}, 2);
    expect_view("below", zc_view_diagonal(&in, -1, 0, 1, &out, &why), ZC_SHAPE(2), (int64_t[]){5}, 4);
    expect_view("axes exchanged", zc_view_diagonal(&in, 1, 1, 0, &out, &why), ZC_SHAPE(2), (int64_t[]){5}, 4);
    expect_view("the corner", zc_view_diagonal(&in, 3, -2, -1, &out, &why), ZC_SHAPE(1), (int64_t[]){0}, 3);
    expect_view("beyond the right", zc_view_diagonal(&in, 4, 0, 1, &out, &why), ZC_SHAPE(0), (int64_t[]){0}, 0);
    expect_view("beyond the bottom", zc_view_diagonal(&in, -9, 0, 1, &out, &why), ZC_SHAPE(0), (int64_t[]){0}, 0);
    expect_refusal(zc_view_diagonal(&in, 0, 1, -1, &out, &why), ZC_ERROR_ARGUMENT,
                   "a diagonal needs two axes, not 1 twice");
    expect_refusal(zc_view_diagonal(&in, 0, 2, 0, &out, &why), ZC_ERROR_AXIS, "axis 2 is out of bounds for rank 2");
    expect_refusal(zc_view_diagonal(&in, 0, 0, 2, &out, &why), ZC_ERROR_AXIS, "axis 2 is out of bounds for rank 2");
    give(ZC_SHAPE(2, 3, 4));
    expect_view("last axis of the result", zc_view_diagonal(&in, 0, 0, 2, &out, &why), ZC_SHAPE(3, 2),
                (int64_t[]){4, 13}, 0);
    give(ZC_SHAPE(3));
    expect_refusal(zc_view_diagonal(&in, 0, 0, 0, &out, &why), ZC_ERROR_SHAPE,
                   "a diagonal needs rank 2 or more, not 1");
}

/* NumPy's sliding_window_view, cases with the shapes it gives. */
Test(view_ops, sliding_window_view)
{
    give(ZC_SHAPE(3, 4));
    expect_view("all axes", zc_view_sliding_window_view(&in, ZC_SHAPE(2, 2), ZC_ALL_AXES, &out, &why),
                ZC_SHAPE(2, 3, 2, 2), (int64_t[]){4, 1, 4, 1}, 0);
    expect_view("one axis", zc_view_sliding_window_view(&in, ZC_SHAPE(3), ZC_AXES(-1), &out, &why), ZC_SHAPE(3, 2, 3),
                (int64_t[]){4, 1, 1}, 0);
    expect_view("an axis twice", zc_view_sliding_window_view(&in, ZC_SHAPE(2, 3), ZC_AXES(1, 1), &out, &why),
                ZC_SHAPE(3, 1, 2, 3), (int64_t[]){4, 0, 1, 1}, 0);
    expect_view("no windows", zc_view_sliding_window_view(&in, 0, NULL, ZC_NO_AXES, &out, &why), ZC_SHAPE(3, 4),
                (int64_t[]){4, 1}, 0);
    expect_view("empty windows", zc_view_sliding_window_view(&in, ZC_SHAPE(0, 4), ZC_AXES(0, 0), &out, &why),
                ZC_SHAPE(1, 4, 0, 4), (int64_t[]){0, 0, 0, 0}, 0);
    expect_refusal(zc_view_sliding_window_view(&in, ZC_SHAPE(4), ZC_AXES(0), &out, &why), ZC_ERROR_SHAPE,
                   "a window of 4 is larger than the 3 elements left along axis 0");
    expect_refusal(zc_view_sliding_window_view(&in, ZC_SHAPE(3, 3), ZC_AXES(1, -1), &out, &why), ZC_ERROR_SHAPE,
                   "a window of 3 is larger than the 2 elements left along axis 1");
    expect_refusal(zc_view_sliding_window_view(&in, ZC_SHAPE(-1), ZC_AXES(0), &out, &why), ZC_ERROR_ARGUMENT,
                   "window size -1 is negative");
    expect_refusal(zc_view_sliding_window_view(&in, ZC_SHAPE(2), ZC_ALL_AXES, &out, &why), ZC_ERROR_ARGUMENT,
                   "1 window sizes for 2 axes");
    expect_refusal(zc_view_sliding_window_view(&in, ZC_SHAPE(2), ZC_AXES(2), &out, &why), ZC_ERROR_AXIS,
                   "axis 2 is out of bounds for rank 2");
    expect_refusal(zc_view_sliding_window_view(&in, 2, NULL, ZC_AXES(0, 1), &out, &why), ZC_ERROR_ARGUMENT,
                   "the list of window sizes is NULL");
    expect_refusal(zc_view_sliding_window_view(&in, ZC_SHAPE(2), 1, NULL, &out, &why), ZC_ERROR_ARGUMENT,
                   "the list of axes is NULL");
    expect_refusal(zc_view_sliding_window_view(&in, ZC_SHAPE(2), -2, NULL, &out, &why), ZC_ERROR_ARGUMENT,
                   "-2 is not a number of axes");
}

Test(view_ops, sliding_windows_end_where_shapes_do)
{
    int64_t ones[ZC_MAX_RANK];
    int axes[ZC_MAX_RANK] = {0};
    for (int a = 0; a < ZC_MAX_RANK; a++)
        ones[a] = 1;
    give(ZC_SHAPE(1));
    cr_expect_eq(zc_view_sliding_window_view(&in, ZC_MAX_RANK - 1, ones, ZC_MAX_RANK - 1, axes, &out, &why), ZC_OK);
    cr_expect_eq(out.rank, ZC_MAX_RANK);
    expect_refusal(zc_view_sliding_window_view(&in, ZC_MAX_RANK, ones, ZC_MAX_RANK, axes, &out, &why),
                   ZC_ERROR_ARGUMENT, "64 windows over rank 1 are more than the highest rank, 64");
    give(ZC_SHAPE(INT64_C(1) << 40));
    cr_expect_eq(zc_view_sliding_window_view(&in, ZC_SHAPE(INT64_C(1) << 39), ZC_AXES(0), &out, &why),
                 ZC_ERROR_OVERFLOW);
    give(ZC_SHAPE(INT64_MAX));
    expect_refusal(zc_view_sliding_window_view(&in, ZC_SHAPE(0), ZC_AXES(0), &out, &why), ZC_ERROR_OVERFLOW,
                   "axis 0 has more than 2^63 - 1 positions for an empty window");
}

Test(view_ops, as_strided_stays_within_what_it_is_given)
{
    give(ZC_SHAPE(10));
    expect_view("windows", zc_view_as_strided(&in, ZC_SHAPE(8, 3), (int64_t[]){1, 1}, 0, &out, &why), ZC_SHAPE(8, 3),
                (int64_t[]){1, 1}, 0);
    expect_refusal(zc_view_as_strided(&in, ZC_SHAPE(8, 4), (int64_t[]){1, 1}, 0, &out, &why), ZC_ERROR_ARGUMENT,
                   "shape (8, 4) with strides (1, 1) from element 0 reaches element 10 of a storage of 10 elements");
    cr_expect_eq(zc_view_slice(&in, 0, 2, 7, 2, &in, &why), ZC_OK); /* 2, 4, 6 */
    expect_view("between its elements", zc_view_as_strided(&in, ZC_SHAPE(5), (int64_t[]){-1}, 4, &out, &why),
                ZC_SHAPE(5), (int64_t[]){-1}, 6);
    expect_refusal(zc_view_as_strided(&in, ZC_SHAPE(2), (int64_t[]){-1}, 0, &out, &why), ZC_ERROR_ARGUMENT,
                   "shape (2,) with strides (-1,) from element 0 reaches element -1 of a storage of 5 elements");
    expect_refusal(zc_view_as_strided(&in, 1, NULL, (int64_t[]){-1}, 0, &out, &why), ZC_ERROR_ARGUMENT,
                   "the shape is NULL");
    expect_refusal(zc_view_as_strided(&in, ZC_SHAPE(2), NULL, 0, &out, &why), ZC_ERROR_ARGUMENT,
                   "the strides are NULL");
    give(ZC_SHAPE(0, 3));
    expect_view("empty of empty", zc_view_as_strided(&in, ZC_SHAPE(2, 0), (int64_t[]){9, 9}, 7, &out, &why),
                ZC_SHAPE(2, 0), (int64_t[]){0, 0}, 0);
    expect_refusal(zc_view_as_strided(&in, ZC_SHAPE(1), (int64_t[]){0}, 0, &out, &why), ZC_ERROR_ARGUMENT,
                   "an empty tensor has no elements to show as (1,)");
}

/* A flipped view begins at its highest element: offsets count from there, down. */
Test(view_ops, as_strided_counts_from_the_first_element)
{
    give(ZC_SHAPE(10));
    cr_expect_eq(zc_view_flip(&in, ZC_ALL_AXES, &in, &why), ZC_OK);
    expect_view("flipped", zc_view_as_strided(&in, ZC_SHAPE(3), (int64_t[]){2}, -5, &out, &why), ZC_SHAPE(3),
                (int64_t[]){2}, 4);
    expect_view("in place", zc_view_as_strided(&in, in.rank, in.shape, in.stride, 0, &in, &why), ZC_SHAPE(3),
                (int64_t[]){2}, 4);
    cr_expect_eq(in.offset, 9);
    cr_expect_eq(in.stride[0], -1);
}
