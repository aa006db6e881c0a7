/* Contexts, errors, scopes and handles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/failing.h"
#include "tests/support/zc_test.h"

static zc_tensor *numbers(zc_context *ctx, int64_t n)
{
    double values[16];
    for (int i = 0; i < 16; i++)
        values[i] = i;
    return zc_from_data(ctx, ZC_FLOAT64, 1, &n, values, (size_t)n * sizeof *values);
}

Test(context, defaults_are_filled_in_and_wrong_options_refused)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_options options = zc_context_options(ctx);
    cr_assert_gt(options.threads, 0);
    cr_assert_eq(options.memory_limit, 0);
    cr_assert_eq(options.executor, ZC_EXECUTOR_TILE);
    cr_assert_not_null(options.allocator);
    zc_allocator none = {NULL, NULL, NULL}, half = {NULL, options.allocator->allocate, NULL};
    cr_assert_eq(options.node_limit, INT64_C(1) << 24);
    cr_assert_eq(options.header_limit, INT64_C(4) << 30);
    zc_context_free(ctx);
    zc_context_free(NULL);
    cr_assert_null(zc_context_new(&(zc_options){.threads = -1}));
    cr_assert_null(zc_context_new(&(zc_options){.threads = 100000}));
    cr_assert_null(zc_context_new(&(zc_options){.memory_limit = -1}));
    cr_assert_null(zc_context_new(&(zc_options){.node_limit = -1}));
    cr_assert_null(zc_context_new(&(zc_options){.header_limit = -1}));
    cr_assert_null(zc_context_new(&(zc_options){.executor = (zc_executor)7}));
    cr_assert_null(zc_context_new(&(zc_options){.allocator = &none}));
    cr_assert_null(zc_context_new(&(zc_options){.allocator = &half}));
}

/* The environment counts where it is a number in range. */
Test(context, threads_come_from_the_environment)
{
    static const struct {
        const char *text;
        int threads; /* 0: the machine's */
    } rows[] = {{"3", 3}, {"1024", 1024}, {"0", 0}, {"-2", 0}, {"1025", 0}, {"3x", 0}, {"", 0}, {"many", 0}};
    cr_assert_eq(unsetenv("ZEROCAST_THREADS"), 0);
    zc_context *ctx = zc_context_new(NULL);
    int machine = zc_context_options(ctx).threads;
    zc_context_free(ctx);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(setenv("ZEROCAST_THREADS", rows[i].text, 1), 0);
        ctx = zc_context_new(NULL);
        cr_expect_eq(zc_context_options(ctx).threads, rows[i].threads > 0 ? rows[i].threads : machine, "%s",
                     rows[i].text);
        zc_context_free(ctx);
    }
    cr_assert_eq(unsetenv("ZEROCAST_THREADS"), 0);
}

/* ---- How much may be recorded ---- */

Test(laziness, of_too_many_nodes_is_refused_and_all_stays_usable)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .node_limit = 100});
    zc_tensor *x = numbers(ctx, 4), *t = zc_negative(x), *out = NULL;
    while (t != NULL && zc_memory_usage(ctx).nodes <= 200) {
        zc_tensor *next = zc_negative(t);
        if (next == NULL)
            break;
        zc_release(t);
        t = next;
    }
    cr_assert_eq(zc_memory_usage(ctx).nodes, 100, "x, and 99 recorded");
    cr_expect_eq(zc_error_status(ctx), ZC_ERROR_BUDGET);
    cr_expect_eq(strncmp(zc_error_text(ctx), "negative: 101 nodes in ", 23), 0, "%s", zc_error_text(ctx));
    cr_expect_not_null(strstr(zc_error_text(ctx), "over the limit of 100 nodes"));
    zc_budget budget = {0};
    cr_expect(zc_error_budget(ctx, &budget));
    cr_expect(budget.need == 1 && budget.held == 100 && budget.limit == 100 && budget.window_axis == -1);
    zc_error_clear(ctx);
    zc_tensor *view = zc_flip(x, ZC_AXES(0));
    cr_expect_not_null(view, "what exists may be viewed");
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_expect_eq(((const double *)zc_data(out))[3], -3);
    zc_release(t);
    cr_expect_eq(zc_memory_usage(ctx).nodes, 2);
    t = zc_negative(out);
    cr_expect_not_null(t, "there is room again");
    zc_release(t);
    zc_release(out);
    zc_release(view);
    zc_release(x);
    cr_expect_eq(zc_memory_usage(ctx).nodes, 0);
    zc_context_free(ctx);
}

