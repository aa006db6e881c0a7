/* Materialising: where results go, what they cost, limits, windows, and threads. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/failing.h"

Test(materialize, what_exists_densely_is_not_copied)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(OF(b.ctx, ZC_FLOAT64, 0, 1, 2, 3, 4, 5), ZC_SHAPE(3, 2)), *out = NULL;
    zc_tensor *rows = zc_slice(x, 0, 1, 3, 1);
    cr_assert_eq(zc_materialize(rows, &out), ZC_OK);
    cr_assert_eq(zc_data(out), zc_data(rows));
    zc_cost cost;
    cr_assert_eq(zc_cost_of(rows, &cost), ZC_OK);
    cr_assert_eq(cost.written_bytes, 0);
    cr_assert_eq(cost.held_bytes, 48);
    cr_assert_eq(cost.logical_bytes, 32);
    zc_tensor *column = zc_slice(x, 1, 0, 1, 1);
    cr_assert_eq(zc_materialize(column, &out), ZC_OK);
    cr_assert_neq(zc_data(out), zc_data(column));
    finish(b);
}

Test(materialize, the_work_is_done_once_and_the_result_has_no_history)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2, 3), *y = zc_exp(x), *first = NULL, *second = NULL;
    cr_assert_not(zc_is_view(y));
    cr_assert_null(zc_data(y));
    cr_assert_eq(zc_materialize(y, &first), ZC_OK);
    cr_assert(zc_is_view(y));
    cr_assert_eq(zc_materialize(y, &second), ZC_OK);
    cr_assert_eq(zc_data(first), zc_data(second));
    cr_assert_float_eq(value_at(zc_add(y, y), 0), 2 * exp(1.0), 1e-14);
    finish(b);
}

Test(materialize, compact_results_repeat_what_a_broadcast_repeats)
{
    bench b = begin();
    zc_tensor *row = OF(b.ctx, ZC_FLOAT64, 1, 4, 9), *out = NULL;
    zc_tensor *wide = zc_sqrt(zc_broadcast_to(row, ZC_SHAPE(INT64_C(1000000000000), 3)));
    zc_memory_reset_peak(b.ctx);
    int64_t before = zc_memory_usage(b.ctx).held_bytes;
    cr_assert_eq(zc_compact(wide, &out), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_assert_eq(zc_memory_usage(b.ctx).peak_bytes - before, 24);
    cr_assert_eq(zc_strides(out)[0], 0);
    cr_assert_eq(zc_broadcast_axes(out), 1);
    cr_assert_eq(((const double *)zc_data(out))[2], 3.0);
    zc_tensor *view = zc_broadcast_to(zc_slice(row, 0, 0, 2, 1), ZC_SHAPE(5, 2));
    cr_assert_eq(zc_compact(view, &out), ZC_OK);
    cr_assert_eq(zc_data(out), zc_data(row));
    finish(b);
}

Test(materialize, one_float_as_ten_to_the_fifteen_holds_next_to_nothing)
{
    zc_failing state = {.fail_at = 0};
    zc_allocator allocator = zc_failing_allocator(&state);
    bench b = begin_with((zc_options){.allocator = &allocator});
    float x = 0.25f;
    zc_tensor *t = zc_broadcast_to(zc_from_data(b.ctx, ZC_FLOAT32, ZC_SCALAR_SHAPE, &x, sizeof x),
                                   ZC_SHAPE(INT64_C(1000000000000000)));
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes, 4);
    cr_assert_eq(zc_size(t), INT64_C(1000000000000000));
    cr_assert_eq(value_at(zc_sum(t, ZC_ALL_AXES, false), 0), (double)2.5e14f);
    finish(b);
    cr_assert_eq(state.blocks, 0);
}

/* A domain of one element takes no tiles for thousands: what stays with the context, kept plans and scratch memory
 * included, is small. */
