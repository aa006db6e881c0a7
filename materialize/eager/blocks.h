/*
 * Tensors that are computed in blocks, for calls that need one of them in memory at a time and not all that an
 * expression gives: those that sort lines, which are independent of each other, and those that pass a result on in
 * row-major order, for which each element is a line.
 *
 * Blocks are runs of indices along one axis, for one place after the other of the axes before it, and all of the lines.
 * A place is an index, or a chunk of indices.
 */
#ifndef ZC_MATERIALIZE_EAGER_BLOCKS_H
#define ZC_MATERIALIZE_EAGER_BLOCKS_H

#include "materialize/eager/operand.h"
#include "views/box.h"

/* Bytes of a block: little beside results that are worth dividing, much beside what planning a block takes. */
enum { ZC_BLOCK_BYTES = 4 << 20 };

typedef struct zc_blocks {
    const zc_tensor *x;
    const char *function;
    uint64_t lines;       /* axes of the lines, a bit each */
    int axis;             /* divided into blocks; -1: x has none beside its lines */
    int64_t extent;       /* indices along that axis, 1 without one */
    int64_t each;         /* indices of a block along it, fewer in the last one */
    int64_t outer;        /* places along the axes before it, but for lines: chunks */
    const int64_t *chunk; /* [x's rank]: a block has whole multiples of it along each axis; NULL: of 1 */
    bool is_whole;        /* x is one block, whatever stands above */
} zc_blocks;

/* Divides a tensor where it is large. One that is computed is one block where it is to be kept, or blocks by themselves
 * take more work (divide.h). Fails as planning and computing do. */
zc_status zc_blocks_begin(zc_blocks *blocks, const zc_tensor *x, uint64_t lines, const int64_t *chunk,
                          const char *function);

int64_t zc_blocks_count(const zc_blocks *blocks);

/* Blocks that stand for all: the first ones, the last one, some between. Their number, at most ZC_SAMPLES. */
enum { ZC_SAMPLES = 6 };
int zc_blocks_sample(const zc_blocks *blocks, int64_t *numbers);

/* Adds what a call takes beside a block. */
typedef void zc_blocks_add(void *user, const zc_blocks *blocks, zc_need *need);

/* Finds what a call needs, with blocks as long as fit into memory; the shortest where none do, which the caller
 * refuses. */
zc_status zc_blocks_fit(zc_blocks *blocks, zc_blocks_add *add, void *user, zc_need *need);

/* Elements of a block, at most. */
int64_t zc_blocks_elements(const zc_blocks *blocks);

/* Refuses a need that does not fit, whose results take so many bytes; names a window of x of which they would fit. */
zc_status zc_blocks_refuse(const zc_blocks *blocks, const zc_need *need, int64_t result_bytes);

/* The indices of block k. */
void zc_block_box(const zc_blocks *blocks, int64_t k, zc_box *box);

/* Block k of x: a new handle, or NULL after a failure. */
zc_tensor *zc_block_take(const zc_blocks *blocks, int64_t k);

/* The part of a result that belongs to block k. The result has the axes of x, and may be shorter along lines. */
void zc_block_place(const zc_blocks *blocks, int64_t k, const zc_view *whole, zc_view *part);

#endif
