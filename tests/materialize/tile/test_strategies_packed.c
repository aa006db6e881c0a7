/*
 * Contractions of operands that are computed where they are packed: which strategy takes them, and drawn ones against
 * the reference executor.
 */
#include <math.h>
#include <stdio.h>

#include "tests/materialize/tile/strategy_case.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "views/shape.h"

/* ---- Operands: something of all elements, of rows, of columns and of positions ---- */

static zc_tensor *centered(const zc_tensor *t)
{
    return zc_subtract(t, zc_slice(t, -1, 0, 1, 1));
}

static zc_tensor *scaled(const zc_tensor *t)
{
    return zc_multiply(zc_add(t, zc_flip(t, ZC_AXES(-1))), zc_slice(t, -2, 0, 1, 1));
}

/* The triangle that no element above the diagonal is in. */
static zc_tensor *masked(const zc_tensor *t)
{
    zc_context *ctx = zc_context_of(t);
    const int rank = zc_rank(t);
    zc_tensor *rows = zc_expand_dims(zc_iota(ctx, zc_shape(t)[rank - 2]), 1);
    zc_tensor *columns = zc_iota(ctx, zc_shape(t)[rank - 1]);
    return zc_where(zc_greater_equal(zc_broadcast_to(rows, rank, zc_shape(t)), columns), t, zc_weak_int(ctx, 0));
}

/* The first matrix, scaled by a number of each batch. */
static zc_tensor *spread(const zc_tensor *t)
{
    return zc_multiply(zc_slice(t, 0, 0, 1, 1), zc_slice(zc_slice(t, 1, 0, 1, 1), 2, 0, 1, 1));
}

static zc_tensor *by_scaled(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(x, scaled(y));
}

static zc_tensor *by_scaled_transposed(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(x, zc_matrix_transpose(scaled(y)));
}

static zc_tensor *of_centered(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(centered(x), y);
}

static zc_tensor *of_masked(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(masked(x), y);
}

static zc_tensor *of_transposed(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(zc_matrix_transpose(centered(x)), zc_matrix_transpose(y));
}

static zc_tensor *of_both(const zc_tensor *x, const zc_tensor *y)
{
    return zc_matmul(scaled(x), centered(y));
}

static zc_tensor *inner_of_both(const zc_tensor *x, const zc_tensor *y)
{
    return zc_vecdot(zc_multiply(x, y), zc_add(y, zc_flip(y, ZC_AXES(-1))), -1);
}

static zc_tensor *inner_of_first(const zc_tensor *x, const zc_tensor *y)
{
    return zc_vecdot(zc_multiply(x, y), y, -2);
}

/* Over two axes, of which neither continues the other. */
static zc_tensor *over_two_axes(const zc_tensor *x, const zc_tensor *y)
{
    static const int last[] = {1, 3}, first[] = {1, 0};
    return zc_tensordot(zc_add(x, zc_flip(x, ZC_AXES(1))), y, 2, last, first);
}

static const strategy_case blocks[] = {
    {"contract_block", by_scaled, {2, {5, 7}}, {2, {7, 9}}},
    {"contract_block", by_scaled, {2, {8, 300}}, {2, {300, 70}}},            /* two chains, a part of a panel */
    {"contract_block", by_scaled, {2, {1, 300}}, {2, {300, 70}}},            /* a row */
    {"contract_block", by_scaled, {2, {3, 13000}}, {2, {13000, 5}}},         /* four runs */
    {"contract_block", by_scaled, {3, {3, 6, 20}}, {3, {3, 20, 40}}},        /* batches */
    {"contract_block", by_scaled_transposed, {2, {4, 300}}, {2, {70, 300}}}, /* products next to each other */
    {"contract_block", of_centered, {2, {200, 300}}, {2, {300, 9}}},         /* blocks of rows */
    {"contract_block", of_centered, {3, {2, 50, 40}}, {3, {2, 40, 30}}},
    {"contract_block", of_transposed, {2, {40, 60}}, {2, {7, 40}}},
    {"contract_block", of_masked, {2, {60, 60}}, {2, {60, 20}}},
    {"contract_block", of_both, {2, {20, 300}}, {2, {300, 20}}},
    {"contract_block", over_two_axes, {4, {9, 3, 4, 5}}, {3, {5, 3, 6}}},
};

Test(strategies, contract_block_computes_what_it_packs)
{
    EXPECT_STRATEGIES("strategies, packed blocks", blocks, INTEGERS | WIDE_FLOATS | COMPLEX);
}

