/*
 * One lock for what changes in nodes that threads share: their data (realise.h) and their history (history.h). It is
 * held for a few instructions, and outlives a fork.
 */
#ifndef ZC_RUNTIME_GRAPH_LOCK_H
#define ZC_RUNTIME_GRAPH_LOCK_H

#include <pthread.h>

void zc_graph_lock(void);
void zc_graph_unlock(void);

/* Waits for a signal, without the lock meanwhile. */
void zc_graph_wait(pthread_cond_t *signal);

#endif
