/*
 * Running a plan: memory for its slots, stage after stage.
 */
#ifndef ZC_MATERIALIZE_EXECUTE_RUN_H
#define ZC_MATERIALIZE_EXECUTE_RUN_H

#include "materialize/plan/plan.h"

/* Runs a plan within the budget. The output goes to `target`, or, when that is NULL, to a new buffer in *out, one
 * reference for the caller. On failure nothing stays allocated and *out is NULL. */
zc_status zc_plan_run(zc_plan *plan, const char *function, void *target, zc_buffer **out);

#endif
