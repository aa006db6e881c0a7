#include "materialize/run/run.h"

#include <string.h>

#include "materialize/execute/bad_index.h"
#include "materialize/plan/group.h"
#include "materialize/plan/memory.h"
#include "materialize/run/prepared.h"
#include "materialize/run/take_over.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/keep.h"
#include "runtime/record/record.h"
#include "runtime/record/take.h"

static int32_t count_takeovers(const zc_plan *plan)
{
    int32_t count = 0;
    for (int32_t s = 0; s < plan->stage_count; s++)
        count += zc_stage_takes_over(plan, plan->stages[s]);
    return count;
}

static bool begin(zc_plan *plan, void *target)
{
    size_t count = (size_t)plan->slot_count;
    if (plan->at == NULL || plan->buffers == NULL || plan->takeovers == NULL) { /* the first run of a plan, or memory */
        plan->at = zc_arena_take(&plan->arena, count, sizeof *plan->at);        /* was out at the last */
        plan->buffers = zc_arena_take(&plan->arena, count, sizeof *plan->buffers);
        plan->takeover_room = count_takeovers(plan);
        plan->takeovers = zc_arena_take(&plan->arena, (size_t)plan->takeover_room, sizeof *plan->takeovers);
    }
    if (plan->at == NULL || plan->buffers == NULL || plan->takeovers == NULL)
        return false;
    for (size_t s = 0; s < count; s++) {
        const zc_slot *slot = &plan->slots[s];
        plan->at[s] = NULL;
        if (slot->kind == ZC_SLOT_INPUT)
            plan->at[s] =
                (char *)slot->buffer->memory + zc_slot_shift(plan, (int32_t)s) * (int64_t)zc_dtype_bytes(slot->dtype);
        plan->buffers[s] = NULL;
    }
    if (target != NULL)
        plan->at[plan->results[0].slot] = target;
    return true;
}

/* Memory for a slot, which it may have from one that it is written over. */
static bool alloc_slot(zc_plan *plan, int32_t slot)
{
    int32_t memory = zc_slot_memory(plan, slot);
    if (plan->at[memory] == NULL) {
        plan->buffers[memory] = zc_buffer_new(plan->ctx->heap, plan->bytes[memory]);
        if (plan->buffers[memory] == NULL)
            return false;
        plan->at[memory] = plan->buffers[memory]->memory;
    }
    plan->at[slot] = plan->at[memory];
    return true;
}

static void free_slot(zc_plan *plan, int32_t slot)
{
    zc_buffer_release(plan->buffers[slot]);
    plan->buffers[slot] = NULL;
}

/* ---- What stays ---- */

/* A temporary of a node that can be asked for again stays where the run's peak has room for it. */
typedef struct stay {
    bool is_possible;
    int64_t *later; /* [stage_count + 1]: the most that is alive from a stage on */
    int64_t kept;   /* bytes of what stays */
} stay;

/* Tells a memory of the plan's whose last elements are all of a node that a handle leads to, perhaps through others. */
static bool is_wanted(const zc_plan *plan, int32_t memory)
{
    const zc_slot *slot = &plan->slots[memory], *last = slot->kind == ZC_SLOT_INPUT ? NULL : &plan->slots[slot->holder];
    const zc_node *node = last != NULL ? last->node : NULL;
    return node != NULL && !slot->is_block && node->heap == plan->ctx->heap &&
           (last->is_left || zc_node_handles(node) > 0);
}

/* False when memory is out. */
static bool begin_stay(zc_plan *plan, stay *s)
{
    const size_t count = (size_t)plan->stage_count;
    *s = (stay){.is_possible = false};
    for (int32_t slot = 0; slot < plan->slot_count && plan->buys && !s->is_possible; slot++)
        s->is_possible = plan->slots[slot].kind == ZC_SLOT_TEMPORARY && is_wanted(plan, slot);
    if (!s->is_possible)
        return true;
    s->later = zc_heap_take(plan->ctx->heap, (count + 1) * sizeof *s->later);
    if (s->later == NULL)
        return false;
    s->later[count] = 0;
    for (int32_t at = plan->stage_count - 1; at >= 0; at--) {
        const zc_stage *stage = plan->stages[at];
        const int64_t besides = zc_saturating_add(stage->scratch_bytes, zc_stage_state_bytes(plan, stage));
        s->later[at] = zc_larger(s->later[at + 1], zc_saturating_add(stage->alive_bytes, besides));
    }
    return true;
}

static void end_stay(const zc_plan *plan, const stay *s)
{
    if (s->later != NULL)
        zc_heap_give(plan->ctx->heap, s->later, ((size_t)plan->stage_count + 1) * sizeof *s->later);
}

