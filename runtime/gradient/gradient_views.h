/*
 * Gradients back through the views of edges.
 */
#ifndef ZC_RUNTIME_GRADIENT_GRADIENT_VIEWS_H
#define ZC_RUNTIME_GRADIENT_GRADIENT_VIEWS_H

#include "runtime/graph/tensor.h"

/* t seen through a view over its elements in row-major order; a copy of t is recorded where no strides express that. */
zc_tensor *zc_gradient_see(const zc_tensor *t, const zc_view *view);

/* Gradient of a node, in its shape, from the gradient g of the elements that `view` shows: g is summed along the axes
 * where the view repeats elements, and put where they stand. `taken`, or NULL, is a take of the node with that view and
 * that gradient, whose positions move it. */
zc_tensor *zc_gradient_place(const zc_tensor *g, const zc_view *view, const zc_node *node, const zc_node *taken);

#endif
