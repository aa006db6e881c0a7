/*
 * Joining elements in the fixed order of the numerics contract.
 *
 * The elements that make one result are numbered 0, 1, 2 ... in row-major order of the reduced axes that are walked.
 * They are cut into leaves of ZC_LEAF consecutive numbers. In a leaf, element i goes to lane i % ZC_LANES, in order;
 * then the upper half of the lanes is joined to the lower half until one is left. Leaves are joined by a binary
 * counter. This depends on nothing but the numbers, so any division of the work gives the same bits.
 *
 * A reducer does this for several results at once, its columns: rows come in one element per column. With one column,
 * consecutive elements come in as runs. argmin and argmax need no tree: it keeps the extreme and its number. Lanes and
 * partial results of logsumexp are log sums (kernels.h); those of all others are like elements.
 */
#ifndef ZC_MATERIALIZE_EXECUTE_REDUCER_H
#define ZC_MATERIALIZE_EXECUTE_REDUCER_H

#include "materialize/execute/counter.h"
#include "materialize/kernels/tables/dispatch.h"

typedef struct zc_reducer {
    const zc_kernels *kernels;
    zc_reduction reduction;
    zc_dtype dtype;   /* dtype of elements */
    zc_dtype partial; /* dtype of lanes and partial results (zc_reduction_partial) */
    size_t element;   /* bytes of an element */
    size_t item;      /* bytes of a partial result */
    zc_scalar padding;
    int64_t columns;
    int64_t lane_count;         /* lanes that are joined: the first ones, which elements come to */
    int64_t first;              /* number of the first element */
    int64_t count;              /* elements so far */
    zc_counter counter;         /* counter of complete leaves */
    char *lanes;                /* [ZC_LANES][columns]; in an index reduction, the extremes [columns] */
    const char *held[ZC_LANES]; /* each lane of the leaf at hand: among these, or its only row so far, which stays where
                                   it was handed in; NULL: nothing came to it */
    bool is_elsewhere;          /* some lane is not among these */
    bool is_alone;   /* the first lane is the result so far, in a reduction with the same bits in any order */
    bool has_rest;   /* the first lane has the elements behind all digits, joined already */
    int64_t *number; /* [columns]: numbers of the extremes, in an index reduction */
} zc_reducer;

/* Bytes of memory that a reducer of that many columns and elements needs, aligned to 64. */
size_t zc_reducer_bytes(zc_reduction reduction, zc_dtype dtype, int64_t columns, int64_t count);

/* Bytes of the same with the reducer itself before it, which is there where a state is kept. */
size_t zc_reducer_state_bytes(zc_reduction reduction, zc_dtype dtype, int64_t columns, int64_t count);

/* Gives the kernel that joins partial results. */
zc_map_kernel *zc_reducer_join(const zc_kernels *kernels, zc_reduction reduction, zc_dtype dtype);

/* Sets up a reducer in that memory, for up to `columns` of up to `count` elements. */
void zc_reducer_init(zc_reducer *reducer, const zc_kernels *kernels, zc_reduction reduction, zc_dtype dtype,
                     int64_t columns, int64_t count, void *memory);

/* Tells whether no further element changes the result. One element decides reductions whose elements came in runs:
 * truths, and the first of bools. */
bool zc_reducer_is_decided(const zc_reducer *reducer);

/* Joins the sum of the next elements, of integers, or whether any or all of them are true: the same in any order. */
void zc_reducer_join_any_order(zc_reducer *reducer, const void *sum);

/* Tells a reduction of truths, which is the same in any order. */
bool zc_reducer_has_no_order(const zc_reducer *reducer);

/* Starts anew with that many columns at element `first`, a multiple of ZC_LEAF. */
void zc_reducer_begin(zc_reducer *reducer, int64_t columns, int64_t first);

/* Joins n consecutive elements of the only column. */
void zc_reducer_run(zc_reducer *reducer, const void *elements, int64_t n);

/* Joins the next n elements of every column, joined already: 2^k leaves, of which as many came before or a multiple of
 * that, or all that are left. Numbers are those of an index reduction, else NULL. */
void zc_reducer_joined(zc_reducer *reducer, const void *results, const int64_t *numbers, int64_t n);

/* Joins the next element of every column; is_lasting: they stay there until the leaf ends, so that they need no
 * copy. */
void zc_reducer_row(zc_reducer *reducer, const void *elements, bool is_lasting);

/* Room where the next row may be made, so that it needs no copy either; NULL: anywhere else. */
char *zc_reducer_room(const zc_reducer *reducer);

/* Joins the next n elements of every column: rows that are `pitch` bytes apart. Not in a leaf that has lasting rows. */
void zc_reducer_rows(zc_reducer *reducer, const void *elements, int64_t pitch, int64_t n);

/* Gives the columns' results; numbers is NULL but for an index reduction. At least one element has come in. */
void zc_reducer_end(zc_reducer *reducer, void *out, int64_t *numbers);

/* Joins the results of consecutive groups, each of 2^k leaves but for the last: row g holds group g's columns. numbers
 * as above, [groups][columns]. The first row becomes the result. */
void zc_reducer_groups(zc_reducer *reducer, char *results, int64_t *numbers, int64_t groups, int64_t columns);

#endif
