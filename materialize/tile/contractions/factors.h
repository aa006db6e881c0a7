/*
 * The factors of a contraction, as strategies look at them: x, whose rows are not next to each other in the result, and
 * y, with the strides by which they move along the nest.
 */
#ifndef ZC_MATERIALIZE_TILE_CONTRACTIONS_FACTORS_H
#define ZC_MATERIALIZE_TILE_CONTRACTIONS_FACTORS_H

#include "materialize/tile/program/program.h"

/* Finds the strides of both operands, and which of them is x, unless the stage is no contraction, or one of elements
 * that are reduced by rule. False when memory is out. */
bool zc_factors_find(zc_tile_program *program, zc_arena *arena);

#endif
