/*
 * Stages beside updates in place: they make what an update writes over, for those that read it afterwards, and what it
 * is to put where it must not fail.
 */
#ifndef ZC_MATERIALIZE_REWRITE_SAVED_H
#define ZC_MATERIALIZE_REWRITE_SAVED_H

#include "materialize/plan/plan.h"

/* Adds a stage that makes value v of another one, with all that it is made of, in a slot of its own that has just the
 * elements along its axes: so many. The value is a load, or among the first 64. NULL when memory is out. */
zc_stage *zc_add_saved(zc_plan *plan, const zc_stage *stage, int32_t v, int64_t elements, zc_stage_reason reason);

/* Drops the values that nothing uses any more. `at` has room for all. */
void zc_drop_unused(zc_stage *stage, int32_t *at);

/* The update as one that is put (zc_stage_is_put): adds stages to the plan that check its positions, and make what it
 * puts unless that is there and in another slot than `from`. NULL when memory is out. */
zc_stage *zc_put_written(zc_plan *plan, zc_stage *update, int32_t from);

#endif
