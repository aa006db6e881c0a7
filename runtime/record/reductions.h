/*
 * What reductions record.
 */
#ifndef ZC_RUNTIME_RECORD_REDUCTIONS_H
#define ZC_RUNTIME_RECORD_REDUCTIONS_H

#include "runtime/ops/ops.h"

/* Records a public reduction; NULL after a failure. */
zc_tensor *zc_record_reduction(zc_reduction reduction, const zc_tensor *x, int count, const int *axes, bool keepdims);

/* Records the log sums of which logsumexp takes the logarithms: complex numbers of the largest element and of the sum
 * of the exponentials of the elements less it. No gradient passes through. */
zc_tensor *zc_record_log_sums(const zc_tensor *x, int count, const int *axes);

/* The dtype that a sum of elements of that dtype has. */
zc_dtype zc_sum_dtype(zc_dtype dtype);

#endif
