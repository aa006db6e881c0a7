/*
 * Concats. Where a step sees but one operand, that is what it sees: a slice of a concat costs what a slice of the
 * operand costs. An elementwise stage that sees several operands is cut where they meet, if it is large: each section
 * sees but one, so nothing of the concat is stored. Elsewhere what is demanded of the concat is assembled: every
 * operand that takes part is a stage of its own, a piece, which stores its slab of one temporary. A concat that is all
 * that some stage stores is assembled where that stage would store it; so concats inside concats, and a concat that is
 * the result, are written once. Small pieces of what is given are one stage together (rewrite/runs.h).
 */
#ifndef ZC_MATERIALIZE_LOWER_CONCAT_H
#define ZC_MATERIALIZE_LOWER_CONCAT_H

#include "materialize/lower/lower.h"

/* Least number of elements of a stage that is cut: sections of smaller ones take longer than storing the concat; and
 * number of its sections at most. */
enum { ZC_LEAST_CUT = 1 << 13, ZC_MOST_CUT = 32 };

/* Passes each step on to the one operand that it sees, if it sees but one. False when memory is out. */
bool zc_pass_on_concat(zc_lowering *l, zc_needed *needed);

/* Assembles the concat where the one draft that sees it would store it, if it is all that this stores. False when
 * memory is out. */
bool zc_assemble_concat(zc_lowering *l, zc_needed *needed, zc_stage_reason reason);

/* Tells a stage of so many elements that is large enough to be cut, or that tests want to be. */
static inline bool zc_may_be_cut_at_all(const zc_lowering *l, int64_t size)
{
    return size >= ZC_LEAST_CUT || l->plan->ctx->block_length > 0;
}

/* Tells a concat that elementwise stages alone see, which may be cut so that each section sees one operand. */
bool zc_may_be_cut(zc_lowering *l, zc_needed *needed);

/* Cuts these stages, and passes their steps on. False when memory is out. */
bool zc_cut_at_concat(zc_lowering *l, zc_needed *needed, zc_stage_reason reason);

/* Assembles what is demanded of the concat. False when memory is out. */
bool zc_store_concat(zc_lowering *l, zc_needed *needed, zc_stage_reason reason);

#endif
