/* Scans: every element joined with all before it along an axis. */
#include "runtime/record.h"
#include "runtime/scope.h"

static zc_tensor *record(const zc_tensor *x, zc_op op, int axis, const char *function)
{
    zc_view view;
    zc_node *operand = zc_record_cast(x, zc_sum_dtype(zc_dtype_of(x)), &view);
    zc_node *node = NULL;
    if (operand != NULL) {
        zc_node_spec spec = {.kind = ZC_NODE_SCAN,
                             .op = (int)op,
                             .dtype = (zc_dtype)operand->dtype,
                             .rank = x->rank,
                             .shape = x->dims,
                             .size = x->size,
                             .reduced = UINT64_C(1) << axis,
                             .edge_count = 1,
                             .edges = (zc_edge[]){zc_edge_of(operand, &view)}};
        node = zc_node_new(x->heap, &spec);
    }
    zc_node_release(operand);
    return zc_tensor_of_node(x->ctx, node, function);
}

/* The elements with what they are joined to at first before them. */
static zc_tensor *put_initial(const zc_tensor *scanned, zc_op op, int axis)
{
    if (scanned == NULL)
        return NULL;
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < scanned->rank; a++)
        shape[a] = a == axis ? 1 : scanned->dims[a];
    zc_tensor *initial =
        zc_full(scanned->ctx, scanned->rank, shape, zc_dtype_of(scanned), op == ZC_OP_MULTIPLY ? 1 : 0);
    return zc_concat(scanned->ctx, 2, (const zc_tensor *const[]){initial, scanned}, axis);
}

static zc_tensor *scan(const zc_tensor *x, zc_op op, int axis, bool include_initial, const char *function)
{
    zc_reason why;
    if (x == NULL)
        return NULL;
    zc_status status = zc_axis_resolve(axis, x->rank, &axis, &why);
    if (status != ZC_OK) {
        (void)zc_fail_because(x->ctx, status, function, &why);
        return NULL;
    }
    zc_scope *scope = zc_scope_begin(x->ctx);
    if (scope == NULL)
        return NULL;
    zc_tensor *scanned = record(x, op, axis, function);
    if (zc_dtype_is_narrow(zc_dtype_of(x)))
        scanned = zc_astype(scanned, zc_dtype_of(x));
    return zc_scope_end_with(scope, include_initial ? put_initial(scanned, op, axis) : scanned);
}

zc_tensor *zc_cumulative_sum(const zc_tensor *x, int axis, bool include_initial)
{
    return scan(x, ZC_OP_ADD, axis, include_initial, "cumulative_sum");
}

zc_tensor *zc_cumulative_prod(const zc_tensor *x, int axis, bool include_initial)
{
    return scan(x, ZC_OP_MULTIPLY, axis, include_initial, "cumulative_prod");
}
