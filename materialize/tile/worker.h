/*
 * A worker: one thread's blocks, and where it stands in the nest of a tile program.
 */
#ifndef ZC_MATERIALIZE_TILE_WORKER_H
#define ZC_MATERIALIZE_TILE_WORKER_H

#include "materialize/tile/program.h"
#include "runtime/context/progress.h"

typedef struct zc_tile_worker {
    const zc_tile_program *program;
    char *scratch;
    char *own;                     /* the strategy's part of it */
    char **block;                  /* [value_count]: where each value's tile is now */
    int64_t position[ZC_MAX_RANK]; /* first element of the tile, per axis of the nest */
    int64_t rows, columns;         /* of the tile at hand */
    uint64_t moved;                /* axes along which it differs from the tile before */
    bool is_fresh;                 /* nothing is computed yet */
    zc_bad_index bad_index;
    zc_thread_progress progress; /* once it is stopped nothing that follows is of use: loops over tiles end */
} zc_tile_worker;

void zc_tile_worker_init(zc_tile_worker *worker, const zc_tile_program *program, char *scratch, char **block);

/* ---- Moving ---- */

/* Moves along an axis; tells the tile's extent there. */
void zc_tile_move(zc_tile_worker *worker, int axis, int64_t to);

/* Moves to a unit of work. */
void zc_tile_move_to_unit(zc_tile_worker *worker, int64_t unit);

/* Moves to tile at[0], at[1] ... of the inner loops. */
void zc_tile_move_inside(zc_tile_worker *worker, const int64_t *at);

/* Counts `at`, all 0 at first, on to the unit's next tile; false after the last, or when the work is to stop. */
bool zc_tile_next(const zc_tile_worker *worker, int64_t *at);

/* ---- Computing ---- */

/* Where an access is of the tile at hand, in elements. */
typedef struct zc_tile_access {
    int64_t at; /* of the tile's first element */
    int64_t row_stride;
    int64_t col_stride;
} zc_tile_access;

zc_tile_access zc_tile_find_access(const zc_tile_worker *worker, int32_t access);

/* Computes every value for the tile at hand, counts it, and returns where the last one's elements are. `out`, when not
 * NULL, is where they are wanted; they may still be elsewhere. */
const char *zc_tile_evaluate(zc_tile_worker *worker, char *out);

/* Computes the values that no chain computes. */
void zc_tile_evaluate_operands(zc_tile_worker *worker);

/* Counts so many elements of the domain as done. */
void zc_tile_count(zc_tile_worker *worker, int64_t elements);

#endif
