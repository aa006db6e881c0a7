#include "runtime/serialize/restore_moves.h"

#include <string.h>

#include "runtime/record/record.h"
#include "runtime/record/reductions.h"

static const char function[] = "deserialize";

/* Tells whether the elements that a view shows, moved by any positions in these axes, are among `size`, and whether one
 * tensor may have these axes. */
static bool is_inside(const zc_view *view, int count, const zc_taken_axis *moved, int64_t size)
{
    int64_t reach[2], extent[ZC_MAX_RANK], stride[ZC_MAX_RANK], positions;
    zc_view proven;
    for (int i = 0; i < count; i++) {
        if (moved[i].axis < -1 || moved[i].axis >= ZC_MAX_RANK)
            return false;
        extent[i] = moved[i].extent;
        stride[i] = moved[i].stride;
    }
    if (zc_shape_size(count, extent, &positions, NULL) != ZC_OK)
        return false;
    if (zc_view_size(view) == 0)
        return true;
    zc_view_reach(view, &reach[0], &reach[1]);
    return positions > 0 && zc_view_prove(count, extent, stride, reach[0], size, &proven, NULL) == ZC_OK &&
           zc_view_prove(count, extent, stride, reach[1], size, &proven, NULL) == ZC_OK;
}

/* NULL after a failure. */
static const zc_taken_axis *read_moved(zc_reader *r, int count)
{
    const int64_t words = sizeof(zc_taken_axis) / sizeof(int64_t);
    return (const zc_taken_axis *)(const void *)zc_read_words(r, words * count);
}

/* Edges of positions: int64, over that shape. Their strides stand in views. */
static zc_status read_positions(zc_reader *r, int rank, const int64_t *shape, int count, zc_edge *edges, zc_view *views)
{
    for (int i = 0; i < count; i++) {
        zc_node *node = NULL;
        zc_status status = zc_read_operand(r, rank, shape, &node, &views[i]);
        if (status != ZC_OK)
            return status;
        if (node->dtype != ZC_INT64)
            return zc_read_refuse(r, "is moved by other positions than of int64");
        edges[i] = zc_edge_of(node, &views[i]);
    }
    return ZC_OK;
}

static zc_tensor *record(const zc_reader *r, const zc_described *n, zc_node_spec spec)
{
    spec.kind = (zc_node_kind)n->kind;
    spec.op = n->op;
    spec.dtype = n->dtype;
    spec.rank = n->rank;
    spec.shape = n->shape;
    spec.size = n->size;
    spec.edge_count = (int)n->operand_count;
    return zc_tensor_of_node(r->ctx, zc_node_new(r->ctx->heap, &spec), function);
}

static zc_tensor *take(zc_reader *r, const zc_described *n, zc_edge *edges, zc_view *views)
{
    const int count = (int)n->operand_count - 1;
    zc_node *from = NULL;
    const zc_taken_axis *taken = read_moved(r, count);
    if (taken == NULL || zc_read_operand(r, n->rank, n->shape, &from, &views[0]) != ZC_OK ||
        read_positions(r, n->rank, n->shape, count, edges + 1, views + 1) != ZC_OK)
        return NULL;
    if (from->dtype != n->dtype || !is_inside(&views[0], count, taken, from->size))
        return (void)zc_read_refuse(r, "takes what is not there"), NULL;
    edges[0] = zc_edge_of(from, &views[0]);
    return record(r, n, (zc_node_spec){.edges = edges, .taken = taken, .taken_count = count});
}

/* Room for the views of that many operands with their edges; NULL after a failure. */
static zc_edge *take_edges(const zc_reader *r, int64_t count, zc_view **views)
{
    zc_edge *edges = zc_heap_take(r->ctx->heap, (size_t)count * (sizeof(zc_edge) + sizeof(zc_view)));
    *views = edges == NULL ? NULL : (zc_view *)(void *)(edges + count);
    if (edges == NULL)
        (void)zc_fail_memory(r->ctx, function);
    return edges;
}

static void give_edges(const zc_reader *r, int64_t count, zc_edge *edges)
{
    zc_heap_give(r->ctx->heap, edges, (size_t)count * (sizeof(zc_edge) + sizeof(zc_view)));
}

zc_tensor *zc_restore_take(zc_reader *r, const zc_described *n)
{
    zc_view *views; /* of what is moved have the node's axes and the moved ones: there is room for both */
    if (n->op > ZC_UPDATED || n->operand_count < 2 || n->rank + n->operand_count - 1 > ZC_MAX_RANK)
        return (void)zc_read_refuse(r, "takes at no positions"), NULL;
    zc_edge *edges = take_edges(r, n->operand_count, &views);
    zc_tensor *taken = edges == NULL ? NULL : take(r, n, edges, views);
    give_edges(r, n->operand_count, edges);
    return taken;
}

