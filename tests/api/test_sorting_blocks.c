/* Sorting what is still to be computed, in blocks of lines: values, memory, limits, and stops between the blocks. */
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"

/* Element i of the operand: 9,973 numbers, each of them several times. */
static int64_t number_at(int64_t i)
{
    return i * 40503 % 9973;
}

static zc_tensor *numbers(zc_context *ctx, zc_dtype dtype, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    zc_tensor *mixed = zc_remainder(zc_multiply(zc_iota(ctx, size), zc_weak_int(ctx, 40503)), zc_weak_int(ctx, 9973));
    return zc_reshape(zc_astype(mixed, dtype), rank, shape);
}

/* ---- Values ---- */

/* The k-th line along an axis: its first element, and the distance of its elements, in a row-major array. */
static int64_t line_of(const int64_t *shape, int rank, int axis, int64_t k, int64_t *distance)
{
    *distance = 1;
    for (int a = axis + 1; a < rank; a++)
        *distance *= shape[a];
    return k / *distance * *distance * shape[axis] + k % *distance;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts places of a line by their numbers, then by themselves, and compares with what is stored. */
static void check_line(const int64_t *shape, int rank, int axis, int64_t k, const int32_t *values, const int64_t *order)
{
    enum { MOST = 4096, PLACES = 1 << 16 };
    static int64_t keys[MOST];
    int64_t distance;
    const int64_t first = line_of(shape, rank, axis, k, &distance);
    for (int64_t i = 0; i < shape[axis]; i++)
        keys[i] = number_at(first + i * distance) * PLACES + i;
    qsort(keys, (size_t)shape[axis], sizeof *keys, compare);
    for (int64_t i = 0; i < shape[axis]; i++) {
        cr_assert_eq(values[first + i * distance], keys[i] / PLACES, "line %ld, element %ld", (long)k, (long)i);
        cr_assert_eq(order[first + i * distance], keys[i] % PLACES, "line %ld, element %ld", (long)k, (long)i);
    }
}

static const struct {
    int rank, axis;
    int64_t shape[3];
} operands[] = {{2, 1, {3001, 503}}, {2, 0, {503, 3001}}, {3, 1, {3, 701, 811}}, {3, 2, {2, 1201, 907}}};

Test(sorting_blocks, have_the_values_of_each_line)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
            bench b = begin_with((zc_options){.threads = threads});
            const int64_t *shape = operands[i].shape;
            const int rank = operands[i].rank, axis = operands[i].axis;
            zc_tensor *x = numbers(b.ctx, ZC_INT32, rank, shape), *values, *order;
            cr_assert_eq(zc_sort(x, axis, false, &values), ZC_OK, "%s", zc_error_text(b.ctx));
            cr_assert_eq(zc_argsort(x, axis, false, &order), ZC_OK, "%s", zc_error_text(b.ctx));
            for (int64_t k = 0; k < zc_size(x) / shape[axis]; k += 7)
                check_line(shape, rank, axis, k, zc_data(values), zc_data(order));
            finish(b);
        }
    }
}

