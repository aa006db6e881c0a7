/* The public view functions: each makes a handle on the same memory, and refuses what it cannot show. */
#include <string.h>

#include "tests/api/values.h"

/* (2, 3, 4), elements 0 .. 23. */
static zc_tensor *block(zc_context *ctx)
{
    int64_t values[24];
    for (int i = 0; i < 24; i++)
        values[i] = i;
    return zc_from_data(ctx, ZC_INT64, ZC_SHAPE(2, 3, 4), values, sizeof values);
}

Test(views, show_the_right_elements_of_the_same_memory)
{
    bench b = begin();
    zc_tensor *x = block(b.ctx);
    int64_t held = zc_memory_usage(b.ctx).held_bytes;
    struct {
        zc_tensor *view;
        int64_t first; /* element (0, ..., 0) */
        int64_t last;  /* the last in row-major order */
    } cases[] = {
        {zc_broadcast_to(zc_index(x, 0, 0), ZC_SHAPE(5, 3, 4)), 0, 11},
        {zc_permute_dims(x, ZC_AXES(2, 0, 1)), 0, 23},
        {zc_matrix_transpose(zc_index(x, 0, 1)), 12, 23},
        {zc_swapaxes(x, 0, -1), 0, 23},
        {zc_moveaxis(zc_slice(x, 1, 1, 3, 1), 0, 2), 4, 23},
        {zc_slice(x, 2, -1, ZC_NONE, -2), 3, 21},
        {zc_index(x, -1, -2), 2, 22},
        {zc_expand_dims(x, -1), 0, 23},
        {zc_squeeze(zc_slice(x, 0, 1, 2, 1), ZC_AXES(0)), 12, 23},
        {zc_flip(x, ZC_AXES(0, 2)), 15, 8},
        {zc_reshape(x, ZC_SHAPE(6, -1)), 0, 23},
        {zc_rot90(x, 1, 1, 2), 3, 20},
        {zc_diagonal(x, 1, 1, 2), 1, 23},
        {zc_as_strided(x, ZC_SHAPE(2, 2), (const int64_t[]){12, -1}, 5), 5, 16},
        {zc_sliding_window_view(x, ZC_SHAPE(2, 3), ZC_AXES(1, 2)), 0, 23},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_not_null(cases[i].view, "case %zu: %s", i, zc_error_text(b.ctx));
        cr_assert(zc_is_view(cases[i].view));
        cr_assert_eq(*(const int64_t *)zc_data(cases[i].view), cases[i].first, "case %zu", i);
        cr_assert_eq(zc_offset(cases[i].view), cases[i].first, "case %zu", i); /* elements are numbered in order */
    }
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes, held, "a view took data memory");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_assert_eq(integer_at(cases[i].view, zc_size(cases[i].view) - 1), cases[i].last, "case %zu", i);
    expect_shape(cases[4].view, ZC_SHAPE(2, 4, 2));
    expect_shape(cases[12].view, ZC_SHAPE(2, 3));
    cr_assert_eq(zc_broadcast_axes(cases[0].view), 1);
    finish(b);
}

/* As the manual has it: the same view of the places says where an update writes, and shows what it wrote. */
Test(views, are_written_through_by_updates_of_what_they_show)
{
    bench b = begin();
    zc_tensor *x = block(b.ctx);
    zc_tensor *seen = zc_flip(zc_index(zc_permute_dims(zc_places(x), ZC_AXES(2, 0, 1)), 0, 1), ZC_AXES(1)); /* (2, 3) */
    zc_tensor *part = zc_slice(seen, 1, 0, 2, 1);
    zc_tensor *updated = zc_update(x, part, zc_weak_int(b.ctx, -1), ZC_UPDATE_SET);
    zc_tensor *view = zc_as_strided(updated, 2, zc_shape(seen), zc_strides(seen), zc_offset(seen));
    const int64_t wanted[] = {-1, -1, 1, -1, -1, 13};
    for (int i = 0; i < 6; i++)
        cr_assert_eq(integer_at(view, i), wanted[i], "element %d", i);
    const int64_t all[] = {0, 1, 2, 3, 4, -1, 6, 7, 8, -1, 10, 11, 12, 13, 14, 15, 16, -1, 18, 19, 20, -1, 22, 23};
    for (int i = 0; i < 24; i++)
        cr_assert_eq(integer_at(updated, i), all[i], "element %d", i);
    cr_assert_eq(integer_at(zc_index(x, 0, 0), 5), 5, "x stays as it is");
    finish(b);
}

