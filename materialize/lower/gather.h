/* Gathers: reading through computed positions. */
#ifndef ZC_MATERIALIZE_LOWER_GATHER_H
#define ZC_MATERIALIZE_LOWER_GATHER_H

#include "materialize/lower/lower.h"

/* Inlines a take, or a gather over several axes, or stores it. False when memory is out. */
bool zc_inline_take(zc_lowering *l, zc_needed *needed, bool *inlined);
bool zc_store_take(zc_lowering *l, zc_needed *needed, zc_stage_reason reason);

#endif
