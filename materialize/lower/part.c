/* Cutting: a node whose elements are an intermediate result, and how much of it is made. */
#include "materialize/lower/machine.h"
#include "views/compose.h"

/* Loads what `through`, a view over the intermediate's part, shows. */
static zc_outcome load_intermediate(zc_machine *m, zc_task *t, const zc_seen *seen, int32_t at, const zc_view *through)
{
    zc_view place, shown;
    zc_intermediate_place(&m->lowering.intermediates[at], &place);
    if (!zc_view_compose(&place, through, &shown)) {
        at = zc_lowering_expand(&m->lowering, at);
        if (at < 0)
            return ZC_LOWER_FAILED;
        zc_intermediate_place(&m->lowering.intermediates[at], &place);
        (void)zc_view_compose(&place, through, &shown); /* row-major order: what `through` is a view of */
    }
    const zc_intermediate *from = &m->lowering.intermediates[at];
    zc_dtype dtype = m->lowering.plan->slots[from->slot].dtype;
    return zc_frame_end(t, zc_builder_load(&t->builder, seen, from->slot, dtype, shown.offset, shown.stride));
}

/* Suspends the current stage until that part of the node is there. */
static zc_outcome push_part(zc_machine *m, const zc_node *node, const zc_view *part, zc_stage_reason reason)
{
    bool is_concat = node->kind == ZC_NODE_CONCAT;
    zc_task *t = zc_task_push(m, is_concat ? ZC_TASK_ASSEMBLY : ZC_TASK_PART, node, part, reason);
    if (t == NULL)
        return ZC_LOWER_FAILED;
    if (is_concat)
        return ZC_LOWER_WAIT;
    bool begun = node->kind == ZC_NODE_REDUCE    ? zc_begin_reduction(m, t)
                 : node->kind == ZC_NODE_SCAN    ? zc_begin_scan(m, t)
                 : node->kind == ZC_NODE_SCATTER ? zc_begin_scatter(m, t)
                                                 : zc_task_begin(m, t, node, part, true);
    return begun ? ZC_LOWER_WAIT : ZC_LOWER_FAILED;
}

zc_outcome zc_use_part(zc_machine *m, zc_task *t, const zc_seen *seen, const zc_view *part, const zc_view *through,
                       zc_stage_reason reason)
{
    int32_t at = zc_lowering_find(&m->lowering, seen->node, part);
    return at >= 0 ? load_intermediate(m, t, seen, at, through) : push_part(m, seen->node, part, reason);
}

void zc_rows_reached(const zc_node *node, const zc_view *view, zc_view *part, zc_view *through)
{
    zc_view_row_major(node->rank, node->shape, part);
    zc_view_copy(view, through);
    if (node->rank == 0 || node->size == 0 || zc_view_size(view) == 0)
        return;
    int64_t lowest, highest, row = node->size / node->shape[0];
    zc_view_reach(view, &lowest, &highest);
    int64_t first = lowest / row;
    part->shape[0] = highest / row - first + 1;
    if (part->shape[0] == 1)
        part->stride[0] = 0;
    part->offset = first * row; /* proven: not more than lowest */
    through->offset -= part->offset;
}

zc_outcome zc_use_rows(zc_machine *m, zc_task *t, const zc_seen *seen, zc_stage_reason reason)
{
    zc_view view, part, through;
    zc_builder_view(&t->builder, seen, &view);
    zc_rows_reached(seen->node, &view, &part, &through);
    return zc_use_part(m, t, seen, &part, &through, reason);
}

void zc_part_of_view(const zc_view *view, zc_view *part, zc_view *through)
{
    zc_view whole;
    uint64_t repeated = zc_view_broadcast_axes(view);
    zc_view_drop_axes(view, repeated, part);
    zc_view_row_major(part->rank, part->shape, &whole);
    zc_view_copy(view, through);
    through->offset = 0;
    for (int a = 0, from = 0; a < view->rank; a++) {
        bool is_repeated = (repeated >> a & 1) != 0;
        through->stride[a] = is_repeated ? 0 : whole.stride[from];
        from += is_repeated ? 0 : 1;
    }
}

