#include "runtime/graph/invariance.h"

#include "runtime/graph/variables.h"
#include "views/compose.h"
#include "views/split.h"

static bool is_whole(const zc_node *node, const zc_view *view)
{
    return zc_shape_equal(node->rank, node->shape, view->rank, view->shape) && zc_view_is_identity(view, node->size);
}

/* Clears strides of a view that runs across invariant and other axes of its node: an axis does not change the elements
 * when none of the parts that it splits into does. */
static void clear_split_strides(const zc_node *node, const zc_view *distinct, const zc_view *view, zc_view *out)
{
    zc_axis_split parts;
    zc_view finer, shown;
    if (!zc_view_split(view, node->rank, node->shape, &parts))
        return;
    zc_view_apply_split(view, &parts, &finer);
    if (!zc_view_compose(distinct, &finer, &shown))
        return;
    uint64_t moving = 0;
    for (int a = 0; a < parts.rank; a++)
        moving |= (uint64_t)(shown.stride[a] != 0) << parts.origin[a];
    for (int a = 0; a < out->rank; a++)
        out->stride[a] = (moving >> a & 1) != 0 ? out->stride[a] : 0;
}

void zc_invariant_view(const zc_node *node, const zc_view *view, zc_view *out)
{
    zc_view distinct, shown;
    zc_view_copy(view, out);
    if (node->invariant == 0)
        return;
    zc_view_row_major(node->rank, node->shape, &distinct);
    for (int a = 0; a < node->rank; a++)
        distinct.stride[a] = (node->invariant >> a & 1) != 0 ? 0 : distinct.stride[a];
    if (is_whole(node, view))
        zc_view_copy(&distinct, out);
    else if (zc_view_compose(&distinct, view, &shown))
        zc_view_copy(&shown, out);
    else
        clear_split_strides(node, &distinct, view, out);
}

void zc_distinct_view(const zc_node *node, const zc_view *view, zc_view *out)
{
    if (zc_node_varies(node))
        zc_view_copy(view, out);
    else
        zc_invariant_view(node, view, out);
}

uint64_t zc_invariant_axes(const zc_node *node, const zc_view *view)
{
    zc_view shown;
    if (node->invariant == 0)
        return zc_view_broadcast_axes(view);
    if (is_whole(node, view))
        return node->invariant;
    zc_invariant_view(node, view, &shown);
    return zc_view_broadcast_axes(&shown);
}

/* All elements of an operand that an edge may show. What is taken from shows those along the taken axes, too, which
 * stand behind the others: takes leave room for them. */
static void view_operand(const zc_node *node, int edge, zc_view *out)
{
    zc_node_edge_view(node, edge, out);
    if (node->kind != ZC_NODE_TAKE || edge > 0)
        return;
    for (int i = 0; i + 1 < node->edge_count; i++) {
        out->shape[out->rank] = node->taken[i].extent;
        out->stride[out->rank++] = node->taken[i].stride;
    }
    zc_view_canonicalise(out);
}

/* Along every operand. An edge to a node without invariant axes has those with stride 0. */
static uint64_t shared_axes(const zc_node *node)
{
    uint64_t axes = 0;
    for (int a = 0; a < node->domain_rank; a++)
        axes |= (uint64_t)(zc_node_domain_shape(node)[a] > 1) << a;
    for (int i = 0; i < node->edge_count && axes != 0; i++) {
        const zc_edge *edge = &node->edges[i];
        zc_view view;
        if (edge->node->invariant != 0) {
            view_operand(node, i, &view);
            axes &= zc_invariant_axes(edge->node, &view);
            continue;
        }
        for (int a = 0; a < node->domain_rank; a++)
            axes &= ~((uint64_t)(edge->stride[a] != 0) << a);
    }
    return axes;
}

/* The axes that a reduction keeps, as its own. */
static uint64_t kept_axes(const zc_node *node, uint64_t axes)
{
    uint64_t kept = 0;
    for (int a = 0, to = 0; a < node->domain_rank; a++) {
        if ((node->reduced >> a & 1) == 0)
            kept |= (axes >> a & 1) << to++;
    }
    return kept;
}

static uint64_t invariant_none(zc_node *node)
{
    (void)node;
    return 0;
}

static uint64_t invariant_shared(zc_node *node)
{
    return shared_axes(node);
}

/* But for the axis along which operands follow each other, or elements depend on those before. */
static uint64_t invariant_other_axes(zc_node *node)
{
    uint64_t along = node->kind == ZC_NODE_CONCAT ? UINT64_C(1) << node->op : node->reduced;
    return shared_axes(node) & ~along;
}

static uint64_t invariant_kept(zc_node *node)
{
    uint64_t shared = shared_axes(node);
    node->by_rule = shared & node->reduced;
    return kept_axes(node, shared);
}

/* Elements change along the axis that tells their places in the order. */
static uint64_t invariant_selected(zc_node *node)
{
    node->by_rule = 0;
    return kept_axes(node, shared_axes(node)) & ~(UINT64_C(1) << (node->rank - 1));
}

void zc_invariance_set(zc_node *node)
{
    static uint64_t (*const invariants[])(zc_node *) = {
#define ZC_GIVEN_NODE(NAME, name, attributes, invariant, gradient, sign) [ZC_NODE_##NAME] = invariant_##invariant,
#define ZC_COMPUTED_NODE                                                 ZC_GIVEN_NODE
#include "runtime/graph/node_kinds.def"
#undef ZC_COMPUTED_NODE
#undef ZC_GIVEN_NODE
    };
    node->invariant = invariants[node->kind](node);
}
