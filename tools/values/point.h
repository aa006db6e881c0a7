/*
 * Python's arithmetic on complex numbers that are no tensors.
 */
#ifndef ZC_TOOLS_VALUES_POINT_H
#define ZC_TOOLS_VALUES_POINT_H

#include "tools/language/operators.h"
#include "tools/values/object.h"

/* op is a binary operator. Refused: what Python refuses of complex numbers, and results outside complex128. */
bool zc_point_binary(zc_operator op, zc_point a, zc_point b, zc_object *result, zc_fault *fault);

#endif
