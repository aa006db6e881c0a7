/* Takes: elements at positions that other tensors hold, along one axis or several. A node each; the positions are
 * looked at when it is computed. */
#include "runtime/record/take.h"

#include "runtime/record/record.h"

#include "views/broadcast.h"

static const char *const names[] = {[ZC_TAKE] = "take",
                                    [ZC_TAKE_ALONG_AXIS] = "take_along_axis",
                                    [ZC_TAKE_SORTED] = "searchsorted",
                                    [ZC_GATHER] = "gather",
                                    [ZC_UPDATED] = "update"};

const char *zc_take_name(zc_take_kind kind)
{
    return names[kind];
}

/* A take in the making. The result's axes that are `placed` are those of `at`, in their order. */
typedef struct take {
    zc_take_kind kind;
    const zc_tensor *from;
    int count;
    const zc_tensor *const *positions; /* [count] */
    int axes[ZC_MAX_RANK];             /* [count]: the axis of each */
    uint64_t taken;                    /* the same as a bit set */
    zc_view at;                        /* the shape that the positions broadcast to */
    zc_view element;                   /* element 0 of the taken axes, for every element of the result */
    uint64_t placed;
    int left[ZC_MAX_RANK]; /* [left_count]: those of the positions that are looked at */
    int left_count;
} take;

static zc_status fail(const take *k, int axis, zc_status status, const char *what)
{
    char from[ZC_SHAPE_TEXT], positions[ZC_SHAPE_TEXT];
    (void)zc_shape_text(from, sizeof from, k->from->rank, k->from->dims);
    (void)zc_shape_text(positions, sizeof positions, k->at.rank, k->at.shape);
    return zc_fail(k->from->ctx, status, names[k->kind], "%s: axis %d of shape %s, positions of shape %s", what, axis,
                   from, positions);
}

static void add_axis(take *k, int64_t extent, int64_t stride, bool is_placed)
{
    zc_view *element = &k->element;
    k->placed |= (uint64_t)is_placed << element->rank;
    element->shape[element->rank] = extent;
    element->stride[element->rank++] = extent == 1 ? 0 : stride;
}

static void add_positions(take *k)
{
    for (int p = 0; p < k->at.rank; p++)
        add_axis(k, k->at.shape[p], 0, true);
}

/* Every position in the place of the axes, shape[:axis] + positions' shape + shape[axis+1:] of a single one, where they
 * stand side by side; else in front of the others. */
static zc_status view_take(take *k)
{
    const zc_tensor *from = k->from;
    if (from->rank + k->at.rank > ZC_MAX_RANK)
        return fail(k, k->axes[0], ZC_ERROR_SHAPE, "the result would have too many axes");
    int first = __builtin_ctzll(k->taken);
    uint64_t run = k->taken >> first;
    bool is_in_place = (run & (run + 1)) == 0;
    if (!is_in_place)
        add_positions(k);
    for (int a = 0; a < from->rank; a++) {
        if (is_in_place && a == first)
            add_positions(k);
        if ((k->taken >> a & 1) == 0)
            add_axis(k, from->dims[a], zc_strides(from)[a], false);
    }
    return ZC_OK;
}

/* A position for every element of the result; the other axes broadcast. */
static zc_status view_take_along(take *k)
{
    const zc_tensor *from = k->from;
    if (from->rank != k->at.rank || from->rank == ZC_MAX_RANK)
        return fail(k, k->axes[0], ZC_ERROR_SHAPE,
                    from->rank != k->at.rank ? "the ranks differ" : "the rank leaves no room for the positions");
    for (int a = 0; a < from->rank; a++) {
        bool is_taken = a == k->axes[0];
        int64_t x = from->dims[a], y = k->at.shape[a];
        if (!is_taken && x != y && x != 1 && y != 1)
            return fail(k, k->axes[0], ZC_ERROR_SHAPE, "the shapes do not fit together");
        add_axis(k, is_taken || x == 1 ? y : x, is_taken ? 0 : zc_strides(from)[a], true);
    }
    return ZC_OK;
}

/* Positions that are numbers in order, all of them in the axis, are steps of a view of what is computed: moves element
 * 0 by them, and takes the axis no more. Of memory, which may be somebody else's, a take is no view, nor of a weak
 * scalar, whose views are weak. */
