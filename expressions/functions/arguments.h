/*
 * Arguments as the library wants them: tensors, shapes, axes, integers, flags, dtypes.
 *
 * Each function reads argument i of a call; when the value is not of that sort it fills the fault with a sentence that
 * names the function and the parameter, and returns false or NULL.
 */
#ifndef ZC_EXPRESSIONS_FUNCTIONS_ARGUMENTS_H
#define ZC_EXPRESSIONS_FUNCTIONS_ARGUMENTS_H

#include "expressions/functions/function.h"

bool zc_argument_is_none(const zc_call *call, int i);

/* The tensor is borrowed: the caller's, or the call's when it was made of a number or a list. */
const zc_tensor *zc_argument_tensor(zc_call *call, int i);

/* Ends the call's scope; the result, or NULL, is the caller's. */
zc_tensor *zc_call_keep(zc_scope *scope, zc_tensor *result);

/* Tells dtypes of complex numbers. */
bool zc_argument_is_complex(zc_dtype dtype);

/* Tells tensors of one shape. */
bool zc_arguments_have_one_shape(const zc_tensor *a, const zc_tensor *b);

/* An integer, or a tuple or list of them, at most ZC_MAX_RANK. */
bool zc_argument_shape(zc_call *call, int i, int *rank, int64_t shape[ZC_MAX_RANK]);

/* The same for axes; None is ZC_ALL_AXES, a count of -1. */
bool zc_argument_axes(zc_call *call, int i, int *count, int axes[ZC_MAX_RANK]);

bool zc_argument_axis(zc_call *call, int i, int *axis);
bool zc_argument_integer(zc_call *call, int i, int64_t *integer);
bool zc_argument_flag(zc_call *call, int i, bool *flag);

/* One of `count` names as its number; None is the first. */
bool zc_argument_choice(zc_call *call, int i, const char *const *names, int count, int *choice);

/* Any number. */
bool zc_argument_point(zc_call *call, int i, zc_object *number);

/* A bool, integer or float. */
bool zc_argument_number(zc_call *call, int i, zc_object *number);

/* A dtype; *dtype stays as it is for None when that is allowed by the parameter's default. */
bool zc_argument_dtype(zc_call *call, int i, zc_dtype *dtype);

/* Tells whether a number may be a bound of x from above, or from below: not where it is an integer beyond that end of
 * x's dtype. */
bool zc_argument_binds(zc_object value, const zc_tensor *x, bool is_high);

/* Tells whether the integers of a number or of nested lists are elements of the dtype; any is one of a dtype of
 * floats. */
bool zc_argument_fits(zc_call *call, zc_object value, zc_dtype dtype);

#endif
