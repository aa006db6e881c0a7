#include "materialize/run/executors.h"

#include "materialize/plan/group.h"
#include "materialize/plan/memory.h"

/* A test compiles this file with a list of its own. */
#if !defined(ZC_STAGE_EXECUTORS)
#define ZC_STAGE_EXECUTORS "materialize/run/executors.def"
#endif

#define ZC_STAGE_EXECUTOR(name) extern const zc_stage_executor zc_stage_executor_##name;
#include ZC_STAGE_EXECUTORS
#undef ZC_STAGE_EXECUTOR

static const zc_stage_executor *const executors[] = {
#define ZC_STAGE_EXECUTOR(name) &zc_stage_executor_##name,
#include ZC_STAGE_EXECUTORS
#undef ZC_STAGE_EXECUTOR
};

enum { COUNT = sizeof executors / sizeof *executors };

bool zc_stage_prepare(zc_context *ctx, zc_stage *stage, char *const *slots, zc_arena *arena)
{
    const bool is_alone = ctx->options.executor == ZC_EXECUTOR_REFERENCE;
    zc_preparation outcome = ZC_DECLINED;
    for (int e = 0; outcome == ZC_DECLINED && e < COUNT; e++) {
        if (is_alone && !executors[e]->is_reference)
            continue;
        outcome = executors[e]->prepare(ctx, stage, slots, arena, &stage->prepared);
        stage->executor = executors[e];
        stage->release = executors[e]->release;
    }
    if (outcome != ZC_PREPARED)
        stage->executor = NULL;
    return outcome == ZC_PREPARED;
}

static bool is_empty(const zc_stage *stage)
{
    return zc_stage_extent(stage, 0, stage->kept) == 0;
}

/* Slots without memory. */
static char **take_slots(const zc_plan *plan, zc_arena *arena)
{
    char **slots = zc_arena_take(arena, (size_t)plan->slot_count, sizeof *slots);
    for (int32_t s = 0; slots != NULL && s < plan->slot_count; s++)
        slots[s] = NULL;
    return slots;
}

bool zc_plan_prepare_dry(zc_plan *plan)
{
    char **slots = take_slots(plan, &plan->arena);
    if (slots == NULL)
        return false;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        zc_stage *stage = plan->stages[s];
        if (!is_empty(stage) && !zc_stage_prepare(plan->ctx, zc_stage_run(stage), slots, &plan->arena))
            return false;
    }
    return true;
}

/* Prepares the stage for a moment. */
static bool ask_scratch(zc_context *ctx, zc_stage *stage, char *const *slots)
{
    zc_arena arena;
    zc_arena_init(&arena, ctx->heap);
    bool is_ready = zc_stage_prepare(ctx, stage, slots, &arena);
    if (is_ready && stage->executor->scratch_bytes != NULL)
        stage->scratch_bytes = stage->executor->scratch_bytes(stage->prepared);
    if (is_ready && zc_stage_absorbs(stage))
        stage->member->state_bytes = stage->executor->state_bytes(stage->prepared);
    zc_stage_release(stage);
    zc_arena_free(&arena);
    return is_ready;
}

/* Asks what runs of the stage: all of it, or its parts. */
static bool ask_all(const zc_plan *plan, zc_stage *stage, char *const *slots, int64_t limit)
{
    zc_stage *runs[] = {zc_stage_run(stage), stage->member != NULL ? stage->member->part[1] : NULL};
    const int64_t taken = zc_saturating_add(stage->alive_bytes, zc_stage_state_bytes(plan, stage));
    bool is_ready = true;
    stage->scratch_bytes = 0;
    for (int i = 0; i < 2 && runs[i] != NULL && is_ready; i++) {
        runs[i]->scratch_limit = limit == INT64_MAX ? limit : zc_larger(limit - taken, 0);
        is_ready = ask_scratch(plan->ctx, runs[i], slots);
        stage->scratch_bytes = zc_larger(stage->scratch_bytes, runs[i]->scratch_bytes);
    }
    return is_ready;
}

/* Asks the stages that are chosen. */
static bool ask_some(zc_plan *plan, bool (*is_chosen)(const zc_stage *stage), int64_t limit)
{
    char **slots = NULL;
    bool is_ready = true;
    zc_arena arena;
    zc_arena_init(&arena, plan->ctx->heap);
    for (int32_t s = 0; s < plan->stage_count && is_ready; s++) {
        zc_stage *stage = plan->stages[s];
        if (!is_chosen(stage) || is_empty(stage))
            continue;
        slots = slots != NULL ? slots : take_slots(plan, &arena);
        is_ready = slots != NULL && ask_all(plan, stage, slots, limit);
    }
    zc_arena_free(&arena);
    return is_ready;
}

static bool packs_operands(const zc_stage *stage)
{
    return stage->kind->packs_operands;
}

bool zc_plan_ask_states(zc_plan *plan)
{
    bool is_ready = ask_some(plan, zc_stage_absorbs, INT64_MAX);
    zc_plan_add_states(plan);
    return is_ready;
}

bool zc_plan_ask_scratch(zc_plan *plan, int64_t limit)
{
    bool is_ready = ask_some(plan, packs_operands, limit);
    zc_plan_add_scratch(plan);
    return is_ready;
}

static const zc_stage *find_run(const zc_stage *stage)
{
    return zc_stage_run((zc_stage *)(uintptr_t)stage);
}

const char *zc_stage_executor_name(const zc_stage *stage)
{
    const zc_stage *run = find_run(stage);
    return run->executor == NULL ? "none" : run->executor->name;
}

const char *zc_stage_strategy_name(const zc_stage *stage)
{
    const zc_stage *run = find_run(stage);
    if (run->executor == NULL || run->executor->strategy == NULL)
        return "none";
    return run->executor->strategy(run->prepared);
}
