#include "runtime/record/select.h"

#include "runtime/record/record.h"

bool zc_may_select(const zc_tensor *x, int axis, int64_t count)
{
    return count > 0 && count <= ZC_MOST_SELECTED && x->dims[axis] > 1 && x->size > 0 &&
           x->size <= INT64_MAX / ZC_MOST_SELECTED && x->rank < ZC_MAX_RANK;
}

/* The lines of a view: its other axes, one along which all is repeated `count` times, and the line's. */
static void view_lines(const zc_view *view, int axis, int64_t count, zc_view *out)
{
    zc_view_copy(view, out);
    out->rank = view->rank + 1;
    for (int a = axis; a + 1 < view->rank; a++) {
        out->shape[a] = view->shape[a + 1];
        out->stride[a] = view->stride[a + 1];
    }
    out->shape[view->rank - 1] = count;
    out->stride[view->rank - 1] = 0;
    out->shape[view->rank] = view->shape[axis];
    out->stride[view->rank] = view->stride[axis];
}

/* The node with its last axis in the place that it has in the operand. */
static void view_result(const zc_node *node, int axis, zc_view *out)
{
    zc_view own;
    zc_view_row_major(node->rank, node->shape, &own);
    zc_view_copy(&own, out);
    out->shape[axis] = own.shape[own.rank - 1];
    out->stride[axis] = own.stride[own.rank - 1];
    for (int a = axis; a + 1 < own.rank; a++) {
        out->shape[a + 1] = own.shape[a];
        out->stride[a + 1] = own.stride[a];
    }
}

zc_tensor *zc_record_select(const zc_tensor *x, int axis, int64_t count, zc_reduction by, const char *function)
{
    zc_view view, lines, shown;
    zc_node *operand = zc_record_cast(x, zc_dtype_of(x), &view);
    if (operand == NULL)
        return (void)zc_fail_memory(x->ctx, function), NULL;
    view_lines(&view, axis, count, &lines);
    zc_node_spec spec = {.kind = ZC_NODE_SELECT,
                         .op = (int)by,
                         .dtype = zc_reduction_is_index(by) ? ZC_INT64 : zc_dtype_of(x),
                         .rank = x->rank,
                         .shape = lines.shape,
                         .reduced = UINT64_C(1) << x->rank,
                         .edge_count = 1,
                         .edges = (zc_edge[]){zc_edge_of(operand, &lines)},
                         .domain = &lines};
    (void)zc_shape_size(spec.rank, spec.shape, &spec.size, NULL); /* no more than x has */
    zc_node *node = zc_node_new(x->heap, &spec);
    zc_node_release(operand);
    if (node == NULL)
        return (void)zc_fail_memory(x->ctx, function), NULL;
    view_result(node, axis, &shown);
    return zc_tensor_new(x->ctx, node, &shown, function);
}
