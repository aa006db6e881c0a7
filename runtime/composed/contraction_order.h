/*
 * The order in which einsum contracts its operands, two at a time: a function of the extents alone (docs/numerics.md).
 */
#ifndef ZC_RUNTIME_COMPOSED_CONTRACTION_ORDER_H
#define ZC_RUNTIME_COMPOSED_CONTRACTION_ORDER_H

#include "runtime/record/contract.h"

/* One contraction: the factor at `left` times the one at `right`, a later place, summed over those axes of `summed`
 * that they have. The result takes the place `left`. */
typedef struct zc_contract_pair {
    int left, right;
    uint64_t summed;
} zc_contract_pair;

/* Writes count - 1 pairs for `count` factors, at least one. */
void zc_contraction_order(const zc_contraction *c, int count, const zc_factor *factors, zc_contract_pair *pairs);

#endif
