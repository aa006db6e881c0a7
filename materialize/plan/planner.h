/*
 * Planning: the passes in their order, and which of several plans is taken.
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
#ifndef ZC_MATERIALIZE_PLAN_PLANNER_H
#define ZC_MATERIALIZE_PLAN_PLANNER_H

#include "materialize/plan/plan.h"

/* What lowering aims at. Each policy's plans have the same bits. */
typedef enum zc_policy {
    ZC_POLICY_FAST,  /* the least work, but for stages of their own that would take longer than they save */
    ZC_POLICY_WORK,  /* the least work without keeping equal nodes for each other */
    ZC_POLICY_EAGER, /* every node stored: what an eager runtime does */
    ZC_POLICY_LEAN,  /* the fewest temporaries: what can be computed again is not stored */
    ZC_POLICY_COUNT
} zc_policy;

/* Plans what is asked for, as one: lowers, orders, verifies, and adds up its memory. The tensors outlive the plan. On
 * failure the plan is freed already. */
zc_status zc_plan_make(const zc_plan_request *request, zc_plan *plan);

/* The same with what is due besides (runtime/graph/pending.h): the plan that a call would run now. */
zc_status zc_plan_ask(const zc_plan_request *request, zc_plan *plan);

/* Refuses a plan for which the header limit leaves too little. */
zc_status zc_plan_refuse_size(const zc_plan *plan, const char *function);

/* The pass before the others (lower/lower.c): the graph as stages, in the order of recording. */
zc_status zc_plan_lower(zc_plan *plan, zc_policy policy, zc_layout layout, const char *function);

/* The passes after the others: which stages take turns (execute/bands.c), and (execute/executor.c) how much scratch
 * memory each stage takes, where the limit is so many bytes beside what is alive. False when memory is out. */
bool zc_plan_make_bands(zc_plan *plan);
bool zc_plan_ask_scratch(zc_plan *plan, int64_t limit);

#endif
