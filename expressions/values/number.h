/*
 * Python's arithmetic on numbers that are no tensors, so that shapes and axes can be computed.
 *
 * Invariant: the results are Python's, or there is a sentence: integers are those of int64 and uint64, and what Python
 * would answer with a larger number is refused.
 */
#ifndef ZC_EXPRESSIONS_VALUES_NUMBER_H
#define ZC_EXPRESSIONS_VALUES_NUMBER_H

#include "expressions/language/operators.h"
#include "expressions/values/object.h"

typedef enum zc_order { ZC_ORDER_LESS, ZC_ORDER_EQUAL, ZC_ORDER_GREATER, ZC_ORDER_NONE } zc_order;

/* By exact value; NONE when a NaN is compared, and where complex numbers differ, which have no order. */
zc_order zc_number_compare(zc_object a, zc_object b);

/* op is a unary, a binary or a comparing operator; the operands are numbers. */
bool zc_number_unary(zc_operator op, zc_object x, zc_object *result, zc_fault *fault);
bool zc_number_binary(zc_operator op, zc_object a, zc_object b, zc_object *result, zc_fault *fault);

/* A bool, an integer or a float as a float. */
double zc_number_as_float(zc_object value);

/* Any number as a complex one. */
zc_point zc_number_as_point(zc_object value);

#endif