zc_tensor *zc_restore_scan(zc_reader *r, const zc_described *n)
{
    zc_edge edges[2];
    zc_view views[2];
    const int64_t *axes = zc_read_words(r, 1);
    const bool has_factors = n->op == ZC_SCAN_RECURRENCE, is_before = has_factors || n->op == ZC_SCAN_PRODUCT_BEFORE;
    if (axes == NULL)
        return NULL;
    const uint64_t axis = (uint64_t)*axes;
    const int number = axis == 0 ? ZC_MAX_RANK : __builtin_ctzll(axis);
    if (n->op > ZC_SCAN_RECURRENCE || n->operand_count != 1 + has_factors || number >= n->rank ||
        (axis & (axis - 1)) != 0 || zc_sum_dtype(n->dtype) != n->dtype ||
        (is_before && (!zc_dtype_is_wide_float(n->dtype) || n->shape[number] < 2)))
        return (void)zc_read_refuse(r, "is no scan"), NULL;
    for (int i = 0; i < n->operand_count; i++) {
        zc_node *node = NULL;
        if (zc_read_operand(r, n->rank, n->shape, &node, &views[i]) != ZC_OK)
            return NULL;
        if (node->dtype != n->dtype)
            return (void)zc_read_refuse(r, "scans another dtype than its own"), NULL;
        edges[i] = zc_edge_of(node, &views[i]);
    }
    return record(r, n, (zc_node_spec){.edges = edges, .reduced = axis});
}

/* Attributes of a scatter, as attributes.h lists them. */
typedef struct place {
    zc_view view;
    int named, moved_count;
    bool has_base;
    const zc_taken_axis *moved;
} place;

static bool is_update(const zc_described *n, const place *p)
{
    const zc_dtype dtype = n->dtype;
    const bool joins = n->op == ZC_UPDATE_ADD || n->op == ZC_UPDATE_MULTIPLY;
    return n->op < ZC_UPDATE_COUNT && p->named >= 0 && p->named <= ZC_UPDATED && p->moved_count >= 0 &&
           p->moved_count <= ZC_MAX_RANK - n->domain_rank && n->operand_count == 1 + p->moved_count + p->has_base &&
           !(joins && zc_dtype_is_narrow(dtype)) &&
           !(zc_dtype_is_complex(dtype) && (n->op == ZC_UPDATE_MIN || n->op == ZC_UPDATE_MAX)) &&
           (p->has_base || (n->op == ZC_UPDATE_ADD && zc_sum_dtype(dtype) == dtype));
}

static zc_status read_place(zc_reader *r, const zc_described *n, place *p)
{
    zc_reason why;
    const int64_t *words = zc_read_words(r, 3), *stride = zc_read_words(r, n->domain_rank);
    const int64_t *shape = zc_read_words(r, n->domain_rank);
    if (words == NULL || stride == NULL || shape == NULL)
        return ZC_ERROR_FORMAT;
    zc_scattered scattered;
    memcpy(&scattered, words, 3 * sizeof *words);
    p->named = scattered.named;
    p->moved_count = scattered.moved_count;
    p->has_base = scattered.has_base != 0;
    if (!is_update(n, p))
        return zc_read_refuse(r, "is no update");
    if (zc_view_prove(n->domain_rank, shape, stride, scattered.offset, n->size, &p->view, &why) != ZC_OK)
        return zc_read_refuse(r, "updates what is not there");
    p->moved = read_moved(r, p->moved_count);
    if (p->moved == NULL)
        return ZC_ERROR_FORMAT;
    if (!is_inside(&p->view, p->moved_count, p->moved, n->size))
        return zc_read_refuse(r, "updates what is not there");
    return ZC_OK;
}

static zc_tensor *scatter(zc_reader *r, const zc_described *n, const place *p, zc_edge *edges, zc_view *views)
{
    const int last = (int)n->operand_count - 1;
    const int64_t *shape = p->view.shape;
    zc_node *values = NULL, *base = NULL;
    if (zc_read_operand(r, n->domain_rank, shape, &values, &views[0]) != ZC_OK ||
        read_positions(r, n->domain_rank, shape, p->moved_count, edges + 1, views + 1) != ZC_OK ||
        (p->has_base && zc_read_operand(r, n->rank, n->shape, &base, &views[last]) != ZC_OK))
        return NULL;
    if (values->dtype != n->dtype || (base != NULL && base->dtype != n->dtype))
        return (void)zc_read_refuse(r, "updates another dtype than its own"), NULL;
    edges[0] = zc_edge_of(values, &views[0]);
    if (base != NULL)
        edges[last] = zc_edge_of(base, &views[last]);
    return record(r, n,
                  (zc_node_spec){.edges = edges,
                                 .domain = &p->view,
                                 .place = &p->view,
                                 .taken = p->moved,
                                 .taken_count = p->moved_count,
                                 .named = (zc_take_kind)p->named,
                                 .has_base = p->has_base});
}

zc_tensor *zc_restore_scatter(zc_reader *r, const zc_described *n)
{
    zc_view *views;
    place p;
    if (read_place(r, n, &p) != ZC_OK)
        return NULL;
    zc_edge *edges = take_edges(r, n->operand_count, &views);
    zc_tensor *scattered = edges == NULL ? NULL : scatter(r, n, &p, edges, views);
    give_edges(r, n->operand_count, edges);
    return scattered;
}
