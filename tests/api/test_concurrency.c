/* Threads that share graphs, each in a context of its own; and processes that were forked while others computed. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/child.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { THREADS = 8 };

/* Runs the function once per thread, the threads beginning together. */
typedef struct crew {
    void (*work)(struct crew *crew, int number);
    void *user;
    pthread_barrier_t start;
} crew;

typedef struct member {
    crew *crew;
    int number;
} member;

static void *join_in(void *user)
{
    member *m = user;
    (void)pthread_barrier_wait(&m->crew->start);
    m->crew->work(m->crew, m->number);
    return NULL;
}

static void run_crew(void (*work)(crew *crew, int number), void *user)
{
    crew c = {.work = work, .user = user};
    member members[THREADS];
    pthread_t threads[THREADS];
    cr_assert_eq(pthread_barrier_init(&c.start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        members[i] = (member){&c, i};
        cr_assert_eq(pthread_create(&threads[i], NULL, join_in, &members[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    (void)pthread_barrier_destroy(&c.start);
}

/* ---- Many operations on shared graphs ---- */

enum { ROWS = 5, COLUMNS = 7, SHARED = 6 };

typedef struct shared_graph {
    zc_tensor *tensors[SHARED];
    double elements[SHARED][ROWS][COLUMNS];
    int operations;
    _Atomic int64_t wrong;
} shared_graph;

/* x, and what is computed of it: shared operands, a view, a reduction that is broadcast, a copy. */
static void make_shared(zc_context *ctx, shared_graph *g)
{
    double values[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            values[i][j] = (double)(zc_random_range(-50, 50));
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(ROWS, COLUMNS), values, sizeof values);
    g->tensors[0] = x;
    g->tensors[1] = zc_add(x, x);
    g->tensors[2] = zc_multiply(g->tensors[1], x);
    g->tensors[3] = zc_flip(g->tensors[2], ZC_AXES(0, 1));
    g->tensors[4] = zc_broadcast_to(zc_sum(g->tensors[1], ZC_AXES(1), true), ZC_SHAPE(ROWS, COLUMNS));
    g->tensors[5] = zc_cumulative_sum(g->tensors[2], 1, false);
    for (int i = 0; i < ROWS; i++) {
        double sum = 0, run = 0;
        for (int j = 0; j < COLUMNS; j++)
            sum += 2 * values[i][j];
        for (int j = 0; j < COLUMNS; j++) {
            double v = values[i][j], turned = values[ROWS - 1 - i][COLUMNS - 1 - j];
            run += 2 * v * v;
            const double expected[SHARED] = {v, 2 * v, 2 * v * v, 2 * turned * turned, sum, run};
            for (int s = 0; s < SHARED; s++)
                g->elements[s][i][j] = expected[s];
        }
    }
}

/* Several of the shared tensors, in any order, in one run. */
static bool compute_several(zc_context *ctx, const shared_graph *g)
{
    const zc_tensor *wanted[SHARED];
    zc_tensor *out[SHARED];
    int chosen[SHARED], count = (int)zc_random_range(2, SHARED);
    for (int i = 0; i < count; i++) {
        chosen[i] = (int)zc_random_range(0, SHARED - 1);
        wanted[i] = zc_adopt(ctx, g->tensors[chosen[i]]);
    }
    bool right = zc_materialize_all(count, wanted, out) == ZC_OK;
    for (int i = 0; i < count && right; i++)
        right = memcmp(zc_data(out[i]), g->elements[chosen[i]], sizeof g->elements[0]) == 0;
    return right;
}

/* One random operation on two of the shared tensors, of which one element or all are computed. */
static bool operate(zc_context *ctx, const shared_graph *g)
{
    int a = (int)zc_random_range(0, SHARED - 1), b = (int)zc_random_range(0, SHARED - 1);
    int i = (int)zc_random_range(0, ROWS - 1), j = (int)zc_random_range(0, COLUMNS - 1);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_adopt(ctx, g->tensors[a]), *y = zc_adopt(ctx, g->tensors[b]), *out = NULL;
    zc_tensor *difference = zc_subtract(x, y);
    bool right = true;
    if (zc_random_range(0, 3) == 0) {
        right = compute_several(ctx, g);
    } else if (zc_random_bool()) {
        right = zc_materialize(zc_index(zc_index(difference, 0, i), 0, j), &out) == ZC_OK &&
                *(const double *)zc_data(out) == g->elements[a][i][j] - g->elements[b][i][j];
    } else {
        right = zc_materialize(x, &out) == ZC_OK && memcmp(zc_data(out), g->elements[a], sizeof g->elements[a]) == 0;
    }
    zc_scope_end(scope);
    return right;
}

static void operate_often(crew *c, int number)
{
    shared_graph *g = c->user;
    char name[64];
    (void)snprintf(name, sizeof name, "concurrency, thread %d", number);
    zc_random_begin(name);
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1 + number % 2});
    for (int i = 0; i < g->operations; i++)
        g->wrong += !operate(ctx, g);
    zc_context_free(ctx);
}

/* The graph is made anew now and then, since what was materialised stays. */
Test(concurrency, many_operations_on_shared_graphs)
{
    enum { GRAPHS = 20, OPERATIONS = 50 };
    zc_random_begin("concurrency, many_operations_on_shared_graphs");
    for (int i = 0; i < GRAPHS * zc_test_scale(); i++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
        zc_scope *scope = zc_scope_begin(ctx);
        shared_graph *g = calloc(1, sizeof *g);
        g->operations = OPERATIONS;
        make_shared(ctx, g);
        run_crew(operate_often, g);
        cr_assert_eq(g->wrong, 0, "%ld results are wrong", (long)g->wrong);
        free(g);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
    cr_log_info("%d operations by each of %d threads", GRAPHS * OPERATIONS * zc_test_scale(), THREADS);
}

/* ---- One node, many threads ---- */

typedef struct shared_node {
    zc_tensor *handles[THREADS]; /* of one node, each in a context of its own */
    const void *data[THREADS];
    zc_tensor *out[THREADS];
} shared_node;

static void materialize(crew *c, int number)
{
    shared_node *s = c->user;
    if (zc_materialize(s->handles[number], &s->out[number]) == ZC_OK)
        s->data[number] = zc_data(s->out[number]);
}

static void release(crew *c, int number)
{
    shared_node *s = c->user;
    zc_context *ctx = zc_context_of(s->handles[number]);
    zc_release(s->out[number]);
    zc_release(s->handles[number]);
    zc_context_free(ctx);
}

/* A chain on a leaf, all of it held by the handles alone: the context that recorded it has gone. */
static void share_chain(const zc_allocator *allocator, int length, shared_node *s)
{
    const double values[] = {1, 2, 3, 4};
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = allocator, .threads = 1});
    zc_tensor *t = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(4), values, sizeof values);
    for (int i = 0; i < length; i++) {
        zc_tensor *next = zc_add(t, t);
        zc_release(t);
        t = next;
    }
    for (int i = 0; i < THREADS; i++) {
        zc_context *own = zc_context_new(&(zc_options){.allocator = allocator, .threads = 1});
        s->handles[i] = zc_adopt(own, t);
    }
    zc_release(t);
    zc_context_free(ctx);
}

Test(concurrency, a_node_is_computed_once_and_its_last_release_frees_it)
{
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    for (int round = 0; round < 50 * zc_test_scale(); round++) {
        shared_node s = {.handles = {NULL}};
        share_chain(&allocator, round % 2 == 0 ? 10 : 500, &s);
        run_crew(materialize, &s);
        int64_t computed = 0;
        for (int i = 0; i < THREADS; i++) {
            cr_assert_not_null(s.data[i]);
            cr_assert_eq(s.data[i], s.data[0], "all read the same memory");
            computed += zc_memory_usage(zc_context_of(s.handles[i])).peak_bytes;
        }
        cr_assert_eq(computed, 4 * (int64_t)sizeof(double), "more than one thread took memory for the result");
        run_crew(release, &s);
        cr_assert_eq(state.blocks, 0, "%ld blocks are left", (long)state.blocks);
        cr_assert_eq(state.faults, 0);
    }
}

/* Nothing was computed: the whole graph goes with the last handle. */
Test(concurrency, the_last_release_frees_a_graph)
{
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    for (int round = 0; round < 50 * zc_test_scale(); round++) {
        shared_node s = {.handles = {NULL}};
        share_chain(&allocator, 1000, &s);
        run_crew(release, &s);
        cr_assert_eq(state.blocks, 0, "%ld blocks are left", (long)state.blocks);
        cr_assert_eq(state.faults, 0);
    }
}

/* ---- Forked ---- */

static zc_tensor *slow(zc_context *ctx)
{
    zc_tensor *i = zc_iota(ctx, 400000);
    return zc_astype(zc_greater(zc_sin(zc_cos(zc_sin(i))), zc_weak_int(ctx, 2)), ZC_INT64);
}

static void *compute(void *user)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 2});
    zc_tensor *t = zc_adopt(ctx, user), *out = NULL;
    (void)zc_materialize(t, &out);
    zc_release(out);
    zc_release(t);
    zc_context_free(ctx);
    return NULL;
}

