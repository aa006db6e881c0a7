/* Questions about the steps that see a node, which rules ask to decide about it. */
#ifndef ZC_MATERIALIZE_LOWER_DECIDE_H
#define ZC_MATERIALIZE_LOWER_DECIDE_H

#include "materialize/lower/lower.h"

/* Number of views under which drafts see the node, at least 1: sections of one that was cut see it under one together.
 */
int32_t zc_count_views(const zc_needed *needed);

/* Whether a contraction sees the node, which is then in memory or computed as operands are packed (packed.h); and
 * whether a step is an operand of one. */
bool zc_is_contracted(const zc_needed *needed);
bool zc_is_factor_step(const zc_step *step);

/* Whether the step is all that its draft stores, so that its node may be made there. An eager plan makes pieces of a
 * concat in memory of their own: the whole would be there before the last of them. */
bool zc_stores_step(const zc_lowering *l, zc_step *step);

/* Whether that is so of every step, so that storing the node would only add a copy. */
bool zc_is_stored_by_all(const zc_lowering *l, const zc_needed *needed);

#endif
