#include "materialize/lower/reduce.h"

#include "materialize/lower/equal.h"
#include "materialize/lower/region.h"
#include "materialize/lower/steps.h"
#include "materialize/stages/contract.h"
#include "materialize/stages/reduce.h"
#include "materialize/stages/select.h"
#include "views/compose.h"

/* The axes of a domain that a reduction walks: not those that it reduces by rule, nor, unless it contracts, those of
 * one element. That is a matter of the recorded expression, and so are the bits of the result. */
static uint64_t axes_to_walk(const zc_node *node)
{
    uint64_t axes = 0;
    for (int a = 0; a < node->domain_rank; a++)
        axes |= (uint64_t)(zc_node_domain_shape(node)[a] != 1 || node->kind == ZC_NODE_CONTRACT) << a;
    return axes & node->reduced & ~node->by_rule;
}

/* Finds how a view of a reduction's result sees the reduction's domain: the view's axes, then the reduced ones that are
 * walked, then the view's last `picked` axes. False when no strides express it. `weight` gets the distance that a step
 * along each reduced axis adds to an index (argmin, argmax). */
static bool see_domain(const zc_node *node, const zc_view *view, int picked, zc_view *out, int64_t *weight)
{
    zc_view domain, spread, tail;
    int64_t reduced_shape[ZC_MAX_RANK], weights[ZC_MAX_RANK];
    uint64_t walked = axes_to_walk(node);
    spread.rank = node->rank;
    spread.offset = 0;
    zc_view_row_major(node->domain_rank, zc_node_domain_shape(node), &domain);
    int kept = 0, reduced = 0;
    for (int a = 0; a < node->domain_rank; a++) {
        if ((node->reduced >> a & 1) != 0) {
            reduced_shape[reduced++] = domain.shape[a];
            continue;
        }
        spread.shape[kept] = domain.shape[a];
        spread.stride[kept++] = domain.stride[a];
    }
    if (view->rank + __builtin_popcountll(walked) > ZC_MAX_RANK || !zc_view_compose(&spread, view, out))
        return false;
    zc_view_copy(out, &tail);
    out->rank -= picked;
    zc_shape_row_major(reduced, reduced_shape, weights);
    for (int a = 0, at = 0, to = 0; a < node->domain_rank; a++) {
        if ((walked >> a & 1) != 0) {
            out->shape[out->rank] = domain.shape[a];
            out->stride[out->rank++] = domain.stride[a];
            weight[to++] = weights[at];
        }
        at += (node->reduced >> a & 1) != 0;
    }
    if (walked == 0 && node->kind == ZC_NODE_CONTRACT) { /* the product that is left is a chain's first */
        out->shape[out->rank] = 1;
        out->stride[out->rank++] = 0;
        weight[0] = 0;
    }
    for (int a = tail.rank - picked; a < tail.rank; a++) {
        out->shape[out->rank] = tail.shape[a];
        out->stride[out->rank++] = tail.stride[a];
    }
    return true;
}

/* Views of the operands through a view of the result, over the domain that the stage loops over. */
typedef struct sight {
    zc_view domain, operand[2];
    int64_t weight[ZC_MAX_RANK];
} sight;

static bool see_operands(const zc_node *node, const zc_view *view, int picked, sight *out)
{
    if (!see_domain(node, view, picked, &out->domain, out->weight))
        return false;
    for (int i = 0; i < node->edge_count; i++) {
        zc_view edge;
        zc_node_edge_view(node, i, &edge);
        if (!zc_view_compose(&edge, &out->domain, &out->operand[i]))
            return false;
    }
    out->domain.rank -= picked;
    return true;
}

static int64_t count_by_rule(const zc_node *node)
{
    int64_t count = 1;
    for (int a = 0; a < node->domain_rank; a++)
        count *=
            (node->by_rule >> a & 1) != 0 ? zc_node_domain_shape(node)[a] : 1; /* proven: extents of a shape, none 0 */
    return count;
}

/* Makes the step that is reduced: the operand, or the products of both. */
static zc_step *use_operands(zc_lowering *l, zc_draft *draft, const zc_node *node, const zc_picked *picked, sight *seen)
{
    zc_step *step[2] = {NULL, NULL};
    for (int i = 0; i < node->edge_count; i++) {
        step[i] = picked != NULL ? zc_use_picked(l, draft, picked, i, &seen->operand[i])
                                 : zc_use_operand(l, draft, i, &seen->operand[i]);
        if (step[i] == NULL)
            return NULL;
    }
    return draft->stage->kind == &zc_stage_kind_contract
               ? zc_draft_derive(l->plan, node, ZC_OP_MULTIPLY, step[0], step[1])
               : step[0];
}

