/*
 * Splitting what reads a concat along the axis that is assembled: each stage becomes as many as there are slabs, each
 * of which reads one. So the slabs are temporaries of their own, and the matrix of which they are parts (distances to
 * two sets, one below the other; the scores of two attentions) is never in memory, where stages that read a slab by
 * rows make a group with what makes it.
 */
#ifndef ZC_MATERIALIZE_REWRITE_SPLIT_H
#define ZC_MATERIALIZE_REWRITE_SPLIT_H

#include "materialize/plan/plan.h"
#include "materialize/plan/policy.h"

/* Splits the stages that read large temporaries in slabs, and those that read what these make. Results have the bits
 * of the stages before. False when memory is out. */
bool zc_split_slabs(zc_plan *plan, zc_policy policy);

#endif
