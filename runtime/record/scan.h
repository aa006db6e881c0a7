/*
 * Scans that gradients and tests record.
 */
#ifndef ZC_RUNTIME_RECORD_SCAN_H
#define ZC_RUNTIME_RECORD_SCAN_H

#include "runtime/graph/tensor.h"

/* For each of x's elements along the axis, counted from its end when from_end: the product of those before it, 1 for
 * the first; and what those before it and their factors make by result[i] = x[i-1] + factors[i-1] * result[i-1], 0 for
 * the first. x is of float32 or float64, factors of its dtype and shape. What is recorded on the way belongs to the
 * open scope. */
zc_tensor *zc_record_product_before(const zc_tensor *x, int axis, bool from_end, const char *function);
zc_tensor *zc_record_recurrence(const zc_tensor *x, const zc_tensor *factors, int axis, bool from_end,
                                const char *function);

#endif