Test(sorting_blocks, of_best_elements_and_of_quantiles)
{
    enum { ROWS = 3000, WIDTH = 501, BEST = 140 };
    bench b = begin();
    zc_tensor *x = numbers(b.ctx, ZC_FLOAT64, 2, LENGTHS(ROWS, WIDTH)), *values, *order, *sorted, *middle, *along;
    cr_assert_eq(zc_top_k(x, BEST, 1, false, &values, &order), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_assert_eq(zc_median(x, ZC_AXES(1), false, false, &middle), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_assert_eq(zc_median(zc_matrix_transpose(x), ZC_AXES(0), true, true, &along), ZC_OK);
    cr_assert_eq(zc_sort(x, 1, false, &sorted), ZC_OK);
    const double *best = zc_data(values), *all = zc_data(sorted), *medians = zc_data(middle);
    const int64_t *places = zc_data(order);
    for (int64_t r = 0; r < ROWS; r++) {
        cr_assert_eq(memcmp(best + r * BEST, all + r * WIDTH, BEST * sizeof *best), 0, "row %ld", (long)r);
        cr_assert_eq(medians[r], all[r * WIDTH + WIDTH / 2], "row %ld", (long)r);
        for (int i = 0; i < BEST; i++)
            cr_assert_eq((double)number_at(r * WIDTH + places[r * BEST + i]), best[r * BEST + i], "row %ld", (long)r);
    }
    cr_assert_eq(memcmp(medians, zc_data(along), ROWS * sizeof *medians), 0);
    finish(b);
}

/* ---- Memory ---- */

enum { BLOCK = 4 << 20, ROWS_OF_ALL = 4000, WIDTH_OF_ALL = 1024, BYTES_OF_ALL = ROWS_OF_ALL * WIDTH_OF_ALL * 4 };

static int64_t peak_of_sort(zc_context *ctx, const zc_tensor *x, zc_status wanted)
{
    zc_tensor *sorted;
    zc_memory_reset_peak(ctx);
    const int64_t before = zc_memory_usage(ctx).held_bytes;
    cr_expect_eq(zc_sort(x, 1, false, &sorted), wanted, "%s", zc_error_text(ctx));
    zc_release(sorted);
    return zc_memory_usage(ctx).peak_bytes - before;
}

Test(sorting_blocks, take_memory_for_one_block)
{
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1});
    const zc_tensor *x = numbers(b.ctx, ZC_INT32, 2, LENGTHS(ROWS_OF_ALL, WIDTH_OF_ALL));
    zc_tensor *middle;
    const int64_t peak = peak_of_sort(b.ctx, x, ZC_OK);
    cr_expect_leq(peak, (int64_t)BYTES_OF_ALL + BLOCK + (64 << 10), "%ld", (long)peak);
    zc_memory_reset_peak(b.ctx);
    cr_assert_eq(
        zc_median(numbers(b.ctx, ZC_INT32, 2, LENGTHS(ROWS_OF_ALL, WIDTH_OF_ALL)), ZC_AXES(1), false, false, &middle),
        ZC_OK);
    cr_expect_leq(zc_memory_usage(b.ctx).peak_bytes, (int64_t)3 * BLOCK);
    finish(b);
}

/* An operand that is sorted again and again is computed as a whole and kept, as by other calls. */
Test(sorting_blocks, of_what_is_sorted_again_are_kept)
{
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1});
    const zc_tensor *x = numbers(b.ctx, ZC_INT32, 2, LENGTHS(ROWS_OF_ALL, WIDTH_OF_ALL));
    const zc_tensor *root = zc_sqrt(zc_astype(x, ZC_FLOAT64)), *more = zc_add(root, zc_weak_int(b.ctx, 1));
    (void)peak_of_sort(b.ctx, more, ZC_OK);
    cr_expect(!zc_is_view(root) && !zc_is_view(more));
    for (int i = 0; i < 2; i++)
        (void)peak_of_sort(b.ctx, more, ZC_OK);
    cr_expect(zc_is_view(more));
    for (int i = 0; i < 3; i++)
        (void)peak_of_sort(b.ctx, zc_multiply(root, zc_weak_int(b.ctx, i)), ZC_OK);
    cr_expect(zc_is_view(root));
    finish(b);
}

/* Running sums, of which a block of rows takes all rows before, are not added up once per block. */
Test(sorting_blocks, are_not_computed_where_each_takes_most_of_the_work)
{
    bench b = begin_with((zc_options){.threads = 1});
    const zc_tensor *x = numbers(b.ctx, ZC_FLOAT32, 2, LENGTHS(ROWS_OF_ALL, WIDTH_OF_ALL));
    const zc_tensor *sums = zc_cumulative_sum(x, 0, false);
    cr_expect_geq(peak_of_sort(b.ctx, sums, ZC_OK), (int64_t)2 * BYTES_OF_ALL);
    finish(b);
}

Test(sorting_blocks, are_shorter_below_a_limit)
{
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = BYTES_OF_ALL + (1 << 20)});
    const zc_tensor *x = numbers(b.ctx, ZC_INT32, 2, LENGTHS(ROWS_OF_ALL, WIDTH_OF_ALL));
    const int64_t peak = peak_of_sort(b.ctx, x, ZC_OK);
    cr_expect_leq(peak, (int64_t)BYTES_OF_ALL + (1 << 20));
    cr_expect_geq(peak, (int64_t)BYTES_OF_ALL + (1 << 18));
    finish(b);
}

