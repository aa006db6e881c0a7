#include "runtime/gradient/variable.h"

#include "runtime/graph/history.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/variables.h"
#include "runtime/record/record.h"
#include "views/overlap.h"

/* A leaf over memory that exists, without the node's history. */
static zc_node_spec leaf_of(const zc_tensor *t, zc_buffer *data)
{
    return (zc_node_spec){.kind = ZC_NODE_LEAF,
                          .dtype = zc_tensor_dtype(t),
                          .rank = 1,
                          .shape = &t->node->size,
                          .size = t->node->size,
                          .data = data};
}

/* Makes a node of its own for t's elements: a variable, or a place where gradients end. It shares memory that was
 * given, except for a variable whose elements repeat, as each has its own gradient, or whose elements vary already.
 * What was computed may be in memory or not, depending on what was read; so that does not decide. */
static zc_tensor *mark(const zc_tensor *t, bool is_variable, const char *function)
{
    zc_view view;
    zc_edge edge;
    zc_tensor_view(t, &view);
    const bool is_copy = is_variable && (zc_node_varies(t->node) || !zc_view_is_injective(&view));
    zc_buffer *data = is_copy || t->node->kind != ZC_NODE_LEAF ? NULL : zc_node_share(t->node);
    const bool is_leaf = data != NULL;
    zc_node_spec spec = is_leaf ? leaf_of(t, data) : zc_record_unary(t, &view, ZC_OP_COPY, zc_tensor_dtype(t), &edge);
    spec.is_variable = is_variable;
    spec.is_constant = !is_variable;
    zc_node *node = zc_node_new(t->heap, &spec);
    if (node == NULL) {
        zc_buffer_release(data);
        (void)zc_fail_memory(t->ctx, function);
        return NULL;
    }
    if (!is_leaf)
        return zc_tensor_of_node(t->ctx, node, function);
    return zc_tensor_new(t->ctx, node, &view, function);
}

zc_tensor *zc_variable(const zc_tensor *x)
{
    static const char function[] = "variable";
    if (ZC_REFUSE_LOST(function, x))
        return NULL;
    if (zc_dtype_describe(zc_tensor_dtype(x))->kind == ZC_KIND_FLOAT)
        return mark(x, true, function);
    (void)zc_fail(x->ctx, ZC_ERROR_DTYPE, function, "x is %s; floats have gradients", zc_dtype_name(zc_dtype_of(x)));
    return NULL;
}

zc_tensor *zc_stop_gradient(const zc_tensor *x)
{
    return ZC_REFUSE_LOST("stop_gradient", x) ? NULL : mark(x, false, "stop_gradient");
}

bool zc_varies(const zc_tensor *t)
{
    return t != NULL && zc_dtype_describe(zc_tensor_dtype(t))->kind == ZC_KIND_FLOAT && zc_node_varies(t->node);
}

bool zc_gradient_is_cut(const zc_node *node, const zc_tensor *x)
{
    const zc_buffer *made = zc_node_data(node), *from = zc_node_data(x->node);
    const bool has_operands = node->kind != ZC_NODE_LEAF && !zc_node_gave_up(node);
    if (has_operands || node->is_constant || node->serial < x->node->serial)
        return false;
    if (x->node->is_variable) /* results have origins; bytes that are read as other elements have none */
        return !node->is_variable && zc_node_is_made_of(node, x->node);
    if (from != NULL && (made == from || zc_buffer_is_derived(made, from))) /* another node may have the same memory */
        return true;
    if (from == NULL || x->node->kind != ZC_NODE_LEAF)
        return zc_node_gave_up(node) || (made->sources.nodes & zc_source_bit(x->node->serial)) != 0;
    return from->stands_for < 0 && (made->sources.nodes & zc_source_bit((uint64_t)-from->stands_for)) != 0;
}

bool zc_origin_keep(const zc_tensor *leaf, const zc_tensor *t, const zc_view *stored)
{
    zc_edge edge;
    if (zc_view_is_identity(stored, t->node->size))
        return zc_history_keep(leaf->node, zc_node_retain(t->node));
    zc_node_spec spec = zc_record_unary(t, stored, ZC_OP_COPY, zc_tensor_dtype(t), &edge);
    return zc_history_keep(leaf->node, zc_node_new(t->heap, &spec));
}
