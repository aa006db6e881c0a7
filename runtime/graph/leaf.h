/*
 * Leaves: nodes that are a buffer.
 */
#ifndef ZC_RUNTIME_GRAPH_LEAF_H
#define ZC_RUNTIME_GRAPH_LEAF_H

#include "runtime/graph/tensor.h"

/* A handle on a new leaf over the whole buffer, seen through `view` (over its elements). Takes over the caller's
 * reference to the buffer, also on failure; buffer NULL is the allocator's failure. */
zc_tensor *zc_leaf_tensor(zc_context *ctx, zc_buffer *buffer, zc_dtype dtype, const zc_view *view,
                          const char *function);

/* A leaf over the memory of t, whose bytes it reads as other elements. It is made of t's variables, but has no origin:
 * gradients cannot pass. */
zc_tensor *zc_leaf_over(const zc_tensor *t, zc_dtype dtype, const zc_view *view, const char *function);

#endif
