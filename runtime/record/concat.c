/*
 * Tensors put one after the other, and what is made of that: stack and roll. Each records a concat of views; nothing
 * is copied before something is materialised.
 */
#include "runtime/record/record.h"

/* ---- Concats ---- */

/* The operands on their way into a node. */
typedef struct operands {
    const zc_tensor *const *tensors;
    zc_node **nodes; /* in the dtype they meet in, one reference each */
    int count;
    int axis;
    bool is_stack; /* each has an axis of size 1 more */
    zc_dtype dtype;
} operands;

/* The shape of an operand with the axis it is put in a row along. */
static int operand_shape(const operands *o, int i, int64_t *shape)
{
    const zc_tensor *t = o->tensors[i];
    int rank = 0;
    for (int a = 0; a <= t->rank; a++) {
        if (o->is_stack && a == o->axis)
            shape[rank++] = 1;
        if (a < t->rank)
            shape[rank++] = t->dims[a];
    }
    return rank;
}

/* zc_edge_source */
static void show_operand(const void *user, int i, zc_node **node, zc_view *view)
{
    const operands *o = user;
    const zc_tensor *t = o->tensors[i];
    int rank = operand_shape(o, i, view->shape);
    zc_view_row_major(rank, view->shape, view);
    *node = o->nodes[i];
    if (o->nodes[i] != t->node) /* converted: it stands row-major */
        return;
    view->offset = t->offset;
    for (int a = 0, from = 0; a < rank; a++)
        view->stride[a] = o->is_stack && a == o->axis ? 0 : zc_strides(t)[from++];
}

static zc_status refuse_shapes(const operands *o, const char *function, int i)
{
    char first[ZC_SHAPE_TEXT], other[ZC_SHAPE_TEXT];
    const zc_tensor *a = o->tensors[0], *b = o->tensors[i];
    (void)zc_shape_text(first, sizeof first, a->rank, a->dims);
    (void)zc_shape_text(other, sizeof other, b->rank, b->dims);
    if (o->is_stack)
        return zc_fail(a->ctx, ZC_ERROR_SHAPE, function, "tensor 0 has shape %s, but tensor %d has %s", first, i,
                       other);
    return zc_fail(a->ctx, ZC_ERROR_SHAPE, function,
                   "tensor 0 has shape %s, but tensor %d has %s; they may differ along axis %d only", first, i, other,
                   o->axis);
}

/* The shape of the result: the extents along the axis add up, the others agree. */
static zc_status meet_shapes(const operands *o, const char *function, zc_node_spec *spec, int64_t *shape)
{
    zc_context *ctx = o->tensors[0]->ctx;
    int64_t own[ZC_MAX_RANK];
    zc_reason why;
    spec->rank = operand_shape(o, 0, shape);
    for (int i = 1; i < o->count; i++) {
        int rank = operand_shape(o, i, own);
        int64_t along = own[o->axis];
        own[o->axis] = shape[o->axis];
        if (!zc_shape_equal(rank, own, spec->rank, shape))
            return refuse_shapes(o, function, i);
        if (!zc_checked_add(shape[o->axis], along, &shape[o->axis]))
            return zc_fail(ctx, ZC_ERROR_OVERFLOW, function,
                           "the extents along axis %d add up to more than int64 holds", o->axis);
    }
    zc_status status = zc_shape_size(spec->rank, shape, &spec->size, &why);
    return status == ZC_OK ? ZC_OK : zc_fail_because(ctx, status, function, &why);
}

static zc_tensor *record_operands(operands *o, const char *function, const zc_node_spec *spec)
{
    zc_context *ctx = o->tensors[0]->ctx;
    size_t bytes = (size_t)o->count * sizeof(zc_node *);
    o->nodes = zc_heap_take(ctx->heap, bytes);
    int made = 0;
    for (zc_view view; o->nodes != NULL && made < o->count; made++) {
        o->nodes[made] = zc_record_cast(o->tensors[made], o->dtype, &view);
        if (o->nodes[made] == NULL)
            break;
    }
    zc_tensor *result = zc_tensor_of_node(ctx, made == o->count ? zc_node_new(ctx->heap, spec) : NULL, function);
    for (int i = 0; i < made; i++)
        zc_node_release(o->nodes[i]);
    if (o->nodes != NULL)
        zc_heap_give(ctx->heap, o->nodes, bytes);
    return result;
}

