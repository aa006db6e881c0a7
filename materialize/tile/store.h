/* Storing what a worker has computed. */
#ifndef ZC_MATERIALIZE_TILE_STORE_H
#define ZC_MATERIALIZE_TILE_STORE_H

#include "materialize/tile/worker.h"

/* Whether results are so large that they should go past the caches, where they would only push out what is read. */
bool zc_tile_should_stream(const zc_tile_program *program);

/* Where the element at the worker's position is stored. */
char *zc_tile_store_address(const zc_tile_worker *worker);

/* Bytes from a row of the tile to the next where it is stored. */
int64_t zc_tile_store_pitch(const zc_tile_program *program);

/* Stores n elements, `stride` elements apart. */
void zc_tile_store_run(const zc_tile_worker *worker, char *to, const char *from, int64_t stride, int64_t n);

/* Whether the tile at hand lies where it is stored just as it would in a block. */
bool zc_tile_is_stored_in_place(const zc_tile_worker *worker);

/* Stores the tile at hand, whose elements are row-major at `from`; nothing when that is `to`. */
void zc_tile_store(const zc_tile_worker *worker, char *to, const char *from);

#endif
