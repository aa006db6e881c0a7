/*
 * Which values of a stage are computed in chains (kernels/chain.h), and running one.
 *
 * A chain takes over a run of consecutive operations of one dtype. Each operation either continues with the strip in
 * the vector registers, which is one of its operands, or starts anew with a load; what is needed again later is stored,
 * in a block of one strip when only the chain reads it. Loads and constants may stand between the operations: they
 * depend on nothing and are there before the chain runs.
 */
#ifndef ZC_MATERIALIZE_TILE_CHAINS_H
#define ZC_MATERIALIZE_TILE_CHAINS_H

#include "materialize/tile/program.h"
#include "materialize/tile/worker.h"

/* The most ops of a chain. */
enum { ZC_TILE_CHAIN_OPS = 64 };

/* A step of a chain, before it is known where the values are. */
typedef struct zc_chain_op {
    zc_chain_function run;
    int32_t value[2];   /* its operands in memory, or -1; of a store the value that is stored */
    bool is_uniform[2]; /* whether it reads one element of them */
} zc_chain_op;

/* Values that are computed in registers, one after the other, where the last of them stands. */
typedef struct zc_tile_chain {
    int32_t last; /* value */
    int32_t op_count;
    const zc_chain_op *ops;
} zc_tile_chain;

/* Finds what can be computed in chains; all in the arena. False when memory is out. */
bool zc_tile_find_chains(zc_tile_program *program, zc_arena *arena);

/* Whether the tile at hand has enough elements for the chain of a value; if not, the chain's values are computed one by
 * one. */
bool zc_tile_fits_chain(const zc_tile_worker *worker, const zc_tile_value *value);

/* The steps of a chain for the tile at hand, whose operands are there: at most ZC_TILE_CHAIN_OPS and the end. `out`,
 * when not NULL, is where the last value goes. */
void zc_tile_bind_chain(zc_tile_worker *worker, const zc_tile_chain *chain, char *out, zc_chain_step *steps);

/* Computes the values of a chain for the tile at hand. */
void zc_tile_run_chain(zc_tile_worker *worker, const zc_tile_chain *chain, char *out);

#endif
