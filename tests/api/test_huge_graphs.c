/*
 * Graphs of very many nodes, a million with ZC_TEST_SCALE=20: a chain, a fan-in, diamonds with 2^20 paths and more.
 * Each is built, explained, computed and freed on a stack of 64 KiB, in time and memory that grow with the number of
 * nodes and not faster.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { NODES = 10000, MOST_NODES = 10000, STACK_BYTES = 1 << 20, IS_TIMED = false }; /* they need more of everything */
#else
enum { NODES = 50000, MOST_NODES = 1000000, STACK_BYTES = 1 << 16, IS_TIMED = true };
#endif

enum { MOST_BYTES_PER_NODE = 200 };

typedef struct graph {
    zc_context *ctx;
    zc_tensor *result;
    int64_t nodes;
    double expected;
} graph;

/* Records a graph of about that many nodes into *g. */
typedef void build(graph *g, int64_t nodes);

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static zc_tensor *ones(zc_context *ctx)
{
    static const double values[4] = {1, 1, 1, 1};
    return zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2, 2), values, sizeof values);
}

/* Takes over the reference of t. */
static zc_tensor *step(zc_tensor *t, zc_tensor *next)
{
    zc_release(t);
    return next;
}

static void chain(graph *g, int64_t nodes)
{
    zc_tensor *x = ones(g->ctx), *t = zc_retain(x);
    for (int64_t i = 0; i < nodes; i++)
        t = step(t, zc_add(t, x));
    zc_release(x);
    g->result = t;
    g->expected = 1 + (double)nodes;
}

/* 2 to the power of the nodes is the number of paths. */
static void diamonds(graph *g, int64_t nodes)
{
    zc_tensor *t = ones(g->ctx);
    for (int64_t i = 0; i < nodes; i++)
        t = step(t, zc_maximum(t, t));
    g->result = t;
    g->expected = 1;
}

/* Both ways of a diamond differ, in a view. */
static void crossed_diamonds(graph *g, int64_t nodes)
{
    zc_tensor *t = ones(g->ctx);
    for (int64_t i = 0; i < nodes; i++) {
        zc_tensor *turned = zc_matrix_transpose(t);
        t = step(t, zc_maximum(t, turned));
        zc_release(turned);
    }
    g->result = t;
    g->expected = 1;
}

/* One concat of that many operands. */
static void fan_in(graph *g, int64_t nodes)
{
    zc_tensor *x = ones(g->ctx), *row = zc_index(x, 0, 0);
    const zc_tensor **operands = malloc((size_t)nodes * sizeof *operands);
    for (int64_t i = 0; i < nodes; i++)
        operands[i] = zc_negative(row);
    g->result = zc_concat(g->ctx, (int)nodes, operands, 0);
    for (int64_t i = 0; i < nodes; i++)
        zc_release((zc_tensor *)(uintptr_t)operands[i]);
    free((void *)operands);
    zc_release(row);
    zc_release(x);
    g->expected = -1;
}

typedef struct figures {
    double built, explained, computed, freed, bytes_per_node;
} figures;

static figures measure(build *record, int64_t nodes)
{
    graph g = {.ctx = zc_context_new(&(zc_options){.threads = 1}), .nodes = nodes};
    figures f;
    double begun = seconds();
    int64_t before = zc_memory_usage(g.ctx).header_bytes;
    record(&g, nodes);
    cr_assert_not_null(g.result, "%s", zc_error_text(g.ctx));
    f.built = seconds() - begun;
    f.bytes_per_node = (double)(zc_memory_usage(g.ctx).header_bytes - before) / (double)zc_memory_usage(g.ctx).nodes;
    begun = seconds();
    char *text = NULL;
    cr_assert_eq(zc_explain(g.result, ZC_TEXT, &text), ZC_OK, "%s", zc_error_text(g.ctx));
    zc_text_free(g.ctx, text);
    f.explained = seconds() - begun;
    begun = seconds();
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(g.result, &out), ZC_OK, "%s", zc_error_text(g.ctx));
    cr_expect_eq(((const double *)zc_data(out))[1], g.expected);
    f.computed = seconds() - begun;
    begun = seconds();
    zc_release(out);
    zc_release(g.result);
    f.freed = seconds() - begun;
    cr_expect_eq(zc_memory_usage(g.ctx).nodes, 0);
    zc_context_free(g.ctx);
    cr_log_info("%8ld nodes: %.0f bytes each; built in %.3f s, explained in %.3f, computed in %.3f, freed in %.3f",
                (long)nodes, f.bytes_per_node, f.built, f.explained, f.computed, f.freed);
    return f;
}

