/*
 * What is recorded beside what a loop reads, and is read at the end or never: it holds the data of some steps, and has
 * the bits that it would have.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"

enum { LONG = 1 << 17, READ_STEPS = 60 };

/* Tensor beside the residual of a step: the next of `x`, or one more to be read at the end. */
typedef zc_tensor *beside(const zc_tensor *x, const zc_tensor *residual);

static zc_tensor *sum_of_both(const zc_tensor *x, const zc_tensor *residual)
{
    return zc_add(x, zc_multiply(residual, zc_weak_float(zc_context_of(x), 0.25)));
}

static zc_tensor *least_of_both(const zc_tensor *x, const zc_tensor *residual)
{
    return zc_minimum(x, residual);
}

static zc_tensor *largest(const zc_tensor *x, const zc_tensor *residual)
{
    (void)x;
    return zc_max(residual, ZC_ALL_AXES, false);
}

static zc_tensor *norm(const zc_tensor *x, const zc_tensor *residual)
{
    (void)x;
    return zc_sqrt(zc_sum(zc_square(residual), ZC_ALL_AXES, false));
}

static zc_tensor *first_two(const zc_tensor *x, const zc_tensor *residual)
{
    (void)x;
    return zc_copy(zc_slice(residual, 0, 0, 2, 1));
}

static double number_of(const zc_tensor *t)
{
    return value_at(t, 0);
}

/* The sum of all that was recorded; *held: the most bytes after a step. */
static double run_beside(beside *record, bool accumulates, bool recompute, int64_t *held)
{
    bench b = begin_with((zc_options){.threads = 1, .recompute = recompute});
    zc_tensor *residual = NULL, *all[READ_STEPS] = {NULL};
    zc_scope *first = zc_scope_begin(b.ctx);
    zc_tensor *numbers = zc_divide(zc_astype(zc_iota(b.ctx, LONG), ZC_FLOAT64), zc_weak_float(b.ctx, LONG));
    cr_assert_eq(zc_materialize(numbers, &residual), ZC_OK);
    (void)zc_keep(residual);
    zc_scope_end(first);
    zc_tensor *x = zc_retain(residual);
    *held = 0;
    for (int i = 0; i < READ_STEPS; i++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *next = zc_keep(zc_add(zc_multiply(residual, zc_weak_float(b.ctx, 0.5)), zc_weak_float(b.ctx, i)));
        zc_release(residual);
        residual = next;
        const zc_tensor *read = zc_sum(residual, ZC_ALL_AXES, false);
        const zc_cost cost = cost_of(read);
        const int64_t before = zc_memory_usage(b.ctx).held_bytes;
        zc_memory_reset_peak(b.ctx);
        (void)number_of(read);
        cr_expect_eq(zc_memory_usage(b.ctx).peak_bytes - before, cost.peak_bytes, "step %d", i);
        zc_tensor *made = zc_keep(record(x, residual));
        if (accumulates) {
            zc_release(x);
            x = made;
        } else {
            all[i] = made;
        }
        zc_scope_end(scope);
        *held = zc_memory_usage(b.ctx).held_bytes > *held ? zc_memory_usage(b.ctx).held_bytes : *held;
    }
    double sum = number_of(zc_sum(x, ZC_ALL_AXES, false));
    for (int i = 0; i < READ_STEPS && !accumulates; i++) {
        sum += number_of(zc_sum(all[i], ZC_ALL_AXES, false));
        zc_release(all[i]);
    }
    zc_release(x);
    zc_release(residual);
    finish(b);
    return sum;
}

/* Its data is that of some steps, not of all of them, and it has the same bits. */
Test(pending, what_is_not_read_does_not_hold_all_steps)
{
    zc_skip_of_one_thread();
    enum { MOST = 20 * LONG * 8 };
    beside *const kinds[] = {sum_of_both, least_of_both, largest, norm, first_two};
    const int stride = zc_test_long_step(2);
    for (int i = 0; i < 5; i += stride) {
        int64_t held, held_again;
        const double sum = run_beside(kinds[i], i < 2, false, &held);
        const double wanted = run_beside(kinds[i], i < 2, true, &held_again);
        cr_expect_leq(held, MOST, "kind %d holds %lld bytes", i, (long long)held);
        cr_expect_eq(memcmp(&sum, &wanted, sizeof sum), 0, "kind %d: %g, not %g", i, sum, wanted);
    }
}

