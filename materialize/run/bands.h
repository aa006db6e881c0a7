/*
 * Bands: a contraction and the elementwise stage that stores over its result take turns, a band of the leading axis at
 * a time, so that the second one finds the band in the caches. Only where there is one thread.
 *
 * Nothing but the order of work differs: both stages are those of the plan, over a part of their domain. What a band is
 * prepared with runs all of them, so it may not depend on where the first one's elements are.
 */
#ifndef ZC_MATERIALIZE_RUN_BANDS_H
#define ZC_MATERIALIZE_RUN_BANDS_H

#include "materialize/plan/group.h"

/* Finds the stages of a plan that take turns. False when memory is out. */
bool zc_plan_make_bands(zc_plan *plan);

/* Lets a stage and its band stand for the band of that number. */
void zc_band_move(const zc_stage *stage, int64_t number);

/* The stage that is prepared and run in place of a stage: its part in a group, its band, or itself. */
static inline zc_stage *zc_stage_run(zc_stage *stage)
{
    return stage->member != NULL ? stage->member->part[0] : stage->band != NULL ? stage->band : stage;
}

#endif
