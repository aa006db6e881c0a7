/* Runs: small pieces of a concat that are only moved become one stage, however many they are. */
#ifndef ZC_MATERIALIZE_LOWER_RUNS_H
#define ZC_MATERIALIZE_LOWER_RUNS_H

#include "materialize/lower/lower.h"

/* Up to so many elements a stage of its own takes longer than moving them does. */
enum { ZC_MOST_RUN_ELEMENTS = 1 << 13 };

/* Whether a policy joins runs of a dtype. Bools are normalized on their way; and where memory is short, each is freed
 * when it has been moved. */
bool zc_may_join_runs(zc_policy policy, zc_dtype dtype);

/* Room in a stage for so many runs. False when memory is out. */
bool zc_stage_make_runs(zc_plan *plan, zc_stage *stage, int32_t count);

/* Joins stages that follow each other and lay small pieces side by side. False when memory is out. */
bool zc_join_runs(zc_plan *plan, zc_policy policy);

#endif
