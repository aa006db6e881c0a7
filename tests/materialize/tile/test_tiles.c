/* The tiles that strategies choose. */
#include <stdlib.h>
#include <string.h>

#include "materialize/plan/plan.h"
#include "materialize/tile/program/program.h"
#include "materialize/tile/program/share.h"
#include "materialize/tile/program/strategy.h"
#include "materialize/tile/strategies.h"
#include "tests/materialize/plan_of.h"
#include "tests/support/zc_test.h"

enum { ELEMENTS = 1 << 21 };

/* Number of columns that the tiles of a row have together, of a transposed comparison whose result has rows of that
 * many elements and goes past the caches. Nothing is computed. */
static int64_t columns_of_tiles(zc_context *ctx, const void *memory, int64_t columns)
{
    _Alignas(ZC_DATA_ALIGNMENT) static char output[ZC_DATA_ALIGNMENT];
    zc_plan plan;
    zc_tile_program program;
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(columns, ELEMENTS / columns), NULL, 0, memory,
                             (size_t)ELEMENTS * sizeof(double), NULL, NULL);
    zc_tensor *less = zc_less(zc_matrix_transpose(x), zc_weak_float(ctx, 1));
    cr_assert_eq(zc_plan_of(less, &plan), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(plan.stage_count, 1);
    char *slots[] = {output, output};
    cr_assert_eq(plan.slot_count, 2);
    cr_assert_eq(zc_tile_prepare(&program, plan.stages[0], slots, 1, &plan.arena), ZC_PREPARED);
    cr_assert_str_eq(program.strategy->name, "transpose");
    int64_t count = 0;
    for (int64_t at = 0; at < columns; at += program.column_step)
        count += program.columns < columns - at ? program.columns : columns - at;
    zc_plan_free(&plan);
    zc_scope_end(scope);
    return count;
}

/* Tiles that share cache lines overlap, but they compute no element more than twice. */
Test(tiles, overlap_by_half_at_most)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    double *memory = malloc((size_t)ELEMENTS * sizeof *memory); /* not read */
    for (int64_t columns = 16; columns <= 300; columns++) {
        int64_t count = columns_of_tiles(ctx, memory, columns);
        cr_expect(count <= 2 * columns, "%lld columns for %lld", (long long)count, (long long)columns);
    }
    free(memory);
    zc_context_free(ctx);
}

/* 64 by 64 sums of so many products, prepared for two threads with that much data memory for panels and partial sums.
 * Nothing is computed. */
static void prepare_flat(zc_context *ctx, int64_t products, int64_t limit, int64_t *units, int64_t *groups,
                         int64_t *data_bytes)
{
    enum { SIDE = 64, MOST = 1 << 16 };
    _Alignas(ZC_DATA_ALIGNMENT) static float memory[SIDE * MOST]; /* not read */
    const size_t bytes = (size_t)(SIDE * products) * sizeof *memory;
    zc_plan plan;
    zc_tile_program program;
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_import(ctx, ZC_FLOAT32, ZC_SHAPE(SIDE, products), NULL, 0, memory, bytes, NULL, NULL);
    zc_tensor *y = zc_import(ctx, ZC_FLOAT32, ZC_SHAPE(products, SIDE), NULL, 0, memory, bytes, NULL, NULL);
    cr_assert_eq(zc_plan_of(zc_matmul(x, y), &plan), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(plan.stage_count, 1);
    char *slots[] = {(char *)memory, (char *)memory, (char *)memory};
    cr_assert_eq(plan.slot_count, 3);
    plan.stages[0]->scratch_limit = limit;
    cr_assert_eq(zc_tile_prepare(&program, plan.stages[0], slots, 2, &plan.arena), ZC_PREPARED);
    cr_assert_str_eq(program.strategy->name, "contract_block");
    *units = program.units;
    *groups = program.groups;
    *data_bytes = zc_tile_data_bytes(&program);
    zc_plan_free(&plan);
    zc_scope_end(scope);
}

/* Threads that share rows would pack the same columns; they share products, where their sums have room. */
Test(tiles, of_contractions_keep_their_rows_where_products_are_shared)
{
    enum { PRODUCTS = 1 << 16 };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    int64_t units, groups, bytes, less;
    prepare_flat(ctx, PRODUCTS, INT64_MAX, &units, &groups, &bytes);
    cr_expect_eq(units, 1);
    cr_expect_geq(groups, 4);
    prepare_flat(ctx, PRODUCTS, bytes - 1, &units, &groups, &less);
    cr_expect_lt(less, bytes);
    cr_expect_geq(units * groups, 4);
    prepare_flat(ctx, PRODUCTS, 0, &units, &groups, &less);
    cr_expect_eq(less, 0);
    cr_expect_geq(units, 4);
    prepare_flat(ctx, 1000, INT64_MAX, &units, &groups, &less);
    cr_expect_eq(units, 4, "two parts of rows, and two of columns, whose rows are read in place");
    zc_context_free(ctx);
}

/* A function is computed in parts where operands behind it are asked for; alone, as a whole. */
static void compare_with_function_alone(zc_context *ctx, zc_dtype dtype, const void *memory, int64_t count)
{
    zc_scope *scope = zc_scope_begin(ctx);
    const size_t bytes = (size_t)count * zc_dtype_bytes(dtype);
    zc_tensor *x = zc_import(ctx, dtype, ZC_SHAPE(count), NULL, 0, memory, bytes, NULL, NULL);
    zc_tensor *far = NULL, *alone = NULL, *got = NULL, *wanted = NULL;
    cr_assert_eq(zc_materialize(zc_flip(x, ZC_AXES(0)), &far), ZC_OK);
    cr_assert_eq(zc_materialize(zc_silu(x), &alone), ZC_OK);
    cr_assert_eq(zc_materialize(zc_multiply(zc_silu(x), far), &got), ZC_OK);
    cr_assert_eq(zc_materialize(zc_multiply(alone, far), &wanted), ZC_OK);
    cr_expect_eq(memcmp(zc_data(got), zc_data(wanted), bytes), 0, "%s", zc_dtype_name(dtype));
    zc_scope_end(scope);
}

Test(tiles, ask_for_operands_behind_functions_without_changing_results)
{
    enum { COUNT = (1 << 18) + 77 }; /* more bytes than are expected in a near cache */
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    double *numbers = malloc(COUNT * sizeof *numbers);
    float *singles = malloc(COUNT * sizeof *singles);
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = (i % 1999 - 1000) * 0.01;
        singles[i] = (float)numbers[i];
    }
    compare_with_function_alone(ctx, ZC_FLOAT64, numbers, COUNT);
    compare_with_function_alone(ctx, ZC_FLOAT32, singles, COUNT);
    free(singles);
    free(numbers);
    zc_context_free(ctx);
}
