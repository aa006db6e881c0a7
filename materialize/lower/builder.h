/*
 * Building one stage: its values, found again instead of repeated, and what is made of a finished one.
 */
#ifndef ZC_MATERIALIZE_LOWER_BUILDER_H
#define ZC_MATERIALIZE_LOWER_BUILDER_H

#include "materialize/plan/plan.h"
#include "runtime/memory/table.h"

/* A node as a stage's domain sees it: a view of the domain's shape over the node's storage, without the shape. Axes
 * beyond the domain's are picked: the position along them is not a loop's, but a value of the stage. */
typedef struct zc_seen {
    const zc_node *node;
    int64_t offset;
    int rank;              /* the domain's rank, and as many picked axes as it takes */
    const int64_t *stride; /* [rank] */
} zc_seen;

/* An axis whose positions are the elements of a check, which has its extent. */
typedef struct zc_picked_axis {
    int32_t check;
    bool is_read; /* a pick depends on it */
    int64_t extent;
} zc_picked_axis;

typedef struct zc_builder {
    zc_plan *plan;
    zc_stage stage;
    zc_picked_axis *picked; /* [picked_count]: the axes from the domain's rank on */
    int32_t picked_count, picked_room;
    int32_t promised_count; /* picked axes that are still to come, for takes whose positions are on their way */
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

/* What was seen, with the shape that goes with it. */
void zc_builder_view(const zc_builder *builder, const zc_seen *seen, zc_view *out);

/* Whether the domain has room for so many picked axes more, beside those that are promised. */
bool zc_builder_has_room(const zc_builder *builder, int count);

/* How many picked axes move what is seen so. A load has room for ZC_MAX_ARITY; more are joined into one. */
int zc_builder_count_picked(const zc_builder *builder, int rank, const int64_t *stride);

/* The axis picked by `positions`, an int64 value, as an axis of views; -1 when memory is out. `node` is what it is
 * picked for, `kind` whose positions they are. */
int zc_builder_pick_axis(zc_builder *builder, const zc_node *node, zc_take_kind kind, int32_t positions,
                         const zc_taken_axis *axis);

/* Each adds a value and returns it; -1 when memory is out. `seen` is what it stands for, and of the rank of `stride`.
 */
int32_t zc_builder_load(zc_builder *builder, const zc_seen *seen, int32_t slot, zc_dtype dtype, int64_t offset,
                        const int64_t *stride);
int32_t zc_builder_index(zc_builder *builder, const zc_seen *seen); /* of an iota, whose elements are their positions */
int32_t zc_builder_constant(zc_builder *builder, const zc_seen *seen);
int32_t zc_builder_op(zc_builder *builder, const zc_seen *seen, const int32_t *args);

/* Adds what no node stands for: where in the node's row-major order the domain stands; an operation on values (y is -1
 * for one operand), and an int64 constant. `node` is what they serve. Such a value is not found again, nor hoisted. */
int32_t zc_builder_position(zc_builder *builder, const zc_seen *seen);
int32_t zc_builder_derive(zc_builder *builder, const zc_node *node, zc_op op, int32_t x, int32_t y);
int32_t zc_builder_number(zc_builder *builder, const zc_node *node, int64_t number);

/* value, made to depend on the check of a picked axis: its positions are checked although nothing is read by them. */
int32_t zc_builder_guard(zc_builder *builder, const zc_node *node, int32_t value, int32_t check);

/* A stage of its own for value `result` of `from`: just the values it needs, over just the axes in `keep`, along the
 * others at index 0. What a stage does with its result is copied where `from`'s is meant (result is the last
 * value), else the stage only stores. False when memory is out. */
bool zc_stage_extract(zc_plan *plan, const zc_stage *from, int32_t result, uint64_t keep, zc_stage *out);

#endif
