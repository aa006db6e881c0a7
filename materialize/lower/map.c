#include "materialize/lower/map.h"

#include "materialize/lower/elements.h"
#include "materialize/lower/steps.h"

/* ---- Copies that repeat ---- */

/* The axes of a copy, merged where its operand's strides continue each other: an index is a number with a digit for
 * each, and digit * stride is where the operand's element stands. */
typedef struct digits {
    int count, moving; /* moving: those with a stride */
    int64_t extent[ZC_MAX_RANK];
    int64_t stride[ZC_MAX_RANK];
} digits;

static void merge_axes(const zc_view *edge, digits *d)
{
    d->count = d->moving = 0;
    for (int a = 0; a < edge->rank; a++) {
        int64_t extent = edge->shape[a], stride = edge->stride[a], continued;
        if (extent == 1)
            continue;
        (void)zc_checked_multiply(extent, stride, &continued); /* inside the operand's memory, or one step beyond */
        if (d->count > 0 && continued == d->stride[d->count - 1]) {
            d->moving -= d->stride[--d->count] != 0;
            (void)zc_checked_multiply(extent, d->extent[d->count], &extent); /* at most the copy's size */
        }
        d->extent[d->count] = extent;
        d->stride[d->count++] = stride;
        d->moving += stride != 0;
    }
}

/* Tells whether the step's node is a copy that repeats its operand, so that computed positions can stand for it. */
static bool repeats_operand(const zc_step *step, digits *d, zc_view *edge)
{
    const zc_node *node = step->value.node;
    if (node->op != ZC_OP_COPY)
        return false;
    zc_node_edge_view(node, 0, edge);
    merge_axes(edge, d);
    return zc_view_broadcast_axes(edge) != 0 && d->moving <= ZC_MAX_ARITY && zc_draft_has_room(step->draft, d->moving);
}

/* position / weight % extent; the remainder only where there are digits above. */
static zc_step *compute_digit(zc_plan *plan, const zc_node *node, zc_step *position, int64_t weight, int64_t extent,
                              bool is_first)
{
    zc_draft *draft = position->draft;
    if (weight != 1) {
        zc_step *by = zc_draft_number(plan, draft, node, weight);
        position = by != NULL ? zc_draft_derive(plan, node, ZC_OP_FLOOR_DIVIDE, position, by) : NULL;
    }
    if (position == NULL || is_first)
        return position;
    zc_step *by = zc_draft_number(plan, draft, node, extent);
    return by != NULL ? zc_draft_derive(plan, node, ZC_OP_REMAINDER, position, by) : NULL;
}

/* Sees the operand of a copy through digits that are computed, each a gathered axis. */
static bool see_by_positions(zc_lowering *l, zc_step *step, const digits *d, const zc_view *edge)
{
    zc_draft *draft = step->draft;
    const zc_node *node = step->value.node;
    zc_view shown = {.rank = draft->stage->rank, .offset = edge->offset};
    for (int a = 0; a < shown.rank; a++) {
        shown.shape[a] = draft->stage->shape[a];
        shown.stride[a] = 0;
    }
    zc_step *position = zc_draft_position(l->plan, step);
    int64_t weight = 1;
    for (int i = d->count - 1; i >= 0 && position != NULL; weight *= d->extent[i--]) { /* proven: the copy's size */
        if (d->stride[i] == 0)
            continue;
        zc_step *digit = compute_digit(l->plan, node, position, weight, d->extent[i], i == 0);
        int axis = digit != NULL
                       ? zc_draft_gather(l->plan, node, ZC_TAKE, digit, &(zc_taken_axis){.extent = d->extent[i]})
                       : -1;
        if (axis < 0)
            return false;
        zc_draft_add_axes(draft, axis, &shown);
        shown.stride[axis] = d->stride[i];
    }
    step->arg[0] = position != NULL ? zc_use_operand(l, draft, 0, &shown) : NULL;
    return step->arg[0] != NULL;
}

/* ---- Inlining ---- */

typedef enum sight { BLIND, BY_STRIDES, BY_POSITIONS } sight;

