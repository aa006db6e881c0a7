#include "materialize/run.h"

#include <string.h>

#include "materialize/execute.h"
#include "runtime/record.h"

typedef struct slot_memory {
    zc_plan *plan;
    char **at;           /* [slot_count] */
    zc_buffer **buffers; /* [slot_count]: of the output and the temporaries while they are alive */
} slot_memory;

static bool begin(slot_memory *m, zc_plan *plan)
{
    size_t count = (size_t)plan->slot_count;
    m->plan = plan;
    m->at = zc_arena_take(&plan->arena, count, sizeof *m->at);
    m->buffers = zc_arena_take(&plan->arena, count, sizeof *m->buffers);
    if (m->at == NULL || m->buffers == NULL)
        return false;
    for (size_t s = 0; s < count; s++) {
        m->at[s] = plan->slots[s].kind == ZC_SLOT_INPUT ? plan->slots[s].buffer->memory : NULL;
        m->buffers[s] = NULL;
    }
    return true;
}

static bool take(slot_memory *m, int32_t slot)
{
    if (m->at[slot] != NULL)
        return true;
    m->buffers[slot] = zc_buffer_new(m->plan->ctx->heap, m->plan->bytes[slot]);
    if (m->buffers[slot] == NULL)
        return false;
    m->at[slot] = m->buffers[slot]->memory;
    return true;
}

static void give(slot_memory *m, int32_t slot)
{
    zc_buffer_release(m->buffers[slot]);
    m->buffers[slot] = NULL;
}

/* The sentence for a position outside the axis that it was to pick from. */
static zc_status refuse_stray(const zc_plan *plan, const zc_stage *stage, const zc_stray *stray)
{
    const zc_value *check = &stage->values[stray->check];
    return zc_fail(plan->ctx, ZC_ERROR_ARGUMENT, zc_take_name(check->node),
                   "position %lld is out of bounds for an axis of size %lld", (long long)stray->position,
                   (long long)check->extent);
}

static zc_status refuse(const zc_plan *plan, const zc_stage *stage, zc_status status, const zc_stray *stray,
                        const char *function)
{
    switch (status) {
    case ZC_ERROR_ARGUMENT:
        return refuse_stray(plan, stage, stray);
    case ZC_CANCELLED:
        return zc_fail_cancelled(plan->ctx, function);
    default:
        return zc_fail_memory(plan->ctx, function);
    }
}

static zc_status run_stage(slot_memory *m, const zc_stage *stage, const char *function)
{
    const zc_plan *plan = m->plan;
    zc_stray stray;
    if (!take(m, stage->store_slot))
        return zc_fail_memory(plan->ctx, function);
    if (stage->clears)
        memset(m->at[stage->store_slot], 0, (size_t)plan->bytes[stage->store_slot]);
    zc_status status = plan->ctx->options.executor == ZC_EXECUTOR_REFERENCE
                           ? zc_execute_reference(plan, stage, m->at, &stray)
                           : zc_execute_tile(plan, stage, m->at, &stray);
    return status == ZC_OK ? ZC_OK : refuse(plan, stage, status, &stray, function);
}

static int64_t add_saturating(int64_t a, int64_t b)
{
    int64_t sum;
    return zc_checked_add(a, b, &sum) ? sum : INT64_MAX;
}

static int64_t work_of(const zc_plan *plan)
{
    int64_t work = 0;
    for (int32_t s = 0; s < plan->stage_count; s++)
        work = add_saturating(work, zc_stage_work(&plan->stages[s]));
    return work;
}

static zc_status run_stages(slot_memory *m, const char *function)
{
    zc_plan *plan = m->plan;
    zc_watch *watch = &plan->ctx->watch;
    int64_t done = 0;
    bool goes_on = zc_watch_begin(watch, work_of(plan));
    for (int32_t s = 0; s < plan->stage_count && goes_on; s++) {
        zc_status status = run_stage(m, &plan->stages[s], function);
        if (status != ZC_OK)
            return status;
        done = add_saturating(done, zc_stage_work(&plan->stages[s]));
        goes_on = zc_watch_set(watch, done);
        for (int32_t slot = plan->ends_first[s]; slot >= 0; slot = plan->ends_next[slot])
            give(m, slot);
    }
    return goes_on ? ZC_OK : zc_fail_cancelled(plan->ctx, function);
}

zc_status zc_plan_run(zc_plan *plan, const char *function, void *target, zc_buffer **out)
{
    *out = NULL;
    zc_status status = zc_plan_check_budget(plan, function);
    if (status != ZC_OK)
        return status;
    slot_memory m;
    if (!begin(&m, plan))
        return zc_fail_memory(plan->ctx, function);
    m.at[ZC_OUTPUT_SLOT] = target;
    status = run_stages(&m, function);
    if (status == ZC_OK) {
        *out = m.buffers[ZC_OUTPUT_SLOT];
        return ZC_OK;
    }
    for (int32_t slot = 0; slot < plan->slot_count; slot++)
        give(&m, slot);
    return status;
}
