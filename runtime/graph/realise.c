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

static bool is_claimed(const zc_node *node)
{
    return node != NULL && zc_node_data(node) == NULL && atomic_load(&node->realising) == process;
}

static bool are_free(int count, zc_node *const *nodes)
{
    for (int i = 0; i < count; i++) {
        if (is_claimed(nodes[i]))
            return false;
    }
    return true;
}

void zc_realise_begin(int count, zc_node **nodes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    while (!are_free(count, nodes))
        pthread_cond_wait(&ended, &lock);
    for (int i = 0; i < count; i++) {
        bool is_left = nodes[i] != NULL && zc_node_data(nodes[i]) == NULL && !is_claimed(nodes[i]);
        if (is_left)
            atomic_store(&nodes[i]->realising, process);
        else
            nodes[i] = NULL;
    }
    pthread_mutex_unlock(&lock);
}

void zc_realise_end(zc_node *node, zc_buffer *buffer)
{
    pthread_mutex_lock(&lock);
    atomic_store_explicit(&node->data, buffer, memory_order_release);
    atomic_store(&node->realising, 0);
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}