Test(laziness, of_too_many_bytes_is_refused)
{
    enum { LIMIT = 20000 };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .header_limit = LIMIT});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *t = zc_negative(numbers(ctx, 4)), *last = t;
    for (int i = 0; t != NULL && i < LIMIT; i++) {
        last = t;
        t = zc_expand_dims(t, 0); /* no node is made, only handles */
        t = t != NULL ? zc_squeeze(t, ZC_AXES(0)) : NULL;
    }
    cr_assert_null(t);
    cr_expect_eq(zc_error_status(ctx), ZC_ERROR_BUDGET);
    cr_expect_not_null(strstr(zc_error_text(ctx), "over the limit of 20000 bytes"), "%s", zc_error_text(ctx));
    zc_budget budget = {0};
    cr_expect(zc_error_budget(ctx, &budget));
    cr_expect(budget.need > 0 && budget.held + budget.need > LIMIT && budget.held <= LIMIT && budget.limit == LIMIT);
    cr_expect_leq(zc_memory_usage(ctx).header_bytes, LIMIT);
    zc_tensor *out = NULL;
    cr_expect_eq(zc_materialize(last, &out), ZC_OK);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Recorded nodes leave a plan as many bytes of its own; the plan of a deep graph takes more. */
Test(laziness, of_a_plan_that_is_too_large_is_refused)
{
    enum { LIMIT = 2 << 20, DEPTH = 500, TOO_DEEP = 4000 };
    for (int way = 0; way < 2; way++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .header_limit = LIMIT});
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *t = zc_reshape(numbers(ctx, 4), ZC_SHAPE(2, 2)), *out = NULL;
        for (int i = way == 0 ? DEPTH : TOO_DEEP; i > 0; i--)
            t = zc_add(t, zc_matrix_transpose(t));
        zc_cost cost;
        zc_status wanted = way == 0 ? ZC_OK : ZC_ERROR_BUDGET;
        cr_assert_eq(zc_cost_of(t, &cost), wanted, "%s", zc_error_text(ctx));
        cr_expect(way > 0 || (cost.plan_bytes > 100 * DEPTH && cost.plan_bytes <= LIMIT && cost.work >= 4 * DEPTH));
        cr_expect(way == 0 || strstr(zc_error_text(ctx), "header memory") != NULL, "%s", zc_error_text(ctx));
        zc_error_clear(ctx);
        cr_expect_eq(zc_materialize(t, &out), wanted);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* Four sums at once are more than an eager runtime has to hold; its plan of the roots behind them takes a stage each.
 */
Test(laziness, of_a_plan_is_enough_where_others_are_too_large)
{
    enum { LIMIT = 600000, DEPTH = 400, N = 1000 };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .header_limit = LIMIT});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *sums[4], *out = NULL;
    for (int i = 0; i < 4; i++)
        sums[i] = zc_cumulative_sum(zc_full(ctx, ZC_SHAPE(N), ZC_FLOAT64, i), 0, false);
    zc_tensor *t = zc_add(zc_add(sums[0], sums[1]), zc_add(sums[2], sums[3]));
    for (int i = 0; i < DEPTH; i++)
        t = zc_relu(t);
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_expect_eq(zc_error_status(ctx), ZC_OK);
    cr_expect_eq(((const double *)zc_data(out))[N - 1], 6 * N);
    zc_release(out);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Whatever the call was about to record when the limit came: a status, a sentence, nothing left. */
