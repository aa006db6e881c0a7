/*
 * How a contraction is divided into blocks of rows and columns, what is packed of its factors, and where a worker has
 * what in its memory. What is computed of an operand is computed once: it is not divided along the other one's axes,
 * but for casts of bytes (lower/packed.h).
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
    const zc_computed_operand *x, *y; /* of operands that are computed, else NULL */
    int64_t rows, columns;            /* of a block, */
    int64_t row_blocks, col_blocks;   /* of which there are so many */
    int64_t panels;                   /* of a block that are summed at once: 1, or all */
    int64_t sum_panels;               /* of these, whose sums are in scratch memory */
    int64_t result_run;               /* columns whose results are next to each other; 0: no sums go to the result */
    int64_t table;                    /* products whose offsets are kept: those of a run, or of a chain */
    int64_t span;                     /* products of x that are packed at once: a chain, or several of a computed one */
    bool rows_stay;                   /* in the caches, so each panel is finished before the next one begins */
    bool x_in_place, y_in_place;      /* of y panels that are within a run of so many columns next to each other */
    int64_t y_run;
    bool is_symmetric;       /* and large enough that half of the results are copied, not computed */
    zc_group_kernels groups; /* of factors that fit; where there are any both are packed */
    int64_t runs;            /* of ZC_CHAINS_END products, */
    int64_t runs_at_once;    /* of which one task makes so many */
    int levels;              /* of a counter of runs; 0: one is all */
} zc_blocking;

/* Prepares the operands of blocking->shape, divides the contraction, and sets the program's units and groups.
 * program->own is the blocking from then on. False when memory is out. */
bool zc_blocking_choose(zc_tile_program *program, zc_blocking *blocking, zc_arena *arena);

/* Bytes of the sums of panels, in scratch memory. */
size_t zc_blocking_sum_bytes(const zc_blocking *blocking);

/* Where a worker's own memory has what. */
typedef struct zc_blocking_layout {
    size_t x, y, sums, row_at, column_at, x_at, y_at, lines, x_worker, y_worker, bytes;
} zc_blocking_layout;

zc_blocking_layout zc_blocking_lay_out(const zc_blocking *blocking);

#endif
