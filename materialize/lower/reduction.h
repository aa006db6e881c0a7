/* Reductions: what is demanded of one is a stage that reduces it. */
#ifndef ZC_MATERIALIZE_LOWER_REDUCTION_H
#define ZC_MATERIALIZE_LOWER_REDUCTION_H

#include "materialize/lower/lower.h"

/* Decides all steps of a reduction, which is stored. False when memory is out. */
bool zc_lower_reduce(zc_lowering *l, zc_needed *needed);

#endif
