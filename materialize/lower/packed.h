/*
 * Decides whether a contraction computes elements of an operand where it packs them, so that they are never stored as a
 * whole: weights that are cast or scaled, the exponentials of scores.
 *
 * A contraction packs an operand again for each block of the other one's rows or columns. So that each element is
 * computed once, the smaller operand never is, and the other one only where that is no wider than a block. Bytes that
 * both operands are cast from are packed as they are, by a strategy of their own.
 */
#ifndef ZC_MATERIALIZE_LOWER_PACKED_H
#define ZC_MATERIALIZE_LOWER_PACKED_H

#include "materialize/lower/lower.h"

/* Tells whether all that sees the node is one contraction, or several of bytes, which may compute it. */
bool zc_is_computed_when_packed(const zc_lowering *l, zc_needed *needed);

#endif