Test(materialize, a_sum_over_ten_to_the_fourteen_and_its_gradient_keep_little)
{
    bench b = begin();
    const int64_t n = 10000000;
    const double all = (double)n * (double)n;
    zc_tensor *x = OF(b.ctx, ZC_FLOAT32, 0.5);
    zc_tensor *sum = zc_sum(zc_exp(zc_broadcast_to(x, ZC_SHAPE(n, n))), ZC_ALL_AXES, false), *slope = zc_grad(sum, x);
    cr_assert_float_eq(value_at(sum, 0), exp(0.5) * all, 1e-6 * all, "%s", zc_error_text(b.ctx));
    cr_assert_float_eq(value_at(slope, 0), exp(0.5) * all, 1e-6 * all, "%s", zc_error_text(b.ctx));
    zc_memory usage = zc_memory_usage(b.ctx);
    cr_assert_lt(usage.held_bytes + usage.header_bytes, (int64_t)64 << 10);
    finish(b);
}

static void expect_budget(const zc_context *ctx, zc_budget wanted)
{
    zc_budget budget = {0};
    cr_expect(zc_error_budget(ctx, &budget));
    cr_expect(budget.need == wanted.need && budget.held == wanted.held && budget.limit == wanted.limit,
              "%lld, %lld, %lld", (long long)budget.need, (long long)budget.held, (long long)budget.limit);
    cr_expect(budget.window_axis == wanted.window_axis && budget.window_count == wanted.window_count, "%lld along %d",
              (long long)budget.window_count, budget.window_axis);
}

Test(limit, is_kept_before_the_first_byte_and_names_need_limit_and_window)
{
    zc_budget none;
    bench b = begin_with((zc_options){.memory_limit = 10000});
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2), *out = NULL;
    zc_tensor *wide = zc_add(zc_broadcast_to(x, ZC_SHAPE(1000, 2)), x);
    int64_t held = zc_memory_usage(b.ctx).held_bytes;
    zc_memory_reset_peak(b.ctx);
    cr_assert_eq(zc_materialize(wide, &out), ZC_ERROR_BUDGET);
    cr_assert_null(out);
    cr_assert_eq(zc_memory_usage(b.ctx).peak_bytes, held);
    expect_budget(b.ctx, (zc_budget){.need = 16000, .held = 16, .limit = 10000, .window_count = 624});
    const char *text = zc_error_text(b.ctx);
    cr_assert(strstr(text, "16000") != NULL && strstr(text, "10000") != NULL && strstr(text, "window of 6") != NULL,
              "%s", text);
    zc_error_clear(b.ctx);
    cr_expect_not(zc_error_budget(b.ctx, &none));
    cr_assert_eq(zc_materialize(zc_slice(wide, 0, 0, 500, 1), &out), ZC_OK, "%s", zc_error_text(b.ctx));
    zc_release(out);
    cr_assert_eq(zc_materialize(zc_broadcast_to(x, ZC_SHAPE(1, 100000, 2)), &out), ZC_ERROR_BUDGET);
    cr_assert_not_null(strstr(zc_error_text(b.ctx), "along axis 1"), "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    double many[2000] = {0};
    cr_assert_null(zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(2000), many, sizeof many));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_BUDGET);
    expect_budget(b.ctx, (zc_budget){.need = 16000, .held = 16, .limit = 10000, .window_axis = -1});
    zc_error_clear(b.ctx);
    cr_assert_eq(zc_materialize(zc_take(x, OF(b.ctx, ZC_INT64, 7), 0), &out), ZC_ERROR_INDEX);
    cr_expect_not(zc_error_budget(b.ctx, &none));
    finish(b);
}

/* Every row needs the same sum, which alone is too large. */
Test(limit, no_window_fits_when_an_intermediate_result_is_too_large)
{
    bench b = begin_with((zc_options){.memory_limit = 1000});
    zc_tensor *i = zc_iota(b.ctx, 1000), *out = NULL;
    zc_tensor *sum = zc_sum(zc_multiply(zc_expand_dims(i, 1), i), ZC_AXES(1), false);
    zc_tensor *both = zc_matmul(zc_expand_dims(i, 1), zc_expand_dims(zc_cumulative_sum(sum, 0, false), 0));
    cr_assert_eq(zc_materialize(zc_index(both, 0, 3), &out), ZC_ERROR_BUDGET);
    cr_assert_not_null(strstr(zc_error_text(b.ctx), "no window"), "%s", zc_error_text(b.ctx));
    zc_budget budget;
    cr_expect(zc_error_budget(b.ctx, &budget) && budget.window_axis == -1 && budget.need > 1000);
    finish(b);
}

