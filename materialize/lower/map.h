/* Maps: operations in the stages that see them, on operands that are seen through strides or computed positions. */
#ifndef ZC_MATERIALIZE_LOWER_MAP_H
#define ZC_MATERIALIZE_LOWER_MAP_H

#include "materialize/lower/lower.h"

/* Inlines a map, or stores it. False when memory is out. */
bool zc_inline_map(zc_lowering *l, zc_needed *needed, bool *inlined);
bool zc_store_map(zc_lowering *l, zc_needed *needed, zc_stage_reason reason);

#endif
