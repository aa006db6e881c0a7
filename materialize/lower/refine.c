/*
 * Refining a domain: an axis of n*m elements walked as two, of n and of m. What stands in the way of seeing an
 * operation through a reshape is often just that an axis of the domain runs across several axes of the operation, along
 * which its operands have strides of their own; split where one of them ends, each part moves one of them only, and the
 * views are affine again.
 *
 * The elements of a domain keep their order, so nothing changes but the loops: kept axes are stored as they would have
 * been, and the parts of a reduced axis are all walked, or none of them where it is reduced by rule.
 */
#include "materialize/lower/machine.h"
#include "views/compose.h"
#include "views/split.h"

/* A stage with more values than this is not begun anew, and no stage is more often. */
enum { LARGEST_REFINED = 256, MOST_REFINEMENTS = 8 };

/* A refinement of the view's shape under which all operands of the node can be seen. */
static bool find_refinement(const zc_node *node, const zc_view *view, zc_axis_split *r)
{
    zc_view finer, edge, shown;
    if (!zc_view_split(view, node->rank, node->shape, r))
        return false;
    zc_view_apply_split(view, r, &finer);
    bool is_seen = r->rank > view->rank;
    for (int i = 0; i < node->edge_count && is_seen; i++) {
        zc_node_edge_view(node, i, &edge);
        is_seen = zc_view_compose(&edge, &finer, &shown);
    }
    return is_seen;
}

/* ---- Beginning anew ---- */

/* Carries over what a stage knows of its axes. */
static bool refine_stage(zc_arena *arena, const zc_stage *from, const zc_axis_split *r, zc_stage *to)
{
    int *origin = zc_arena_take(arena, (size_t)r->rank, sizeof *origin);
    int64_t *multiple = zc_arena_take(arena, (size_t)r->rank, sizeof *multiple);
    int64_t *weight = zc_arena_take(arena, (size_t)r->rank, sizeof *weight);
    if (origin == NULL || multiple == NULL || weight == NULL)
        return false;
    to->reduces = from->reduces;
    to->reduction = from->reduction;
    to->invariant_count = from->invariant_count;
    to->invariant_axes = from->invariant_axes;
    to->kept = 0;
    for (int a = 0; a < r->rank; a++) {
        int old = r->origin[a];
        origin[a] = from->origin == NULL ? old : from->origin[old];
        multiple[a] = r->multiple[a];
        if (from->origin != NULL)
            multiple[a] *= from->multiple[old]; /* proven: a divisor of the extent */
        if (old < from->kept)
            to->kept++;
        else
            weight[a - to->kept] = from->index_weight[old - from->kept] * r->multiple[a]; /* proven: an index */
        to->by_rule |= (from->by_rule >> old & 1) << a;
    }
    to->origin = origin;
    to->multiple = multiple;
    to->index_weight = from->index_weight != NULL ? weight : NULL;
    return true;
}

static bool begin_again(zc_machine *m, zc_task *t, const zc_axis_split *r)
{
    zc_plan *plan = m->lowering.plan;
    zc_view start, finer;
    zc_stage before = t->builder.stage;
    zc_seen from = t->start;
    zc_builder_view(&t->builder, &from, &start);
    zc_view_apply_split(&start, r, &finer);
    t->refinements++;
    return zc_task_begin(m, t, from.node, &finer, t->is_result) &&
           refine_stage(&plan->arena, &before, r, &t->builder.stage);
}

bool zc_refine(zc_machine *m, zc_task *t, const zc_seen *seen, zc_outcome *outcome)
{
    zc_axis_split r;
    zc_view view;
    bool is_ordered = t->node->kind == ZC_NODE_SCAN || t->node->kind == ZC_NODE_SCATTER;
    if (seen->rank != t->builder.stage.rank || t->kind == ZC_TASK_PIECE || (is_ordered && t->kind == ZC_TASK_PART) ||
        t->builder.stage.value_count > LARGEST_REFINED || t->refinements == MOST_REFINEMENTS)
        return false;
    zc_builder_view(&t->builder, seen, &view);
    if (!find_refinement(seen->node, &view, &r))
        return false;
    *outcome = begin_again(m, t, &r) ? ZC_LOWER_DESCEND : ZC_LOWER_FAILED;
    return true;
}
