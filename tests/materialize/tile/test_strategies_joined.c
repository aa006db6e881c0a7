/*
 * Moves of many short axes, which join_axes takes, alone and with operations; drawn ones against the reference
 * executor, whichever strategy takes them.
 */
#include <stdio.h>

#include "tests/materialize/tile/strategy_case.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { MOST_SHORT = 16 };

/* ---- What the strategy takes ---- */

/* The elements as axes of the extent, of which axis a comes from `from[a]`. */
static zc_tensor *moved(const zc_tensor *x, int64_t extent, int (*from)(int axis, int rank))
{
    int64_t shape[MOST_SHORT];
    int order[MOST_SHORT], rank = 0;
    for (int64_t left = zc_size(x); left > 1; left /= extent)
        shape[rank++] = extent;
    for (int a = 0; a < rank; a++)
        order[a] = from(a, rank);
    return zc_permute_dims(zc_reshape(x, rank, shape), rank, order);
}

static int backwards(int axis, int rank)
{
    return rank - 1 - axis;
}

static int even_before_odd(int axis, int rank)
{
    const int even = (rank + 1) / 2;
    return axis < even ? 2 * axis : 2 * (axis - even) + 1;
}

static int in_place(int axis, int rank)
{
    (void)rank;
    return axis;
}

static zc_tensor *reversed(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_copy(moved(x, 2, backwards));
}

static zc_tensor *reversed_by_threes(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_copy(moved(x, 3, backwards));
}

static zc_tensor *sorted_by_halves(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_copy(moved(x, 2, even_before_odd));
}

/* Runs of elements that are loaded backwards have no table of runs. */
static zc_tensor *flipped(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_copy(zc_flip(moved(x, 2, even_before_odd), ZC_ALL_AXES));
}

static zc_tensor *sum_of_both(const zc_tensor *x, const zc_tensor *y)
{
    return zc_add(zc_square(moved(x, 2, backwards)), moved(y, 2, in_place));
}

static zc_tensor *sum_with_one(const zc_tensor *x, const zc_tensor *y)
{
    return zc_add(moved(x, 2, backwards), y);
}

/* Along half of the axes the second operand does not move. */
static zc_tensor *product_with_rows(const zc_tensor *x, const zc_tensor *y)
{
    return zc_multiply(moved(x, 2, backwards), moved(y, 2, backwards));
}

static zc_tensor *compared(const zc_tensor *x, const zc_tensor *y)
{
    return zc_equal(moved(x, 2, backwards), moved(y, 2, even_before_odd));
}

/* Stored in rows that are longer. */
static zc_tensor *in_longer_rows(const zc_tensor *x, const zc_tensor *y)
{
    zc_tensor *rows = zc_reshape(zc_copy(moved(x, 2, backwards)), ZC_SHAPE(-1, 8));
    const zc_tensor *const both[] = {rows, zc_reshape(y, ZC_SHAPE(-1, 8))};
    return zc_concat(zc_context_of(x), 2, both, 1);
}

static zc_tensor *turned(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_copy(zc_permute_dims(x, ZC_AXES(2, 1, 0)));
}

static const strategy_case moves[] = {
    {"join_axes", reversed, {1, {16}}, ONE},
    {"join_axes", reversed, {1, {256}}, ONE},
    {"join_axes", reversed, {1, {4096}}, ONE},
    {"join_axes", reversed, {1, {32768}}, ONE}, /* several tiles */
    {"join_axes", reversed_by_threes, {1, {6561}}, ONE},
    {"join_axes", sorted_by_halves, {1, {1024}}, ONE},
    {"join_axes", sorted_by_halves, {1, {16384}}, ONE},
    {"join_axes", flipped, {1, {8192}}, ONE},
    {"join_axes", in_longer_rows, {1, {8192}}, {1, {8192}}},
    {"!join_axes", reversed, {1, {8}}, ONE}, /* few elements */
    {"!join_axes", turned, {3, {40, 5, 50}}, ONE},
    {"!join_axes", turned, {3, {2, 3, 4}}, ONE},
};

