#include "materialize/execute/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "materialize/execute/processors.h"
#include "materialize/kernels/arch.h"
#include "runtime/dtypes/float_environment.h"

/* Time that a thread watches for an event before it sleeps: about as long as it takes to be woken. */
enum { SPIN_NANOSECONDS = 20000, LOOKS_PER_CLOCK = 64 };

/* A round's number in the upper bits, and how many threads it wants in the lower, so that one look tells both.
 *
 * Every part of a round is claimed before it is begun, by its thread or, when the caller is through with its own part
 * first, by the caller: where the machine is busy nobody waits for a thread that does not come. A round ends with its
 * last part, so who has claimed one may rely on what the caller has written; who comes too late claims nothing.
 *
 * Nobody misses being woken: who goes to sleep says so, and looks once more, under the lock under which the round is
 * changed, and under which the last one looks for a sleeping caller. */
enum { THREAD_BITS = 16 };

struct zc_pool {
    zc_heap *heap;
    size_t bytes;
    pid_t owner; /* the process that started the threads: a forked child has none of them */
    bool spins;  /* there is a processor for every thread */
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    _Atomic uint64_t round;
    _Atomic int left; /* parts of the round that have not ended, without the caller's own */
    int sleeping;     /* threads that wait for `begun` */
    int caller;       /* the caller's processor as the round began */
    int kept_from;    /* the caller's processor when threads were last placed */
    bool keeps_apart; /* a thread was woken where the caller is */
    bool caller_sleeps;
    bool stops;
    void (*work)(void *user, int worker);
    void *user;
    int count; /* number of started threads */
    struct zc_pool_thread {
        zc_pool *pool;
        int worker;
        zc_place place;
        _Atomic uint64_t claimed; /* the last round in which its part was claimed */
        pthread_t thread;
    } threads[];
};

/* ---- Watching ---- */

static int64_t clock_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

typedef struct spin {
    int64_t end;
    int looks;
} spin;

static spin spin_begin(const zc_pool *pool)
{
    return (spin){.end = pool->spins ? clock_now() + SPIN_NANOSECONDS : 0};
}

/* Waits a moment; false: long enough. */
static bool spin_on(spin *s)
{
    zc_pause();
    return s->end > 0 && (++s->looks % LOOKS_PER_CLOCK != 0 || clock_now() < s->end);
}

/* ---- The threads ---- */

static uint64_t round_of(zc_pool *pool)
{
    return atomic_load_explicit(&pool->round, memory_order_acquire);
}

static bool wants(uint64_t round, int worker)
{
    return (uint64_t)worker < round % (UINT64_C(1) << THREAD_BITS);
}

static bool claim(struct zc_pool_thread *thread, uint64_t round)
{
    uint64_t last = atomic_load_explicit(&thread->claimed, memory_order_relaxed);
    while (last < round) {
        if (atomic_compare_exchange_weak_explicit(&thread->claimed, &last, round, memory_order_acq_rel,
                                                  memory_order_relaxed))
            return true;
    }
    return false;
}

/* Under the lock. Threads that are kept apart make way for a caller that has moved: where it has moved to, none of them
 * could run and see it. */
static void note_caller(zc_pool *pool)
{
    pool->caller = zc_processor();
    if (!pool->keeps_apart || pool->caller == pool->kept_from || pool->sleeping == 0)
        return;
    pool->kept_from = pool->caller;
    for (int i = 0; i < pool->count; i++)
        zc_processor_avoid(pool->caller, pool->threads[i].thread, &pool->threads[i].place, i, pool->count);
}

/* Under the lock, of a thread that was woken. */
static void leave_caller(struct zc_pool_thread *self)
{
    zc_pool *pool = self->pool;
    /* LCOV_EXCL_BR_START: up to the processor that the thread happens to run on */
    if (!pool->spins || pool->caller < 0 || zc_processor() != pool->caller)
        return;
    /* LCOV_EXCL_BR_STOP */
    pool->keeps_apart = true;
    pool->kept_from = pool->caller;
    zc_processor_avoid(pool->caller, self->thread, &self->place, self->worker - 1, pool->count);
}

/* The next round, or 0: the pool ends. */
static uint64_t await_round(struct zc_pool_thread *self, uint64_t seen)
{
    zc_pool *pool = self->pool;
    for (spin s = spin_begin(pool); round_of(pool) == seen && spin_on(&s);) {
    }
    uint64_t round = round_of(pool);
    if (round != seen)
        return round;
    pthread_mutex_lock(&pool->lock);
    pool->sleeping++;
    while ((round = round_of(pool)) == seen && !pool->stops)
        pthread_cond_wait(&pool->begun, &pool->lock);
    pool->sleeping--;
    if (round != seen)
        leave_caller(self);
    pthread_mutex_unlock(&pool->lock);
    return round == seen ? 0 : round;
}

