/* Gathers: reading through computed positions. */
#ifndef ZC_MATERIALIZE_LOWER_GATHER_H
#define ZC_MATERIALIZE_LOWER_GATHER_H

#include "materialize/lower/lower.h"

/* Decides to compute a gather in the drafts that see it, as zc_inline_map() does a map. */
bool zc_inline_gather(zc_lowering *l, zc_needed *needed, bool *inlined);

#endif
