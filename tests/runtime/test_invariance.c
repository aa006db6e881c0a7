/* Invariant axes: which ones each kind of node has, and what a view of it makes of them. */
#include "runtime/context/context.h"
#include "runtime/graph/invariance.h"
#include "runtime/graph/tensor.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

typedef struct tensors {
    zc_context *ctx;
    zc_scope *scope;
    zc_tensor *matrix; /* (3, 4), nothing repeats */
    zc_tensor *rows;   /* (3, 4) computed of a row: invariant along axis 0 */
    zc_tensor *cube;   /* (2, 3, 4) computed of a row: invariant along axes 0 and 1 */
} tensors;

static tensors begin(void)
{
    static const double numbers[12] = {0.5, 1.5, 2.5};
    tensors t = {.ctx = zc_context_new(NULL)};
    t.scope = zc_scope_begin(t.ctx);
    t.matrix = zc_from_data(t.ctx, ZC_FLOAT64, 2, (const int64_t[]){3, 4}, numbers, sizeof numbers);
    zc_tensor *row = zc_index(t.matrix, 0, 0);
    t.rows = zc_exp(zc_broadcast_to(row, ZC_SHAPE(3, 4)));
    t.cube = zc_exp(zc_broadcast_to(row, ZC_SHAPE(2, 3, 4)));
    return t;
}

static void finish(tensors t)
{
    zc_scope_end(t.scope);
    zc_context_free(t.ctx);
}

static uint64_t invariant_axes(const zc_tensor *t)
{
    zc_view view;
    cr_assert_not_null(t);
    zc_tensor_view(t, &view);
    return zc_invariant_axes(t->node, &view);
}

Test(invariance, of_maps_is_what_all_operands_share)
{
    tensors t = begin();
    cr_expect_eq(invariant_axes(t.matrix), 0);
    cr_expect_eq(invariant_axes(t.rows), 1);
    cr_expect_eq(invariant_axes(t.cube), 3);
    cr_expect_eq(invariant_axes(zc_add(t.rows, t.matrix)), 0);
    cr_expect_eq(invariant_axes(zc_add(t.rows, t.cube)), 3);
    cr_expect_eq(invariant_axes(zc_add(t.matrix, t.cube)), 1);
    cr_expect_eq(invariant_axes(zc_full(t.ctx, ZC_SHAPE(5, 6), ZC_FLOAT32, 2)), 3);
    finish(t);
}

Test(invariance, of_a_concat_leaves_out_its_axis)
{
    tensors t = begin();
    const zc_tensor *rows[] = {t.rows, t.rows}, *mixed[] = {t.rows, t.matrix};
    cr_expect_eq(invariant_axes(zc_concat(t.ctx, 2, rows, 0)), 0);
    cr_expect_eq(invariant_axes(zc_concat(t.ctx, 2, rows, 1)), 1);
    cr_expect_eq(invariant_axes(zc_concat(t.ctx, 2, mixed, 1)), 0);
    cr_expect_eq(invariant_axes(zc_stack(t.ctx, 2, rows, 1)), 1);
    finish(t);
}

/* Although only the operand that repeats is seen. */
Test(invariance, of_a_part_of_a_concat_is_that_of_the_whole)
{
    tensors t = begin();
    const zc_tensor *mixed[] = {t.rows, t.matrix};
    cr_expect_eq(invariant_axes(zc_slice(zc_concat(t.ctx, 2, mixed, 1), 1, 0, 4, 1)), 0);
    finish(t);
}

Test(invariance, of_gathers_scans_and_reductions_follows_their_operand)
{
    tensors t = begin();
    zc_tensor *numbers = zc_iota(t.ctx, 2);
    zc_tensor *positions = zc_from_data(t.ctx, ZC_INT64, ZC_SHAPE(2), (const int64_t[]){0, 1}, 2 * sizeof(int64_t));
    cr_expect_eq(invariant_axes(zc_take(t.rows, positions, 1)), 1);
    cr_expect_eq(invariant_axes(zc_take(t.rows, positions, 0)), 0);
    cr_expect_eq(invariant_axes(zc_take(t.rows, numbers, 0)), 1, "numbers in order are a view");
    cr_expect_eq(invariant_axes(zc_cumulative_sum(t.cube, 1, false)), 1);
    cr_expect_eq(invariant_axes(zc_cumulative_sum(t.matrix, 1, false)), 0);
    zc_tensor *sum = zc_sum(t.cube, ZC_AXES(1), false);
    cr_expect_eq(invariant_axes(sum), 1);
    cr_expect_eq(sum->node->by_rule, 2);
    zc_tensor *all = zc_sum(zc_add(t.cube, t.matrix), ZC_ALL_AXES, false);
    cr_expect_eq(all->node->by_rule, 1);
    finish(t);
}

