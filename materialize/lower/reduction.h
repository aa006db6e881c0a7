/*
 * Reductions and contractions: what is demanded of one is a stage that reduces it. A contraction reads its operands
 * from memory, where each element is read many times: what is computed is stored for it (decide.c).
 */
#ifndef ZC_MATERIALIZE_LOWER_REDUCTION_H
#define ZC_MATERIALIZE_LOWER_REDUCTION_H

#include "materialize/lower/lower.h"

/* Decides all steps of a reduction, which is stored. False when memory is out. */
bool zc_lower_reduce(zc_lowering *l, zc_needed *needed);

/* The same of a contraction. */
bool zc_lower_contract(zc_lowering *l, zc_needed *needed);

#endif
