/*
 * Reductions of few elements: windows, pools and short axes, which reduce_tiles takes; drawn ones against the reference
 * executor, whichever strategy takes them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/materialize/tile/strategy_case.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

/* ---- What the strategy takes ---- */

static zc_tensor *windows_of(const zc_tensor *x, int64_t rows, int64_t columns)
{
    return zc_sliding_window_view(x, ZC_SHAPE(rows, columns), ZC_AXES(0, 1));
}

static zc_tensor *window_sum(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_sum(windows_of(x, 3, 3), ZC_AXES(2, 3), false);
}

static zc_tensor *window_sum_of_steps(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    zc_tensor *seen = zc_slice(zc_slice(windows_of(x, 3, 2), 0, 0, ZC_NONE, 2), 1, ZC_NONE, ZC_NONE, -3);
    return zc_sum(seen, ZC_AXES(2, 3), false);
}

static zc_tensor *wide_window_sum(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_sum(windows_of(x, 5, 7), ZC_AXES(2, 3), false);
}

static zc_tensor *window_sum_of_products(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(zc_multiply(windows_of(x, 3, 3), y), ZC_AXES(2, 3), false);
}

static zc_tensor *window_mean_of_sums(const zc_tensor *x, const zc_tensor *y)
{
    zc_tensor *seen = windows_of(x, 2, 4);
    return zc_mean(zc_add(seen, y), ZC_AXES(2, 3), false);
}

static zc_tensor *window_product(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_prod(windows_of(x, 3, 3), ZC_AXES(2, 3), false);
}

static zc_tensor *window_sum_of_turned(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_sum(windows_of(zc_matrix_transpose(x), 3, 3), ZC_AXES(2, 3), false);
}

static zc_tensor *pool(const zc_tensor *x)
{
    const int64_t *shape = zc_shape(x);
    return zc_reshape(x, ZC_SHAPE(shape[0], shape[1] / 2, 2, shape[2] / 2, 2));
}

static zc_tensor *pool_mean(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_mean(pool(x), ZC_AXES(2, 4), false);
}

static zc_tensor *pool_maximum(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_max(pool(x), ZC_AXES(2, 4), false);
}

static zc_tensor *pool_argmax(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_argmax(zc_reshape(zc_permute_dims(pool(x), ZC_AXES(0, 1, 3, 2, 4)), ZC_SHAPE(zc_size(x) / 4, 4)),
                     ZC_AXES(1), false);
}

static zc_tensor *pool_any(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_any(pool(x), ZC_AXES(2, 4), false);
}

static zc_tensor *pool_all(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_all(pool(x), ZC_AXES(2, 4), true);
}

static zc_tensor *last_argmin(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_argmin(x, ZC_AXES(-1), false);
}

static zc_tensor *middle_sum(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_sum(x, ZC_AXES(1), false);
}

static zc_tensor *middle_sum_to_columns(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_copy(zc_matrix_transpose(zc_sum(x, ZC_AXES(1), false)));
}

static const strategy_case short_sums[] = {
    {"!reduce_tiles", window_sum, {2, {4, 5}}, ONE},
    {"reduce_tiles", window_sum, {2, {5, 6}}, ONE},
    {"reduce_tiles", window_sum, {2, {40, 70}}, ONE},  /* several rows of results in a tile */
    {"reduce_tiles", window_sum, {2, {5, 300}}, ONE},  /* one, of elements that are joined where they are */
    {"reduce_tiles", window_sum, {2, {4, 2100}}, ONE}, /* tiles beside each other */
    {"reduce_tiles", window_sum_of_steps, {2, {20, 50}}, ONE},
    {"reduce_tiles", wide_window_sum, {2, {9, 330}}, ONE}, /* lanes take several elements */
    {"reduce_tiles", window_sum_of_products, {2, {20, 30}}, {2, {3, 3}}},
    {"reduce_tiles", window_mean_of_sums, {2, {20, 300}}, {2, {2, 1}}},
    {"reduce_tiles", window_sum_of_turned, {2, {50, 40}}, ONE},
    {"reduce_tiles", window_product, {2, {20, 30}}, ONE},
    {"reduce_tiles", pool_mean, {3, {3, 8, 20}}, ONE},
    {"reduce_tiles", last_sum, {2, {2000, 3}}, ONE},
    {"reduce_tiles", last_sum, {2, {100, 15}}, ONE},
    {"reduce_tiles", middle_sum, {3, {40, 8, 6}}, ONE},
    {"reduce_tiles", middle_sum_to_columns, {3, {40, 8, 6}}, ONE},
    {"!reduce_tiles", last_sum, {2, {100, 16}}, ONE},
    {"!reduce_tiles", last_sum, {2, {4, 15}}, ONE},        /* few results */
    {"!reduce_tiles", middle_sum, {3, {40, 8, 200}}, ONE}, /* many columns */
    {"!reduce_tiles", middle_sum, {3, {40, 65, 60}}, ONE}, /* many rows */
    {"!reduce_tiles", wide_window_sum, {2, {6, 8}}, ONE},
};

