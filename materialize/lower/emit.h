/*
 * A finished draft as a stage: its steps become values, in an order in which operands stand before their users, deeper
 * operands first.
 */
#ifndef ZC_MATERIALIZE_LOWER_EMIT_H
#define ZC_MATERIALIZE_LOWER_EMIT_H

#include "materialize/lower/draft.h"

/* The stage of a draft of which all steps are decided. False when memory is out. */
bool zc_draft_emit(zc_plan *plan, zc_draft *draft, zc_stage *out);

#endif
