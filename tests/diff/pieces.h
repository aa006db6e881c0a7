/*
 * A local runner of divisions, whose pieces contexts compute that share nothing: with 1, 2 and 7 threads.
 */
#ifndef ZC_TESTS_DIFF_PIECES_H
#define ZC_TESTS_DIFF_PIECES_H

#include "zerocast.h"

enum { MOST_RESULTS = 2 };

/* Pieces of each kind that were computed. */
typedef struct counts {
    int64_t pieces[ZC_PIECE_NODE + 1];
} counts;

/* Divides up to MOST_RESULTS tensors, computes the pieces, unless there are thousands, and compares them with what is
 * wanted. */
void check_division(zc_context *ctx, int count, const zc_tensor *const *tensors, const zc_tensor *const *wanted,
                    const zc_division_options *options, counts *counted);

#endif