/* Indices that are IndexErrors in Python have a status of their own; an axis that is not there is another mistake. */
Test(views, an_index_outside_its_axis_has_its_own_status)
{
    bench b = begin();
    zc_tensor *x = block(b.ctx);
    const int64_t outside[] = {3, -4, INT64_MAX, INT64_MIN};
    for (int i = 0; i < 4; i++) {
        cr_assert_null(zc_index(x, 1, outside[i]));
        cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_INDEX, "index %ld", (long)outside[i]);
        zc_error_clear(b.ctx);
    }
    cr_assert_null(zc_index(x, 3, 0));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_AXIS);
    finish(b);
}

Test(views, refusals_name_the_function_and_the_shapes)
{
    bench b = begin();
    zc_tensor *x = block(b.ctx);
    struct {
        zc_tensor *view;
        const char *text;
    } cases[16];
    int count = 0;
#define REFUSED(call, fragment)                                                                                        \
    cases[count].view = call;                                                                                          \
    cr_assert_null(cases[count++].view);                                                                               \
    cr_assert_not_null(strstr(zc_error_text(b.ctx), fragment), "%s", zc_error_text(b.ctx));                            \
    zc_error_clear(b.ctx)
    REFUSED(zc_broadcast_to(x, ZC_SHAPE(2, 3, 5)), "broadcast_to: ");
    REFUSED(zc_tf_broadcast_to(x, ZC_SHAPE(2, 3, 5)), "[2,3,4]");
    REFUSED(zc_permute_dims(x, ZC_AXES(0, 1)), "permute_dims: ");
    REFUSED(zc_matrix_transpose(zc_iota(b.ctx, 3)), "matrix_transpose: ");
    REFUSED(zc_swapaxes(x, 0, 3), "axis 3");
    REFUSED(zc_moveaxis(x, -4, 0), "axis -4");
    REFUSED(zc_slice(x, 0, 0, 1, 0), "step");
    REFUSED(zc_index(x, 1, 3), "index 3");
    REFUSED(zc_expand_dims(x, 5), "axis 5");
    REFUSED(zc_squeeze(x, ZC_AXES(1)), "squeeze: ");
    REFUSED(zc_reshape(x, ZC_SHAPE(5, 5)), "reshape: ");
    REFUSED(zc_diagonal(x, 0, 1, 1), "diagonal: ");
    REFUSED(zc_as_strided(x, ZC_SHAPE(2), (const int64_t[]){24}, 0), "as_strided: ");
    REFUSED(zc_sliding_window_view(x, ZC_SHAPE(5), ZC_AXES(2)), "sliding_window_view: a window of 5");
    REFUSED(zc_rot90(x, 1, 0, -3), "rot90: a rotation needs two axes");
    REFUSED(zc_flip(x, ZC_AXES(0, 0)), "flip: ");
    finish(b);
}

