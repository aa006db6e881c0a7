/*
 * Operands of contractions that are computed where they are packed: they take no memory, each element is computed once,
 * and the results have the bits of operands that were in memory before.
 */
#include <string.h>

#include "tests/api/values.h"

/* Elements of the dtype, dense and in memory. */
static zc_tensor *draw(bench b, zc_dtype dtype, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    zc_tensor *t = zc_remainder(zc_multiply(zc_iota(b.ctx, size), zc_weak_int(b.ctx, 7919)), zc_weak_int(b.ctx, 251));
    zc_tensor *held = NULL;
    cr_assert_eq(zc_materialize(zc_reshape(zc_astype(t, dtype), rank, shape), &held), ZC_OK);
    return held;
}

/* A matrix of int8 as float32, with a scale for each row: weights that were quantized. */
static zc_tensor *dequantized(bench b, int64_t rows, int64_t columns)
{
    zc_tensor *weights = zc_astype(draw(b, ZC_INT8, ZC_SHAPE(rows, columns)), ZC_FLOAT32);
    return zc_multiply(weights, draw(b, ZC_FLOAT32, ZC_SHAPE(rows, 1)));
}

static int count_of(const zc_tensor *t, const char *what)
{
    char *text = NULL;
    int count = 0;
    cr_assert_eq(zc_explain(t, ZC_JSON, &text), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
        count++;
    zc_text_free(zc_context_of(t), text);
    return count;
}

static int count_stages(const zc_tensor *t)
{
    return count_of(t, "\"reason\": ");
}

static void expect_bits(const zc_tensor *lazy, const zc_tensor *stored)
{
    zc_tensor *made = NULL, *wanted = NULL;
    cr_assert_eq(zc_materialize(lazy, &made), ZC_OK, "%s", zc_error_text(zc_context_of(lazy)));
    cr_assert_eq(zc_materialize(stored, &wanted), ZC_OK, "%s", zc_error_text(zc_context_of(stored)));
    cr_assert_eq(zc_size(made), zc_size(wanted));
    cr_expect_eq(memcmp(zc_data(made), zc_data(wanted), (size_t)zc_size(made) * zc_dtype_bytes(zc_dtype_of(made))), 0);
}

Test(packed_operands, take_no_memory_and_are_computed_once)
{
    for (int threads = 1; threads <= 3; threads++) {
        bench b = begin_with((zc_options){.threads = threads, .recompute = true});
        const zc_tensor *x = draw(b, ZC_FLOAT32, ZC_SHAPE(8, 500)), *weights = dequantized(b, 400, 500);
        const zc_tensor *lazy = zc_matmul(x, zc_matrix_transpose(weights));
        zc_tensor *stored = NULL;
        cr_assert_eq(zc_materialize(zc_copy(weights), &stored), ZC_OK);
        const zc_cost cost = cost_of(lazy), separate = cost_of(zc_matmul(x, zc_matrix_transpose(zc_copy(weights))));
        const int64_t before = zc_memory_usage(b.ctx).held_bytes;
        zc_tensor *made = NULL;
        cr_expect_eq(count_stages(lazy), 1);
        cr_expect_eq(count_of(lazy, "\"computed_elements\": 200000, \"needed_elements\": 200000"), 2,
                     "the cast and the product");
        cr_expect_eq(cost.written_bytes, 8 * 400 * 4);
        cr_expect_geq(separate.peak_bytes - cost.peak_bytes, 400 * 500 * 4 - (1 << 17) * threads);
        cr_expect_lt(cost.work, separate.work);
        zc_memory_reset_peak(b.ctx);
        cr_assert_eq(zc_materialize(lazy, &made), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_expect_eq(zc_memory_usage(b.ctx).peak_bytes - before, cost.peak_bytes);
        expect_bits(made, zc_matmul(x, zc_matrix_transpose(stored)));
        finish(b);
    }
}

/* Scores of attention: the larger operand of the second product. */
Test(packed_operands, may_follow_reductions_and_batches)
{
    bench b = begin();
    const zc_tensor *scores = zc_divide(draw(b, ZC_FLOAT32, ZC_SHAPE(3, 90, 90)), zc_weak_float(b.ctx, 64));
    const zc_tensor *values = draw(b, ZC_FLOAT32, ZC_SHAPE(3, 90, 20)), *weights = zc_softmax(scores, -1);
    const zc_tensor *lazy = zc_matmul(weights, values);
    zc_tensor *stored = NULL;
    cr_assert_eq(zc_materialize(zc_copy(weights), &stored), ZC_OK);
    cr_expect_eq(count_of(lazy, "\"reason\": \"operand\""), 0);
    expect_bits(lazy, zc_matmul(stored, values));
    finish(b);
}

/* Computed for many rows of the other operand; small; repeated by the view; gathered; needed besides; of both; of more
 * values than a stage that contracts has; a copy; along which products do not move. */
Test(packed_operands, are_stored_where_they_would_be_computed_again)
{
    bench b = begin_with((zc_options){.recompute = true});
    const zc_tensor *weights = dequantized(b, 50, 50), *x = draw(b, ZC_FLOAT32, ZC_SHAPE(200, 50));
    const zc_tensor *small = draw(b, ZC_FLOAT32, ZC_SHAPE(9, 50)), *both[2];
    cr_expect_eq(count_stages(zc_matmul(x, weights)), 2);
    cr_expect_eq(count_stages(zc_matmul(small, weights)), 1);
    cr_expect_eq(count_stages(zc_matmul(zc_exp(small), zc_matrix_transpose(x))), 2);
    cr_expect_eq(count_stages(zc_matmul(small, zc_copy(draw(b, ZC_FLOAT32, ZC_SHAPE(50, 50))))), 2);

    const zc_tensor *line = zc_exp(draw(b, ZC_FLOAT32, ZC_SHAPE(120)));
    const zc_tensor *windows = zc_sliding_window_view(line, ZC_SHAPE(50), ZC_AXES(0));
    cr_expect_eq(count_stages(zc_matmul(small, zc_matrix_transpose(windows))), 2);
    zc_tensor *positions = NULL;
    cr_assert_eq(zc_materialize(zc_iota(b.ctx, 60), &positions), ZC_OK);
    const zc_tensor *taken = zc_take(zc_negative(x), positions, 0);
    cr_expect_gt(count_stages(zc_matmul(small, zc_matrix_transpose(taken))), 1);
    const zc_tensor *shared = zc_exp(draw(b, ZC_FLOAT32, ZC_SHAPE(70)));
    cr_expect_eq(count_stages(zc_vecdot(shared, zc_negative(shared), -1)), 2);
    const zc_tensor *rows = zc_exp(draw(b, ZC_FLOAT32, ZC_SHAPE(60, 1)));
    cr_expect_eq(count_stages(zc_matmul(small, zc_matrix_transpose(zc_broadcast_to(rows, ZC_SHAPE(60, 50))))), 2);

    zc_tensor *chain = zc_matrix_transpose(x);
    for (int i = 0; i < 100; i++)
        chain = zc_add(zc_multiply(chain, zc_weak_float(b.ctx, 0.5)), zc_weak_float(b.ctx, i));
    zc_tensor *stored = NULL, *made[2];
    cr_assert_eq(zc_materialize(zc_copy(chain), &stored), ZC_OK);
    cr_expect_eq(count_stages(zc_matmul(small, chain)), 2);
    expect_bits(zc_matmul(small, chain), zc_matmul(small, stored));

    both[0] = zc_matmul(small, weights);
    both[1] = weights;
    cr_assert_eq(zc_materialize_all(2, both, made), ZC_OK);
    expect_bits(made[0], zc_matmul(small, made[1]));
    finish(b);
}

/* Under any limit that has room for the result. */
Test(packed_operands, give_way_to_limits)
{
    enum { ROWS = 16, PRODUCTS = 9000, COLUMNS = 300, HELD = ROWS * PRODUCTS * 8 + PRODUCTS * COLUMNS + COLUMNS * 8 };
    zc_tensor *wanted = NULL;
    bench free = begin();
    for (int64_t room = -1; room <= 1 << 20; room = room < 0 ? 0 : 4 * room + (1 << 12)) {
        bench b = begin_with(
            (zc_options){.threads = 2, .memory_limit = room < 0 ? 0 : HELD + ROWS * COLUMNS * 8 + room + (1 << 20)});
        const zc_tensor *x = draw(b, ZC_FLOAT64, ZC_SHAPE(ROWS, PRODUCTS));
        const zc_tensor *y = draw(b, ZC_INT8, ZC_SHAPE(PRODUCTS, COLUMNS));
        const zc_tensor *lazy = zc_matmul(x, zc_add(zc_astype(y, ZC_FLOAT64), zc_weak_float(b.ctx, 0.5)));
        zc_tensor *made = NULL;
        cr_expect_eq(count_stages(lazy), 1);
        cr_assert_eq(zc_materialize(lazy, &made), ZC_OK, "%ld: %s", (long)room, zc_error_text(b.ctx));
        if (room < 0)
            cr_assert_eq(zc_materialize(zc_from_data(free.ctx, ZC_FLOAT64, ZC_SHAPE(ROWS, COLUMNS), zc_data(made),
                                                     ROWS * COLUMNS * sizeof(double)),
                                        &wanted),
                         ZC_OK);
        cr_expect_eq(memcmp(zc_data(made), zc_data(wanted), ROWS * COLUMNS * sizeof(double)), 0);
        finish(b);
    }
    finish(free);
}

/* A product that is made in turns with what follows it, and one whose computed operand would be computed anew. */
Test(packed_operands, are_computed_once_in_blocks)
{
    bench b = begin_with((zc_options){.threads = 1});
    const zc_tensor *x = draw(b, ZC_FLOAT32, ZC_SHAPE(9000, 30)), *y = draw(b, ZC_FLOAT32, ZC_SHAPE(30, 100));
    const zc_tensor *tall = zc_exp(zc_matmul(zc_sqrt(x), y));
    const zc_tensor *wide = zc_exp(zc_matmul(zc_matrix_transpose(y), zc_sqrt(zc_matrix_transpose(x))));
    zc_tensor *root = NULL;
    cr_assert_eq(zc_materialize(zc_sqrt(x), &root), ZC_OK);
    cr_expect_eq(count_of(tall, "\"blocks\": "), 2);
    cr_expect_eq(count_of(wide, "\"blocks\": "), 0);
    expect_bits(tall, zc_exp(zc_matmul(root, y)));
    expect_bits(wide, zc_exp(zc_matmul(zc_matrix_transpose(y), zc_matrix_transpose(root))));
    finish(b);
}

/* Positions that a view of a concat leaves of an index range are computed for each block that meets them: blocks stay
 * as small as they are. */
Test(packed_operands, of_positions_leave_blocks_small)
{
    bench b = begin_with((zc_options){.threads = 2});
    const zc_tensor *range = zc_reshape(zc_iota(b.ctx, 64 * 64), ZC_SHAPE(64, 64));
    const zc_tensor *both = zc_concat(b.ctx, 2, (const zc_tensor *const[]){range, zc_negative(range)}, 0);
    const zc_tensor *seen = zc_slice(both, 0, 0, 64, 1), *x = draw(b, ZC_INT64, ZC_SHAPE(50000, 64));
    const zc_tensor *lazy = zc_matmul(x, seen);
    zc_tensor *stored = NULL;
    cr_assert_eq(zc_materialize(zc_copy(seen), &stored), ZC_OK);
    cr_expect_leq(cost_of(lazy).peak_bytes, 50000 * 64 * 8 + (4 << 20));
    expect_bits(lazy, zc_matmul(x, stored));
    finish(b);
}
