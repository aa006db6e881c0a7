#include "materialize/lower/lower.h"
#include "materialize/lower/machine.h"
#include "views/compose.h"

#include <string.h>

/* A node costing at least this much is not evaluated again for a second view of it. Past LARGEST_STAGE values nothing
 * is: graphs exist whose every level sees the one below under two views, and their paths double with each. */
enum { COSTLY_TO_REPEAT = 16, LARGEST_STAGE = 1 << 16 };

/* ---- Tasks and frames ---- */

zc_frame *zc_frame_push(zc_machine *m, zc_task *t, const zc_seen *seen)
{
    void *frames = t->frames;
    if (!zc_arena_make_room(&m->lowering.plan->arena, &frames, t->frame_count, &t->frame_room, sizeof *t->frames))
        return NULL;
    t->frames = frames;
    zc_frame *f = &t->frames[t->frame_count++];
    memset(f, 0, sizeof *f);
    f->seen = *seen;
    return f;
}

zc_outcome zc_frame_end(zc_task *t, int32_t value)
{
    if (value < 0)
        return ZC_LOWER_FAILED;
    t->value = value;
    t->frame_count--;
    return ZC_LOWER_FOUND;
}

bool zc_see(zc_machine *m, const zc_node *node, const zc_view *view, zc_seen *out)
{
    *out = (zc_seen){node, view->offset, view->rank,
                     zc_arena_copy(&m->lowering.plan->arena, view->stride, (size_t)view->rank, sizeof *view->stride)};
    return out->stride != NULL;
}

zc_task *zc_task_push(zc_machine *m, zc_task_kind kind, const zc_node *node, const zc_view *part,
                      zc_stage_reason reason)
{
    zc_task *t = zc_arena_take(&m->lowering.plan->arena, 1, sizeof *t);
    if (t == NULL)
        return NULL;
    memset(t, 0, offsetof(zc_task, part));
    t->below = m->top;
    t->kind = kind;
    t->node = node;
    t->reason = reason;
    zc_view_copy(part, &t->part);
    m->top = t;
    return t;
}

bool zc_task_begin(zc_machine *m, zc_task *t, const zc_node *node, const zc_view *view, bool is_result)
{
    if (!zc_see(m, node, view, &t->start) || !zc_builder_begin(&t->builder, m->lowering.plan, view->rank, view->shape))
        return false;
    t->is_result = is_result;
    t->frame_count = 0;
    zc_frame *f = zc_frame_push(m, t, &t->start);
    if (f != NULL)
        f->is_result = is_result;
    return f != NULL;
}

/* ---- What the domain sees of a node, as a value ---- */

/* Whether the domain sees the node exactly as it is: then its operands are seen through its own edges. */
static bool is_seen_whole(const zc_task *t, const zc_seen *seen)
{
    const zc_stage *stage = &t->builder.stage;
    const zc_node *node = seen->node;
    if (seen->offset != 0 || seen->rank != stage->rank ||
        !zc_shape_equal(stage->rank, stage->shape, node->rank, node->shape))
        return false;
    int64_t stride[ZC_MAX_RANK];
    zc_shape_row_major(node->rank, node->shape, stride);
    return memcmp(stride, seen->stride, (size_t)node->rank * sizeof *stride) == 0;
}

/* Pushes the view down to the operands. False in *affine: no strides express one of them. */
static bool see_operands(zc_machine *m, zc_task *t, zc_frame *f, bool *affine)
{
    const zc_node *node = f->seen.node;
    bool whole = is_seen_whole(t, &f->seen);
    zc_view view;
    zc_builder_view(&t->builder, &f->seen, &view);
    *affine = true;
    for (int i = 0; i < node->edge_count; i++) {
        const zc_edge *edge = &node->edges[i];
        f->operands[i] = (zc_seen){edge->node, edge->offset, node->rank, edge->stride};
        if (whole)
            continue;
        zc_view through, shown;
        zc_node_edge_view(node, i, &through);
        *affine = zc_view_compose(&through, &view, &shown);
        if (!*affine)
            return true;
        if (!zc_see(m, edge->node, &shown, &f->operands[i]))
            return false;
    }
    return true;
}

