/*
 * Finds sums over pairs of rows, for the strategies that compute them: sum(x[i] * y[j]), sum((x[i] - y[j])**2) and
 * sum(abs(x[i] - y[j])) for all i and j. These are inner products, matrix products with a transposed operand, and
 * distances.
 */
#ifndef ZC_MATERIALIZE_TILE_PROGRAM_DOTS_H
#define ZC_MATERIALIZE_TILE_PROGRAM_DOTS_H

#include "materialize/tile/program/worker.h"

/* The pairs of a stage. The columns are the rows of the load that moves along the later axis, since their results are
 * closer together. */
typedef struct zc_tile_dots {
    zc_row_dot kind;
    zc_dtype dtype;
    int64_t length; /* length of the rows */
    int row_axis, col_axis;
    int row_load, col_load; /* values: the loads that move along either axis */
} zc_tile_dots;

/* False when the stage does something else. */
bool zc_tile_find_dots(const zc_tile_program *program, zc_tile_dots *out);

/* The rows of a load that belong to the current tile: the address of the first one, and the bytes from row to row. */
typedef struct zc_tile_row_list {
    const char *first;
    int64_t step, count;
} zc_tile_row_list;

/* The rows of the load that moves along the tile's rows, and of the one that moves along its columns. */
zc_tile_row_list zc_tile_left_rows(const zc_tile_worker *worker, const zc_tile_dots *dots);
zc_tile_row_list zc_tile_right_rows(const zc_tile_worker *worker, const zc_tile_dots *dots);

/* Address where the results of a row of the tile are stored. */
char *zc_tile_row_address(const zc_tile_worker *worker, int64_t row);

/* Counts the pairs of the current tile as done. */
void zc_tile_count_dots(zc_tile_worker *worker, const zc_tile_dots *dots);

#endif
