/*
 * Selections: the first elements of each line along an axis in the order of sorting, recorded rather than computed.
 */
#ifndef ZC_RUNTIME_RECORD_SELECT_H
#define ZC_RUNTIME_RECORD_SELECT_H

#include "runtime/graph/tensor.h"

/* Most elements of a line that are selected by recording: more are sorted. */
enum { ZC_MOST_SELECTED = 128 };

/* Tells that `count` elements of each line may be selected. */
bool zc_may_select(const zc_tensor *x, int axis, int64_t count);

/* Records the first `count` elements of each line along an axis, or their numbers: by ZC_REDUCTION_MAX or MIN, and
 * ARGMAX or ARGMIN. NULL after a failure. */
zc_tensor *zc_record_select(const zc_tensor *x, int axis, int64_t count, zc_reduction by, const char *function);

#endif