Test(cost, bytes_beyond_int64_are_an_error)
{
    bench b = begin();
    zc_cost cost;
    zc_tensor *t = zc_broadcast_to(OF(b.ctx, ZC_FLOAT64, 1), ZC_SHAPE(INT64_C(1) << 61)), *out = NULL;
    cr_assert_eq(zc_cost_of(t, &cost), ZC_ERROR_OVERFLOW);
    cr_assert_str_eq(zc_error_text(b.ctx), "cost_of: the result of 2305843009213693952 elements of float64 takes more "
                                           "bytes than int64 counts; the shape is (2305843009213693952,)");
    cr_assert_eq(zc_materialize(t, &out), ZC_ERROR_OVERFLOW);
    cr_assert_eq(zc_cost_of(t, NULL), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_materialize(t, NULL), ZC_ERROR_ARGUMENT);
    zc_error_clear(b.ctx);
    zc_tensor *half = zc_broadcast_to(OF(b.ctx, ZC_FLOAT64, 1), ZC_SHAPE(INT64_C(1) << 59)), *sum = NULL;
    for (int i = 0; i < 3; i++) {
        zc_tensor *scanned = zc_cumulative_sum(zc_add(half, zc_weak_int(b.ctx, i)), 0, false);
        sum = sum == NULL ? scanned : zc_add(sum, zc_flip(scanned, ZC_AXES(0)));
    }
    cr_assert_eq(zc_cost_of(sum, &cost), ZC_ERROR_OVERFLOW);
    cr_assert_not_null(
        strstr(zc_error_text(b.ctx), "take more bytes together than int64 counts; the shape is (576460752303423488,)"));
    zc_error_clear(b.ctx);
    zc_tensor *whole = zc_cumulative_sum(t, 0, false);
    cr_assert_eq(zc_cost_of(zc_add(zc_flip(whole, ZC_AXES(0)), whole), &cost), ZC_ERROR_OVERFLOW);
    cr_assert_not_null(strstr(zc_error_text(b.ctx), "the shape is (2305843009213693952,)"), "%s", zc_error_text(b.ctx));
    finish(b);
}

/* The promise: what the ledger says is what the allocator sees. */
Test(cost, predicted_peak_is_the_measured_one)
{
    bench b = begin();
    zc_tensor *i = zc_astype(zc_iota(b.ctx, 700), ZC_FLOAT32);
    zc_tensor *table = zc_exp(zc_negative(zc_square(zc_subtract(zc_expand_dims(i, 1), i))));
    zc_tensor *scaled = zc_divide(table, zc_sum(table, ZC_AXES(1), true));
    zc_tensor *both = zc_add(scaled, zc_matrix_transpose(scaled)), *out = NULL;
    zc_cost cost;
    cr_assert_eq(zc_cost_of(both, &cost), ZC_OK);
    zc_memory_reset_peak(b.ctx);
    int64_t before = zc_memory_usage(b.ctx).held_bytes;
    cr_assert_eq(zc_materialize(both, &out), ZC_OK);
    cr_assert_eq(zc_memory_usage(b.ctx).peak_bytes - before, cost.peak_bytes);
    zc_tensor *fused = zc_add(zc_multiply(i, i), i);
    cr_assert_eq(zc_cost_of(fused, &cost), ZC_OK);
    cr_assert_eq(cost.kept_bytes, 700 * 4, "i was computed before");
    cr_assert_eq(cost.peak_bytes, cost.logical_bytes + cost.kept_bytes);
    finish(b);
}