/* Deeper operands first: fewer values are alive at once. */
static void order_operands(zc_frame *f)
{
    int count = f->seen.node->edge_count;
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && f->operands[f->order[at - 1]].node->cost < f->operands[i].node->cost; at--)
            f->order[at] = f->order[at - 1];
        f->order[at] = (int8_t)i;
    }
}

static bool is_better_shared(const zc_machine *m, const zc_task *t, const zc_seen *seen)
{
    const zc_node *node = seen->node;
    if (node->cost < COSTLY_TO_REPEAT || !zc_builder_has_other_view(&t->builder, seen))
        return false;
    const zc_stage *stage = &t->builder.stage;
    bool is_small = node->size <= zc_stage_extent(stage, 0, stage->rank);
    return (is_small && zc_may_spend(m->lowering.plan, node->size, (zc_dtype)node->dtype)) ||
           stage->value_count > LARGEST_STAGE;
}

/* Whether what the domain reaches of a costly node is there already, made for another stage. */
static bool is_made(const zc_machine *m, const zc_task *t, const zc_seen *seen)
{
    if (m->lowering.count == 0 || seen->node->cost < COSTLY_TO_REPEAT)
        return false;
    zc_view view, part, through;
    zc_builder_view(&t->builder, seen, &view);
    zc_rows_reached(seen->node, &view, &part, &through);
    return zc_lowering_find(&m->lowering, seen->node, &part) >= 0;
}

/* Whether something reads a copy that was asked for. The stage of a result, or of a piece, which begins with the copy,
 * makes it where it belongs. */
static bool reads_copy(const zc_task *t, const zc_frame *f)
{
    bool is_made_here = f->is_result || (t->kind != ZC_TASK_PART && t->frame_count == 1);
    return f->seen.node->is_stored && !is_made_here;
}

static zc_outcome enter_map(zc_machine *m, zc_task *t, zc_frame *f)
{
    if (reads_copy(t, f))
        return zc_use_rows(m, t, &f->seen, ZC_STAGE_COPY);
    if (!f->is_result && (is_better_shared(m, t, &f->seen) || is_made(m, t, &f->seen)))
        return zc_use_rows(m, t, &f->seen, ZC_STAGE_SHARED);
    bool affine;
    if (!see_operands(m, t, f, &affine))
        return ZC_LOWER_FAILED;
    zc_outcome outcome = ZC_LOWER_DESCEND;
    if (!affine && zc_refine(m, t, &f->seen, &outcome))
        return outcome;
    if (!affine && !zc_map_copy(m, t, f, &outcome))
        return zc_use_rows(m, t, &f->seen, ZC_STAGE_NOT_AFFINE); /* no result: its operands are seen as they are */
    if (outcome == ZC_LOWER_FAILED)
        return outcome;
    order_operands(f);
    f->entered = true;
    return ZC_LOWER_DESCEND;
}

static zc_outcome load_data(zc_machine *m, zc_task *t, const zc_seen *seen, const zc_buffer *data)
{
    zc_dtype dtype = (zc_dtype)seen->node->dtype;
    int32_t slot = zc_plan_add_slot(m->lowering.plan, ZC_SLOT_INPUT, dtype, seen->node->size, data);
    if (slot < 0)
        return ZC_LOWER_FAILED;
    return zc_frame_end(t, zc_builder_load(&t->builder, seen, slot, dtype, seen->offset, seen->stride));
}

static zc_outcome enter(zc_machine *m, zc_task *t, zc_frame *f)
{
    int32_t known = zc_builder_find(&t->builder, &f->seen);
    if (known >= 0)
        return zc_frame_end(t, known);
    bool is_ordered = f->seen.node->kind == ZC_NODE_SCAN || f->seen.node->kind == ZC_NODE_SCATTER;
    bool is_in_the_making = f->is_result && is_ordered; /* whatever other threads have made meanwhile */
    const zc_buffer *data = is_in_the_making ? NULL : zc_node_data(f->seen.node);
    if (data != NULL)
        return load_data(m, t, &f->seen, data);
    switch (f->seen.node->kind) {
    case ZC_NODE_CONSTANT:
        return zc_frame_end(t, zc_builder_constant(&t->builder, &f->seen));
    case ZC_NODE_IOTA:
        return zc_frame_end(t, zc_builder_index(&t->builder, &f->seen));
    case ZC_NODE_REDUCE:
        return zc_use_reduction(m, t, &f->seen);
    case ZC_NODE_CONCAT:
        return zc_enter_concat(m, t, f);
    case ZC_NODE_TAKE:
        return zc_enter_take(m, t, f);
    case ZC_NODE_SCAN:
        return f->is_result ? zc_enter_scan(m, t, f) : zc_use_scan(m, t, &f->seen);
    case ZC_NODE_SCATTER:
        return f->is_result ? zc_enter_scatter(m, t, f) : zc_use_scatter(m, t, &f->seen);
    default:
        return enter_map(m, t, f);
    }
}

