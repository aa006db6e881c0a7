#include "runtime/graph/lock.h"

#include <stdbool.h>

#include "runtime/memory/counting.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Tells that who has the lock has locked others out. A process of one thread, which makes no other while it has the
 * lock, needs not: then an operation is recorded in a fifth less. */
static bool is_locked;

void zc_graph_lock(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (ZC_IS_SINGLE_THREADED) {
        is_locked = false;
        return;
    }
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    is_locked = true;
}

void zc_graph_unlock(void)
{
    if (is_locked)
        pthread_mutex_unlock(&lock);
}

void zc_graph_wait(pthread_cond_t *signal)
{
    pthread_cond_wait(signal, &lock);
}
