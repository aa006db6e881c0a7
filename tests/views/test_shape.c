/* Shapes: facts by hand. What lies at the ends of int64 is in test_boundaries.c. */
#include "views/shape.h"

#include "tests/support/zc_test.h"

#include <string.h>

Test(shape, size_is_the_product)
{
    int64_t size = -1;
    cr_expect_eq(zc_shape_size(ZC_SCALAR_SHAPE, &size, NULL), ZC_OK);
    cr_expect_eq(size, 1);
    cr_expect_eq(zc_shape_size(ZC_SHAPE(2, 3, 4), &size, NULL), ZC_OK);
    cr_expect_eq(size, 24);
    cr_expect_eq(zc_shape_size(ZC_SHAPE(2, 0, 4), &size, NULL), ZC_OK);
    cr_expect_eq(size, 0);
}

Test(shape, bad_shapes_are_refused_with_the_axis)
{
    int64_t size;
    zc_reason why;
    cr_expect_eq(zc_shape_size(ZC_SHAPE(2, -3), &size, &why), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(why.text, "size -3 of axis 1 of shape (2, -3) is negative");
    cr_expect_eq(zc_shape_size(65, NULL, &size, &why), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(why.text, "rank 65 is outside 0 to 64");
    cr_expect_eq(zc_shape_size(-2, NULL, &size, &why), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_shape_size(1, NULL, &size, &why), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(why.text, "the shape is NULL");
}

Test(shape, equality_needs_rank_and_sizes)
{
    cr_expect(zc_shape_equal(ZC_SCALAR_SHAPE, ZC_SCALAR_SHAPE));
    cr_expect(zc_shape_equal(ZC_SHAPE(2, 3), ZC_SHAPE(2, 3)));
    cr_expect_not(zc_shape_equal(ZC_SHAPE(2, 3), ZC_SHAPE(2, 4)));
    cr_expect_not(zc_shape_equal(ZC_SHAPE(2), ZC_SHAPE(2, 1)));
}

Test(shape, row_major_strides)
{
    int64_t stride[3];
    zc_shape_row_major(ZC_SHAPE(2, 3, 4), stride);
    cr_expect(zc_shape_equal(3, stride, ZC_SHAPE(12, 4, 1)));
    zc_shape_row_major(ZC_SHAPE(2, 1, 4), stride);
    cr_expect(zc_shape_equal(3, stride, ZC_SHAPE(4, 0, 1)));
    zc_shape_row_major(ZC_SHAPE(2, 0, 4), stride);
    cr_expect(zc_shape_equal(3, stride, ZC_SHAPE(0, 0, 0)));
    zc_shape_row_major(ZC_SCALAR_SHAPE, stride);
}

Test(shape, axes_count_from_either_end)
{
    for (int axis = -4; axis <= 3; axis++) {
        int out = 99;
        bool valid = axis >= -3 && axis < 3;
        cr_expect_eq(zc_axis_resolve(axis, 3, &out, NULL), valid ? ZC_OK : ZC_ERROR_AXIS);
        if (valid)
            cr_expect_eq(out, (axis + 3) % 3);
    }
    zc_reason why;
    int out;
    cr_expect_eq(zc_axis_resolve(3, 2, &out, &why), ZC_ERROR_AXIS);
    cr_expect_str_eq(why.text, "axis 3 is out of bounds for rank 2");
    cr_expect_eq(zc_axis_resolve(0, 0, &out, &why), ZC_ERROR_AXIS);
    cr_expect_eq(zc_axis_resolve(INT32_MIN, 64, &out, &why), ZC_ERROR_AXIS);
    cr_expect_eq(zc_axis_resolve(INT32_MAX, 64, &out, &why), ZC_ERROR_AXIS);
}

Test(shape, lists_of_axes_become_sets)
{
    uint64_t set = 99;
    zc_reason why;
    cr_expect_eq(zc_axes_resolve(ZC_AXES(0, -1), 3, &set, NULL), ZC_OK);
    cr_expect_eq(set, 5);
    cr_expect_eq(zc_axes_resolve(ZC_NO_AXES, 3, &set, NULL), ZC_OK);
    cr_expect_eq(set, 0);
    cr_expect_eq(zc_axes_resolve(ZC_ALL_AXES, 3, &set, NULL), ZC_OK);
    cr_expect_eq(set, 7);
    cr_expect_eq(zc_axes_resolve(ZC_ALL_AXES, 0, &set, NULL), ZC_OK);
    cr_expect_eq(set, 0);
    cr_expect_eq(zc_axes_resolve(ZC_ALL_AXES, 64, &set, NULL), ZC_OK);
    cr_expect_eq(set, UINT64_MAX);
    cr_expect_eq(zc_axes_resolve(ZC_AXES(1, -2), 3, &set, &why), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(why.text, "axis 1 is named twice");
    cr_expect_eq(zc_axes_resolve(ZC_AXES(0, 3), 3, &set, &why), ZC_ERROR_AXIS);
    cr_expect_str_eq(why.text, "axis 3 is out of bounds for rank 3");
    cr_expect_eq(zc_axes_resolve(1, NULL, 3, &set, &why), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(why.text, "the list of axes is NULL");
    cr_expect_eq(zc_axes_resolve(-2, NULL, 3, &set, &why), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(why.text, "-2 is not a number of axes");
}

Test(shape, texts_are_pythons_tuples)
{
    char text[ZC_SHAPE_TEXT];
    cr_expect_str_eq(zc_shape_text(text, sizeof text, ZC_SCALAR_SHAPE), "()");
    cr_expect_str_eq(zc_shape_text(text, sizeof text, ZC_SHAPE(3)), "(3,)");
    cr_expect_str_eq(zc_shape_text(text, sizeof text, ZC_SHAPE(2, -3)), "(2, -3)");
    cr_expect_str_eq(zc_shape_text_styled(text, sizeof text, ZC_SHAPE(2, 1), "[", ",", "]"), "[2,1]");
    cr_expect_str_eq(zc_shape_text_styled(text, sizeof text, ZC_SCALAR_SHAPE, "[", ",", "]"), "[]");
}

/* In every length of buffer: terminated, whole where it fits, else the whole sizes that fit and "...". */
Test(shape, texts_are_cut_between_sizes)
{
    for (size_t bytes = 1; bytes <= 12; bytes++) {
        char text[16];
        memset(text, '#', sizeof text);
        zc_shape_text(text, bytes, ZC_SHAPE(12, 34, 5));
        size_t length = strlen(text);
        cr_expect_lt(length, bytes);
        cr_expect_eq(text[bytes], '#', "written beyond %zu bytes", bytes);
        if (bytes == 12)
            cr_expect_str_eq(text, "(12, 34, 5)");
        else if (bytes >= 5)
            cr_expect(strcmp(text + length - 3, "...") == 0, "%zu bytes: %s", bytes, text);
    }
    char tiny[2] = "##";
    zc_shape_text(tiny, 0, ZC_SHAPE(3));
    cr_expect_eq(tiny[0], '#');
    char text[11];
    cr_expect_str_eq(zc_shape_text(text, 11, ZC_SHAPE(12, 34, 5)), "(12, 34...");
    cr_expect_str_eq(zc_shape_text(text, 10, ZC_SHAPE(12, 34, 5)), "(12...");
}

Test(shape, long_texts_fit_the_usual_buffer_up_to_rank_12)
{
    char text[ZC_SHAPE_TEXT];
    int64_t shape[64];
    for (int a = 0; a < 64; a++)
        shape[a] = 100000000;
    cr_expect_eq(strlen(zc_shape_text(text, sizeof text, 12, shape)), 12 * 11);
    zc_shape_text(text, sizeof text, 64, shape);
    cr_expect_str_eq(text + strlen(text) - 3, "...");
}

Test(reason, sentences_are_cut_and_optional)
{
    zc_reason why;
    char word[2 * ZC_REASON_BYTES];
    memset(word, 'x', sizeof word);
    word[sizeof word - 1] = '\0';
    cr_expect_eq(zc_refuse(&why, ZC_ERROR_SHAPE, "%s", word), ZC_ERROR_SHAPE);
    cr_expect_eq(strlen(why.text), sizeof why.text - 1);
    cr_expect_eq(zc_refuse(NULL, ZC_ERROR_OVERFLOW, "%d", 1), ZC_ERROR_OVERFLOW);
}

Test(shape, sums_saturate)
{
    cr_expect_eq(zc_saturating_add(3, 4), 7);
    cr_expect_eq(zc_saturating_add(INT64_MAX - 4, 4), INT64_MAX);
    cr_expect_eq(zc_saturating_add(INT64_MAX - 3, 4), INT64_MAX);
}
