#include "materialize/planner/passes.h"

#include "materialize/lower/lower.h"
#include "materialize/plan/memory.h"
#include "materialize/plan/order.h"
#include "materialize/plan/verify.h"
#include "materialize/planner/again.h"
#include "materialize/planner/groups.h"
#include "materialize/planner/overwriting.h"
#include "materialize/run/executors.h"

/* Numbers the slots as the stages stand, and adds up their memory. */
static zc_status number_slots(zc_plan *plan, zc_reason *why)
{
    return zc_plan_number_slots(plan) ? zc_plan_account(plan, why) : zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
}

/* Orders the stages, and adds up their memory: depth first, where that needs no more than the order of recording. Of
 * two orders the one that is mostly taken is looked at last. */
static zc_status order_stages(zc_plan *plan, zc_reason *why)
{
    zc_stage **recorded = plan->stages;
    int32_t count = plan->stage_count;
    if (zc_plan_order(plan) != ZC_OK)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    zc_stage **depth_first = plan->stages;
    if (depth_first == recorded || plan->stage_count < 3 || plan->stage_count != count)
        return number_slots(plan, why);
    if (!zc_plan_number_slots(plan))
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    plan->stages = recorded;
    zc_status status = zc_plan_account(plan, why);
    const int64_t alive = plan->alive_bytes;
    plan->stages = depth_first;
    if (status == ZC_OK)
        status = zc_plan_account(plan, why);
    if (status != ZC_OK || plan->alive_bytes <= alive)
        return status;
    plan->stages = recorded;
    return number_slots(plan, why);
}

/* Lets the plan be as it was before groups were formed, if any were. */
static zc_status end_groups(zc_plan *plan, zc_ungrouped *before, zc_reason *why)
{
    if (before->stages == NULL)
        return ZC_OK;
    zc_plan_end_groups(plan, before);
    before->stages = NULL;
    return zc_plan_account(plan, why);
}

/* Forms groups where they let less than `most` be in memory at once. */
static zc_status form_groups(zc_plan *plan, zc_effort effort, int64_t most, zc_ungrouped *before, zc_reason *why)
{
    zc_status status = zc_plan_find_groups(plan, effort, before, why);
    if (status == ZC_OK && before->stages != NULL)
        status = zc_plan_account(plan, why);
    if (status != ZC_OK || plan->needed_bytes < most || plan->ctx->block_length > 0)
        return status;
    return end_groups(plan, before, why);
}

/* Tells a plan whose headers leave room for other attempts: what one has taken is not given back. */
static bool has_room(const zc_plan *plan)
{
    enum { ATTEMPTS = 6 };
    return plan->arena.bytes < plan->arena.limit / ATTEMPTS;
}

/* Forms the groups of a lean plan: of all attempts, those that need the least, and of these the least
 * work. */
static zc_status find_lean_groups(zc_plan *plan, zc_ungrouped *before, zc_reason *why)
{
    static const zc_effort efforts[] = {
        {ZC_NOTHING_AGAIN, false}, {0, false}, {ZC_ANY_WORK, false}, {ZC_ANY_WORK, true}};
    enum { EFFORTS = sizeof efforts / sizeof *efforts };
    const int64_t alive = plan->alive_bytes;
    zc_status status = form_groups(plan, efforts[0], alive, before, why);
    int64_t least = plan->needed_bytes;
    int best = 0, last = 0;
    while (status == ZC_OK && before->again.depends && last + 1 < EFFORTS && has_room(plan)) {
        status = end_groups(plan, before, why);
        if (status == ZC_OK)
            status = form_groups(plan, efforts[++last], alive, before, why);
        best = plan->needed_bytes < least ? last : best;
        least = zc_smaller(plan->needed_bytes, least);
    }
    if (status != ZC_OK || best == last)
        return status;
    status = end_groups(plan, before, why);
    return status == ZC_OK ? form_groups(plan, efforts[best], alive, before, why) : status;
}

/* Forms groups for which more is made again, if these save about half of what the plan holds. */
static zc_status make_more_again(zc_plan *plan, zc_ungrouped *before, zc_reason *why)
{
    static const zc_effort efforts[] = {{0, true}, {ZC_WORK_OF_BYTE, false}, {ZC_WORK_OF_BYTE, true}};
    const int64_t held = plan->needed_bytes;
    const int count = held - plan->output_bytes < ZC_LEAST_HELD ? 1 : (int)(sizeof efforts / sizeof *efforts);
    zc_status status = end_groups(plan, before, why);
    const int from = plan->ctx->block_length > 0; /* no block of a given length is too large */
    for (int i = from; i < count && status == ZC_OK && before->stages == NULL && has_room(plan); i++)
        status = form_groups(plan, efforts[i], held / 2 + held / 16, before, why);
    return status;
}

/* Forms groups where that saves memory; where much is held all the same, those for which more is made again, or else
 * those for which nothing is. */
static zc_status find_groups(zc_plan *plan, zc_reason *why)
{
    static const zc_effort none = {ZC_NOTHING_AGAIN, false}, some = {0, false};
    zc_ungrouped before;
    const int64_t alive = plan->alive_bytes;
    if (plan->ctx->options.executor == ZC_EXECUTOR_REFERENCE || plan->ctx->block_length == 0)
        return ZC_OK;
    if (plan->is_lean)
        return find_lean_groups(plan, &before, why);
    zc_status status = form_groups(plan, some, alive, &before, why);
    const bool is_formed = before.stages != NULL;
    if (status != ZC_OK || !before.again.depends || plan->needed_bytes - plan->output_bytes < ZC_LEAST_BLOCK ||
        !has_room(plan))
        return status;
    status = make_more_again(plan, &before, why);
    return status == ZC_OK && before.stages == NULL ? form_groups(plan, is_formed ? some : none, alive, &before, why)
                                                    : status;
}

/* Finds the bytes of states where members absorb. */
static zc_status find_states(zc_plan *plan, zc_reason *why)
{
    int32_t s = 0;
    while (s < plan->stage_count && !zc_stage_absorbs(plan->stages[s]))
        s++;
    if (s == plan->stage_count || (zc_plan_make_parts(plan) && zc_plan_ask_states(plan)))
        return ZC_OK;
    return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
}

/* The passes over the stages that lowering makes. */
static zc_status (*const passes[])(zc_plan *plan, zc_reason *why) = {
    order_stages,
    find_groups,
    zc_plan_group_overwriting,
    find_states,
};
enum { PASSES = sizeof passes / sizeof *passes };

/* Ends a pass or several: tells the caller of a failure, and how much header memory there was at once. */
static zc_status end(zc_plan *plan, zc_status status, const char *function, const zc_reason *why)
{
    plan->plan_bytes = zc_larger(plan->plan_bytes, plan->arena.most_bytes);
    if (status != ZC_OK && plan->arena.is_over)
        return zc_plan_refuse_size(plan, function);
    return status == ZC_OK ? ZC_OK : zc_fail_because(plan->ctx, status, function, why);
}

zc_status zc_plan_pass(zc_plan *plan, zc_policy policy, zc_layout layout, const char *function)
{
    zc_reason why;
    plan->is_lean = policy == ZC_POLICY_LEAN;
    zc_status status = zc_plan_lower(plan, policy, layout, function);
    if (status != ZC_OK || plan->is_bound)
        return status;
    for (int i = 0; i < PASSES && status == ZC_OK; i++)
        status = passes[i](plan, &why);
    return end(plan, status, function, &why);
}

zc_status zc_plan_prove(zc_plan *plan, const char *function)
{
    zc_reason why;
    return end(plan, zc_plan_verify(plan, &why), function, &why);
}
