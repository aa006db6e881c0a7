/*
 * Decides where the values of a tile program are computed. A value is computed in a block, which is scratch memory that
 * holds a tile, or in a chain of operations that keeps it in vector registers (chains.h).
 *
 * The next value takes the block of a value that nobody reads any more. A load whose tile is laid out in memory as it
 * would be in a block is read from memory. A value that is invariant along the axis of the loop over tiles is kept.
 */
#ifndef ZC_MATERIALIZE_TILE_PROGRAM_BLOCKS_H
#define ZC_MATERIALIZE_TILE_PROGRAM_BLOCKS_H

#include "materialize/kernels/tables/dispatch.h"
#include "runtime/memory/arena.h"

/* A value, prepared. */
typedef struct zc_tile_value {
    uint64_t axes;         /* axes of the nest along which it varies */
    zc_map_kernel *kernel; /* kernel of an operation */
    size_t item;
    size_t block;    /* offset of its block in the scratch memory */
    bool is_kept;    /* its block is its own: it is computed anew only when an axis of it moves */
    bool is_strip;   /* its block has the elements of a chain's strip: they are the same for all of a tile, or only the
                        chain that makes them reads them */
    bool is_per_row; /* its block has one element per row: positions that are the same all along a row */
    bool is_single;  /* a strip of which chains read no more than the first element, in place */
    bool compares_positions; /* its elements are filled (positions.h) */
    bool is_implied;         /* a position or a constant that only such values read: it has no elements */
    int32_t chain;           /* it is computed by that chain, or -1 */
} zc_tile_value;

typedef struct zc_tile_blocks {
    zc_tile_value *values; /* [value_count] */
    struct zc_tile_chain *chains;
    int32_t chain_count;
    int32_t full_count; /* blocks of whole tiles */
    size_t bytes;       /* bytes of all blocks; the strategy's scratch memory is behind them */
} zc_tile_blocks;

struct zc_tile_program;

/* Gives every value a block or a chain, for the program's tiles and loops; all in the arena. False when memory is out.
 */
bool zc_tile_prepare_blocks(struct zc_tile_program *program, zc_arena *arena);

/* Bytes of an element of the stage's widest value. Every block has room for such elements, so that any value can take
 * any block. */
size_t zc_tile_widest_item(const struct zc_tile_program *program);

#endif
