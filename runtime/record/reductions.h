/*
 * What reductions record.
 */
#ifndef ZC_RUNTIME_RECORD_REDUCTIONS_H
#define ZC_RUNTIME_RECORD_REDUCTIONS_H

#include "runtime/ops/ops.h"

/* Records a public reduction; NULL after a failure. */
zc_tensor *zc_record_reduction(zc_reduction reduction, const zc_tensor *x, int count, const int *axes, bool keepdims);

/* The dtype that a sum of elements of that dtype has. */
zc_dtype zc_sum_dtype(zc_dtype dtype);

#endif