/* Work that int64 does not count is work like any other: here it is stopped before it begins. */
Test(cost, work_beyond_int64_can_be_stopped)
{
    bench b = begin_with((zc_options){.threads = 2});
    zc_tensor *n = zc_iota(b.ctx, INT64_C(1) << 62), *out = NULL;
    zc_tensor *first = zc_sum(zc_sin(zc_cos(n)), ZC_ALL_AXES, false), *second = zc_max(zc_exp(n), ZC_ALL_AXES, false);
    zc_cancel(b.ctx);
    cr_assert_eq(zc_materialize(zc_add(first, second), &out), ZC_CANCELLED);
    finish(b);
    b = begin_with((zc_options){.executor = ZC_EXECUTOR_REFERENCE});
    n = zc_iota(b.ctx, INT64_C(1) << 62);
    zc_cancel(b.ctx);
    cr_assert_eq(zc_materialize(zc_sum(zc_sin(n), ZC_ALL_AXES, false), &out), ZC_CANCELLED);
    finish(b);
}

/* Windows are told of only where room is left for one. */
Test(limit, without_any_room_no_window_fits)
{
    bench b = begin_with((zc_options){.memory_limit = 1024});
    double values[128] = {0};
    zc_tensor *x = zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(128), values, sizeof values), *out = NULL;
    cr_assert_not_null(x);
    cr_assert_eq(zc_materialize(zc_negative(x), &out), ZC_ERROR_BUDGET);
    cr_assert_not_null(strstr(zc_error_text(b.ctx), "1024 held already, over the limit of 1024; no window"), "%s",
                       zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    zc_release(out);
    finish(b);
    b = begin_with((zc_options){.memory_limit = 4});
    cr_assert_eq(zc_materialize(zc_full(b.ctx, ZC_SHAPE(2, 3), ZC_FLOAT64, 1), &out), ZC_ERROR_BUDGET);
    cr_assert_not_null(strstr(zc_error_text(b.ctx), "no window of it would fit"), "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    cr_assert_eq(zc_materialize(zc_add(zc_iota(b.ctx, 1), zc_weak_int(b.ctx, 1)), &out), ZC_ERROR_BUDGET);
    finish(b);
}

/* A scan goes to where the caller wants it, and a size of memory may be any. */
Test(into, an_offset_and_more_memory_than_int64_counts)
{
    bench b = begin();
    int64_t memory[6] = {-1, -1, -1, -1, -1, -1};
    zc_tensor *sums = zc_cumulative_sum(zc_add(zc_iota(b.ctx, 4), zc_weak_int(b.ctx, 1)), 0, false);
    cr_assert_eq(zc_materialize_into(sums, memory, sizeof memory, NULL, 2), ZC_OK, "%s", zc_error_text(b.ctx));
    static const int64_t wanted[] = {-1, -1, 1, 3, 6, 10};
    cr_assert_eq(memcmp(memory, wanted, sizeof wanted), 0);
    int8_t small[3];
    cr_assert_eq(zc_materialize_into(zc_astype(zc_iota(b.ctx, 3), ZC_INT8), small, SIZE_MAX, NULL, 0), ZC_OK, "%s",
                 zc_error_text(b.ctx));
    cr_assert(small[0] == 0 && small[2] == 2);
    zc_tensor *x = zc_import(b.ctx, ZC_INT64, ZC_SHAPE(6), NULL, 0, memory, sizeof memory, NULL, NULL);
    cr_assert_eq(zc_materialize_into(zc_flip(x, ZC_ALL_AXES), memory, SIZE_MAX, NULL, 0), ZC_OK, "%s",
                 zc_error_text(b.ctx));
    cr_assert(memory[0] == 10 && memory[1] == 6 && memory[4] == -1, "what is read is read before it is written");
    finish(b);
}

/* A loop that reads one number a step makes no plan for it, and nothing stays of the reading. */
Test(into, one_element_that_is_in_memory_is_copied)
{
    zc_context *ctx = zc_context_new(NULL);
    const double numbers[] = {1, 2, 3, 4, 5, 6};
    double target[] = {0, 0, 0};
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2, 3), numbers, sizeof numbers);
    zc_tensor *row = zc_index(zc_flip(x, ZC_AXES(1)), 0, -1), *element = zc_index(row, 0, 2);
    const int64_t before = zc_memory_usage(ctx).held_bytes;
    cr_assert_eq(zc_materialize_into(element, target, sizeof target, NULL, 1), ZC_OK);
    cr_expect_eq(target[0], 0);
    cr_expect_eq(target[1], 4);
    cr_expect_eq(target[2], 0);
    cr_assert_eq(zc_materialize_into(element, target + 2, 3, NULL, 0), ZC_ERROR_ARGUMENT);
    cr_expect_eq(target[2], 0);
    cr_expect_eq(zc_memory_usage(ctx).held_bytes, before);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Bytes of a bool that the program has lent are 0 and 1 wherever they are copied to. */
