/*
 * What is made in a fixed order, element after element: scans, and scatters, which add. Each is a stage of its own. The
 * order is the row-major one of its domain whatever executor, so the bits are the same.
 */
#include "materialize/lower/machine.h"
#include "views/compose.h"
#include "views/overlap.h"

/* ---- Scatters ---- */

zc_outcome zc_use_scatter(zc_machine *m, zc_task *t, const zc_seen *seen)
{
    zc_view whole, view;
    zc_view_row_major(seen->node->rank, seen->node->shape, &whole);
    zc_builder_view(&t->builder, seen, &view);
    return zc_use_part(m, t, seen, &whole, &view, ZC_STAGE_SCATTER);
}

bool zc_begin_scatter(zc_machine *m, zc_task *t)
{
    zc_view domain;
    zc_view_row_major(t->node->domain_rank, zc_node_domain_shape(t->node), &domain);
    return zc_task_begin(m, t, t->node, &domain, true);
}

static zc_outcome descend(zc_machine *m, zc_task *t, zc_frame *f, int operand, const zc_view *view)
{
    zc_seen seen;
    f->waits = true;
    bool pushed = zc_see(m, f->seen.node->edges[operand].node, view, &seen) && zc_frame_push(m, t, &seen) != NULL;
    return pushed ? ZC_LOWER_DESCEND : ZC_LOWER_FAILED;
}

/* The last value of the stage is what is added or scanned: a copy of it where it stands further ahead. */
static zc_outcome end_with_last(zc_task *t, const zc_node *node)
{
    int32_t value = t->value;
    if (value != t->builder.stage.value_count - 1)
        value = zc_builder_derive(&t->builder, node, ZC_OP_COPY, value, -1);
    return zc_frame_end(t, value);
}

/* The positions pick an axis, which moves the store. */
static bool move_store(zc_machine *m, zc_task *t, const zc_node *node)
{
    zc_builder *b = &t->builder;
    zc_stage *stage = &b->stage;
    const zc_taken_axis *moved = &node->scattered->moved[stage->store_moves];
    int axis = zc_builder_pick_axis(b, node, node->scattered->named, t->value, moved);
    if (stage->store_move == NULL)
        stage->store_move =
            zc_arena_take(&m->lowering.plan->arena, (size_t)node->scattered->moved_count, sizeof *stage->store_move);
    if (axis < 0 || stage->store_move == NULL)
        return false;
    stage->store_move[stage->store_moves++] = (zc_move){b->picked[axis - stage->rank].check, moved->stride};
    return true;
}

static zc_outcome descend_in_scatter(zc_machine *m, zc_task *t, zc_frame *f, int operand)
{
    zc_view edge;
    zc_node_edge_view(f->seen.node, operand, &edge);
    return descend(m, t, f, operand, &edge);
}

zc_outcome zc_enter_scatter(zc_machine *m, zc_task *t, zc_frame *f)
{
    const zc_node *node = f->seen.node;
    const int positions = node->scattered->moved_count;
    if (!f->waits)
        return descend_in_scatter(m, t, f, positions > 0 ? 1 : 0);
    if (++f->done > positions)
        return end_with_last(t, node);
    return move_store(m, t, node) ? descend_in_scatter(m, t, f, f->done == positions ? 0 : f->done + 1)
                                  : ZC_LOWER_FAILED;
}

bool zc_finish_scatter(zc_machine *m, zc_task *t)
{
    zc_plan *plan = m->lowering.plan;
    zc_stage *stage = &t->builder.stage;
    const zc_node *node = t->node;
    zc_view place, whole;
    zc_node_place(node, &place);
    if (!zc_close_stage(&m->lowering, stage, zc_all_axes(stage->rank)))
        return false;
    stage->clears = true;
    stage->adds = stage->store_moves > 0 || !zc_view_is_injective(&place);
    stage->result_dtype = (zc_dtype)zc_stage_result(stage)->dtype;
    stage->store_slot = zc_plan_add_slot(plan, ZC_SLOT_TEMPORARY, stage->result_dtype, node->size, NULL);
    stage->store_offset = place.offset;
    stage->store_stride = zc_arena_copy(&plan->arena, place.stride, (size_t)place.rank, sizeof *place.stride);
    zc_view_row_major(node->rank, node->shape, &whole);
    return stage->store_slot >= 0 && stage->store_stride != NULL && zc_plan_add_stage(plan, stage) == ZC_OK &&
           zc_lowering_add(&m->lowering, node, &t->part, stage->store_slot, &whole) >= 0;
}

