/*
 * What is kept between calls, as programs see it: steps of loops that read numbers cost alike, memory stays flat, what
 * is kept gives way, and gradients do not depend on what was read before.
 */
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { SIDE = 64, SIZE = SIDE * SIDE };

static double number_of(zc_context *ctx, const zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    return *(const double *)zc_data(out);
}

static double work_of(const zc_tensor *t)
{
    zc_cost cost;
    cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return (double)cost.work;
}

/* A square of numbers that is in memory. */
static zc_tensor *square_of(zc_context *ctx)
{
    zc_tensor *out = NULL;
    zc_tensor *numbers = zc_divide(zc_astype(zc_iota(ctx, SIZE), ZC_FLOAT64), zc_weak_float(ctx, SIZE));
    cr_assert_eq(zc_materialize(zc_reshape(numbers, ZC_SHAPE(SIDE, SIDE)), &out), ZC_OK);
    return out;
}

/* One step of a loop: what becomes of x. */
typedef zc_tensor *step_function(zc_context *ctx, const zc_tensor *x, int step);

static zc_tensor *smoothed(zc_context *ctx, const zc_tensor *x, int step)
{
    (void)step;
    return zc_multiply(zc_add(x, zc_roll(x, 1, (const int64_t[]){1}, (const int[]){0})), zc_weak_float(ctx, 0.5));
}

static zc_tensor *multiplied(zc_context *ctx, const zc_tensor *x, int step)
{
    (void)step;
    return zc_divide(zc_matmul(x, x), zc_weak_float(ctx, SIDE));
}

static zc_tensor *normalized(zc_context *ctx, const zc_tensor *x, int step)
{
    (void)step;
    return zc_add(zc_divide(x, zc_sqrt(zc_sum(zc_multiply(x, x), ZC_ALL_AXES, false))), zc_weak_float(ctx, 0.125));
}

static zc_tensor *updated(zc_context *ctx, const zc_tensor *x, int step)
{
    (void)ctx;
    const int64_t at = step % (SIDE - 1);
    return zc_update(x, zc_slice(zc_places(x), 0, at + 1, at + 2, 1), zc_tanh(zc_slice(x, 0, at, at + 1, 1)),
                     ZC_UPDATE_SET);
}

static zc_tensor *summed_up(zc_context *ctx, const zc_tensor *x, int step)
{
    (void)step;
    return zc_divide(zc_cumulative_sum(x, 1, false), zc_weak_float(ctx, SIDE));
}

static zc_tensor *taken(zc_context *ctx, const zc_tensor *x, int step)
{
    (void)step;
    return zc_take(x, zc_subtract(zc_weak_int(ctx, SIDE - 1), zc_iota(ctx, SIDE)), 0);
}

static zc_tensor *joined(zc_context *ctx, const zc_tensor *x, int step)
{
    (void)step;
    return zc_concat(ctx, TENSORS(zc_slice(x, 0, 1, SIDE, 1), zc_square(zc_slice(x, 0, 0, 1, 1))), 0);
}

static step_function *const steps[] = {smoothed, multiplied, normalized, updated, summed_up, taken, joined};
enum { KINDS = sizeof steps / sizeof *steps };

/* What is read of each step. */
static const zc_tensor *reading(zc_context *ctx, const zc_tensor *x, int how)
{
    switch (how) {
    case 0:
        return zc_sum(x, ZC_ALL_AXES, false);
    case 1:
        return zc_index(zc_index(x, 0, 3), 0, 5);
    default:
        return zc_sqrt(zc_max(zc_abs(zc_add(x, zc_weak_float(ctx, 1))), ZC_ALL_AXES, false));
    }
}

typedef struct trace {
    double work[2], number;    /* of the first half of the steps, and of the others; the last that was read */
    int64_t held[2], nodes[2]; /* after each half */
} trace;

static trace run_loop(zc_options options, step_function *step, int how, int count)
{
    trace t = {.number = 0};
    zc_context *ctx = zc_context_new(&options);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_keep(square_of(ctx));
    for (int i = 0; i < count; i++) {
        zc_scope *inner = zc_scope_begin(ctx);
        zc_tensor *next = zc_keep(step(ctx, x, i));
        cr_assert_not_null(next, "%s", zc_error_text(ctx));
        zc_release(x);
        x = next;
        const zc_tensor *read = reading(ctx, x, how);
        t.work[i >= count / 2] += work_of(read);
        t.number = number_of(ctx, read);
        zc_scope_end(inner);
        const zc_memory memory = zc_memory_usage(ctx);
        t.held[i >= count / 2] = memory.held_bytes;
        t.nodes[i >= count / 2] = memory.nodes;
    }
    zc_release(x);
    zc_scope_end(scope);
    cr_expect_eq(zc_memory_usage(ctx).nodes, 0);
    cr_expect_eq(zc_memory_usage(ctx).held_bytes, 0);
    cr_expect_eq(zc_memory_usage(ctx).kept_bytes, 0);
    zc_context_free(ctx);
    return t;
}

