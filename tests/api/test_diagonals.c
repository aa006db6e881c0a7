/*
 * Diagonals of what is still to be computed: set, taken by numbers in order, and differentiated, they give the elements
 * that the same calls give of memory, and no more than rows of it is ever there.
 */
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

enum { ROUNDS = 300, MOST_AXES = 4 };

static zc_tensor *held(const zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return out;
}

static void expect_same(const zc_tensor *wanted, const zc_tensor *got, const char *what, int round)
{
    cr_assert(wanted != NULL && got != NULL, "%s, round %d", what, round);
    const zc_tensor *a = held(wanted), *b = held(got);
    cr_assert_eq(zc_rank(a), zc_rank(b), "%s, round %d", what, round);
    for (int k = 0; k < zc_rank(a); k++)
        cr_assert_eq(zc_shape(a)[k], zc_shape(b)[k], "%s, round %d: axis %d", what, round, k);
    for (int64_t i = 0; i < zc_size(a); i++)
        cr_assert_eq(value_at(a, i), value_at(b, i), "%s, round %d: element %d", what, round, (int)i);
}

/* The same elements in memory, and as a sum, perhaps with its axes turned. */
typedef struct both {
    const zc_tensor *there, *lazy;
} both;

static both draw(bench b)
{
    int64_t shape[MOST_AXES], size = 1;
    int order[MOST_AXES];
    const int rank = (int)zc_random_range(2, MOST_AXES);
    for (int a = 0; a < rank; a++) {
        order[a] = a;
        shape[a] = zc_random_range(1, 6);
        size *= shape[a];
    }
    for (int a = rank - 1; a > 0; a--) {
        const int with = (int)zc_random_range(0, a), kept = order[a];
        order[a] = order[with];
        order[with] = kept;
    }
    const zc_tensor *x = zc_reshape(zc_astype(zc_iota(b.ctx, size), ZC_FLOAT32), rank, shape);
    const zc_tensor *lazy = zc_permute_dims(zc_add(held(x), zc_weak_float(b.ctx, 100)), rank, order);
    return (both){held(zc_copy(lazy)), lazy};
}

/* Two axes, and an offset that leaves some of the diagonal, mostly. */
typedef struct diagonal {
    int axis[2];
    int64_t offset;
} diagonal;

static diagonal draw_diagonal(const zc_tensor *x)
{
    diagonal d;
    d.axis[0] = (int)zc_random_range(0, zc_rank(x) - 1);
    d.axis[1] = (d.axis[0] + (int)zc_random_range(1, zc_rank(x) - 1)) % zc_rank(x);
    d.offset = zc_random_bool() ? 0 : zc_random_range(-5, 5);
    return d;
}

static zc_tensor *see(const zc_tensor *x, diagonal d)
{
    return zc_diagonal(x, d.offset, d.axis[0], d.axis[1]);
}

/* Values of the diagonal's shape, or one for all of it, or one for each other index. */
static const zc_tensor *draw_values(bench b, const zc_tensor *places)
{
    const int way = (int)zc_random_range(0, 2);
    if (way == 0)
        return zc_weak_float(b.ctx, -1);
    const zc_tensor *all = zc_negative(zc_astype(places, ZC_FLOAT32));
    return way == 1 || zc_size(all) == 0 ? all : zc_slice(all, -1, 0, 1, 1);
}

Test(diagonals, that_are_set_are_those_of_memory)
{
    zc_random_begin("diagonals, set");
    for (int round = 0; round < zc_test_count(ROUNDS); round++) {
        bench b = begin();
        const both x = draw(b);
        const zc_tensor *places = see(zc_places(x.there), draw_diagonal(x.there)), *values = draw_values(b, places);
        for (int op = ZC_UPDATE_SET; op <= ZC_UPDATE_ADD; op++)
            expect_same(zc_update(x.there, places, values, (zc_update_op)op),
                        zc_update(x.lazy, places, values, (zc_update_op)op), "set", round);
        finish(b);
    }
}