/* ---- Scans ---- */

static int scan_axis(const zc_node *node)
{
    return __builtin_ctzll(node->reduced);
}

zc_outcome zc_use_scan(zc_machine *m, zc_task *t, const zc_seen *seen)
{
    zc_view view, part, through;
    zc_builder_view(&t->builder, seen, &view);
    zc_rows_reached(seen->node, &view, &part, &through);
    if (scan_axis(seen->node) == 0 && part.offset > 0) { /* from the beginning */
        int64_t row = seen->node->size / seen->node->shape[0];
        part.shape[0] += part.offset / row;
        part.stride[0] = row;
        part.offset = 0;
        zc_view_copy(&view, &through);
    }
    return zc_use_part(m, t, seen, &part, &through, ZC_STAGE_SCAN);
}

/* Axis `axis` moved behind the others. */
static void move_last(const zc_view *view, int axis, zc_view *out)
{
    out->rank = 0;
    out->offset = view->offset;
    for (int a = 0; a <= view->rank; a++) {
        int from = a < view->rank ? a : axis;
        if (a == axis)
            continue;
        out->shape[out->rank] = view->shape[from];
        out->stride[out->rank++] = view->stride[from];
    }
}

bool zc_begin_scan(zc_machine *m, zc_task *t)
{
    zc_view domain;
    move_last(&t->part, scan_axis(t->node), &domain);
    return zc_task_begin(m, t, t->node, &domain, true);
}

/* The operand's whole rows in another order: strides that they have. */
static zc_outcome descend_in_scan(zc_machine *m, zc_task *t, zc_frame *f, int operand)
{
    zc_view domain, edge, shown;
    zc_builder_view(&t->builder, &f->seen, &domain);
    zc_node_edge_view(f->seen.node, operand, &edge);
    (void)zc_view_compose(&edge, &domain, &shown);
    return descend(m, t, f, operand, &shown);
}

zc_outcome zc_enter_scan(zc_machine *m, zc_task *t, zc_frame *f)
{
    const zc_node *node = f->seen.node;
    if (!f->waits)
        return descend_in_scan(m, t, f, node->edge_count - 1);
    if (++f->done == node->edge_count)
        return end_with_last(t, node);
    t->builder.stage.scan_factor = t->value;
    return descend_in_scan(m, t, f, 0);
}

/* The axes of the stage, whose last one is the scan's, as axes of the part. */
static uint64_t axes_of_part(uint64_t axes, int rank, int axis)
{
    uint64_t before = (UINT64_C(1) << axis) - 1, last = axes >> (rank - 1) & 1;
    uint64_t others = axes & ~(UINT64_C(1) << (rank - 1));
    return (others & before) | (others & ~before) << 1 | last << axis;
}

bool zc_finish_scan(zc_machine *m, zc_task *t)
{
    zc_plan *plan = m->lowering.plan;
    zc_stage *stage = &t->builder.stage;
    const zc_node *node = t->node;
    int axis = scan_axis(node);
    uint64_t walked = zc_axes_to_walk(stage) | UINT64_C(1) << (stage->rank - 1);
    if (stage->scan_factor >= 0)
        walked |= stage->values[stage->scan_factor].axes;
    uint64_t stored = axes_of_part(walked, stage->rank, axis);
    zc_view place, moved;
    zc_compact_place(&t->part, stored, &place);
    move_last(&place, axis, &moved);
    zc_view_drop_axes(&moved, ~walked & ((UINT64_C(1) << (stage->rank - 1)) - 1), &moved);
    if (!zc_close_stage(&m->lowering, stage, walked))
        return false;
    stage->scans = true;
    stage->scan = (zc_scan)node->op;
    stage->result_dtype = (zc_dtype)zc_stage_result(stage)->dtype;
    stage->store_slot =
        zc_plan_add_slot(plan, ZC_SLOT_TEMPORARY, stage->result_dtype, zc_stage_extent(stage, 0, stage->rank), NULL);
    stage->store_stride = zc_arena_copy(&plan->arena, moved.stride, (size_t)moved.rank, sizeof *moved.stride);
    return stage->store_slot >= 0 && stage->store_stride != NULL && zc_plan_add_stage(plan, stage) == ZC_OK &&
           zc_lowering_add(&m->lowering, node, &t->part, stage->store_slot, &place) >= 0;
}
