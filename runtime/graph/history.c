#include "runtime/graph/history.h"

#include "runtime/graph/lock.h"
#include "runtime/graph/variables.h"

struct zc_history {
    zc_node *leaf, *origin;
    zc_history *next, *previous; /* in the list of the leaf's heap */
};

static void link_to(zc_heap *heap, zc_history *history)
{
    history->previous = NULL;
    history->next = heap->histories;
    if (heap->histories != NULL)
        heap->histories->previous = history;
    heap->histories = history;
}

static void unlink_from(zc_heap *heap, zc_history *history)
{
    if (history->next != NULL)
        history->next->previous = history->previous;
    if (history->previous != NULL)
        history->previous->next = history->next;
    else
        heap->histories = history->next;
}

bool zc_history_keep(zc_node *leaf, zc_node *origin)
{
    zc_history *history = origin == NULL ? NULL : zc_heap_take(leaf->heap, sizeof *history);
    if (history == NULL) {
        zc_node_release(origin);
        return false;
    }
    *history = (zc_history){.leaf = leaf, .origin = origin};
    leaf->is_never_negative = origin->is_never_negative;
    zc_graph_lock();
    zc_variables_inherit(leaf, origin);
    const bool varies = zc_variables_of(leaf) != 0;
    if (varies) { /* LCOV_EXCL_BR_LINE: unless another thread released the last handle meanwhile */
        leaf->history = history;
        link_to(leaf->heap, history);
    }
    zc_graph_unlock();
    /* LCOV_EXCL_START: another thread has released the last handle on the variables meanwhile */
    if (!varies) {
        zc_heap_give(leaf->heap, history, sizeof *history);
        zc_node_release(origin);
    }
    /* LCOV_EXCL_STOP */
    return true;
}

zc_node *zc_history_origin(const zc_node *node)
{
    if (node->kind != ZC_NODE_LEAF || zc_variables_of(node) == 0)
        return NULL;
    zc_graph_lock();
    zc_node *origin = node->history == NULL ? NULL : zc_node_retain(node->history->origin);
    zc_graph_unlock();
    return origin;
}

/* Origins are released without the lock: that may end leaves and variables in turn. */
void zc_history_forget(zc_heap *heap)
{
    zc_history *dead = NULL;
    zc_graph_lock();
    for (zc_history *h = heap->histories, *next; h != NULL; h = next) {
        next = h->next;
        if (zc_node_varies(h->leaf))
            continue;
        unlink_from(heap, h);
        h->leaf->history = NULL;
        atomic_store_explicit(&h->leaf->variables, 0, memory_order_release); /* the leaf may be freed from here on */
        h->next = dead;
        dead = h;
    }
    zc_graph_unlock();
    while (dead != NULL) {
        zc_history *history = dead;
        dead = history->next;
        zc_node_release(history->origin);
        zc_heap_give(heap, history, sizeof *history);
    }
}

zc_node *zc_history_end(zc_node *leaf)
{
    if (atomic_load_explicit(&leaf->variables, memory_order_acquire) == 0)
        return NULL;
    zc_graph_lock();
    zc_history *history = leaf->history;
    if (history != NULL)
        unlink_from(leaf->heap, history);
    zc_graph_unlock();
    if (history == NULL)
        return NULL;
    zc_node *origin = history->origin;
    zc_heap_give(leaf->heap, history, sizeof *history);
    return origin;
}
