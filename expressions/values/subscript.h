/*
 * x[...]: subscripts of tensors, tuples and lists.
 */
#ifndef ZC_EXPRESSIONS_VALUES_SUBSCRIPT_H
#define ZC_EXPRESSIONS_VALUES_SUBSCRIPT_H

#include "expressions/values/object.h"

/* Integers, slices, None, one ellipsis, and tensors or lists of positions or of truths (masks) for tensors; an integer
 * or a slice for tuples and lists. *computes becomes true where a mask was computed, which the shape depends on. */
bool zc_subscript(zc_context *ctx, zc_object x, zc_object index, zc_object *result, bool *computes, zc_fault *fault);

#endif
