#include "runtime/serialize/demand.h"

#include "runtime/graph/invariance.h"

zc_demanded *zc_demand_of(const zc_demand *demand, const zc_node *node)
{
    return &demand->nodes[zc_walk_place(&demand->walk, node)];
}

/* False when memory is out. */
static bool find_nodes(zc_demand *d, int count, const zc_tensor *const *tensors)
{
    const zc_node **from = zc_arena_take(d->arena, (size_t)count, sizeof *from);
    for (int i = 0; i < count && from != NULL; i++)
        from[i] = tensors[i]->node;
    d->walk = (zc_walk){.arena = d->arena};
    if (from == NULL || !zc_walk_all(&d->walk, count, from, d->ends, d->user))
        return false;
    d->nodes = zc_arena_take(d->arena, (size_t)d->walk.count, sizeof *d->nodes);
    for (int32_t n = 0; n < d->walk.count && d->nodes != NULL; n++) {
        const zc_node *node = d->walk.nodes[n];
        const zc_buffer *data = node->kind != ZC_NODE_SOURCE ? zc_asked_data(node) : NULL;
        d->nodes[n] = (zc_demanded){.node = node, .data = data, .first = INT64_MAX, .last = -1};
    }
    return d->nodes != NULL;
}

/* ---- Boxes ---- */

/* All coordinates of an axis up to the last one. */
static void begin_at_first(zc_box *box, int axis)
{
    box->count[axis] = box->first[axis] + (box->count[axis] - 1) * box->step[axis] + 1; /* proven: coordinates */
    box->first[axis] = 0;
    box->step[axis] = 1;
}

/* Widens a box to one that the node can be made of. */
static void widen(const zc_node *node, zc_box *box)
{
    switch (node->kind) {
    case ZC_NODE_SELECT:
        begin_at_first(box, node->rank - 1);
        break;
    case ZC_NODE_SCAN: {
        const int axis = __builtin_ctzll(node->reduced);
        begin_at_first(box, axis);
        box->count[axis] = zc_larger(box->count[axis], zc_smaller(2, node->shape[axis])); /* one is no scan */
        break;
    }
    case ZC_NODE_CONCAT:
        box->count[node->op] = (box->count[node->op] - 1) * box->step[node->op] + 1; /* proven: coordinates */
        box->step[node->op] = 1;
        break;
    case ZC_NODE_SCATTER:
    case ZC_NODE_IOTA:
        zc_box_whole(node->rank, node->shape, box);
        break;
    default:
        break;
    }
}

void zc_demand_box(const zc_demanded *demanded, zc_box *out)
{
    const zc_node *node = demanded->node;
    const int rank = node->rank;
    zc_box_whole(rank, node->shape, out);
    if (node->size == 0)
        return;
    out->is_rows = demanded->is_rows;
    for (int a = 0; a < rank; a++) {
        out->first[a] = demanded->box == NULL ? 0 : demanded->box[a];
        out->count[a] = demanded->box == NULL ? 1 : demanded->box[rank + a];
        out->step[a] = demanded->box == NULL ? 1 : demanded->box[2 * rank + a];
    }
    if (demanded->box == NULL)
        widen(node, out);
}

static bool demand_box(zc_demand *d, zc_demanded *of, const zc_box *box)
{
    const int rank = box->rank;
    if (of->box == NULL)
        of->box = zc_arena_take(d->arena, (size_t)rank, 3 * sizeof *of->box);
    for (int a = 0; a < rank && of->box != NULL; a++) {
        of->box[a] = box->first[a];
        of->box[rank + a] = box->count[a];
        of->box[2 * rank + a] = box->step[a];
    }
    of->is_rows = box->is_rows;
    return of->box != NULL;
}

/* Notes what is shown of data, without the axes along which it repeats. */
static bool demand_data(zc_demand *d, zc_demanded *of, const zc_view *view)
{
    zc_view shown, part, through;
    int64_t first, last;
    zc_invariant_view(of->node, view, &shown);
    zc_view_reach(&shown, &first, &last);
    of->first = zc_smaller(of->first, first);
    of->last = zc_larger(of->last, last);
    zc_view_part(&shown, &part, &through);
    of->has_parts |= of->part != NULL && !zc_view_equal(&part, of->part);
    if (of->part == NULL)
        of->part = zc_arena_take(d->arena, 1, sizeof *of->part);
    if (of->part != NULL)
        zc_view_copy(&part, of->part);
    return of->part != NULL;
}

