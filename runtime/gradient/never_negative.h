/*
 * Which nodes hold no negative element, whatever the data that they are made of. A root of such a node has a smallest
 * subgradient where the node is zero.
 */
#ifndef ZC_RUNTIME_GRADIENT_NEVER_NEGATIVE_H
#define ZC_RUNTIME_GRADIENT_NEVER_NEGATIVE_H

#include "runtime/graph/node.h"

/* Looks at operations that occur in norms, variances and distances, some levels down; false when it cannot tell. */
bool zc_is_never_negative(const zc_node *node);

#endif
