/* Gathers: reading through computed positions. */
#ifndef ZC_MATERIALIZE_LOWER_GATHER_H
#define ZC_MATERIALIZE_LOWER_GATHER_H

#include "materialize/lower/lower.h"

/* Decides all steps of a take, or of a gather over several axes. False when memory is out. */
bool zc_lower_take(zc_lowering *l, zc_needed *needed);

#endif
