/*
 * Plans found again. A small graph takes longer to plan than to run, and programs that record one usually record its
 * like again, for other data. So the context keeps the latest small plans by their keys (plan_key.h), each with what
 * the executor prepared for it; a request with an equal key gets that plan, with its own data as the inputs.
 *
 * Only the plan is kept that would be made without a memory limit. Where there is one, it is used when it fits; else a
 * smaller one is made each time, since the room changes.
 */
#ifndef ZC_MATERIALIZE_PLANNER_PLAN_CACHE_H
#define ZC_MATERIALIZE_PLANNER_PLAN_CACHE_H

#include "materialize/plan/plan.h"

/* A plan as zc_plan_make makes it, perhaps one that was made before, which only the caller has until zc_plan_put_back:
 * the context may plan and run others in between, equal ones too, as a release function of lent memory can. */
zc_status zc_plan_get(const zc_plan_request *request, zc_plan **plan);
void zc_plan_put_back(zc_plan *plan);

#endif