static const strategy_case lanes[] = {
    {"contract_lanes", by_scaled_transposed, {2, {1, 300}}, {2, {70, 300}}},
    {"contract_lanes", of_centered, {2, {70, 300}}, {1, {300}}},
    {"contract_lanes", of_centered, {2, {3, 9000}}, {1, {9000}}}, /* lanes are chains */
    {"contract_lanes", of_centered, {2, {70, 9000}}, {1, {9000}}},
    {"contract_lanes", inner_of_both, {1, {5000}}, {1, {5000}}},
    {"contract_lanes", inner_of_both, {2, {50, 400}}, {2, {50, 400}}},
    {"contract_lanes", inner_of_first, {2, {400, 50}}, {2, {400, 50}}},   /* products are apart */
    {"contract_lanes", inner_of_first, {2, {90000, 2}}, {2, {90000, 2}}}, /* runs are divided among threads */
};

Test(strategies, contract_lanes_computes_what_it_packs)
{
    EXPECT_STRATEGIES("strategies, packed lanes", lanes, WIDE_FLOATS);
}

/* ---- Drawn ones ---- */

enum { MOST = 1 << 17, DRAWN = 150 };

typedef struct drawn {
    int64_t batch, rows, products, columns;
    bool is_x_turned, is_y_turned;
    int x, y; /* what is made of the operands */
    zc_dtype dtype;
} drawn;

static double drawn_values[MOST];

static void draw(drawn *d)
{
    static const int64_t most_products[] = {3, 40, 300, 5000};
    d->batch = zc_random_range(0, 3);
    d->products = zc_random_range(1, most_products[zc_random_range(0, 3)]);
    const int64_t most = zc_smaller(140, MOST / (3 * d->products));
    d->rows = zc_random_range(1, zc_random_bool() ? 3 : most);
    d->columns = zc_random_range(1, zc_random_bool() ? 3 : most);
    d->is_x_turned = zc_random_bool();
    d->is_y_turned = zc_random_bool();
    d->x = (int)zc_random_range(0, 4);
    d->y = (int)zc_random_range(0, 4);
    d->dtype = (zc_dtype)zc_random_range(ZC_INT8, ZC_DTYPE_COUNT - 1);
}

static zc_tensor *operand(const drawn *d, zc_context *ctx, int how, bool is_turned, int64_t rows, int64_t columns)
{
    static zc_tensor *(*const made[])(const zc_tensor *t) = {centered, scaled, masked, spread};
    zc_tensor *x = NULL;
    const int64_t shape[] = {zc_larger(d->batch, 1), is_turned ? columns : rows, is_turned ? rows : columns};
    zc_tensor *numbers =
        zc_from_data(ctx, ZC_FLOAT64, 3, shape, drawn_values, (size_t)(shape[0] * rows * columns) * sizeof(double));
    cr_assert_eq(zc_materialize(zc_astype(numbers, d->dtype), &x), ZC_OK, "%s", zc_error_text(ctx));
    zc_tensor *t = how < 4 ? made[how](x) : x;
    t = is_turned ? zc_matrix_transpose(t) : t;
    return d->batch == 0 ? zc_squeeze(t, ZC_AXES(0)) : t;
}

static zc_tensor *make_drawn(zc_context *ctx, const void *drawn_case)
{
    const drawn *d = drawn_case;
    zc_tensor *out = NULL;
    const zc_tensor *x = operand(d, ctx, d->x, d->is_x_turned, d->rows, d->products);
    const zc_tensor *y = operand(d, ctx, d->y, d->is_y_turned, d->products, d->columns);
    cr_assert_eq(zc_materialize(zc_matmul(x, y), &out), ZC_OK, "%s", zc_error_text(ctx));
    return out;
}

Test(strategies, drawn_contractions_of_computed_operands_have_the_bits_of_the_reference)
{
    zc_random_begin("strategies, drawn contractions");
    for (int64_t i = 0; i < MOST; i++)
        drawn_values[i] = i % 97 == 0 ? -0.0 : (double)zc_random_range(-40, 40) / 8;
    for (int i = 0; i < zc_test_count(DRAWN); i++) {
        drawn d;
        char how[128];
        draw(&d);
        (void)snprintf(how, sizeof how, "%d: %ld of (%ld, %ld, %ld) %s, turned %d %d, made %d %d", i, (long)d.batch,
                       (long)d.rows, (long)d.products, (long)d.columns, zc_dtype_name(d.dtype), d.is_x_turned,
                       d.is_y_turned, d.x, d.y);
        expect_bits_of_reference(make_drawn, &d, how);
    }
}