/* Lets the places of a line be made together, from elements that are made once for all of them: while they are selected
 * where each thread has lines, else by stages of their own, which threads share. */
static void begin_selection(const zc_lowering *l, zc_draft *draft)
{
    const zc_stage *stage = draft->stage;
    const int64_t places = stage->shape[stage->kept - 1], lines = zc_stage_extent(stage, 0, stage->kept - 1);
    draft->may_split = false;
    if (lines >= l->plan->ctx->options.threads || l->policy == ZC_POLICY_LEAN)
        draft->size /= places;
}

/* Makes the elements that a view of the node shows, at positions if there are any. */
static bool make_shown(zc_lowering *l, const zc_node *node, const zc_view *view, const zc_picked *picked, int32_t slot,
                       zc_stage_reason reason, const zc_stage_kind *kind)
{
    sight seen;
    const bool contracts = kind == &zc_stage_kind_contract;
    const int positions = picked != NULL ? picked->positions.count : 0, kept = view->rank - positions;
    if (!see_operands(node, view, positions, &seen)) /* LCOV_EXCL_BR_LINE: seen already, or a box */
        return false;                                /* LCOV_EXCL_LINE: likewise */
    zc_draft *draft = zc_begin_stored(l, &seen.domain, kept, slot, reason);
    if (draft == NULL)
        return false;
    zc_stage *stage = draft->stage;
    stage->kind = kind;
    if (kind == &zc_stage_kind_select)
        begin_selection(l, draft);
    stage->store.dtype = (zc_dtype)node->dtype;
    stage->reduce.reduction = contracts ? ZC_REDUCTION_SUM : (zc_reduction)node->op;
    stage->reduce.invariant_axes = node->by_rule;
    stage->reduce.invariant_count = count_by_rule(node);
    stage->reduce.index_weight =
        zc_arena_copy(&l->plan->arena, seen.weight, (size_t)(seen.domain.rank - kept), sizeof *seen.weight);
    draft->result = use_operands(l, draft, node, picked, &seen);
    return stage->reduce.index_weight != NULL && draft->result != NULL;
}

static bool can_see(const zc_node *node, const zc_view *view)
{
    sight seen;
    return see_operands(node, view, 0, &seen);
}

static bool store(zc_lowering *l, zc_needed *needed, zc_stage_reason reason, const zc_stage_kind *kind)
{
    const zc_node *node = needed->node;
    int count = zc_find_regions(l, needed, true, -1);
    if (!zc_see_parts(l, node, count, can_see))
        count = zc_find_regions(l, needed, false, -1);
    for (int i = 0; i < count; i++) {
        const zc_region *region = &l->regions[i];
        if (!zc_add_temporary(l, &l->regions[i], node) ||
            !make_shown(l, node, &region->view, NULL, region->slot, reason, kind))
            return false;
    }
    return zc_load_regions(l, needed, -1);
}

/* Tells a position that moves no operand, so that no copy of one checks it. */
static bool moves_nothing(const sight *seen, int operands, int position)
{
    int i = 0;
    while (i < operands && seen->operand[i].stride[seen->domain.rank + position] == 0) /* LCOV_EXCL_BR_LINE: likewise */
        i++;
    return i == operands;
}

/* Tells copies of what is picked of a contraction's operands that are no more than the results that are not made, or
 * few, and that check all positions. */
static bool copies_little(const zc_node *node, const zc_picked *picked, const sight *seen)
{
    enum { PART = 8 };
    int64_t copied = 0;
    for (int p = 0; p < picked->positions.count; p++) {
        if (moves_nothing(seen, node->edge_count, p)) /* LCOV_EXCL_BR_LINE: nor does then the node */
            return false;                             /* LCOV_EXCL_LINE: likewise */
    }
    for (int i = 0; i < node->edge_count; i++)
        copied = zc_saturating_add(copied, zc_picked_copied(picked, &seen->operand[i], seen->domain.rank));
    return copied <= zc_larger(node->size - picked->size, node->size / PART);
}

bool zc_is_worth_picking(zc_lowering *l, const zc_picked *picked)
{
    const zc_node *node = l->at->node;
    sight seen;
    if (picked->size > node->size || !see_operands(node, &picked->view, picked->positions.count, &seen) ||
        zc_view_size(&seen.domain) == 0)
        return false;
    if (node->kind == ZC_NODE_CONTRACT)
        return copies_little(node, picked, &seen);
    return picked->is_few || zc_reads_copies(l, picked, &seen.domain, &seen.operand[0]);
}

