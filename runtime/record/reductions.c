/*
 * The public reductions: one per row of reductions.def. The operand is taken to the accumulator's dtype first, so that
 * executors only ever join elements of one dtype.
 */
#include "runtime/record/reductions.h"

#include "runtime/record/record.h"
#include "views/view_ops.h"

zc_dtype zc_sum_dtype(zc_dtype dtype)
{
    zc_kind kind = zc_dtype_describe(dtype)->kind;
    if (zc_dtype_is_narrow(dtype))
        return ZC_FLOAT32;
    return kind >= ZC_KIND_FLOAT ? dtype : kind == ZC_KIND_UNSIGNED ? ZC_UINT64 : ZC_INT64;
}

static zc_dtype accumulator_of(zc_accumulator accumulator, zc_dtype dtype)
{
    zc_kind kind = zc_dtype_describe(dtype)->kind;
    zc_dtype wide = zc_dtype_is_narrow(dtype) ? ZC_FLOAT32 : dtype;
    switch (accumulator) {
    case ZC_ACCUMULATOR_SUM:
        return zc_sum_dtype(dtype);
    case ZC_ACCUMULATOR_MEAN:
    case ZC_ACCUMULATOR_REAL:
        return kind >= ZC_KIND_FLOAT ? wide : ZC_FLOAT64;
    case ZC_ACCUMULATOR_TRUTH:
        return ZC_BOOL;
    default: /* ZC_ACCUMULATOR_SAME */
        return dtype;
    }
}

/* The axes that stay, as a shape; and whether no element is reduced into each result. */
static void split_axes(const zc_view *view, uint64_t reduced, int *rank, int64_t *shape, bool *empty)
{
    *rank = 0;
    *empty = false;
    for (int a = 0; a < view->rank; a++) {
        if ((reduced >> a & 1) == 0)
            shape[(*rank)++] = view->shape[a];
        else if (view->shape[a] == 0)
            *empty = true;
    }
}

static zc_status check_reduction(const zc_tensor *x, const zc_reduction_info *info, int count, const int *axes,
                                 zc_node_spec *spec, int64_t *shape)
{
    zc_reason why;
    const bool is_real = info->accumulator == ZC_ACCUMULATOR_SAME || info->accumulator == ZC_ACCUMULATOR_REAL;
    if (is_real && zc_dtype_is_complex(zc_dtype_of(x)))
        return zc_fail(x->ctx, ZC_ERROR_DTYPE, info->name, "takes real numbers, not %s", zc_dtype_name(zc_dtype_of(x)));
    zc_status status = zc_axes_resolve(count, axes, x->rank, &spec->reduced, &why);
    if (status != ZC_OK)
        return zc_fail_because(x->ctx, status, info->name, &why);
    zc_view view;
    bool empty;
    zc_tensor_view(x, &view);
    split_axes(&view, spec->reduced, &spec->rank, shape, &empty);
    if (empty && info->empty == ZC_EMPTY_ERROR) {
        char text[ZC_SHAPE_TEXT];
        return zc_fail(x->ctx, ZC_ERROR_ARGUMENT, info->name, "no elements along the reduced axes of shape %s",
                       zc_shape_text(text, sizeof text, x->rank, x->dims));
    }
    (void)zc_shape_size(spec->rank, shape, &spec->size, NULL); /* a part of x's sizes: it fits */
    return ZC_OK;
}

/* Puts axes of size 1 back where axes were reduced. */
static void restore_axes(const zc_node *node, const zc_tensor *x, zc_view *out)
{
    zc_view kept;
    zc_view_row_major(node->rank, node->shape, &kept);
    out->rank = x->rank;
    out->offset = kept.offset;
    for (int a = 0, from = 0; a < x->rank; a++) {
        bool reduced = (node->reduced >> a & 1) != 0;
        out->shape[a] = reduced ? 1 : kept.shape[from];
        out->stride[a] = reduced ? 0 : kept.stride[from];
        from += reduced ? 0 : 1;
    }
}

/* checked: the reduced axes and the result's shape and size. */
static zc_node *make_reduce(const zc_tensor *x, zc_reduction reduction, const zc_node_spec *checked)
{
    zc_dtype accumulator = accumulator_of(zc_reduction_describe(reduction)->accumulator, zc_dtype_of(x));
    zc_view view;
    zc_node *operand = zc_record_cast(x, accumulator, &view);
    if (operand == NULL)
        return NULL;
    zc_node_spec spec = *checked;
    spec.kind = ZC_NODE_REDUCE;
    spec.op = (int)reduction;
    spec.dtype = zc_reduction_is_index(reduction) ? ZC_INT64 : accumulator;
    if (spec.is_constant) /* of log sums */
        spec.dtype = zc_reduction_partial(reduction, accumulator);
    spec.edge_count = 1;
    spec.edges = (zc_edge[]){zc_edge_of(operand, &view)};
    spec.domain = &view;
    zc_node *node = zc_node_new(x->heap, &spec);
    zc_node_release(operand);
    return node;
}

/* The result, which a 16-bit float accumulated in float32 takes back to its own dtype. */
static zc_tensor *show(const zc_tensor *x, zc_node *node, const zc_view *view, const char *function)
{
    bool is_rounded = zc_dtype_is_narrow(zc_dtype_of(x)) && node->dtype == ZC_FLOAT32;
    zc_tensor *result = zc_tensor_new(x->ctx, node, view, function);
    if (!is_rounded)
        return result;
    zc_tensor *rounded = zc_astype(result, zc_dtype_of(x));
    zc_release(result);
    return rounded;
}

zc_tensor *zc_record_reduction(zc_reduction reduction, const zc_tensor *x, int count, const int *axes, bool keepdims)
{
    const zc_reduction_info *info = zc_reduction_describe(reduction);
    if (ZC_REFUSE_LOST(info->name, x))
        return NULL;
    int64_t shape[ZC_MAX_RANK];
    zc_node_spec spec = {.shape = shape};
    if (check_reduction(x, info, count, axes, &spec, shape) != ZC_OK)
        return NULL;
    zc_node *node = make_reduce(x, reduction, &spec);
    if (node == NULL) {
        (void)zc_fail_memory(x->ctx, info->name);
        return NULL;
    }
    zc_view view;
    if (keepdims)
        restore_axes(node, x, &view);
    else
        zc_view_row_major(node->rank, node->shape, &view);
    return show(x, node, &view, info->name);
}

zc_tensor *zc_record_log_sums(const zc_tensor *x, int count, const int *axes)
{
    const zc_reduction_info *info = zc_reduction_describe(ZC_REDUCTION_LOGSUMEXP);
    if (ZC_REFUSE_LOST(info->name, x))
        return NULL;
    int64_t shape[ZC_MAX_RANK];
    zc_node_spec spec = {.shape = shape, .is_constant = true};
    if (check_reduction(x, info, count, axes, &spec, shape) != ZC_OK)
        return NULL;
    return zc_tensor_of_node(x->ctx, make_reduce(x, ZC_REDUCTION_LOGSUMEXP, &spec), info->name);
}

#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant)                                      \
    zc_tensor *zc_##name(const zc_tensor *x, int count, const int *axes, bool keepdims)                                \
    {                                                                                                                  \
        return zc_record_reduction(ZC_REDUCTION_##NAME, x, count, axes, keepdims);                                     \
    }
#include "runtime/ops/reductions.def"
