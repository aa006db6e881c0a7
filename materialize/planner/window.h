/*
 * The window of a refused result that would fit into the memory limit, for the refusal's sentence.
 */
#ifndef ZC_MATERIALIZE_PLANNER_WINDOW_H
#define ZC_MATERIALIZE_PLANNER_WINDOW_H

#include "materialize/plan/plan.h"

/* Sets the axis and the count of budget, of a plan that does not fit; the axis is -1 when no window is found. Windows
 * are planned before they are named, so it records failures of the context unless there was one. */
void zc_window_find(const zc_plan *plan, const zc_plan_request *request, zc_budget *budget);

#endif
