/* Maps: operations in the stages that see them, on operands that are seen through strides or computed positions. */
#ifndef ZC_MATERIALIZE_LOWER_MAP_H
#define ZC_MATERIALIZE_LOWER_MAP_H

#include "materialize/lower/lower.h"

/* Decides all steps of a map. False when memory is out. */
bool zc_lower_map(zc_lowering *l, zc_needed *needed);

#endif