Test(into, one_bool_is_0_or_1)
{
    static const unsigned char lent[] = {2, 255, 0};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_import(ctx, ZC_BOOL, ZC_SHAPE(3), NULL, 0, lent, sizeof lent, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        unsigned char found = 7;
        cr_assert_eq(zc_materialize_into(zc_index(x, 0, i), &found, 1, NULL, 0), ZC_OK);
        cr_expect_eq(found, lent[i] != 0, "element %d", i);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(into, wrong_targets_are_refused)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(zc_iota(b.ctx, 6), ZC_SHAPE(2, 3));
    int64_t memory[8];
    const int64_t overlapping[] = {1, 1}, repeated[] = {0, 1}, far[] = {100, 1};
    cr_assert_eq(zc_materialize_into(x, memory, sizeof memory, overlapping, 0), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_materialize_into(x, memory, sizeof memory, repeated, 0), ZC_ERROR_ARGUMENT);
    zc_error_clear(b.ctx);
    cr_assert_neq(zc_materialize_into(x, memory, sizeof memory, far, 0), ZC_OK);
    cr_assert_neq(zc_materialize_into(x, memory, 40, NULL, 0), ZC_OK);
    cr_assert_neq(zc_materialize_into(x, memory, sizeof memory, NULL, 3), ZC_OK);
    cr_assert_neq(zc_materialize_into(x, NULL, 48, NULL, 0), ZC_OK);
    cr_assert_neq(zc_materialize_into(x, (char *)memory + 1, 48, NULL, 0), ZC_OK);
    zc_error_clear(b.ctx);
    cr_assert_eq(zc_materialize_into(x, memory, sizeof memory, (const int64_t[]){-3, -1}, 7), ZC_OK);
    for (int i = 0; i < 6; i++)
        cr_assert_eq(memory[7 - i], i);
    finish(b);
}

/* b = b + reversed b, in the memory of b. */
Test(into, a_target_that_is_read_is_written_after_reading)
{
    bench b = begin();
    int64_t memory[1000];
    for (int i = 0; i < 1000; i++)
        memory[i] = i * i;
    zc_tensor *x = zc_import(b.ctx, ZC_INT64, ZC_SHAPE(1000), NULL, 0, memory, sizeof memory, NULL, NULL);
    cr_assert_eq(zc_materialize_into(zc_add(x, zc_flip(x, ZC_ALL_AXES)), memory, sizeof memory, NULL, 0), ZC_OK);
    for (int64_t i = 0; i < 1000; i++)
        cr_assert_eq(memory[i], i * i + (999 - i) * (999 - i));
    finish(b);
}

/* A window of a result that no machine could hold, through every kind of node. */
Test(windows, of_huge_results_compute_only_what_is_seen)
{
    bench b = begin_with((zc_options){.memory_limit = 1 << 20});
    const int64_t n = INT64_C(1000000000);
    zc_tensor *i = zc_iota(b.ctx, n);
    zc_tensor *product = zc_multiply(zc_expand_dims(i, 1), i); /* (n, n) */
    zc_tensor *folded = zc_reshape(zc_broadcast_to(zc_iota(b.ctx, 1000), ZC_SHAPE(n, 1000)), ZC_SHAPE(-1));
    zc_tensor *shared = zc_add(zc_tanh(zc_exp(product)), zc_matrix_transpose(zc_tanh(zc_exp(product))));
    zc_tensor *window = zc_slice(zc_index(product, 0, 999999999), 0, 5, 8, 1);
    cr_assert_eq(integer_at(window, 2), INT64_C(999999999) * 7, "%s", zc_error_text(b.ctx));
    cr_assert_eq(integer_at(zc_slice(folded, 0, 123456999, 123457001, 1), 1), 0, "%s", zc_error_text(b.ctx));
    cr_assert_eq(value_at(zc_index(zc_index(shared, 0, 0), 0, 0), 0), 2 * tanh(1.0));
    zc_tensor *rows = zc_sum(zc_slice(product, 1, 0, 1000, 1), ZC_AXES(1), false); /* (n) */
    cr_assert_eq(integer_at(zc_slice(rows, 0, -2, ZC_NONE, 1), 1), (n - 1) * 499500, "%s", zc_error_text(b.ctx));
    zc_cost cost;
    cr_assert_eq(zc_cost_of(zc_max(zc_exp(product), ZC_ALL_AXES, false), &cost), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_eq(cost.work, INT64_MAX, "work saturates");
    cr_assert_eq(zc_cost_of(zc_sum(zc_iota(b.ctx, INT64_C(1) << 40), ZC_ALL_AXES, false), &cost), ZC_OK);
    cr_expect_eq(cost.work, (INT64_C(1) << 40) + 1, "what is made from nothing is counted");
    zc_tensor *late = zc_add(rows, i);
    cr_assert_eq(integer_at(zc_flip(zc_slice(late, 0, 10, 20, 3), ZC_ALL_AXES), 0), 19 * 499500 + 19);
    finish(b);
}

/* ---- Long graphs ---- */

Test(graphs, long_chains_and_diamonds_with_a_million_million_paths_are_computed)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    double one = 1;
    zc_tensor *t = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(1), &one, sizeof one), *step = zc_weak_float(ctx, 1),
              *out = NULL;
    for (int i = 0; i < 100000; i++) {
        zc_tensor *next = zc_add(t, step);
        zc_release(t);
        t = next;
    }
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(((const double *)zc_data(out))[0], 100001);
    zc_release(out);
    zc_release(t);
    t = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2, 2), (const double[]){1, 2, 3, 4}, 32);
    for (int i = 0; i < 40; i++) {
        zc_tensor *flipped = zc_matrix_transpose(t), *sum = zc_add(t, flipped), *next = zc_multiply(sum, step);
        zc_release(sum);
        zc_release(flipped);
        zc_release(t);
        t = next;
    }
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(((const double *)zc_data(out))[0], ldexp(1, 40));
    cr_assert_eq(((const double *)zc_data(out))[1], ldexp(5, 39));
    zc_release(out);
    zc_release(t);
    zc_release(step);
    zc_context_free(ctx);
}