Test(strategies, reduce_tiles_takes_short_sums)
{
    EXPECT_STRATEGIES("strategies, reduce_tiles", short_sums, ALL_DTYPES);
}

static const strategy_case short_extremes[] = {
    {"reduce_tiles", pool_maximum, {3, {3, 8, 20}}, ONE}, {"reduce_tiles", pool_argmax, {3, {3, 8, 20}}, ONE},
    {"reduce_tiles", last_argmin, {2, {300, 10}}, ONE},   {"reduce_tiles", last_argmin, {2, {300, 40}}, ONE},
    {"!reduce_tiles", last_argmin, {2, {300, 100}}, ONE},
};

Test(strategies, reduce_tiles_takes_short_extremes)
{
    EXPECT_STRATEGIES("strategies, short extremes", short_extremes, REALS);
}

static const strategy_case short_truths[] = {
    {"reduce_tiles", pool_any, {3, {3, 8, 20}}, ONE},
    {"reduce_tiles", pool_all, {3, {3, 8, 20}}, ONE},
};

Test(strategies, reduce_tiles_takes_short_truths)
{
    EXPECT_STRATEGIES("strategies, short truths", short_truths, ALL_DTYPES);
}

/* ---- Pairs of rows ---- */

static zc_tensor *apart(const zc_tensor *x, const zc_tensor *y)
{
    return zc_not_equal(zc_expand_dims(x, 1), y);
}

static zc_tensor *count_apart(const zc_tensor *x, const zc_tensor *y)
{
    return zc_count_nonzero(apart(x, y), ZC_AXES(2), false);
}

static zc_tensor *sum_apart(const zc_tensor *x, const zc_tensor *y)
{
    return zc_sum(apart(x, y), ZC_AXES(2), false);
}

static zc_tensor *count_above(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_count_nonzero(zc_not_equal(x, zc_weak_int(zc_context_of(x), 0)), ZC_AXES(-1), false);
}

static zc_tensor *count_truths(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_count_nonzero(zc_astype(x, ZC_BOOL), ZC_AXES(-1), false);
}

static const strategy_case counted_pairs[] = {
    {"reduce_tiles", count_apart, {2, {9, 3}}, {2, {400, 3}}},
    {"reduce_tiles", count_apart, {2, {9, 16}}, {2, {700, 16}}},
    {"reduce_tiles", sum_apart, {2, {40, 30}}, {2, {1100, 30}}}, /* tiles beside each other */
    {"reduce_tiles", sum_apart, {2, {8, 128}}, {2, {600, 128}}}, /* as many as are counted in bytes */
    {"!reduce_tiles", sum_apart, {2, {8, 129}}, {2, {600, 129}}},
    {"!reduce_tiles", sum_apart, {2, {8, 300}}, {2, {600, 300}}},
    {"reduce_tiles", count_above, {2, {2000, 7}}, ONE},
    {"reduce_tiles", count_truths, {2, {2000, 7}}, ONE},
};

Test(strategies, reduce_tiles_counts_pairs)
{
    EXPECT_STRATEGIES("strategies, counted pairs", counted_pairs, ALL_DTYPES);
}

static zc_tensor *most_apart(const zc_tensor *x, const zc_tensor *y)
{
    return zc_max(zc_abs(zc_subtract(zc_expand_dims(x, 1), y)), ZC_AXES(2), false);
}

static zc_tensor *products_apart(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *a = zc_expand_dims(x, 1);
    return zc_sum(zc_multiply(zc_subtract(a, y), zc_add(a, y)), ZC_AXES(2), false);
}

static const strategy_case joined_pairs[] = {
    {"reduce_tiles", most_apart, {2, {9, 16}}, {2, {400, 16}}},
    {"reduce_tiles", products_apart, {2, {9, 24}}, {2, {700, 24}}},
    {"!reduce_tiles", products_apart, {2, {9, 25}}, {2, {700, 25}}},
};

Test(strategies, reduce_tiles_joins_pairs)
{
    EXPECT_STRATEGIES("strategies, joined pairs", joined_pairs, WIDE_FLOATS | SMALL_INTEGERS);
}

/* ---- Drawn ones ---- */