enum { MANY = 1 << 21, ROWS = 10 };

/* Numbers in 16 MiB of memory without a handle. */
static zc_tensor *many_numbers(zc_context *ctx)
{
    zc_tensor *data = NULL, *x = zc_astype(zc_iota(ctx, MANY), ZC_FLOAT64);
    cr_assert_eq(zc_materialize(x, &data), ZC_OK);
    zc_release(data);
    return x;
}

/* Tensors that would take more memory than they free are not computed. */
Test(pending, what_is_larger_than_what_it_holds_is_left)
{
    bench b = begin_with((zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(b.ctx);
    zc_tensor *x = many_numbers(b.ctx);
    zc_tensor *rows = zc_reshape(zc_slice(x, 0, 0, ROWS, 1), ZC_SHAPE(ROWS, 1));
    zc_tensor *differences = zc_keep(zc_subtract(x, rows));
    zc_scope_end(scope);
    scope = zc_scope_begin(b.ctx);
    cr_expect_eq(number_of(zc_add(count_to(b, ZC_SHAPE(1)), zc_weak_float(b.ctx, 1))), 1);
    zc_scope_end(scope);
    cr_expect_leq(zc_memory_usage(b.ctx).peak_bytes, MANY * 8 + 4096);
    zc_release(differences);
    finish(b);
}

/* A call that has nothing to compute leaves what is due, and its cost says so. */
Test(pending, what_is_there_costs_nothing)
{
    bench b = begin_with((zc_options){.threads = 1});
    zc_tensor *there = NULL;
    zc_scope *scope = zc_scope_begin(b.ctx);
    cr_assert_eq(zc_materialize(zc_astype(zc_iota(b.ctx, ROWS), ZC_FLOAT64), &there), ZC_OK);
    (void)zc_keep(there);
    zc_tensor *sum = zc_keep(zc_sum(many_numbers(b.ctx), ZC_ALL_AXES, false));
    zc_scope_end(scope);
    cr_expect_gt(cost_of(zc_slice(there, 0, 0, ROWS, 2)).kept_bytes, 0);
    cr_expect_eq(cost_of(there).peak_bytes, 0);
    cr_expect_eq(cost_of(there).kept_bytes, 0);
    zc_release(sum);
    zc_release(there);
    finish(b);
}

/* Many maps of one vector hold it together: to store them all would take more than that. */
Test(pending, what_is_held_by_many_is_left)
{
    enum { MAPS = 40, SIZE = 3 << 19 };
    bench b = begin_with((zc_options){.threads = 1});
    zc_tensor *maps[MAPS], *out = NULL;
    zc_scope *scope = zc_scope_begin(b.ctx);
    zc_tensor *x = zc_astype(zc_iota(b.ctx, SIZE), ZC_FLOAT64);
    cr_assert_eq(zc_materialize(x, &out), ZC_OK);
    for (int i = 0; i < MAPS; i++)
        maps[i] = zc_keep(zc_add(x, zc_weak_float(b.ctx, i)));
    zc_scope_end(scope);
    cr_expect_eq(number_of(zc_add(values_of(b.ctx, ZC_FLOAT64, 1, (const double[]){1}), zc_weak_float(b.ctx, 1))), 2);
    cr_expect_leq(zc_memory_usage(b.ctx).held_bytes, (int64_t)SIZE * 8 + 64);
    for (int i = 0; i < MAPS; i++)
        zc_release(maps[i]);
    finish(b);
}

/* A due node may be asked for, and may be an update that takes its memory over. */
Test(pending, what_is_due_may_be_asked_for)
{
    enum { SIZE = 5 << 18 };
    bench b = begin_with((zc_options){.threads = 1});
    for (int updates = 0; updates < 2; updates++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *x = zc_astype(zc_iota(b.ctx, SIZE), ZC_FLOAT64), *out = NULL;
        cr_assert_eq(zc_materialize(x, &out), ZC_OK);
        zc_tensor *pending = updates == 0 ? zc_max(x, ZC_ALL_AXES, false)
                                          : zc_update(x, zc_slice(zc_places(x), 0, 3, 4, 1),
                                                      zc_astype(zc_weak_float(b.ctx, 7), ZC_FLOAT64), ZC_UPDATE_SET);
        (void)zc_keep_outside(pending);
        zc_scope_end(scope);
        const zc_tensor *read = updates == 0 ? pending : zc_slice(pending, 0, 3, 4, 1);
        cr_expect_eq(number_of(read), updates == 0 ? SIZE - 1 : 7);
        cr_expect_leq(zc_memory_usage(b.ctx).held_bytes, (int64_t)SIZE * 8 + 64);
    }
    finish(b);
}

/* Steps that read a single element, which takes no plan, hold no more. */
Test(pending, elements_that_are_read_let_it_be_computed)
{
    enum { STEPS = 40, SIZE = 1 << 17 };
    bench b = begin_with((zc_options){.threads = 1});
    zc_tensor *sums[STEPS];
    zc_tensor *small = values_of(b.ctx, ZC_FLOAT64, 3, (const double[]){1, 2, 3});
    double *numbers = calloc(SIZE, sizeof *numbers), read = 0;
    cr_assert_not_null(numbers);
    for (int i = 0; i < STEPS; i++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *large = zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(SIZE), numbers, SIZE * sizeof *numbers);
        sums[i] = zc_keep(zc_sum(zc_square(large), ZC_ALL_AXES, false));
        const zc_tensor *element = zc_multiply(zc_index(small, 0, i % 3), zc_weak_float(b.ctx, 2));
        if (i % 2 == 0)
            cr_assert_eq(zc_materialize_into(element, &read, sizeof read, NULL, 0), ZC_OK);
        else
            read = value_at(element, 0);
        cr_expect_eq(read, 2 * (i % 3 + 1));
        zc_scope_end(scope);
        cr_expect_lt(zc_memory_usage(b.ctx).held_bytes, 20 << 20, "step %d", i);
    }
    for (int i = 0; i < STEPS; i++)
        zc_release(sums[i]);
    free(numbers);
    finish(b);
}

/* ---- Loops that compute nothing ---- */

/* Number of draws of so many numbers each. */
static int draws_of(int64_t size)
{
    return size > 10000 ? 500 : size > 100 ? 6000 : 20000;
}

/* Records something of the numbers that a loop draws: the next total. */
typedef zc_tensor *drawn(const zc_tensor *total, const zc_tensor *sample);

static zc_tensor *add_mean(const zc_tensor *total, const zc_tensor *sample)
{
    return zc_add(total, zc_mean(sample, ZC_ALL_AXES, false));
}

static zc_tensor *keep_largest(const zc_tensor *total, const zc_tensor *sample)
{
    return zc_maximum(total, zc_max(zc_multiply(sample, sample), ZC_ALL_AXES, false));
}

static zc_tensor *average(const zc_tensor *total, const zc_tensor *sample)
{
    zc_context *ctx = zc_context_of(total);
    return zc_add(zc_multiply(total, zc_weak_float(ctx, 0.75)), zc_multiply(sample, zc_weak_float(ctx, 0.25)));
}

/* The total of all draws, of `size` numbers each; *held, *nodes: the most after a step. */
static double run_draws(drawn *record, int64_t size, bool computes, int64_t *held, int64_t *nodes)
{
    bench b = begin_with((zc_options){.threads = 1});
    double *numbers = malloc((size_t)size * sizeof *numbers);
    cr_assert_not_null(numbers);
    zc_tensor *total = count_to(b, ZC_SHAPE(1));
    *held = *nodes = 0;
    for (int draw = 0; draw < draws_of(size); draw++) {
        for (int64_t i = 0; i < size; i++)
            numbers[i] = (double)((draw * 7919 + i * 104729) % 1000);
        zc_scope *scope = zc_scope_begin(b.ctx);
        const zc_tensor *sample =
            zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(size), numbers, (size_t)size * sizeof *numbers);
        zc_tensor *next = zc_keep(record(total, sample));
        zc_scope_end(scope);
        zc_release(total);
        total = next;
        if (computes)
            cr_assert_eq(zc_compute_pending(b.ctx), ZC_OK);
        const zc_memory memory = zc_memory_usage(b.ctx);
        *held = memory.held_bytes > *held ? memory.held_bytes : *held;
        *nodes = memory.nodes > *nodes ? memory.nodes : *nodes;
    }
    zc_tensor *sum = zc_sum(total, ZC_ALL_AXES, false);
    const double value = number_of(sum);
    zc_release(sum);
    zc_release(total);
    free(numbers);
    finish(b);
    return value;
}

