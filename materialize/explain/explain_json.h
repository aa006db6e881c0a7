/*
 * A plan as one JSON object, for programs. Everything in it is a number or a name of ours, so nothing needs quoting.
 */
#ifndef ZC_MATERIALIZE_EXPLAIN_EXPLAIN_JSON_H
#define ZC_MATERIALIZE_EXPLAIN_EXPLAIN_JSON_H

#include "materialize/explain/explain.h"
#include "runtime/context/text.h"

void zc_explain_json(const zc_counts *counts, const zc_reason *refusal, zc_text_builder *text);

#endif
