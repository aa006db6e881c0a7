/*
 * Leaves: nodes that are a buffer.
 */
#ifndef ZC_RUNTIME_LEAF_H
#define ZC_RUNTIME_LEAF_H

#include "runtime/tensor.h"

/* A handle on a new leaf over the whole buffer, seen through `view` (over its elements). Takes over the caller's
 * reference to the buffer, also on failure; buffer NULL is the allocator's failure. */
zc_tensor *zc_leaf_tensor(zc_context *ctx, zc_buffer *buffer, zc_dtype dtype, const zc_view *view,
                          const char *function);

#endif
