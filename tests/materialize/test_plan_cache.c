/*
 * Plans found again: for a graph of the same structure and no other, with its own data. That results are right
 * whichever plan they come from is tests/diff/test_executors.c.
 */
#include <string.h>

#include "materialize/planner/plan_cache.h"
#include "tests/support/zc_test.h"

static const float numbers[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static zc_tensor *vector(zc_context *ctx, int64_t n)
{
    return zc_from_data(ctx, ZC_FLOAT32, 1, &n, numbers, (size_t)n * sizeof *numbers);
}

/* The plan for t; it stays readable until the context makes others. */
static const zc_plan *plan_of(const zc_tensor *t, zc_layout layout, const zc_view *target)
{
    zc_plan *plan = NULL;
    const zc_plan_request request = {.count = 1,
                                     .tensors = &t,
                                     .layout = layout,
                                     .target = target,
                                     .target_elements = 12,
                                     .function = "test",
                                     .buys = true};
    cr_assert_eq(zc_plan_get(&request, &plan), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    bool is_kept = plan->is_kept;
    zc_plan_put_back(plan);
    return is_kept ? plan : NULL;
}

/* Graphs that differ in one thing each. */
static zc_tensor *variation(zc_context *ctx, int which)
{
    zc_tensor *x = vector(ctx, 6), *y = vector(ctx, 6), *two = zc_weak_float(ctx, 2);
    switch (which) {
    case 0:
        return zc_add(zc_multiply(x, two), y);
    case 1:
        return zc_add(zc_multiply(x, two), x); /* one input */
    case 2:
        return zc_add(zc_multiply(x, zc_weak_float(ctx, 3)), zc_weak_float(ctx, 3)); /* one constant */
    case 3:
        return zc_subtract(zc_multiply(x, two), y);
    case 4:
        return zc_add(y, zc_multiply(x, two));
    case 5:
        return zc_add(zc_multiply(zc_slice(x, 0, ZC_NONE, ZC_NONE, -1), two), y);
    case 6:
        return zc_add(zc_multiply(vector(ctx, 5), two), vector(ctx, 5));
    case 7:
        return zc_add(zc_multiply(x, two), zc_reshape(y, ZC_SHAPE(6, 1)));
    case 8:
        return zc_add(zc_multiply(zc_astype(x, ZC_FLOAT64), two), y);
    case 9:
        return zc_sum(zc_reshape(x, ZC_SHAPE(2, 3)), ZC_AXES(0), false);
    case 10:
        return zc_sum(zc_reshape(x, ZC_SHAPE(2, 3)), ZC_AXES(1), false);
    case 11:
        return zc_concat(ctx, 2, (const zc_tensor *const[]){x, y}, 0);
    case 12:
        return zc_slice(zc_add(zc_multiply(x, two), y), 0, 1, 4, 1);
    case 13:
        return zc_slice(zc_add(zc_multiply(x, two), y), 0, 2, 5, 1);
    case 14:
        return zc_cumulative_sum(x, 0, false);
    case 15:
        return zc_cumulative_prod(x, 0, false);
    case 16:
        return zc_slice(vector(ctx, 12), 0, 0, 6, 1); /* of more memory than it shows */
    case 17:
        return zc_add(zc_multiply(x, zc_weak_float(ctx, 3)), two); /* two of them */
    default:
        return zc_copy(x);
    }
}

enum { VARIATIONS = 19 };

Test(plan_cache, finds_the_plan_of_an_equal_graph_and_of_no_other)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    const zc_plan *plans[VARIATIONS];
    for (int i = 0; i < VARIATIONS; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        plans[i] = plan_of(variation(ctx, i), ZC_LAYOUT_DENSE, NULL);
        cr_assert_not_null(plans[i], "variation %d is not kept", i);
        for (int j = 0; j < i; j++)
            cr_assert_neq(plans[i], plans[j], "variations %d and %d share a plan", j, i);
        zc_scope_end(scope);
    }
    for (int i = 0; i < VARIATIONS; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        cr_assert_eq(plan_of(variation(ctx, i), ZC_LAYOUT_DENSE, NULL), plans[i], "variation %d is planned anew", i);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

Test(plan_cache, tells_layouts_targets_and_what_has_been_computed_apart)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *inner = zc_exp(vector(ctx, 6)), *t = zc_broadcast_to(zc_add(inner, inner), ZC_SHAPE(2, 6));
    zc_view rows, columns;
    zc_view_row_major(2, (const int64_t[]){2, 6}, &rows);
    zc_view_copy(&rows, &columns);
    columns.stride[0] = 1;
    columns.stride[1] = 2;
    const zc_plan *plans[5] = {plan_of(t, ZC_LAYOUT_DENSE, NULL), plan_of(t, ZC_LAYOUT_COMPACT, NULL),
                               plan_of(t, ZC_LAYOUT_DENSE, &rows), plan_of(t, ZC_LAYOUT_DENSE, &columns)};
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(inner, &out), ZC_OK);
    plans[4] = plan_of(t, ZC_LAYOUT_DENSE, NULL);
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < i; j++)
            cr_assert_neq(plans[i], plans[j], "%d and %d share a plan", j, i);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(plan_cache, runs_a_kept_plan_on_the_data_at_hand)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (int i = 0; i < 200; i++) { /* more graphs than are kept, each twice in a row and again later */
        zc_scope *scope = zc_scope_begin(ctx);
        const int64_t n = 1 + i / 2 % 90;
        float values[90], got[90];
        for (int k = 0; k < n; k++)
            values[k] = (float)(i + k);
        zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, 1, &n, values, (size_t)n * sizeof *values);
        cr_assert_eq(zc_materialize_into(zc_add(x, x), got, sizeof got, NULL, 0), ZC_OK);
        for (int k = 0; k < n; k++)
            cr_assert_eq(got[k], 2 * values[k]);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

/* ---- Constants ---- */

static zc_tensor *real(zc_context *ctx, double value)
{
    return zc_weak_float(ctx, value);
}

/* Graphs with the constants a and b, which stand in stages of all strategies that take some. */
static zc_tensor *with_constants(zc_context *ctx, int which, double a, double b)
{
    zc_tensor *x = vector(ctx, 60), *square = zc_reshape(x, ZC_SHAPE(6, 10)), *at = zc_iota(ctx, 6);
    zc_tensor *many = zc_broadcast_to(zc_astype(real(ctx, a), ZC_FLOAT32), ZC_SHAPE(10, 4));
    switch (which) {
    case 0:
        return zc_add(zc_multiply(x, real(ctx, a)), real(ctx, b));
    case 1:
        return zc_sum(zc_exp(zc_multiply(square, real(ctx, a))), ZC_AXES(1), false);
    case 2:
        return zc_where(zc_greater(x, real(ctx, a)), real(ctx, b), x);
    case 3:
        return zc_matmul(square, many);
    case 4:
        return zc_matmul(zc_multiply(square, real(ctx, b)), many);
    case 5:
        return zc_concat(ctx, 3, (const zc_tensor *const[]){zc_reshape(many, ZC_SHAPE(40)), x, x}, 0);
    case 6:
        return zc_update(x, zc_multiply(at, zc_weak_int(ctx, 2)), real(ctx, b), ZC_UPDATE_ADD);
    case 7:
        return zc_cumulative_sum(zc_subtract(x, real(ctx, a)), 0, false);
    case 8:
        return zc_take(x, zc_add(at, zc_weak_int(ctx, (int64_t)a)), 0);
    case 9:
        return zc_sum(zc_broadcast_to(real(ctx, a), ZC_SHAPE(3, 7)), ZC_AXES(0), false);
    case 10:
        return zc_broadcast_to(zc_add(real(ctx, a), real(ctx, b)), ZC_SHAPE(9));
    case 11:
        return zc_max(zc_tanh(zc_add(zc_divide(x, real(ctx, b)), zc_reshape(x, ZC_SHAPE(60, 1)))), ZC_AXES(0), false);
    case 12:
        return zc_multiply(zc_astype(x, ZC_COMPLEX128), zc_weak_complex(ctx, a, b));
    default:
        return zc_pow(zc_pad(x, ZC_SHAPE(1), (const int64_t[]){2}, ZC_PAD_CONSTANT, real(ctx, a)), real(ctx, b));
    }
}

enum { WITH_CONSTANTS = 14 };

/* The elements of a graph, computed in a context that may have planned its like. */
static size_t elements_with(zc_context *ctx, int which, double a, double b, char bytes[4096])
{
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *out = NULL, *t = with_constants(ctx, which, a, b);
    cr_assert_not_null(t, "%d: %s", which, zc_error_text(ctx));
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%d: %s", which, zc_error_text(ctx));
    const size_t count = (size_t)zc_size(out) * zc_dtype_bytes(zc_dtype_of(out));
    memcpy(bytes, zc_data(out), count);
    zc_scope_end(scope);
    return count;
}

Test(plan_cache, runs_a_kept_plan_with_the_constants_at_hand)
{
    static const double values[][2] = {{1, 2}, {3, 4}, {2, 2}, {2, 1}, {0, 0}, {-0.0, 0}, {1, 2}, {5, 0.5}};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (int which = 0; which < WITH_CONSTANTS; which++) {
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            char again[4096], anew[4096];
            zc_context *other = zc_context_new(&(zc_options){.threads = 1});
            const size_t bytes = elements_with(other, which, values[i][0], values[i][1], anew);
            cr_assert_eq(elements_with(ctx, which, values[i][0], values[i][1], again), bytes);
            cr_assert_arr_eq(again, anew, bytes, "graph %d with %g and %g", which, values[i][0], values[i][1]);
            zc_context_free(other);
        }
    }
    zc_context_free(ctx);
}

