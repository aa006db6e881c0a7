/*
 * Finding groups (plan/group.h): temporaries that are large, and the stages that can make and read them by blocks.
 */
#ifndef ZC_MATERIALIZE_PLANNER_GROUPS_H
#define ZC_MATERIALIZE_PLANNER_GROUPS_H

#include "materialize/planner/again.h"

/* The plan before its groups were formed. */
typedef struct zc_ungrouped {
    zc_stage **stages; /* [stage_count], or NULL: nothing was changed */
    int32_t stage_count;
    bool is_changed; /* groups were formed, or stages made again */
    zc_again again;
} zc_ungrouped;

/* Forms the groups of a plan whose memory was added up. Stages between members that read none of them move before the
 * group, or behind it. As much is made again as the effort says. Where the plan was changed, its memory is to be
 * added up again. */
zc_status zc_plan_find_groups(zc_plan *plan, zc_effort effort, zc_ungrouped *before, zc_reason *why);

/* Ends the groups of a plan that was changed: its temporaries are whole again, and its stages as before. */
void zc_plan_end_groups(zc_plan *plan, zc_ungrouped *before);

/* Makes the parts of all members that have none. False when memory is out. */
bool zc_plan_make_parts(zc_plan *plan);

#endif
