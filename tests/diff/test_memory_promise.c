/*
 * The memory promise: what zc_cost_of predicts is what the allocator is asked for.
 *
 * Formula: zc_cost.peak_bytes = the most data bytes alive while zc_materialize runs, less those alive before. The
 * measuring allocator knows nothing of plans: it counts the blocks that are aligned as data is.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/memory/heap.h"
#include "tests/diff/graph.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { GRAPHS = 400 };

/* Data bytes alive, and the most of them. Threads of one context may allocate at once. */
typedef struct meter {
    _Atomic int64_t alive_bytes;
    _Atomic int64_t peak_bytes;
} meter;

static void *take(void *user, size_t bytes, size_t alignment)
{
    meter *m = user;
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, bytes) != 0)
        return NULL;
    if (alignment == ZC_DATA_ALIGNMENT) {
        int64_t alive = atomic_fetch_add(&m->alive_bytes, (int64_t)bytes) + (int64_t)bytes;
        int64_t peak = atomic_load(&m->peak_bytes);
        while (peak < alive && !atomic_compare_exchange_weak(&m->peak_bytes, &peak, alive)) {
        }
    }
    return memory;
}

static void give(void *user, void *memory, size_t bytes, size_t alignment)
{
    meter *m = user;
    if (alignment == ZC_DATA_ALIGNMENT)
        atomic_fetch_sub(&m->alive_bytes, (int64_t)bytes);
    free(memory);
}

/* What zc_materialize takes beyond what is there, as the allocator sees it; the context has to agree. */
static int64_t measure(meter *m, const zc_tensor *t)
{
    zc_context *ctx = zc_context_of(t);
    zc_tensor *out = NULL;
    int64_t before = m->alive_bytes, held = zc_memory_usage(ctx).held_bytes;
    atomic_store(&m->peak_bytes, before);
    zc_memory_reset_peak(ctx);
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    int64_t peak = m->peak_bytes - before;
    cr_assert_eq(zc_memory_usage(ctx).peak_bytes - held, peak, "the context and its allocator count differently");
    return peak;
}

/* Windows and whole tensors, the last one first, since it is the deepest. Returns how many were measured. */
static int64_t check_graph(meter *m, graph *g)
{
    int64_t measured = 0;
    for (int k = 0; k < 4; k++) {
        const item *it = k == 0 ? &g->items[g->count - 1] : pick_item(g);
        zc_tensor *t = it->lazy;
        if (it->array.rank > 0 && it->array.shape[0] > 1 && zc_random_bool())
            t = zc_slice(t, 0, 0, zc_random_range(1, it->array.shape[0]), 1);
        zc_cost cost;
        cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(g->ctx));
        int64_t peak = measure(m, t);
        cr_assert_eq(cost.peak_bytes, peak, "%ld bytes predicted, %ld measured", (long)cost.peak_bytes, (long)peak);
        measured += peak > 0;
    }
    return measured;
}

static void check_graphs(zc_executor executor, int threads, const char *name)
{
    meter m = {0};
    zc_allocator allocator = {&m, take, give};
    zc_random_begin(name);
    int64_t graphs = (int64_t)GRAPHS * zc_test_scale(), measured = 0;
    for (int64_t i = 0; i < graphs; i++) {
        graph g = {
            .ctx = zc_context_new(&(zc_options){.allocator = &allocator, .executor = executor, .threads = threads})};
        g.scope = zc_scope_begin(g.ctx);
        grow(&g, (int)zc_random_range(1, 30));
        measured += check_graph(&m, &g);
        zc_scope_end(g.scope);
        zc_context_free(g.ctx);
        cr_assert_eq(m.alive_bytes, 0, "data memory is left");
        eager_free_all();
    }
    cr_log_info("%ld graphs: %ld peaks are as predicted", (long)graphs, (long)measured);
    cr_assert_gt(measured, graphs);
}

Test(memory_promise, of_one_thread)
{
    check_graphs(ZC_EXECUTOR_TILE, 1, "memory_promise/one");
}

Test(memory_promise, of_many_threads)
{
    check_graphs(ZC_EXECUTOR_TILE, 2, "memory_promise/two");
    check_graphs(ZC_EXECUTOR_TILE, 7, "memory_promise/seven");
}

Test(memory_promise, of_the_reference_executor)
{
    check_graphs(ZC_EXECUTOR_REFERENCE, 1, "memory_promise/reference");
}

/* ---- By hand ---- */

static zc_tensor *floats(zc_context *ctx, int64_t n)
{
    float *values = calloc((size_t)n, sizeof *values);
    zc_tensor *t = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(n), values, (size_t)n * sizeof *values);
    free(values);
    return t;
}

/* One float seen 10^15 times over holds a float, also in what is computed from it. */
Test(memory_promise, a_broadcast_of_a_float_holds_a_float)
{
    enum { MOST = 1024 };
    meter m = {0};
    zc_allocator allocator = {&m, take, give};
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    int64_t before = m.alive_bytes;
    zc_tensor *wide = zc_broadcast_to(floats(ctx, 1), ZC_SHAPE(INT64_C(1000000000000000)));
    zc_tensor *sum = zc_add(zc_multiply(wide, wide), zc_weak_float(ctx, 1)), *out = NULL;
    cr_assert_eq(zc_size(sum), INT64_C(1000000000000000));
    cr_assert_leq(m.peak_bytes - before, MOST);
    cr_assert_leq(zc_memory_usage(ctx).held_bytes, MOST);
    cr_assert_eq(zc_compact(sum, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(*(const float *)zc_data(out), 1.0F);
    cr_assert_eq(zc_materialize(zc_slice(sum, 0, 17, 18, 1), &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_materialize(zc_max(sum, ZC_ALL_AXES, false), &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(*(const float *)zc_data(out), 1.0F);
    cr_assert_leq(m.peak_bytes - before, MOST, "%ld bytes were alive", (long)(m.peak_bytes - before));
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* No intermediate result of a chain is held: a * b + c takes its result. */
Test(memory_promise, a_chain_peaks_at_its_output)
{
    const int64_t n = 100000;
    for (int threads = 1; threads <= 8; threads *= 2) {
        meter m = {0};
        zc_allocator allocator = {&m, take, give};
        zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = threads});
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *t = zc_add(zc_multiply(floats(ctx, n), floats(ctx, n)), floats(ctx, n));
        zc_cost cost;
        cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(ctx));
        cr_assert_eq(cost.peak_bytes, 4 * n);
        cr_assert_eq(measure(&m, t), 4 * n);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}
