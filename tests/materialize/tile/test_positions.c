/*
 * Comparisons of positions, whose truths are filled: they are those of the same comparisons of floats, which are
 * computed, wherever positions move along rows or columns, up or down, and whatever reads them.
 */
#include <string.h>

#include <zerocast.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { RANK = 3 };

typedef zc_tensor *comparison(const zc_tensor *x, const zc_tensor *y);

static comparison *const comparisons[] = {zc_less, zc_less_equal, zc_greater, zc_greater_equal, zc_equal, zc_not_equal};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

/* Positions that some of the axes move, in order or not, by steps of either sign. */
static zc_tensor *positions(zc_context *ctx, const int64_t *shape)
{
    int64_t extent[RANK], size = 1;
    for (int a = 0; a < RANK; a++) {
        extent[a] = zc_random_range(0, 2) == 0 ? 1 : shape[a];
        size *= extent[a];
    }
    const int64_t step = zc_random_range(1, 3), first = zc_random_range(0, 20);
    const zc_tensor *all = zc_iota(ctx, first + size * step);
    const zc_tensor *some = zc_slice(all, 0, first, ZC_NONE, step);
    if (zc_random_bool())
        some = zc_flip(some, ZC_AXES(0));
    return zc_broadcast_to(zc_reshape(some, RANK, extent), RANK, shape);
}

/* A position of a row for each of the first truths. */
static zc_tensor *rows_of(const zc_tensor *mask, int64_t count)
{
    const zc_tensor *first = zc_slice(zc_slice(mask, 1, 0, 1, 1), 2, 0, 1, 1);
    return zc_remainder(zc_astype(first, ZC_INT64), zc_weak_int(zc_context_of(mask), (int)count));
}

/* A program that reads the truths, in one of several ways. */
static zc_tensor *use(zc_context *ctx, int how, const zc_tensor *mask, const zc_tensor *x, const zc_tensor *numbers)
{
    switch (how) {
    case 0:
        return zc_copy(mask);
    case 1:
        return zc_where(mask, numbers, zc_weak_float(ctx, -1));
    case 2:
        return zc_sum(zc_where(mask, numbers, zc_weak_float(ctx, 0)), ZC_AXES(-1), false);
    case 3:
        return zc_count_nonzero(mask, ZC_AXES(1), false);
    case 4:
        return zc_logical_and(mask, zc_greater(numbers, zc_weak_float(ctx, 40)));
    case 5:
        return zc_where(mask, x, zc_weak_int(ctx, 7)); /* the positions are read, too */
    case 6:
        return zc_matrix_transpose(zc_where(mask, numbers, zc_weak_float(ctx, 2)));
    case 7: /* positions of positions: of rows that are moved as a whole, one is enough */
        return zc_take(numbers, rows_of(mask, zc_shape(numbers)[0]), 0);
    default:
        return zc_cumulative_sum(zc_astype(mask, ZC_INT32), 2, false);
    }
}
enum { USES = 9 };

Test(positions, truths_are_those_of_numbers)
{
    zc_random_begin("positions");
    const int count = zc_test_count(3000);
    for (int i = 0; i < count; i++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1 + i % 2});
        zc_scope *scope = zc_scope_begin(ctx);
        const int64_t shape[RANK] = {zc_random_range(1, 4), zc_random_range(1, 40),
                                     zc_random_range(1, zc_random_range(0, 9) == 0 ? 3000 : 90)};
        const zc_tensor *x = positions(ctx, shape), *y = positions(ctx, shape);
        const int constant = (int)zc_random_range(0, 5);
        const int64_t number = constant == 0 ? INT64_MIN : constant == 1 ? INT64_MAX : zc_random_range(-3, 200);
        y = constant < 3 ? zc_constant(ctx, ZC_INT64, &number) : y;
        const zc_tensor *numbers = zc_astype(zc_remainder(positions(ctx, shape), zc_weak_int(ctx, 97)), ZC_FLOAT32);
        comparison *compare = comparisons[zc_random_range(0, COMPARISONS - 1)];
        const bool is_swapped = zc_random_bool();
        const zc_tensor *left = is_swapped ? y : x, *right = is_swapped ? x : y;
        const int how = (int)zc_random_range(0, USES - 1);
        const zc_tensor *filled = use(ctx, how, compare(left, right), x, numbers);
        const zc_tensor *computed =
            use(ctx, how, compare(zc_astype(left, ZC_FLOAT64), zc_astype(right, ZC_FLOAT64)), x, numbers);
        zc_tensor *out[2];
        cr_assert_eq(zc_materialize(filled, &out[0]), ZC_OK, "%d: %s", i, zc_error_text(ctx));
        cr_assert_eq(zc_materialize(computed, &out[1]), ZC_OK, "%d: %s", i, zc_error_text(ctx));
        const size_t bytes = (size_t)zc_size(out[0]) * zc_dtype_bytes(zc_dtype_of(out[0]));
        cr_assert_eq(memcmp(zc_data(out[0]), zc_data(out[1]), bytes), 0, "program %d, use %d", i, how);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* Expects the truths of a comparison of some positions with others, or with one number. */