/* Takes rows of squares: (0, 0, 1, 1), where each repeats an element, and (0, 0, 0, 1), where only the first does. */
Test(invariance, of_gathers_is_that_of_all_that_may_be_taken)
{
    tensors t = begin();
    zc_tensor *column = zc_slice(zc_reshape(t.matrix, ZC_SHAPE(12, 1)), 0, 0, 2, 1);
    zc_tensor *twice = zc_reshape(zc_exp(zc_broadcast_to(column, ZC_SHAPE(2, 2))), ZC_SHAPE(4));
    zc_tensor *thrice = zc_reshape(zc_exp(zc_broadcast_to(column, ZC_SHAPE(2, 3))), ZC_SHAPE(6));
    zc_tensor *equal = zc_reshape(twice, ZC_SHAPE(2, 2));
    zc_tensor *differing = zc_reshape(zc_slice(thrice, 0, 0, 4, 1), ZC_SHAPE(2, 2));
    zc_tensor *second = zc_iota(t.ctx, 2);
    cr_expect_eq(invariant_axes(zc_take(equal, second, 0)), 2);
    cr_expect_eq(invariant_axes(zc_take(differing, second, 0)), 0);
    cr_expect_eq(invariant_axes(zc_take_along_axis(differing, zc_reshape(second, ZC_SHAPE(2, 1)), 0)), 0);
    finish(t);
}

Test(invariance, is_seen_through_views)
{
    tensors t = begin();
    cr_expect_eq(invariant_axes(zc_permute_dims(t.rows, 2, (const int[]){1, 0})), 2);
    cr_expect_eq(invariant_axes(zc_slice(t.cube, 1, ZC_NONE, ZC_NONE, -2)), 3);
    cr_expect_eq(invariant_axes(zc_slice(t.cube, 1, 1, 2, 1)), 1, "an axis of one element is not invariant");
    cr_expect_eq(invariant_axes(zc_reshape(t.cube, ZC_SHAPE(6, 4))), 1);
    cr_expect_eq(invariant_axes(zc_reshape(t.cube, ZC_SHAPE(2, 12))), 1);
    cr_expect_eq(invariant_axes(zc_broadcast_to(t.matrix, ZC_SHAPE(5, 3, 4))), 1);
    cr_expect_eq(invariant_axes(zc_diagonal(t.cube, 0, 0, 1)), 2, "the axes 0 and 1 are one, behind axis 2");
    cr_expect_eq(invariant_axes(zc_diagonal(t.rows, 0, 0, 1)), 0);
    finish(t);
}

/* Which would have more axes than there may be, if it was split where rows begin. */
Test(invariance, of_a_view_of_most_axes_across_rows_is_not_looked_for)
{
    tensors t = begin();
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < ZC_MAX_RANK; a++)
        shape[a] = a < ZC_MAX_RANK - 2 ? 1 : a == ZC_MAX_RANK - 2 ? 2 : 12;
    cr_expect_eq(invariant_axes(zc_reshape(t.cube, ZC_MAX_RANK, shape)), 0);
    finish(t);
}

/* Expects stride 0 along invariant axes: it leads to equal elements, so the view shows the same. */
Test(invariance, gives_axes_stride_0)
{
    tensors t = begin();
    zc_view view;
    zc_tensor_view(t.cube, &view);
    zc_invariant_view(t.cube->node, &view, &view);
    cr_expect_eq(view.stride[0], 0);
    cr_expect_eq(view.stride[1], 0);
    cr_expect_eq(view.stride[2], 1);
    finish(t);
}
