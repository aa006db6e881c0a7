#include "materialize/lower/elements.h"

#include "materialize/lower/decide.h"
#include "materialize/lower/packed.h"
#include "materialize/lower/region.h"
#include "materialize/lower/steps.h"

/* The stage that makes a region. */
static bool make_region(zc_lowering *l, zc_needed *needed, const zc_region *region, zc_stage_reason reason,
                        zc_inline_function *inline_node)
{
    const zc_node *node = needed->node;
    bool inlined = false;
    zc_draft *draft = zc_begin_stored(l, &region->view, region->view.rank, region->slot, reason);
    if (draft == NULL)
        return false;
    draft->stage->result_dtype = (zc_dtype)node->dtype;
    draft->result = zc_draft_see(l->plan, draft, node, &region->view);
    needed->steps = draft->result;
    if (draft->result == NULL)
        return false;
    return inline_node(l, needed, &inlined) && inlined;
}

/* `count` regions are found, or -1. */
static bool store(zc_lowering *l, zc_needed *needed, zc_stage_reason reason, int count, zc_inline_function *inline_node)
{
    if (count < 0)
        count = zc_find_regions(l, needed, true, -1);
    if (l->regions[0].is_part && !zc_can_see_operands(needed->node, &l->regions[0].view))
        count = zc_find_regions(l, needed, false, -1);
    for (int i = 0; i < count; i++) {
        if (!zc_add_temporary(l, &l->regions[i], needed->node))
            return false;
    }
    if (!zc_load_regions(l, needed, -1))
        return false;
    for (int i = 0; i < count; i++) {
        if (!make_region(l, needed, &l->regions[i], reason, inline_node))
            return false;
    }
    return true;
}

/* Whether the node is used where it is handed out as a result: unless its elements repeat, which a result does. What is
 * bought is always used there. */
static bool is_used_result(const zc_needed *needed)
{
    return needed->bought >= 0 || (needed->result >= 0 && needed->step_count > 1 && needed->node->invariant == 0);
}

/* Why a node is stored: a contraction reads it, or it is seen more often than it is computed. */
static zc_stage_reason reason_of(const zc_needed *needed)
{
    if (zc_is_factor(needed))
        return ZC_STAGE_OPERAND;
    return needed->step_count > 1 ? ZC_STAGE_SHARED : ZC_STAGE_HOISTED;
}

/* Whether the node is what no strides express, and contractions alone read it: they pack their factors from any
 * strides, so they may read what it copies where that stands. A copy that is no larger (a reshape of permuted axes) is
 * packed faster when it is stored, and takes no more memory than eager runtimes do; one that is (of windows) is not. */
static bool is_copy_for_factors(const zc_lowering *l, const zc_needed *needed)
{
    const zc_node *node = needed->node;
    const zc_step *step = needed->steps;
    if (node->kind != ZC_NODE_MAP || node->op != ZC_OP_COPY ||
        (node->size <= node->edges[0].node->size && l->policy != ZC_POLICY_LEAN))
        return false;
    while (step != NULL && zc_is_factor_step(step))
        step = step->next;
    return step == NULL;
}

/* A copy that was asked for is made where it is stored; for another node that would take less work. */
bool zc_lower_elements(zc_lowering *l, zc_needed *needed, zc_inline_function *inline_node)
{
    bool inlined;
    if (needed->node->is_stored && !zc_is_stored_by_all(l, needed))
        return store(l, needed, ZC_STAGE_COPY, -1, inline_node);
    if (is_used_result(needed))
        return store(l, needed, needed->bought >= 0 ? ZC_STAGE_KEPT : ZC_STAGE_RESULT, -1, inline_node);
    const bool is_contracted = zc_is_contracted(needed);
    const bool is_packed = is_contracted && (is_copy_for_factors(l, needed) || zc_is_computed_when_packed(l, needed));
    if (is_contracted ? !is_packed : zc_is_better_stored(l, needed))
        return store(l, needed, reason_of(needed), is_contracted ? -1 : l->region_count, inline_node);
    if (!inline_node(l, needed, &inlined))
        return false;
    return inlined || store(l, needed, is_contracted ? reason_of(needed) : ZC_STAGE_NOT_AFFINE, -1, inline_node);
}
