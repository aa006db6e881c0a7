/* Splitting the axes of a view: where they cross borders of the storage in whole steps, and where there is no room. */
#include "tests/support/zc_test.h"
#include "views/split.h"

Test(split, follows_the_borders_of_the_storage)
{
    static const int64_t storage[] = {2, 3, 5};
    zc_view view = {.rank = 1, .offset = 0, .shape = {30}, .stride = {1}}, finer;
    zc_axis_split split;
    cr_assert(zc_view_split(&view, 3, storage, &split));
    zc_view_apply_split(&view, &split, &finer);
    cr_expect_eq(split.rank, 3);
    for (int a = 0; a < 3; a++) {
        cr_expect_eq(split.origin[a], 0);
        cr_expect_eq(finer.shape[a], storage[a]);
    }
    cr_expect_eq(finer.stride[0], 15);
    cr_expect_eq(finer.stride[1], 5);
    cr_expect_eq(finer.stride[2], 1);
}

/* As many axes as a view may have, of which one would become two or three. */
Test(split, is_refused_where_there_is_no_room_for_the_axes)
{
    static const int64_t two[] = {2, 3}, three[] = {2, 3, 5};
    zc_view view = {.rank = ZC_MAX_RANK, .offset = 0};
    zc_axis_split split;
    for (int a = 0; a < ZC_MAX_RANK; a++)
        view.shape[a] = 1;
    view.shape[0] = 6;
    view.stride[0] = 1;
    cr_expect_not(zc_view_split(&view, 2, two, &split));
    view.shape[0] = 30;
    cr_expect_not(zc_view_split(&view, 3, three, &split));
}
