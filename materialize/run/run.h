/*
 * Running a plan: memory for its slots, stage after stage.
 */
#ifndef ZC_MATERIALIZE_RUN_RUN_H
#define ZC_MATERIALIZE_RUN_RUN_H

#include "materialize/plan/plan.h"

/* Runs a plan, which the request has and for which there is memory. The only output goes to `target`, or, when that is
 * NULL, all go to new buffers, which the plan holds until zc_plan_end_run(). So it holds what is bought, and
 * temporaries that stay: whole nodes that have handles, or are worth it without (lower/buy.h), where the peak has room
 * for them. On failure nothing stays allocated. */
zc_status zc_plan_run(zc_plan *plan, const zc_plan_request *request, void *target);

/* Charges nodes the rent that a run of the plan is. */
void zc_plan_charge(const zc_plan *plan);

/* The elements of a result after a run, one reference for the caller. */
zc_buffer *zc_plan_take_result(const zc_plan *plan, int32_t result);

/* Gives back the buffers of the outputs and of what stayed. */
void zc_plan_end_run(zc_plan *plan);

#endif
