/*
 * Explaining a plan: what zc_explain() says, in its three forms.
 *
 * The facts are found once, here, so that the forms cannot differ in them. They are read off the plan: a view that a
 * broadcast made is strides and nothing else, whatever dialect asked for it, so a plan tells broadcasts by their axes
 * of stride 0 and knows no dialects.
 */
#ifndef ZC_MATERIALIZE_EXPLAIN_EXPLAIN_H
#define ZC_MATERIALIZE_EXPLAIN_EXPLAIN_H

#include "materialize/explain/counts.h"
#include "materialize/run/executors.h"

/* Reason why a stage is one of its own. */
zc_named zc_stage_reason_named(zc_stage_reason reason);

/* Facts about a value in its stage. */
typedef struct zc_value_facts {
    zc_named how;            /* origin: fused, hoisted, in place ... and why */
    int stage;               /* stage that makes the loaded elements, or -1 */
    uint64_t broadcast_axes; /* axes of the domain along which the view of its node has stride 0 */
    uint64_t invariant_axes; /* axes along which no load under it moves, so its elements are equal */
    int64_t logical_bytes;   /* bytes if written out over the whole domain; -1 when int64 does not count them */
    int64_t held_bytes;      /* bytes of the slot that it loads from */
    int64_t written_bytes;   /* bytes of this value that the stage writes */
    zc_node_count count;     /* computations of its node, in all stages */
} zc_value_facts;

zc_value_facts zc_explain_value(const zc_counts *counts, const zc_stage *stage, int32_t v);

/* The name of an operation, a load or another value. */
const char *zc_value_name(const zc_value *value);

/* The domain's shape with 1 along the axes where the value does not vary. */
void zc_value_shape(const zc_stage *stage, int32_t v, uint64_t invariant_axes, int64_t *shape);

/* The strides of a load, a pick or an index over the domain; NULL for other values. */
const int64_t *zc_value_strides(const zc_stage *stage, const zc_value *value);

/* The bytes of a slot; of an input, its whole buffer. */
int64_t zc_slot_bytes(const zc_plan *plan, int32_t slot);

/* The bytes a stage writes: its slot's, or a slab of them. */
int64_t zc_stage_written(const zc_plan *plan, const zc_stage *stage);

/* The slot in whose memory this one goes on, by an update in place, or -1. */
int32_t zc_slot_base(const zc_plan *plan, int32_t slot);

/* Name of a stage's result: its reduction, or the operation of its last value. */
const char *zc_stage_result_name(const zc_stage *stage);

/* Number of operations in a stage's one pass, without the reduction. */
int32_t zc_stage_operations(const zc_stage *stage);

#endif
