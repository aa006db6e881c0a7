/*
 * The passes that make a plan, in their order.
 */
#ifndef ZC_MATERIALIZE_PLANNER_PASSES_H
#define ZC_MATERIALIZE_PLANNER_PASSES_H

#include "materialize/plan/plan.h"
#include "materialize/plan/policy.h"

/* Makes the plan of its results by a policy: lowers, orders, and adds up its memory. On failure the plan is the
 * caller's to free. */
zc_status zc_plan_pass(zc_plan *plan, zc_policy policy, zc_layout layout, const char *function);

/* Checks the plan that was chosen against what plans are (plan/verify.h). On failure likewise. */
zc_status zc_plan_prove(zc_plan *plan, const char *function);

#endif
