/*
 * Random lazy graphs against the eager oracle: some tensors of each graph are materialised, whole or as windows,
 * compactly or into foreign strides, by both executors and several thread counts.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/diff/graph.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { GRAPHS = 1500 };

/* ---- Looking at results ---- */

static void check_materialize(graph *g, const item *it)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(it->lazy, &out), ZC_OK, "%s", zc_error_text(g->ctx));
    expect_elements(g, out, &it->array, "materialize");
}

static void check_compact(graph *g, const item *it)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_compact(it->lazy, &out), ZC_OK, "%s", zc_error_text(g->ctx));
    expect_elements(g, out, &it->array, "compact");
}

/* A window that two slices cut out; only it is computed. */
static void check_window(graph *g, const item *it)
{
    zc_tensor *window = it->lazy, *out = NULL;
    eager array = it->array;
    for (int a = 0; a < it->array.rank; a++) {
        int64_t n = array.shape[a];
        if (n == 0)
            return;
        int64_t first = zc_random_range(0, n - 1), count = zc_random_range(1, n - first);
        window = zc_slice(window, a, first, first + count, 1);
        array = eager_slice(&array, a, first, 1, count);
    }
    cr_assert_eq(zc_materialize(window, &out), ZC_OK, "%s", zc_error_text(g->ctx));
    expect_elements(g, out, &array, "window");
}

/* Into memory whose axes stand in reverse order, with gaps. */
static void check_into(graph *g, const item *it)
{
    int64_t stride[EAGER_RANK], step = 2;
    for (int a = 0; a < it->array.rank; a++) {
        stride[a] = step;
        step *= it->array.shape[a] > 0 ? it->array.shape[a] : 1;
    }
    int64_t *memory = malloc((size_t)step * sizeof *memory);
    memset(memory, 0x5a, (size_t)step * sizeof *memory);
    cr_assert_eq(zc_materialize_into(it->lazy, memory, (size_t)step * sizeof *memory, stride, 0), ZC_OK, "%s",
                 zc_error_text(g->ctx));
    for (int64_t i = 0; i < it->array.size; i++) {
        int64_t at = 0, rest = i;
        for (int a = it->array.rank - 1; a >= 0; a--) {
            at += rest % it->array.shape[a] * stride[a];
            rest /= it->array.shape[a];
        }
        cr_assert_eq(memory[at], it->array.data[i], "into: element %ld", (long)i);
    }
    for (int64_t i = 1; i < step; i += 2)
        cr_assert_eq(memory[i], 0x5a5a5a5a5a5a5a5a, "into: a gap was written");
    free(memory);
}

static void check_cost(graph *g, const item *it)
{
    zc_cost cost;
    cr_assert_eq(zc_cost_of(it->lazy, &cost), ZC_OK, "%s", zc_error_text(g->ctx));
    cr_assert_eq(cost.logical_bytes, it->array.size * 8);
}

/* The item, others, and windows of them, in one run whose peak is exact. */
static void check_several(graph *g, const item *it)
{
    enum { MOST = 6 };
    const zc_tensor *wanted[MOST];
    zc_tensor *out[MOST];
    eager arrays[MOST];
    int count = (int)zc_random_range(2, MOST);
    for (int i = 0; i < count; i++) {
        const item *other = i == 0 ? it : pick_item(g);
        wanted[i] = other->lazy;
        arrays[i] = other->array;
        int64_t rows = other->array.rank > 0 ? other->array.shape[0] : 0;
        if (rows > 0 && zc_random_bool()) {
            int64_t first = zc_random_range(0, rows - 1), length = zc_random_range(1, rows - first);
            wanted[i] = zc_slice(other->lazy, 0, first, first + length, 1);
            arrays[i] = eager_slice(&other->array, 0, first, 1, length);
        }
    }
    zc_cost cost;
    int64_t held = zc_memory_usage(g->ctx).held_bytes;
    cr_assert_eq(zc_cost_of_all(count, wanted, &cost), ZC_OK, "%s", zc_error_text(g->ctx));
    zc_memory_reset_peak(g->ctx);
    cr_assert_eq(zc_materialize_all(count, wanted, out), ZC_OK, "%s", zc_error_text(g->ctx));
    cr_assert_eq(zc_memory_usage(g->ctx).peak_bytes - held, cost.peak_bytes);
    for (int i = 0; i < count; i++)
        expect_elements(g, out[i], &arrays[i], "several");
}

static void run_graphs(zc_executor executor, int threads, const char *name)
{
    static void (*const checks[])(graph *, const item *) = {check_materialize, check_compact, check_window,
                                                            check_window,      check_into,    check_cost,
                                                            check_several,     check_several};
    zc_random_begin(name);
    for (int i = 0; i < zc_test_count(GRAPHS); i++) {
        graph g = {.ctx = zc_context_new(&(zc_options){.executor = executor, .threads = threads})};
        g.scope = zc_scope_begin(g.ctx);
        grow(&g, (int)zc_random_range(1, 30));
        for (int k = 0; k < 4; k++)
            checks[pick(sizeof checks / sizeof *checks)](&g, pick_item(&g));
        checks[pick(sizeof checks / sizeof *checks)](&g, &g.items[g.count - 1]);
        zc_scope_end(g.scope);
        cr_assert_eq(zc_memory_usage(g.ctx).held_bytes, 0, "data memory is left");
        zc_context_free(g.ctx);
        eager_free_all();
    }
    cr_log_info("%d graphs agree with the oracle", zc_test_count(GRAPHS));
}

Test(graphs, tile_executor_agrees_with_eager_oracle)
{
    zc_skip_of_one_thread();
    run_graphs(ZC_EXECUTOR_TILE, 1, "graphs/tile");
}

Test(graphs, two_threads_agree_with_eager_oracle)
{
    run_graphs(ZC_EXECUTOR_TILE, 2, "graphs/threads");
}

Test(graphs, reference_executor_agrees_with_eager_oracle)
{
    zc_skip_of_one_thread();
    run_graphs(ZC_EXECUTOR_REFERENCE, 1, "graphs/reference");
}