/* One step of the topmost frame. */
static zc_outcome step(zc_machine *m, zc_task *t)
{
    zc_frame *f = &t->frames[t->frame_count - 1];
    if (!f->entered)
        return enter(m, t, f);
    if (f->waits) {
        f->args[f->order[f->done++]] = t->value;
        f->waits = false;
    }
    if (f->done == f->seen.node->edge_count)
        return zc_frame_end(t, zc_builder_op(&t->builder, &f->seen, f->args));
    f->waits = true;
    zc_seen operand = f->operands[f->order[f->done]];
    return zc_frame_push(m, t, &operand) != NULL ? ZC_LOWER_DESCEND : ZC_LOWER_FAILED;
}

/* ---- The whole ---- */

/* The task's stage has all its values. */
static bool finish(zc_machine *m, zc_task *t)
{
    zc_stage *stage = &t->builder.stage;
    stage->reason = t->reason;
    switch (t->kind) {
    case ZC_TASK_RESULT:
        return zc_finish_result(&m->lowering, m->layout, stage);
    case ZC_TASK_PIECE:
        return zc_assembly_keep(m, t);
    default:
        return t->node->kind == ZC_NODE_SCAN      ? zc_finish_scan(m, t)
               : t->node->kind == ZC_NODE_SCATTER ? zc_finish_scatter(m, t)
                                                  : zc_finish_part(&m->lowering, t->node, &t->part, stage);
    }
}

/* False: memory is out, or the work is to stop. */
static bool run(zc_machine *m)
{
    while (m->top != NULL) {
        if (zc_progress_stops(&m->lowering.plan->ctx->progress))
            return false;
        zc_task *t = m->top;
        if (t->kind == ZC_TASK_ASSEMBLY) {
            if (!zc_assembly_step(m, t))
                return false;
        } else if (t->frame_count > 0) {
            if (step(m, t) == ZC_LOWER_FAILED)
                return false;
        } else {
            if (!finish(m, t))
                return false;
            m->top = t->below;
        }
    }
    return true;
}

static bool begin(zc_machine *m)
{
    const zc_plan *plan = m->lowering.plan;
    zc_task *t = zc_task_push(m, ZC_TASK_RESULT, plan->root, &plan->root_view, ZC_STAGE_RESULT);
    return t != NULL && zc_task_begin(m, t, plan->root, &plan->root_view, false);
}

zc_status zc_plan_lower(zc_plan *plan, zc_layout layout, const char *function)
{
    zc_machine m = {.lowering = {.plan = plan, .table.arena = &plan->arena}, .layout = layout};
    bool lowered = zc_plan_add_slot(plan, ZC_SLOT_OUTPUT, (zc_dtype)plan->root->dtype, 0, NULL) == ZC_OUTPUT_SLOT &&
                   begin(&m) && run(&m);
    if (!lowered && plan->arena.failed)
        return zc_fail_memory(plan->ctx, function);
    if (!lowered && zc_progress_stops(&plan->ctx->progress)) /* LCOV_EXCL_BR_LINE: nothing else is left */
        return zc_fail_cancelled(plan->ctx, function);
    /* LCOV_EXCL_START: nothing else is left */
    if (!lowered)
        return zc_fail(plan->ctx, ZC_ERROR_INTERNAL, function, "the graph could not be lowered");
    /* LCOV_EXCL_STOP */
    zc_drop_last_copy(plan);
    return ZC_OK;
}