static zc_tensor *concat(zc_context *ctx, int count, const zc_tensor *const *tensors, int axis, bool is_stack)
{
    const char *function = is_stack ? "stack" : "concat";
    operands o = {.tensors = tensors, .count = count, .is_stack = is_stack};
    if (zc_refuse_no_context(ctx, function))
        return NULL;
    if (count < 1 || tensors == NULL) {
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "there are no tensors");
        return NULL;
    }
    if (zc_refuse_lost_in_list(ctx, function, "tensors", count, tensors))
        return NULL;
    zc_reason why;
    int rank = tensors[0]->rank + (is_stack ? 1 : 0);
    zc_status status = rank > ZC_MAX_RANK ? zc_refuse(&why, ZC_ERROR_SHAPE, "the rank is %d already", ZC_MAX_RANK)
                                          : zc_axis_resolve(axis, rank, &o.axis, &why);
    if (status != ZC_OK) {
        (void)zc_fail_because(ctx, status, function, &why);
        return NULL;
    }
    int64_t shape[ZC_MAX_RANK];
    zc_node_spec spec = {
        .kind = ZC_NODE_CONCAT, .op = o.axis, .shape = shape, .edge_count = count, .source = show_operand, .user = &o};
    if (zc_record_promote(function, tensors, count, &o.dtype) != ZC_OK ||
        meet_shapes(&o, function, &spec, shape) != ZC_OK)
        return NULL;
    spec.dtype = o.dtype;
    return record_operands(&o, function, &spec);
}

zc_tensor *zc_concat(zc_context *ctx, int count, const zc_tensor *const *tensors, int axis)
{
    return concat(ctx, count, tensors, axis, false);
}

zc_tensor *zc_stack(zc_context *ctx, int count, const zc_tensor *const *tensors, int axis)
{
    return concat(ctx, count, tensors, axis, true);
}

/* ---- Roll ---- */

static zc_tensor *roll_axis(const zc_tensor *t, int64_t shift, int axis)
{
    int64_t extent = t->dims[axis];
    int64_t first = extent == 0 ? 0 : shift % extent; /* elements that come round to the front */
    first += first < 0 ? extent : 0;
    if (first == 0)
        return zc_adopt(t->ctx, t);
    zc_tensor *back = zc_slice(t, axis, extent - first, ZC_NONE, 1);
    zc_tensor *front = zc_slice(t, axis, ZC_NONE, extent - first, 1);
    zc_tensor *rolled = zc_concat(t->ctx, 2, (const zc_tensor *const[]){back, front}, axis);
    zc_release(back);
    zc_release(front);
    return rolled;
}

zc_tensor *zc_roll(const zc_tensor *t, int count, const int64_t *shifts, const int *axes)
{
    if (ZC_REFUSE_LOST("roll", t))
        return NULL;
    if (count < 0 || (count > 0 && (shifts == NULL || axes == NULL))) {
        (void)zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "roll", "a list is missing");
        return NULL;
    }
    zc_tensor *rolled = zc_adopt(t->ctx, t);
    for (int i = 0; i < count && rolled != NULL; i++) {
        zc_reason why;
        int axis;
        zc_tensor *before = rolled;
        zc_status status = zc_axis_resolve(axes[i], t->rank, &axis, &why);
        rolled = status == ZC_OK ? roll_axis(before, shifts[i], axis) : NULL;
        if (status != ZC_OK)
            (void)zc_fail_because(t->ctx, status, "roll", &why);
        zc_release(before);
    }
    return rolled;
}
