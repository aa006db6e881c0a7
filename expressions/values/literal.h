/*
 * Values that are no tensors where a tensor is wanted: numbers as constants, nested lists as arrays.
 */
#ifndef ZC_EXPRESSIONS_VALUES_LITERAL_H
#define ZC_EXPRESSIONS_VALUES_LITERAL_H

#include "expressions/values/object.h"

/* The most elements that a nested list may spell out. */
enum { ZC_MAX_LITERAL_ELEMENTS = 1 << 24 };

/* Dtype of a number among tensors: weak, as of Python's scalars, or the default one of its kind. */
typedef enum zc_strength { ZC_WEAK, ZC_STRONG } zc_strength;

/* A tensor with a reference for the caller. `function` begins the sentence of a refusal. NULL with a fault when the
 * value is neither tensor nor number nor a regular nest of numbers. */
zc_tensor *zc_literal_tensor(zc_context *ctx, zc_object value, zc_strength strength, const char *function,
                             zc_fault *fault);

#endif