/* Its data and its nodes are those of some steps, and the bits those that it would have. */
Test(pending, what_is_drawn_is_not_held)
{
    enum { MOST_BYTES = 32 << 20, MOST_NODES = 60000 };
    zc_skip_of_one_thread();
    drawn *const kinds[] = {add_mean, keep_largest, average};
    static const int64_t sizes[] = {8, 1000, 20000};
    for (int i = 0; i < 9; i += zc_test_long_step(4)) {
        int64_t held, nodes, held_alone, nodes_alone;
        const double value = run_draws(kinds[i / 3], sizes[i % 3], true, &held, &nodes);
        cr_expect_leq(held, MOST_BYTES, "kind %d holds %lld bytes", i, (long long)held);
        cr_expect_leq(nodes, MOST_NODES, "kind %d holds %lld nodes", i, (long long)nodes);
        if (sizes[i % 3] == 20000)
            continue;
        const double wanted = run_draws(kinds[i / 3], sizes[i % 3], false, &held_alone, &nodes_alone);
        cr_expect_eq(memcmp(&value, &wanted, sizeof value), 0, "kind %d: %g, not %g", i, value, wanted);
        cr_expect_gt(nodes_alone, 3 * draws_of(sizes[i % 3]), "without the call the loop records all");
    }
}

