/*
 * Whether a tensor is computed in blocks: where these take no more work together than all of it at once.
 *
 * What each block stores all of, they share: means of columns, norms of the other side. It is computed before, where it
 * is little, and kept by its nodes as what nobody asked for.
 */
#ifndef ZC_MATERIALIZE_EAGER_DIVIDE_H
#define ZC_MATERIALIZE_EAGER_DIVIDE_H

#include "materialize/eager/blocks.h"

/* Computes what blocks share, and tells whether they may be computed one by one: nothing large is to be kept, and they
 * take no more work. Then the tensor is charged as one that is computed at once, so that what a program asks for again
 * and again is kept in the end. */
zc_status zc_may_divide(const zc_blocks *blocks, bool *may);

#endif
