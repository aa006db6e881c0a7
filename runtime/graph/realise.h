/*
 * Realising: giving a node its data, once, however many threads ask.
 *
 * A thread that wants to compute a node's data claims it. One claim is granted; the others wait until it ends and find
 * either the data or, when the computation failed, the claim for themselves. No lock is held while computing. A forked
 * child takes over the claims of threads that it does not have.
 */
#ifndef ZC_RUNTIME_GRAPH_REALISE_H
#define ZC_RUNTIME_GRAPH_REALISE_H

#include "runtime/graph/node.h"

/* True: the caller computes, and must call zc_realise_end. False: the data is there. */
bool zc_realise_begin(zc_node *node);

/* Ends a claim. buffer holds the node's elements in row-major order, one reference of it goes to the node; NULL when
 * the computation failed. */
void zc_realise_end(zc_node *node, zc_buffer *buffer);

#endif