Test(views, lists_are_views_of_the_same_memory)
{
    bench b = begin();
    zc_tensor *x = block(b.ctx), *parts[4], *shown[3];
    int64_t held = zc_memory_usage(b.ctx).held_bytes;
    cr_assert_eq(zc_unstack(x, -1, 4, parts), ZC_OK);
    for (int i = 0; i < 4; i++) {
        expect_shape(parts[i], ZC_SHAPE(2, 3));
        cr_assert_eq(*(const int64_t *)zc_data(parts[i]), i);
    }
    cr_assert_eq(zc_split(x, 1, 3, NULL, parts), ZC_OK);
    for (int i = 0; i < 3; i++) {
        expect_shape(parts[i], ZC_SHAPE(2, 1, 4));
        cr_assert_eq(*(const int64_t *)zc_data(parts[i]), 4 * i);
    }
    cr_assert_eq(zc_split(x, 2, 3, (const int64_t[]){1, 0, 3}, parts), ZC_OK);
    expect_shape(parts[0], ZC_SHAPE(2, 3, 1));
    expect_shape(parts[1], ZC_SHAPE(2, 3, 0));
    expect_shape(parts[2], ZC_SHAPE(2, 3, 3));
    cr_assert_eq(*(const int64_t *)zc_data(parts[2]), 1);
    const zc_tensor *const operands[] = {x, zc_index(x, 0, 1), zc_weak_int(b.ctx, 7)};
    cr_assert_eq(zc_broadcast_arrays(3, operands, shown), ZC_OK);
    for (int i = 0; i < 3; i++)
        expect_shape(shown[i], ZC_SHAPE(2, 3, 4));
    cr_assert_eq(zc_broadcast_axes(shown[1]), 1);
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes, held, "a view took data memory");
    cr_assert_eq(zc_broadcast_arrays(0, NULL, NULL), ZC_OK);
    cr_assert_eq(zc_split(zc_slice(x, 0, 0, 0, 1), 0, 0, (const int64_t[]){0}, NULL), ZC_OK);
    cr_assert_eq(zc_unstack(zc_slice(x, 0, 0, 0, 1), 0, 0, NULL), ZC_OK);
    finish(b);
}

Test(views, meshgrid_is_one_axis_each)
{
    bench b = begin();
    const zc_tensor *const axes[] = {OF(b.ctx, ZC_FLOAT64, 1, 2), OF(b.ctx, ZC_INT8, 3, 4, 5), zc_weak_int(b.ctx, 7)};
    zc_tensor *grid[3];
    int64_t held = zc_memory_usage(b.ctx).held_bytes;
    cr_assert_eq(zc_meshgrid(3, axes, false, grid), ZC_OK);
    for (int i = 0; i < 3; i++)
        expect_shape(grid[i], ZC_SHAPE(2, 3, 1));
    cr_assert(zc_strides(grid[0])[0] == 1 && zc_strides(grid[0])[1] == 0);
    cr_assert(zc_strides(grid[1])[0] == 0 && zc_strides(grid[1])[1] == 1);
    cr_assert_eq(zc_dtype_of(grid[1]), ZC_INT8);
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes, held, "a view took data memory");
    EXPECT(grid[0], 1, 1, 1, 2, 2, 2);
    EXPECT(grid[1], 3, 4, 5, 3, 4, 5);
    EXPECT(grid[2], 7, 7, 7, 7, 7, 7);
    cr_assert_eq(zc_meshgrid(2, axes, true, grid), ZC_OK);
    expect_shape(grid[0], ZC_SHAPE(3, 2));
    EXPECT(grid[0], 1, 2, 1, 2, 1, 2);
    EXPECT(grid[1], 3, 3, 4, 4, 5, 5);
    cr_assert_eq(zc_meshgrid(1, axes, true, grid), ZC_OK);
    EXPECT(grid[0], 1, 2);
    cr_assert_eq(zc_meshgrid(0, NULL, true, NULL), ZC_OK);
    cr_assert_eq(zc_meshgrid(2, axes, true, NULL), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_meshgrid(-1, axes, true, grid), ZC_ERROR_ARGUMENT);
    zc_error_clear(b.ctx);
    const zc_tensor *many[ZC_MAX_RANK + 1];
    zc_tensor *none[ZC_MAX_RANK + 1];
    for (int i = 0; i <= ZC_MAX_RANK; i++)
        many[i] = zc_iota(b.ctx, 4);
    cr_assert_eq(zc_meshgrid(ZC_MAX_RANK + 1, many, false, none), ZC_ERROR_SHAPE);
    cr_assert_str_eq(zc_error_text(b.ctx), "meshgrid: 65 tensors make more than 64 axes");
    zc_error_clear(b.ctx);
    cr_assert_eq(zc_meshgrid(ZC_MAX_RANK, many, false, none), ZC_ERROR_OVERFLOW);
    zc_error_clear(b.ctx);
    finish(b);
}

