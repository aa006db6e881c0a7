#include "runtime/graph/tensor.h"

#include <stdio.h>
#include <string.h>

#include "runtime/graph/keep.h"
#include "runtime/graph/lock.h"
#include "runtime/graph/scope.h"
#include "runtime/graph/variables.h"

/* ---- Arguments that are lost ---- */

static void fail_lost(zc_context *ctx, const char *function, const char *name, int length, const zc_tensor *t)
{
    if (t == NULL && ctx == NULL && zc_error_status(NULL) != ZC_OK)
        return; /* the rest of a chain whose failure the thread has */
    if (t == NULL)
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "%.*s is NULL", length, name);
    else
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, function,
                      "the context of %.*s has ended; zc_adopt takes a tensor into another", length, name);
}

void zc_fail_lost(const char *function, const char *names, const zc_tensor *const *tensors, int count)
{
    zc_context *ctx = NULL;
    const char *name = names;
    int lost = 0;
    while (!zc_tensor_is_lost(tensors[lost])) {
        name += strcspn(name, ",") + 2;
        lost++;
    }
    for (int i = 0; i < count && ctx == NULL; i++)
        ctx = zc_tensor_is_lost(tensors[i]) ? NULL : tensors[i]->ctx;
    fail_lost(ctx, function, name, (int)strcspn(name, ","), tensors[lost]);
}

void zc_fail_lost_in_list(zc_context *ctx, const char *function, const char *list, int count,
                          const zc_tensor *const *tensors)
{
    char name[32];
    int lost = 0;
    if (tensors == NULL) {
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "%s is NULL", list);
        return;
    }
    while (lost < count - 1 && !zc_tensor_is_lost(tensors[lost]))
        lost++;
    const int length = snprintf(name, sizeof name, "%s[%d]", list, lost);
    if (ctx == NULL && lost > 0) /* those before are there */
        ctx = tensors[0]->ctx;
    fail_lost(ctx, function, name, length, tensors[lost]);
}

/* ---- Handles ---- */

static size_t handle_bytes(int rank)
{
    return sizeof(zc_tensor) + 2 * (size_t)rank * sizeof(int64_t);
}

/* Keeps nodes that are still to be computed within the limits. bytes: size of a handle on the new one. */
static bool may_record(zc_context *ctx, size_t bytes, const char *function)
{
    const zc_options *limits = &ctx->options;
    const int64_t nodes = atomic_load_explicit(&ctx->heap->nodes, memory_order_relaxed);
    const int64_t headers = atomic_load_explicit(&ctx->heap->header_bytes, memory_order_relaxed) + (int64_t)bytes;
    if (nodes <= limits->node_limit && headers <= limits->header_limit)
        return true;
    bool are_nodes = nodes > limits->node_limit;
    const zc_budget budget = {.need = are_nodes ? 1 : (int64_t)bytes,
                              .held = are_nodes ? nodes - 1 : headers - (int64_t)bytes,
                              .limit = are_nodes ? limits->node_limit : limits->header_limit,
                              .window_axis = -1};
    (void)zc_fail_budget(ctx, function, &budget,
                         "%lld nodes in %lld bytes would be recorded, over the limit of %lld %s; materialise a result "
                         "and release what it was made from",
                         (long long)nodes, (long long)headers, (long long)budget.limit, are_nodes ? "nodes" : "bytes");
    return false;
}

/* A handle whose dims are still to be filled in. */
static zc_tensor *make(zc_context *ctx, zc_node *node, int rank, int64_t size, int64_t offset, const char *function)
{
    if (zc_node_data(node) == NULL && !may_record(ctx, handle_bytes(rank), function)) {
        zc_node_release(node);
        return NULL;
    }
    const bool has_room = zc_node_handles(node) < ZC_MOST_HANDLES;
    zc_tensor *t = has_room ? zc_heap_take(ctx->heap, handle_bytes(rank)) : NULL;
    if (t == NULL) {
        zc_node_release(node);
        (void)zc_fail_memory(ctx, function);
        return NULL;
    }
    atomic_init(&t->references, 1);
    t->ctx = ctx;
    t->heap = ctx->heap;
    t->node = node;
    t->scope = NULL;
    t->size = size;
    t->offset = offset;
    t->rank = rank;
    (void)zc_count(&node->references, ZC_HANDLE);
    zc_variable_hold(node);
    if (ctx->scope != NULL)
        zc_scope_join(ctx->scope, t);
    return t;
}

