/*
 * The public calls that compute, each: is there anything to do? plan, run, hand over.
 */
#ifndef ZC_MATERIALIZE_MATERIALIZE_H
#define ZC_MATERIALIZE_MATERIALIZE_H

#include "zerocast.h"

/* zc_materialize() for `function`, which its error sentences name. */
zc_status zc_materialize_for(const zc_tensor *t, const char *function, zc_tensor **out);

#endif
