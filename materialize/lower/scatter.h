/* Scatters: elements that come together from anywhere, so that all of one is made. */
#ifndef ZC_MATERIALIZE_LOWER_SCATTER_H
#define ZC_MATERIALIZE_LOWER_SCATTER_H

#include "materialize/lower/lower.h"

/* Decides all steps of a scatter, which is stored whole. False when memory is out. */
bool zc_lower_scatter(zc_lowering *l, zc_needed *needed);

#endif
