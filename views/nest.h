/*
 * Loop nests: a domain and the strides with which several operands walk it, simplified before any loop runs.
 */
#ifndef ZC_VIEWS_NEST_H
#define ZC_VIEWS_NEST_H

#include "views/shape.h"

/* A loop nest in place: axis a has extent shape[a]; operand o steps stride[o * pitch + a] elements along it. */
typedef struct zc_nest {
    int rank;
    int kept; /* axes 0..kept-1 may be reordered among themselves; kept..rank-1 keep their order (reduced) */
    int operands;
    int pitch; /* >= the rank at the start */
    int64_t *shape;
    int64_t *stride;
} zc_nest;

/* Drops axes of size 1, sorts the kept axes so that the strides of operand 0 do not grow inwards (ties: later operands,
 * then the original order), and merges neighbours that every operand walks as one. Axes are never moved or merged
 * across `kept`. A nest without elements is left with its axes as they are. rank and kept shrink; the
 * arrays are rewritten in place. */
void zc_nest_simplify(zc_nest *nest);

#endif
