/*
 * Joining elements in the fixed order of the numerics contract.
 *
 * The elements that make one result are numbered 0, 1, 2 ... in row-major order of the reduced axes that are walked.
 * They are cut into leaves of ZC_LEAF consecutive numbers. In a leaf, element i goes to lane i % ZC_LANES, in order;
 * then the upper half of the lanes is joined to the lower half until one is left. Leaves are joined pairwise by a
 * binary counter: two neighbouring runs of 2^k leaves become one of 2^(k+1); at the end what is left is joined from the
 * right. This depends on nothing but the numbers, so any division of the work gives the same bits.
 *
 * A joiner does this for several results at once, its columns: rows come in one element per column. With one column,
 * consecutive elements come in as runs. argmin and argmax need no tree: it keeps the extreme and its number.
 */
#ifndef ZC_MATERIALIZE_JOINER_H
#define ZC_MATERIALIZE_JOINER_H

#include "materialize/kernels/dispatch.h"

typedef struct zc_joiner {
    const zc_kernels *kernels;
    zc_reduction reduction;
    zc_dtype dtype;
    size_t item;
    zc_scalar padding;
    int64_t columns;
    int64_t lane_count; /* that are joined: the first ones, which elements come to */
    int64_t first;      /* number of the first element */
    int64_t count;      /* elements so far */
    int64_t leaves;     /* complete ones */
    char *lanes;        /* [ZC_LANES][columns]; of an index reduction: the extremes [columns] */
    char *levels;       /* [levels][columns]: the counter's digits */
    int64_t *number;    /* [columns], of an index reduction */
} zc_joiner;

/* Bytes of memory that a joiner of that many columns and elements needs, aligned to 64. */
size_t zc_joiner_bytes(zc_reduction reduction, zc_dtype dtype, int64_t columns, int64_t count);

/* Sets up a joiner in that memory, for up to `columns` of up to `count` elements. */
void zc_joiner_init(zc_joiner *joiner, const zc_kernels *kernels, zc_reduction reduction, zc_dtype dtype,
                    int64_t columns, int64_t count, void *memory);

/* Starts anew with that many columns at element `first`, a multiple of ZC_LEAF. */
void zc_joiner_begin(zc_joiner *joiner, int64_t columns, int64_t first);

/* n consecutive elements of the only column. */
void zc_joiner_run(zc_joiner *joiner, const void *elements, int64_t n);

/* The next n elements of every column, joined to a leaf already: all of it, or what is left for the last one. */
void zc_joiner_leaf(zc_joiner *joiner, const void *results, int64_t n);

/* The next n elements of every column: rows that are `pitch` bytes apart. */
void zc_joiner_rows(zc_joiner *joiner, const void *elements, int64_t pitch, int64_t n);

/* The columns' results; numbers is NULL but for an index reduction. At least one element has come in. */
void zc_joiner_end(zc_joiner *joiner, void *out, int64_t *numbers);

/* Joins the results of consecutive groups, each of 2^k leaves but for the last: row g holds group g's columns. numbers
 * as above, [groups][columns]. The first row becomes the result. */
void zc_joiner_groups(zc_joiner *joiner, char *results, int64_t *numbers, int64_t groups, int64_t columns);

#endif