Test(keeping, steps_of_loops_cost_alike_and_hold_alike)
{
    enum { STEPS = 400, MEGABYTES = 9 << 20 };
    for (int kind = 0; kind < KINDS; kind++) {
        for (int how = 0; how < 3; how++) {
            const trace t = run_loop((zc_options){.threads = 1}, steps[kind], how, STEPS);
            cr_expect_leq(t.work[1], 1.1 * t.work[0] + 4 * SIZE, "kind %d, reading %d: work %g, then %g", kind, how,
                          t.work[0], t.work[1]);
            cr_expect_leq(t.held[1], t.held[0] + SIZE * 8, "kind %d, reading %d: %lld bytes", kind, how,
                          (long long)t.held[1]);
            cr_expect_leq(t.held[1], MEGABYTES, "kind %d, reading %d", kind, how);
            cr_expect_leq(t.nodes[1], 64 * 16, "kind %d, reading %d: %lld nodes", kind, how, (long long)t.nodes[1]);
        }
    }
}

Test(keeping, changes_no_bit)
{
    enum { STEPS = 30 };
    for (int kind = 0; kind < KINDS; kind++) {
        for (int how = 0; how < 3; how++) {
            const trace kept = run_loop((zc_options){.threads = 2}, steps[kind], how, STEPS);
            const trace again = run_loop((zc_options){.threads = 2, .recompute = true}, steps[kind], how, STEPS);
            cr_expect_eq(memcmp(&kept.number, &again.number, sizeof kept.number), 0, "kind %d, reading %d", kind, how);
            const trace reference =
                run_loop((zc_options){.threads = 1, .executor = ZC_EXECUTOR_REFERENCE}, steps[kind], how, STEPS);
            cr_expect_eq(memcmp(&kept.number, &reference.number, sizeof kept.number), 0, "kind %d, reading %d", kind,
                         how);
        }
    }
}

/* The second call that needs all of a node stores it; asking what that costs stores nothing. */
Test(keeping, is_told_before_and_after)
{
    bench b = begin();
    zc_tensor *x = square_of(b.ctx), *y = zc_exp(x);
    char *text = NULL;
    zc_cost cost;
    (void)number_of(b.ctx, zc_sum(y, ZC_ALL_AXES, false));
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, 0, "once is not twice");
    const zc_tensor *again = zc_max(y, ZC_ALL_AXES, false);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(zc_cost_of(again, &cost), ZC_OK);
        cr_expect_eq(cost.kept_bytes, SIZE * 8);
        cr_expect_eq(cost.peak_bytes, SIZE * 8 + 8);
    }
    cr_assert_eq(zc_explain(again, ZC_TEXT, &text), ZC_OK);
    cr_expect_not_null(strstr(text, "kept"), "%s", text);
    zc_text_free(b.ctx, text);
    cr_expect_not(zc_is_view(y));
    zc_memory_reset_peak(b.ctx);
    const int64_t before = zc_memory_usage(b.ctx).held_bytes;
    (void)number_of(b.ctx, again);
    cr_expect_eq(zc_memory_usage(b.ctx).peak_bytes - before, cost.peak_bytes);
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, SIZE * 8);
    cr_expect(zc_is_view(y));
    cr_expect_not_null(zc_data(y));
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, 0, "who has seen the address has asked for it");
    finish(b);
}

/* Rows of a large node, read once each, are computed once each, and nothing is stored. */
Test(keeping, windows_that_are_read_once_store_nothing)
{
    bench b = begin();
    const zc_tensor *y = zc_exp(square_of(b.ctx));
    double work = 0;
    for (int i = 0; i < SIDE; i++) {
        const zc_tensor *row = zc_sum(zc_slice(y, 0, i, i + 1, 1), ZC_ALL_AXES, false);
        work += work_of(row);
        (void)number_of(b.ctx, row);
    }
    cr_expect_leq(work, 2 * work_of(zc_sum(zc_exp(square_of(b.ctx)), ZC_ALL_AXES, false)) + 64 * SIDE);
    finish(b);
}