bool zc_part_is_small(const zc_machine *m, const zc_node *node, const zc_view *part)
{
    zc_view whole;
    zc_view_row_major(node->rank, node->shape, &whole);
    return zc_view_size(part) <= node->size / 2 && zc_lowering_find(&m->lowering, node, &whole) < 0;
}

/* ---- Reductions ---- */

/* How a part of a reduction's result sees the reduction's operand: the part's axes, then the reduced ones. False when
 * no strides express it. weight: what a step along each reduced axis adds to an index (argmin, argmax). */
static bool lift_part(const zc_node *node, const zc_view *part, zc_view *out, int64_t *weight)
{
    zc_view domain, spread = {.rank = node->rank, .offset = 0};
    zc_view_row_major(node->domain_rank, zc_node_domain_shape(node), &domain);
    for (int a = 0, to = 0; a < node->domain_rank; a++) {
        if ((node->reduced >> a & 1) != 0)
            continue;
        spread.shape[to] = domain.shape[a];
        spread.stride[to++] = domain.stride[a];
    }
    if (!zc_view_compose(&spread, part, out))
        return false;
    int64_t reduced_shape[ZC_MAX_RANK];
    int count = 0;
    for (int a = 0; a < node->domain_rank; a++) {
        if ((node->reduced >> a & 1) == 0)
            continue;
        reduced_shape[count++] = domain.shape[a];
        out->shape[out->rank] = domain.shape[a];
        out->stride[out->rank++] = domain.stride[a];
    }
    if (weight != NULL)
        zc_shape_row_major(count, reduced_shape, weight);
    return true;
}

/* How a part of a reduction's result sees the node below; false when no strides express it. */
static bool see_reduced(const zc_node *node, const zc_view *part, zc_view *out, int64_t *weight)
{
    zc_view lifted, operand;
    if (part->rank + node->domain_rank - node->rank > ZC_MAX_RANK || !lift_part(node, part, &lifted, weight))
        return false;
    zc_node_edge_view(node, 0, &operand);
    return zc_view_compose(&operand, &lifted, out);
}

zc_outcome zc_use_reduction(zc_machine *m, zc_task *t, const zc_seen *seen)
{
    zc_view view, part, through, lifted;
    zc_builder_view(&t->builder, seen, &view);
    zc_part_of_view(&view, &part, &through);
    if (!zc_part_is_small(m, seen->node, &part) || !see_reduced(seen->node, &part, &lifted, NULL))
        return zc_use_rows(m, t, seen, ZC_STAGE_REDUCTION);
    return zc_use_part(m, t, seen, &part, &through, ZC_STAGE_REDUCTION);
}

/* The axes that the node reduces by rule, of the stage: its reduced axes stand in their order behind the kept ones. */
static void note_axes_by_rule(const zc_node *node, zc_stage *stage)
{
    stage->invariant_axes = node->by_rule;
    for (int a = 0, at = stage->kept; a < node->domain_rank; a++) {
        if ((node->reduced >> a & 1) == 0)
            continue;
        bool is_by_rule = (node->by_rule >> a & 1) != 0;
        stage->by_rule |= (uint64_t)is_by_rule << at++;
        stage->invariant_count *=
            is_by_rule ? zc_node_domain_shape(node)[a] : 1; /* proven: extents of a shape, none 0 */
    }
}

bool zc_begin_reduction(zc_machine *m, zc_task *t)
{
    const zc_node *node = t->node;
    zc_view operand;
    int64_t *weight = zc_arena_take(&m->lowering.plan->arena, (size_t)(node->domain_rank - node->rank), sizeof *weight);
    if (weight == NULL || !see_reduced(node, &t->part, &operand, weight) || /* LCOV_EXCL_BR_LINE: seen already */
        !zc_task_begin(m, t, node->edges[0].node, &operand, false))
        return false;
    zc_stage *stage = &t->builder.stage;
    stage->kept = t->part.rank;
    stage->reduces = true;
    stage->reduction = (zc_reduction)node->op;
    stage->index_weight = weight;
    note_axes_by_rule(node, stage);
    return true;
}