Test(sorting_blocks, that_do_not_fit_name_a_window_that_does)
{
    zc_skip_of_one_thread();
    for (int exists = 0; exists < 2; exists++) {
        const int64_t held = exists ? BYTES_OF_ALL : 0;
        bench b = begin_with((zc_options){.threads = 1, .memory_limit = held + BYTES_OF_ALL / 2});
        zc_tensor *x = numbers(b.ctx, ZC_INT32, 2, LENGTHS(ROWS_OF_ALL, WIDTH_OF_ALL)), *sorted;
        if (exists) {
            int32_t *memory = calloc(BYTES_OF_ALL / 4, sizeof *memory);
            x = zc_from_data(b.ctx, ZC_INT32, 2, LENGTHS(ROWS_OF_ALL, WIDTH_OF_ALL), memory, BYTES_OF_ALL);
            free(memory);
        }
        zc_budget budget;
        cr_assert_eq(zc_sort(x, 1, false, &sorted), ZC_ERROR_BUDGET);
        cr_assert(zc_error_budget(b.ctx, &budget));
        cr_assert_not_null(strstr(zc_error_text(b.ctx), "; a window of "), "%s", zc_error_text(b.ctx));
        cr_expect(budget.window_axis == 0 && budget.window_count > ROWS_OF_ALL / 3, "%ld", (long)budget.window_count);
        zc_error_clear(b.ctx);
        (void)peak_of_sort(b.ctx, zc_slice(x, 0, 0, budget.window_count, 1), ZC_OK);
        cr_assert_eq(zc_sort(zc_slice(x, 0, 0, budget.window_count + 60, 1), 1, false, &sorted), ZC_ERROR_BUDGET);
        zc_error_clear(b.ctx);
        cr_assert_eq(zc_sort(zc_reshape(x, ZC_SHAPE(-1)), 0, false, &sorted), ZC_ERROR_BUDGET);
        cr_expect_null(strstr(zc_error_text(b.ctx), "window"), "%s", zc_error_text(b.ctx));
        finish(b);
    }
}

/* ---- Stops ---- */

static bool stop_at(void *user, int64_t done, int64_t of)
{
    (void)done;
    (void)of;
    return --*(int *)user != 0;
}

Test(sorting_blocks, stop_between_and_within)
{
    int call = 0, left = 0;
    do {
        bench b = begin_with((zc_options){.threads = 1});
        const zc_tensor *x = numbers(b.ctx, ZC_INT32, 2, LENGTHS(ROWS_OF_ALL, WIDTH_OF_ALL));
        zc_tensor *sorted, *middle;
        left = ++call;
        zc_set_progress(b.ctx, stop_at, &left);
        zc_status status = zc_argsort(x, 1, false, &sorted);
        if (status == ZC_OK)
            status = zc_median(x, ZC_AXES(1), false, false, &middle);
        zc_set_progress(b.ctx, NULL, NULL);
        cr_expect_eq(status, left <= 0 ? ZC_CANCELLED : ZC_OK, "report %d", call);
        zc_error_clear(b.ctx);
        if (status != ZC_OK && sorted == NULL)
            cr_expect_eq(zc_memory_usage(b.ctx).held_bytes, 0, "report %d", call);
        finish(b);
        call += call / 4;
    } while (left <= 0);
    cr_expect_gt(call, 8);
}

Test(sorting_blocks, failing_allocations_leave_nothing)
{
    enum { ROWS = 1200, WIDTH = 1000 };
    zc_skip_of_one_thread();
    zc_failing state = {0};
    const zc_allocator allocator = zc_failing_allocator(&state);
    bool is_done = false;
    for (int64_t k = 1; !is_done; k++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .allocator = &allocator});
        zc_scope *scope = zc_scope_begin(ctx);
        const zc_tensor *x = numbers(ctx, ZC_INT32, 2, LENGTHS(ROWS, WIDTH));
        zc_tensor *sorted = NULL, *middle = NULL;
        state.fail_at = state.calls + k;
        zc_status status = zc_sort(x, 1, false, &sorted);
        if (status == ZC_OK)
            status = zc_median(x, ZC_AXES(1), false, false, &middle);
        is_done = state.calls < state.fail_at;
        state.fail_at = 0;
        cr_expect(is_done ? status == ZC_OK : status == ZC_OK || status == ZC_ERROR_MEMORY, "allocation %ld", (long)k);
        cr_expect((sorted != NULL && middle != NULL) || status != ZC_OK);
        zc_failing_count();
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_assert_eq(state.blocks, 0, "allocation %ld", (long)k);
        k += zc_test_stride() - 1;
    }
    cr_expect_eq(state.faults, 0);
}

