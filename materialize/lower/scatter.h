/*
 * Scatters: elements put where they belong. What is demanded of one is made without the rest: the base there, then the
 * values whose places lie inside; along axes that positions move along, the whole.
 */
#ifndef ZC_MATERIALIZE_LOWER_SCATTER_H
#define ZC_MATERIALIZE_LOWER_SCATTER_H

#include "materialize/lower/lower.h"

/* Stores what is demanded of a scatter. False when memory is out. */
bool zc_store_scatter(zc_lowering *l, zc_needed *needed, zc_stage_reason reason);

#endif
