#include "materialize/pool.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* Workers sleep until the round changes. `left` counts those that have not finished the round. */
struct zc_pool {
    zc_heap *heap;
    size_t bytes;
    pid_t owner; /* the process that started the threads: a forked child has none of them */
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    uint64_t round;
    bool stops;
    int wanted; /* threads in this round */
    int left;
    void (*work)(void *user, int worker);
    void *user;
    int count; /* of started threads */
    struct zc_pool_thread {
        zc_pool *pool;
        int worker;
        pthread_t thread;
    } threads[];
};

static void take_part(zc_pool *pool, int worker)
{
    void (*work)(void *, int) = pool->work;
    void *user = pool->user;
    bool is_wanted = worker < pool->wanted;
    pthread_mutex_unlock(&pool->lock);
    if (is_wanted)
        work(user, worker);
    pthread_mutex_lock(&pool->lock);
    if (--pool->left == 0)
        pthread_cond_signal(&pool->ended);
}

static void *run_thread(void *argument)
{
    struct zc_pool_thread *self = argument;
    zc_pool *pool = self->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stops) {
        if (pool->round == seen) {
            pthread_cond_wait(&pool->begun, &pool->lock);
        } else {
            seen = pool->round;
            take_part(pool, self->worker);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

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
    *pool = (zc_pool){.heap = ctx->heap, .bytes = bytes, .owner = getpid()};
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

void zc_pool_run(zc_pool *pool, int threads, void (*work)(void *user, int worker), void *user)
{
    if (threads < 2) {
        work(user, 0);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->user = user;
    pool->wanted = threads;
    pool->left = pool->count;
    pool->round++;
    pthread_cond_broadcast(&pool->begun);
    pthread_mutex_unlock(&pool->lock);
    work(user, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->left > 0)
        pthread_cond_wait(&pool->ended, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