/* It computes nothing of what others hold, and nothing where little was recorded; NULL is refused. */
Test(pending, what_others_hold_is_left)
{
    enum { SUMS = 300, SIZE = 1 << 16 };
    bench b = begin_with((zc_options){.threads = 1});
    zc_tensor *sums[SUMS], *x = many_numbers(b.ctx);
    for (int i = 0; i < SUMS; i++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        sums[i] = zc_keep(zc_sum(zc_slice(x, 0, i, SIZE + i, 1), ZC_ALL_AXES, false));
        zc_scope_end(scope);
        cr_assert_eq(zc_compute_pending(b.ctx), ZC_OK);
    }
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, 0);
    for (int i = 0; i < SUMS; i++)
        zc_release(sums[i]);
    zc_release(x);
    cr_expect_eq(zc_compute_pending(NULL), ZC_ERROR_ARGUMENT);
    finish(b);
}

/* A sum that cannot be computed stays as it is recorded: its failure is told at once, and when it is read. */
Test(pending, what_fails_stays)
{
    enum { SIZE = 1 << 21 };
    bench b = begin_with((zc_options){.threads = 1});
    double *numbers = calloc(SIZE, sizeof *numbers);
    cr_assert_not_null(numbers);
    zc_tensor *places = values_of(b.ctx, ZC_FLOAT64, 1, (const double[]){SIZE}), *sums[2], *out = NULL;
    for (int i = 0; i < 2; i++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        const zc_tensor *large = zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(SIZE), numbers, SIZE * sizeof *numbers);
        sums[i] = zc_keep(zc_sum(zc_take(large, zc_astype(places, ZC_INT64), 0), ZC_ALL_AXES, false));
        zc_scope_end(scope);
    }
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(zc_compute_pending(b.ctx), ZC_ERROR_INDEX);
        cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_INDEX);
        zc_error_clear(b.ctx);
    }
    cr_expect_eq(zc_compute_pending(b.ctx), ZC_OK, "none is tried again at once");
    cr_expect_eq(zc_materialize(sums[0], &out), ZC_ERROR_INDEX);
    zc_error_clear(b.ctx);
    for (int i = 0; i < 2; i++)
        zc_release(sums[i]);
    zc_release(places);
    free(numbers);
    finish(b);
}