static void expect_truths(int which, const zc_tensor *x, const zc_tensor *y, const int64_t *of_x, const int64_t *of_y)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(comparisons[which](x, y), &out), ZC_OK);
    const bool *truth = zc_data(out);
    for (int64_t i = 0; i < zc_size(out); i++) {
        const int64_t a = of_x[i], b = of_y[i];
        const bool wanted[COMPARISONS] = {a<b, a <= b, a> b, a >= b, a == b, a != b};
        cr_expect_eq(truth[i], wanted[which], "comparison %d, element %d", which, (int)i);
    }
    zc_release(out);
}

/* Positions up to the largest number, and steps as long as all of them. */
Test(positions, may_be_as_large_as_numbers_are)
{
    enum { LAST = 8 };
    static const int64_t numbers[] = {INT64_MIN, -5, 0, INT64_MAX / 2, INT64_MAX - 5, INT64_MAX};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *all = zc_iota(ctx, INT64_MAX);
    const zc_tensor *last = zc_slice(all, 0, -LAST, ZC_NONE, 1), *ends = zc_slice(all, 0, 0, ZC_NONE, INT64_MAX - 1);
    const int64_t of_ends[] = {0, INT64_MAX - 1}, of_turned[] = {INT64_MAX - 1, 0};
    for (int c = 0; c < COMPARISONS; c++) {
        expect_truths(c, ends, zc_flip(ends, ZC_AXES(0)), of_ends, of_turned);
        expect_truths(c, zc_flip(ends, ZC_AXES(0)), ends, of_turned, of_ends);
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            int64_t up[LAST], down[LAST], same[LAST];
            for (int i = 0; i < LAST; i++) {
                up[i] = INT64_MAX - LAST + i;
                down[i] = INT64_MAX - 1 - i;
                same[i] = numbers[n];
            }
            const zc_tensor *number = zc_constant(ctx, ZC_INT64, &numbers[n]);
            expect_truths(c, last, number, up, same);
            expect_truths(c, number, last, same, up);
            expect_truths(c, zc_flip(last, ZC_AXES(0)), number, down, same);
            expect_truths(c, number, zc_flip(last, ZC_AXES(0)), same, down);
        }
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* A mask of all pairs that is read for each of several batches is in no memory. */
Test(positions, masks_are_in_no_memory)
{
    enum { SIDE = 3000, BATCHES = 8 };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *i = zc_iota(ctx, SIDE), *row = zc_reshape(i, ZC_SHAPE(SIDE, 1));
    const zc_tensor *band = zc_logical_and(zc_greater_equal(row, i), zc_less(zc_subtract(row, i), zc_weak_int(ctx, 9)));
    const zc_tensor *const masks[] = {zc_greater_equal(row, i), zc_equal(row, i), band};
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
        const zc_tensor *scores = zc_broadcast_to(zc_weak_float(ctx, 0.5), ZC_SHAPE(BATCHES, SIDE, SIDE));
        zc_cost cost;
        cr_assert_eq(zc_cost_of(zc_sum(zc_where(masks[m], scores, zc_weak_float(ctx, 0)), ZC_AXES(2), false), &cost),
                     ZC_OK);
        cr_expect_leq(cost.peak_bytes, cost.logical_bytes + (1 << 20), "mask %zu", m);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}