/* Ends the memory of a slot behind stage `at`, unless it stays. */
static void end_slot(zc_plan *plan, int32_t slot, int32_t at, stay *s)
{
    const bool stays =
        s->is_possible && is_wanted(plan, slot) && plan->bytes[slot] <= plan->peak_bytes - s->later[at + 1] - s->kept;
    if (stays)
        s->kept += plan->bytes[slot]; /* proven: at most the peak */
    else
        free_slot(plan, slot);
}

/* The sentence for a position outside the axis that it was to pick from. */
static zc_status refuse_bad_index(const zc_plan *plan, const zc_stage *stage, const zc_bad_index *bad)
{
    const zc_value *check = &stage->values[bad->check];
    const char *name = zc_take_name((zc_take_kind)check->op);
    if (check->op == ZC_UPDATED && check->axis < 0)
        return zc_fail(plan->ctx, ZC_ERROR_INDEX, name, "place %lld is out of bounds for a tensor of %lld elements",
                       (long long)bad->position, (long long)check->extent);
    if (check->op == ZC_GATHER || check->op == ZC_UPDATED)
        return zc_fail(plan->ctx, ZC_ERROR_INDEX, name, "position %lld is out of bounds for axis %lld of size %lld",
                       (long long)bad->position, (long long)check->axis, (long long)check->extent);
    return zc_fail(plan->ctx, ZC_ERROR_INDEX, name, "position %lld is out of bounds for an axis of size %lld",
                   (long long)bad->position, (long long)check->extent);
}

static zc_status refuse(const zc_plan *plan, const zc_stage *stage, zc_status status, const zc_bad_index *bad,
                        const char *function)
{
    switch (status) {
    case ZC_ERROR_INDEX:
        return refuse_bad_index(plan, stage, bad);
    case ZC_CANCELLED:
        return zc_fail_cancelled(plan->ctx, function);
    case ZC_ERROR_FILE: /* which the executor has told */
        return status;
    default:
        return zc_fail_memory(plan->ctx, function);
    }
}

/* Runs a prepared stage. */
static zc_status run_prepared(zc_context *ctx, const zc_stage *stage, zc_bad_index *bad)
{
    const size_t bytes = (size_t)stage->scratch_bytes;
    char *scratch = bytes > 0 ? zc_heap_take_data(ctx->heap, bytes) : NULL;
    if (bytes > 0 && scratch == NULL)
        return ZC_ERROR_MEMORY;
    zc_status status = stage->executor->run(ctx, stage->prepared, scratch, bad);
    zc_heap_give_data(ctx->heap, scratch, bytes);
    return status;
}

static zc_status execute(zc_plan *plan, zc_stage *stage, zc_prepared_set *prepared, zc_bad_index *bad)
{
    bool is_ready = zc_prepared_find(prepared, plan, stage);
    zc_status status = is_ready ? run_prepared(plan->ctx, stage, bad) : ZC_ERROR_MEMORY;
    zc_prepared_end(prepared, stage);
    return status;
}

static int64_t work_of(const zc_plan *plan, int32_t first, int32_t end)
{
    int64_t work = 0;
    for (int32_t s = first; s < end; s++)
        work = zc_saturating_add(work, zc_stage_work(plan->stages[s]));
    return work;
}

/* Takes the memory of a group's slots and states. False when memory is out. */
static bool begin_group(zc_plan *plan, const zc_group *group)
{
    bool is_taken = true;
    for (int32_t s = group->first; s < group->first + group->count && is_taken; s++) {
        zc_member *member = plan->stages[s]->member;
        member->state =
            member->state_bytes > 0 ? zc_heap_take_data(plan->ctx->heap, (size_t)member->state_bytes) : NULL;
        is_taken = alloc_slot(plan, plan->stages[s]->store.slot) && (member->state_bytes == 0 || member->state != NULL);
    }
    return is_taken;
}

/* Ends the states that were taken. */
static void end_group(zc_plan *plan, const zc_group *group)
{
    for (int32_t s = group->first; s < group->first + group->count; s++) {
        zc_member *member = plan->stages[s]->member;
        zc_heap_give_data(plan->ctx->heap, member->state, (size_t)member->state_bytes);
        member->state = NULL;
    }
}

/* Runs the members of a group in turns, block by block, and tells progress after each. Behind a wrong position the
 * other blocks are run as far as they look positions up: the one is told that the stage would tell without groups. */