Test(plan_cache, has_one_plan_for_all_values_of_constants)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (int which = 0; which < WITH_CONSTANTS; which++) {
        const zc_plan *first = NULL;
        for (int i = 0; i < 4; i++) {
            zc_scope *scope = zc_scope_begin(ctx);
            const zc_plan *plan = plan_of(with_constants(ctx, which, 10 + i, 20 + i), ZC_LAYOUT_DENSE, NULL);
            cr_assert_not_null(plan, "graph %d is not kept", which);
            first = i == 0 ? plan : first;
            cr_assert_eq(plan, first, "graph %d is planned anew", which);
            zc_scope_end(scope);
        }
    }
    zc_context_free(ctx);
}

/* More different constants than are told apart by number: what the others are is part of the key. */
Test(plan_cache, has_plans_of_many_constants)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (int round = 0; round < 3; round++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *sum = vector(ctx, 3), *out = NULL;
        float expected = 1;
        for (int i = 0; i < 100; i++) {
            sum = zc_add(sum, zc_weak_float(ctx, round + 2 * i));
            expected += (float)(round + 2 * i);
        }
        cr_assert_eq(zc_materialize(sum, &out), ZC_OK);
        cr_assert_eq(*(const float *)zc_data(out), expected);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

/* A loop that reads a number in each step and goes on with a node of the step before, by another length: no plan is
 * made any more after some steps. */
Test(plan_cache, finds_the_plan_of_each_step_of_a_loop)
{
    enum { FIRST = 10, STEPS = 40 };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *first = zc_scope_begin(ctx);
    zc_tensor *x = zc_keep(zc_exp(vector(ctx, 12))), *out = NULL;
    zc_scope_end(first);
    const zc_plan *plans[STEPS];
    for (int step = 0; step < STEPS; step++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *moved = zc_subtract(x, zc_multiply(zc_sin(x), zc_weak_float(ctx, 0.1 / (1 + step))));
        zc_tensor *norm = zc_sum(zc_multiply(moved, moved), ZC_ALL_AXES, false);
        plans[step] = plan_of(norm, ZC_LAYOUT_DENSE, NULL);
        cr_assert_not_null(plans[step]);
        cr_assert(step <= 2 * FIRST || plans[step] == plans[step - FIRST], "step %d is planned anew", step);
        cr_assert_eq(zc_materialize(norm, &out), ZC_OK);
        zc_release(x);
        x = zc_keep(moved);
        zc_scope_end(scope);
    }
    zc_release(x);
    zc_context_free(ctx);
}

/* The plan that would be made without a limit is kept and used where it fits; one that had to be smaller is not. */
Test(plan_cache, keeps_what_a_memory_limit_does_not_change)
{
    for (int is_tight = 0; is_tight < 2; is_tight++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = is_tight ? 2000 : 1 << 20});
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *n = zc_astype(zc_iota(ctx, 900), ZC_FLOAT32), *square = zc_reshape(n, ZC_SHAPE(30, 30));
        zc_tensor *costly = zc_tanh(zc_exp(square));
        zc_tensor *largest = zc_max(zc_add(costly, zc_matrix_transpose(costly)), ZC_ALL_AXES, false);
        const zc_plan *plan = plan_of(largest, ZC_LAYOUT_DENSE, NULL);
        cr_expect_eq(plan == NULL, is_tight == 1);
        cr_expect_eq(plan_of(largest, ZC_LAYOUT_DENSE, NULL), plan);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* The sum of `count` leaves, of which every third shows the data of the one before. */
static zc_tensor *sum_of_leaves(zc_context *ctx, int count, float first)
{
    zc_tensor *sum = NULL, *leaf = NULL;
    for (int i = 0; i < count; i++) {
        float value = first + (float)i;
        leaf = i % 3 == 2 ? zc_bitcast(zc_bitcast(leaf, ZC_INT32), ZC_FLOAT32)
                          : zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(1), &value, 4);
        sum = i == 0 ? leaf : zc_add(sum, leaf);
    }
    return sum;
}

