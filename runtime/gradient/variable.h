/*
 * What gradients are taken by, and where they end.
 *
 * A variable is a node that says so; every node that is recorded from it inherits its place (variables.h), and what
 * is computed from such nodes keeps its origin (history.h), so that gradients pass through memory. What is computed
 * from other nodes forgets its operands, but its buffer remembers which buffers it was computed from: a gradient that
 * would have to pass there is refused. None has to on its way to a variable, whose results all have an origin.
 */
#ifndef ZC_RUNTIME_GRADIENT_VARIABLE_H
#define ZC_RUNTIME_GRADIENT_VARIABLE_H

#include "runtime/graph/tensor.h"

/* Tells whether a gradient that reaches `node` would have to go on to x and cannot: the node is not x's, and holds
 * elements that are, or may be, computed from x's. */
bool zc_gradient_is_cut(const zc_node *node, const zc_tensor *x);

/* Gives a leaf that was just made its origin: the elements that a view of t's node shows, in row-major order. False
 * when the allocator fails. */
bool zc_origin_keep(const zc_tensor *leaf, const zc_tensor *t, const zc_view *stored);

#endif
