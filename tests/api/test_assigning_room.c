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
    zc_release(held);
    zc_release(x);
    finish(b);
}

/* Writes one of the numbers that were computed, at once or not. */
static void expect_write(zc_tensor **made, bool at_once)
{
    const zc_tensor *place = zc_index(zc_places(*made), 0, 3), *seven = zc_weak_int(zc_context_of(*made), 7);
    cr_expect_eq(writes_at_once(made, place, seven), at_once);
    cr_expect_eq(integer_at(*made, 3), 7);
    cr_expect_eq(integer_at(*made, 4), 4);
}

/* Gradients are looked for once below what many paths lead to. */
Test(assigning_room, computed_diamonds_are_written_where_no_gradient_passes)
{
    enum { DEPTH = 40 };
    bench b = begin();
    for (int holds = 0; holds < 2; holds++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, 100), *out = NULL, *made = zc_retain(x);
        for (int i = 0; i < DEPTH; i++) {
            zc_tensor *next = zc_keep(zc_minimum(made, zc_multiply(made, zc_weak_float(b.ctx, 2))));
            zc_release(made);
            made = next;
        }
        cr_assert_eq(zc_materialize(made, &out), ZC_OK);
        zc_release(zc_keep(out));
        if (holds == 0)
            zc_release(x);
        zc_scope_end(scope);
        scope = zc_scope_begin(b.ctx);
        expect_write(&made, holds == 0);
        zc_scope_end(scope);
        zc_release(made);
        if (holds != 0)
            zc_release(x);
    }
    finish(b);
}

/* A tensor made of so many nodes that gradients are not looked for below all of them: deep, or wide. */
static zc_tensor *make_of_many(bench b, const zc_tensor *x, bool is_deep)
{
    enum { DEPTH = 5000, WIDTH = 300 };
    const zc_tensor *parts[WIDTH], *deep = x;
    for (int i = 0; i < DEPTH && is_deep; i++)
        deep = zc_multiply(deep, zc_weak_float(b.ctx, 1));
    for (int i = 0; i < WIDTH && !is_deep; i++)
        parts[i] = zc_add(x, zc_weak_float(b.ctx, i));
    return zc_keep(is_deep ? zc_copy(deep) : zc_concat(b.ctx, WIDTH, parts, 0));
}

Test(assigning_room, what_is_made_of_many_nodes_is_recorded)
{
    bench b = begin();
    for (int is_deep = 0; is_deep < 2; is_deep++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, 100), *made = make_of_many(b, x, is_deep != 0), *out = NULL;
        zc_scope_end(scope);
        cr_assert_eq(zc_materialize(made, &out), ZC_OK);
        zc_release(out);
        zc_release(x);
        scope = zc_scope_begin(b.ctx);
        expect_write(&made, false);
        zc_scope_end(scope);
        zc_release(made);
    }
    finish(b);
}
