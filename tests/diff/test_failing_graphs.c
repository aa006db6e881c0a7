/*
 * Random graphs while allocations fail: recording fails anywhere, computing at every allocation in turn, once and from
 * there on. A failure is told as one, leaves no block, and everything recorded before it still has its right elements.
 */
#include "tests/diff/graph.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { GRAPHS = 400, MOST_STEPS = 25, MOST_CALLS = 100000 };

static graph begin(zc_failing *state, zc_allocator *allocator, zc_executor executor, int threads)
{
    *state = (zc_failing){0};
    *allocator = zc_failing_allocator(state);
    graph g = {.ctx = zc_context_new(&(zc_options){.allocator = allocator, .executor = executor, .threads = threads})};
    g.scope = zc_scope_begin(g.ctx);
    return g;
}

static void end(graph *g, const zc_failing *state)
{
    zc_scope_end(g->scope);
    zc_context_free(g->ctx);
    eager_free_all();
    cr_assert(state->blocks == 0 && state->faults == 0, "%ld blocks are left, %ld came back wrong", (long)state->blocks,
              (long)state->faults);
}

static void fail_from_here(zc_failing *state, int64_t k, bool is_sticky)
{
    state->is_sticky = is_sticky;
    state->fail_at = state->calls + k;
}

/* ---- Computing ---- */

/* Every allocation of one call fails in turn; without the plans that the context keeps, or with them. */
static void fail_each(graph *g, zc_failing *state, const item *it, bool is_sticky)
{
    zc_tensor *out = NULL;
    for (int64_t k = 1; out == NULL; k++) {
        cr_assert_lt(k, MOST_CALLS, "it never gets through");
        if (!is_sticky)
            zc_context_trim(g->ctx);
        int64_t held = zc_memory_usage(g->ctx).held_bytes;
        fail_from_here(state, k, is_sticky);
        zc_status status = zc_compact(it->lazy, &out);
        state->fail_at = 0;
        cr_assert_eq(status == ZC_OK, out != NULL);
        if (status != ZC_OK) {
            cr_assert_eq(status, ZC_ERROR_MEMORY, "%s", zc_error_text(g->ctx));
            cr_assert_eq(zc_memory_usage(g->ctx).held_bytes, held, "data memory is left");
            zc_error_clear(g->ctx);
        }
    }
    expect_elements(g, out, &it->array, "compact, after failures");
}

static void compute_graphs(zc_executor executor, int threads, const char *name)
{
    zc_random_begin(name);
    for (int i = 0; i < zc_test_count(GRAPHS); i++) {
        zc_failing state;
        zc_allocator allocator;
        graph g = begin(&state, &allocator, executor, threads);
        grow(&g, (int)zc_random_range(1, MOST_STEPS));
        for (int k = g.count - 1; k >= 0; k--)
            fail_each(&g, &state, &g.items[k], zc_random_bool());
        end(&g, &state);
    }
}

Test(failing_graphs, computing_fails_at_every_allocation)
{
    zc_skip_of_one_thread();
    compute_graphs(ZC_EXECUTOR_TILE, 1, "failing_graphs/tile");
}

Test(failing_graphs, computing_on_threads_fails_at_every_allocation)
{
    compute_graphs(ZC_EXECUTOR_TILE, 3, "failing_graphs/threads");
}

Test(failing_graphs, the_reference_executor_fails_at_every_allocation)
{
    zc_skip_of_one_thread();
    compute_graphs(ZC_EXECUTOR_REFERENCE, 1, "failing_graphs/reference");
}

/* ---- Recording ---- */

/* A few failures while a graph is recorded; what was recorded is computed afterwards. */
Test(failing_graphs, recording_fails_anywhere)
{
    zc_skip_of_one_thread();
    zc_random_begin("failing_graphs/recording");
    for (int i = 0; i < zc_test_count(3 * GRAPHS); i++) {
        zc_failing state;
        zc_allocator allocator;
        graph g = begin(&state, &allocator, ZC_EXECUTOR_TILE, 1);
        grow(&g, 0);
        g.may_fail = true;
        for (int k = 0; k < 5; k++) {
            fail_from_here(&state, zc_random_range(1, 12), zc_random_bool());
            grow(&g, 3);
            zc_error_clear(g.ctx);
        }
        state.fail_at = 0;
        for (int k = 0; k < g.count; k++) {
            zc_tensor *out = NULL;
            cr_assert_eq(zc_materialize(g.items[k].lazy, &out), ZC_OK, "%s", zc_error_text(g.ctx));
            expect_elements(&g, out, &g.items[k].array, "recorded among failures");
        }
        end(&g, &state);
    }
}
