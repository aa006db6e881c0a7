/*
 * Which nodes hold no negative element, whatever the data that they are made of. A root of such a node has a smallest
 * subgradient where the node is zero.
 *
 * It is decided when a node is recorded, from its operands, by the rules that the rows of node_kinds.def and ops.def
 * name. A leaf of elements that were computed from a variable has it from its origin (history.h). Integers with a sign
 * wrap, so of those only what is there from the start is known; unsigned ones and bool have no negative elements, and
 * of complex numbers there is nothing to know.
 */
#ifndef ZC_RUNTIME_GRAPH_NEVER_NEGATIVE_H
#define ZC_RUNTIME_GRAPH_NEVER_NEGATIVE_H

#include "runtime/graph/node.h"

/* Sets node->is_never_negative of a node that is complete otherwise. */
void zc_never_negative_set(zc_node *node);

#endif
