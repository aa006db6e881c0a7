/*
 * Bits read as another dtype: existing data in place, computed data element by element while it is computed.
 */
#include "runtime/graph/invariance.h"
#include "runtime/graph/leaf.h"
#include "runtime/record/record.h"
#include "views/view_ops.h"

/* The bytes of t that exist, as a leaf of their own over the same memory. The leaf knows nothing of the node's
 * invariant axes; they become broadcast ones, as they would be had the node no data yet. */
static zc_tensor *show_data(const zc_tensor *t, zc_buffer *data, zc_dtype dtype)
{
    zc_view view;
    zc_reason why;
    zc_tensor_view(t, &view);
    if (zc_dtype_bytes(zc_dtype_of(t)) == zc_dtype_bytes(dtype))
        zc_invariant_view(t->node, &view, &view);
    zc_status status = zc_view_bitcast(&view, zc_dtype_bytes(zc_dtype_of(t)), zc_dtype_bytes(dtype), &view, &why);
    if (status == ZC_OK && (uintptr_t)data->memory % zc_dtype_alignment(dtype) != 0)
        status =
            zc_refuse(&why, ZC_ERROR_ARGUMENT, "the memory is not aligned to elements of %s", zc_dtype_name(dtype));
    if (status == ZC_OK)
        return zc_leaf_over(t, dtype, &view, "bitcast");
    (void)zc_fail_because(t->ctx, status, "bitcast", &why);
    return NULL;
}

/* What is still to be computed has no bytes yet, but every element keeps its place. */
static zc_tensor *record(const zc_tensor *t, zc_dtype dtype)
{
    zc_view view;
    zc_node *node = zc_record_bitcast(t, dtype, &view);
    if (node != NULL)
        return zc_tensor_new(t->ctx, node, &view, "bitcast");
    (void)zc_fail_memory(t->ctx, "bitcast");
    return NULL;
}

zc_tensor *zc_bitcast(const zc_tensor *t, zc_dtype dtype)
{
    if (t == NULL)
        return NULL;
    if (!zc_dtype_is_valid(dtype)) {
        (void)zc_fail(t->ctx, ZC_ERROR_DTYPE, "bitcast", "%d is not a dtype", (int)dtype);
        return NULL;
    }
    zc_dtype from = zc_dtype_of(t);
    zc_buffer *data = zc_node_data(t->node);
    if (data != NULL && from != dtype)
        return show_data(t, data, dtype);
    if (zc_dtype_bytes(from) == zc_dtype_bytes(dtype))
        return record(t, dtype);
    (void)zc_fail(
        t->ctx, ZC_ERROR_DTYPE, "bitcast",
        "%s to %s changes the size of the elements, which needs data that exists; materialise the tensor first",
        zc_dtype_name(from), zc_dtype_name(dtype));
    return NULL;
}
