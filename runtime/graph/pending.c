#include "runtime/graph/pending.h"

#include "runtime/graph/keep.h"
#include "runtime/graph/lock.h"
#include "runtime/graph/variables.h"

/* Bytes of data that pending nodes alone may hold, and number of nodes that may hold any. */
enum { MOST_HELD = 8 << 20, MOST_HOLDERS = ZC_PENDING_NODES / 4 };

_Static_assert(ZC_PENDING_NODES <= UINT8_MAX + 1, "a byte tells an entry");

void zc_pending_add(zc_node *node)
{
    zc_pending_nodes *pending = &node->heap->pending;
    zc_graph_lock();
    node->pending = (uint8_t)pending->next;
    pending->nodes[pending->next] = node;
    const int32_t added = atomic_load_explicit(&pending->added, memory_order_relaxed);
    atomic_store_explicit(&pending->added, added + (added < INT32_MAX), memory_order_relaxed);
    pending->next = (pending->next + 1) % ZC_PENDING_NODES;
    zc_graph_unlock();
}

void zc_pending_remove(zc_node *node)
{
    zc_node **entry = &node->heap->pending.nodes[node->pending];
    zc_graph_lock();
    if (*entry == node) /* unless a later one has it */
        *entry = NULL;
    zc_graph_unlock();
}

static zc_node **from_latest(zc_pending_nodes *pending, int at)
{
    return &pending->nodes[(pending->next + ZC_PENDING_NODES - 1 - at) % ZC_PENDING_NODES];
}

/* Tells a node that somebody may still ask for, or that is a small part of what it is made of. */
static bool is_pending(const zc_node *node)
{
    enum { PART = 8 };
    return node != NULL && zc_node_data(node) == NULL && !zc_node_varies(node) &&
           (zc_node_handles(node) > 0 || node->size <= node->edges[0].node->size / PART);
}

void zc_pending_look(zc_heap *heap)
{
    atomic_store_explicit(&heap->pending.has_grown, true, memory_order_relaxed);
}

/* Tells a node that is one element, or takes no more than its part of the data that it holds: all that are pending may
 * hold the same, so a broadcast difference of two vectors, or one of many maps of one vector, stays as it is. */
static bool is_small(const zc_node *node, int64_t below, int64_t pending_count)
{
    return node->size <= 1 || node->size <= below / pending_count / (int64_t)zc_dtype_bytes((zc_dtype)node->dtype);
}

/* From the latest to the earliest: what those hold that come after the first megabytes, or the first holders, is to be
 * freed. */
int zc_pending_list(zc_heap *heap, zc_node *nodes[ZC_PENDING_NODES])
{
    zc_pending_nodes *pending = &heap->pending;
    int64_t held = 0, pending_count = 0;
    int count = 0, holders = 0;
    if (!zc_pending_has_grown(heap))
        return 0;
    zc_graph_lock();
    for (int i = 0; i < ZC_PENDING_NODES; i++)
        pending_count += is_pending(pending->nodes[i]);
    for (int i = 0; i < ZC_PENDING_NODES; i++) {
        zc_node *node = *from_latest(pending, i);
        if (!is_pending(node))
            continue;
        const int64_t below = zc_kept_below(node);
        held = zc_saturating_add(held, below);
        holders += below > 0;
        if (below == 0 || (held <= MOST_HELD && holders <= MOST_HOLDERS) || !is_small(node, below, pending_count))
            continue;
        if (zc_node_try_retain(node)) /* LCOV_EXCL_BR_LINE: unless another thread frees it */
            nodes[count++] = node;
    }
    zc_graph_unlock();
    return count;
}

void zc_pending_end(zc_heap *heap, int count, zc_node *const *nodes, bool has_run)
{
    if (has_run && zc_pending_has_grown(heap)) {
        atomic_store_explicit(&heap->pending.has_grown, false, memory_order_relaxed);
        atomic_store_explicit(&heap->pending.added, 0, memory_order_relaxed);
        atomic_store_explicit(&heap->pending.looked_bytes, zc_heap_data(heap), memory_order_relaxed);
    }
    for (int i = 0; i < count; i++)
        zc_node_release(nodes[i]);
}
