/*
 * Plans found again for what is read further on in the same memory, as the steps of a loop over its rows do: the same
 * plan where all moves together, another one where distances differ or where a place in memory matters, and the bits
 * that a context which has planned nothing yet computes.
 */
#include <string.h>

#include "materialize/planner/plan_cache.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { SIZE = 600, ROW = 20 };

/* The plan for t; it stays readable until the context makes others. */
static const zc_plan *plan_of(const zc_tensor *t)
{
    zc_plan *plan = NULL;
    const zc_plan_request request = {.count = 1, .tensors = &t, .function = "test", .buys = true};
    cr_assert_eq(zc_plan_get(&request, &plan), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    cr_assert(plan->is_kept);
    zc_plan_put_back(plan);
    return plan;
}

static zc_tensor *numbers(zc_context *ctx)
{
    double values[SIZE];
    for (int i = 0; i < SIZE; i++)
        values[i] = (i * 37 % 101 - 40) / 8.0;
    return zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(SIZE), values, sizeof values);
}

static zc_tensor *part(const zc_tensor *t, int64_t from, int64_t count)
{
    return zc_slice(t, 0, from, from + count, 1);
}

/* ---- Which plans are equal ---- */

static zc_tensor *sum_of_two(const zc_tensor *x, int64_t first, int64_t second)
{
    return zc_add(zc_negative(part(x, first, 3)), part(x, second, 3));
}

Test(plan_moved, is_found_where_distances_are_the_same)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx);
    const zc_plan *plan = plan_of(sum_of_two(x, 0, 7));
    cr_expect_eq(plan_of(sum_of_two(x, 100, 107)), plan);
    cr_expect_eq(plan_of(sum_of_two(x, SIZE - 10, SIZE - 3)), plan);
    cr_expect_neq(plan_of(sum_of_two(x, 0, 8)), plan, "another distance");
    cr_expect_neq(plan_of(sum_of_two(x, 7, 0)), plan, "the other way around");
    const zc_plan *same = plan_of(sum_of_two(x, 5, 5));
    cr_expect_neq(same, plan, "no distance");
    cr_expect_eq(plan_of(sum_of_two(x, 50, 50)), same);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Each of several inputs moves by its own. */
Test(plan_moved, is_found_for_several_inputs)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx), *y = numbers(ctx);
    const zc_plan *plan = plan_of(zc_add(part(x, 0, 3), part(y, 9, 3)));
    cr_expect_eq(plan_of(zc_add(part(x, 20, 3), part(y, 4, 3))), plan);
    cr_expect_eq(plan_of(zc_add(part(x, 3, 3), part(y, 3, 3))), plan);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* What an update may take over is written where it stands. */
Test(plan_moved, is_another_one_where_memory_is_taken_over)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_plan *plans[2];
    for (int i = 0; i < 2; i++) {
        zc_tensor *x = numbers(ctx);
        zc_tensor *seven = zc_add(part(x, 5 + i, 1), zc_weak_float(ctx, 7));
        zc_tensor *updated = zc_update(x, part(zc_places(x), 300, 1), seven, ZC_UPDATE_SET);
        zc_release(x);
        zc_release(seven);
        plans[i] = plan_of(part(updated, 10, 1));
    }
    cr_expect_neq(plans[0], plans[1]);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- Bits ---- */

