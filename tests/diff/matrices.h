/*
 * Matrices that tests divide, and what they compute of them.
 */
#ifndef ZC_TESTS_DIFF_MATRICES_H
#define ZC_TESTS_DIFF_MATRICES_H

#include "zerocast.h"

/* Makes a matrix of float32 of that shape, of numbers from -60 to 65; NULL where memory is out. */
zc_tensor *numbers(zc_context *ctx, int64_t rows, int64_t columns);

/* Records columns of mean 0 and deviation 1. */
zc_tensor *standardized(const zc_tensor *x);

#endif
