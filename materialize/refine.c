/*
 * Refining a domain: an axis of n*m elements walked as two, of n and of m. What stands in the way of seeing an
 * operation through a reshape is often just that an axis of the domain runs across several axes of the operation, along
 * which its operands have strides of their own; split where one of them ends, each part moves one of them only, and the
 * views are affine again.
 *
 * The elements of a domain keep their order, so nothing changes but the loops: kept axes are stored as they would have
 * been, and the parts of a reduced axis are all walked, whatever they could be reduced by.
 */
#include "materialize/machine.h"
#include "views/compose.h"

/* A stage with more values than this is not begun anew, and no stage is more often. */
enum { LARGEST_REFINED = 256, MOST_REFINEMENTS = 8 };

/* A domain with split axes: new axis j walks old axis origin[j], in steps of multiple[j] elements. */
typedef struct refined {
    int rank;
    int64_t shape[ZC_MAX_RANK];
    int64_t multiple[ZC_MAX_RANK];
    int origin[ZC_MAX_RANK];
} refined;

/* ---- Where to split ---- */

/* The borders between the axes of a node, as indices into its row-major order, the innermost first. */
static int find_borders(const zc_node *node, int64_t *borders)
{
    int count = 0;
    int64_t weight = 1;
    for (int a = node->rank - 1; a > 0; a--) {
        weight *= node->shape[a]; /* proven: at most the node's size */
        if (node->shape[a] > 1)
            borders[count++] = weight;
    }
    return count;
}

static bool add_axis(refined *r, int origin, int64_t extent, int64_t multiple)
{
    if (r->rank == ZC_MAX_RANK)
        return false;
    r->shape[r->rank] = extent;
    r->multiple[r->rank] = multiple;
    r->origin[r->rank++] = origin;
    return true;
}

/* Splits an axis at every border that it crosses in a whole number of steps. The parts come out innermost first. */
static bool split_axis(refined *r, int axis, int64_t extent, int64_t stride, const int64_t *borders, int count)
{
    int64_t multiple = 1, step = stride < 0 ? -stride : stride; /* an index of the operand: never INT64_MIN */
    for (int i = 0; i < count && step != 0; i++) {
        int64_t part = borders[i] / step;
        if (borders[i] % step != 0 || part < 2 || part >= extent || extent % part != 0)
            continue;
        if (!add_axis(r, axis, part, multiple))
            return false;
        multiple *= part; /* proven: a divisor of the extent */
        step *= part;     /* proven: a border */
        extent /= part;
    }
    return add_axis(r, axis, extent, multiple);
}

static void reverse(refined *r)
{
    const refined from = *r;
    for (int i = 0, j = r->rank - 1; i < r->rank; i++, j--) {
        r->shape[i] = from.shape[j];
        r->multiple[i] = from.multiple[j];
        r->origin[i] = from.origin[j];
    }
}

static void refine_view(const zc_view *view, const refined *r, zc_view *out)
{
    out->rank = r->rank;
    out->offset = view->offset;
    for (int a = 0; a < r->rank; a++) {
        out->shape[a] = r->shape[a];
        (void)zc_checked_multiply(view->stride[r->origin[a]], r->multiple[a], &out->stride[a]);
    }
    zc_view_canonicalise(out);
}

/* A refinement of the view's shape under which all operands of the node can be seen. */
static bool find_refinement(const zc_node *node, const zc_view *view, refined *r)
{
    int64_t borders[ZC_MAX_RANK];
    int count = find_borders(node, borders);
    r->rank = 0;
    for (int a = view->rank - 1; a >= 0; a--) {
        if (!split_axis(r, a, view->shape[a], view->stride[a], borders, count))
            return false;
    }
    reverse(r);
    zc_view finer, edge, shown;
    refine_view(view, r, &finer);
    bool is_seen = r->rank > view->rank;
    for (int i = 0; i < node->edge_count && is_seen; i++) {
        zc_node_edge_view(node, i, &edge);
        is_seen = zc_view_compose(&edge, &finer, &shown);
    }
    return is_seen;
}

/* ---- Beginning anew ---- */

/* Whether a new axis is one of several that an old one became. */
static bool is_split(const refined *r, int axis)
{
    int parts = 0;
    for (int a = 0; a < r->rank; a++)
        parts += r->origin[a] == r->origin[axis];
    return parts > 1;
}

/* Carries over what a stage knows of its axes. */
static bool refine_stage(zc_arena *arena, const zc_stage *from, const refined *r, zc_stage *to)
{
    int *origin = zc_arena_take(arena, (size_t)r->rank, sizeof *origin);
    int64_t *multiple = zc_arena_take(arena, (size_t)r->rank, sizeof *multiple);
    int64_t *weight = zc_arena_take(arena, (size_t)r->rank, sizeof *weight);
    if (origin == NULL || multiple == NULL || weight == NULL)
        return false;
    to->reduces = from->reduces;
    to->reduction = from->reduction;
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
        bool is_pinned = old < from->kept || is_split(r, a) || (from->pinned >> old & 1) != 0;
        to->pinned |= (uint64_t)is_pinned << a;
    }
    to->origin = origin;
    to->multiple = multiple;
    to->index_weight = from->index_weight != NULL ? weight : NULL;
    return true;
}

static bool begin_again(zc_machine *m, zc_task *t, const refined *r)
{
    zc_plan *plan = m->lowering.plan;
    zc_view start, finer;
    zc_stage before = t->builder.stage;
    zc_seen from = t->start;
    zc_builder_view(&t->builder, &from, &start);
    refine_view(&start, r, &finer);
    t->refinements++;
    return zc_task_begin(m, t, from.node, &finer, t->is_result) &&
           refine_stage(&plan->arena, &before, r, &t->builder.stage);
}

bool zc_refine(zc_machine *m, zc_task *t, const zc_seen *seen, zc_outcome *outcome)
{
    refined r;
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
