#include "runtime/realise.h"

#include <pthread.h>

/* One lock for all nodes: it is held for a few instructions at the start and end of a computation. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;

bool zc_realise_begin(zc_node *node)
{
    if (zc_node_data(node) != NULL)
        return false;
    pthread_mutex_lock(&lock);
    while (zc_node_data(node) == NULL && atomic_load(&node->realising) != 0)
        pthread_cond_wait(&ended, &lock);
    bool claimed = zc_node_data(node) == NULL;
    if (claimed)
        atomic_store(&node->realising, 1);
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
