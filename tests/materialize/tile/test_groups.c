/* Matrix products of 32-bit integers, which are pairs where their factors fit into 16 bits and fours where they fit
 * into 8: sums by hand that wrap. */
#include <stdlib.h>
#include <string.h>

#include "materialize/kernels/tables/dispatch.h"
#include "materialize/tile/contractions/groups.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { MOST_SIDE = 70, MOST_PRODUCTS = 1200, OPERAND = 3 * MOST_SIDE * MOST_PRODUCTS };

typedef struct example {
    int64_t batches, rows, products, columns;
    bool x_is_turned, y_is_turned;
    zc_dtype x_dtype, y_dtype, dtype;
    int64_t x[OPERAND], y[OPERAND]; /* [batch][row][product] and [batch][product][column], turned or not */
} example;

/* Numbers of the dtype. Of 32 bits they fit into 16, but for a few, one of them where they begin. */
static void draw(int64_t *to, int64_t count, zc_dtype dtype, int outliers)
{
    const bool is_signed = dtype == ZC_INT8 || dtype == ZC_INT16 || dtype == ZC_INT32;
    const int64_t end = dtype == ZC_INT8 ? 127 : dtype == ZC_UINT8 ? 255 : INT16_MAX;
    for (int64_t i = 0; i < count; i++)
        to[i] = zc_random_range(0, 9) == 0 && is_signed ? -end - 1 : zc_random_range(is_signed ? -end : 0, end);
    for (int i = 0; i < outliers; i++)
        to[i == 0 ? 0 : zc_random_range(0, count - 1)] = is_signed && zc_random_bool() ? INT32_MIN + 7 : INT32_MAX - 5;
}

static int64_t at(int64_t batch, int64_t row, int64_t column, int64_t rows, int64_t columns, bool is_turned)
{
    return batch * rows * columns + (is_turned ? column * rows + row : row * columns + column);
}

static uint32_t sum_by_hand(const example *e, int64_t b, int64_t r, int64_t c)
{
    uint32_t sum = 0;
    for (int64_t p = 0; p < e->products; p++)
        sum += (uint32_t)e->x[at(b, r, p, e->rows, e->products, e->x_is_turned)] *
               (uint32_t)e->y[at(b, p, c, e->products, e->columns, e->y_is_turned)];
    return sum;
}

static zc_tensor *operand(zc_context *ctx, const int64_t *numbers, int64_t b, int64_t rows, int64_t columns,
                          bool is_turned, zc_dtype from, zc_dtype to)
{
    const int64_t shape[] = {b, is_turned ? columns : rows, is_turned ? rows : columns};
    zc_tensor *narrow = NULL,
              *t = zc_from_data(ctx, ZC_INT64, 3, shape, numbers, (size_t)(b * rows * columns) * sizeof *numbers);
    cr_assert_eq(zc_materialize(zc_astype(t, from), &narrow), ZC_OK, "%s", zc_error_text(ctx));
    zc_tensor *wide = zc_astype(narrow, to);
    return is_turned ? zc_matrix_transpose(wide) : wide;
}

static void check(zc_context *ctx, const example *e, const char *how)
{
    zc_tensor *out = NULL;
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = operand(ctx, e->x, e->batches, e->rows, e->products, e->x_is_turned, e->x_dtype, e->dtype);
    const zc_tensor *y = operand(ctx, e->y, e->batches, e->products, e->columns, e->y_is_turned, e->y_dtype, e->dtype);
    cr_assert_eq(zc_materialize(zc_matmul(x, y), &out), ZC_OK, "%s", zc_error_text(ctx));
    const uint32_t *sums = zc_data(out);
    cr_assert_not_null(sums, "%s", zc_error_text(ctx));
    for (int64_t i = 0; i < e->batches * e->rows * e->columns; i++) {
        const int64_t c = i % e->columns, r = i / e->columns % e->rows, b = i / e->columns / e->rows;
        cr_assert_eq(sums[i], sum_by_hand(e, b, r, c), "%s: sum (%ld, %ld, %ld) of %ld by %ld by %ld", how, (long)b,
                     (long)r, (long)c, (long)e->rows, (long)e->products, (long)e->columns);
    }
    zc_scope_end(scope);
}

/* Shapes on both sides of a block's rows and columns, one chain and several, even and odd. */
static void draw_shape(example *e)
{
    e->batches = zc_random_range(1, 3);
    e->rows = zc_random_range(1, zc_random_bool() ? 13 : MOST_SIDE);
    e->columns = zc_random_range(1, zc_random_bool() ? 8 : MOST_SIDE);
    e->products = zc_random_range(1, zc_random_bool() ? 9 : zc_random_bool() ? 300 : MOST_PRODUCTS);
    e->x_is_turned = zc_random_bool();
    e->y_is_turned = zc_random_bool();
}

static void check_random(zc_context *const *contexts, example *e)
{
    static const zc_dtype sources[] = {ZC_INT8, ZC_UINT8, ZC_INT16, ZC_INT32};
    draw_shape(e);
    e->x_dtype = sources[zc_random_range(0, 3)];
    e->y_dtype = sources[zc_random_range(0, 3)];
    e->dtype = zc_random_bool() ? ZC_INT32 : ZC_UINT32;
    const int x_outliers = e->x_dtype == ZC_INT32 && zc_random_bool() ? 1 : 0;
    const int y_outliers = e->y_dtype == ZC_INT32 ? (int)zc_random_range(0, 2) : 0;
    draw(e->x, e->batches * e->rows * e->products, e->x_dtype, x_outliers);
    draw(e->y, e->batches * e->products * e->columns, e->y_dtype, y_outliers);
    check(contexts[0], e, "one thread");
    check(contexts[1], e, "two threads");
}