/* A broadcast difference beyond the caches is computed as fast as it is read. */
Test(keeping, broadcasts_are_not_stored_for_being_read_again)
{
    enum { N = 1000 };
    bench b = begin();
    zc_tensor *x = zc_astype(zc_iota(b.ctx, N), ZC_FLOAT64), *out = NULL;
    cr_assert_eq(zc_materialize(x, &out), ZC_OK);
    const zc_tensor *difference = zc_subtract(zc_expand_dims(out, 1), out);
    for (int i = 0; i < 20; i++)
        (void)number_of(b.ctx, zc_sum(zc_multiply(difference, zc_weak_float(b.ctx, i)), ZC_ALL_AXES, false));
    cr_expect_lt(zc_memory_usage(b.ctx).held_bytes, N * N);
    finish(b);
}

/* Under a limit that has room for what is asked for alone, what was kept goes. */
Test(keeping, gives_way_before_a_refusal)
{
    enum { BYTES = SIZE * 8 };
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = 10 * BYTES});
    zc_tensor *x = square_of(b.ctx), *y = zc_exp(x), *z = zc_tanh(x), *all[6], *out[6] = {NULL};
    for (int i = 0; i < 3; i++) {
        (void)number_of(b.ctx, zc_sum(y, ZC_ALL_AXES, false));
        (void)number_of(b.ctx, zc_sum(z, ZC_ALL_AXES, false));
    }
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, 2 * BYTES);
    for (int i = 0; i < 6; i++)
        all[i] = zc_add(x, zc_weak_float(b.ctx, i));
    const int64_t left = 10 * BYTES - zc_memory_usage(b.ctx).held_bytes;
    cr_assert_lt(left, 8 * BYTES);
    zc_tensor *more[8], *made[8] = {NULL};
    for (int i = 0; i < 8; i++)
        more[i] = zc_add(x, zc_weak_float(b.ctx, 10 + i));
    cr_expect_eq(zc_materialize_all(8, (const zc_tensor *const *)more, made), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, 0);
    for (int i = 0; i < 8; i++) {
        zc_release(zc_keep(made[i]));
        zc_release(zc_keep(more[i]));
    }
    cr_expect_eq(zc_materialize(all[0], &out[0]), ZC_OK);
    cr_expect_eq(zc_materialize(y, &out[1]), ZC_OK, "%s: it can be computed again", zc_error_text(b.ctx));
    finish(b);
}

/* Purchases take no more than a quarter of what is left. */
Test(keeping, buys_no_more_than_it_can_afford)
{
    enum { BYTES = SIZE * 8 };
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = 4 * BYTES});
    zc_tensor *x = square_of(b.ctx), *y = zc_exp(x);
    for (int i = 0; i < 4; i++)
        (void)number_of(b.ctx, zc_sum(y, ZC_ALL_AXES, false));
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, 0);
    finish(b);
}

/* Results that were read and are held keep a few megabytes of what they were made from, not more. */
Test(keeping, results_that_are_held_do_not_hold_their_inputs)
{
    enum { N = 1 << 17, COUNT = 100, LEFT = (8 << 20) + 4 * N * 8 };
    bench b = begin();
    for (int i = 0; i < COUNT; i++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *numbers = zc_add(zc_astype(zc_iota(b.ctx, N), ZC_FLOAT64), zc_weak_float(b.ctx, i)), *x = NULL;
        cr_assert_eq(zc_materialize(numbers, &x), ZC_OK);
        zc_tensor *mean = zc_mean(x, ZC_ALL_AXES, false);
        cr_expect_eq(number_of(b.ctx, mean), (N - 1) / 2.0 + i);
        (void)zc_keep_outside(mean);
        zc_scope_end(scope);
    }
    cr_expect_leq(zc_memory_usage(b.ctx).held_bytes, LEFT);
    finish(b);
}

/* Reading numbers before does not change what gradients are given. */
Test(keeping, gradients_pass_what_was_read)
{
    bench b = begin();
    zc_tensor *x = square_of(b.ctx), *y = zc_exp(zc_multiply(x, x)), *loss = zc_sum(y, ZC_ALL_AXES, false);
    const double wanted =
        number_of(b.ctx, zc_sum(zc_multiply(zc_multiply(x, zc_weak_float(b.ctx, 2)), zc_exp(zc_multiply(x, x))),
                                ZC_ALL_AXES, false));
    for (int i = 0; i < 5; i++) {
        (void)number_of(b.ctx, loss);
        (void)number_of(b.ctx, zc_mean(y, ZC_ALL_AXES, false));
        zc_tensor *gradient = zc_grad(loss, x);
        cr_assert_not_null(gradient, "%s", zc_error_text(b.ctx));
        cr_expect_float_eq(number_of(b.ctx, zc_sum(gradient, ZC_ALL_AXES, false)), wanted, 1e-9 * wanted);
    }
    finish(b);
}