/* A tenth of the nodes take a tenth of the time, give or take what caches and other programs do. */
static void *measure_twice(void *user)
{
    build *record = *(build **)user;
    int64_t nodes = (int64_t)NODES * zc_test_scale();
    nodes = nodes < MOST_NODES ? nodes : MOST_NODES;
    figures part = measure(record, nodes / 10), whole = measure(record, nodes);
    cr_expect(whole.bytes_per_node <= MOST_BYTES_PER_NODE, "%.0f bytes per node", whole.bytes_per_node);
    if (IS_TIMED) {
        const double most = 40, noise = 0.05;
        cr_expect(whole.built < most * part.built + noise);
        cr_expect(whole.explained < most * part.explained + noise);
        cr_expect(whole.computed < most * part.computed + noise);
        cr_expect(whole.freed < most * part.freed + noise);
    }
    return NULL;
}

static void run_on_small_stack(build *record)
{
    pthread_attr_t attributes;
    pthread_t thread;
    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    cr_assert_eq(pthread_create(&thread, &attributes, measure_twice, &record), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    (void)pthread_attr_destroy(&attributes);
}

Test(huge_graphs, a_chain)
{
    zc_skip_of_one_thread();
    run_on_small_stack(chain);
}

Test(huge_graphs, diamonds)
{
    zc_skip_of_one_thread();
    run_on_small_stack(diamonds);
}

Test(huge_graphs, crossed_diamonds)
{
    zc_skip_of_one_thread();
    run_on_small_stack(crossed_diamonds);
}

Test(huge_graphs, a_fan_in)
{
    zc_skip_of_one_thread();
    run_on_small_stack(fan_in);
}

/* ---- Header memory of the nodes and of planning them, together ---- */

typedef zc_tensor *advance(zc_context *ctx, const zc_tensor *x, const zc_tensor *y, int64_t i);

static zc_tensor *link_of(zc_context *ctx, const zc_tensor *x, const zc_tensor *y, int64_t i)
{
    (void)x, (void)i;
    return zc_add(zc_multiply(y, zc_weak_float(ctx, 0.5)), zc_weak_float(ctx, 0.1));
}

static zc_tensor *fan_of(zc_context *ctx, const zc_tensor *x, const zc_tensor *y, int64_t i)
{
    return zc_add(y, zc_multiply(x, zc_weak_float(ctx, (double)i)));
}

static zc_tensor *diamond_of(zc_context *ctx, const zc_tensor *x, const zc_tensor *y, int64_t i)
{
    (void)x, (void)i;
    return zc_multiply(zc_add(y, zc_sin(y)), zc_weak_float(ctx, 0.5));
}

static zc_tensor *ring_of(zc_context *ctx, const zc_tensor *x, const zc_tensor *y, int64_t i)
{
    (void)x, (void)i;
    return zc_multiply(zc_add(y, zc_roll(y, 1, (int64_t[]){1}, (int[]){0})), zc_weak_float(ctx, 0.5));
}

static zc_tensor *residual_of(zc_context *ctx, const zc_tensor *x, const zc_tensor *y, int64_t i)
{
    (void)ctx, (void)x, (void)i;
    zc_tensor *e = zc_exp(zc_subtract(y, zc_max(y, ZC_ALL_AXES, true)));
    return zc_add(y, zc_divide(e, zc_sum(e, ZC_ALL_AXES, true)));
}

static zc_tensor *repeat(zc_context *ctx, advance *next, int64_t nodes)
{
    enum { LENGTH = 1000 };
    static const double values[LENGTH];
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(LENGTH), values, sizeof values), *y = zc_retain(x);
    for (int64_t i = 0; zc_memory_usage(ctx).nodes < nodes; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        y = step(y, zc_retain(next(ctx, x, y, i)));
        zc_scope_end(scope);
    }
    zc_release(x);
    return y;
}

/* Just below a power of two, to which tables are rounded up. */
Test(huge_graphs, take_a_kibibyte_of_each_node)
{
    zc_skip_of_one_thread();
    enum { BYTES = 1024, COUNT = 65000 };
    static advance *const shapes[] = {link_of, fan_of, diamond_of, ring_of, residual_of};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
        zc_tensor *t = repeat(ctx, shapes[i], COUNT);
        zc_cost cost;
        int64_t recorded = zc_memory_usage(ctx).header_bytes;
        cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(ctx));
        cr_log_info("shape %zu: %.0f and %.0f bytes", i, (double)recorded / COUNT, (double)cost.plan_bytes / COUNT);
        cr_expect_leq(recorded + cost.plan_bytes, (int64_t)COUNT * BYTES, "shape %zu", i);
        zc_release(t);
        zc_context_free(ctx);
    }
}
