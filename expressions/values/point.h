/*
 * Python's arithmetic on complex numbers that are no tensors.
 */
#ifndef ZC_EXPRESSIONS_VALUES_POINT_H
#define ZC_EXPRESSIONS_VALUES_POINT_H

#include "expressions/language/operators.h"
#include "expressions/values/object.h"

/* op is a binary operator. Refused: what Python refuses of complex numbers, and results outside complex128. */
bool zc_point_binary(zc_operator op, zc_point a, zc_point b, zc_object *result, zc_fault *fault);

#endif