/* What has forgotten what it was made of refuses gradients that would be cut, also where only numbers were read. */
Test(keeping, gradients_that_would_be_cut_are_refused)
{
    bench b = begin();
    const zc_tensor *x = zc_add(zc_astype(zc_iota(b.ctx, 3), ZC_FLOAT64), zc_weak_float(b.ctx, 1));
    zc_tensor *y = zc_exp(x), *z = zc_square(y), *out = NULL, *gradients[2] = {NULL};
    cr_assert_eq(zc_materialize(y, &out), ZC_OK);
    for (int i = 0; i < 100; i++)
        (void)number_of(b.ctx,
                        zc_add(zc_weak_float(b.ctx, i), zc_sum(zc_exp(zc_weak_float(b.ctx, i)), ZC_ALL_AXES, false)));
    const zc_tensor *sum = zc_sum(z, ZC_ALL_AXES, false);
    cr_expect_null(zc_grad(sum, x));
    cr_expect_not_null(strstr(zc_error_text(b.ctx), "variable()"), "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    cr_expect_eq(zc_vjp(sum, NULL, TENSORS(y, x), gradients), ZC_ERROR_ARGUMENT);
    zc_error_clear(b.ctx);
    cr_expect_not_null(zc_grad(sum, y));
    finish(b);
}

/* A chain of named maps is stored at its top alone. */
Test(keeping, buys_the_highest_of_nodes_above_each_other)
{
    enum { MAPS = 20 };
    bench b = begin();
    zc_tensor *x = square_of(b.ctx);
    for (int i = 0; i < MAPS; i++)
        x = zc_tanh(x);
    (void)number_of(b.ctx, zc_sum(x, ZC_ALL_AXES, false));
    (void)number_of(b.ctx, zc_max(x, ZC_ALL_AXES, false));
    (void)number_of(b.ctx, zc_min(x, ZC_ALL_AXES, false));
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, SIZE * 8);
    finish(b);
}

/* Calls that compute by themselves are not refused for what is kept. */
Test(keeping, gives_way_to_every_call)
{
    enum { BYTES = SIZE * 8 };
    static double values[8 * SIZE];
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = 10 * BYTES});
    zc_tensor *x = square_of(b.ctx), *y = zc_exp(x);
    for (int i = 0; i < 2; i++)
        (void)number_of(b.ctx, zc_sum(y, ZC_ALL_AXES, false));
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, BYTES);
    zc_tensor *filling = zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(8 * SIZE), values, sizeof values);
    cr_expect_not_null(filling, "%s", zc_error_text(b.ctx));
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, 0);
    zc_release(filling);
    finish(b);
}

/* ---- What is recorded and not read ---- */

enum { LONG = 1 << 17, READ_STEPS = 60 };

/* What stands beside the residual of a step: the next of `x`, or one more to be read at the end. */
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
        (void)number_of(b.ctx, read);
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
    double sum = number_of(b.ctx, zc_sum(x, ZC_ALL_AXES, false));
    for (int i = 0; i < READ_STEPS && !accumulates; i++) {
        sum += number_of(b.ctx, zc_sum(all[i], ZC_ALL_AXES, false));
        zc_release(all[i]);
    }
    zc_release(x);
    zc_release(residual);
    finish(b);
    return sum;
}

/* Its data is that of some steps, not of all of them, and it has the same bits. */
Test(keeping, what_is_not_read_does_not_hold_all_steps)
{
    enum { MOST = 20 * LONG * 8 };
    beside *const kinds[] = {sum_of_both, least_of_both, largest, norm, first_two};
    for (int i = 0; i < 5; i++) {
        int64_t held, held_again;
        const double sum = run_beside(kinds[i], i < 2, false, &held);
        const double wanted = run_beside(kinds[i], i < 2, true, &held_again);
        cr_expect_leq(held, MOST, "kind %d holds %lld bytes", i, (long long)held);
        cr_expect_eq(memcmp(&sum, &wanted, sizeof sum), 0, "kind %d: %g, not %g", i, sum, wanted);
    }
}
