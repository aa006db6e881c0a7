/*
 * What is kept, where calls come between each other: a progress function that computes by another context in the middle
 * of a run, a thread that computes meanwhile, and memory whose end is told while a graph is freed.
 */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/failing.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

/* LISTED: nodes with data that keep their operands, and some more. */
enum { SIDE = 64, SIZE = SIDE * SIDE, BYTES = SIZE * 8, LISTED = 70 };

static double number_of(zc_context *ctx, const zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    return *(const double *)zc_data(out);
}

static double sum_of(const zc_tensor *t)
{
    return number_of(zc_context_of(t), zc_sum(t, ZC_ALL_AXES, false));
}

/* 0, 1/n, 2/n ... in memory that is the result's alone. */
static zc_tensor *numbers_of(zc_context *ctx, int64_t n)
{
    zc_tensor *out = NULL;
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *numbers = zc_divide(zc_astype(zc_iota(ctx, n), ZC_FLOAT64), zc_weak_float(ctx, (double)n));
    cr_assert_eq(zc_materialize(numbers, &out), ZC_OK, "%s", zc_error_text(ctx));
    (void)zc_keep_outside(out);
    zc_scope_end(scope);
    return out;
}

static int64_t nodes_of(zc_context *ctx)
{
    return zc_memory_usage(ctx).nodes;
}

/* Computes so many results of n elements, each of a node of its own that is made of three others, and holds them. */
static void hold_results(zc_context *ctx, int count, int64_t n)
{
    for (int i = 0; i < count; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *t = zc_add(zc_astype(zc_iota(ctx, n), ZC_FLOAT64), zc_weak_float(ctx, i)), *out = NULL;
        cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
        (void)zc_keep_outside(t);
        zc_scope_end(scope);
    }
}

/* ---- Another context's calls in the middle of a run ---- */

typedef struct interruption {
    void (*work)(void *user);
    void *user;
    bool is_over;
} interruption;

static bool interrupt(void *user, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    interruption *i = user;
    if (!i->is_over) {
        i->is_over = true;
        i->work(i->user);
    }
    return true;
}

/* Computes t, and does some other work when that has begun. */
static double interrupted(const zc_tensor *t, void (*work)(void *user), void *user)
{
    zc_context *ctx = zc_context_of(t);
    interruption i = {.work = work, .user = user};
    zc_set_progress(ctx, interrupt, &i);
    const double number = number_of(ctx, t);
    zc_set_progress(ctx, NULL, NULL);
    cr_assert(i.is_over);
    return number;
}

typedef struct adopted {
    const zc_tensor *first, *others[LISTED]; /* others[0]: NULL where there are none */
} adopted;

static void compute_adopted(void *user)
{
    const adopted *a = user;
    (void)sum_of(a->first);
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(a->first, &out), ZC_OK);
    for (int i = 0; i < LISTED && a->others[0] != NULL; i++)
        cr_assert_eq(zc_materialize(a->others[i], &out), ZC_OK);
}

/* Expects a node that another context computes amid the run that would buy it to be stored once and freed once. */
static void expect_computed_once(bool computes_others)
{
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    zc_context *other = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    cr_assert_eq(zc_set_cache_limit(ctx, 0), ZC_OK); /* what is freed is overwritten at once */
    zc_scope *scope = zc_scope_begin(ctx), *outer = zc_scope_begin(ctx), *others = zc_scope_begin(other);
    zc_tensor *x = numbers_of(ctx, SIZE), *y = zc_exp(x);
    adopted a = {.first = zc_adopt(other, y)};
    for (int i = 0; i < LISTED && computes_others; i++)
        a.others[i] = zc_adopt(other, zc_astype(zc_iota(ctx, i + 1), ZC_FLOAT64));
    const double sum = sum_of(y), wanted = exp((SIZE - 1.0) / SIZE);
    zc_release(x); /* y alone holds it */
    zc_cost cost = cost_of(zc_max(y, ZC_ALL_AXES, false));
    cr_assert_eq(cost.kept_bytes, BYTES, "it would be bought");
    const double number = interrupted(zc_max(y, ZC_ALL_AXES, false), compute_adopted, &a);
    cr_expect(fabs(number - wanted) < 1e-12, "%.17g, not %.17g", number, wanted);
    cr_expect(zc_is_view(y));
    cr_expect_eq(sum_of(y), sum);
    cr_expect_eq(zc_memory_usage(ctx).kept_bytes, 0, "it was asked for");
    zc_scope_end(others);
    zc_scope_end(outer);
    cr_expect_eq(nodes_of(ctx), 0);
    hold_results(ctx, LISTED, 1 << 16); /* which looks at all that is listed */
    zc_scope_end(scope);
    zc_context_free(other);
    zc_context_free(ctx);
    cr_assert_eq(state.blocks, 0);
    cr_assert_eq(state.faults, 0);
}

