#include "runtime/graph/leaf.h"

#include "runtime/graph/keep.h"
#include "runtime/graph/variables.h"

zc_tensor *zc_leaf_tensor(zc_context *ctx, zc_buffer *buffer, zc_dtype dtype, const zc_view *view, const char *function)
{
    if (buffer == NULL) {
        (void)zc_fail_memory(ctx, function);
        return NULL;
    }
    int64_t elements = buffer->bytes / (int64_t)zc_dtype_bytes(dtype);
    zc_node_spec spec = {
        .kind = ZC_NODE_LEAF, .dtype = dtype, .rank = 1, .shape = &elements, .size = elements, .data = buffer};
    zc_node *node = zc_node_new(ctx->heap, &spec);
    if (node == NULL) {
        zc_buffer_release(buffer);
        (void)zc_fail_memory(ctx, function);
        return NULL;
    }
    return zc_tensor_new(ctx, node, view, function);
}

zc_tensor *zc_leaf_over(const zc_tensor *t, zc_dtype dtype, const zc_view *view, const char *function)
{
    zc_tensor *leaf = zc_leaf_tensor(t->ctx, zc_node_share(t->node), dtype, view, function);
    if (leaf != NULL)
        zc_variables_inherit(leaf->node, t->node);
    return leaf;
}
