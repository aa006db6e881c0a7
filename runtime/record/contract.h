/*
 * Contractions: several operands seen over one set of axes, multiplied, and summed over some of them.
 */
#ifndef ZC_RUNTIME_RECORD_CONTRACT_H
#define ZC_RUNTIME_RECORD_CONTRACT_H

#include "runtime/graph/tensor.h"

/* Records zc_matmul(), in whose errors the function has another name. */
zc_tensor *zc_record_matmul(const zc_tensor *a, const zc_tensor *b, const char *function);

/* The axes of a contraction: those of the result first, then those that are summed over. */
typedef struct zc_contraction {
    const char *function;
    int rank, kept;
    int64_t shape[ZC_MAX_RANK];
} zc_contraction;

/* A view of t as a factor, in float32 where it is a 16-bit float, over all axes: axis a of t is axis place[a], equal
 * places are a diagonal, and along the others, and where t has one element, it repeats. */
zc_tensor *zc_place_axes(const zc_tensor *t, const zc_contraction *c, const int *place);

/* The same axes, with one element along those that are not in the bit set. */
void zc_contraction_own(const zc_contraction *c, uint64_t axes, zc_contraction *out);

/* The product summed, in that dtype. */
zc_tensor *zc_sum_product(const zc_contraction *c, const zc_tensor *product, zc_dtype dtype);

/* A factor over all axes, and those that it has: along the others it has one element. */
typedef struct zc_factor {
    const zc_tensor *shown; /* NULL after a failure */
    uint64_t axes;
} zc_factor;

/* The product of two factors, summed over those of `summed` that they have; over the axes of the contraction again.
 * Axes that only one of them has are summed over before. */
zc_factor zc_contract_step(const zc_contraction *c, zc_factor a, zc_factor b, uint64_t summed);

/* Result of such steps once all axes are summed over: over the axes that are kept, in that dtype. */
zc_tensor *zc_contract_result(const zc_contraction *c, const zc_tensor *product, zc_dtype dtype);

/* The contraction of two factors that are placed, in that dtype. */
zc_tensor *zc_contract_placed(const zc_contraction *c, const zc_tensor *a, const zc_tensor *b, zc_dtype dtype);

/* The contraction of a and b, which are seen over one shape, along the axes of the bit set `summed`; of 16-bit floats
 * in float32, unrounded, of all other dtypes in theirs, which both have. NULL after a failure. */
zc_tensor *zc_record_contract(const zc_tensor *a, const zc_tensor *b, uint64_t summed, const char *function);

#endif
