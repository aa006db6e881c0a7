/* Stages that lay values side by side along an axis: small pieces of a concat that are only moved. */
#ifndef ZC_MATERIALIZE_STAGES_RUNS_H
#define ZC_MATERIALIZE_STAGES_RUNS_H

#include "materialize/plan/stage.h"

extern const zc_stage_kind zc_stage_kind_runs;

/* Makes a stage one of runs along an axis of its domain, with room for so many values and none yet. False when memory
 * is out. */
bool zc_runs_begin(zc_arena *arena, zc_stage *stage, int axis, int32_t count);

/* Adds a value of so many coordinates behind the others, its access last: the value, to be filled in. Returns its
 * number. */
int32_t zc_runs_add(zc_stage *stage, int64_t length);

/* Tells a stage that lays runs along the axis. */
bool zc_runs_are_along(const zc_stage *stage, int axis);

/* The coordinate behind the last run. */
int64_t zc_runs_end(const zc_stage *stage);

#endif