Test(pairs, sum_as_integers_that_wrap)
{
    zc_random_begin("pairs");
    example *e = malloc(sizeof *e);
    zc_context *contexts[] = {zc_context_new(&(zc_options){.executor = ZC_EXECUTOR_TILE, .threads = 1}),
                              zc_context_new(&(zc_options){.executor = ZC_EXECUTOR_TILE, .threads = 2})};
    for (int i = 0; i < zc_test_count(60); i++)
        check_random(contexts, e);
    for (int i = 0; i < 2; i++)
        zc_context_free(contexts[i]);
    free(e);
}

/* Panels that fit into 16 bits come before one that does not: x is made what it was, for the rest of it. */
Test(pairs, part_where_a_panel_does_not_fit)
{
    zc_random_begin("pairs, parted");
    example *e = malloc(sizeof *e);
    zc_context *ctx = zc_context_new(&(zc_options){.executor = ZC_EXECUTOR_TILE, .threads = 1});
    *e =
        (example){.batches = 1, .rows = 25, .columns = 70, .x_dtype = ZC_INT32, .y_dtype = ZC_INT32, .dtype = ZC_INT32};
    for (e->products = 255; e->products < 1200; e->products += 257) {
        draw(e->x, e->rows * e->products, ZC_INT32, 0);
        draw(e->y, e->products * e->columns, ZC_INT32, 0);
        e->y[(e->products - 1) * e->columns + zc_random_range(0, e->columns - 1)] = INT16_MAX + 1;
        check(ctx, e, "the last product");
    }
    zc_context_free(ctx);
    free(e);
}

/* Numbers that fit into 8 bits with or without sign, and, from a panel on, into these only without, into 16 or into 32:
 * what is packed of x changes from panel to panel and from chain to chain. */
static void draw_panels(example *e)
{
    static const int64_t ends[][2] = {{-128, 127}, {0, 255}, {0, 127}, {-128, -128}, {255, 255}, {-129, 300}};
    const int64_t *of_x = ends[zc_random_range(0, 5)];
    for (int64_t i = 0; i < e->rows * e->products; i++)
        e->x[i] = zc_random_range(of_x[0], of_x[1]);
    const int64_t *of_y = ends[0];
    for (int64_t p = 0; p < e->products; p++) {
        for (int64_t c = 0; c < e->columns; c++) {
            if (c % 16 == 0)
                of_y = ends[(p / 256 + c / 16 + zc_random_range(0, 40) / 40) % 5];
            e->y[p * e->columns + c] = zc_random_range(of_y[0], of_y[1]);
        }
    }
    if (zc_random_bool())
        e->y[zc_random_range(0, e->products * e->columns - 1)] = zc_random_bool() ? 1000 : 100000;
}

Test(pairs, and_fours_change_from_panel_to_panel)
{
    zc_random_begin("pairs, fours");
    example *e = malloc(sizeof *e);
    zc_context *ctx = zc_context_new(&(zc_options){.executor = ZC_EXECUTOR_TILE, .threads = 1});
    for (int i = 0; i < zc_test_count(20); i++) {
        *e = (example){.batches = 1, .x_dtype = ZC_INT32, .y_dtype = ZC_INT32, .dtype = ZC_INT32};
        e->rows = zc_random_range(6, MOST_SIDE);
        e->columns = zc_random_range(33, MOST_SIDE);
        e->products = zc_random_range(4, MOST_PRODUCTS);
        draw_panels(e);
        check(ctx, e, "panels");
    }
    zc_context_free(ctx);
    free(e);
}

static zc_contract_shape shape_of(zc_dtype dtype, int64_t rows, int64_t products)
{
    return (zc_contract_shape){.dtype = dtype, .rows = {.size = rows}, .products = {.size = products}};
}

Test(pairs, are_for_what_is_used_again_and_has_32_bits)
{
    for (int t = 0; t < ZC_KERNEL_TABLES; t++) {
        const zc_kernels *kernels = zc_kernel_tables[t].kernels;
        const zc_contract_shape good[] = {shape_of(ZC_INT32, 64, 64), shape_of(ZC_UINT32, 12, 9)};
        const zc_contract_shape bad[] = {shape_of(ZC_INT64, 64, 64), shape_of(ZC_FLOAT32, 64, 64),
                                         shape_of(ZC_INT16, 64, 64), shape_of(ZC_INT32, 1, 64),
                                         shape_of(ZC_INT32, 64, 1)};
        for (int i = 0; i < 2; i++)
            cr_expect_eq(zc_groups_find(kernels, &good[i]).pairs, zc_kernels_pairs(kernels), "%s, %d", kernels->name,
                         i);
        for (int i = 0; i < 5; i++)
            cr_expect_null(zc_groups_find(kernels, &bad[i]).pairs, "%s, %d", kernels->name, i);
    }
}
