/* Scans: along an axis, every element joined with all before it, or what those before it make. */
#include "runtime/record/scan.h"

#include "runtime/graph/scope.h"
#include "runtime/record/record.h"
#include "runtime/record/reductions.h"

/* Records a scan of one operand, or of two that have one dtype and shape. */
static zc_node *record_over(const zc_tensor *x, zc_scan scan, int axis, int count, const zc_edge *edges)
{
    zc_node_spec spec = {.kind = ZC_NODE_SCAN,
                         .op = (int)scan,
                         .dtype = (zc_dtype)edges[0].node->dtype,
                         .rank = x->rank,
                         .shape = x->dims,
                         .size = x->size,
                         .reduced = UINT64_C(1) << axis,
                         .edge_count = count,
                         .edges = edges};
    return zc_node_new(x->heap, &spec);
}

static zc_tensor *record(const zc_tensor *x, zc_scan scan, int axis, const char *function)
{
    zc_view view;
    zc_node *operand = zc_record_cast(x, zc_sum_dtype(zc_dtype_of(x)), &view);
    zc_node *node = operand == NULL ? NULL : record_over(x, scan, axis, 1, (zc_edge[]){zc_edge_of(operand, &view)});
    zc_node_release(operand);
    return zc_tensor_of_node(x->ctx, node, function);
}

/* The elements with what they are joined to at first before them. */
static zc_tensor *put_initial(const zc_tensor *scanned, zc_scan kind, int axis)
{
    if (scanned == NULL)
        return NULL;
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < scanned->rank; a++)
        shape[a] = a == axis ? 1 : scanned->dims[a];
    zc_tensor *initial =
        zc_full(scanned->ctx, scanned->rank, shape, zc_dtype_of(scanned), kind == ZC_SCAN_PRODUCT ? 1 : 0);
    return zc_concat(scanned->ctx, 2, (const zc_tensor *const[]){initial, scanned}, axis);
}

static zc_tensor *scan(const zc_tensor *x, zc_scan kind, int axis, bool include_initial, const char *function)
{
    zc_reason why;
    if (ZC_REFUSE_LOST(function, x))
        return NULL;
    zc_status status = zc_axis_resolve(axis, x->rank, &axis, &why);
    if (status != ZC_OK) {
        (void)zc_fail_because(x->ctx, status, function, &why);
        return NULL;
    }
    zc_scope *scope = zc_scope_begin(x->ctx);
    if (scope == NULL)
        return NULL;
    zc_tensor *scanned = record(x, kind, axis, function);
    if (zc_dtype_is_narrow(zc_dtype_of(x)))
        scanned = zc_astype(scanned, zc_dtype_of(x));
    return zc_scope_end_with(scope, include_initial ? put_initial(scanned, kind, axis) : scanned);
}

zc_tensor *zc_cumulative_sum(const zc_tensor *x, int axis, bool include_initial)
{
    return scan(x, ZC_SCAN_SUM, axis, include_initial, "cumulative_sum");
}

zc_tensor *zc_cumulative_prod(const zc_tensor *x, int axis, bool include_initial)
{
    return scan(x, ZC_SCAN_PRODUCT, axis, include_initial, "cumulative_prod");
}

/* ---- Of elements before, for gradients ---- */

/* Runs from the end: over views of the operands that run backwards, and seen through such a view. */
static zc_tensor *scan_before(const zc_tensor *x, const zc_tensor *factors, zc_scan kind, int axis, bool from_end,
                              const char *function)
{
    if (x == NULL || (factors == NULL && kind == ZC_SCAN_RECURRENCE))
        return NULL;
    if (x->dims[axis] < 2) /* there are no elements before */
        return zc_full(x->ctx, x->rank, x->dims, zc_dtype_of(x), kind == ZC_SCAN_PRODUCT_BEFORE ? 1 : 0);
    const zc_tensor *operands[] = {from_end ? zc_flip(x, 1, &axis) : x,
                                   from_end && factors != NULL ? zc_flip(factors, 1, &axis) : factors};
    int count = factors == NULL ? 1 : 2;
    zc_edge edges[2];
    zc_view view[2];
    for (int i = 0; i < count; i++) {
        if (operands[i] == NULL)
            return NULL;
        zc_tensor_view(operands[i], &view[i]);
        edges[i] = zc_edge_of(operands[i]->node, &view[i]);
    }
    zc_tensor *scanned = zc_tensor_of_node(x->ctx, record_over(x, kind, axis, count, edges), function);
    return from_end ? zc_flip(scanned, 1, &axis) : scanned;
}

zc_tensor *zc_record_product_before(const zc_tensor *x, int axis, bool from_end, const char *function)
{
    return scan_before(x, NULL, ZC_SCAN_PRODUCT_BEFORE, axis, from_end, function);
}

zc_tensor *zc_record_recurrence(const zc_tensor *x, const zc_tensor *factors, int axis, bool from_end,
                                const char *function)
{
    return scan_before(x, factors, ZC_SCAN_RECURRENCE, axis, from_end, function);
}