/* Finds how the operands of a step's node can be seen. The views of them are kept until another step is looked at. */
static sight find_sight(zc_lowering *l, zc_step *step)
{
    zc_view edge;
    digits d;
    int i = 0;
    while (i < step->value.node->edge_count && zc_see_operand(step, i, &l->shown[i]))
        i++;
    bool are_seen = i == step->value.node->edge_count;
    l->shown_to = are_seen ? step : NULL;
    l->shown_splits = step->splits;
    if (are_seen || zc_split_for(l, step))
        return BY_STRIDES;
    return !step->draft->stage->kind->packs_operands && repeats_operand(step, &d, &edge) ? BY_POSITIONS : BLIND;
}

static bool see_operands(zc_lowering *l, zc_step *step)
{
    const zc_node *node = step->value.node;
    bool are_seen = l->shown_to == step && l->shown_splits == step->splits;
    for (int i = 0; i < node->edge_count; i++) {
        if (!are_seen)
            (void)zc_see_operand(step, i, &l->shown[i]);
        step->arg[i] = zc_use_operand(l, step->draft, i, &l->shown[i]);
        if (step->arg[i] == NULL)
            return false;
    }
    l->shown_to = NULL;
    return true;
}

static bool see_repeated_operand(zc_lowering *l, zc_step *step)
{
    digits d = {.count = 0};
    zc_view edge;
    (void)repeats_operand(step, &d, &edge); /* as find_sight() has found */
    return see_by_positions(l, step, &d, &edge);
}

static bool inline_step(zc_lowering *l, zc_step *step, sight how)
{
    const zc_node *node = step->value.node;
    step->value.kind = ZC_VALUE_OP;
    step->value.op = node->op;
    step->value.arity = (uint8_t)node->edge_count;
    if (!zc_step_catch_up(l->plan, step))
        return false;
    if (!(how == BY_STRIDES ? see_operands(l, step) : see_repeated_operand(l, step)))
        return false;
    if (step->draft->stage->kind->packs_operands &&
        node->op == ZC_OP_COPY) /* a factor (rules.c), which is packed from there */
        step->same = step->arg[0];
    return true;
}

/* Tells whether the draft of each step that computes positions has room for those of all of them. */
static bool have_room(const zc_needed *needed, const sight *how)
{
    digits d;
    zc_view edge;
    int i = 0;
    for (zc_step *step = needed->steps; step != NULL; step = step->next) {
        if (how[i++] != BY_POSITIONS || !repeats_operand(step, &d, &edge)) /* as find_sight() has found */
            continue;
        if (!zc_draft_has_room(step->draft, d.moving * zc_count_steps(needed, step->draft)))
            return false;
    }
    return true;
}

/* Finds how the operands can be seen by every step; false when one is blind. */
static bool find_sights(zc_lowering *l, zc_needed *needed, sight *how)
{
    int i = 0;
    for (zc_step *step = needed->steps; step != NULL; step = step->next) {
        how[i] = zc_step_catch_up(l->plan, step) ? find_sight(l, step) : BLIND; /* LCOV_EXCL_BR_LINE: memory is out */
        if (how[i++] == BLIND)
            return false;
    }
    return have_room(needed, how);
}

bool zc_inline_map(zc_lowering *l, zc_needed *needed, bool *inlined)
{
    sight few[ZC_MOST_LEAN_STEPS] = {BLIND}, *how = few;
    int count = 0;
    *inlined = false;
    if (needed->step_count > ZC_MOST_LEAN_STEPS)
        how = zc_arena_take(l->plan->scratch, (size_t)needed->step_count, sizeof *how);
    if (how == NULL)
        return false;
    if (!find_sights(l, needed, how)) /* axes may have been split for a step after others of the same draft */
        return zc_catch_up(l, needed);
    for (zc_step *step = needed->steps; step != NULL; step = step->next) {
        if (!inline_step(l, step, how[count++]))
            return false;
    }
    needed->steps = NULL;
    needed->step_count = 0;
    *inlined = true;
    return true;
}

bool zc_store_map(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    return zc_store_elements(l, needed, reason, zc_inline_map);
}