Test(strategies, join_axes_takes_many_short_axes)
{
    EXPECT_STRATEGIES("strategies, join_axes", moves, ALL_DTYPES);
}

static const strategy_case computed[] = {
    {"join_axes", sum_of_both, {1, {256}}, {1, {256}}},
    {"join_axes", sum_of_both, {1, {32768}}, {1, {32768}}},
    {"join_axes", sum_with_one, {1, {8192}}, ONE},
    {"join_axes", product_with_rows, {1, {8192}}, {1, {64}}},
};

Test(strategies, join_axes_computes_what_it_moves)
{
    EXPECT_STRATEGIES("strategies, joined axes", computed, NUMBERS);
}

static const strategy_case comparisons[] = {
    {"join_axes", compared, {1, {8192}}, {1, {8192}}},
};

Test(strategies, join_axes_compares_what_it_moves)
{
    EXPECT_STRATEGIES("strategies, compared axes", comparisons, ALL_DTYPES);
}

/* ---- Drawn ones ---- */

enum { AXES = 9, EXTENT = 4, MOST = 1 << 15, DRAWN = 200 };

typedef struct drawn {
    int rank, order[AXES];
    int64_t shape[AXES], step[AXES];
    int repeated; /* an axis along which the second operand does not move */
    zc_dtype dtype;
    bool is_computed;
} drawn;

static double drawn_values[MOST * EXTENT];

static void draw(drawn *d)
{
    int64_t size = 1;
    d->rank = (int)zc_random_range(3, AXES);
    for (int a = 0; a < d->rank; a++) {
        d->shape[a] = zc_random_range(1, size * EXTENT > MOST ? 1 : EXTENT);
        d->step[a] = zc_random_range(0, 5) == 0 ? -1 : 1;
        d->order[a] = a;
        size *= d->shape[a];
    }
    for (int a = d->rank - 1; a > 0; a--) {
        const int b = (int)zc_random_range(0, a), axis = d->order[a];
        d->order[a] = d->order[b];
        d->order[b] = axis;
    }
    d->repeated = (int)zc_random_range(0, d->rank - 1);
    d->dtype = (zc_dtype)zc_random_range(0, ZC_DTYPE_COUNT - 1);
    d->is_computed = zc_random_bool();
}

static zc_tensor *make_drawn(zc_context *ctx, const void *drawn_case)
{
    const drawn *d = drawn_case;
    int64_t size = 1;
    for (int a = 0; a < d->rank; a++)
        size *= d->shape[a];
    zc_tensor *x = NULL, *out = NULL;
    zc_tensor *numbers =
        zc_from_data(ctx, ZC_FLOAT64, d->rank, d->shape, drawn_values, (size_t)size * sizeof *drawn_values);
    cr_assert_eq(zc_materialize(zc_astype(numbers, d->dtype), &x), ZC_OK, "%s", zc_error_text(ctx));
    zc_tensor *t = x;
    for (int a = 0; a < d->rank; a++)
        t = d->step[a] > 0 ? t : zc_flip(t, ZC_AXES(a));
    t = zc_permute_dims(t, d->rank, d->order);
    if (d->is_computed)
        t = zc_equal(t, zc_slice(t, d->repeated, 0, 1, 1));
    cr_assert_eq(zc_materialize(zc_copy(t), &out), ZC_OK, "%s", zc_error_text(ctx));
    return out;
}

Test(strategies, drawn_moves_have_the_bits_of_the_reference)
{
    zc_random_begin("strategies, drawn moves");
    for (int64_t i = 0; i < MOST * EXTENT; i++)
        drawn_values[i] = (double)zc_random_range(-4000, 4000) / 8;
    for (int i = 0; i < zc_test_count(DRAWN); i++) {
        drawn d;
        char how[64];
        draw(&d);
        (void)snprintf(how, sizeof how, "%d: %d axes, %s", i, d.rank, zc_dtype_name(d.dtype));
        expect_bits_of_reference(make_drawn, &d, how);
    }
}
