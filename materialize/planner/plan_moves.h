/*
 * Plans that may run further on in memory that an update takes over: those that read and write it where views of the
 * graph's nodes show it, and nowhere else. Such a plan is right wherever all these views stand: what it makes of
 * elements depends on where they are to each other, and all of them are inside the memory.
 */
#ifndef ZC_MATERIALIZE_PLANNER_PLAN_MOVES_H
#define ZC_MATERIALIZE_PLANNER_PLAN_MOVES_H

#include "materialize/planner/plan_key.h"

/* Tells a plan that was made for the key and is one of them, as to an input's slot and the first node with its data.
 * Cost O(edges + values). */
bool zc_plan_moves(const zc_plan *plan, const zc_plan_request *request, const zc_plan_key *key, int32_t slot,
                   int32_t memory);

#endif
