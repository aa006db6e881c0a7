/*
 * Taking over: updates that write into the memory of an input whose node ends (rewrite/in_place.h).
 *
 * What they write is in memory by then, so nothing fails between the first element and the last, and no other thread
 * sees anything in between. From then on the memory is the updated node's, whatever becomes of the run.
 */
#ifndef ZC_MATERIALIZE_RUN_TAKE_OVER_H
#define ZC_MATERIALIZE_RUN_TAKE_OVER_H

#include "materialize/plan/plan.h"

/* Runs such an update. False when another thread has come to have tensors of the heap: nothing was done. */
bool zc_take_over(zc_plan *plan, const zc_stage *stage);

/* Releases what the nodes that took over led to. */
void zc_end_takeovers(zc_plan *plan);

#endif
