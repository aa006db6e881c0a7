/*
 * Explaining a plan: what zc_explain() says, in its two forms.
 */
#ifndef ZC_MATERIALIZE_EXPLAIN_H
#define ZC_MATERIALIZE_EXPLAIN_H

#include "materialize/plan.h"
#include "materialize/text.h"

/* In a word or two, why a stage is one of its own, and in a sentence. */
const char *zc_stage_reason_name(zc_stage_reason reason);
const char *zc_stage_reason_sentence(zc_stage_reason reason);

/* The name of an operation, a load or another value. */
const char *zc_value_name(const zc_value *value);

void zc_explain_text(const zc_plan *plan, zc_text *text);
void zc_explain_json(const zc_plan *plan, zc_text *text);

#endif