static void take_in_steps(take *k)
{
    int left = 0;
    for (int i = 0; i < k->count; i++) {
        const zc_tensor *positions = k->positions[i];
        const int64_t extent = k->from->dims[k->axes[i]], step = zc_strides(k->from)[k->axes[i]];
        zc_view own, at;
        int64_t lowest, highest;
        zc_tensor_view(positions, &own);
        zc_view_reach(&own, &lowest, &highest);
        if (positions->node->kind != ZC_NODE_IOTA || k->from->node->kind == ZC_NODE_LEAF ||
            zc_tensor_is_weak(k->from) || highest >= extent) { /* no number is below zero */
            k->left[left++] = i;
            continue;
        }
        zc_view_broadcast_right(&own, k->at.rank, k->at.shape, &at);
        k->element.offset += at.offset * step; /* proven: all of it is inside x */
        for (int a = 0, p = 0; a < k->element.rank; a++)
            k->element.stride[a] += (k->placed >> a & 1) != 0 ? at.stride[p++] * step : 0; /* proven: likewise */
    }
    k->left_count = left;
}

static zc_status view_element(take *k, int64_t *size)
{
    zc_reason why;
    zc_status status = k->kind == ZC_TAKE_ALONG_AXIS ? view_take_along(k) : view_take(k);
    if (status != ZC_OK)
        return status;
    status = zc_shape_size(k->element.rank, k->element.shape, size, &why);
    if (status != ZC_OK)
        return zc_fail_because(k->from->ctx, status, names[k->kind], &why);
    for (int i = 0; i<k->count && * size> 0; i++) {
        if (k->from->dims[k->axes[i]] == 0)
            return fail(k, k->axes[i], ZC_ERROR_INDEX, "there is no element to take");
    }
    k->element.offset = k->from->offset;
    for (k->left_count = 0; *size == 0 && k->left_count < k->count; k->left_count++)
        k->left[k->left_count] = k->left_count;
    if (*size > 0)
        take_in_steps(k);
    zc_view_canonicalise(&k->element);
    return ZC_OK;
}

/* The axes from 0 on, and what the positions broadcast to. */
static zc_status check_operands(take *k)
{
    zc_context *ctx = k->from->ctx;
    zc_reason why;
    zc_view *at = &k->at;
    for (int i = 0; i < k->count; i++) {
        const zc_tensor *positions = k->positions[i];
        zc_kind kind = zc_dtype_describe(zc_dtype_of(positions))->kind;
        if (positions->ctx != ctx)
            return zc_fail(ctx, ZC_ERROR_ARGUMENT, names[k->kind],
                           "operands belong to different contexts; zc_adopt brings them together");
        if (kind != ZC_KIND_SIGNED && kind != ZC_KIND_UNSIGNED)
            return zc_fail(ctx, ZC_ERROR_DTYPE, names[k->kind], "positions are integers, not %s",
                           zc_dtype_name(zc_dtype_of(positions)));
        zc_status status =
            zc_shape_broadcast(at->rank, at->shape, positions->rank, positions->dims, &at->rank, at->shape, &why);
        if (status == ZC_OK)
            status = zc_axis_resolve(k->axes[i], k->from->rank, &k->axes[i], &why);
        if (status != ZC_OK)
            return zc_fail_because(ctx, status, names[k->kind], &why);
        if ((k->taken >> k->axes[i] & 1) != 0)
            return zc_fail(ctx, ZC_ERROR_ARGUMENT, names[k->kind], "axis %d is named twice", k->axes[i]);
        k->taken |= UINT64_C(1) << k->axes[i];
    }
    return ZC_OK;
}

zc_node *zc_record_positions(const zc_tensor *positions, zc_view *view)
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

/* The edge that shows the result's elements their positions; its strides stand in stride[]. The caller's reference. */
static bool make_edge(const take *k, const zc_tensor *positions, int64_t *stride, zc_edge *edge)
{
    zc_view own, at;
    edge->node = zc_record_positions(positions, &own);
    if (edge->node == NULL)
        return false;
    zc_view_broadcast_right(&own, k->at.rank, k->at.shape, &at);
    for (int a = 0, p = 0; a < k->element.rank; a++)
        stride[a] = (k->placed >> a & 1) != 0 ? at.stride[p++] : 0;
    edge->offset = at.offset;
    edge->stride = stride;
    return true;
}

