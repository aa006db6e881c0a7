/*
 * Operands whose lines are independent of each other, computed in blocks of lines: a call that sorts lines needs those
 * of one block in memory, and not all that an expression gives.
 */
#ifndef ZC_MATERIALIZE_EAGER_BLOCKS_H
#define ZC_MATERIALIZE_EAGER_BLOCKS_H

#include "materialize/eager/operand.h"

typedef struct zc_blocks {
    const zc_tensor *x;
    int axis;       /* divided into blocks; -1: x has no axis beside its lines */
    int64_t extent; /* indices along that axis, 1 without one */
    int64_t each;   /* indices of a block along it, fewer in the last one */
} zc_blocks;

/* Divides an operand of lines, which lie along the axes of a mask, where it is large. One that is computed is one block
 * where it is to be kept, or a block by itself takes more than its part of the work. Fails as planning does. */
zc_status zc_blocks_begin(zc_blocks *blocks, const zc_tensor *x, uint64_t lines, const char *function);

/* Begins a need with bringing a block into memory. */
zc_status zc_blocks_need(const zc_blocks *blocks, zc_need *need);

/* Makes blocks half as long, under a memory limit; false where they are as short as can be, or x exists. */
bool zc_blocks_shorten(zc_blocks *blocks);

/* Refuses a need that does not fit, whose results take so many bytes; names a window of x of which they would fit. */
zc_status zc_blocks_refuse(const zc_blocks *blocks, zc_need *need, int64_t result_bytes);

/* The block that begins with an index: a new handle, or NULL after a failure. */
zc_tensor *zc_block_take(const zc_blocks *blocks, int64_t first);

/* The part of a result that belongs to that block. The result has the axes of x. */
void zc_block_place(const zc_blocks *blocks, int64_t first, const zc_view *whole, zc_view *part);

#endif