/* ---- Threads ---- */

enum { THREADS = 4, ROUNDS = 200 };

typedef struct shared_work {
    zc_tensor *node; /* materialised by all threads at once */
    const void *data[THREADS];
    double sum[THREADS];
    int number;
} shared_work;

typedef struct thread_argument {
    shared_work *work;
    int index;
} thread_argument;

static void *materialize_shared(void *user)
{
    thread_argument *argument = user;
    shared_work *work = argument->work;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *mine = zc_adopt(ctx, work->node), *out = NULL;
    if (zc_materialize(mine, &out) == ZC_OK)
        work->data[argument->index] = zc_data(out);
    work->sum[argument->index] = value_at(zc_sum(zc_add(mine, mine), ZC_ALL_AXES, false), 0);
    zc_scope_end(scope);
    zc_context_free(ctx);
    return NULL;
}

Test(threads, one_node_materialised_by_many_is_computed_once)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (int round = 0; round < ROUNDS; round++) {
        zc_tensor *i = zc_iota(ctx, 1000);
        shared_work work = {.node = zc_square(i)};
        zc_release(i);
        thread_argument arguments[THREADS];
        pthread_t threads[THREADS];
        for (int t = 0; t < THREADS; t++) {
            arguments[t] = (thread_argument){&work, t};
            cr_assert_eq(pthread_create(&threads[t], NULL, materialize_shared, &arguments[t]), 0);
        }
        for (int t = 0; t < THREADS; t++)
            (void)pthread_join(threads[t], NULL);
        for (int t = 0; t < THREADS; t++) {
            cr_assert_not_null(work.data[t]);
            cr_assert_eq(work.data[t], work.data[0]);
            cr_assert_eq(work.sum[t], 2.0 * 332833500);
        }
        zc_release(work.node);
    }
    zc_context_free(ctx);
}

