/*
 * A worker: one thread's blocks and its position in the nest of a tile program.
 */
#ifndef ZC_MATERIALIZE_TILE_PROGRAM_WORKER_H
#define ZC_MATERIALIZE_TILE_PROGRAM_WORKER_H

#include "materialize/tile/program/program.h"
#include "runtime/context/progress.h"

typedef struct zc_tile_worker {
    const zc_tile_program *program;
    char *scratch;
    char *own;             /* scratch memory of the strategy's */
    char **block;          /* [value_count]: address of each value's tile */
    int64_t unit;          /* unit that it has been moved to */
    int64_t rows, columns; /* extents of the tile at hand */
    uint64_t moved;        /* axes along which it differs from the tile before */
    bool is_fresh;         /* nothing is computed yet */
    zc_bad_index bad_index;
    zc_thread_progress progress;   /* once it is stopped nothing that follows is of use: loops over tiles end */
    int64_t position[ZC_MAX_RANK]; /* first element of the tile, per axis of the nest */
} zc_tile_worker;

void zc_tile_worker_init(zc_tile_worker *worker, const zc_tile_program *program, char *scratch, char *own,
                         char **block);

/* Lets a worker begin a run of the program, or of one of the same structure. */
void zc_tile_worker_start(zc_tile_worker *worker, const zc_tile_program *program, zc_thread_progress progress);

/* ---- Moving ---- */

/* Moves along an axis and sets the tile's extent there. */
void zc_tile_move(zc_tile_worker *worker, int axis, int64_t to);

/* Moves to a unit of work. */
void zc_tile_move_to_unit(zc_tile_worker *worker, int64_t unit);

/* Moves to tile at[0], at[1] ... of the inner loops. */
void zc_tile_move_inside(zc_tile_worker *worker, const int64_t *at);

/* Advances `at`, which begins as all 0, to the unit's next tile. False after the last tile, or when the call is
 * stopped. */
bool zc_tile_next(const zc_tile_worker *worker, int64_t *at);

/* ---- Computing ---- */

/* The place of an access for the current tile, in elements. */
typedef struct zc_tile_access {
    int64_t at; /* place of the tile's first element */
    int64_t row_stride;
    int64_t col_stride;
    const zc_tile_table *table; /* table of columns without a stride, else NULL */
} zc_tile_access;

zc_tile_access zc_tile_find_access(const zc_tile_worker *worker, int32_t access);

/* Computes every value for the current tile and returns the address of the last value's elements. The caller prefers
 * them at `out`, when that is not NULL; a load in place and a kept value are elsewhere. */
const char *zc_tile_compute(zc_tile_worker *worker, char *out);

/* Does the same, and counts the tile. */
const char *zc_tile_evaluate(zc_tile_worker *worker, char *out);

/* Finds the rows of the current tile that the last value picks, once their positions are computed. */
void zc_tile_find_picked_rows(const zc_tile_worker *worker, const char **row);

/* Computes the values that no chain computes. */
void zc_tile_evaluate_operands(zc_tile_worker *worker);

/* Counts that many elements of the domain as done. */
void zc_tile_count(zc_tile_worker *worker, int64_t elements);

#endif
