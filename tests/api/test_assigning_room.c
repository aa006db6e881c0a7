/*
 * zc_assign of what is few elements or not: chains that need more room than there is, places that are no numbers of
 * elements, and tensors that many paths lead to.
 */
#include "tests/api/values.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

/* Records a chain of maps of elements that lie apart, of bools and at listed places. */
static const zc_tensor *chain_on(bench b, const zc_tensor *elements, const zc_tensor *places, int64_t maps)
{
    const zc_tensor *taken = zc_take(elements, places, 0);
    for (int64_t i = 0; i < maps; i++)
        taken = zc_add(taken, zc_weak_int(b.ctx, 1));
    const zc_tensor *truths = zc_greater_equal(zc_real(zc_flip(taken, 1, (const int[]){0})), zc_weak_int(b.ctx, 0));
    return zc_where(zc_take(truths, places, 0), zc_take(taken, places, 0), zc_weak_int(b.ctx, 7));
}

/* Computing few elements has some room: whether a program fits or is recorded, its elements are the same. */
Test(assigning_room, what_needs_more_room_is_recorded)
{
    enum { SIZE = 512, MOST = 12 };
    static const zc_dtype dtypes[] = {ZC_INT8, ZC_INT64, ZC_COMPLEX128};
    bench b = begin();
    int at_once = 0, recorded = 0;
    for (int run = 0; run < 3 * MOST; run++) {
        const zc_dtype dtype = dtypes[run / MOST];
        const int64_t maps = run % MOST, size = SIZE >> (run % 4);
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *x = numbers_in_memory(b, dtype, SIZE), *y = numbers_in_memory(b, dtype, SIZE), *places = NULL;
        const zc_tensor *back = zc_subtract(zc_weak_int(b.ctx, (int)size - 1), zc_iota(b.ctx, size));
        cr_assert_eq(zc_materialize(back, &places), ZC_OK);
        const zc_tensor *values = chain_on(b, y, places, maps);
        const bool is_written = writes_at_once(&x, zc_slice(zc_places(x), 0, 0, size, 1), values);
        at_once += is_written;
        recorded += !is_written;
        for (int64_t i = 0; i < size; i += 37) {
            const int64_t number = dtype == ZC_INT8 ? (int8_t)(i + maps) : i + maps;
            const int64_t last = dtype == ZC_INT8 ? (int8_t)(size - 1 - i + maps) : 0; /* the flipped one's */
            cr_expect_eq(integer_at(zc_real(x), i), last < 0 ? 7 : number, "run %d, element %lld", run, (long long)i);
        }
        zc_scope_end(scope);
        zc_release(x);
        zc_release(y);
    }
    cr_expect(at_once > 0 && recorded > 0, "%d at once, %d recorded", at_once, recorded);
    finish(b);
}

/* More than fit on the stack take memory within the limit, for places and for values, or are recorded. */
Test(assigning_room, is_taken_within_the_limit)
{
    enum { SIZE = 100000, WRITTEN = 3000, ITEM = 8 };
    static const int64_t rooms[] = {40000, 40000, 120000, 1 << 20, 1 << 20};
    for (int run = 0; run < 5; run++) {
        const bool is_listed = run % 2 != 0, has_room = rooms[run] == 1 << 20;
        const int64_t limit = (SIZE + 2 * WRITTEN) * ITEM + rooms[run];
        bench b = begin_with((zc_options){.memory_limit = limit});
        zc_tensor *x = numbers_in_memory(b, ZC_INT64, SIZE), *y = numbers_in_memory(b, ZC_INT64, WRITTEN), *listed;
        cr_assert_eq(zc_materialize(zc_multiply(zc_iota(b.ctx, WRITTEN), zc_weak_int(b.ctx, 3)), &listed), ZC_OK);
        zc_memory_reset_peak(b.ctx);
        if (is_listed)
            cr_expect_eq(writes_at_once(&x, zc_take(zc_places(x), listed, 0), y), has_room, "run %d", run);
        else
            cr_expect_eq(writes_at_once(&x, zc_slice(zc_places(x), 0, 1, 1 + WRITTEN, 1), zc_negative(y)), has_room,
                         "run %d", run);
        cr_expect_leq(zc_memory_usage(b.ctx).peak_bytes, limit);
        cr_expect_eq(zc_error_status(b.ctx), ZC_OK);
        zc_release(x);
        zc_release(y);
        finish(b);
    }
}

/* Sums need a plan, and values that do not fit their places are refused. */
Test(assigning_room, more_than_fit_on_the_stack_may_need_a_plan)
{
    enum { SIZE = 20000, WRITTEN = 3000 };
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, SIZE), *y = numbers_in_memory(b, ZC_INT64, WRITTEN + 1);
    const zc_tensor *some = zc_slice(y, 0, 0, WRITTEN, 1), *places = zc_slice(zc_places(x), 0, 0, WRITTEN, 1);
    const zc_tensor *sums = zc_negative(zc_cumulative_sum(some, 0, false));
    cr_expect_eq(zc_assign(&x, places, zc_negative(y)), ZC_ERROR_SHAPE);
    zc_error_clear(b.ctx);
    cr_expect(!writes_at_once(&x, places, sums), "sums");
    cr_expect_eq(integer_at(x, 4), -10);
    zc_release(x);
    zc_release(y);
    finish(b);
}

/* Places that are counted from the end, or are numbers of another dtype, are recorded; what is held may be empty. */
Test(assigning_room, places_are_numbers_of_elements)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, 100), *held = zc_keep(zc_slice(x, 0, 5, 5, 1));
    const zc_tensor *below = zc_subtract(zc_slice(zc_places(x), 0, 0, 3, 1), zc_weak_int(b.ctx, 1));
    const zc_tensor *narrow = zc_astype(zc_slice(zc_places(x), 0, 20, 23, 1), ZC_INT32);
    cr_expect_eq(zc_assign_keeping(&x, zc_index(zc_places(x), 0, 3), zc_weak_int(b.ctx, 6), 1, &held), ZC_OK);
    cr_expect_eq(zc_shape(held)[0], 0);
    cr_expect(!writes_at_once(&x, zc_copy(below), zc_weak_int(b.ctx, 5)));
    cr_expect(!writes_at_once(&x, narrow, zc_weak_int(b.ctx, 4)));
    const int64_t wanted[] = {5, 5, 2, 6}, later[] = {19, 4, 4, 4, 23};
    for (int i = 0; i < 4; i++)
        cr_expect_eq(integer_at(x, i), wanted[i], "%d", i);
    for (int i = 0; i < 5; i++)
        cr_expect_eq(integer_at(x, 19 + i), later[i], "%d", i);
    cr_expect_eq(integer_at(x, 99), 5);
    const zc_tensor *above = zc_copy(zc_add(zc_slice(zc_places(x), 0, 0, 3, 1), zc_weak_int(b.ctx, 98)));
    cr_expect_eq(zc_assign(&x, above, zc_weak_int(b.ctx, 7)), ZC_OK);
    zc_tensor *out = NULL;
    cr_expect_eq(zc_materialize(x, &out), ZC_ERROR_INDEX, "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    zc_release(held);
    zc_release(x);
    finish(b);
}