Test(keeping_shared, what_another_context_computes_meanwhile_is_listed_once)
{
    expect_computed_once(false);
}

Test(keeping_shared, what_gave_up_its_operands_meanwhile_is_not_listed)
{
    expect_computed_once(true);
}

/* A node that this thread is computing is computed again in between, and nobody waits for it. */
Test(keeping_shared, what_is_being_computed_is_not_waited_for, .timeout = 60)
{
    bench b = begin(), other = begin();
    zc_tensor *x = numbers_of(b.ctx, SIZE), *y = zc_exp(x), *out = NULL;
    adopted a = {.first = zc_adopt(other.ctx, y)};
    interruption i = {.work = compute_adopted, .user = &a};
    zc_set_progress(b.ctx, interrupt, &i);
    cr_assert_eq(zc_materialize(y, &out), ZC_OK, "%s", zc_error_text(b.ctx));
    zc_set_progress(b.ctx, NULL, NULL);
    cr_assert(i.is_over);
    const double wanted = sum_of(zc_exp(x));
    cr_expect_eq(sum_of(out), wanted);
    cr_expect_eq(sum_of(a.first), wanted);
    zc_scope_end(other.scope); /* each has memory of the other */
    zc_scope_end(b.scope);
    zc_context_free(other.ctx);
    zc_context_free(b.ctx);
}

/* A refusal in the middle of a run drops nothing that the run may read; behind it, there is room. */
typedef struct filling {
    zc_context *ctx;
    zc_status wanted;
} filling;

static void fill(void *user)
{
    static double values[8 * SIZE];
    const filling *f = user;
    zc_tensor *t = zc_from_data(f->ctx, ZC_FLOAT64, ZC_SHAPE(8 * SIZE), values, sizeof values);
    cr_expect_eq(zc_error_status(f->ctx), f->wanted, "%s", zc_error_text(f->ctx));
    cr_expect_eq(t != NULL, f->wanted == ZC_OK);
    zc_error_clear(f->ctx);
    zc_release(t);
}

/* A context with room for 10 nodes of BYTES, of which x and y = exp(x) take two, y without being asked for. */
static bench begin_full(zc_tensor **y)
{
    bench b = begin_with((zc_options){.threads = 1, .memory_limit = 10 * BYTES});
    *y = zc_exp(numbers_of(b.ctx, SIZE));
    (void)sum_of(*y);
    (void)sum_of(*y);
    cr_assert_eq(zc_memory_usage(b.ctx).kept_bytes, BYTES);
    return b;
}

Test(keeping_shared, nothing_is_dropped_in_the_middle_of_another_run)
{
    zc_tensor *y;
    const bench b = begin_full(&y), other = begin();
    filling f = {b.ctx, ZC_ERROR_BUDGET};
    (void)interrupted(zc_sum(zc_sin(numbers_of(other.ctx, SIZE)), ZC_ALL_AXES, false), fill, &f);
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, BYTES);
    const double wanted = sum_of(y);
    cr_expect_eq(interrupted(zc_sum(zc_adopt(other.ctx, y), ZC_ALL_AXES, false), fill, &f), wanted, "what is kept");
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, BYTES);
    f.wanted = ZC_OK;
    fill(&f);
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, 0);
    finish(other);
    finish(b);
}

