/*
 * Python's arithmetic on integers of 64 bits and a sign, which int64 and uint64 have elements for.
 */
#ifndef ZC_EXPRESSIONS_VALUES_WIDE_H
#define ZC_EXPRESSIONS_VALUES_WIDE_H

#include "expressions/language/operators.h"
#include "expressions/values/object.h"

typedef struct zc_wide {
    uint64_t magnitude;
    bool is_negative; /* not of zero */
} zc_wide;

/* A bool or an integer; false, nothing said, for any other object. */
bool zc_wide_read(zc_object value, zc_wide *wide);

double zc_wide_as_float(zc_wide x);

/* -1, 0 or 1: x is less, equal or greater; of a float that is no NaN. */
int zc_wide_compare(zc_wide x, zc_wide y);
int zc_wide_compare_float(zc_wide x, double y);

/* op is a binary operator whose result is an integer: no division, no negative power. Refused: shifts by negative
 * counts, zero as a divisor, and results that neither int64 nor uint64 has. */
bool zc_wide_binary(zc_operator op, zc_wide a, zc_wide b, zc_object *result, zc_fault *fault);

/* -x, ~x and +x. */
bool zc_wide_unary(zc_operator op, zc_wide x, zc_object *result, zc_fault *fault);

#endif
