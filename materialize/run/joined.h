/*
 * Concats of few bytes that the program has, joined without a plan: an array that grows has another shape in each step,
 * so that none finds a plan, and planning takes longer than the copy.
 */
#ifndef ZC_MATERIALIZE_RUN_JOINED_H
#define ZC_MATERIALIZE_RUN_JOINED_H

#include "runtime/graph/tensor.h"

/* Joins the concat that t is made of, which a plan would buy at once (lower/buy.h), where its operands are in memory.
 * The concat then has its elements, as after a run. */
void zc_join_small(const zc_tensor *t);

#endif
