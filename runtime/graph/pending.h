/*
 * Pending nodes: what is recorded and not computed, and may be all that holds the data of its operands.
 *
 * A loop that reads the residual of each step and records a sum beside it, appends the maximum of each step to a list,
 * or adds up means of numbers that it draws, would hold the data of all its steps until somebody reads these. So nodes
 * on large operands, sums of small ones, and nodes at the end of long chains are watched, and those recorded last are
 * remembered. When they, and those that came before them, hold more data that no handle leads to than a few megabytes,
 * the earlier ones are due: the next run of the context computes and stores them beside what it is asked for
 * (lower/buy.h), and what they hold can be freed. An eager runtime would have computed them when they were recorded. A
 * loop that reads nothing has no runs; zc_compute_pending() makes one.
 */
#ifndef ZC_RUNTIME_GRAPH_PENDING_H
#define ZC_RUNTIME_GRAPH_PENDING_H

#include "runtime/graph/node.h"

/* Remembers a new node, in place of the one that was remembered longest ago. */
void zc_pending_add(zc_node *node);

/* Forgets a node that is to be freed, or that cannot be computed. */
void zc_pending_remove(zc_node *node);

/* Forgets a node that is made in parts: no run of something else computes all of it. */
static inline void zc_pending_forget(const zc_node *node)
{
    if (node->is_watched)
        zc_pending_remove((zc_node *)(uintptr_t)node);
}

/* Lets the next run look for what is due: to be called when the data of a heap has grown. */
void zc_pending_look(zc_heap *heap);

/* Tells a heap whose next run looks: its data has grown, or many nodes were recorded, since one did. */
static inline bool zc_pending_has_grown(zc_heap *heap)
{
    enum { GROWTH = 2 << 20, MANY = ZC_PENDING_NODES / 2 };
    zc_pending_nodes *pending = &heap->pending;
    const int64_t looked = atomic_load_explicit(&pending->looked_bytes, memory_order_relaxed);
    const int64_t bytes = zc_heap_data(heap);
    if (bytes < looked)
        atomic_store_explicit(&pending->looked_bytes, bytes, memory_order_relaxed);
    return bytes - looked > GROWTH || atomic_load_explicit(&pending->has_grown, memory_order_relaxed) ||
           atomic_load_explicit(&pending->added, memory_order_relaxed) >= MANY;
}

/* Lists what is due, retained; returns how many. None are while neither the data nor what is recorded has grown. */
int zc_pending_list(zc_heap *heap, zc_node *nodes[ZC_PENDING_NODES]);

/* Releases what was listed; after a run that had the chance to compute it, nothing is due any more. */
void zc_pending_end(zc_heap *heap, int count, zc_node *const *nodes, bool has_run);

#endif
