/*
 * Reductions, selections and contractions: what is demanded of one is a stage that reduces it. A contraction reads its
 * operands from memory, where each element is read many times: what is computed is stored for it (rules.c).
 */
#ifndef ZC_MATERIALIZE_LOWER_REDUCE_H
#define ZC_MATERIALIZE_LOWER_REDUCE_H

#include "materialize/lower/picked.h"

/* Stores what is demanded of a reduction. False when memory is out. */
bool zc_store_reduce(zc_lowering *l, zc_needed *needed, zc_stage_reason reason);

/* Tells results of the node at hand that take less work where they are picked: they are few, or what is picked of the
 * operands is copied. */
bool zc_is_worth_picking(zc_lowering *l, const zc_picked *picked);

/* The same of a contraction, and of a selection. */
bool zc_store_contract(zc_lowering *l, zc_needed *needed, zc_stage_reason reason);
bool zc_store_select(zc_lowering *l, zc_needed *needed, zc_stage_reason reason);

#endif
