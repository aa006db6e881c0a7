/*
 * What reductions record.
 */
#ifndef ZC_RUNTIME_RECORD_REDUCTIONS_H
#define ZC_RUNTIME_RECORD_REDUCTIONS_H

#include "zerocast.h"

/* The dtype that a sum of elements of that dtype has. */
zc_dtype zc_sum_dtype(zc_dtype dtype);

#endif