Test(views, lists_are_given_whole_or_not_at_all)
{
    bench b = begin();
    zc_tensor *x = block(b.ctx), *out[3];
#define REFUSED_LIST(call, status, fragment)                                                                           \
    out[0] = out[1] = out[2] = x;                                                                                      \
    cr_assert_eq(call, status);                                                                                        \
    cr_assert(out[0] == NULL && out[1] == NULL && out[2] == NULL, "%s", fragment);                                     \
    cr_assert_not_null(strstr(zc_error_text(b.ctx), fragment), "%s", zc_error_text(b.ctx));                            \
    zc_error_clear(b.ctx)
    REFUSED_LIST(zc_split(x, 2, 3, NULL, out), ZC_ERROR_SHAPE,
                 "split: axis 2 of size 4 does not divide into 3 equal parts");
    REFUSED_LIST(zc_split(x, 2, 3, (const int64_t[]){1, 1, 1}, out), ZC_ERROR_SHAPE,
                 "split: the sizes of the parts add up to 3, axis 2 has size 4");
    REFUSED_LIST(zc_split(x, 2, 3, (const int64_t[]){5, -2, 1}, out), ZC_ERROR_ARGUMENT, "size -2 of part 1");
    REFUSED_LIST(zc_split(x, 2, 3, (const int64_t[]){INT64_MAX, INT64_MAX, 6}, out), ZC_ERROR_OVERFLOW, "split: ");
    REFUSED_LIST(zc_split(x, 3, 3, NULL, out), ZC_ERROR_AXIS, "split: axis 3");
    REFUSED_LIST(zc_unstack(x, 0, 3, out), ZC_ERROR_SHAPE, "unstack: axis 0 has size 2, there is room for 3 tensors");
    REFUSED_LIST(zc_unstack(x, -4, 3, out), ZC_ERROR_AXIS, "unstack: axis -4");
    REFUSED_LIST(zc_meshgrid(3, (const zc_tensor *const[]){zc_iota(b.ctx, 3), zc_iota(b.ctx, 3), x}, false, out),
                 ZC_ERROR_SHAPE, "meshgrid: argument 2 has shape (2, 3, 4), and not one axis");
    REFUSED_LIST(zc_meshgrid(3, (const zc_tensor *const[]){x, NULL, x}, false, out), ZC_ERROR_ARGUMENT, "");
    cr_assert_eq(zc_split(x, 0, 0, NULL, out), ZC_ERROR_SHAPE);
    cr_assert_str_eq(zc_error_text(b.ctx), "split: axis 0 of size 2 does not divide into 0 equal parts");
    zc_error_clear(b.ctx);
    REFUSED_LIST(zc_broadcast_arrays(3, (const zc_tensor *const[]){x, x, zc_iota(b.ctx, 3)}, out), ZC_ERROR_SHAPE,
                 "broadcast_arrays: shape mismatch: argument 0 with shape (2, 3, 4) and argument 2 with shape (3,)");
    REFUSED_LIST(zc_broadcast_arrays(3, (const zc_tensor *const[]){x, NULL, x}, out), ZC_ERROR_ARGUMENT, "");
    cr_assert_eq(zc_split(x, 0, -1, NULL, out), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_split(x, 0, 2, NULL, NULL), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_unstack(x, 0, 2, NULL), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_broadcast_arrays(1, (const zc_tensor *const[]){x}, NULL), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_broadcast_arrays(-1, NULL, out), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_split(NULL, 0, 2, NULL, out), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_unstack(NULL, 0, 2, out), ZC_ERROR_ARGUMENT);
    finish(b);
}

/* A reshape that no strides express is recorded, and only copied when computed. */
Test(views, reshape_of_a_broadcast_takes_no_memory_until_it_is_computed)
{
    bench b = begin();
    zc_tensor *x = block(b.ctx);
    int64_t held = zc_memory_usage(b.ctx).held_bytes;
    zc_tensor *flat = zc_reshape(zc_broadcast_to(zc_expand_dims(x, 3), ZC_SHAPE(2, 3, 4, 1000000)), ZC_SHAPE(-1));
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes, held);
    cr_assert_not(zc_is_view(flat));
    cr_assert_eq(zc_size(flat), 24000000);
    cr_assert_eq(integer_at(zc_slice(flat, 0, 22999999, 23000001, 1), 1), 23);
    finish(b);
}
