/*
 * Realising: giving a node its data, once, however many threads ask.
 *
 * A thread that wants to compute the data of nodes claims them, all at once, so that no two threads wait for each
 * other. One claim of a node is granted; the others wait until it ends and find either the data or, when the
 * computation failed, the claim for themselves. No lock is held while computing. A thread that has claims, and comes
 * here again from a progress function, waits for nobody: what is claimed it computes for itself. A forked child takes
 * over the claims of threads that it does not have.
 */
#ifndef ZC_RUNTIME_GRAPH_REALISE_H
#define ZC_RUNTIME_GRAPH_REALISE_H

#include "runtime/graph/node.h"

/* Claims what has no data, each node once; where one has data, is claimed, or stands in the list before, its place
 * becomes NULL. Places may be NULL before. The caller computes what is left, and calls zc_realise_end of each. */
void zc_realise_begin(int count, zc_node **nodes);

/* Ends a claim. buffer holds the node's elements in row-major order, one reference of it goes to the node; NULL when
 * the computation failed. */
void zc_realise_end(zc_node *node, zc_buffer *buffer);

#endif
