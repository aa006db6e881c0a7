/*
 * Counts: how often a plan computes each node, as elements computed and elements needed.
 *
 * An element is computed once where it is stored, and where one stage that sees it once computes it. Several views,
 * several stages and overlapping windows compute it again. Needed is what the consumers see, as the regions that
 * lowering would store (lower/region.h).
 */
#ifndef ZC_MATERIALIZE_EXPLAIN_COUNTS_H
#define ZC_MATERIALIZE_EXPLAIN_COUNTS_H

#include "materialize/plan/plan.h"

/* Elements of a node, in all stages. Both saturate; both are 0 for nodes that are not computed: constants, indices and
 * inputs. */
typedef struct zc_node_count {
    int64_t computed, needed;
} zc_node_count;

typedef struct zc_counts {
    const zc_plan *plan;
    int32_t *first;       /* [stage_count]: index of each stage's first value */
    zc_node_count *nodes; /* one per value, for its node */
} zc_counts;

/* Counts, in the plan's arena. False when memory is out. Cost O(values). */
bool zc_counts_make(zc_plan *plan, zc_counts *counts);

/* Counts for the node of value v of a stage of the plan. */
zc_node_count zc_counts_of(const zc_counts *counts, const zc_stage *stage, int32_t v);

#endif