/* Adds what a view shows. False when memory is out. */
static bool use(zc_demand *d, const zc_node *node, const zc_view *view)
{
    zc_box box, before;
    zc_demanded *of = zc_demand_of(d, node);
    of->is_used = true;
    if (zc_view_size(view) == 0)
        return true;
    if (of->data != NULL)
        return demand_data(d, of, view);
    zc_box_of_view(view, node->rank, node->shape, &box);
    if (of->box != NULL) {
        zc_demand_box(of, &before);
        zc_box_join(&box, &before, node->shape, &box);
    }
    widen(node, &box);
    return demand_box(d, of, &box);
}

/* ---- Operands ---- */

void zc_demand_domain(const zc_node *node, const zc_box *box, zc_box *out)
{
    const bool reduces = zc_node_has_domain((zc_node_kind)node->kind);
    if (!reduces) {
        zc_box_copy(box, out);
        return;
    }
    zc_box_whole(node->domain_rank, zc_node_domain_shape(node), out);
    for (int a = 0, from = 0; a < node->domain_rank && node->kind != ZC_NODE_SCATTER; a++) {
        if ((node->reduced >> a & 1) != 0)
            continue;
        out->first[a] = box->first[from];
        out->count[a] = box->count[from];
        out->step[a] = box->step[from++];
    }
}

/* The part of a box that operand i of a concat has. */
static bool clip_to_operand(const zc_node *node, int i, zc_box *box)
{
    const int axis = node->op;
    const int64_t first = zc_larger(box->first[axis], node->start[i]);
    const int64_t end = zc_smaller(box->first[axis] + box->count[axis], node->start[i + 1]); /* proven: coordinates */
    if (first >= end && node->size > 0)
        return false;
    box->first[axis] = first - node->start[i];
    box->count[axis] = end - first;
    return true;
}

bool zc_demand_edge(const zc_node *node, const zc_box *box, int i, zc_view *out)
{
    zc_box domain;
    zc_node_edge_view(node, i, out);
    zc_demand_domain(node, box, &domain);
    if (node->kind == ZC_NODE_CONCAT && !clip_to_operand(node, i, &domain))
        return false;
    for (int a = 0; a < out->rank && node->kind != ZC_NODE_SCATTER; a++) {
        out->offset += domain.first[a] * out->stride[a]; /* proven: an element of the view, or none is there */
        out->shape[a] = domain.count[a];
        out->stride[a] *= domain.count[a] > 1 ? domain.step[a] : 1; /* proven: likewise */
    }
    for (int k = 0; node->kind == ZC_NODE_TAKE && i == 0 && k + 1 < node->edge_count; k++) {
        out->shape[out->rank] = node->taken[k].extent;
        out->stride[out->rank++] = node->taken[k].stride;
    }
    zc_view_canonicalise(out);
    return true;
}

static bool use_operands(zc_demand *d, const zc_demanded *of)
{
    zc_box box;
    zc_view view;
    const zc_node *node = of->node;
    bool used = true;
    if (!of->is_used || of->data != NULL || (d->ends != NULL && d->ends(d->user, node)))
        return true;
    zc_demand_box(of, &box);
    for (int i = 0; i < node->edge_count && used; i++) {
        if (zc_demand_edge(node, &box, i, &view))
            used = use(d, node->edges[i].node, &view);
    }
    return used;
}

bool zc_demand_find(zc_demand *demand, int count, const zc_tensor *const *tensors)
{
    zc_view view;
    bool found = find_nodes(demand, count, tensors);
    for (int i = 0; i < count && found; i++) {
        zc_tensor_view(tensors[i], &view);
        found = use(demand, tensors[i]->node, &view);
    }
    for (int32_t n = demand->walk.count; n > 0 && found; n--)
        found = use_operands(demand, &demand->nodes[n - 1]);
    return found;
}
