/*
 * Building one stage: its values, found again instead of repeated, and what is made of a finished one.
 */
#ifndef ZC_MATERIALIZE_BUILDER_H
#define ZC_MATERIALIZE_BUILDER_H

#include "materialize/plan.h"
#include "materialize/table.h"

/* A node as a stage's domain sees it: a view of the domain's shape over the node's storage, without the shape. */
typedef struct zc_seen {
    const zc_node *node;
    int64_t offset;
    const int64_t *stride; /* [rank of the domain] */
} zc_seen;

typedef struct zc_builder {
    zc_plan *plan;
    zc_stage stage;
    int32_t value_room, access_room;
    zc_table values; /* by what they come from */
    zc_table nodes;  /* values of maps, by node alone: to notice a second view */
} zc_builder;

/* An empty stage over that domain. False when memory is out. */
bool zc_builder_begin(zc_builder *builder, zc_plan *plan, int rank, const int64_t *shape);

/* The value of what was seen, or -1. */
int32_t zc_builder_find(const zc_builder *builder, const zc_seen *seen);

/* Whether the stage holds a value of that node under another view. */
bool zc_builder_has_other_view(const zc_builder *builder, const zc_seen *seen);

/* Each adds a value and returns it; -1 when memory is out. `seen` is what it stands for. */
int32_t zc_builder_load(zc_builder *builder, const zc_seen *seen, int32_t slot, zc_dtype dtype, int64_t offset,
                        const int64_t *stride);
int32_t zc_builder_index(zc_builder *builder, const zc_seen *seen);
int32_t zc_builder_constant(zc_builder *builder, const zc_seen *seen);
int32_t zc_builder_op(zc_builder *builder, const zc_seen *seen, const int32_t *args);

/* A stage of its own for value `result` of `from`: just the values it needs, over just the axes in `keep`, along the
 * others at index 0. What a stage does with its result is copied where `from`'s is meant (result is the last
 * value), else the stage only stores. False when memory is out. */
bool zc_stage_extract(zc_plan *plan, const zc_stage *from, int32_t result, uint64_t keep, zc_stage *out);

#endif