zc_tensor *zc_tensor_new(zc_context *ctx, zc_node *node, const zc_view *view, const char *function)
{
    zc_tensor *t = make(ctx, node, view->rank, zc_view_size(view), view->offset, function);
    for (int a = 0; t != NULL && a < view->rank; a++) {
        t->dims[a] = view->shape[a];
        t->dims[view->rank + a] = view->stride[a];
    }
    return t;
}

zc_tensor *zc_tensor_of_node(zc_context *ctx, zc_node *node, const char *function)
{
    if (node == NULL) {
        (void)zc_fail_memory(ctx, function);
        return NULL;
    }
    zc_tensor *t = make(ctx, node, node->rank, node->size, 0, function);
    for (int a = 0; t != NULL && a < node->rank; a++)
        t->dims[a] = node->shape[a];
    if (t != NULL)
        zc_shape_row_major(node->rank, node->shape, t->dims + node->rank);
    return t;
}

void zc_tensor_view(const zc_tensor *t, zc_view *out)
{
    out->rank = t->rank;
    out->offset = t->offset;
    zc_copy_list(t->rank, t->dims, out->shape);
    zc_copy_list(t->rank, t->dims + t->rank, out->stride);
}

zc_tensor *zc_retain(zc_tensor *t)
{
    if (t != NULL)
        (void)zc_count(&t->references, 1);
    return t;
}

void zc_release(zc_tensor *t)
{
    if (t == NULL || !zc_count_is_last(&t->references))
        return;
    if (t->scope != NULL)
        zc_scope_leave(t);
    zc_node *node = t->node;
    zc_variable_drop(node);
    zc_heap_give(t->heap, t, handle_bytes(t->rank));
    zc_node_release_handle(node);
}

zc_tensor *zc_adopt(zc_context *ctx, const zc_tensor *t)
{
    if (zc_refuse_no_context(ctx, "adopt"))
        return NULL;
    if (t == NULL) {
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, "adopt", "t is NULL");
        return NULL;
    }
    zc_view view;
    zc_tensor_view(t, &view);
    zc_node_precede(t->node, ctx->heap);
    if (t->heap != ctx->heap || t->node->heap != ctx->heap) {
        zc_graph_lock(); /* what is changed in nodes of a heap that is not shared, is changed before or not at all */
        atomic_store(&t->heap->is_shared, true);
        atomic_store(&t->node->heap->is_shared, true);
        atomic_store(&ctx->heap->is_shared, true);
        zc_graph_unlock();
    }
    return zc_tensor_new(ctx, zc_node_retain(t->node), &view, "adopt");
}

zc_context *zc_context_of(const zc_tensor *t)
{
    return t->ctx;
}

zc_dtype zc_dtype_of(const zc_tensor *t)
{
    return zc_tensor_dtype(t);
}

bool zc_is_weak(const zc_tensor *t)
{
    return zc_tensor_is_weak(t);
}

int zc_rank(const zc_tensor *t)
{
    return t->rank;
}

const int64_t *zc_shape(const zc_tensor *t)
{
    return t->dims;
}

const int64_t *zc_strides(const zc_tensor *t)
{
    return t->dims + t->rank;
}

int64_t zc_offset(const zc_tensor *t)
{
    return t->offset;
}

int64_t zc_size(const zc_tensor *t)
{
    return t->size;
}

bool zc_is_view(const zc_tensor *t)
{
    return zc_node_data(t->node) != NULL;
}

const void *zc_data(const zc_tensor *t)
{
    const zc_buffer *data = zc_node_data(t->node);
    if (data != NULL && !zc_node_is_given(t->node))
        data = zc_node_pin(t->node);
    if (data == NULL)
        return NULL;
    return (const char *)data->memory + (size_t)t->offset * zc_dtype_bytes(zc_dtype_of(t));
}

uint64_t zc_broadcast_axes(const zc_tensor *t)
{
    zc_view view;
    zc_tensor_view(t, &view);
    return zc_view_broadcast_axes(&view);
}
