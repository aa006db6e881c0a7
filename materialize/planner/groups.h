/*
 * Finding groups (plan/group.h): temporaries that are large, and the stages that can make and read them by blocks.
 */
#ifndef ZC_MATERIALIZE_PLANNER_GROUPS_H
#define ZC_MATERIALIZE_PLANNER_GROUPS_H

#include "materialize/plan/plan.h"

/* Forms the groups of a plan whose memory was added up. Stages between members that read none of them move before the
 * group. Where there are groups, *before is the list of stages as it was, and the memory is to be added up again; else
 * NULL. False when memory is out. */
bool zc_plan_find_groups(zc_plan *plan, zc_stage ***before);

/* Ends the groups of a plan: its temporaries are whole again, and its stages stand as before. */
void zc_plan_end_groups(zc_plan *plan, zc_stage **before);

/* Makes the parts of all members. False when memory is out. */
bool zc_plan_make_parts(zc_plan *plan);

#endif
