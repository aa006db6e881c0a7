/*
 * Divides a contraction into blocks of rows and columns, chooses which factors are packed, and lays out a worker's
 * memory. A computed operand is computed once: it is not divided along the other one's axes, except for casts of bytes
 * (lower/packed.h).
 *
 * That memory is data memory where it is more than ZC_BLOCKING_SMALL: it grows with the operands, up to some MB per
 * thread. Where the stage's limit has no room for it blocks become smaller, until they are no larger than the blocks of
 * other stages, which are header memory. So there is a division for every limit, with any number of threads.
 */
#ifndef ZC_MATERIALIZE_TILE_BLOCKING_H
#define ZC_MATERIALIZE_TILE_BLOCKING_H

#include "materialize/tile/contractions/computed_operand.h"
#include "materialize/tile/contractions/contraction.h"
#include "materialize/tile/contractions/groups.h"

/* Bytes of a worker's own memory, or of all results of groups, up to which they are header memory. */
enum { ZC_BLOCKING_SMALL = 1 << 17 };

typedef struct zc_blocking {
    zc_contract_shape shape;
    zc_contract_kernels kernels;
    const zc_computed_operand *x, *y; /* operands that are computed, else NULL */
    int64_t rows, columns;            /* extents of a block */
    int64_t row_blocks, col_blocks;   /* number of blocks */
    int64_t panels;                   /* panels of a block that are summed together: 1, or all */
    int64_t sum_panels;               /* panels of these whose sums are in scratch memory at once */
    int64_t result_run;               /* columns whose results are next to each other; 0: no sums go to the result */
    int64_t table;                    /* products whose offsets are kept: those of a run, or of a chain */
    int64_t span;                     /* products of x that are packed at once: a chain, or several of a computed one */
    bool rows_stay;              /* rows stay in the caches, so each panel is finished before the next one begins */
    bool x_in_place, y_in_place; /* factors that are not packed; of y only panels within a run of `y_run` columns */
    int64_t y_run;               /* columns of y next to each other */
    bool is_symmetric;           /* large enough to copy half of the results instead of computing them */
    zc_group_kernels groups;     /* kernels of factors that fit; where there are any, both operands are packed */
    int64_t runs;                /* runs of ZC_CHAINS_END products */
    int64_t runs_at_once;        /* runs that one task sums */
    int levels;                  /* levels of the counter of runs; 0: one run is all */
} zc_blocking;

/* Prepares the operands of blocking->shape, divides the contraction, and sets the program's units and groups.
 * program->own is the blocking from then on. False when memory is out. */
bool zc_blocking_choose(zc_tile_program *program, zc_blocking *blocking, zc_arena *arena);

/* Bytes of the sums of panels, in scratch memory. */
size_t zc_blocking_sum_bytes(const zc_blocking *blocking);

/* Offsets of the parts of a worker's own memory, and its size in bytes. */
typedef struct zc_blocking_layout {
    size_t x, y, sums, row_at, column_at, x_at, y_at, lines, x_worker, y_worker, bytes;
} zc_blocking_layout;

zc_blocking_layout zc_blocking_lay_out(const zc_blocking *blocking);

#endif
