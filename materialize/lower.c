#include "materialize/lower.h"
#include "views/compose.h"

#include <string.h>

/* A node costing at least this much is not evaluated again for a second view of it. Past LARGEST_STAGE values nothing
 * is: graphs exist whose every level sees the one below under two views, and their paths double with each. */
enum { COSTLY_TO_REPEAT = 16, LARGEST_STAGE = 1 << 16, FIRST_FRAMES = 16 };

/* One node on the way down, and its operands' values on the way up. */
typedef struct frame {
    zc_seen seen;
    bool entered;
    bool waits;     /* for the value of operand order[done] */
    bool is_result; /* of its stage: it is computed here, whatever the cut rules say */
    int8_t done;    /* operands whose values are there */
    int8_t order[ZC_MAX_ARITY];
    int32_t args[ZC_MAX_ARITY];
    zc_seen operands[ZC_MAX_ARITY];
} frame;

/* A stage being built. Those below it wait for its result. */
typedef struct task {
    struct task *below;
    zc_builder builder;
    frame *frames;
    int32_t frame_count, frame_room;
    int32_t value; /* of the frame that was finished last */
    bool is_root;
    const zc_node *node; /* what the stage makes: this part of this node */
    zc_view part;
    zc_stage_reason reason;
} task;

typedef struct machine {
    zc_lowering lowering;
    task *top;
    zc_layout layout;
} machine;

typedef enum outcome { FAILED, FOUND, DESCEND, WAIT } outcome;

/* ---- Tasks and frames ---- */

static frame *push_frame(machine *m, task *t, const zc_seen *seen)
{
    if (t->frame_count == t->frame_room) {
        int32_t room = t->frame_room == 0 ? FIRST_FRAMES : 2 * t->frame_room;
        frame *longer =
            zc_arena_grow(&m->lowering.plan->arena, t->frames, (size_t)t->frame_count, (size_t)room, sizeof *longer);
        if (longer == NULL)
            return NULL;
        t->frames = longer;
        t->frame_room = room;
    }
    frame *f = &t->frames[t->frame_count++];
    memset(f, 0, sizeof *f);
    f->seen = *seen;
    return f;
}

/* How a part of a reduction's result sees the reduction's operand: the part's axes, then the reduced ones. False when
 * no strides express it. weight: what a step along each reduced axis adds to an index (argmin, argmax). */