static void do_part(zc_pool *pool, int worker)
{
    pool->work(pool->user, worker);
    if (atomic_fetch_sub_explicit(&pool->left, 1, memory_order_acq_rel) > 1)
        return;
    pthread_mutex_lock(&pool->lock);
    if (pool->caller_sleeps)
        pthread_cond_signal(&pool->ended);
    pthread_mutex_unlock(&pool->lock);
}

static void *run_thread(void *argument)
{
    struct zc_pool_thread *self = argument;
    zc_pool *pool = self->pool;
    (void)zc_float_environment_begin(); /* a thread begins with that of the one that started it */
    for (uint64_t round = 0; (round = await_round(self, round)) != 0;) {
        if (wants(round, self->worker) && claim(self, round))
            do_part(pool, self->worker);
    }
    return NULL;
}

/* ---- The pool ---- */

static void pool_free(zc_pool *pool)
{
    if (pool->owner == getpid()) {
        pthread_mutex_lock(&pool->lock);
        pool->stops = true;
        pthread_cond_broadcast(&pool->begun);
        pthread_mutex_unlock(&pool->lock);
        for (int i = 0; i < pool->count; i++)
            pthread_join(pool->threads[i].thread, NULL);
        pthread_cond_destroy(&pool->begun);
        pthread_cond_destroy(&pool->ended);
        pthread_mutex_destroy(&pool->lock);
    }
    zc_heap_give(pool->heap, pool, pool->bytes);
}

/* Signals are the program's business: the threads start with all of them blocked. */
static void start_threads(zc_pool *pool, int count)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 0; i < count; i++) {
        struct zc_pool_thread *thread = &pool->threads[i];
        thread->pool = pool;
        thread->worker = i + 1;
        thread->place = (zc_place){.is_kept = false};
        atomic_init(&thread->claimed, 0);
        if (pthread_create(&thread->thread, NULL, run_thread, thread) != 0)
            break;
        pool->count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static zc_pool *pool_new(zc_context *ctx, int threads)
{
    size_t bytes = sizeof(zc_pool) + (size_t)threads * sizeof(struct zc_pool_thread);
    zc_pool *pool = zc_heap_take(ctx->heap, bytes);
    if (pool == NULL)
        return NULL;
    *pool = (zc_pool){
        .heap = ctx->heap, .bytes = bytes, .owner = getpid(), .spins = sysconf(_SC_NPROCESSORS_ONLN) > threads};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begun, NULL);
    pthread_cond_init(&pool->ended, NULL);
    start_threads(pool, threads);
    return pool;
}

zc_pool *zc_pool_of(zc_context *ctx)
{
    if (ctx->options.threads < 2)
        return NULL;
    if (ctx->pool == NULL) {
        ctx->pool = pool_new(ctx, ctx->options.threads - 1);
        ctx->pool_free = pool_free;
    }
    return ctx->pool;
}

int zc_pool_threads(const zc_pool *pool)
{
    return pool == NULL || pool->owner != getpid() ? 1 : pool->count + 1;
}

static uint64_t begin_round(zc_pool *pool, int threads)
{
    const uint64_t round = ((round_of(pool) >> THREAD_BITS) + 1) << THREAD_BITS | (uint64_t)threads;
    pthread_mutex_lock(&pool->lock);
    atomic_store_explicit(&pool->round, round, memory_order_release);
    note_caller(pool);
    if (pool->sleeping > 0)
        pthread_cond_broadcast(&pool->begun);
    pthread_mutex_unlock(&pool->lock);
    return round;
}

static bool has_ended(zc_pool *pool)
{
    return atomic_load_explicit(&pool->left, memory_order_acquire) == 0;
}

static void await_end(zc_pool *pool)
{
    for (spin s = spin_begin(pool); !has_ended(pool) && spin_on(&s);) {
    }
    if (has_ended(pool))
        return;
    pthread_mutex_lock(&pool->lock);
    pool->caller_sleeps = true;
    while (!has_ended(pool))
        pthread_cond_wait(&pool->ended, &pool->lock);
    pool->caller_sleeps = false;
    pthread_mutex_unlock(&pool->lock);
}

void zc_pool_run(zc_pool *pool, int threads, void (*work)(void *user, int worker), void *user)
{
    if (threads < 2) {
        work(user, 0);
        return;
    }
    pool->work = work;
    pool->user = user;
    atomic_store_explicit(&pool->left, threads - 1, memory_order_relaxed);
    const uint64_t round = begin_round(pool, threads);
    work(user, 0);
    for (int i = 1; i < threads; i++) {
        if (claim(&pool->threads[i - 1], round))
            do_part(pool, i);
    }
    await_end(pool);
}
