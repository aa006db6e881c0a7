#include "materialize/lower/gather.h"

#include "materialize/lower/elements.h"
#include "materialize/lower/steps.h"

/* Tells whether the domain has room for the axes that positions gather for `steps` steps like this one, beside those
 * that it is seen through, and strides for all operands. On its own a gather may have any number of axes; the loads
 * below it join them. */
static bool can_gather(zc_step *step, int steps)
{
    const int count = step->value.node->edge_count - 1;
    zc_view view;
    zc_step_view(step, &view);
    int through = zc_draft_count_gathered(step->draft, &view);
    bool fits = (through == 0 || through + count <= ZC_MAX_ARITY) && zc_draft_has_room(step->draft, count * steps);
    for (int i = 0; i <= count && fits; i++)
        fits = zc_see_operand(step, i, &view);
    return fits;
}

/* Gathers the axes of the positions, as axes of views. */
static bool gather_axes(zc_lowering *l, zc_step *step, int *axes)
{
    const zc_node *node = step->value.node;
    for (int i = 0; i < node->edge_count - 1; i++) {
        zc_view view;
        (void)zc_see_operand(step, i + 1, &view);
        zc_step *positions = zc_use_operand(l, step->draft, i + 1, &view);
        if (positions == NULL)
            return false;
        positions = zc_step_resolve(positions);
        axes[i] = zc_draft_gather(l->plan, node, (zc_take_kind)node->op, positions, &node->taken[i]);
        if (axes[i] < 0)
            return false;
        step->checks[i] = zc_draft_check(step->draft, axes[i]);
    }
    return true;
}

/* The operand as the domain sees element 0 of its axes, moved along those that the positions gather. */
static bool inline_step(zc_lowering *l, zc_step *step)
{
    const zc_node *node = step->value.node;
    const int count = node->edge_count - 1;
    zc_draft *draft = step->draft;
    int axes[ZC_MAX_RANK];
    zc_view view;
    step->checks = zc_arena_take(l->plan->scratch, (size_t)count, sizeof *step->checks);
    if (step->checks == NULL || !gather_axes(l, step, axes))
        return false;
    (void)zc_see_operand(step, 0, &view);
    for (int i = 0; i < count; i++) {
        zc_draft_add_axes(draft, axes[i], &view);
        (void)zc_checked_add(view.stride[axes[i]], node->taken[i].stride, &view.stride[axes[i]]);
    }
    step->same = zc_use_operand(l, draft, 0, &view);
    step->check_count = (uint8_t)count;
    draft->guard_count += count;
    return step->same != NULL;
}

bool zc_inline_take(zc_lowering *l, zc_needed *needed, bool *inlined)
{
    *inlined = false;
    for (zc_step *step = needed->steps; step != NULL; step = step->next) {
        if (!can_gather(step, zc_count_steps(needed, step->draft)))
            return true;
    }
    for (zc_step *step = needed->steps; step != NULL; step = step->next) {
        if (!inline_step(l, step))
            return false;
    }
    needed->steps = NULL;
    needed->step_count = 0;
    *inlined = true;
    return true;
}

bool zc_store_take(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    return zc_store_elements(l, needed, reason, zc_inline_take);
}
