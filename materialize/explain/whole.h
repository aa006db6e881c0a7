/*
 * Explains why a large temporary is in memory as a whole and not by blocks of rows, as far as the plan tells: the stage
 * that makes it has no rows of it by themselves, or one that reads it sees other rows, or sees them later.
 */
#ifndef ZC_MATERIALIZE_EXPLAIN_WHOLE_H
#define ZC_MATERIALIZE_EXPLAIN_WHOLE_H

#include "materialize/plan/group.h"

typedef struct zc_whole {
    const char *name;     /* of the reason, or NULL of a slot that is small, by blocks, or written over */
    const char *sentence; /* of which the stage is the subject */
    int stage;            /* counted from 1, as explain counts */
} zc_whole;

zc_whole zc_explain_whole(const zc_plan *plan, int32_t slot);

#endif
