/*
 * Finds the values of a stage that chains (kernels/chain.h) compute, and runs chains.
 *
 * A chain computes a run of consecutive operations of one dtype. Each operation takes the strip in the vector registers
 * as an operand, or loads another strip first. The chain stores a value that is read again later, in a block of one
 * strip when only the chain reads it. Loads and constants may stand between the operations: they depend on nothing, so
 * they are computed before the chain runs.
 */
#ifndef ZC_MATERIALIZE_TILE_PROGRAM_CHAINS_H
#define ZC_MATERIALIZE_TILE_PROGRAM_CHAINS_H

#include "materialize/tile/program/program.h"
#include "materialize/tile/program/worker.h"

/* The most ops of a chain. */
enum { ZC_TILE_CHAIN_OPS = 64 };

/* A step of a chain, before it is known where the values are. */
typedef struct zc_chain_op {
    zc_chain_function run;
    int32_t value[2];   /* operands in memory, or -1; for a store, the value that is stored */
    bool is_uniform[2]; /* the step reads one element of the operand */
} zc_chain_op;

/* Values that are computed in registers, one after the other, in the place of the last one. */
typedef struct zc_tile_chain {
    int32_t last; /* value */
    int32_t op_count;
    const zc_chain_op *ops;
} zc_tile_chain;

/* Finds the values that chains can compute; all in the arena. False when memory is out. */
bool zc_tile_find_chains(zc_tile_program *program, zc_arena *arena);

/* Tells whether the tile at hand has enough elements for the chain of a value; if not, the chain's values are computed
 * one by one. */
bool zc_tile_fits_chain(const zc_tile_worker *worker, const zc_tile_value *value);

/* Makes the steps of a chain for the tile at hand, whose operands are there: at most ZC_TILE_CHAIN_OPS and the end. The
 * last value goes to `out`, when that is not NULL. */
void zc_tile_bind_chain(zc_tile_worker *worker, const zc_tile_chain *chain, char *out, zc_chain_step *steps);

/* Computes the values of a chain for the tile at hand. */
void zc_tile_run_chain(zc_tile_worker *worker, const zc_tile_chain *chain, char *out);

#endif
