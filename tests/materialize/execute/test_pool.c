/* The pool: every round does each of its parts once, whether the threads watch, sleep or are still on their way. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "materialize/execute/pool.h"
#include "tests/support/child.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { MOST = 5, ROUNDS = 3000 };

typedef struct round_state {
    _Atomic int calls[MOST];
    int plain; /* written by thread 0 alone, read by all: what the round's beginning and end put in order */
    int seen[MOST];
    int64_t nap_nanoseconds[MOST];
} round_state;

static void nap(int64_t nanoseconds)
{
    if (nanoseconds > 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = (long)nanoseconds}, NULL);
}

static void take_part(void *user, int worker)
{
    round_state *r = user;
    nap(r->nap_nanoseconds[worker]);
    atomic_fetch_add_explicit(&r->calls[worker], 1, memory_order_relaxed);
    r->seen[worker] = r->plain;
}

/* Rounds without a break, after a short one and after one that is longer than threads watch. */
Test(pool, every_part_is_done_once_a_round)
{
    zc_random_begin("pool/rounds");
    for (int threads = 2; threads <= MOST; threads++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = threads});
        zc_pool *pool = zc_pool_of(ctx);
        cr_assert_eq(zc_pool_threads(pool), threads);
        round_state r = {.plain = 0};
        for (int k = 1; k <= ROUNDS; k++) {
            int wanted = (int)zc_random_range(1, threads);
            for (int i = 0; i < threads; i++) {
                atomic_store(&r.calls[i], 0);
                r.nap_nanoseconds[i] = zc_random_range(0, 99) == 0 ? zc_random_range(1, 60000) : 0;
            }
            r.plain = k;
            zc_pool_run(pool, wanted, take_part, &r);
            for (int i = 0; i < threads; i++) {
                cr_assert_eq(atomic_load(&r.calls[i]), i < wanted ? 1 : 0, "round %d, thread %d of %d", k, i, wanted);
                cr_assert(i >= wanted || r.seen[i] == k);
            }
            nap(zc_random_range(0, 49) == 0 ? zc_random_range(1, 60000) : 0);
        }
        zc_context_free(ctx);
    }
}

/* A pool that is freed before, while and after its threads fall asleep. */
Test(pool, ends_whatever_its_threads_are_doing)
{
    zc_random_begin("pool/end");
    for (int k = 0; k < 100; k++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 3});
        zc_pool *pool = zc_pool_of(ctx);
        round_state r = {.plain = k};
        if (zc_random_bool())
            zc_pool_run(pool, 3, take_part, &r);
        nap(zc_random_bool() ? zc_random_range(1, 60000) : 0);
        zc_context_free(ctx);
    }
}

/* The child has none of the threads: it works alone, and ends the pool without waiting for them. */
Test(pool, a_forked_child_works_alone)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 3});
    zc_pool *pool = zc_pool_of(ctx);
    round_state r = {.plain = 1};
    zc_pool_run(pool, 3, take_part, &r);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        zc_pool_run(pool, zc_pool_threads(pool), take_part, &r);
        bool alone = atomic_load(&r.calls[0]) == 2 && atomic_load(&r.calls[1]) == 1;
        zc_context_free(ctx);
        zc_leave_child(alone ? 0 : 1);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    zc_pool_run(pool, 3, take_part, &r);
    cr_assert_eq(atomic_load(&r.calls[2]), 2);
    zc_context_free(ctx);
}

/* Threads that the system does not give: the caller does all parts, those of the threads that there are not, too. */
static int left_to_start = -1; /* negative: all of them */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *user);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *user)
{
    return left_to_start-- == 0 ? EAGAIN : __real_pthread_create(thread, how, run, user);
}

Test(pool, does_with_the_threads_that_there_are)
{
    for (int started = 0; started < 3; started++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 4});
        left_to_start = started;
        zc_pool *pool = zc_pool_of(ctx);
        left_to_start = -1;
        round_state r = {.plain = 1};
        cr_expect_eq(zc_pool_threads(pool), started + 1);
        zc_pool_run(pool, zc_pool_threads(pool), take_part, &r);
        for (int i = 0; i <= started; i++)
            cr_expect_eq(atomic_load(&r.calls[i]), 1, "part %d of %d", i, started + 1);
        zc_context_free(ctx);
    }
}
