/*
 * The bits of a result depend on the recorded expression alone: not on the part that is asked for, on what was computed
 * before, nor on what else is computed with it.
 *
 * A random expression is recorded in a context per treatment. Nothing is done to the first; in the others some of its
 * tensors are computed first, or have a further consumer in the same plan.
 */
#include <string.h>

#include "tests/diff/expression.h"
#include "tests/diff/same.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { EXPRESSIONS = 400, SMOOTH = 200 };

typedef enum treatment {
    NOTHING,
    WINDOWS,    /* windows of the results are computed, and nothing else */
    AT_ONCE,    /* every tensor is computed as soon as it is recorded */
    AFTERWARDS, /* all are computed in random order when all are recorded */
    COMPACTLY,  /* likewise, by zc_compact */
    CONSUMERS,  /* the result is part of a plan in which every tensor has one consumer more */
    TREATMENTS
} treatment;

static const char *const names[TREATMENTS] = {"nothing",    "a window",  "computed at once",
                                              "afterwards", "compactly", "with more consumers"};

static void compute_in_random_order(const pool *p, bool compact)
{
    int order[MOST_ITEMS];
    for (int i = 0; i < p->count; i++) {
        int j = (int)zc_random_range(0, i);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < p->count; i++) {
        zc_tensor *out = NULL, *t = p->items[order[i]];
        zc_status status = compact ? zc_compact(t, &out) : zc_materialize(t, &out);
        cr_assert_eq(status, ZC_OK, "%s", zc_error_text(p->ctx));
    }
}

/* The result, and behind it something made of every tensor: one concat, so one plan. */
static zc_tensor *with_more_consumers(const pool *p, const zc_tensor *result)
{
    const zc_tensor *parts[MOST_ITEMS + 1] = {zc_reshape(result, ZC_SHAPE(-1))};
    for (int i = 0; i < p->count; i++) {
        zc_tensor *differs = zc_not_equal(p->items[i], p->items[i]);
        parts[i + 1] = zc_astype(zc_reshape(differs, ZC_SHAPE(-1)), zc_dtype_of(result));
    }
    return zc_concat(p->ctx, p->count + 1, parts, 0);
}

/* A window of what is lazy has the bits of that window of the whole. */
static void check_window(const pool *p, const pool *of_wanted, const zc_tensor *wanted, const zc_tensor *lazy)
{
    if (zc_size(lazy) == 0)
        return;
    int64_t shape[ZC_MAX_RANK], first[ZC_MAX_RANK];
    const zc_tensor *window = lazy, *same = wanted;
    for (int a = 0; a < zc_rank(lazy); a++) {
        first[a] = zc_random_range(0, zc_shape(lazy)[a] - 1);
        shape[a] = zc_random_range(1, zc_shape(lazy)[a] - first[a]);
        window = zc_slice(window, a, first[a], first[a] + shape[a], 1);
        same = zc_slice(same, a, first[a], first[a] + shape[a], 1);
    }
    expect_same(materialized(of_wanted, same), materialized(p, window), 0, names[WINDOWS]);
}

static void treat(pool *p, treatment how, const expression *e)
{
    for (int i = 0; i < e->step_count; i++) {
        expression_step(p, &e->steps[i]);
        if (how == AT_ONCE)
            (void)materialized(p, p->items[p->count - 1]);
    }
    if (how == AFTERWARDS || how == COMPACTLY)
        compute_in_random_order(p, how == COMPACTLY);
}

/* Every tensor in every treatment: the last one first, of which as little as possible is there then. */
static void check_results(const pool *pools)
{
    for (int i = pools[0].count - 1; i >= 0; i--) {
        zc_tensor *wanted = materialized(&pools[NOTHING], pools[NOTHING].items[i]);
        for (int w = 1; w < TREATMENTS; w++) {
            const pool *p = &pools[w];
            if (w == WINDOWS)
                check_window(p, &pools[NOTHING], wanted, p->items[i]);
            else if (w == CONSUMERS)
                expect_same(materialized(p, with_more_consumers(p, p->items[i])), wanted, 0, names[w]);
            else
                expect_same(wanted, materialized(p, p->items[i]), 0, names[w]);
        }
    }
}

/* The gradients with respect to the inputs take the place of the tensors. */
static void add_gradients(pool *p)
{
    zc_tensor *gradients[LEAVES];
    cr_assert_eq(zc_vjp(p->items[p->count - 1], NULL, LEAVES, (const zc_tensor *const *)p->items, gradients), ZC_OK,
                 "%s", zc_error_text(p->ctx));
    memcpy(p->items, gradients, sizeof gradients);
    p->count = LEAVES;
}

static void run_expressions(const char *name, int count, bool is_smooth, bool has_gradients)
{
    zc_context *contexts[TREATMENTS];
    for (int w = 0; w < TREATMENTS; w++)
        contexts[w] = zc_context_new(NULL);
    zc_random_begin(name);
    for (int i = 0; i < zc_test_count(count); i++) {
        expression e = expression_draw(is_smooth);
        pool pools[TREATMENTS];
        for (int w = 0; w < TREATMENTS; w++)
            pools[w] = (pool){.ctx = contexts[w], .scope = zc_scope_begin(contexts[w])};
        expression_add_leaves(&e, pools, TREATMENTS);
        for (int w = 0; w < TREATMENTS; w++) {
            treat(&pools[w], (treatment)w, &e);
            if (has_gradients)
                add_gradients(&pools[w]);
        }
        check_results(pools);
        for (int w = 0; w < TREATMENTS; w++)
            zc_scope_end(pools[w].scope);
        expression_free(&e);
    }
    for (int w = 0; w < TREATMENTS; w++)
        zc_context_free(contexts[w]);
}

Test(recorded_bits, are_the_same_for_windows_and_whatever_else_is_computed)
{
    run_expressions("recorded_bits", EXPRESSIONS, false, false);
}

/* Floats, of which more steps are sums. */
Test(recorded_bits, of_floats_are_the_same_for_windows_and_whatever_else_is_computed)
{
    run_expressions("recorded_bits/floats", EXPRESSIONS, true, false);
}

Test(recorded_bits, of_gradients_are_the_same_for_windows_and_whatever_else_is_computed)
{
    run_expressions("recorded_bits/gradients", SMOOTH, true, true);
}