Test(plan_cache, keeps_plans_of_up_to_a_thousand_nodes)
{
    static const int counts[] = {17, 18, 40, 500, 1000};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (int i = 0; i < 5; i++) {
        const int count = counts[i];
        const zc_plan *plans[2];
        for (int k = 0; k < 2; k++) {
            zc_scope *scope = zc_scope_begin(ctx);
            zc_tensor *sum = sum_of_leaves(ctx, count, (float)k);
            float got = 0, expected = 0;
            for (int leaf = 0; leaf < count; leaf++)
                expected += (float)(k + leaf - (leaf % 3 == 2));
            plans[k] = plan_of(sum, ZC_LAYOUT_DENSE, NULL);
            cr_assert_eq(zc_materialize_into(sum, &got, sizeof got, NULL, 0), ZC_OK);
            cr_expect_eq(got, expected, "%d leaves from %d on: %g, not %g", count, k, got, expected);
            zc_scope_end(scope);
        }
        cr_expect_eq(plans[0], plans[1], "%d leaves are planned anew", count);
        cr_expect_eq(plans[0] != NULL, count <= 500, "%d leaves", count); /* and as many sums */
    }
    zc_context_free(ctx);
}

/* Each plan is small, a context full of them is not: the oldest go, and what is used again stays. */
Test(plan_cache, holds_no_more_than_some_megabytes)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    const zc_plan *used = NULL;
    int64_t most = 0;
    for (int i = 0; i < 60; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        const zc_plan *again = plan_of(sum_of_leaves(ctx, 500, 0), ZC_LAYOUT_DENSE, NULL);
        cr_assert(i == 0 || again == used, "round %d", i);
        used = again;
        zc_tensor *running = zc_cumulative_sum(vector(ctx, 12), 0, false);
        for (int k = 0; k < 300 + i; k++) /* a stage each */
            running = zc_cumulative_sum(running, 0, false);
        cr_assert_not_null(plan_of(running, ZC_LAYOUT_DENSE, NULL));
        zc_scope_end(scope);
        int64_t bytes = zc_memory_usage(ctx).header_bytes;
        most = bytes > most ? bytes : most;
    }
    cr_expect_leq(most, INT64_C(9) << 20);
    cr_expect_geq(most, INT64_C(7) << 20, "%ld: the plans are too small to show it", (long)most);
    zc_context_free(ctx);
}

