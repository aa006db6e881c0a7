#include "runtime/graph/realise.h"

#include <pthread.h>

/* One lock for all nodes: it is held for a few instructions at the start and end of a computation. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;

/* Names this process in claims, under the lock: a forked child has another number than its parent, and does not wait
 * for threads that stayed there. */
static int process = 1;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* The condition may still count threads that wait in the parent, so both are made anew. */
static void after_fork_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&ended, NULL);
    process++;
}

static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

bool zc_realise_begin(zc_node *node)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    while (zc_node_data(node) == NULL && atomic_load(&node->realising) == process)
        pthread_cond_wait(&ended, &lock);
    bool claimed = zc_node_data(node) == NULL;
    if (claimed)
        atomic_store(&node->realising, process);
    pthread_mutex_unlock(&lock);
    return claimed;
}

void zc_realise_end(zc_node *node, zc_buffer *buffer)
{
    pthread_mutex_lock(&lock);
    atomic_store_explicit(&node->data, buffer, memory_order_release);
    atomic_store(&node->realising, 0);
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}