/* A view that has some of what tells a diagonal, and is none, mostly: one index of an axis, some of these; a part of a
 * diagonal, every other element of one, one with its axes turned. */
static zc_tensor *see_other(const zc_tensor *x, diagonal d, int way)
{
    const int last = zc_rank(x) - 1, axis = d.axis[0];
    switch (way) {
    case 0:
        return zc_index(x, last, 0);
    case 1:
        return zc_slice(zc_index(x, last, 0), 0, zc_shape(x)[0] / 2, ZC_NONE, 1);
    case 2:
        return zc_index(x, axis, zc_shape(x)[axis] - 1);
    case 3:
        return zc_slice(see(x, d), -1, 1, ZC_NONE, 1);
    case 4:
        return zc_slice(see(x, d), -1, 0, ZC_NONE, 2);
    case 5:
        return zc_flip(see(x, d), ZC_AXES(-1));
    default:
        return zc_rank(x) > 3 ? zc_swapaxes(see(x, d), 0, 1) : zc_moveaxis(see(x, d), -1, 0);
    }
}

/* The same elements by other operations, of which some choose as a diagonal is chosen. */
static const zc_tensor *choose(bench b, const zc_tensor *x, int way)
{
    const zc_tensor *row = zc_iota(b.ctx, zc_shape(x)[zc_rank(x) - 1]);
    switch (way) {
    case 0:
        return zc_where(zc_less(x, zc_weak_float(b.ctx, 105)), x, zc_add(x, zc_weak_float(b.ctx, 0)));
    case 1:
        return zc_where(zc_equal(x, x), x, zc_negative(x));
    case 2:
        return zc_where(zc_equal(row, held(row)), x, zc_negative(x));
    case 3:
        return zc_where(zc_equal(held(row), row), x, zc_negative(x));
    default:
        return x;
    }
}

Test(diagonals, views_that_are_none_are_set_as_in_memory)
{
    zc_random_begin("diagonals, others");
    for (int round = 0; round < zc_test_count(ROUNDS); round++) {
        bench b = begin();
        const both x = draw(b);
        const diagonal d = draw_diagonal(x.there);
        const int way = (int)zc_random_range(0, 6);
        const zc_tensor *places = see_other(zc_places(x.there), d, way), *values = draw_values(b, places);
        const zc_tensor *lazy = choose(b, x.lazy, (int)zc_random_range(0, 4)), *seen = see_other(x.lazy, d, way);
        expect_same(zc_update(x.there, places, values, ZC_UPDATE_SET), zc_update(lazy, places, values, ZC_UPDATE_SET),
                    "others", round);
        const zc_tensor *zeros = held(zc_multiply(x.there, zc_weak_float(b.ctx, 0)));
        expect_same(zc_update(zeros, places, zc_multiply(seen, zc_weak_float(b.ctx, 2)), ZC_UPDATE_SET),
                    zc_grad(zc_sum(zc_square(seen), ZC_ALL_AXES, false), x.lazy), "gradient of others", round);
        finish(b);
    }
}