/* Data that another tensor shares stays, and the refusal with it. */
Test(keeping_shared, what_is_shared_is_not_dropped)
{
    zc_tensor *y;
    const bench b = begin_full(&y);
    const double sum = sum_of(zc_exp(numbers_of(b.ctx, SIZE)));
    zc_tensor *sharing = zc_bitcast(zc_bitcast(y, ZC_INT64), ZC_FLOAT64);
    fill(&(filling){b.ctx, ZC_ERROR_BUDGET});
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, BYTES);
    cr_expect_eq(sum_of(sharing), sum);
    cr_expect_eq(sum_of(y), sum);
    finish(b);
}

/* ---- Another thread that computes meanwhile ---- */

typedef struct companion {
    zc_context *ctx;
    const zc_tensor *computed; /* by the thread */
    pthread_barrier_t meeting;
    pthread_t thread;
    bool has_met;
} companion;

/* In the middle of its run the thread waits until the other one lets it go on. */
static bool wait_once(void *user, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    companion *c = user;
    if (!c->has_met) {
        c->has_met = true;
        (void)pthread_barrier_wait(&c->meeting);
        (void)pthread_barrier_wait(&c->meeting);
    }
    return true;
}

static void *compute_beside(void *user)
{
    companion *c = user;
    zc_tensor *out = NULL;
    zc_set_progress(c->ctx, wait_once, c);
    cr_expect_eq(zc_materialize(c->computed, &out), ZC_OK);
    zc_set_progress(c->ctx, NULL, NULL);
    return NULL;
}

/* Returns when the thread is in the middle of computing t, of a context that is nobody else's. */
static void begin_beside(companion *c, const zc_tensor *t)
{
    *c = (companion){.ctx = zc_context_of(t), .computed = t};
    cr_assert_eq(pthread_barrier_init(&c->meeting, NULL, 2), 0);
    cr_assert_eq(pthread_create(&c->thread, NULL, compute_beside, c), 0);
    (void)pthread_barrier_wait(&c->meeting);
}

static void end_beside(companion *c)
{
    (void)pthread_barrier_wait(&c->meeting);
    (void)pthread_join(c->thread, NULL);
    (void)pthread_barrier_destroy(&c->meeting);
}

/* Two contexts that share nodes. */
static void share(zc_context *ctx, zc_context *other)
{
    zc_release(zc_keep(zc_adopt(other, zc_iota(ctx, 2))));
}

/* While a thread follows edges of shared nodes, none are given up: results hold what they were made from. */
Test(keeping_shared, operands_stay_while_another_thread_computes)
{
    enum { MADE_FROM = 3, GROWN = 20, LARGE = 1 << 17 };
    const bench b = begin(), other = begin();
    companion c;
    share(b.ctx, other.ctx);
    begin_beside(&c, zc_sum(zc_exp(numbers_of(other.ctx, SIZE)), ZC_ALL_AXES, false));
    const int64_t before = nodes_of(b.ctx);
    hold_results(b.ctx, LISTED, 2);
    cr_expect_geq(nodes_of(b.ctx) - before, LISTED * (1 + MADE_FROM), "all operands are there");
    zc_tensor *big = numbers_of(b.ctx, LARGE);
    for (int i = 0; i < GROWN; i++) /* each alone holds a megabyte */
        (void)sum_of(zc_add(numbers_of(b.ctx, LARGE), big));
    end_beside(&c);
    const int64_t held = nodes_of(b.ctx);
    hold_results(b.ctx, LISTED, 2);
    cr_expect_lt(nodes_of(b.ctx) - held, LISTED * (1 + MADE_FROM) - MADE_FROM, "the list has its length again");
    finish(b);
    finish(other);
}

