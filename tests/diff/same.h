/*
 * When results are the same: bit by bit, but a NaN is a NaN.
 */
#ifndef ZC_TESTS_DIFF_SAME_H
#define ZC_TESTS_DIFF_SAME_H

#include "zerocast.h"

/* The dtype of a complex dtype's parts; any other dtype is its own part. */
zc_dtype part_of(zc_dtype dtype);

/* The bits of an element of a part's dtype; of every NaN the same ones, since its sign and payload are no part of the
 * contract. Only an int64 or uint64 may have these bits, too. */
uint64_t part_bits(zc_dtype part, const void *element);

/* The elements of `got` have the bits of those of `wanted` from element `first` on. A NaN is a NaN: its sign and
 * payload are no part of the contract. Both are dense; `how` says what was done. */
void expect_same(const zc_tensor *wanted, const zc_tensor *got, int64_t first, const char *how);

#endif
