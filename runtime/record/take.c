/* Takes: elements at positions that another tensor holds. A node each; the positions are looked at when it is computed.
 */
#include "runtime/record/record.h"

static const char *const names[] = {
    [ZC_TAKE] = "take", [ZC_TAKE_ALONG_AXIS] = "take_along_axis", [ZC_TAKE_SORTED] = "searchsorted"};

const char *zc_take_name(const zc_node *node)
{
    return names[node->op];
}

/* A take in the making: the views of its edges, both in the result's shape. */
typedef struct take {
    zc_take_kind kind;
    const zc_tensor *from;
    int axis;
    zc_view at;                /* the positions as they are given */
    zc_view element, position; /* element 0 of the axis, and which one is meant */
} take;

static zc_status fail(const take *k, zc_status status, const char *what)
{
    char from[ZC_SHAPE_TEXT], positions[ZC_SHAPE_TEXT];
    (void)zc_shape_text(from, sizeof from, k->from->rank, k->from->dims);
    (void)zc_shape_text(positions, sizeof positions, k->at.rank, k->at.shape);
    return zc_fail(k->from->ctx, status, names[k->kind], "%s: axis %d of shape %s, positions of shape %s", what,
                   k->axis, from, positions);
}

static void add_axis(zc_view *view, int64_t extent, int64_t stride)
{
    view->shape[view->rank] = extent;
    view->stride[view->rank++] = extent == 1 ? 0 : stride;
}

/* Every position in the place of the axis: shape[:axis] + positions' shape + shape[axis+1:]. */
static zc_status view_take(take *k)
{
    const zc_tensor *from = k->from;
    if (from->rank - 1 + k->at.rank >= ZC_MAX_RANK)
        return fail(k, ZC_ERROR_SHAPE, "the result would have too many axes");
    for (int a = 0; a < from->rank; a++) {
        if (a != k->axis) {
            add_axis(&k->element, from->dims[a], zc_strides(from)[a]);
            add_axis(&k->position, from->dims[a], 0);
        }
        for (int p = 0; a == k->axis && p < k->at.rank; p++) {
            add_axis(&k->element, k->at.shape[p], 0);
            add_axis(&k->position, k->at.shape[p], k->at.stride[p]);
        }
    }
    return ZC_OK;
}

/* A position for every element of the result; the other axes broadcast. */
static zc_status view_take_along(take *k)
{
    const zc_tensor *from = k->from;
    if (from->rank != k->at.rank || from->rank == ZC_MAX_RANK)
        return fail(k, ZC_ERROR_SHAPE,
                    from->rank != k->at.rank ? "the ranks differ" : "the rank leaves no room for the positions");
    for (int a = 0; a < from->rank; a++) {
        int64_t x = from->dims[a], y = k->at.shape[a];
        if (a != k->axis && x != y && x != 1 && y != 1)
            return fail(k, ZC_ERROR_SHAPE, "the shapes do not fit together");
        int64_t extent = a == k->axis || x == 1 ? y : x;
        add_axis(&k->element, extent, a == k->axis ? 0 : zc_strides(from)[a]);
        add_axis(&k->position, extent, k->at.stride[a]);
    }
    return ZC_OK;
}

static zc_status view_edges(take *k, int64_t *size)
{
    zc_reason why;
    zc_status status = k->kind == ZC_TAKE_ALONG_AXIS ? view_take_along(k) : view_take(k);
    if (status != ZC_OK)
        return status;
    status = zc_shape_size(k->element.rank, k->element.shape, size, &why);
    if (status != ZC_OK)
        return zc_fail_because(k->from->ctx, status, names[k->kind], &why);
    if (*size > 0 && k->from->dims[k->axis] == 0)
        return fail(k, ZC_ERROR_INDEX, "there is no element to take");
    k->element.offset = k->from->offset;
    k->position.offset = k->at.offset;
    zc_view_canonicalise(&k->element);
    zc_view_canonicalise(&k->position);
    return ZC_OK;
}

static zc_status check_operands(take *k, const zc_tensor *positions)
{
    zc_context *ctx = k->from->ctx;
    zc_kind kind = zc_dtype_describe(zc_dtype_of(positions))->kind;
    zc_reason why;
    if (positions->ctx != ctx)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, names[k->kind],
                       "operands belong to different contexts; zc_adopt brings them together");
    if (kind != ZC_KIND_SIGNED && kind != ZC_KIND_UNSIGNED)
        return zc_fail(ctx, ZC_ERROR_DTYPE, names[k->kind], "positions are integers, not %s",
                       zc_dtype_name(zc_dtype_of(positions)));
    zc_status status = zc_axis_resolve(k->axis, k->from->rank, &k->axis, &why);
    return status == ZC_OK ? ZC_OK : zc_fail_because(ctx, status, names[k->kind], &why);
}

/* The positions as int64 elements; those beyond int64 stay outside of every axis. */
static zc_node *cast_positions(const zc_tensor *positions, zc_view *view)
{
    if (zc_dtype_of(positions) != ZC_UINT64)
        return zc_record_cast(positions, ZC_INT64, view);
    zc_tensor *most = zc_weak_int(positions->ctx, INT64_MAX);
    zc_tensor *bounded = zc_minimum(positions, most);
    zc_node *node = bounded != NULL ? zc_record_cast(bounded, ZC_INT64, view) : NULL;
    zc_release(most);
    zc_release(bounded);
    return node;
}

static zc_tensor *record(take *k, zc_node *positions)
{
    zc_context *ctx = k->from->ctx;
    int64_t size;
    if (view_edges(k, &size) != ZC_OK)
        return NULL;
    zc_node_spec spec = {.kind = ZC_NODE_TAKE,
                         .op = (int)k->kind,
                         .dtype = zc_dtype_of(k->from),
                         .rank = k->element.rank,
                         .shape = k->element.shape,
                         .size = size,
                         .edge_count = 2,
                         .edges =
                             (zc_edge[]){zc_edge_of(k->from->node, &k->element), zc_edge_of(positions, &k->position)},
                         .taken = {k->from->dims[k->axis], zc_strides(k->from)[k->axis]}};
    return zc_tensor_of_node(ctx, zc_node_new(ctx->heap, &spec), names[k->kind]);
}

static zc_tensor *make_take(zc_take_kind kind, const zc_tensor *t, const zc_tensor *positions, int axis)
{
    if (t == NULL || positions == NULL)
        return NULL;
    take k = {.kind = kind, .from = t, .axis = axis};
    if (check_operands(&k, positions) != ZC_OK)
        return NULL;
    zc_node *node = cast_positions(positions, &k.at);
    zc_tensor *result = NULL;
    if (node == NULL)
        (void)zc_fail_memory(t->ctx, names[kind]);
    else
        result = record(&k, node);
    zc_node_release(node);
    return result;
}

zc_tensor *zc_take(const zc_tensor *t, const zc_tensor *positions, int axis)
{
    return make_take(ZC_TAKE, t, positions, axis);
}

zc_tensor *zc_take_along_axis(const zc_tensor *t, const zc_tensor *positions, int axis)
{
    return make_take(ZC_TAKE_ALONG_AXIS, t, positions, axis);
}

zc_tensor *zc_take_sorted(const zc_tensor *t, const zc_tensor *sorter)
{
    return make_take(ZC_TAKE_SORTED, t, sorter, 0);
}
