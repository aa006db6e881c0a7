/*
 * Whether to store a node or to compute it wherever it is seen.
 *
 * Work is counted in elements: an operation at its cost in the table of operations, a load and a store as one each. If
 * a node is inlined, every element of the domains that see it costs `cost`; if it is stored, every demanded element
 * costs that and a store, and every element of the domains a load. Storing everything is what an eager runtime does;
 * each node that is inlined because it takes less work than that leaves less, so a plan never does more.
 */
#ifndef ZC_MATERIALIZE_LOWER_DECIDE_H
#define ZC_MATERIALIZE_LOWER_DECIDE_H

#include "materialize/lower/lower.h"

/* Whether storing what is demanded of a node takes less work than computing it for every step. */
bool zc_is_better_stored(zc_lowering *l, zc_needed *needed);

/* Whether a contraction sees the node, which is then in memory or computed as operands are packed (packed.h); and
 * whether it is an operand of one, or a step is. */
bool zc_is_contracted(const zc_needed *needed);
bool zc_is_factor(const zc_needed *needed);
bool zc_is_factor_step(const zc_step *step);

/* Whether the step is all that its draft stores, so that its node may be made there. An eager plan makes pieces of a
 * concat in memory of their own: the whole would be there before the last of them. */
bool zc_stores_step(const zc_lowering *l, zc_step *step);

/* Whether that is so of every step, so that storing the node would only add a copy. */
bool zc_is_stored_by_all(const zc_lowering *l, const zc_needed *needed);

#endif