/* Products one after the other; what is added first tells graphs apart. */
static zc_tensor *alternating(zc_context *ctx, int count, int first)
{
    zc_tensor *t = zc_add(zc_broadcast_to(vector(ctx, 8), ZC_SHAPE(8, 8)), zc_weak_int(ctx, first));
    for (int i = 0; i < count; i++)
        t = zc_matmul(t, zc_divide(t, zc_weak_int(ctx, 64)));
    return t;
}

/* Memory that a run prepares in its plan counts, too; a plan that outgrows all room goes before those that fit. */
Test(plan_cache, counts_what_running_adds)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .header_limit = 16 << 20});
    const int64_t most = 4 << 20;
    for (int i = 0; i < 30; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *small = alternating(ctx, 2, 0), *out = NULL;
        const zc_plan *plan = plan_of(small, ZC_LAYOUT_DENSE, NULL);
        cr_assert_eq(zc_materialize(small, &out), ZC_OK);
        cr_assert_eq(zc_materialize(alternating(ctx, i < 15 ? 60 : 300, i), &out), ZC_OK, "%s", zc_error_text(ctx));
        cr_expect_eq(plan_of(alternating(ctx, 2, 0), ZC_LAYOUT_DENSE, NULL), plan, "round %d", i);
        zc_scope_end(scope);
        cr_expect_leq(zc_memory_usage(ctx).header_bytes, most + (64 << 10), "round %d: %ld", i,
                      (long)zc_memory_usage(ctx).header_bytes);
    }
    zc_context_free(ctx);
}

/* The same, each of one node. */
static zc_tensor *multiplied(zc_context *ctx, int count, int first)
{
    zc_tensor *m = zc_broadcast_to(vector(ctx, 64), ZC_SHAPE(64, 64)), *t = zc_add(m, zc_weak_int(ctx, first));
    for (int i = 0; i < count; i++)
        t = zc_matmul(t, m);
    return t;
}