Test(diagonals, that_numbers_take_are_those_of_memory)
{
    zc_random_begin("diagonals, taken");
    for (int round = 0; round < zc_test_count(ROUNDS); round++) {
        bench b = begin();
        const both x = draw(b);
        const diagonal d = draw_diagonal(x.there);
        const int64_t rows = zc_shape(x.there)[d.axis[0]], columns = zc_shape(x.there)[d.axis[1]];
        const int64_t count = rows < columns ? rows : columns, step = zc_random_range(1, 2);
        const zc_tensor *numbers = zc_slice(zc_iota(b.ctx, count), 0, 0, count, step);
        const zc_tensor *in_steps[] = {numbers, zc_random_bool() ? numbers : held(numbers)};
        const zc_tensor *in_memory[] = {held(numbers), held(numbers)};
        expect_same(zc_gather(x.there, 2, d.axis, in_memory), zc_gather(x.lazy, 2, d.axis, in_steps), "gather", round);
        expect_same(zc_take(x.there, in_memory[0], d.axis[1]), zc_take(x.lazy, numbers, d.axis[1]), "take", round);
        const zc_tensor *along = zc_iota(b.ctx, columns);
        for (int a = d.axis[1] + 1; a < zc_rank(x.there); a++)
            along = zc_expand_dims(along, -1);
        for (int a = 0; a < d.axis[1]; a++)
            along = zc_expand_dims(along, 0);
        expect_same(zc_take_along_axis(x.there, held(along), d.axis[1]), zc_take_along_axis(x.lazy, along, d.axis[1]),
                    "take_along_axis", round);
        finish(b);
    }
}

/* The sum of squares of a diagonal has twice its elements there, and zeros elsewhere. */
Test(diagonals, have_gradients_on_them_and_zeros_elsewhere)
{
    zc_random_begin("diagonals, gradients");
    for (int round = 0; round < zc_test_count(ROUNDS); round++) {
        bench b = begin();
        const both x = draw(b);
        const diagonal d = draw_diagonal(x.there);
        const zc_tensor *seen = see(x.lazy, d), *places = see(zc_places(x.there), d);
        const zc_tensor *zeros = zc_multiply(x.there, zc_weak_float(b.ctx, 0));
        const zc_tensor *wanted =
            zc_update(held(zeros), places, zc_multiply(seen, zc_weak_float(b.ctx, 2)), ZC_UPDATE_SET);
        expect_same(wanted, zc_grad(zc_sum(zc_square(seen), ZC_ALL_AXES, false), x.lazy), "gradient", round);
        finish(b);
    }
}

Test(diagonals, numbers_outside_are_refused_all_the_same)
{
    bench b = begin();
    const zc_tensor *x = zc_add(count_to(b, ZC_SHAPE(3, 4)), zc_weak_float(b.ctx, 1));
    zc_tensor *out = NULL;
    cr_expect_eq(zc_materialize(zc_take(x, zc_iota(b.ctx, 5), 1), &out), ZC_ERROR_INDEX);
    cr_expect_eq(zc_size(zc_take(x, zc_iota(b.ctx, 0), 1)), 0);
    finish(b);
}

/* A matrix of all pairs with another diagonal is never in memory. */
Test(diagonals, of_all_pairs_take_no_matrix)
{
    enum { COUNT = 3000, MOST = 4 << 20 };
    bench b = begin();
    const zc_tensor *x = held(zc_astype(zc_iota(b.ctx, COUNT), ZC_FLOAT32));
    const zc_tensor *d = zc_square(zc_subtract(zc_expand_dims(x, 1), x));
    const zc_tensor *apart =
        zc_update(d, zc_diagonal(zc_places(d), 0, 0, 1), zc_weak_float(b.ctx, 1e30), ZC_UPDATE_SET);
    const zc_tensor *least = zc_min(apart, ZC_AXES(1), false);
    cr_expect_leq(cost_of(least).peak_bytes, MOST);
    cr_expect_eq(value_at(zc_sum(least, ZC_ALL_AXES, false), 0), (double)COUNT); /* each has a neighbour at 1 */
    finish(b);
}

/* ---- What steps may not change ---- */

