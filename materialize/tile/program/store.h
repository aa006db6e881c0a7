/* Stores the results of a worker. */
#ifndef ZC_MATERIALIZE_TILE_PROGRAM_STORE_H
#define ZC_MATERIALIZE_TILE_PROGRAM_STORE_H

#include "materialize/tile/program/worker.h"

/* Tells whether operands are so far away that they are asked for before they are read. */
bool zc_tile_should_ask(const zc_tile_program *program);

/* Tells whether the results are so large that they go past the caches, where they would only displace operands. */
bool zc_tile_should_stream(const zc_tile_program *program);

/* The address where the element at the worker's position is stored. */
char *zc_tile_store_address(const zc_tile_worker *worker);

/* The bytes from row to row of the tile where it is stored. */
int64_t zc_tile_store_pitch(const zc_tile_program *program);

/* Stores n elements, `stride` elements apart. */
void zc_tile_store_run(const zc_tile_worker *worker, char *to, const char *from, int64_t stride, int64_t n);

/* Tells whether the current tile is laid out in the result as it would be in a block. */
bool zc_tile_is_stored_in_place(const zc_tile_worker *worker);

/* Tells whether the tile may also be computed where it is stored: not where that overwrites what it reads and a chain
 * would compute some elements twice, because its last strip ends with the tile, over the end of the one before. */
bool zc_tile_may_compute_in_place(const zc_tile_worker *worker);

/* Stores the current tile, whose elements are row-major at `from`. Does nothing when `from` is `to`. */
void zc_tile_store(const zc_tile_worker *worker, char *to, const char *from);

#endif
