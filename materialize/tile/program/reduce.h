/*
 * Gives the strategies that reduce a reducer per worker and the results of a unit, and divides units among threads into
 * groups of sum blocks, which the numerics contract combines as wholes.
 */
#ifndef ZC_MATERIALIZE_TILE_PROGRAM_REDUCE_H
#define ZC_MATERIALIZE_TILE_PROGRAM_REDUCE_H

#include "materialize/execute/reducer.h"
#include "materialize/tile/program/worker.h"

/* worker->own points to this in a strategy that reduces. */
typedef struct zc_tile_reduce {
    zc_reducer reducer;
    char *results;    /* [results] elements of any dtype */
    int64_t *numbers; /* [results], where an index is wanted */
} zc_tile_reduce;

/* Gives the dtype of a reducing program's partial results. */
zc_dtype zc_tile_partial_dtype(const zc_tile_program *program);

/* The scratch bytes of a zc_tile_reduce with that many results and a reducer of the program's `joined` columns. */
size_t zc_tile_reduce_bytes(const zc_tile_program *program, int64_t results);

/* Sets it up. */
void zc_tile_reduce_begin(zc_tile_worker *worker, int64_t results);

/* Bytes of the states of a program that absorbs (plan/group.h): a reducer for each unit. */
int64_t zc_tile_state_bytes(const zc_tile_program *program);

/* Tells a program that absorbs columns: the same of all blocks. */
bool zc_tile_absorbs_columns(const zc_tile_program *program);

static inline zc_tile_reduce *zc_tile_reduce_of(const zc_tile_worker *worker)
{
    return (zc_tile_reduce *)(void *)worker->own;
}

/* The relative cost of reducing with tiles whose columns run along the axis: loads that are not consecutive there cost
 * more. `preference`, from 0 to 3, decides between strategies of equal cost. */
int zc_tile_reduce_cost(const zc_tile_program *program, int axis, int preference);

/* The most elements of a group, a power of two: every block begins where a group does. INT64_MAX: there are no blocks.
 */
int64_t zc_tile_most_group(const zc_tile_program *program);

/* The fewest elements of a unit that a thread combines when the unit is divided. 0: the unit is not divided, because it
 * has several inner axes or too few elements, or because there is one thread. */
int64_t zc_tile_least_group(const zc_tile_program *program, int64_t blocks);

/* Divides units into groups of 2^k times `least` elements when there are too few units to keep the threads busy. */
void zc_tile_divide(zc_tile_program *program, int64_t least);

/* Joins the tile at hand to a reducer. */
typedef void zc_tile_combine(zc_tile_worker *worker, zc_reducer *reducer);

/* Reduces a group of the worker's unit into `columns` results. */
void zc_tile_reduce_group(zc_tile_worker *worker, zc_tile_combine *combine_tile, int64_t columns, int64_t group,
                          char *results, int64_t *numbers);

/* Reduces the worker's unit and stores its results along the axis; or joins it to the unit's state, and stores the
 * results where it is the last. */
void zc_tile_reduce_unit(zc_tile_worker *worker, zc_tile_combine *combine_tile, int axis, int64_t columns);

/* Finalizes n results of the worker's unit and stores them along the axis. */
void zc_tile_store_results(zc_tile_worker *worker, int axis, const char *results, const int64_t *numbers, int64_t n);

/* The same of a tile whose rows and columns are results. */
void zc_tile_store_all_results(zc_tile_worker *worker, const char *results, const int64_t *numbers);

/* Combines the results of all groups and stores them along the axis; or joins them to the unit's state. */
void zc_tile_combine_groups(zc_tile_worker *worker, int axis, char *results, int64_t *numbers, int64_t n);

#endif