/* Gradients by elements that were taken are those of what was made of these, and of nothing else. */
Test(diagonals, taken_elements_are_tensors_of_their_own)
{
    bench b = begin();
    const zc_tensor *y = zc_multiply(count_to(b, ZC_SHAPE(4)), zc_weak_float(b.ctx, 1));
    const zc_tensor *t = zc_take(y, zc_iota(b.ctx, 2), 0);
    const zc_tensor *sum = zc_sum(zc_add(zc_square(t), zc_slice(zc_square(y), 0, 0, 2, 1)), ZC_ALL_AXES, false);
    EXPECT(zc_grad(sum, t), 0, 2);
    const zc_tensor *repeated = zc_take(y, zc_broadcast_to(zc_slice(zc_iota(b.ctx, 4), 0, 2, 3, 1), ZC_SHAPE(3)), 0);
    EXPECT(zc_grad(zc_sum(zc_square(repeated), ZC_ALL_AXES, false), repeated), 4, 4, 4);
    const zc_tensor *weak = zc_broadcast_to(zc_weak_int(b.ctx, 3), ZC_SHAPE(4));
    cr_expect_not(zc_is_weak(zc_take(weak, zc_index(zc_iota(b.ctx, 4), 0, 2), 0)));
    finish(b);
}

/* Gradients have the same bits where the matrix was read before, and so is in memory. */
Test(diagonals, gradients_do_not_depend_on_what_was_read)
{
    enum { COUNT = 40 };
    double wanted = 0;
    for (int reads = 0; reads <= 20; reads += 20) {
        bench b = begin();
        const zc_tensor *number =
            zc_reshape(zc_astype(zc_iota(b.ctx, COUNT * COUNT), ZC_FLOAT32), ZC_SHAPE(COUNT, COUNT));
        const zc_tensor *x = zc_sin(held(number)), *weights = zc_cos(held(number));
        zc_tensor *s = held(zc_reshape(zc_astype(zc_iota(b.ctx, 1), ZC_FLOAT32), 0, NULL));
        for (int i = 0; i < reads; i++)
            (void)value_at(x, i);
        const zc_tensor *u = zc_update(x, zc_diagonal(zc_places(x), 0, 0, 1), s, ZC_UPDATE_SET);
        const double got = value_at(zc_grad(zc_sum(zc_multiply(u, weights), ZC_ALL_AXES, false), s), 0);
        wanted = reads == 0 ? got : wanted;
        cr_expect_eq(got, wanted);
        finish(b);
    }
}

/* Diagonals set one after the other take the work of their elements, but for the first. */
Test(diagonals, many_of_them_are_updates)
{
    enum { COUNT = 300 };
    bench b = begin();
    const zc_tensor *x =
        zc_sin(held(zc_reshape(zc_astype(zc_iota(b.ctx, COUNT * COUNT), ZC_FLOAT32), ZC_SHAPE(COUNT, COUNT))));
    const int64_t before = cost_of(x).work;
    for (int i = 0; i < COUNT; i++)
        x = zc_update(x, zc_diagonal(zc_places(x), i, 0, 1), zc_weak_float(b.ctx, i), ZC_UPDATE_SET);
    cr_expect_leq(cost_of(x).work, 8 * before);
    cr_expect_eq(value_at(x, 1), 1);
    finish(b);
}

/* A call that is short of nodes is refused; one that gives a tensor leaves no error. */
Test(diagonals, are_set_or_refused)
{
    for (int64_t most = 4; most < 20; most++) {
        bench b = begin_with((zc_options){.node_limit = most});
        const zc_tensor *x = count_to(b, ZC_SHAPE(5, 4));
        const zc_tensor *lazy = x == NULL ? NULL : zc_add(x, zc_weak_float(b.ctx, 1));
        for (int offset = 0; lazy != NULL && offset < 2; offset++) {
            const zc_tensor *p = zc_diagonal(zc_places(lazy), offset, 0, 1);
            const zc_tensor *set = p == NULL ? NULL : zc_update(lazy, p, zc_astype(p, ZC_FLOAT64), ZC_UPDATE_SET);
            cr_expect_eq(set == NULL, zc_error_status(b.ctx) != ZC_OK, "of %d nodes", (int)most);
            zc_error_clear(b.ctx);
        }
        zc_error_clear(b.ctx);
        finish(b);
    }
}
