/*
 * A plan in words, for people: a table of its buffers, and one of each stage's values.
 */
#ifndef ZC_MATERIALIZE_EXPLAIN_EXPLAIN_TEXT_H
#define ZC_MATERIALIZE_EXPLAIN_EXPLAIN_TEXT_H

#include "materialize/explain/explain.h"
#include "materialize/stages/contract_facts.h"
#include "runtime/context/text.h"

/* Words of the other forms, too: "(2, 3)", " 1.5", "input 1", "sum". */
void zc_explain_tuple(const int64_t *numbers, int count, zc_text_builder *text);
void zc_explain_constant(const zc_value *value, zc_text_builder *text);
void zc_explain_slot(const zc_plan *plan, int32_t slot, zc_text_builder *text);
void zc_explain_result(const zc_plan *plan, int32_t result,
                       zc_text_builder *text); /* "int8 (2,) strides (1,), output 0" */
void zc_explain_hint_sentence(const zc_hint *hint, zc_text_builder *text);

/* Lines of the whole plan: its results, its bytes, and why a limit refuses it; and that there is nothing to run. */
void zc_explain_head(const zc_plan *plan, const zc_reason *refusal, zc_text_builder *text);
void zc_explain_nothing(const zc_plan *plan, zc_text_builder *text);

void zc_explain_text(const zc_counts *counts, const zc_reason *refusal, zc_text_builder *text);

/* Adds the times a node is computed: elements computed over elements needed; "-" when it is not. */
void zc_explain_times(zc_node_count count, zc_text_builder *text);

#endif