enum { AXES = 3, LONGEST = 40, MOST = LONGEST * LONGEST * LONGEST, DRAWN = 300 };

typedef struct drawn {
    int64_t shape[AXES], window[AXES], step[AXES], order[2 * AXES];
    int reduced[2 * AXES], reduced_count, reduction;
    zc_dtype dtype;
    bool is_computed;
} drawn;

static double drawn_values[MOST];

static void draw(drawn *d)
{
    int64_t most = LONGEST;
    for (int a = 0; a < AXES; a++) {
        d->shape[a] = zc_random_range(1, most);
        d->window[a] = zc_random_range(1, zc_random_bool() ? 1 : d->shape[a] < 12 ? d->shape[a] : 12);
        d->step[a] = zc_random_range(1, 3) * (zc_random_bool() ? 1 : -1);
    }
    for (int a = 0; a < 2 * AXES; a++)
        d->order[a] = a;
    for (int a = 2 * AXES - 1; a > 0; a--) {
        int64_t b = zc_random_range(0, zc_random_bool() ? a : 0), moved = d->order[a];
        d->order[a] = d->order[b];
        d->order[b] = moved;
    }
    d->reduced_count = 0;
    for (int a = 0; a < 2 * AXES; a++) {
        if (zc_random_range(0, 2) == 0 || d->order[a] >= AXES)
            d->reduced[d->reduced_count++] = a;
    }
    d->reduction = (int)zc_random_range(0, 6);
    d->dtype = (zc_dtype)zc_random_range(0, ZC_FLOAT64);
    d->is_computed = zc_random_bool();
}

static zc_tensor *reduce(const drawn *d, const zc_tensor *t)
{
    switch (d->reduction) {
    case 0:
        return zc_prod(t, d->reduced_count, d->reduced, false);
    case 1:
        return zc_max(t, d->reduced_count, d->reduced, false);
    case 2:
        return zc_min(t, d->reduced_count, d->reduced, true);
    case 3:
        return zc_any(t, d->reduced_count, d->reduced, false);
    case 4:
        return zc_argmax(zc_reshape(t, ZC_SHAPE(-1, zc_shape(t)[5])), ZC_AXES(1), false);
    case 5:
        return zc_mean(t, d->reduced_count, d->reduced, false);
    default:
        return zc_sum(t, d->reduced_count, d->reduced, false);
    }
}

/* Windows in some order of axes, of which some are reduced. */
static zc_tensor *make_drawn(zc_context *ctx, const void *drawn_case)
{
    const drawn *d = drawn_case;
    const int64_t size = d->shape[0] * d->shape[1] * d->shape[2];
    zc_tensor *x = NULL, *out = NULL;
    zc_tensor *numbers =
        zc_from_data(ctx, ZC_FLOAT64, AXES, d->shape, drawn_values, (size_t)size * sizeof *drawn_values);
    cr_assert_eq(zc_materialize(zc_astype(numbers, d->dtype), &x), ZC_OK, "%s", zc_error_text(ctx));
    zc_tensor *t = zc_sliding_window_view(x, AXES, d->window, ZC_ALL_AXES);
    int order[2 * AXES];
    for (int a = 0; a < 2 * AXES; a++)
        order[a] = (int)d->order[a];
    for (int a = 0; a < AXES; a++)
        t = d->step[a] > 0 ? zc_slice(t, a, 0, ZC_NONE, d->step[a]) : zc_slice(t, a, ZC_NONE, ZC_NONE, d->step[a]);
    t = zc_permute_dims(t, 2 * AXES, order);
    cr_assert_eq(zc_materialize(reduce(d, d->is_computed ? zc_maximum(t, zc_flip(t, ZC_AXES(5))) : t), &out), ZC_OK,
                 "%s", zc_error_text(ctx));
    return out;
}

Test(strategies, drawn_windows_have_the_bits_of_the_reference)
{
    zc_random_begin("strategies, drawn windows");
    for (int64_t i = 0; i < MOST; i++)
        drawn_values[i] = i % 97 == 0 ? -0.0 : i % 1009 == 5 ? NAN : (double)zc_random_range(-40, 40) / 8;
    for (int i = 0; i < zc_test_count(DRAWN); i++) {
        drawn d;
        char how[96];
        draw(&d);
        (void)snprintf(how, sizeof how, "%d: (%ld, %ld, %ld) %s, reduction %d", i, (long)d.shape[0], (long)d.shape[1],
                       (long)d.shape[2], zc_dtype_name(d.dtype), d.reduction);
        expect_bits_of_reference(make_drawn, &d, how);
    }
}