Test(laziness, is_refused_by_calls_that_record_much)
{
    int refused = 0;
    for (int64_t limit = 2; limit < 40; limit++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .node_limit = limit});
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = numbers(ctx, 4), *y = zc_exp(x), *out[4] = {NULL};
        int64_t before = zc_memory_usage(ctx).nodes;
        zc_status statuses[] = {zc_vjp(zc_multiply(y, zc_tanh(y)), NULL, 1, (const zc_tensor *const[]){x}, out),
                                zc_unstack(zc_exp(y), 0, 4, out), zc_split(zc_exp(y), 0, 2, NULL, out),
                                zc_nonzero(zc_square(y), out)};
        for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
            refused += statuses[i] == ZC_ERROR_BUDGET;
            cr_expect(statuses[i] == ZC_OK || statuses[i] == ZC_ERROR_BUDGET || statuses[i] == ZC_ERROR_ARGUMENT,
                      "call %zu, limit %ld: status %d", i, (long)limit, (int)statuses[i]);
        }
        cr_expect(before <= limit);
        zc_scope_end(scope);
        cr_expect_eq(zc_memory_usage(ctx).nodes, 0);
        zc_context_free(ctx);
    }
    cr_expect_gt(refused, 10);
}

Test(context, version_is_that_of_the_header)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%d.%d.%d", ZC_VERSION_MAJOR, ZC_VERSION_MINOR, ZC_VERSION_PATCH);
    cr_assert_str_eq(zc_version(), text);
}

Test(errors, the_first_one_stays_until_cleared)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *x = numbers(ctx, 3), *y = numbers(ctx, 4);
    cr_assert_null(zc_add(x, y));
    cr_assert_eq(zc_error_status(ctx), ZC_ERROR_SHAPE);
    cr_assert_not_null(strstr(zc_error_text(ctx), "(3,)"));
    cr_assert_not_null(strstr(zc_error_text(ctx), "(4,)"));
    cr_assert_eq(strncmp(zc_error_text(ctx), "add: ", 5), 0);
    cr_assert_null(zc_astype(x, (zc_dtype)99));
    cr_assert_eq(zc_error_status(ctx), ZC_ERROR_SHAPE);
    zc_error_clear(ctx);
    cr_assert_eq(zc_error_status(ctx), ZC_OK);
    cr_assert_str_eq(zc_error_text(ctx), "");
    cr_assert_null(zc_astype(x, (zc_dtype)99));
    cr_assert_eq(zc_error_status(ctx), ZC_ERROR_DTYPE);
    zc_release(x);
    zc_release(y);
    zc_context_free(ctx);
}

Test(errors, null_in_gives_null_out)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *x = numbers(ctx, 3), *out = NULL;
    char *text = NULL;
    cr_assert_null(zc_add(NULL, x));
    cr_assert_null(zc_equal(x, NULL));
    cr_assert_null(zc_where(x, NULL, x));
    cr_assert_null(zc_exp(NULL));
    cr_assert_null(zc_sum(NULL, ZC_ALL_AXES, false));
    cr_assert_null(zc_astype(NULL, ZC_BOOL));
    cr_assert_null(zc_reshape(NULL, ZC_SHAPE(3)));
    cr_assert_null(zc_matrix_transpose(NULL));
    cr_assert_null(zc_slice(NULL, 0, 0, 1, 1));
    cr_assert_null(zc_adopt(ctx, NULL));
    cr_assert_null(zc_adopt(NULL, x));
    cr_assert_null(zc_retain(NULL));
    cr_assert_null(zc_keep(NULL));
    cr_assert_null(zc_scope_begin(NULL));
    cr_assert_null(zc_iota(NULL, 3));
    cr_assert_null(zc_full(NULL, ZC_SCALAR_SHAPE, ZC_INT8, 1));
    cr_assert_null(zc_constant(NULL, ZC_INT8, "x"));
    cr_assert_null(zc_weak_bool(NULL, true));
    cr_assert_null(zc_from_data(NULL, ZC_INT8, ZC_SCALAR_SHAPE, "x", 1));
    cr_assert_null(zc_npy_open(NULL, "x.npy"));
    out = x;
    cr_assert_eq(zc_materialize(NULL, &out), ZC_ERROR_ARGUMENT);
    cr_assert_null(out);
    out = x;
    cr_assert_eq(zc_compact(NULL, &out), ZC_ERROR_ARGUMENT);
    cr_assert_null(out);
    cr_assert_eq(zc_materialize_into(NULL, NULL, 0, NULL, 0), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_explain(NULL, ZC_TEXT, &text), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_cost_of(NULL, NULL), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_npy_save(NULL, "x.npy"), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_npy_read_info(NULL, "x.npy", NULL), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_error_status(ctx), ZC_ERROR_ARGUMENT, "some were told to the context of others");
    zc_error_clear(ctx);
    zc_release(NULL);
    zc_scope_end(NULL);
    zc_text_free(ctx, NULL);
    zc_release(x);
    zc_context_free(ctx);
}

