/*
 * Positions, and comparisons of them: masks that are computed from nothing, as of causal attention, triangles, bands.
 * Along a row of a tile the two positions move apart evenly, so the truths change once and are filled as memory is: no
 * position is computed, and none is compared.
 *
 *     i >= j, along j        1 1 1 1 0 0 0 0
 *     i == j                 0 0 0 1 0 0 0 0
 */
#ifndef ZC_MATERIALIZE_TILE_PROGRAM_POSITIONS_H
#define ZC_MATERIALIZE_TILE_PROGRAM_POSITIONS_H

#include "materialize/tile/program/program.h"
#include "materialize/tile/program/worker.h"

/* Finds the values that compare positions, and the positions that nothing else reads: these have no elements. Asks for
 * chains, which compute none of them. */
void zc_tile_find_compared_positions(zc_tile_program *program);

/* Computes the elements of a position for the tile at hand. */
void zc_tile_fill_positions(const zc_tile_worker *worker, int32_t v, char *out);

/* The truths of such a value for the tile at hand: one for each of its elements. */
void zc_tile_compare_positions(const zc_tile_worker *worker, int32_t v, char *out);

#endif