/* Nor is anything dropped then, and a call that needs room is refused. */
Test(keeping_shared, nothing_is_dropped_while_another_thread_computes)
{
    zc_tensor *y;
    const bench b = begin_full(&y), other = begin();
    companion c;
    share(b.ctx, other.ctx);
    begin_beside(&c, zc_sum(zc_exp(numbers_of(other.ctx, SIZE)), ZC_ALL_AXES, false));
    fill(&(filling){b.ctx, ZC_ERROR_BUDGET});
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, BYTES);
    end_beside(&c);
    fill(&(filling){b.ctx, ZC_OK});
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, 0);
    finish(b);
    finish(other);
}

/* Nodes that another thread is computing for good are not kept beside. */
Test(keeping_shared, what_another_thread_computes_is_left_to_it)
{
    const bench b = begin(), other = begin();
    zc_tensor *x = numbers_of(b.ctx, SIZE), *y = zc_exp(x);
    const double wanted = sum_of(zc_exp(x));
    companion c;
    begin_beside(&c, zc_adopt(other.ctx, y));
    for (int i = 0; i < 3; i++)
        cr_expect_eq(sum_of(y), wanted);
    cr_expect_eq(zc_memory_usage(b.ctx).kept_bytes, 0);
    cr_expect_not(zc_is_view(y));
    end_beside(&c);
    cr_expect(zc_is_view(y));
    cr_expect_eq(sum_of(y), wanted);
    zc_scope_end(other.scope); /* each has memory of the other */
    zc_scope_end(b.scope);
    zc_context_free(other.ctx);
    zc_context_free(b.ctx);
}

/* ---- Memory whose end is told while a graph is freed ---- */

typedef struct ending {
    void (*work)(zc_context *ctx);
    zc_context *ctx;
    bool is_over;
} ending;

static void at_the_end(void *user, void *memory)
{
    (void)memory;
    ending *e = user;
    e->is_over = true;
    e->work(e->ctx);
}

/* Frees a sum of lent memory and of a computed node: when the memory's end is told, nothing leads to the node any more,
 * but it is still listed. */
static void free_between(zc_context *ctx, void (*work)(zc_context *ctx))
{
    static const double lent[SIZE];
    ending e = {.work = work, .ctx = ctx};
    zc_tensor *out = NULL;
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *made = zc_add(numbers_of(ctx, SIZE), zc_weak_float(ctx, 1));
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, ZC_SHAPE(SIZE), NULL, 0, lent, sizeof lent, at_the_end, &e);
    cr_assert_eq(zc_materialize(made, &out), ZC_OK);
    zc_tensor *sum = zc_keep(zc_add(made, x));
    zc_scope_end(scope);
    cr_assert_not(e.is_over);
    zc_release(sum);
    cr_assert(e.is_over);
}

static void hold_small(zc_context *ctx)
{
    hold_results(ctx, LISTED, 2);
}

/* Each result is the only one that holds a megabyte. */
static void hold_large(zc_context *ctx)
{
    for (int i = 0; i < 20; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *t = zc_negative(numbers_of(ctx, 1 << 17)), *out = NULL;
        cr_assert_eq(zc_materialize(t, &out), ZC_OK);
        (void)zc_keep_outside(t);
        zc_scope_end(scope);
    }
}

static void hold_too_much(zc_context *ctx)
{
    fill(&(filling){ctx, ZC_ERROR_BUDGET});
}

Test(keeping_shared, a_node_that_is_being_freed_is_left_alone)
{
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    void (*const works[])(zc_context * ctx) = {hold_small, hold_large, hold_too_much};
    for (int i = 0; i < 3; i++) {
        const int64_t limit = i < 2 ? 0 : 6 * BYTES;
        const bench b = begin_with((zc_options){.allocator = &allocator, .threads = 1, .memory_limit = limit});
        free_between(b.ctx, works[i]);
        finish(b);
        cr_expect_eq(state.blocks, 0);
        cr_expect_eq(state.faults, 0);
    }
}
