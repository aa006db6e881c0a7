/*
 * A plan in one line per stage, for people who know what a plan is: what each makes, in which blocks, of which buffers.
 */
#ifndef ZC_MATERIALIZE_EXPLAIN_EXPLAIN_BRIEF_H
#define ZC_MATERIALIZE_EXPLAIN_EXPLAIN_BRIEF_H

#include "materialize/explain/explain.h"
#include "runtime/context/text.h"

void zc_explain_brief(const zc_counts *counts, const zc_reason *refusal, zc_text_builder *text);

#endif
