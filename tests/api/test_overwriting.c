/*
 * Groups for the caches: an elementwise stage that overwrites the result of a contraction takes turns with it, block by
 * block. Results have the bits of a contraction that was in memory before, and the memory is what was predicted.
 */
#include <stdio.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

/* Number of blocks of the plan's last group, by explain in both forms; 0: it has none. */
static int64_t count_blocks(const zc_tensor *t)
{
    char *text = NULL;
    cr_assert_eq(zc_explain(t, ZC_JSON, &text), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    const char *at = strstr(text, "\"blocks\": ");
    const int64_t count = at == NULL ? 0 : strtoll(at + strlen("\"blocks\": "), NULL, 10);
    zc_text_free(zc_context_of(t), text);
    cr_assert_eq(zc_explain(t, ZC_TEXT, &text), ZC_OK);
    char sentence[64];
    (void)snprintf(sentence, sizeof sentence, "    in %lld blocks of ", (long long)count);
    cr_expect_eq(strstr(text, sentence) != NULL, count > 0, "%s", text);
    zc_text_free(zc_context_of(t), text);
    return count;
}

static zc_tensor *draw(bench b, zc_dtype dtype, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    zc_tensor *t = zc_remainder(zc_multiply(zc_iota(b.ctx, size), zc_weak_int(b.ctx, 7919)), zc_weak_int(b.ctx, 1009));
    zc_tensor *held = NULL, *part = zc_divide(zc_subtract(t, zc_weak_int(b.ctx, 500)), zc_weak_float(b.ctx, 7));
    cr_assert_eq(zc_materialize(zc_reshape(zc_astype(part, dtype), rank, shape), &held), ZC_OK);
    return held;
}

/* Applies a layer's operation to a product: by columns, by rows, by positions, by itself twice. */
static zc_tensor *follow(bench b, int way, zc_tensor *t)
{
    const int rank = zc_rank(t);
    const int64_t rows = zc_shape(t)[rank - 2], columns = zc_shape(t)[rank - 1];
    const zc_dtype dtype = zc_dtype_of(t);
    switch (way) {
    case 0:
        return zc_maximum(zc_add(t, draw(b, dtype, ZC_SHAPE(columns))), zc_weak_float(b.ctx, 0));
    case 1:
        return zc_subtract(t, draw(b, dtype, ZC_SHAPE(rows, 1)));
    case 2:
        return zc_add(t, zc_astype(zc_reshape(zc_iota(b.ctx, rows * columns), ZC_SHAPE(rows, columns)), dtype));
    default:
        return zc_multiply(zc_sigmoid(t), t);
    }
}

typedef struct layer {
    zc_dtype dtype;
    int64_t batch, rows, products, columns; /* batch 0: matrices */
    int64_t blocks;                         /* with one thread */
    bool is_shared;                         /* one right operand for the batch */
} layer;

static zc_tensor *multiply(bench b, const layer *l)
{
    if (l->batch == 0)
        return zc_matmul(draw(b, l->dtype, ZC_SHAPE(l->rows, l->products)),
                         draw(b, l->dtype, ZC_SHAPE(l->products, l->columns)));
    zc_tensor *y = draw(b, l->dtype, ZC_SHAPE(l->is_shared ? 1 : l->batch, l->products, l->columns));
    return zc_matmul(draw(b, l->dtype, ZC_SHAPE(l->batch, l->rows, l->products)), y);
}

/* Matrices; batches, with a last block that is shorter; a prime number of rows; a small result and one of many
 * products, which have no blocks. */
static const layer layers[] = {
    {ZC_FLOAT32, 0, 1500, 3, 500, 12, false},  {ZC_FLOAT64, 0, 1024, 70, 512, 16, false},
    {ZC_FLOAT32, 96, 70, 5, 100, 11, false},   {ZC_FLOAT32, 256, 16, 5, 200, 4, true},
    {ZC_FLOAT32, 0, 1021, 3, 700, 11, false},  {ZC_FLOAT32, 0, 700, 3, 700, 0, false},
    {ZC_FLOAT32, 0, 1500, 600, 500, 0, false},
};

static void expect_same(bench b, const layer *l, int way, int threads)
{
    zc_tensor *made = NULL, *wanted = NULL, *product = NULL, *lazy = follow(b, way, multiply(b, l));
    const zc_tensor *again = follow(b, way, multiply(b, l));
    cr_assert_eq(zc_materialize(multiply(b, l), &product), ZC_OK);
    cr_assert_eq(zc_materialize(follow(b, way, product), &wanted), ZC_OK);
    cr_expect_eq(count_blocks(lazy), threads == 1 ? l->blocks : 0, "%ld blocks", (long)count_blocks(lazy));
    for (int i = 0; i < 2; i++) { /* by a new plan, and by the same one, which is kept */
        const int64_t before = zc_memory_usage(b.ctx).held_bytes, peak = cost_of(lazy).peak_bytes;
        zc_memory_reset_peak(b.ctx);
        cr_assert_eq(zc_materialize(lazy, &made), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_expect_eq(zc_memory_usage(b.ctx).peak_bytes - before, peak);
        cr_expect_eq(memcmp(zc_data(made), zc_data(wanted), (size_t)zc_size(made) * zc_dtype_bytes(l->dtype)), 0,
                     "(%ld, %ld, %ld), way %d", (long)l->rows, (long)l->products, (long)l->columns, way);
        lazy = (zc_tensor *)(uintptr_t)again;
    }
}

Test(overwriting, of_products_and_what_follows_have_the_bits_of_both)
{
    enum { LAYERS = sizeof layers / sizeof *layers, WAYS = 4, THREADS = 3 };
    for (int i = 0; i < LAYERS * WAYS * THREADS; i += zc_test_long_step(5)) {
        const int threads = i % THREADS + 1;
        bench b = begin_with((zc_options){.threads = threads});
        expect_same(b, &layers[i / THREADS / WAYS], i / THREADS % WAYS, threads);
        finish(b);
    }
}

/* Not where it picks rows or columns of something else, reads the product elsewhere, too, or where the product is
 * needed besides. */
Test(overwriting, are_for_what_is_stored_over_the_product_alone)
{
    bench b = begin_with((zc_options){.threads = 1});
    const layer *l = &layers[0];
    zc_tensor *t = multiply(b, l), *row = draw(b, l->dtype, ZC_SHAPE(l->columns)), *both[2];
    zc_tensor *at = NULL;
    cr_assert_eq(zc_materialize(zc_remainder(zc_iota(b.ctx, l->columns), zc_weak_int(b.ctx, 3)), &at), ZC_OK);
    cr_expect_eq(count_blocks(zc_add(t, zc_take(row, at, 0))), 0);
    const zc_tensor *table = draw(b, l->dtype, ZC_SHAPE(3, l->columns));
    zc_tensor *rows = NULL;
    cr_assert_eq(zc_materialize(zc_remainder(zc_iota(b.ctx, l->rows), zc_weak_int(b.ctx, 3)), &rows), ZC_OK);
    cr_expect_eq(count_blocks(zc_add(t, zc_take(table, rows, 0))), 0);
    cr_expect_eq(count_blocks(zc_add(t, zc_flip(t, ZC_AXES(0)))), 0);
    cr_expect_eq(count_blocks(zc_exp(zc_matmul(zc_slice(t, 0, 0, 0, 1), zc_matrix_transpose(t)))), 0);
    cr_expect_eq(count_blocks(zc_exp(zc_matmul(zc_slice(t, 0, 0, 9, 1), zc_slice(zc_matrix_transpose(t), 1, 0, 0, 1)))),
                 0);
    cr_expect_eq(count_blocks(zc_exp(zc_matmul(zc_expand_dims(row, 0), zc_expand_dims(row, 1)))), 0);
    cr_expect_gt(count_blocks(zc_add(t, row)), 1);
    cr_expect_gt(count_blocks(zc_exp(zc_matrix_transpose(t))), 1);
    cr_assert_eq(zc_materialize_all(TENSORS(zc_add(t, row), t), both), ZC_OK);
    cr_expect_eq(value_at(zc_subtract(both[0], both[1]), 7), value_at(zc_subtract(zc_add(both[1], row), both[1]), 7));
    finish(b);
}

/* The limit that has room for the result alone suffices. */
Test(overwriting, is_in_turns_under_any_limit_but_not_by_the_reference)
{
    const layer l = {ZC_FLOAT32, 0, 1500, 1, 400, 0, false};
    zc_tensor *made[3] = {NULL};
    bench b[3];
    for (int i = 0; i < 3; i++) {
        const int64_t limit = i == 2 ? (1500 * 400 + 1500 + 400 + 1500) * 4 : 0;
        b[i] = begin_with((zc_options){
            .threads = 1, .executor = i == 1 ? ZC_EXECUTOR_REFERENCE : ZC_EXECUTOR_TILE, .memory_limit = limit});
        zc_tensor *t = follow(b[i], 1, multiply(b[i], &l));
        cr_expect_eq(count_blocks(t) > 1, i != 1);
        cr_assert_eq(zc_materialize(t, &made[i]), ZC_OK, "%s", zc_error_text(b[i].ctx));
        cr_expect_eq(memcmp(zc_data(made[0]), zc_data(made[i]), 1500 * 400 * 4), 0);
    }
    for (int i = 0; i < 3; i++)
        finish(b[i]);
}
