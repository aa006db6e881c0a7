/*
 * The same bits from every way to compute a result: the tile executor with one, two and three threads, the reference
 * executor, and window by window.
 *
 * A random expression is recorded over the same inputs, of every dtype and many layouts, in a context per way; and then
 * again over other inputs, so that the second time its plans are those that the contexts kept from the first. The
 * contexts stay for all expressions: what they keep must not be taken for what it is not.
 *
 * Of expressions that are smooth, made of floats by operations that have gradients, the gradients with respect to the
 * inputs are computed in all those ways, too.
 */
#include "tests/diff/expression.h"
#include "tests/diff/same.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { EXPRESSIONS = 400, SMOOTH = 250, WAYS = 4 };

static const zc_options ways[WAYS] = {{.executor = ZC_EXECUTOR_REFERENCE, .threads = 1},
                                      {.executor = ZC_EXECUTOR_TILE, .threads = 1},
                                      {.executor = ZC_EXECUTOR_TILE, .threads = 2},
                                      {.executor = ZC_EXECUTOR_TILE, .threads = 3}};

/* One result of each way: rows of it, computed alone before the whole is, so that the planner sees another domain; then
 * all of it. */
static void check_result(const pool *pools, zc_tensor *const *results)
{
    static const char *const names[] = {"reference", "one thread", "two threads", "three threads"};
    int64_t rows = zc_rank(results[0]) > 0 && zc_size(results[0]) > 0 ? zc_shape(results[0])[0] : 0;
    int64_t first = rows > 0 ? zc_random_range(0, rows - 1) : 0,
            count = rows > 0 ? zc_random_range(1, rows - first) : 0;
    zc_tensor *windows[WAYS] = {NULL}, *wanted = NULL;
    for (int w = 0; w < WAYS; w++) {
        if (rows > 0)
            windows[w] = materialized(&pools[w], zc_slice(results[w], 0, first, first + count, 1));
        zc_tensor *whole = materialized(&pools[w], results[w]);
        wanted = w == 0 ? whole : wanted;
        expect_same(wanted, whole, 0, names[w]);
        if (rows > 0)
            expect_same(wanted, windows[w], first * (zc_size(wanted) / rows), "window");
    }
}

/* The gradients with respect to the inputs, which are the first of each pool. */
static void check_gradients(const pool *pools, int last)
{
    zc_tensor *gradients[WAYS][LEAVES], *results[WAYS];
    for (int w = 0; w < WAYS; w++)
        cr_assert_eq(zc_vjp(pools[w].items[last], NULL, LEAVES, (const zc_tensor *const *)pools[w].items, gradients[w]),
                     ZC_OK, "%s", zc_error_text(pools[w].ctx));
    for (int l = 0; l < LEAVES; l++) {
        for (int w = 0; w < WAYS; w++)
            results[w] = gradients[w][l];
        check_result(pools, results);
    }
}

static void run_expression(zc_context *const *contexts, expression *e)
{
    pool pools[WAYS];
    zc_tensor *results[WAYS];
    for (int w = 0; w < WAYS; w++)
        pools[w] = (pool){.ctx = contexts[w], .scope = zc_scope_begin(contexts[w])};
    expression_add_leaves(e, pools, WAYS);
    for (int i = 0; i < e->step_count; i++) {
        for (int w = 0; w < WAYS; w++)
            expression_step(&pools[w], &e->steps[i]);
    }
    int last = pools[0].count - 1;
    for (int w = 0; w < WAYS; w++) {
        cr_assert_eq(pools[w].count, last + 1);
        results[w] = pools[w].items[last];
    }
    check_result(pools, results);
    if (e->is_smooth)
        check_gradients(pools, last);
    for (int w = 0; w < WAYS; w++)
        zc_scope_end(pools[w].scope);
}

static void run_expressions(const char *name, int count, bool is_smooth)
{
    zc_context *contexts[WAYS];
    for (int w = 0; w < WAYS; w++)
        contexts[w] = zc_context_new(&ways[w]);
    zc_random_begin(name);
    for (int i = 0; i < zc_test_count(count); i++) {
        expression e = expression_draw(is_smooth);
        run_expression(contexts, &e);
        run_expression(contexts, &e);
        expression_free(&e);
    }
    for (int w = 0; w < WAYS; w++)
        zc_context_free(contexts[w]);
}

Test(executors, give_the_same_bits_for_any_thread_count_and_window)
{
    run_expressions("executors", EXPRESSIONS, false);
}

Test(executors, give_gradients_the_same_bits)
{
    run_expressions("executors/gradients", SMOOTH, true);
}
