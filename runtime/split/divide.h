/* The shared nodes of a division, its families of pieces, and the blocks of its tensors. */
#ifndef ZC_RUNTIME_SPLIT_DIVIDE_H
#define ZC_RUNTIME_SPLIT_DIVIDE_H

#include "runtime/split/division.h"

/* Finds the shared nodes and the families of a division whose tensors are there. */
zc_status zc_division_divide(zc_division *s);

/* Blocks of a tensor along an axis, and all of them; of no elements there is one. */
int64_t zc_divided_blocks(const zc_divided *d, int axis);
int64_t zc_divided_count(const zc_divided *d);

/* The window that a block of a tensor is. */
void zc_divided_block(const zc_divided *d, int64_t number, int64_t *first, int64_t *count);

/* The window of a tensor; NULL after a failure. */
const zc_tensor *zc_window_of(const zc_tensor *t, const int64_t *first, const int64_t *count);

#endif
