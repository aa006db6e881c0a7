/*
 * Shared by strategies for contractions: finds which axes of a stage are rows, columns, batches and products, and packs
 * blocks of factors from memory, however the operands are seen.
 *
 *     sums[batch, row, column] = sum over products of x[batch, row, product] * y[batch, product, column]
 *
 * Rows are the axes along which only x moves, columns those along which only y does, batches those along which both do.
 * x and y are the stage's operands, exchanged where that brings columns next to each other in the result. Several axes
 * of a kind are counted in row-major order, so any view is packed from where it is: a convolution's windows, too.
 */
#ifndef ZC_MATERIALIZE_TILE_CONTRACTION_H
#define ZC_MATERIALIZE_TILE_CONTRACTION_H

#include "materialize/execute/counter.h"
#include "materialize/tile/program/worker.h"

/* Indices of one kind as an operand or the result walks them: neighbouring axes that it walks as one are one. */
typedef struct zc_contract_walk {
    int count;
    int64_t extent[ZC_MAX_RANK], stride[ZC_MAX_RANK];
} zc_contract_walk;

/* Axes of one kind. */
typedef struct zc_contract_axes {
    int64_t size;  /* number of indices, 1 without axes */
    uint64_t axes; /* axes of the nest */
    zc_contract_walk x, y, result;
} zc_contract_axes;

typedef struct zc_contract_shape {
    zc_dtype dtype;
    size_t item;
    int32_t x_value, y_value;          /* values of the stage: loads or constants, or computed (computed_operand.h) */
    bool x_is_computed, y_is_computed; /* the operand is computed: its walks are those of the nearest loads */
    bool is_exchanged;                 /* x is the right operand */
    zc_contract_axes batches, rows, columns, products;
} zc_contract_shape;

/* False when the stage is no contraction, or one of elements that are reduced by rule. */
bool zc_contract_find(const zc_tile_program *program, zc_contract_shape *out);

/* Tells whether both operands are the same elements, so that result (r, c) has the bits of result (c, r): real factors
 * may change places. */
bool zc_contract_is_symmetric(const zc_tile_program *program, const zc_contract_shape *shape);

/* Takes a conjugation out of the shape, for kernels that conjugate: the left operand becomes the one before. False
 * unless its products are next to each other and results in steps along one axis. */
bool zc_contract_take_conjugated(const zc_tile_program *program, zc_contract_shape *shape);

/* Distance of index `at` from the first one, in elements. */
int64_t zc_contract_offset(const zc_contract_walk *walk, int64_t at);

/* Finds the same for `count` indices from `first` on. */
void zc_contract_offsets(const zc_contract_walk *walk, int64_t first, int64_t count, int64_t *out);

/* The only stride of a walk of at most one axis. */
static inline int64_t zc_contract_stride(const zc_contract_walk *walk)
{
    return walk->count == 0 ? 0 : walk->stride[0];
}

/* Stride of the innermost axis. */
static inline int64_t zc_contract_last_stride(const zc_contract_walk *walk)
{
    return walk->count == 0 ? 0 : walk->stride[walk->count - 1];
}

/* Tells whether all indices are steps of one element. */
static inline bool zc_contract_is_run(const zc_contract_walk *walk)
{
    return walk->count == 1 && walk->stride[0] == 1;
}

/* Tells whether products of both operands are next to each other, in memory or as they are computed. */
static inline bool zc_contract_has_products_together(const zc_contract_shape *s)
{
    return (s->x_is_computed || zc_contract_is_run(&s->products.x)) &&
           (s->y_is_computed || zc_contract_is_run(&s->products.y));
}

/* Tells whether kernels that take x for the left operand are given y instead: only complex numbers tell operands
 * apart. */
static inline bool zc_contract_x_is_right(const zc_contract_shape *s)
{
    return s->is_exchanged && zc_dtype_is_complex(s->dtype);
}

/* First elements of a batch's operands (NULL where they are computed) and of its result. */
typedef struct zc_contract_batch {
    const char *x, *y;
    char *result;
} zc_contract_batch;

zc_contract_batch zc_contract_find_batch(const zc_tile_program *program, const zc_contract_shape *shape, int64_t batch);

/* Units of work that are enough for all threads. */
int64_t zc_contract_least_units(const zc_tile_program *program);

/* Divides the runs of ZC_CHAINS_END products into groups, too, where there are fewer units. Returns the runs of a
 * group: a power of two, or all. */
int64_t zc_contract_divide(zc_tile_program *program, int64_t runs);

/* Adds up `count` chains of one result in order, by the counter's addition. */
void zc_contract_add_in_order(const zc_counter *counter, zc_dtype dtype, const char *chains, int64_t count, char *to);

/* Sums a chain of up to ZC_CHAIN products from `product` on, for each of several results; or a run of chains,
 * [chains][results], of up to ZC_CHAINS_END. */
typedef void zc_contract_chain(const void *user, int64_t product, int64_t length, char *sums);

/* Results side by side whose chains are made by a kernel. */
typedef struct zc_contract_sums {
    zc_tile_worker *worker;
    zc_contract_chain *make;
    int64_t products;   /* products of each result */
    zc_counter counter; /* counter of runs of ZC_CHAINS_END products, as wide as there are results */
    char *chain, *sums; /* sums that make() made last, and of all so far */
    bool makes_runs;    /* make() makes the chains of a run, for which `chain` has room */
} zc_contract_sums;

/* Sums up to `runs` runs, from run `first` on, into sums->sums. */
void zc_contract_sum_runs(zc_contract_sums *sums, const void *user, int64_t first, int64_t runs);

/* Adds up the groups of runs, [groups][joined], into `sums`. */
void zc_contract_join_groups(const zc_tile_program *program, zc_counter *counter, const char *results, char *sums);

/* Finishes n sums and stores them as results from `first` on; `to` is where result 0 is. */
void zc_contract_store(const zc_tile_worker *worker, const zc_contract_walk *results, char *to, int64_t first,
                       char *sums, int64_t n);

/* Does the same for results that are next to each other, from the one at `to` on. */
void zc_contract_store_together(const zc_tile_worker *worker, char *to, char *sums, int64_t n);

/* Counts the batches from one on whose results, `dense` of each, follow each other: 1 up to `most`. */
int64_t zc_contract_find_run(const zc_contract_walk *batches, int64_t dense, int64_t batch, int64_t most);

/* A rectangle of factors: that of row r and column c is at from + row_at[r] + column_at[c], in elements. */
typedef struct zc_contract_part {
    const char *from;
    const int64_t *row_at, *column_at;
    int64_t rows, columns;
} zc_contract_part;

/* Bytes of memory that zc_contract_pack() needs on the way; no row may be longer. */
enum { ZC_CONTRACT_LINE_BYTES = 1 << 14 };

/* Copies a part row by row, rows `pitch` elements apart; what a row lacks is set to 0. Whole lines are copied where
 * either rows or columns are next to each other in memory. */
void zc_contract_pack(const zc_kernels *kernels, zc_dtype dtype, const zc_contract_part *part, char *to, int64_t pitch,
                      char *lines);

/* Room for copies of elements that are not next to each other: [count], their offsets, and what packing needs. */
typedef struct zc_contract_room {
    char *to;
    int64_t *at;
    char *lines;
} zc_contract_room;

/* Returns `count` elements from index `first` on, next to each other: in place, or copied. */
const char *zc_contract_take(const zc_kernels *kernels, zc_dtype dtype, const char *from, const zc_contract_walk *walk,
                             int64_t first, int64_t count, const zc_contract_room *room);

#endif
