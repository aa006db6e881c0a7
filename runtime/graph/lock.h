/*
 * One lock for what changes in nodes that threads share: their data (realise.h), their history (history.h), and memory
 * that is written to in place (keep.h). It is held for a short time, and outlives a fork.
 */
#ifndef ZC_RUNTIME_GRAPH_LOCK_H
#define ZC_RUNTIME_GRAPH_LOCK_H

#include <pthread.h>
#include <stdbool.h>

#include "runtime/memory/counting.h"

/* Tells that who has the lock has locked others out. A process of one thread, which makes no other while it has the
 * lock, needs not: then an operation is recorded in a fifth less. */
extern bool zc_graph_is_locked;

void zc_graph_lock_others_out(void);
void zc_graph_let_others_in(void);

static inline void zc_graph_lock(void)
{
    if (ZC_IS_SINGLE_THREADED)
        zc_graph_is_locked = false;
    else
        zc_graph_lock_others_out();
}

static inline void zc_graph_unlock(void)
{
    if (zc_graph_is_locked)
        zc_graph_let_others_in();
}

/* Waits for a signal, without the lock meanwhile. */
void zc_graph_wait(pthread_cond_t *signal);

#endif
