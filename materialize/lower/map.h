/* Maps: operations in the stages that see them, on operands that are seen through strides or computed positions. */
#ifndef ZC_MATERIALIZE_LOWER_MAP_H
#define ZC_MATERIALIZE_LOWER_MAP_H

#include "materialize/lower/lower.h"

/* Decides to compute a map in the drafts that see it; false in *inlined when that cannot be done for all of its steps,
 * of which none is changed then. False when memory is out. */
bool zc_inline_map(zc_lowering *l, zc_needed *needed, bool *inlined);

#endif
