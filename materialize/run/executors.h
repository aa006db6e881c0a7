/*
 * The table of executors, from executors.def, and which of them runs a stage.
 */
#ifndef ZC_MATERIALIZE_RUN_EXECUTORS_H
#define ZC_MATERIALIZE_RUN_EXECUTORS_H

#include "materialize/execute/executor.h"

/* Finds the stage's executor and prepares the stage: sets stage->executor, prepared and release. False when memory is
 * out. */
bool zc_stage_prepare(zc_context *ctx, zc_stage *stage, char *const *slots, zc_arena *arena);

/* Prepares every stage of a plan that does not run, for explain; all in the plan's arena. False when memory is out. */
bool zc_plan_prepare_dry(zc_plan *plan);

/* Finds the bytes of all states, and those that the plan needs with them. False when memory is out. */
bool zc_plan_ask_states(zc_plan *plan);

/* Finds the scratch memory of each stage, where the limit is so many bytes beside what is alive. False when memory is
 * out. */
bool zc_plan_ask_scratch(zc_plan *plan, int64_t limit);

/* The names of a prepared stage's executor and strategy; "none" when the stage is empty. */
const char *zc_stage_executor_name(const zc_stage *stage);
const char *zc_stage_strategy_name(const zc_stage *stage);

#endif
