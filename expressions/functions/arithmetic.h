/*
 * Operators and attributes on values of any kind: numbers among themselves are Python's, everything that meets a
 * tensor is the library's.
 */
#ifndef ZC_EXPRESSIONS_FUNCTIONS_ARITHMETIC_H
#define ZC_EXPRESSIONS_FUNCTIONS_ARITHMETIC_H

#include "expressions/language/operators.h"
#include "expressions/values/object.h"

/* The longest tuple or list that + and * make. */
enum { ZC_MAX_COMPUTED_ITEMS = 1024 };

bool zc_apply_unary(zc_context *ctx, zc_operator op, zc_object x, zc_object *result, zc_fault *fault);
bool zc_apply_binary(zc_context *ctx, zc_operator op, zc_object a, zc_object b, zc_object *result, zc_fault *fault);

/* x.name */
bool zc_apply_attribute(zc_context *ctx, zc_object x, const char *name, zc_object *result, zc_fault *fault);

#endif