/* The exit code of the child: 0 when everything worked there. */
static int work_in_child(zc_context *ctx, zc_tensor *shared)
{
    zc_tensor *out = NULL, *sum = NULL;
    bool right = zc_materialize(shared, &out) == ZC_OK && ((const int64_t *)zc_data(out))[7] == 0;
    zc_tensor *total = zc_sum(zc_iota(ctx, 300000), ZC_ALL_AXES, false);
    right = right && zc_materialize(total, &sum) == ZC_OK && *(const int64_t *)zc_data(sum) == 44999850000;
    return right ? 0 : 1;
}

/* The thread that was computing the node is not there in the child, which computes it itself. */
static void fork_while_computing(bool has_pool, int round)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 2});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *shared = slow(ctx), *out = NULL;
    if (has_pool)
        cr_assert_eq(zc_materialize(zc_sum(slow(ctx), ZC_ALL_AXES, false), &out), ZC_OK);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, compute, shared), 0);
    (void)nanosleep(&(struct timespec){.tv_nsec = zc_random_range(0, 4000000)}, NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(20); /* one that hangs is ended */
        zc_leave_child(work_in_child(ctx, shared));
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status), "round %d: the child hangs", round);
    cr_assert_eq(WEXITSTATUS(status), 0, "round %d: the child has wrong results", round);
    (void)pthread_join(thread, NULL);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(concurrency, a_forked_child_goes_on)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    cr_skip_test("no threads in a forked child here, and its allocator may be locked for ever");
#endif
    zc_random_begin("concurrency, a_forked_child_goes_on");
    for (int i = 0; i < 20 * zc_test_scale(); i++)
        fork_while_computing(i % 2 == 0, i);
}