/* Stores what a step picks. */
static bool store_step(zc_lowering *l, zc_step *step, const zc_picked *picked, zc_stage_reason reason,
                       const zc_stage_kind *kind)
{
    const zc_node *node = step->value.node;
    const zc_dtype dtype = (zc_dtype)node->dtype;
    const int32_t slot = zc_plan_add_slot(l->plan, ZC_SLOT_TEMPORARY, dtype, picked->size);
    zc_view through;
    if (slot < 0 || !make_shown(l, node, &picked->view, picked, slot, reason, kind))
        return false;
    zc_picked_through(picked, step, &through);
    return zc_step_load(l->plan, step, slot, dtype, &through);
}

/* Stores the results that steps pick, for each its own; steps for which that is not worth it are left. */
static bool store_picked(zc_lowering *l, zc_needed *needed, zc_stage_reason reason, const zc_stage_kind *kind)
{
    const bool picks_all = zc_is_picked(l, needed);
    zc_step *left = NULL;
    needed->demanded = 0;
    needed->step_count = 0;
    for (zc_step *step = needed->steps, *next; step != NULL; step = next) {
        zc_picked picked;
        next = step->next;
        if (zc_find_picked(l, step, &picked) && (picks_all || picked.is_few)) {
            needed->demanded = zc_saturating_add(needed->demanded, picked.size);
            if (!store_step(l, step, &picked, reason, kind))
                return false;
            continue;
        }
        step->next = left;
        left = step;
        needed->step_count++;
    }
    needed->steps = left;
    return true;
}

/* Stores what is demanded. */
static bool reduce(zc_lowering *l, zc_needed *needed, zc_stage_reason reason, const zc_stage_kind *kind)
{
    return (reason == ZC_STAGE_PICKED ? store_picked : store)(l, needed, reason, kind);
}

bool zc_store_reduce(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    return reduce(l, needed, reason, &zc_stage_kind_reduce);
}

bool zc_store_contract(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    return reduce(l, needed, reason, &zc_stage_kind_contract);
}

/* Makes the values that a view of a selection shows, at the numbers that are selected, too. */
static bool look_up(zc_lowering *l, const zc_node *node, const zc_view *view, int32_t slot, zc_stage_reason reason)
{
    sight seen;
    zc_draft *draft = zc_begin_stored(l, view, view->rank, slot, reason);
    if (draft == NULL || !see_operands(node, view, 0, &seen)) /* LCOV_EXCL_BR_LINE: it is a box */
        return false;
    zc_view *operand = &seen.operand[0];
    const int line = view->rank;
    const zc_taken_axis taken = {.extent = operand->shape[line], .axis = line - 1};
    const int64_t step = operand->stride[line];
    draft->stage->store.dtype = (zc_dtype)node->dtype;
    zc_step *numbers = zc_use(l, draft, zc_find_numbers(l, l->at), view, 0);
    const int axis = numbers != NULL ? zc_draft_gather(l->plan, node, ZC_GATHER, zc_step_resolve(numbers), &taken) : -1;
    if (axis < 0)
        return false;
    operand->rank = line;
    zc_draft_add_axes(draft, axis, operand);
    operand->stride[axis] += step; /* proven: inside the operand */
    draft->result = zc_use_operand(l, draft, 0, operand);
    return draft->result != NULL;
}

static bool store_looked_up(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    const int count = zc_find_regions(l, needed, false, -1);
    for (int i = 0; i < count; i++) {
        if (!zc_add_temporary(l, &l->regions[i], needed->node) ||
            !look_up(l, needed->node, &l->regions[i].view, l->regions[i].slot, reason))
            return false;
    }
    return zc_load_regions(l, needed, -1);
}

/* Selects from the first place on, along the last axis, which every region has. */
bool zc_store_select(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    if (reason == ZC_STAGE_LOOKED_UP)
        return store_looked_up(l, needed, reason);
    const zc_node *node = needed->node;
    const int axis = node->rank - 1, count = zc_find_regions(l, needed, false, axis);
    for (int i = 0; i < count; i++) {
        zc_view view;
        zc_box_view(&l->regions[i].box, node->shape, UINT64_C(1) << axis, &view);
        if (!zc_add_temporary(l, &l->regions[i], node) ||
            !make_shown(l, node, &view, NULL, l->regions[i].slot, reason, &zc_stage_kind_select))
            return false;
    }
    return zc_load_regions(l, needed, axis);
}
