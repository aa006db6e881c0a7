#include "materialize/run.h"

#include <string.h>

#include "materialize/execute.h"
#include "runtime/record.h"

static bool begin(zc_plan *plan, void *target)
{
    size_t count = (size_t)plan->slot_count;
    if (plan->at == NULL) {
        plan->at = zc_arena_take(&plan->arena, count, sizeof *plan->at);
        plan->buffers = zc_arena_take(&plan->arena, count, sizeof *plan->buffers);
    }
    if (plan->at == NULL || plan->buffers == NULL)
        return false;
    for (size_t s = 0; s < count; s++) {
        plan->at[s] = plan->slots[s].kind == ZC_SLOT_INPUT ? plan->slots[s].buffer->memory : NULL;
        plan->buffers[s] = NULL;
    }
    plan->at[ZC_OUTPUT_SLOT] = target;
    return true;
}

static bool take(zc_plan *plan, int32_t slot)
{
    if (plan->at[slot] != NULL)
        return true;
    plan->buffers[slot] = zc_buffer_new(plan->ctx->heap, plan->bytes[slot]);
    if (plan->buffers[slot] == NULL)
        return false;
    plan->at[slot] = plan->buffers[slot]->memory;
    return true;
}

static void give(zc_plan *plan, int32_t slot)
{
    zc_buffer_release(plan->buffers[slot]);
    plan->buffers[slot] = NULL;
}

/* The sentence for a position outside the axis that it was to pick from. */
static zc_status refuse_stray(const zc_plan *plan, const zc_stage *stage, const zc_stray *stray)
{
    const zc_value *check = &stage->values[stray->check];
    return zc_fail(plan->ctx, ZC_ERROR_ARGUMENT, zc_take_name(check->node),
                   "position %lld is out of bounds for an axis of size %lld", (long long)stray->position,
                   (long long)check->extent);
}

static zc_status run_stages(zc_plan *plan, const char *function)
{
    bool is_reference = plan->ctx->options.executor == ZC_EXECUTOR_REFERENCE;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        zc_stage *stage = &plan->stages[s];
        zc_stray stray;
        if (!take(plan, stage->store_slot))
            return zc_fail_memory(plan->ctx, function);
        if (stage->clears)
            memset(plan->at[stage->store_slot], 0, (size_t)plan->bytes[stage->store_slot]);
        zc_status status = is_reference ? zc_execute_reference(plan, stage, plan->at, &stray)
                                        : zc_execute_tile(plan, stage, plan->at, &stray);
        if (status != ZC_OK)
            return status == ZC_ERROR_ARGUMENT ? refuse_stray(plan, stage, &stray)
                                               : zc_fail_memory(plan->ctx, function);
        for (int32_t slot = plan->ends_first[s]; slot >= 0; slot = plan->ends_next[slot])
            give(plan, slot);
    }
    return ZC_OK;
}

zc_status zc_plan_run(zc_plan *plan, const char *function, void *target, zc_buffer **out)
{
    *out = NULL;
    zc_status status = zc_plan_check_budget(plan, function);
    if (status != ZC_OK)
        return status;
    if (!begin(plan, target))
        return zc_fail_memory(plan->ctx, function);
    status = run_stages(plan, function);
    if (status == ZC_OK) {
        *out = plan->buffers[ZC_OUTPUT_SLOT];
        return ZC_OK;
    }
    for (int32_t slot = 0; slot < plan->slot_count; slot++)
        give(plan, slot);
    return status;
}
