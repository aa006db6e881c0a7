#include "materialize/execute/executor.h"

/* A test compiles this file with a list of its own. */
#if !defined(ZC_STAGE_EXECUTORS)
#define ZC_STAGE_EXECUTORS "materialize/execute/executors.def"
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
    int first = ctx->options.executor == ZC_EXECUTOR_REFERENCE ? COUNT - 1 : 0;
    zc_preparation outcome = ZC_DECLINED;
    for (int e = first; outcome == ZC_DECLINED && e < COUNT; e++) {
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

bool zc_plan_prepare_dry(zc_plan *plan)
{
    char **slots = zc_arena_take(&plan->arena, (size_t)plan->slot_count, sizeof *slots);
    if (slots == NULL)
        return false;
    for (int32_t s = 0; s < plan->slot_count; s++)
        slots[s] = NULL;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        zc_stage *stage = &plan->stages[s];
        if (!is_empty(stage) && !zc_stage_prepare(plan->ctx, stage, slots, &plan->arena))
            return false;
    }
    return true;
}

const char *zc_stage_executor_name(const zc_stage *stage)
{
    return stage->executor == NULL ? "none" : stage->executor->name;
}

const char *zc_stage_strategy_name(const zc_stage *stage)
{
    if (stage->executor == NULL || stage->executor->strategy == NULL)
        return "none";
    return stage->executor->strategy(stage->prepared);
}