/* The node, whose strides stand in `strides`: [count][the result's rank]. */
static zc_node *record(const take *k, int64_t size, zc_edge *edges, int64_t *strides)
{
    zc_taken_axis taken[ZC_MAX_RANK];
    zc_node *node = NULL;
    int made = 0;
    edges[0] = zc_edge_of(k->from->node, &k->element);
    while (made < k->left_count &&
           make_edge(k, k->positions[k->left[made]], strides + made * k->element.rank, &edges[made + 1])) {
        int axis = k->axes[k->left[made]];
        taken[made++] = (zc_taken_axis){k->from->dims[axis], zc_strides(k->from)[axis], axis};
    }
    zc_node_spec spec = {.kind = ZC_NODE_TAKE,
                         .op = (int)k->kind,
                         .dtype = zc_dtype_of(k->from),
                         .rank = k->element.rank,
                         .shape = k->element.shape,
                         .size = size,
                         .edge_count = 1 + k->left_count,
                         .edges = edges,
                         .taken = taken,
                         .taken_count = k->left_count};
    if (made == k->left_count)
        node = zc_node_new(k->from->ctx->heap, &spec);
    for (int i = 0; i < made; i++)
        zc_node_release(edges[i + 1].node);
    return node;
}

/* Makes what steps alone take: of numbers a view, of anything else a node, by which one can differentiate. */
static zc_tensor *show(const take *k)
{
    zc_context *ctx = k->from->ctx;
    zc_tensor *view = zc_tensor_new(ctx, zc_node_retain(k->from->node), &k->element, names[k->kind]);
    if (view == NULL || k->from->node->kind == ZC_NODE_IOTA)
        return view;
    zc_tensor *taken = zc_tensor_of_node(ctx, zc_record_copy(view), names[k->kind]);
    zc_release(view);
    return taken;
}

/* count is at least 1, and no tensor is NULL. */
static zc_tensor *make_take(take *k)
{
    zc_context *ctx = k->from->ctx;
    int64_t size;
    if (check_operands(k) != ZC_OK || view_element(k, &size) != ZC_OK)
        return NULL;
    if (k->left_count == 0)
        return show(k);
    size_t stride_bytes = (size_t)(k->left_count * k->element.rank) * sizeof(int64_t);
    size_t bytes = (size_t)(1 + k->left_count) * sizeof(zc_edge) + stride_bytes;
    zc_edge *edges = zc_heap_take(ctx->heap, bytes);
    zc_node *node = edges == NULL ? NULL : record(k, size, edges, (int64_t *)(void *)(edges + 1 + k->left_count));
    zc_heap_give(ctx->heap, edges, bytes);
    return zc_tensor_of_node(ctx, node, names[k->kind]);
}

static zc_tensor *take_axis(zc_take_kind kind, const zc_tensor *t, const zc_tensor *positions, int axis)
{
    if (ZC_REFUSE_LOST(names[kind], t, positions))
        return NULL;
    take k = {.kind = kind, .from = t, .count = 1, .positions = &positions, .axes = {axis}};
    return make_take(&k);
}

zc_tensor *zc_take(const zc_tensor *t, const zc_tensor *positions, int axis)
{
    return take_axis(ZC_TAKE, t, positions, axis);
}

zc_tensor *zc_take_along_axis(const zc_tensor *t, const zc_tensor *positions, int axis)
{
    return take_axis(ZC_TAKE_ALONG_AXIS, t, positions, axis);
}

zc_tensor *zc_take_sorted(const zc_tensor *t, const zc_tensor *sorter)
{
    return take_axis(ZC_TAKE_SORTED, t, sorter, 0);
}

zc_tensor *zc_gather(const zc_tensor *t, int count, const int *axes, const zc_tensor *const *positions)
{
    if (ZC_REFUSE_LOST("gather", t))
        return NULL;
    take k = {.kind = ZC_GATHER, .from = t, .count = count == -1 ? t->rank : count, .positions = positions};
    if (count < -1 || k.count > t->rank || (k.count > 0 && (positions == NULL || (count > 0 && axes == NULL)))) {
        (void)zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "gather", "a list of %d axes and positions is no list for rank %d",
                      count, t->rank);
        return NULL;
    }
    if (zc_refuse_lost_in_list(t->ctx, "gather", "positions", k.count, positions))
        return NULL;
    for (int i = 0; i < k.count; i++)
        k.axes[i] = count == -1 ? i : axes[i];
    return k.count == 0 ? zc_adopt(t->ctx, t) : make_take(&k);
}
