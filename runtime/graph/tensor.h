/*
 * A tensor handle: an edge without a consumer.
 *
 * A handle is a node, a view over it, and the context whose thread uses it. View operations make a new handle on the
 * same node; recording makes a new node and a handle on all of it.
 */
#ifndef ZC_RUNTIME_GRAPH_TENSOR_H
#define ZC_RUNTIME_GRAPH_TENSOR_H

#include "runtime/context/context.h"
#include "runtime/graph/node.h"

struct zc_tensor {
    _Atomic int64_t references;
    zc_context *ctx;
    zc_heap *heap; /* the context's, which outlives it */
    zc_node *node;
    zc_scope *scope; /* that owns one of the references, or NULL; its list runs through next and previous */
    zc_tensor *next, *previous;
    int64_t size;
    int64_t offset;
    int rank;
    int64_t dims[]; /* shape [rank], then stride [rank] */
};

static inline zc_dtype zc_tensor_dtype(const zc_tensor *t)
{
    return (zc_dtype)t->node->dtype;
}

/* A Python scalar has no axes: once broadcast it is a tensor like any other. */
static inline bool zc_tensor_is_weak(const zc_tensor *t)
{
    return t->node->is_weak && t->rank == 0;
}

/* A handle for the caller, given to the open scope if there is one. Takes over the caller's reference to node, also on
 * failure (out of memory, or, of a node still to be computed, over the limits of the context: NULL, recorded for
 * `function`). */
zc_tensor *zc_tensor_new(zc_context *ctx, zc_node *node, const zc_view *view, const char *function);

/* The same for all of a node that was just made; node NULL is the allocator's failure. */
zc_tensor *zc_tensor_of_node(zc_context *ctx, zc_node *node, const char *function);

/* The view of a handle over its node. */
void zc_tensor_view(const zc_tensor *t, zc_view *out);

#endif