/* Something that is made of parts of x and y at these places. */
static zc_tensor *make(const zc_tensor *x, const zc_tensor *y, int what, int64_t at, int64_t other)
{
    zc_context *ctx = zc_context_of(x);
    static const int64_t order[] = {3, 1, 1, 0};
    zc_tensor *positions = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(4), order, sizeof order);
    zc_tensor *row = part(x, at, ROW), *block = zc_reshape(part(x, at, 4 * ROW), ZC_SHAPE(4, ROW)), *sum = NULL;
    switch (what) {
    case 0:
        return zc_sum(row, ZC_ALL_AXES, false);
    case 1:
        return zc_subtract(row, part(y, other, ROW));
    case 2:
        return zc_matmul(block, zc_matrix_transpose(block));
    case 3:
        return zc_matmul(zc_exp(block), part(y, other, ROW));
    case 4:
        return zc_take(block, positions, 0);
    case 5:
        return zc_take(zc_multiply(block, block), positions, 1);
    case 6:
        return zc_cumulative_sum(block, 1, false);
    case 7:
        return zc_concat(ctx, 3, (const zc_tensor *const[]){row, part(y, other, 5), part(x, at + 7, 9)}, 0);
    case 8:
        return zc_update(row, part(zc_places(row), 3, 4), part(y, other, 4), ZC_UPDATE_SET);
    case 9:
        return zc_update(part(y, other, ROW), part(zc_places(row), 3, 4), part(x, at, 4), ZC_UPDATE_ADD);
    case 10:
        return zc_grad(zc_multiply(zc_tanh(row), part(y, other, ROW)), x);
    case 11:
        return zc_multiply(row, zc_max(zc_flip(row, ZC_AXES(0)), ZC_ALL_AXES, false));
    case 12:
        return zc_add(zc_astype(zc_bitcast(row, ZC_INT64), ZC_FLOAT64), part(x, at + 1, ROW));
    case 13:
        return zc_sum(zc_sliding_window_view(part(x, at, ROW + 4), 1, (const int64_t[]){5}, ZC_AXES(0)), ZC_AXES(1),
                      false);
    case 14:
        sum = zc_sum(block, ZC_AXES(1), true);
        return zc_divide(block, zc_add(zc_abs(sum), zc_weak_float(ctx, 1)));
    default:
        return zc_update(x, zc_take(part(zc_places(x), at, ROW), positions, 0), part(y, other, 4), ZC_UPDATE_SET);
    }
}

enum { GRAPHS = 16 };

static int64_t compute(const zc_tensor *t, double *bits, size_t bytes)
{
    cr_assert_not_null(t);
    cr_assert_eq(zc_materialize_into(t, bits, bytes, NULL, 0), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return zc_size(t);
}

/* The same in a context of its own. */
static void compute_anew(int what, int64_t at, int64_t other, double *bits, size_t bytes)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    (void)compute(make(numbers(ctx), numbers(ctx), what, at, other), bits, bytes);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(plan_moved, computes_what_a_new_plan_computes)
{
    zc_random_begin("plan_moved");
    static double got[SIZE], wanted[SIZE];
    for (int what = 0; what < GRAPHS; what++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
        zc_scope *scope = zc_scope_begin(ctx);
        const zc_tensor *x = numbers(ctx), *y = numbers(ctx);
        for (int i = 0; i < 30 * zc_test_scale(); i++) {
            zc_scope *inner = zc_scope_begin(ctx);
            const int64_t at = zc_random_range(0, SIZE - 4 * ROW), other = zc_random_range(0, SIZE - ROW);
            const int64_t size = compute(make(x, y, what, at, other), got, sizeof got);
            compute_anew(what, at, other, wanted, sizeof wanted);
            cr_assert_eq(memcmp(got, wanted, (size_t)size * sizeof *got), 0, "graph %d at %lld and %lld", what,
                         (long long)at, (long long)other);
            zc_scope_end(inner);
        }
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* Parts that are asked for as they are, beside what is computed of them. */
Test(plan_moved, hands_out_what_is_there_where_it_is)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx);
    for (int64_t at = 0; at < 50; at++) {
        zc_tensor *asked[] = {part(x, at, ROW), zc_negative(part(x, at + 1, 1)), zc_negative(part(x, at, 1))}, *made[3];
        cr_assert_eq(zc_materialize_all(3, (const zc_tensor *const *)asked, made), ZC_OK);
        const double *whole = zc_data(x), *row = zc_data(made[0]), *next = zc_data(made[1]), *first = zc_data(made[2]);
        cr_assert_eq(row, whole + at);
        cr_assert_eq(*next, -whole[at + 1]);
        cr_assert_eq(*first, -whole[at]);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}
