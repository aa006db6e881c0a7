/*
 * A strategy: one way to walk a stage's nest in tiles, in a file of its own (strategies/, contractions/) with a row in
 * strategies.def.
 *
 * The program asks every strategy what the stage would cost and takes the cheapest. What a strategy needs to remember
 * stays in its file, behind program->own. Any row may be left out: the next cheapest strategy takes over, with the same
 * bits, and where none does, the next executor.
 */
#ifndef ZC_MATERIALIZE_TILE_PROGRAM_STRATEGY_H
#define ZC_MATERIALIZE_TILE_PROGRAM_STRATEGY_H

#include "materialize/tile/program/program.h"
#include "materialize/tile/program/worker.h"

/* The cost of a strategy that cannot do it. */
enum { ZC_STRATEGY_NONE = -1 };

typedef struct zc_strategy {
    const char *name;

    /* Relative cost per element of the domain, comparable between strategies. The program has its nest and nothing
     * else. ZC_STRATEGY_NONE when the strategy does not apply. */
    int (*cost)(const zc_tile_program *program);

    /* Chooses tiles and loops, and prepares the blocks where values are computed. Declines when it turns out not to
     * apply after all. */
    zc_preparation (*prepare)(zc_tile_program *program, zc_arena *arena);

    /* Scratch bytes of its own per worker, at worker->own; NULL: none. */
    size_t (*scratch_bytes)(const zc_tile_program *program);

    /* Sets a new worker's scratch bytes up, for any number of runs of this and of equal stages, whatever
     * becomes of them; NULL: nothing to do. */
    void (*begin)(zc_tile_worker *worker);

    /* Makes the unit that the worker has been moved to. */
    void (*run_unit)(zc_tile_worker *worker);

    /* Makes one part of the worker's unit: `joined` partial results, and their numbers where an index is wanted. NULL
     * in strategies that leave program->groups at 1. */
    void (*run_group)(zc_tile_worker *worker, int64_t group, char *results, int64_t *numbers);

    /* Combines the parts of the worker's unit, [groups][joined], in their order, and stores the results. */
    void (*end_groups)(zc_tile_worker *worker, char *results, int64_t *numbers);
} zc_strategy;

#endif
