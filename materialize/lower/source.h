/* Sources as stages. */
#ifndef ZC_MATERIALIZE_LOWER_SOURCE_H
#define ZC_MATERIALIZE_LOWER_SOURCE_H

#include "materialize/lower/lower.h"

/* Reads what is demanded of a source into temporaries, which its steps load. False when memory is out. */
bool zc_store_source(zc_lowering *l, zc_needed *needed, zc_stage_reason reason);

#endif