/* A tensor without elements takes no memory, so it is in nobody's way. */
Test(limit, empty_tensors_count_nothing)
{
    bench b = begin_with((zc_options){.memory_limit = 8});
    zc_tensor *empty = zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(0), NULL, 0), *out = NULL;
    cr_assert_eq(zc_materialize(zc_add(empty, empty), &out), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_assert_not_null(zc_data(out));
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes, 0);
    cr_assert_eq(zc_materialize_into(empty, NULL, 0, NULL, 0), ZC_OK);
    double one = 1;
    cr_assert_not_null(zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(1), &one, sizeof one), "%s", zc_error_text(b.ctx));
    finish(b);
}

/* Results that go past the caches, to where no vector begins. */
Test(into, large_targets_may_begin_anywhere)
{
    enum { COUNT = 3 << 20 };
    float *memory = malloc((COUNT + 1) * sizeof *memory);
    cr_assert_not_null(memory);
    for (int64_t offset = 0; offset < 2; offset++) {
        bench b = begin_with((zc_options){.threads = 1});
        zc_tensor *n = zc_astype(zc_iota(b.ctx, COUNT), ZC_FLOAT32), *x = NULL;
        cr_assert_eq(zc_materialize(n, &x), ZC_OK);
        zc_tensor *t = zc_add(zc_multiply(x, zc_weak_int(b.ctx, 2)), zc_weak_int(b.ctx, 1));
        cr_assert_eq(zc_materialize_into(t, memory, (COUNT + 1) * sizeof *memory, NULL, offset), ZC_OK);
        int64_t wrong = 0;
        for (int64_t i = 0; i < COUNT; i++)
            wrong += memory[i + offset] != 2 * (float)i + 1;
        cr_expect_eq(wrong, 0, "from element %ld", (long)offset);
        zc_release(x);
        finish(b);
    }
    free(memory);
}

/* The same of rows of one element each, and of no more than an addition. */
Test(into, large_broadcasts_may_begin_anywhere)
{
    enum { ROWS = 301, COLUMNS = 29001, COUNT = ROWS * COLUMNS };
    float *memory = malloc((COUNT + 1) * sizeof *memory);
    cr_assert_not_null(memory);
    for (int64_t offset = 0; offset < 2; offset++) {
        bench b = begin_with((zc_options){.threads = 1});
        zc_tensor *n = zc_astype(zc_iota(b.ctx, ROWS), ZC_FLOAT32), *x = NULL;
        cr_assert_eq(zc_materialize(n, &x), ZC_OK);
        zc_tensor *rows = zc_broadcast_to(zc_expand_dims(x, 1), ZC_SHAPE(ROWS, COLUMNS));
        for (int sum = 0; sum < 2; sum++) {
            zc_tensor *t = sum != 0 ? zc_add(rows, rows) : rows;
            cr_assert_eq(zc_materialize_into(t, memory, (COUNT + 1) * sizeof *memory, NULL, offset), ZC_OK);
            int64_t wrong = 0;
            for (int64_t i = 0; i < COUNT; i++)
                wrong += memory[i + offset] != (float)((1 + sum) * (i / COLUMNS));
            cr_expect_eq(wrong, 0, "from element %ld", (long)offset);
        }
        zc_release(x);
        finish(b);
    }
    free(memory);
}
