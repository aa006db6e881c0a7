/* Maps: inlined into the stages that see them, or stored. */
#ifndef ZC_MATERIALIZE_LOWER_MAP_H
#define ZC_MATERIALIZE_LOWER_MAP_H

#include "materialize/lower/lower.h"

/* Decides all steps of a map: it is inlined, or stored. False when memory is out. */
bool zc_lower_map(zc_lowering *l, zc_needed *needed);

/* Decides to compute a map in the drafts that see it; false in *inlined when that cannot be done for all of its steps,
 * of which none is changed then. False when memory is out. */
bool zc_inline_map(zc_lowering *l, zc_needed *needed, bool *inlined);

/* Stores a map or a gather: a stage for each region. False when memory is out. */
bool zc_store_elements(zc_lowering *l, zc_needed *needed, zc_stage_reason reason);

#endif
