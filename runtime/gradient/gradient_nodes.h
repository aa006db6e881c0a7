/*
 * The rules of kinds of nodes.
 */
#ifndef ZC_RUNTIME_GRADIENT_GRADIENT_NODES_H
#define ZC_RUNTIME_GRADIENT_GRADIENT_NODES_H

#include "runtime/gradient/gradient.h"

/* Returns how a node passes on the gradient of its elements, and sets its rule. */
zc_differentiable zc_gradient_find(const zc_node *node, zc_gradient_rule **rule);

/* t, of the shape of a reduction's or contraction's result, along the reduced axes again: over the node's domain. NULL
 * when t is. */
zc_tensor *zc_gradient_expand(const zc_backward *b, const zc_tensor *t);

#endif
