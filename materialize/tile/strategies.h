/*
 * The table of strategies, from strategies.def, and which of them prepares a stage.
 */
#ifndef ZC_MATERIALIZE_TILE_STRATEGIES_H
#define ZC_MATERIALIZE_TILE_STRATEGIES_H

#include "materialize/tile/program/program.h"

/* Prepares a stage with the cheapest strategy that takes it. All memory is the arena's. At most `threads` threads share
 * the work. Declines the stage when no strategy takes it. */
zc_preparation zc_tile_prepare(zc_tile_program *program, const zc_stage *stage, char *const *slots, int threads,
                               zc_arena *arena);

#endif
