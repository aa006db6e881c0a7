/*
 * Whether a plan fits into the memory limit, and what is said where it does not.
 */
#ifndef ZC_MATERIALIZE_PLANNER_BUDGET_H
#define ZC_MATERIALIZE_PLANNER_BUDGET_H

#include "materialize/plan/plan.h"

/* ZC_OK, or ZC_ERROR_BUDGET with the figures when the plan's peak does not fit. The request is the plan's. */
zc_status zc_plan_check_budget(const zc_plan *plan, const zc_plan_request *request, zc_reason *why);

#endif
