/* Threads that run at once are on processors of their own, wherever they were woken. */
#include <pthread.h>
#include <time.h>

#include "materialize/execute/pool.h"
#include "materialize/execute/processors.h"
#include "tests/support/zc_test.h"

#if defined(__linux__)
#include <sched.h>

static int count_allowed(cpu_set_t *allowed)
{
    cr_assert_eq(sched_getaffinity(0, sizeof *allowed, allowed), 0);
    return CPU_COUNT(allowed);
}

Test(processors, threads_beside_another_share_its_other_processors)
{
    cpu_set_t before, mine;
    zc_place place = {.is_kept = false};
    const int count = count_allowed(&before), here = zc_processor();
    int kept = 0;
    cr_assert(here >= 0 && CPU_ISSET((size_t)here, &before));
    for (int threads = 1; threads < count; threads++, kept = 0) {
        for (int thread = 0; thread < threads; thread++) {
            zc_processor_avoid(here, pthread_self(), &place, thread, threads);
            kept += count_allowed(&mine);
            cr_expect(CPU_COUNT(&mine) > 0 && !CPU_ISSET((size_t)here, &mine));
            cr_expect(CPU_ISSET((size_t)zc_processor(), &mine), "it is there at once");
        }
        cr_expect_eq(kept, count - 1, "%d threads keep %d of %d processors", threads, kept, count);
    }
    zc_processor_avoid(here, pthread_self(), &place, 0, count);
    (void)count_allowed(&mine);
    cr_expect(CPU_EQUAL(&mine, &before), "there are not enough: it is let go");
}

Test(processors, what_somebody_else_allows_a_thread_counts)
{
    cpu_set_t before, one, mine;
    zc_place place = {.is_kept = false};
    const int count = count_allowed(&before), here = zc_processor();
    CPU_ZERO(&one);
    CPU_SET((size_t)here, &one);
    zc_processor_avoid(here, pthread_self(), &place, 0, 1);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    zc_processor_avoid(here, pthread_self(), &place, 0, 1);
    cr_expect_eq(count_allowed(&mine), 1);
    cr_expect(CPU_EQUAL(&mine, &one), "nothing else is allowed");
    cr_assert_eq(sched_setaffinity(0, sizeof before, &before), 0);
    zc_processor_avoid(here, pthread_self(), &place, 0, 1);
    cr_expect_eq(count_allowed(&mine), count > 1 ? count - 1 : 1);
}

typedef struct round_state {
    int caller, other; /* the processors of the two threads, as their parts begin; -1: the other one came too late */
    pthread_t thread;  /* the caller's */
    _Atomic bool has_begun;
} round_state;

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The caller's part goes on until the other's begins, or for some milliseconds. */
static void take_part(void *user, int worker)
{
    round_state *r = user;
    if (worker == 1) {
        r->other = pthread_equal(pthread_self(), r->thread) ? -1 : zc_processor();
        atomic_store(&r->has_begun, true);
        return;
    }
    r->caller = zc_processor();
    for (double end = seconds() + 0.005; !atomic_load(&r->has_begun) && seconds() < end;) {
    }
}

/* Moves the calling thread, which is allowed as much as before. */
static void move_to(int processor, const cpu_set_t *allowed)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)processor, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
    (void)sched_setaffinity(0, sizeof *allowed, allowed);
}

typedef struct meeting {
    int place;
    cpu_set_t allowed;
} meeting;

static void meet(void *user, int worker)
{
    const meeting *m = user;
    if (worker == 1)
        move_to(m->place, &m->allowed);
}

/* Counts the rounds in which the two parts are on one processor, where both threads have met before each. A caller that
 * moves goes where the other was. */
static int count_meetings(int rounds, bool moves)
{
    meeting m;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 2});
    zc_pool *pool = zc_pool_of(ctx);
    int together = 0;
    for (int i = 0; i < rounds && count_allowed(&m.allowed) > 1 && zc_pool_threads(pool) == 2; i++) {
        round_state r = {.thread = pthread_self()};
        m.place = zc_processor();
        if (!moves || i == 0)
            zc_pool_run(pool, 2, meet, &m);
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* the other sleeps by now */
        zc_pool_run(pool, 2, take_part, &r);
        together += r.other == r.caller;
        if (moves && r.other >= 0)
            move_to(r.other, &m.allowed);
    }
    zc_context_free(ctx);
    return together;
}

enum { ROUNDS = 40 };

Test(processors, threads_that_are_woken_on_the_callers_processor_leave_it)
{
    const int together = count_meetings(ROUNDS, false);
    cr_expect_leq(2 * together, ROUNDS, "%d of %d times", together, ROUNDS);
}

Test(processors, threads_make_way_for_a_caller_that_has_moved)
{
    const int together = count_meetings(ROUNDS, true);
    cr_expect_leq(2 * together, ROUNDS, "%d of %d times", together, ROUNDS);
}
#endif