static bool lift_part(const zc_node *node, const zc_view *part, zc_view *out, int64_t *weight)
{
    zc_view domain, spread = {.rank = node->rank, .offset = 0};
    zc_view_row_major(node->domain_rank, node->domain_shape, &domain);
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

static bool begin_map(machine *m, task *t, const zc_view *view)
{
    zc_plan *plan = m->lowering.plan;
    zc_seen seen = {t->node, view->offset,
                    zc_arena_copy(&plan->arena, view->stride, (size_t)view->rank, sizeof(int64_t))};
    if (seen.stride == NULL || !zc_builder_begin(&t->builder, plan, view->rank, view->shape))
        return false;
    frame *f = push_frame(m, t, &seen);
    if (f != NULL)
        f->is_result = !t->is_root;
    return f != NULL;
}

static bool begin_reduce(machine *m, task *t)
{
    zc_plan *plan = m->lowering.plan;
    const zc_node *node = t->node;
    zc_view operand;
    int64_t *weight = zc_arena_take(&plan->arena, (size_t)(node->domain_rank - node->rank), sizeof *weight);
    if (weight == NULL || !see_reduced(node, &t->part, &operand, weight) ||
        !zc_builder_begin(&t->builder, plan, operand.rank, operand.shape))
        return false;
    zc_stage *stage = &t->builder.stage;
    stage->kept = t->part.rank;
    stage->reduces = true;
    stage->reduction = (zc_reduction)node->op;
    stage->index_weight = weight;
    zc_seen seen = {node->edges[0].node, operand.offset,
                    zc_arena_copy(&plan->arena, operand.stride, (size_t)operand.rank, sizeof(int64_t))};
    return seen.stride != NULL && push_frame(m, t, &seen) != NULL;
}

/* Suspends the current stage until that part of the node is there. */
static outcome push_task(machine *m, const zc_node *node, const zc_view *part, zc_stage_reason reason)
{
    task *t = zc_arena_take(&m->lowering.plan->arena, 1, sizeof *t);
    if (t == NULL)
        return FAILED;
    memset(t, 0, offsetof(task, part));
    t->below = m->top;
    t->node = node;
    t->reason = reason;
    zc_view_copy(part, &t->part);
    m->top = t;
    bool begun = node->kind == ZC_NODE_REDUCE ? begin_reduce(m, t) : begin_map(m, t, part);
    return begun ? WAIT : FAILED;
}

/* ---- What the domain sees of a node, as a value ---- */

static void view_of(const task *t, const zc_seen *seen, zc_view *out)
{
    const zc_stage *stage = &t->builder.stage;
    size_t bytes = (size_t)stage->rank * sizeof(int64_t);
    out->rank = stage->rank;
    out->offset = seen->offset;
    memcpy(out->shape, stage->shape, bytes);
    memcpy(out->stride, seen->stride, bytes);
}

static outcome found(task *t, int32_t value)
{
    if (value < 0)
        return FAILED;
    t->value = value;
    t->frame_count--;
    return FOUND;
}

/* Loads what `through`, a view over the intermediate's part, shows. */
static outcome load_intermediate(machine *m, task *t, const zc_seen *seen, int32_t at, const zc_view *through)
{
    zc_view place, shown;
    zc_intermediate_place(&m->lowering.intermediates[at], &place);
    if (!zc_view_compose(&place, through, &shown)) {
        at = zc_lowering_expand(&m->lowering, at);
        if (at < 0)
            return FAILED;
        zc_intermediate_place(&m->lowering.intermediates[at], &place);
        if (!zc_view_compose(&place, through, &shown))
            return FAILED;
    }
    const zc_intermediate *from = &m->lowering.intermediates[at];
    zc_dtype dtype = m->lowering.plan->slots[from->slot].dtype;
    return found(t, zc_builder_load(&t->builder, seen, from->slot, dtype, shown.offset, shown.stride));
}

static outcome use_part(machine *m, task *t, const zc_seen *seen, const zc_view *part, const zc_view *through,
                        zc_stage_reason reason)
{
    int32_t at = zc_lowering_find(&m->lowering, seen->node, part);
    return at >= 0 ? load_intermediate(m, t, seen, at, through) : push_task(m, seen->node, part, reason);
}

/* The rows of the node's leading axis that a view reaches, as a part; and the view over that part. */
static void rows_reached(const zc_node *node, const zc_view *view, zc_view *part, zc_view *through)
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

static outcome use_rows(machine *m, task *t, const zc_seen *seen, zc_stage_reason reason)
{
    zc_view view, part, through;
    view_of(t, seen, &view);
    rows_reached(seen->node, &view, &part, &through);
    return use_part(m, t, seen, &part, &through, reason);
}

/* A reduction: all of it when half of it is seen or it is there already, else the part that is seen. */
static outcome use_reduction(machine *m, task *t, const zc_seen *seen)
{
    zc_view view, whole, part, through;
    view_of(t, seen, &view);
    zc_view_row_major(seen->node->rank, seen->node->shape, &whole);
    uint64_t repeated = zc_view_broadcast_axes(&view);
    zc_view_drop_axes(&view, repeated, &part);
    bool is_small = zc_view_size(&part) <= seen->node->size / 2;
    if (!is_small || zc_lowering_find(&m->lowering, seen->node, &whole) >= 0 ||
        !see_reduced(seen->node, &part, &through, NULL))
        return use_rows(m, t, seen, ZC_STAGE_REDUCTION);
    zc_view_row_major(part.rank, part.shape, &whole);
    zc_view_copy(&view, &through);
    through.offset = 0;
    for (int a = 0, from = 0; a < view.rank; a++) {
        bool is_repeated = (repeated >> a & 1) != 0;
        through.stride[a] = is_repeated ? 0 : whole.stride[from];
        from += is_repeated ? 0 : 1;
    }
    return use_part(m, t, seen, &part, &through, ZC_STAGE_REDUCTION);
}

/* Whether the domain sees the node exactly as it is: then its operands are seen through its own edges. */
static bool is_seen_whole(const task *t, const zc_seen *seen)
{
    const zc_stage *stage = &t->builder.stage;
    const zc_node *node = seen->node;
    if (seen->offset != 0 || !zc_shape_equal(stage->rank, stage->shape, node->rank, node->shape))
        return false;
    int64_t stride[ZC_MAX_RANK];
    zc_shape_row_major(node->rank, node->shape, stride);
    return memcmp(stride, seen->stride, (size_t)node->rank * sizeof *stride) == 0;
}

/* Pushes the view down to the operands. False in *affine: no strides express one of them. */
static bool see_operands(machine *m, task *t, frame *f, bool *affine)
{
    const zc_node *node = f->seen.node;
    bool whole = is_seen_whole(t, &f->seen);
    zc_view view;
    view_of(t, &f->seen, &view);
    *affine = true;
    for (int i = 0; i < node->edge_count; i++) {
        const zc_edge *edge = &node->edges[i];
        f->operands[i] = (zc_seen){edge->node, edge->offset, edge->stride};
        if (whole)
            continue;
        zc_view through, shown;
        zc_node_edge_view(node, i, &through);
        *affine = zc_view_compose(&through, &view, &shown);
        if (!*affine)
            return true;
        f->operands[i].offset = shown.offset;
        f->operands[i].stride =
            zc_arena_copy(&m->lowering.plan->arena, shown.stride, (size_t)shown.rank, sizeof(int64_t));
        if (f->operands[i].stride == NULL)
            return false;
    }
    return true;
}

/* Deeper operands first: fewer values are alive at once. */
static void order_operands(frame *f)
{
    int count = f->seen.node->edge_count;
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && f->operands[f->order[at - 1]].node->cost < f->operands[i].node->cost; at--)
            f->order[at] = f->order[at - 1];
        f->order[at] = (int8_t)i;
    }
}

