/*
 * Planning: which of several plans is taken.
 *
 * A plan never has more results in memory than an eager runtime would: every needed node computed once, in the order of
 * recording, stored, and freed after its last consumer. Policies are tried in their order; the first whose results take
 * no more than that, and fit into the memory limit, is taken. Where the header limit leaves no room for another plan
 * than the first, that one is. What a policy makes does not depend on the memory limit, so a larger one never refuses
 * what a smaller one grants.
 *
 * Then the plan's stages get their scratch memory: as much as their executors want, or, where the limit has no room for
 * that beside what is alive, what it leaves, down to nothing. So it decides about no plan, and none is refused for it.
 */
#ifndef ZC_MATERIALIZE_PLANNER_PLANNER_H
#define ZC_MATERIALIZE_PLANNER_PLANNER_H

#include "materialize/plan/plan.h"

/* Plans what is asked for, as one: lowers, orders, adds up its memory, and verifies what is taken. The tensors outlive
 * the plan. On failure the plan is freed already. */
zc_status zc_plan_make(const zc_plan_request *request, zc_plan *plan);

/* The same with what is due besides (runtime/graph/pending.h): the plan that a call would run now. */
zc_status zc_plan_ask(const zc_plan_request *request, zc_plan *plan);

#endif
