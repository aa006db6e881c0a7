/*
 * What each broadcast dialect accepts, stated on lists of up to two small numbers, without strides and without a line
 * of the library. Slow and plain, so that it can judge the front ends.
 */
#ifndef ZC_TESTS_VIEWS_DIALECT_RULES_H
#define ZC_TESTS_VIEWS_DIALECT_RULES_H

#include "tests/views/dialects.h"

typedef struct small {
    int count;
    int item[2];
} small;

/* The result's shape, and which of its axes shows each axis of the operand. */
typedef struct placement {
    int rank;
    int64_t shape[4];
    int axis[2];
} placement;

/* False when the dialect has to refuse. */
bool dialect_rule(dialect d, const small *from, const small *to, const small *axes, placement *out);

#endif
