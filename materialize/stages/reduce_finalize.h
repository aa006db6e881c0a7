/* The end of a reduction: from combined elements to the result, so that the rules for invariant axes round the same
 * everywhere. */
#ifndef ZC_MATERIALIZE_STAGES_REDUCE_FINALIZE_H
#define ZC_MATERIALIZE_STAGES_REDUCE_FINALIZE_H

#include "materialize/plan/stage.h"

/* Turns n combined values into what the stage stores: the rule for invariant axes, the mean's division, the index over
 * all reduced axes, the logarithm of a log sum, unless it is stored itself. combined may be NULL when nothing was
 * walked (an empty reduction). numbers is NULL but for an index reduction whose axes are walked. out holds the stage's
 * result dtype and may be `combined` where the dtypes agree. */
void zc_finalize(const zc_stage *stage, const void *combined, const int64_t *numbers, void *out, int64_t n);

#endif
