/*
 * Splits stages that read a concat along the axis that is assembled: each becomes as many as there are slabs, of which
 * each reads one. So the slabs are temporaries of their own, and the matrix that they are parts of (distances to two
 * sets, one below the other; the scores of two attentions) is never in memory, where stages that read a slab by rows
 * make a group with the stage that makes it.
 */
#ifndef ZC_MATERIALIZE_REWRITE_SLABS_H
#define ZC_MATERIALIZE_REWRITE_SLABS_H

#include "materialize/plan/plan.h"
#include "materialize/plan/policy.h"

/* Splits the stages that read large temporaries in slabs, and those that read what these make. Results have the bits
 * of the stages before. False when memory is out. */
bool zc_split_slabs(zc_plan *plan, zc_policy policy);

#endif
