/*
 * What is kept between calls, as programs see it: steps of loops that read numbers cost alike, memory stays flat, what
 * is kept gives way, and gradients do not depend on what was read before.
 */
#include <math.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"
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

/* Number to read of each step. */
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

/* An element is computed without a plan through up to 16 operations, so what is kept comes to its most later: 64
 * results, each with the nodes of those operations. */
Test(keeping, steps_of_loops_cost_alike_and_hold_alike)
{
    enum { STEPS = 400, STEPS_OF_ELEMENTS = 2800, MEGABYTES = 9 << 20 };
    zc_skip_of_one_thread();
    for (int kind = 0; kind < KINDS; kind++) {
        for (int how = 0; how < 3; how++) {
            const int count = how == 1 ? STEPS_OF_ELEMENTS : STEPS;
            const trace t = run_loop((zc_options){.threads = 1}, steps[kind], how, count);
            cr_expect_leq(t.work[1], 1.1 * t.work[0] + 4 * SIZE, "kind %d, reading %d: work %g, then %g", kind, how,
                          t.work[0], t.work[1]);
            cr_expect_leq(t.held[1], t.held[0] + SIZE * 8, "kind %d, reading %d: %lld bytes", kind, how,
                          (long long)t.held[1]);
            cr_expect_leq(t.held[1], MEGABYTES, "kind %d, reading %d", kind, how);
            cr_expect_leq(t.nodes[1], 64 * 20, "kind %d, reading %d: %lld nodes", kind, how, (long long)t.nodes[1]);
        }
    }
}

Test(keeping, changes_no_bit)
{
    zc_skip_of_one_thread();
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

/* Tensors that have forgotten their operands refuse gradients that would be cut, also where only numbers were read. */
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

/* ---- What gave up its operands ---- */

/* Computes and holds more results than are listed, so that those before give up their operands. */
static void crowd_out(zc_context *ctx)
{
    for (int i = 0; i < 70; i++) {
        zc_tensor *out = NULL;
        cr_assert_eq(zc_materialize(zc_astype(zc_iota(ctx, i + 1), ZC_FLOAT64), &out), ZC_OK);
    }
}

/* Results hold the variables that they are made of, however many there are and whatever memory is asked for. */
Test(keeping, results_of_variables_keep_their_operands)
{
    enum { COUNT = 70, N = 1 << 13, LIMIT = (COUNT + 10) * N * 8 };
    static double zeros[LIMIT / 8];
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = LIMIT});
    zc_tensor *x = zc_variable(zc_astype(zc_iota(b.ctx, N), ZC_FLOAT64)), *made[COUNT] = {NULL};
    for (int i = 0; i < COUNT; i++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *scaled = zc_sqrt(zc_multiply(x, zc_weak_float(b.ctx, i + 1)));
        cr_assert_eq(zc_materialize(zc_square(scaled), &made[i]), ZC_OK, "%s", zc_error_text(b.ctx));
        (void)zc_keep_outside(made[i]);
        zc_scope_end(scope);
    }
    cr_expect_null(zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(LIMIT / 8), zeros, sizeof zeros));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_BUDGET, "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    for (int i = 0; i < COUNT; i++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *gradient = zc_grad(zc_sum(made[i], ZC_ALL_AXES, false), x);
        cr_assert_not_null(gradient, "%d: %s", i, zc_error_text(b.ctx));
        const double slope = value_at(gradient, N - 1);
        cr_expect(fabs(slope - (i + 1)) < 1e-9, "%d: %g, %s", i, slope, zc_error_text(b.ctx));
        zc_scope_end(scope);
    }
    finish(b);
}

