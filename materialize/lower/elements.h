/* Maps and gathers, whose elements can be computed wherever they are seen: inlined into the stages that see them, or
 * stored. */
#ifndef ZC_MATERIALIZE_LOWER_ELEMENTS_H
#define ZC_MATERIALIZE_LOWER_ELEMENTS_H

#include "materialize/lower/lower.h"

/* Decides to compute a node in the drafts that see it; false in *inlined when that cannot be done for all of its steps,
 * of which none is changed then. False when memory is out. */
typedef bool zc_inline_function(zc_lowering *l, zc_needed *needed, bool *inlined);

/* Stores what is demanded of a map or a gather, by stages in which that function inlines it. False when memory is out.
 */
bool zc_store_elements(zc_lowering *l, zc_needed *needed, zc_stage_reason reason, zc_inline_function *inline_node);

#endif