Test(errors, operands_of_two_contexts_are_refused_and_adopting_helps)
{
    zc_context *a = zc_context_new(NULL), *b = zc_context_new(NULL);
    zc_tensor *x = numbers(a, 3), *y = numbers(b, 3);
    cr_assert_null(zc_add(x, y));
    cr_assert_eq(zc_error_status(a), ZC_ERROR_ARGUMENT);
    zc_tensor *adopted = zc_adopt(a, y), *sum = zc_add(x, adopted), *out = NULL;
    cr_assert_eq(zc_context_of(adopted), a);
    zc_context_free(b);
    cr_assert_eq(zc_materialize(sum, &out), ZC_OK);
    cr_assert_eq(((const double *)zc_data(out))[2], 4.0);
    zc_tensor *all[] = {x, y, adopted, sum, out};
    for (int i = 0; i < 5; i++)
        zc_release(all[i]);
    zc_context_free(a);
}

Test(scopes, release_what_was_made_inside_but_not_what_is_kept)
{
    zc_failing state = {.fail_at = 0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator});
    zc_scope *outer = zc_scope_begin(ctx);
    zc_tensor *x = numbers(ctx, 4);
    zc_scope *inner = zc_scope_begin(ctx);
    zc_tensor *kept = zc_keep(zc_add(x, x)), *retained = zc_retain(zc_negative(x));
    zc_tensor *released = zc_square(x);
    zc_release(released); /* leaves the scope by itself */
    zc_scope_end(inner);
    cr_assert_eq(zc_size(retained), 4);
    zc_release(retained);
    (void)zc_scope_begin(ctx);
    (void)numbers(ctx, 2);
    zc_scope_end(outer); /* ends the one inside, too */
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(kept, &out), ZC_OK);
    cr_assert_eq(((const double *)zc_data(out))[3], 6.0);
    zc_release(kept);
    (void)zc_scope_begin(ctx);
    (void)numbers(ctx, 2);
    zc_context_free(ctx);                                 /* ends its scopes */
    cr_assert_eq(((const double *)zc_data(out))[3], 6.0); /* data outlives the context */
    zc_release(out);
    cr_assert_eq(state.blocks, 0);
    cr_assert_eq(state.faults, 0);
}

