#include "runtime/graph/realise.h"

#include "runtime/graph/lock.h"

static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;

/* Names this process in claims, under the lock: a forked child has another number than its parent, and does not wait
 * for threads that stayed there. */
static uint8_t process = 1;

/* Nodes that this thread has claimed. */
static _Thread_local int64_t own_claims;

/* The condition may still count threads that wait in the parent, so it is made anew. */
static void after_fork_in_child(void)
{
    pthread_cond_init(&ended, NULL);
    process = (uint8_t)(process % UINT8_MAX + 1);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, after_fork_in_child);
}

static bool is_claimed(const zc_node *node)
{
    return node != NULL && zc_node_data(node) == NULL &&
           atomic_load_explicit(&node->realising, memory_order_relaxed) == process;
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
    zc_graph_lock();
    while (own_claims == 0 && !are_free(count, nodes))
        zc_graph_wait(&ended);
    for (int i = 0; i < count; i++) {
        bool is_left = nodes[i] != NULL && zc_node_data(nodes[i]) == NULL && !is_claimed(nodes[i]);
        if (is_left)
            atomic_store_explicit(&nodes[i]->realising, process, memory_order_relaxed);
        else
            nodes[i] = NULL;
        own_claims += is_left;
    }
    zc_graph_unlock();
}

void zc_realise_end(zc_node *node, zc_buffer *buffer)
{
    zc_graph_lock();
    atomic_store_explicit(&node->data, buffer, memory_order_release);
    atomic_store_explicit(&node->realising, 0, memory_order_relaxed);
    if (zc_graph_is_locked) /* else no thread waits */
        pthread_cond_broadcast(&ended);
    zc_graph_unlock();
    own_claims--;
}