static zc_status run_blocks(zc_plan *plan, const zc_group *group, zc_prepared_set *prepared, int64_t *done,
                            const char *function)
{
    zc_progress *progress = &plan->ctx->progress;
    int32_t end = group->first + group->count;
    const int64_t blocks = zc_group_blocks(group), before = *done, work = work_of(plan, group->first, end);
    zc_bad_index bad = {.check = -1};
    for (int64_t block = 0; block < blocks; block++) {
        for (int32_t s = group->first; s < end; s++) {
            zc_bad_index found = {.check = -1};
            zc_status status = execute(plan, zc_group_move(plan, plan->stages[s], block), prepared, &found);
            if (status != ZC_OK && status != ZC_ERROR_INDEX)
                return refuse(plan, plan->stages[s], status, &bad, function);
            if (status == ZC_ERROR_INDEX) {
                zc_keep_bad_index(&bad, found);
                end = s + 1;
            }
        }
        const int64_t most = zc_saturating_add(before, work / blocks * (block + 1)); /* proven: at most the work */
        const int64_t told =
            atomic_load_explicit(&progress->done, memory_order_relaxed); /* the last block is shorter */
        if (!zc_progress_set(progress, zc_larger(most, told)))
            return zc_fail_cancelled(plan->ctx, function);
    }
    *done = zc_saturating_add(before, work);
    return bad.check < 0 ? ZC_OK : refuse(plan, plan->stages[end - 1], ZC_ERROR_INDEX, &bad, function);
}

static zc_status run_group(zc_plan *plan, const zc_group *group, zc_prepared_set *prepared, int64_t *done,
                           const char *function)
{
    zc_status status = begin_group(plan, group) ? run_blocks(plan, group, prepared, done, function)
                                                : zc_fail_memory(plan->ctx, function);
    end_group(plan, group);
    return status;
}

static zc_status run_stage(zc_plan *plan, int32_t s, zc_prepared_set *prepared, const char *function)
{
    zc_stage *stage = plan->stages[s];
    zc_bad_index bad = {.check = -1};
    if (!alloc_slot(plan, stage->store.slot))
        return zc_fail_memory(plan->ctx, function);
    if (zc_stage_takes_over(plan, stage)) /* else it is tried once more, without */
        return zc_take_over(plan, stage) ? ZC_OK : zc_fail_memory(plan->ctx, function);
    if (stage->store.clears > 0) /* the caller's memory may be larger, and a slot of it counts no bytes */
        memset(plan->at[stage->store.slot], 0, (size_t)stage->store.clears * zc_dtype_bytes(stage->store.dtype));
    if (zc_stage_extent(stage, 0, stage->kept) == 0)
        return ZC_OK;
    zc_status status = execute(plan, stage, prepared, &bad);
    return status == ZC_OK ? ZC_OK : refuse(plan, stage, status, &bad, function);
}

static zc_status run_stages(zc_plan *plan, zc_prepared_set *prepared, stay *stays, const char *function)
{
    zc_progress *progress = &plan->ctx->progress;
    int64_t done = 0;
    bool goes_on = zc_progress_begin(progress, work_of(plan, 0, plan->stage_count));
    for (int32_t s = 0; s < plan->stage_count && goes_on; s++) {
        const zc_group *group = zc_stage_group(plan->stages[s]);
        zc_status status =
            group != NULL ? run_group(plan, group, prepared, &done, function) : run_stage(plan, s, prepared, function);
        if (status != ZC_OK)
            return status;
        if (group != NULL)
            s = group->first + group->count - 1;
        else
            done = zc_saturating_add(done, zc_stage_work(plan->stages[s]));
        goes_on = zc_progress_set(progress, done);
        for (int32_t slot = plan->ends_first[s]; slot >= 0; slot = plan->ends_next[slot])
            end_slot(plan, slot, s, stays);
    }
    return goes_on ? ZC_OK : zc_fail_cancelled(plan->ctx, function);
}

zc_status zc_plan_run(zc_plan *plan, const zc_plan_request *request, void *target)
{
    ZC_DEFAULT_FLOATS();
    if (!begin(plan, target))
        return zc_fail_memory(plan->ctx, request->function);
    stay stays;
    if (!begin_stay(plan, &stays))
        return zc_fail_memory(plan->ctx, request->function);
    zc_prepared_set prepared;
    zc_prepared_init(&prepared, plan);
    zc_status status = run_stages(plan, &prepared, &stays, request->function);
    zc_prepared_free(&prepared);
    end_stay(plan, &stays);
    if (status != ZC_OK)
        zc_plan_end_run(plan);
    return status;
}

void zc_plan_charge(const zc_plan *plan)
{
    for (int32_t i = 0; i < plan->rent_count; i++)
        zc_node_charge(plan->rents[i].node, plan->rents[i].parts);
}

zc_buffer *zc_plan_take_result(const zc_plan *plan, int32_t result)
{
    int32_t slot = plan->results[result].slot;
    const zc_buffer *buffer = zc_result_exists(plan, result) ? plan->slots[slot].buffer : plan->buffers[slot];
    return zc_buffer_retain((zc_buffer *)(uintptr_t)buffer);
}

void zc_plan_end_run(zc_plan *plan)
{
    for (int32_t slot = 0; slot < plan->slot_count; slot++)
        free_slot(plan, slot);
    zc_end_takeovers(plan);
}
