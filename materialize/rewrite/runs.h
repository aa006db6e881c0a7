/* Runs: small pieces of a concat that are only moved become one stage, however many they are. */
#ifndef ZC_MATERIALIZE_REWRITE_RUNS_H
#define ZC_MATERIALIZE_REWRITE_RUNS_H

#include "materialize/plan/plan.h"
#include "materialize/plan/policy.h"

/* Most elements that take a stage of their own longer than moving them does. */
enum { ZC_MOST_RUN_ELEMENTS = 1 << 13 };

/* Tells whether a policy joins runs of a dtype. Bools are normalized on their way; and where memory is short, each is
 * freed when it has been moved. */
bool zc_may_join_runs(zc_policy policy, zc_dtype dtype);

/* Joins stages that follow each other and lay small pieces side by side. False when memory is out. */
bool zc_join_runs(zc_plan *plan, zc_policy policy);

#endif
