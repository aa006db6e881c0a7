#include "runtime/graph/pending.h"

#include "runtime/graph/keep.h"
#include "runtime/graph/lock.h"
#include "runtime/graph/variables.h"

/* Bytes that pending nodes alone may hold; number of nodes that may hold any beyond that; bytes of headers that one
 * holds besides; and nodes that are looked at, in all and for one. */
enum {
    MOST_HELD = 8 << 20,
    MOST_HOLDERS = ZC_PENDING_NODES / 4,
    HEADERS = 1 << 10,
    MOST_LOOKED_AT = 1 << 13,
    MOST_OF_ONE = 1 << 9
};

_Static_assert(ZC_PENDING_NODES <= UINT8_MAX + 1, "a byte tells an entry");

/* Tells a node that somebody may still ask for, or that is a small part of what it is made of. */
static bool is_pending(const zc_node *node)
{
    enum { PART = 8 };
    return node != NULL && zc_node_data(node) == NULL && !zc_node_varies(node) &&
           (zc_node_handles(node) > 0 || node->size <= node->edges[0].node->size / PART);
}

/* Bytes that a pending node alone holds. One that is made of many nodes, or of more than *left, holds as good as
 * nothing while there are few nodes in all, and then more than it may. */
static int64_t held_by(const zc_node *node, int *left)
{
    int own = *left < MOST_OF_ONE ? *left : MOST_OF_ONE;
    *left -= own;
    const int64_t below = own > 0 ? zc_kept_below(node, &own) : INT64_MAX;
    *left += own > 0 ? own : 0;
    if (below == INT64_MAX)
        return zc_heap_nodes(node->heap) > ZC_MANY_NODES ? below : 0;
    return below == 0 ? 0 : below + HEADERS;
}

void zc_pending_add(zc_node *node)
{
    zc_pending_nodes *pending = &node->heap->pending;
    enum { MOST_LOST = 16 }; /* nodes that are looked at of one that is forgotten */
    const int32_t added = atomic_load_explicit(&pending->added, memory_order_relaxed);
    zc_graph_lock();
    const zc_node *lost = pending->nodes[pending->next];
    int left = MOST_LOST;
    const int64_t held = is_pending(lost) ? zc_kept_below(lost, &left) : 0;
    if (held > 0)
        pending->lost_bytes = zc_saturating_add(pending->lost_bytes, held < INT64_MAX ? held + HEADERS : HEADERS);
    node->pending = (uint8_t)pending->next;
    pending->nodes[pending->next] = node;
    pending->next = (pending->next + 1) % ZC_PENDING_NODES;
    atomic_store_explicit(&pending->added, added + (added < INT32_MAX), memory_order_relaxed);
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

void zc_pending_look(zc_heap *heap)
{
    atomic_store_explicit(&heap->pending.has_grown, true, memory_order_relaxed);
}

/* Tells a node that is one element, or takes no more than its part of the data that it holds: all that are pending may
 * hold the same, so a broadcast difference of two vectors, or one of many maps of one vector, stays as it is. */
static bool is_small(const zc_node *node, int64_t held, int64_t pending_count)
{
    return node->size <= 1 || node->size <= held / pending_count / (int64_t)zc_dtype_bytes((zc_dtype)node->dtype);
}

/* Lowers what forgotten nodes hold to what all nodes do. Under the lock. */
static void forget_what_was_freed(zc_heap *heap)
{
    const int64_t headers = zc_heap_nodes(heap) * HEADERS; /* proven: each has a header in memory */
    const int64_t all = zc_saturating_add(zc_heap_data(heap), headers);
    if (heap->pending.lost_bytes > all)
        heap->pending.lost_bytes = all;
}

/* From the latest to the earliest: what those hold that come after the first megabytes is to be freed; or after the
 * first holders, where earlier ones that the list does not have hold megabytes. */
int zc_pending_list(zc_heap *heap, zc_node *nodes[ZC_PENDING_NODES])
{
    zc_pending_nodes *pending = &heap->pending;
    int64_t held = 0, pending_count = 0;
    int count = 0, holders = 0, left = MOST_LOOKED_AT;
    if (!zc_pending_has_grown(heap))
        return 0;
    zc_graph_lock();
    forget_what_was_freed(heap);
    for (int i = 0; i < ZC_PENDING_NODES; i++)
        pending_count += is_pending(pending->nodes[i]);
    for (int i = 0; i < ZC_PENDING_NODES; i++) {
        zc_node *node = *from_latest(pending, i);
        if (!is_pending(node))
            continue;
        const int64_t own = held_by(node, &left);
        held = zc_saturating_add(held, own);
        holders += own > 0;
        const bool is_much =
            held > MOST_HELD || (holders > MOST_HOLDERS && zc_saturating_add(held, pending->lost_bytes) > MOST_HELD);
        if (own == 0 || !is_much || !is_small(node, own, pending_count))
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
