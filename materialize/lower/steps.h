/* Steps: views of nodes from drafts. */
#ifndef ZC_MATERIALIZE_LOWER_STEPS_H
#define ZC_MATERIALIZE_LOWER_STEPS_H

#include "materialize/lower/lower.h"

/* Finds or makes the step of a draft that sees a node, or an operand of the node that is decided now, through *view.
 * NULL when memory is out. `origin` is that of the slot that the node is read from, if it has data. */
zc_step *zc_use(zc_lowering *l, zc_draft *draft, zc_needed *needed, const zc_view *view, int64_t origin);
zc_step *zc_use_operand(zc_lowering *l, zc_draft *draft, int operand, const zc_view *view);

/* Lets drafts for sections of its domain take the place of one, of which no axis was split or gathered, and which
 * nothing else leads to: begins that for `length` elements from `first` on along an axis, with the same steps, without
 * slabs and before all drafts. Steps that see the node at hand are to be open. NULL when memory is out. */
zc_draft *zc_begin_section(zc_lowering *l, zc_draft *whole, int axis, int64_t first, int64_t length,
                           zc_stage_reason reason);

/* Brings all steps of the node up to date. False when memory is out. */
bool zc_catch_up(zc_lowering *l, zc_needed *needed);

/* Counts the draft's steps of the node. */
int zc_count_steps(const zc_needed *needed, const zc_draft *draft);

/* Finds the view of operand i of the step's node; false when no strides express it. */
bool zc_see_operand(const zc_step *step, int i, zc_view *out);

/* Tells whether the operands of a node can be seen through a view of it. */
bool zc_can_see_operands(const zc_node *node, const zc_view *view);

/* Splits axes of the step's draft so that all operands of its node can be seen; false when that does not help. */
bool zc_split_for(zc_lowering *l, zc_step *step);

/* ---- Queries of rules about the steps that see a node ---- */

/* Number of views under which drafts see the node, at least 1: sections of one that was cut see it under one together.
 */
int32_t zc_count_views(const zc_needed *needed);

/* Tells a node that a contraction sees, which is then in memory or computed as operands are packed (packed.h); and a
 * step that is an operand of one. */
bool zc_is_contracted(const zc_needed *needed);
bool zc_is_factor_step(const zc_step *step);

/* Tells a step that is all that its draft stores, so that its node may be made there. An eager plan makes pieces of a
 * concat in memory of their own: the whole would be there before the last of them. */
bool zc_stores_step(const zc_lowering *l, zc_step *step);

/* Tells a node of which that is so of every step, so that storing it would only add a copy. */
bool zc_is_stored_by_all(const zc_lowering *l, const zc_needed *needed);

#endif
