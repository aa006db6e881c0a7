/*
 * A plan as a graph in Graphviz's language: stages are clusters, values are nodes, buffers are boxes. Every name in it
 * is ours, so nothing needs quoting.
 */
#ifndef ZC_MATERIALIZE_EXPLAIN_EXPLAIN_DOT_H
#define ZC_MATERIALIZE_EXPLAIN_EXPLAIN_DOT_H

#include "materialize/explain/explain.h"
#include "runtime/context/text.h"

void zc_explain_dot(const zc_counts *counts, const zc_reason *refusal, zc_text_builder *text);

#endif
