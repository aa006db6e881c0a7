/*
 * Pending nodes: what was recorded on large operands, is not computed, and may be all that holds their data.
 *
 * A loop that reads the residual of each step and records a sum beside it, or appends the maximum of each step to a
 * list, would hold the data of all its steps until somebody reads these. So the nodes recorded last on large operands
 * are remembered. When they hold more data that no handle leads to than a few megabytes, the earlier ones are due: the
 * next run of the context computes and stores them beside what it is asked for (lower/buy.h), and what they hold can be
 * freed. An eager runtime would have computed them when they were recorded.
 */
#ifndef ZC_RUNTIME_GRAPH_PENDING_H
#define ZC_RUNTIME_GRAPH_PENDING_H

#include "runtime/graph/node.h"

/* Remembers a new node, in place of the one that was remembered longest ago. */
void zc_pending_add(zc_node *node);

/* Forgets a node that is to be freed. */
void zc_pending_remove(zc_node *node);

/* Lets the next run look for what is due: to be called when the data of a heap has grown. */
void zc_pending_look(zc_heap *heap);

/* Tells a heap whose next run looks. */
static inline bool zc_pending_has_grown(const zc_heap *heap)
{
    return atomic_load_explicit(&((zc_heap *)(uintptr_t)heap)->pending.has_grown, memory_order_relaxed);
}

/* Lists what is due, retained; returns how many. None are while the data has not grown. */
int zc_pending_list(zc_heap *heap, zc_node *nodes[ZC_PENDING_NODES]);

/* Releases what was listed; after a run that had the chance to compute it, nothing is due any more. */
void zc_pending_end(zc_heap *heap, int count, zc_node *const *nodes, bool has_run);

#endif
