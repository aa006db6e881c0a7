/*
 * Groups for the caches: a contraction and the elementwise stage that overwrites its result take turns by blocks of
 * rows, so that the second one finds them in the caches. They save no memory: both slots are one.
 */
#ifndef ZC_MATERIALIZE_PLANNER_OVERWRITING_H
#define ZC_MATERIALIZE_PLANNER_OVERWRITING_H

#include "materialize/plan/plan.h"

/* Forms these groups, of stages that are in no other one, where one thread runs the plan. Where there are any, the
 * plan's memory is added up again; what it needs stays as it was. */
zc_status zc_plan_group_overwriting(zc_plan *plan, zc_reason *why);

#endif
