/* Maps and gathers, whose elements can be computed wherever they are seen: inlined into the stages that see them, or
 * stored. */
#ifndef ZC_MATERIALIZE_LOWER_ELEMENTS_H
#define ZC_MATERIALIZE_LOWER_ELEMENTS_H

#include "materialize/lower/lower.h"

/* Decides all steps of a map or a gather. False when memory is out. */
bool zc_lower_elements(zc_lowering *l, zc_needed *needed);

#endif