/* Results of too many nodes to count hold them until memory grows. */
Test(keeping, wide_results_give_up_their_operands)
{
    enum { WAITING = 300, EDGES = 5000, LARGE = 3 << 17 };
    static const zc_tensor *parts[EDGES];
    static const int counts[] = {WAITING, EDGES};
    for (int which = 0; which < 2; which++) {
        bench b = begin_with((zc_options){.threads = 1});
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *x = square_of(b.ctx), *out = NULL;
        for (int i = 0; i < counts[which]; i++) {
            zc_tensor *row = zc_slice(x, 0, i % SIDE, i % SIDE + 1, 1);
            parts[i] = which == 0 ? zc_exp(zc_multiply(row, zc_weak_int(b.ctx, i))) : row;
        }
        zc_tensor *wide = zc_concat(b.ctx, counts[which], parts, 0);
        cr_assert_eq(zc_materialize(wide, &out), ZC_OK, "%s", zc_error_text(b.ctx));
        (void)zc_keep_outside(wide);
        zc_scope_end(scope);
        const zc_memory before = zc_memory_usage(b.ctx);
        scope = zc_scope_begin(b.ctx);
        cr_assert_eq(zc_materialize(zc_astype(zc_iota(b.ctx, LARGE), ZC_FLOAT64), &out), ZC_OK);
        zc_scope_end(scope);
        const zc_memory after = zc_memory_usage(b.ctx);
        cr_expect_leq(after.nodes, before.nodes - (which == 0 ? 2 * WAITING : 1), "%lld of %lld",
                      (long long)after.nodes, (long long)before.nodes);
        cr_expect_eq(after.held_bytes, before.held_bytes - SIZE * 8);
        finish(b);
    }
}

/* Places that are there as numbers alone say the same as those that are recorded. */
Test(keeping, places_that_gave_up_their_operands_are_numbers)
{
    bench b = begin();
    zc_tensor *x = square_of(b.ctx), *row = zc_index(x, 0, 1), *out = NULL;
    zc_tensor *places = zc_take(zc_places(x), OF(b.ctx, ZC_INT64, 3, 0, 3), 0);
    zc_tensor *wanted = zc_update(x, places, row, ZC_UPDATE_ADD);
    cr_assert_eq(zc_materialize(places, &out), ZC_OK);
    crowd_out(b.ctx);
    zc_tensor *updated = zc_update(x, places, row, ZC_UPDATE_ADD);
    cr_assert_not_null(updated, "%s", zc_error_text(b.ctx));
    cr_expect_eq(number_of(b.ctx, zc_sum(updated, ZC_ALL_AXES, false)),
                 number_of(b.ctx, zc_sum(wanted, ZC_ALL_AXES, false)));
    cr_expect_eq(value_at(zc_all(zc_equal(updated, wanted), ZC_ALL_AXES, false), 0), 1);
    finish(b);
}

/* A kept node is written as what it was made of, as long as it knows that, and as its elements then. */
Test(keeping, what_gave_up_its_operands_is_written_as_elements)
{
    bench b = begin();
    zc_tensor *x = square_of(b.ctx), *y = zc_exp(x), *read[2] = {NULL};
    const zc_tensor *z = zc_negative(y), *const *inputs = NULL;
    const double wanted = number_of(b.ctx, zc_sum(z, ZC_ALL_AXES, false));
    (void)number_of(b.ctx, zc_sum(y, ZC_ALL_AXES, false));
    cr_assert_eq(zc_memory_usage(b.ctx).kept_bytes, SIZE * 8);
    for (int i = 0; i < 2; i++) {
        zc_serialized *s = NULL;
        size_t size = 0;
        cr_assert_eq(zc_serialize(1, &z, &s), ZC_OK, "%s", zc_error_text(b.ctx));
        const void *bytes = zc_serialized_bytes(s, &size);
        cr_assert_eq(zc_serialized_inputs(s, &inputs), 1);
        cr_expect_eq(value_at(inputs[0], 1), i == 0 ? value_at(zc_reshape(x, ZC_SHAPE(-1)), 1)
                                                    : value_at(zc_exp(zc_reshape(x, ZC_SHAPE(-1))), 1));
        cr_assert_eq(zc_deserialize(b.ctx, bytes, size, 1, inputs, 1, &read[i]), ZC_OK, "%s", zc_error_text(b.ctx));
        zc_serialized_free(s);
        crowd_out(b.ctx);
    }
    for (int i = 0; i < 2; i++)
        cr_expect_eq(number_of(b.ctx, zc_sum(read[i], ZC_ALL_AXES, false)), wanted);
    finish(b);
}
