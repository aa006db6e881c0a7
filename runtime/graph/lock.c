#include "runtime/graph/lock.h"

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

bool zc_graph_is_locked;

void zc_graph_lock_others_out(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    zc_graph_is_locked = true;
}

void zc_graph_let_others_in(void)
{
    pthread_mutex_unlock(&lock);
}

void zc_graph_wait(pthread_cond_t *signal)
{
    pthread_cond_wait(signal, &lock);
}