static bool is_better_shared(const machine *m, const task *t, const zc_seen *seen)
{
    const zc_node *node = seen->node;
    if (node->cost < COSTLY_TO_REPEAT || !zc_builder_has_other_view(&t->builder, seen))
        return false;
    const zc_stage *stage = &t->builder.stage;
    bool is_small = node->size <= zc_stage_extent(stage, 0, stage->rank);
    return (is_small && zc_may_spend(m->lowering.plan, node->size, (zc_dtype)node->dtype)) ||
           stage->value_count > LARGEST_STAGE;
}

static outcome enter_map(machine *m, task *t, frame *f)
{
    if (!f->is_result && is_better_shared(m, t, &f->seen))
        return use_rows(m, t, &f->seen, ZC_STAGE_SHARED);
    bool affine;
    if (!see_operands(m, t, f, &affine))
        return FAILED;
    if (!affine)
        return f->is_result ? FAILED : use_rows(m, t, &f->seen, ZC_STAGE_NOT_AFFINE);
    order_operands(f);
    f->entered = true;
    return DESCEND;
}

static outcome load_data(machine *m, task *t, const zc_seen *seen, const zc_buffer *data)
{
    zc_dtype dtype = (zc_dtype)seen->node->dtype;
    int32_t slot = zc_plan_add_slot(m->lowering.plan, ZC_SLOT_INPUT, dtype, seen->node->size, data);
    if (slot < 0)
        return FAILED;
    return found(t, zc_builder_load(&t->builder, seen, slot, dtype, seen->offset, seen->stride));
}

static outcome enter(machine *m, task *t, frame *f)
{
    int32_t known = zc_builder_find(&t->builder, &f->seen);
    if (known >= 0)
        return found(t, known);
    const zc_buffer *data = zc_node_data(f->seen.node);
    if (data != NULL)
        return load_data(m, t, &f->seen, data);
    switch (f->seen.node->kind) {
    case ZC_NODE_CONSTANT:
        return found(t, zc_builder_constant(&t->builder, &f->seen));
    case ZC_NODE_IOTA:
        return found(t, zc_builder_index(&t->builder, &f->seen));
    case ZC_NODE_REDUCE:
        return use_reduction(m, t, &f->seen);
    default:
        return enter_map(m, t, f);
    }
}

/* One step of the topmost frame. */
static outcome step(machine *m, task *t)
{
    frame *f = &t->frames[t->frame_count - 1];
    if (!f->entered)
        return enter(m, t, f);
    if (f->waits) {
        f->args[f->order[f->done++]] = t->value;
        f->waits = false;
    }
    if (f->done == f->seen.node->edge_count)
        return found(t, zc_builder_op(&t->builder, &f->seen, f->args));
    f->waits = true;
    zc_seen operand = f->operands[f->order[f->done]];
    return push_frame(m, t, &operand) != NULL ? DESCEND : FAILED;
}

/* ---- The whole ---- */

static bool run(machine *m)
{
    while (m->top != NULL) {
        task *t = m->top;
        if (t->frame_count > 0) {
            if (step(m, t) == FAILED)
                return false;
        } else {
            zc_stage *stage = &t->builder.stage;
            stage->reason = t->reason;
            if (!(t->is_root ? zc_finish_result(&m->lowering, m->layout, stage)
                             : zc_finish_part(&m->lowering, t->node, &t->part, stage)))
                return false;
            m->top = t->below;
        }
    }
    return true;
}

static bool begin_root(machine *m)
{
    zc_plan *plan = m->lowering.plan;
    task *t = zc_arena_take(&plan->arena, 1, sizeof *t);
    if (t == NULL)
        return false;
    memset(t, 0, offsetof(task, part));
    t->is_root = true;
    t->node = plan->root;
    m->top = t;
    return begin_map(m, t, &plan->root_view);
}

zc_status zc_plan_lower(zc_plan *plan, zc_layout layout, const char *function)
{
    machine m = {.lowering = {.plan = plan, .table.arena = &plan->arena}, .layout = layout};
    bool lowered = zc_plan_add_slot(plan, ZC_SLOT_OUTPUT, (zc_dtype)plan->root->dtype, 0, NULL) == ZC_OUTPUT_SLOT &&
                   begin_root(&m) && run(&m);
    if (!lowered)
        return plan->arena.failed ? zc_fail_memory(plan->ctx, function)
                                  : zc_fail(plan->ctx, ZC_ERROR_INTERNAL, function, "the graph could not be lowered");
    zc_drop_last_copy(plan);
    return ZC_OK;
}