/* One plan that is larger than all others together may be, beside them; and of two the last. */
Test(plan_cache, keeps_one_large_plan)
{
    enum { COUNT = 1000 }; /* nearly all the nodes of a key */
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 2, .header_limit = 128 << 20});
    const zc_plan *last = NULL;
    for (int i = 0; i < 6; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *small = alternating(ctx, 2, 0), *large = multiplied(ctx, COUNT, i / 3 + 1), *out = NULL;
        cr_assert_eq(zc_materialize(small, &out), ZC_OK);
        const zc_plan *plan = plan_of(large, ZC_LAYOUT_DENSE, NULL);
        cr_assert_not_null(plan, "round %d", i);
        cr_assert_eq(zc_materialize(large, &out), ZC_OK, "%s", zc_error_text(ctx));
        cr_expect_gt(plan->arena.bytes, 8 << 20, "%ld: it fits among the others", (long)plan->arena.bytes);
        cr_expect(i % 3 == 0 || plan == last, "round %d: it is planned anew", i);
        last = plan;
        cr_expect_eq(plan_of(multiplied(ctx, COUNT, i / 3 + 1), ZC_LAYOUT_DENSE, NULL), plan, "round %d", i);
        cr_expect_not_null(plan_of(alternating(ctx, 2, 0), ZC_LAYOUT_DENSE, NULL), "round %d", i);
        zc_scope_end(scope);
        cr_expect_leq(zc_memory_usage(ctx).header_bytes, 32 << 20, "round %d: %ld", i,
                      (long)zc_memory_usage(ctx).header_bytes);
    }
    zc_context_free(ctx);
}

/* Plans that are kept leave most of what headers may take to recording. */
Test(plan_cache, leaves_room_for_recording)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .header_limit = 1 << 20});
    for (int i = 0; i < 64; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *t = vector(ctx, 8), *out = NULL;
        for (int k = 0; k < 300; k++)
            t = zc_add(t, zc_weak_int(ctx, k == 0 ? i : 1));
        cr_assert_eq(zc_materialize(t, &out), ZC_OK, "round %d: %s", i, zc_error_text(ctx));
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

/* Positions are data: a kept plan finds them outside, and names whose they are, though the first node has gone. */
Test(plan_cache, keeps_plans_of_takes_and_updates_whose_positions_are_told)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (int64_t i = 0; i < 6; i++) {
        static const char *const told[] = {"take: position 9 is out of bounds for an axis of size 6",
                                           "update: position 9 is out of bounds for axis 0 of size 6"};
        zc_scope *scope = zc_scope_begin(ctx);
        const int64_t at[] = {0, i < 4 ? i % 2 : 9, 1};
        zc_tensor *x = vector(ctx, 6), *p = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(3), at, sizeof at), *out = NULL;
        zc_tensor *taken = zc_take(i % 2 == 0 ? x : zc_places(x), p, 0);
        zc_tensor *t = i % 2 == 0 ? taken : zc_update(x, taken, zc_weak_int(ctx, 5), ZC_UPDATE_ADD);
        if (i < 4) {
            cr_assert_not_null(plan_of(t, ZC_LAYOUT_DENSE, NULL));
            cr_assert_eq(zc_materialize(t, &out), ZC_OK);
            const float *got = zc_data(out);
            cr_assert(i % 2 == 0 ? got[0] == 1 && got[1] == 1 && got[2] == 2 : got[0] == 6 && got[1] == 12,
                      "round %ld: %g %g %g", (long)i, got[0], got[1], got[2]);
        } else {
            cr_assert_eq(zc_materialize(t, &out), ZC_ERROR_INDEX);
            cr_assert_str_eq(zc_error_text(ctx), told[i % 2]);
            zc_error_clear(ctx);
        }
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

Test(plan_cache, is_given_back_by_trimming)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    int64_t before = zc_memory_usage(ctx).header_bytes;
    zc_context_trim(NULL);
    for (int round = 0; round < 2; round++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *out = NULL;
        cr_assert_eq(zc_materialize(variation(ctx, 0), &out), ZC_OK);
        cr_assert_eq(((const float *)zc_data(out))[5], 18);
        zc_scope_end(scope);
        cr_assert_gt(zc_memory_usage(ctx).header_bytes, before);
        zc_context_trim(ctx);
        cr_assert_eq(zc_memory_usage(ctx).header_bytes, before);
    }
    zc_context_free(ctx);
}