Test(scopes, hand_a_tensor_to_the_scope_around_them)
{
    zc_failing state = {.fail_at = 0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator});
    zc_scope *outer = zc_scope_begin(ctx);
    zc_scope *middle = zc_scope_begin(ctx);
    zc_tensor *x = numbers(ctx, 4);
    zc_scope *inner = zc_scope_begin(ctx);
    zc_tensor *first = zc_negative(x), *moved = zc_add(x, x), *last = zc_square(x);
    cr_assert_eq(zc_keep_outside(moved), moved);
    cr_assert_eq(zc_keep_outside(x), x); /* of a scope that is not the innermost */
    zc_release(first);                   /* its neighbours on the list are as they were */
    zc_release(last);
    zc_scope_end(inner);
    cr_assert_eq(zc_size(moved), 4);
    zc_scope_end(middle); /* releases moved, whose operand x is the outer scope's now */
    cr_assert_eq(((const double *)zc_data(x))[3], 3.0);
    int64_t held = state.blocks;
    zc_scope *again = zc_scope_begin(ctx);
    zc_tensor *twice = zc_keep_outside(zc_keep_outside(zc_negative(x))); /* out of both: the caller's */
    zc_scope_end(again);
    zc_scope_end(outer);
    cr_assert_eq(zc_size(twice), 4);
    cr_assert_eq(zc_keep_outside(twice), twice);
    zc_release(twice);
    cr_assert_lt(state.blocks, held);
    cr_assert_null(zc_keep_outside(NULL));
    zc_context_free(ctx);
    cr_assert_eq(state.blocks, 0);
    cr_assert_eq(state.faults, 0);
}

Test(scopes, stay_owners_of_a_retained_tensor_that_is_released)
{
    zc_failing state = {.fail_at = 0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *retained = zc_retain(numbers(ctx, 4)), *mine = zc_retain(zc_negative(retained));
    zc_release(retained); /* the reference that was added; the scope's is left */
    cr_assert_eq(zc_size(retained), 4);
    zc_release(zc_keep(mine)); /* the scope's; the added one is left */
    int64_t held = state.blocks;
    zc_scope_end(scope);
    cr_assert_lt(state.blocks, held);
    cr_assert_eq(zc_size(mine), 4);
    zc_release(mine);
    zc_context_free(ctx);
    cr_assert_eq(state.blocks, 0);
    cr_assert_eq(state.faults, 0);
}

/* Bytes held after some steps of a loop, each in a scope of its own. */
static int64_t held_after(int steps, bool carries_on_with_the_result)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *weights = numbers(ctx, 16);
    for (int step = 0; step < steps; step++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *lazy = zc_multiply(weights, zc_weak_float(ctx, 0.5)), *next = NULL;
        cr_assert_eq(zc_materialize(lazy, &next), ZC_OK);
        zc_release(weights);
        weights = zc_keep(carries_on_with_the_result ? next : lazy);
        zc_scope_end(scope);
    }
    int64_t held_bytes = zc_memory_usage(ctx).held_bytes;
    zc_release(weights);
    zc_context_free(ctx);
    return held_bytes;
}

/* As zc_materialize() tells loops. */
Test(scopes, of_a_loop_keep_one_step_with_the_result_and_all_with_the_lazy_handle)
{
    cr_assert_eq(held_after(10, true), held_after(1, true));
    cr_assert_geq(held_after(10, false), 10 * 128);
}

static int released;

static void count_release(void *user, void *memory)
{
    cr_assert_eq(user, (void *)&released);
    cr_assert_not_null(memory);
    released++;
}

