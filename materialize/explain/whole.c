#include "materialize/explain/whole.h"

/* Looks for groups as the planner does, but of one outer axis, the first. */
static bool find_rows(const zc_plan *plan, const zc_stage *stage, zc_group *group)
{
    const int outer[ZC_MOST_OUTER] = {0};
    if (zc_stage_free_axes(stage) == 0 || !zc_stage_is_divisible(stage))
        return false;
    *group = (zc_group){.count = 1, .rank = 1, .extent = {stage->shape[0]}};
    return zc_group_stores_by_rows(plan, group, outer, stage);
}

/* Tells a stage whose every load of a slot is of rows along one axis. */
static bool reads_rows_along(const zc_plan *plan, const zc_stage *stage, int32_t slot, const zc_group *group, int axis)
{
    const int outer[ZC_MOST_OUTER] = {axis};
    bool is_by_rows = stage->shape[axis] == group->extent[0] && zc_group_absorbed(group, outer, stage) >= 0;
    for (int32_t v = 0; v < stage->value_count && is_by_rows; v++) {
        const zc_value *value = &stage->values[v];
        is_by_rows =
            !zc_value_reads(value) || value->slot != slot || zc_group_loads_by_rows(plan, group, outer, stage, value);
    }
    return is_by_rows;
}

/* Stages that read a slot: how many, the last of them, and the first that reads otherwise than by rows, or -1. */
typedef struct readers {
    int32_t count, last, other;
} readers;

static bool reads_rows(const zc_plan *plan, const zc_stage *stage, int32_t slot, const zc_group *group)
{
    int axis = 0;
    while (axis < stage->rank && !reads_rows_along(plan, stage, slot, group, axis))
        axis++;
    return axis < stage->rank && zc_stage_is_divisible(stage);
}

static readers find_readers(const zc_plan *plan, int32_t slot, const zc_group *group)
{
    readers found = {.other = -1};
    for (int32_t s = plan->slots[slot].first_stage + 1; s <= plan->slots[slot].last_stage; s++) {
        const zc_stage *stage = plan->stages[s];
        if (!zc_stage_reads(stage, slot))
            continue;
        found.count++;
        found.last = s;
        if (found.other < 0 && !reads_rows(plan, stage, slot, group))
            found.other = s;
    }
    return found;
}

/* Tells memory that is of another slot's elements in the end. */
static bool is_written_over(const zc_plan *plan, int32_t slot)
{
    return plan->slots[slot].holder != slot;
}

zc_whole zc_explain_whole(const zc_plan *plan, int32_t slot)
{
    const zc_slot *s = &plan->slots[slot];
    zc_group group;
    if (s->kind != ZC_SLOT_TEMPORARY || s->is_block || is_written_over(plan, slot) ||
        plan->bytes[slot] < ZC_LEAST_SAVED || plan->ctx->block_length == 0 ||
        plan->ctx->options.executor == ZC_EXECUTOR_REFERENCE)
        return (zc_whole){.name = NULL};
    if (!find_rows(plan, plan->stages[s->first_stage], &group))
        return (zc_whole){"made whole", "does not make it by rows", s->first_stage + 1};
    const readers r = find_readers(plan, slot, &group);
    if (r.other >= 0)
        return (zc_whole){"read whole", "does not read it by rows", r.other + 1};
    if (r.count > 1)
        return (zc_whole){"read later", "reads it later, and it is not made again", r.last + 1};
    return (zc_whole){"not worth it", "reads it, and blocks would save too little", r.last + 1};
}
