/*
 * An operand of a contraction that is computed where it is packed: the values under it as a program of their own, whose
 * tiles are parts of what is packed. Nothing else is stored of it.
 */
#ifndef ZC_MATERIALIZE_TILE_COMPUTED_OPERAND_H
#define ZC_MATERIALIZE_TILE_COMPUTED_OPERAND_H

#include "materialize/tile/program/worker.h"

/* Indices of one kind: those of some axes of the nest, in row-major order. */
typedef struct zc_indices {
    uint64_t axes;
    int64_t first, count;
} zc_indices;

typedef struct zc_computed_operand {
    zc_stage stage; /* the values under the operand, and nothing else */
    zc_tile_program program;
} zc_computed_operand;

/* The operand `value` of the contraction, of which rows and columns along these axes are packed, up to so many columns
 * next to each other. All memory is the arena's; NULL when it is out. */
zc_computed_operand *zc_computed_operand_prepare(const zc_tile_program *contraction, int32_t value, uint64_t row_axes,
                                                 uint64_t column_axes, int64_t most_columns, zc_arena *arena);

/* Bytes of each worker's own memory; 0 of NULL. */
size_t zc_computed_operand_bytes(const zc_computed_operand *operand);

/* Sets that memory up: a worker, which stands at an index along axes that are neither rows nor columns. NULL of NULL.
 */
zc_tile_worker *zc_computed_operand_begin(const zc_computed_operand *operand, char *memory, uint64_t axes,
                                          int64_t index);

/* Computes rows by columns: rows are `pitch` elements apart; what they lack is set to 0. */
void zc_computed_operand_take(zc_tile_worker *worker, zc_indices rows, zc_indices columns, char *to, int64_t pitch);

#endif
