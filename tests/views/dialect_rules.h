/*
 * What each broadcast dialect accepts, stated on plain lists of numbers, without strides and without a line of the
 * library. Slow and plain, so that it can judge the front ends. Whether a shape's elements can be counted in 64 bits
 * is not looked at.
 */
#ifndef ZC_TESTS_VIEWS_DIALECT_RULES_H
#define ZC_TESTS_VIEWS_DIALECT_RULES_H

#include "tests/views/dialects.h"

typedef struct numbers {
    int count;
    int64_t item[ZC_MAX_RANK];
} numbers;

/* The result's shape, and which of its axes shows each axis of the operand. */
typedef struct placement {
    int rank;
    int64_t shape[ZC_MAX_RANK];
    int axis[ZC_MAX_RANK];
} placement;

/* False when the dialect has to refuse. */
bool dialect_rule(dialect d, const numbers *from, const numbers *to, const numbers *axes, placement *out);

#endif