Test(imports, strides_are_proven_and_release_is_called_once)
{
    static double memory[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(3, 2), (const int64_t[]){-4, 1}, 8, memory, sizeof memory,
                             count_release, &released);
    cr_assert_not_null(x, "%s", zc_error_text(ctx));
    cr_assert(zc_is_view(x));
    cr_assert_eq(((const double *)zc_data(x))[-4], 4.0);
    zc_tensor *row = zc_index(x, 0, 2);
    zc_release(x);
    cr_assert_eq(released, 0);
    cr_assert_eq(((const double *)zc_data(row))[1], 1.0);
    zc_release(row);
    cr_assert_eq(released, 1);
    const int64_t too_far[] = {5, 1};
    cr_assert_null(
        zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(3, 3), too_far, 0, memory, sizeof memory, count_release, &released));
    cr_assert_eq(released, 2);
    cr_assert_null(zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(1), NULL, 0, (char *)memory + 1, 8, count_release, &released));
    cr_assert_null(zc_import(ctx, (zc_dtype)-1, ZC_SHAPE(1), NULL, 0, memory, 8, count_release, &released));
    cr_assert_null(zc_import(NULL, ZC_FLOAT64, ZC_SHAPE(1), NULL, 0, memory, 8, count_release, &released));
    cr_assert_null(zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(-1), NULL, 0, memory, 8, count_release, &released));
    cr_assert_null(zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(1), NULL, 0, NULL, 8, NULL, NULL));
    zc_tensor *nothing = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(2, 0), NULL, 0, NULL, 0, NULL, NULL);
    cr_assert_not_null(nothing, "no elements need no memory: %s", zc_error_text(ctx));
    zc_release(nothing);
    cr_assert_null(
        zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(INT64_C(1) << 40, INT64_C(1) << 40), NULL, 0, memory, 8, NULL, NULL));
    cr_assert_eq(released, 6);
    zc_context_free(ctx);
}

Test(creation, wrong_arguments_are_refused)
{
    zc_context *ctx = zc_context_new(NULL);
    float data[4] = {0};
    cr_assert_null(zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(4), data, 15));
    cr_assert_null(zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(4), NULL, 16));
    cr_assert_null(zc_from_data(ctx, (zc_dtype)50, ZC_SHAPE(4), data, 16));
    cr_assert_null(zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(-4), data, 16));
    cr_assert_null(zc_constant(ctx, (zc_dtype)50, data));
    cr_assert_null(zc_constant(ctx, ZC_FLOAT32, NULL));
    cr_assert_null(zc_full(ctx, ZC_SHAPE(2), (zc_dtype)50, 1));
    cr_assert_null(zc_iota(ctx, -1));
    zc_error_clear(ctx);
    zc_tensor *empty = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(0, 3), NULL, 0), *out = NULL;
    cr_assert_eq(zc_materialize(zc_keep(empty), &out), ZC_OK);
    cr_assert_eq(zc_size(out), 0);
    zc_release(empty);
    zc_release(out);
    zc_context_free(ctx);
}

Test(dtypes, names_and_sizes)
{
    static const char *const names[] = {"bool",    "int8",    "int16",    "int32",     "int64",
                                        "uint8",   "uint16",  "uint32",   "uint64",    "float32",
                                        "float64", "float16", "bfloat16", "complex64", "complex128"};
    static const size_t bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 2, 2, 8, 16};
    for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
        zc_dtype found = ZC_DTYPE_COUNT;
        cr_assert_str_eq(zc_dtype_name((zc_dtype)d), names[d]);
        cr_assert_eq(zc_dtype_bytes((zc_dtype)d), bytes[d]);
        cr_assert(zc_dtype_from_name(names[d], &found) && found == (zc_dtype)d);
    }
    zc_dtype untouched = ZC_INT16;
    cr_assert_not(zc_dtype_from_name("float31", &untouched));
    cr_assert_not(zc_dtype_from_name(NULL, &untouched));
    cr_assert_eq(untouched, ZC_INT16);
    cr_assert_str_eq(zc_dtype_name((zc_dtype)-3), "invalid");
    cr_assert_eq(zc_dtype_bytes(ZC_DTYPE_COUNT), 0);
}

/* Tensors are told apart by the addresses of their contexts, also of one that has ended. */
Test(context, none_has_the_address_of_one_that_tensors_are_of)
{
    enum { CONTEXTS = 50 };
    zc_tensor *of[CONTEXTS];
    for (int i = 0; i < CONTEXTS; i++) {
        zc_context *ctx = zc_context_new(NULL);
        for (int j = 0; j < i; j++)
            cr_expect_neq(zc_context_of(of[j]), ctx);
        of[i] = zc_iota(ctx, 3);
        zc_context_free(ctx);
    }
    for (int i = 0; i < CONTEXTS; i++)
        zc_release(of[i]);
}
