/* Views as values: what proving accepts and says, and what views report about themselves. */
#include "views/view.h"

#include "tests/support/zc_test.h"

#include <string.h>

static zc_status prove(int rank, const int64_t *shape, const int64_t *stride, int64_t offset, int64_t storage,
                       zc_view *out, zc_reason *why)
{
    return zc_view_prove(rank, shape, stride, offset, storage, out, why);
}

Test(view, proving_keeps_what_is_inside)
{
    zc_view v;
    cr_expect_eq(prove(2, (const int64_t[]){2, 3}, (const int64_t[]){-3, 1}, 3, 6, &v, NULL), ZC_OK);
    cr_expect_eq(v.offset, 3);
    cr_expect(zc_shape_equal(v.rank, v.stride, ZC_SHAPE(-3, 1)));
    int64_t lowest;
    int64_t highest;
    zc_view_reach(&v, &lowest, &highest);
    cr_expect_eq(lowest, 0);
    cr_expect_eq(highest, 5);
}

Test(view, proving_names_the_element_out_of_reach)
{
    zc_view v;
    zc_reason why;
    cr_expect_eq(prove(1, (const int64_t[]){4}, (const int64_t[]){-2}, 3, 10, &v, &why), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(why.text, "shape (4,) with strides (-2,) from element 3 reaches element -3 of a storage of 10 "
                               "elements");
    cr_expect_eq(prove(2, (const int64_t[]){2, 3}, (const int64_t[]){5, 3}, 0, 10, &v, &why), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(why.text, "shape (2, 3) with strides (5, 3) from element 0 reaches element 11 of a storage of 10 "
                               "elements");
    cr_expect_eq(prove(1, (const int64_t[]){3}, (const int64_t[]){INT64_MAX}, 1, 10, &v, &why), ZC_ERROR_OVERFLOW);
    cr_expect_str_eq(why.text, "shape (3,) with strides (9223372036854775807,) from element 1 reaches beyond 64 bits");
    cr_expect_eq(prove(0, NULL, NULL, 10, 10, &v, &why), ZC_ERROR_ARGUMENT);
    cr_expect_eq(prove(0, NULL, NULL, -1, 10, &v, &why), ZC_ERROR_ARGUMENT);
    cr_expect_eq(prove(0, NULL, NULL, 9, 10, &v, &why), ZC_OK);
    cr_expect_eq(prove(1, (const int64_t[]){2}, NULL, 9, 10, &v, &why), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(why.text, "the strides are NULL");
    cr_expect_eq(prove(1, (const int64_t[]){-2}, (const int64_t[]){1}, 9, 10, &v, &why), ZC_ERROR_ARGUMENT);
}

Test(view, strides_that_nobody_walks_are_dropped)
{
    zc_view v;
    cr_expect_eq(prove(2, (const int64_t[]){1, 2}, (const int64_t[]){INT64_MAX, 1}, 0, 2, &v, NULL), ZC_OK);
    cr_expect(zc_shape_equal(v.rank, v.stride, ZC_SHAPE(0, 1)));
    cr_expect_eq(prove(2, (const int64_t[]){0, 2}, (const int64_t[]){7, INT64_MIN}, -5, 0, &v, NULL), ZC_OK);
    cr_expect(zc_shape_equal(v.rank, v.stride, ZC_SHAPE(0, 0)));
    cr_expect_eq(v.offset, 0);
}

Test(view, a_storage_without_elements_shows_none)
{
    zc_view v;
    cr_expect_neq(prove(1, (const int64_t[]){1}, (const int64_t[]){0}, 0, 0, &v, NULL), ZC_OK);
    cr_expect_eq(prove(1, (const int64_t[]){0}, (const int64_t[]){0}, 0, 0, &v, NULL), ZC_OK);
}

Test(view, copies_are_equal_and_changes_are_not)
{
    zc_view a;
    zc_view b;
    zc_view_row_major(ZC_SHAPE(2, 3), &a);
    memset(&b, 0x5a, sizeof b);
    zc_view_copy(&a, &b);
    cr_expect(zc_view_equal(&a, &b), "only the first `rank` entries count");
    b.offset = 1;
    cr_expect_not(zc_view_equal(&a, &b));
    zc_view_copy(&a, &b);
    b.stride[1] = 2;
    cr_expect_not(zc_view_equal(&a, &b));
    zc_view_copy(&a, &b);
    b.shape[0] = 4;
    cr_expect_not(zc_view_equal(&a, &b));
    zc_view_row_major(ZC_SHAPE(2), &b);
    cr_expect_not(zc_view_equal(&a, &b));
}

Test(view, dense_wherever_it_begins)
{
    zc_view v;
    zc_view_row_major(ZC_SHAPE(2, 1, 3), &v);
    cr_expect(zc_view_is_dense(&v));
    cr_expect(zc_view_is_identity(&v, 6));
    cr_expect_not(zc_view_is_identity(&v, 7));
    v.offset = 4;
    cr_expect(zc_view_is_dense(&v));
    cr_expect_not(zc_view_is_identity(&v, 6));
    v.offset = 0;
    v.stride[0] = 4;
    cr_expect_not(zc_view_is_dense(&v));
    cr_expect_not(zc_view_is_identity(&v, 6));
    zc_view_row_major(ZC_SHAPE(0, 3), &v);
    cr_expect(zc_view_is_dense(&v));
    cr_expect(zc_view_is_identity(&v, 0));
    zc_view_row_major(ZC_SCALAR_SHAPE, &v);
    cr_expect(zc_view_is_dense(&v));
    cr_expect(zc_view_is_identity(&v, 1));
}

Test(view, broadcast_axes_are_the_long_ones_with_stride_0)
{
    zc_view v;
    cr_expect_eq(prove(4, (const int64_t[]){1, 5, 2, 7}, (const int64_t[]){0, 0, 1, 0}, 0, 2, &v, NULL), ZC_OK);
    cr_expect_eq(zc_view_broadcast_axes(&v), 0xa);
    int64_t shape[ZC_MAX_RANK];
    int64_t stride[ZC_MAX_RANK] = {0};
    for (int a = 0; a < ZC_MAX_RANK; a++)
        shape[a] = a == ZC_MAX_RANK - 1 ? 2 : 1;
    cr_expect_eq(prove(ZC_MAX_RANK, shape, stride, 0, 1, &v, NULL), ZC_OK);
    cr_expect_eq(zc_view_broadcast_axes(&v), (uint64_t)1 << 63);
}

Test(view, dropping_axes_takes_index_0)
{
    zc_view v;
    zc_view dropped;
    cr_expect_eq(prove(3, (const int64_t[]){2, 3, 4}, (const int64_t[]){12, -4, 1}, 8, 24, &v, NULL), ZC_OK);
    zc_view_drop_axes(&v, 2, &dropped);
    cr_expect(zc_shape_equal(dropped.rank, dropped.shape, ZC_SHAPE(2, 4)));
    cr_expect(zc_shape_equal(dropped.rank, dropped.stride, ZC_SHAPE(12, 1)));
    cr_expect_eq(dropped.offset, 8);
    zc_view_drop_axes(&v, 2, &v);
    cr_expect(zc_view_equal(&v, &dropped), "in place too");
    zc_view_drop_axes(&v, 3, &v);
    cr_expect_eq(v.rank, 0);
    cr_expect_eq(zc_view_size(&v), 1);
}

/* Views of a planner may have more elements than int64 counts. */
Test(view, size_saturates)
{
    const zc_view wide = {.rank = 3, .shape = {INT64_C(1) << 40, INT64_C(1) << 40, 2}, .stride = {0, 0, 1}};
    cr_expect_eq(zc_view_size(&wide), INT64_MAX);
}
