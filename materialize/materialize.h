/*
 * The public calls that compute, each: is there anything to do? plan, run, hand over.
 */
#ifndef ZC_MATERIALIZE_MATERIALIZE_H
#define ZC_MATERIALIZE_MATERIALIZE_H

#include "runtime/memory/buffer.h"
#include "zerocast.h"

/* zc_materialize_all() for `function`, which its error sentences name. */
zc_status zc_materialize_for(int count, const zc_tensor *const *tensors, const char *function, zc_tensor **out);

/* Computes or copies one of the parts in which a call computes a tensor: nothing is kept beside it, and nobody is
 * charged. */
zc_status zc_materialize_part(const zc_tensor *t, const char *function, zc_tensor **out);

/* The same of several, in one run. On failure all are NULL. */
zc_status zc_materialize_parts(int count, const zc_tensor *const *tensors, const char *function, zc_tensor **out);

/* Stores t's elements, row-major, in a buffer that nobody else sees, whatever memory t views. *out is NULL on failure.
 */
zc_status zc_materialize_copy(const zc_tensor *t, const char *function, zc_buffer **out);

/* zc_materialize_into() for `function`. */
zc_status zc_materialize_into_for(const zc_tensor *t, void *data, size_t bytes, const int64_t *strides, int64_t offset,
                                  const char *function);

/* The check with which a call about several tensors begins: they are there, and of one context. */
zc_status zc_check_tensors(int count, const zc_tensor *const *tensors, const char *function);

/* Refuses a call that was given NULL to put its results in. */
zc_status zc_refuse_place(const zc_tensor *t, const char *function);

#endif
