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

/* ---- Arguments that are lost: NULL, or tensors of a context that has ended ---- */

static inline bool zc_tensor_is_lost(const zc_tensor *t)
{
    return t == NULL || zc_heap_has_left(t->heap);
}

/* Fails for the first that is lost, under its name: `names` are those of all, between commas. The failure is one of the
 * context of another of the tensors, else of the thread. */
__attribute__((cold)) void zc_fail_lost(const char *function, const char *names, const zc_tensor *const *tensors,
                                        int count);

/* Refuses a call that was given a tensor that is lost: true where one is. ZC_REFUSE_LOST("clip", x, low, high). */
#define ZC_REFUSE_LOST(function, ...)                                                                                  \
    zc_refuse_lost(function, #__VA_ARGS__, (const zc_tensor *const[]){__VA_ARGS__},                                    \
                   (int)(sizeof((const zc_tensor *const[]){__VA_ARGS__}) / sizeof(zc_tensor *)))

static inline bool zc_refuse_lost(const char *function, const char *names, const zc_tensor *const *tensors, int count)
{
    bool is_lost = false;
    for (int i = 0; i < count; i++)
        is_lost = is_lost || zc_tensor_is_lost(tensors[i]);
    if (is_lost)
        zc_fail_lost(function, names, tensors, count);
    return is_lost;
}

/* Fails for the first of a list that is lost, as "list[2]", or for the list. */
__attribute__((cold)) void zc_fail_lost_in_list(zc_context *ctx, const char *function, const char *list, int count,
                                                const zc_tensor *const *tensors);

/* The same of the tensors in a list, or no list of some; ctx is that of the call, or NULL. */
static inline bool zc_refuse_lost_in_list(zc_context *ctx, const char *function, const char *list, int count,
                                          const zc_tensor *const *tensors)
{
    bool is_lost = count > 0 && tensors == NULL;
    for (int i = 0; i < count && !is_lost; i++)
        is_lost = zc_tensor_is_lost(tensors[i]);
    if (is_lost)
        zc_fail_lost_in_list(ctx, function, list, count, tensors);
    return is_lost;
}

/* ---- Handles ---- */

/* A handle for the caller, given to the open scope if there is one. Takes over the caller's reference to node, also on
 * failure (out of memory, or, of a node still to be computed, over the limits of the context: NULL, recorded for
 * `function`). */
zc_tensor *zc_tensor_new(zc_context *ctx, zc_node *node, const zc_view *view, const char *function);

/* The same for all of a node that was just made; node NULL is the allocator's failure. */
zc_tensor *zc_tensor_of_node(zc_context *ctx, zc_node *node, const char *function);

/* The view of a handle over its node. */
void zc_tensor_view(const zc_tensor *t, zc_view *out);

#endif
