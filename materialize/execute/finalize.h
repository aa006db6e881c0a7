/*
 * What executors share about stages: which kernel an operation takes, what a reduction walks, and its end: from
 * combined elements to the result, so that the rules for invariant axes round the same everywhere.
 */
#ifndef ZC_MATERIALIZE_EXECUTE_FINALIZE_H
#define ZC_MATERIALIZE_EXECUTE_FINALIZE_H

#include "materialize/kernels/tables/dispatch.h"
#include "materialize/plan/plan.h"

/* The kernel that computes an operation's value. */
zc_map_kernel *zc_kernel_of(const zc_kernels *kernels, const zc_stage *stage, const zc_value *value);

/* Number of elements combined into each result: the reduced axes that are walked. */
int64_t zc_walked_count(const zc_stage *stage);

/* Whether the results of a stage that reduces are combined at all: not when no axis is left to walk, nor when what is
 * walked is empty. */
bool zc_is_combined(const zc_stage *stage);

/* Turns n combined values into what the stage stores: the rule for invariant axes, the mean's division, the index over
 * all reduced axes. combined may be NULL when nothing was walked (an empty reduction). numbers is NULL but for an index
 * reduction whose axes are walked. out holds the stage's result dtype and may be `combined` where the dtypes agree. */
void zc_finalize(const zc_stage *stage, const void *combined, const int64_t *numbers, void *out, int64_t n);

#endif
