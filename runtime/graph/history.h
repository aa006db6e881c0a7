/*
 * How the elements of a leaf were computed, while somebody can ask for a gradient that passes through them.
 *
 * A leaf of elements that were computed from a variable (variables.h) keeps its origin: a node that stands for the same
 * elements in the same order. Only gradients look at it. Plans see the leaf as any other, and when the last handle on
 * the last variable below is gone, so is the origin: a loop that takes a new variable in each step holds one step.
 *
 * Any thread may release handles, so an origin is handed out as a reference, under the graph's lock.
 */
#ifndef ZC_RUNTIME_GRAPH_HISTORY_H
#define ZC_RUNTIME_GRAPH_HISTORY_H

#include "runtime/graph/node.h"

/* Gives a leaf that nobody else sees yet its origin, of which one reference is taken over, also on failure. False when
 * the allocator fails. */
bool zc_history_keep(zc_node *leaf, zc_node *origin);

/* A reference to the origin of a node, or NULL: it has none. */
zc_node *zc_history_origin(const zc_node *node);

/* Forgets the origins of all leaves of a heap that are made of no variable with a handle. */
void zc_history_forget(zc_heap *heap);

/* Ends the history of a leaf that is to be freed. Returns the reference to its origin, or NULL. */
zc_node *zc_history_end(zc_node *leaf);

#endif