/* Sums that take more memory than the limit leaves are refused once, and stay as they are recorded. */
Test(pending, what_the_limit_refuses_stays)
{
    enum { SIZE = 1 << 21, LIMIT = 24 << 20 };
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = LIMIT});
    zc_scope *scope = zc_scope_begin(b.ctx);
    const zc_tensor *sums = zc_cumulative_sum(many_numbers(b.ctx), 0, false);
    zc_tensor *largest = zc_keep(zc_max(zc_subtract(sums, zc_flip(sums, 1, (const int[]){0})), ZC_ALL_AXES, false));
    zc_scope_end(scope);
    cr_expect_eq(zc_compute_pending(b.ctx), ZC_ERROR_BUDGET);
    zc_error_clear(b.ctx);
    cr_expect_eq(zc_compute_pending(b.ctx), ZC_OK, "it is not tried again at once");
    cr_expect_leq(zc_memory_usage(b.ctx).peak_bytes, LIMIT);
    zc_release(largest);
    finish(b);
}

/* Sums of large tensors that nobody else has; false where there is no memory for all of them. */
static bool record_sums(zc_context *ctx, const double *numbers, int64_t size, zc_tensor *sums[4])
{
    bool done = true;
    for (int i = 0; i < 4 && done; i++) {
        zc_tensor *large = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(size), numbers, (size_t)size * sizeof *numbers);
        sums[i] = large != NULL ? zc_sum(large, ZC_ALL_AXES, false) : NULL;
        zc_release(large);
        done = sums[i] != NULL;
    }
    return done;
}

/* Failing allocations lose nothing; nor does a call that is stopped, or one where everything is recomputed. */
Test(pending, what_is_not_computed_is_not_lost)
{
    enum { SIZE = 1 << 19 };
    zc_skip_of_one_thread();
    double *numbers = malloc(SIZE * sizeof *numbers);
    cr_assert_not_null(numbers);
    for (int i = 0; i < SIZE; i++)
        numbers[i] = 1;
    bool goes_on = true;
    for (int64_t fail_at = 0; goes_on; fail_at += fail_at < 60 ? 1 : 7) {
        zc_failing state = {0};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .allocator = &allocator});
        zc_tensor *sums[4] = {NULL};
        cr_assert(record_sums(ctx, numbers, SIZE, sums));
        if (fail_at == 0) {
            zc_cancel(ctx);
            cr_expect_eq(zc_compute_pending(ctx), ZC_CANCELLED);
            zc_error_clear(ctx);
        }
        const int64_t before = state.calls;
        state.fail_at = fail_at > 0 ? before + fail_at : 0;
        const zc_status status = zc_compute_pending(ctx);
        goes_on = fail_at == 0 || state.calls >= state.fail_at;
        cr_expect(status == ZC_OK || (goes_on && status == ZC_ERROR_MEMORY), "call %d: %d", (int)fail_at, status);
        if (fail_at > 0 && goes_on)
            zc_failing_count();
        state.fail_at = 0;
        zc_error_clear(ctx);
        zc_scope *scope = zc_scope_begin(ctx);
        for (int i = 0; i < 4; i++) {
            cr_expect_eq(number_of(sums[i]), (double)SIZE);
            zc_release(sums[i]);
        }
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_expect_eq(state.blocks, 0);
        cr_expect_eq(state.faults, 0);
    }
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .recompute = true});
    zc_tensor *sums[4] = {NULL};
    cr_assert(record_sums(ctx, numbers, SIZE, sums));
    cr_expect_eq(zc_compute_pending(ctx), ZC_OK);
    cr_expect_geq(zc_memory_usage(ctx).held_bytes, 4 * SIZE * (int64_t)sizeof *numbers);
    for (int i = 0; i < 4; i++)
        zc_release(sums[i]);
    zc_context_free(ctx);
    free(numbers);
}
