/*
 * A pool of threads: one function, run by all of them at once.
 */
#ifndef ZC_MATERIALIZE_EXECUTE_POOL_H
#define ZC_MATERIALIZE_EXECUTE_POOL_H

#include "runtime/context/context.h"

/* The context's pool, made on first use with one thread less than its setting (the caller is the last). NULL when the
 * setting is 1 or no thread could be started: then there is nobody to share with. */
zc_pool *zc_pool_of(zc_context *ctx);

/* Threads that take part in zc_pool_run, the caller included; pool may be NULL. */
int zc_pool_threads(const zc_pool *pool);

/* Calls work(user, i) for i = 0 .. threads-1, each once, on a thread of its own, 0 on the caller's; returns when all
 * have returned. What a thread has not begun when the caller is through with its own, the caller does. threads is at
 * most zc_pool_threads(). */
void zc_pool_run(zc_pool *pool, int threads, void (*work)(void *user, int worker), void *user);

/* Beginning of share number `share` of `count` things that `threads` threads share, as many each or one more; for the
 * number of threads, the end of the last one. */
static inline int64_t zc_begin_of_share(int64_t count, int64_t threads, int64_t share)
{
    const int64_t more = count % threads;
    return count / threads * share + (share < more ? share : more); /* proven: at most count */
}

#endif
