/*
 * A chain: operations one after the other on a tile of elements that stays in vector registers.
 *
 * A tile is eight registers. Each step is a function that gets the tile as its arguments, changes it, and calls the
 * next step as its last act, which compilers turn into a jump: so the tile is never stored between two operations.
 * Operands but one come from memory, a whole register at a time. The steps of a chain run for one tile after the other.
 *
 *     load a        v = a            min(max(a * 2 + b, 0), 6) over 128 floats of AVX-512: five jumps,
 *     multiply 2    v = v * 2        sixteen loads, eight stores
 *     add b         v = v + b
 *     relu          v = max(v, 0)
 *     minimum 6     v = min(v, 6)
 *     store         c = v
 *     end
 *
 * Invariant: a step means what the row of ops.def means, compiled from it, so a chain gives the bits of its operations'
 * kernels.
 */
#ifndef ZC_MATERIALIZE_KERNELS_CHAIN_H
#define ZC_MATERIALIZE_KERNELS_CHAIN_H

#include "runtime/ops/ops.h"

/* Which operand of the operation is the tile; the others come from memory, in their order. When they are UNIFORM, one
 * element of each is read, once a step. */
typedef enum zc_chain_form {
    ZC_CHAIN_X,
    ZC_CHAIN_Y,
    ZC_CHAIN_Z,
    ZC_CHAIN_X_UNIFORM,
    ZC_CHAIN_Y_UNIFORM,
    ZC_CHAIN_BOTH, /* the tile is both of two operands */
    ZC_CHAIN_FORMS
} zc_chain_form;

/* Factor that the tile is multiplied with before something is added to it. */
typedef enum zc_chain_factor { ZC_FACTOR_MEMORY, ZC_FACTOR_UNIFORM, ZC_FACTOR_SELF, ZC_CHAIN_FACTORS } zc_chain_factor;

/* A function whose arguments only the instruction set knows. */
typedef void (*zc_chain_function)(void);

/* An operand in memory: element i of the chain is at `from` plus its bytes, or, with keep 0, every tile is at `from`.
 */
typedef struct zc_chain_operand {
    char *at;
    int64_t keep; /* -1 or 0 */
} zc_chain_operand;

typedef struct zc_chain_step {
    zc_chain_function run;
    zc_chain_operand operand[2]; /* in memory; a store goes to the first */
} zc_chain_step;

/* An instruction set's kernels for chains. */
typedef struct zc_chain_kernels {
    int64_t tile_bytes;
    zc_chain_function step[ZC_OP_ROWS][ZC_CHAIN_FORMS][ZC_DTYPE_COUNT]; /* NULL where there is none */

    /* v * first + second, rounded twice; [1]: the second is uniform */
    zc_chain_function multiply_add[ZC_CHAIN_FACTORS][2][ZC_DTYPE_COUNT];
    zc_chain_function load, store, end;
    zc_chain_function stream; /* a store past the caches, where the address is aligned to a register */

    /* Runs the steps over `bytes` bytes of elements, at least a tile. The last tile may be computed twice: no step
     * stores what another reads, but within one tile. */
    void (*run)(const zc_chain_step *steps, int64_t bytes);
} zc_chain_kernels;

#endif