/* ---- Gradients ---- */

Test(sorting_blocks, remember_what_they_are_made_of)
{
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1});
    zc_tensor *x = result_of(numbers(b.ctx, ZC_FLOAT64, 2, LENGTHS(20000, 100))), *middle, *sorted, *g;
    const zc_tensor *w = result_of(numbers(b.ctx, ZC_FLOAT64, 1, LENGTHS(100)));
    cr_assert_eq(zc_median(x, ZC_AXES(1), false, false, &middle), ZC_OK);
    cr_expect_null(zc_grad(zc_add(sum_of_all(middle), sum_of_all(x)), x), "the median's part would be cut");
    cr_expect_not_null(strstr(zc_error_text(b.ctx), "have forgotten it"), "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    (void)value_at(sum_of_all(w), 0); /* so that w is a source of something */
    const zc_tensor *root = zc_sqrt(numbers(b.ctx, ZC_FLOAT32, 2, LENGTHS(30000, 1000)));
    cr_assert_eq(zc_sort(root, 1, false, &sorted), ZC_OK);
    g = zc_grad(zc_multiply(sum_of_all(sorted), sum_of_all(w)), w);
    cr_expect_not_null(g, "which nothing was sorted of: %s", zc_error_text(b.ctx));
    finish(b);
}

Test(sorting_blocks, of_quantiles_let_gradients_pass_to_a_variable)
{
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1});
    zc_tensor *x = result_of(numbers(b.ctx, ZC_FLOAT64, 2, LENGTHS(20000, 100))), *found;
    zc_tensor *q = zc_variable(OF(b.ctx, ZC_FLOAT64, 0.25));
    cr_assert_eq(zc_quantile(x, q, ZC_AXES(1), false, false, &found), ZC_OK);
    const zc_tensor *g = zc_grad(sum_of_all(found), q);
    cr_assert_not_null(g, "%s", zc_error_text(b.ctx));
    cr_expect_gt(value_at(g, 0), 1e6); /* more of all rows for a larger q */
    finish(b);
}

/* ---- Short memory ---- */

Test(sorting_blocks, of_inner_axes_and_of_quantiles_fit_below_a_limit)
{
    enum { BYTES = 10 * 1000 * 1000 * 4 };
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = BYTES + (1 << 20)});
    zc_tensor *sorted, *middle;
    cr_expect_eq(zc_sort(numbers(b.ctx, ZC_FLOAT32, 3, LENGTHS(10, 1000, 1000)), 2, false, &sorted), ZC_OK, "%s",
                 zc_error_text(b.ctx));
    zc_release(sorted);
    finish(b);
    for (int64_t limit = 1 << 18; limit <= 16 << 20; limit *= 4) {
        b = begin_with((zc_options){.threads = 1, .memory_limit = limit});
        cr_expect_eq(zc_median(numbers(b.ctx, ZC_FLOAT32, 2, LENGTHS(9000, 1000)), ZC_AXES(1), false, false, &middle),
                     ZC_OK, "%s", zc_error_text(b.ctx));
        finish(b);
    }
}

Test(sorting_blocks, of_quantiles_whose_result_does_not_fit_are_refused)
{
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = 1 << 20});
    zc_tensor *middle;
    cr_assert_eq(zc_median(numbers(b.ctx, ZC_INT32, 2, LENGTHS(1 << 19, 3)), ZC_AXES(1), false, false, &middle),
                 ZC_ERROR_BUDGET);
    cr_expect_null(middle);
    zc_error_clear(b.ctx);
    finish(b);
}

/* A product that several sorts read by rows is computed and kept at the second one. */
Test(sorting_blocks, keep_what_little_they_read)
{
    zc_skip_of_one_thread();
    bench b = begin_with((zc_options){.threads = 1});
    const zc_tensor *left = numbers(b.ctx, ZC_FLOAT32, 2, LENGTHS(1000, 64));
    const zc_tensor *n = zc_matmul(left, zc_matrix_transpose(left));
    for (int i = 1; i < 4; i++) {
        zc_tensor *sorted;
        cr_assert_eq(zc_sort(zc_multiply(zc_astype(n, ZC_FLOAT64), zc_weak_int(b.ctx, i)), 1, false, &sorted), ZC_OK);
        zc_release(sorted);
    }
    cr_expect(zc_is_view(n));
    finish(b);
}
