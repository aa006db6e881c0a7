/*
 * A binary counter of partial results, which joins consecutive ones pairwise (numerics contract): two neighbouring runs
 * of 2^k leaves become one of 2^(k+1); at the end what is left is joined from the right. A leaf is several results side
 * by side.
 */
#ifndef ZC_MATERIALIZE_EXECUTE_COUNTER_H
#define ZC_MATERIALIZE_EXECUTE_COUNTER_H

#include "materialize/kernels/kernels.h"

typedef struct zc_counter {
    zc_map_kernel *join;
    char *levels;   /* [zc_counter_levels()][width]: the digits */
    int64_t width;  /* elements of a leaf */
    size_t item;    /* bytes of one */
    int64_t leaves; /* so far */
} zc_counter;

/* The digits of a counter of that many leaves. */
int zc_counter_levels(int64_t leaves);

/* Adds the result of 2^digit leaves, while the lower digits are 0. `leaf` lies outside the levels. */
void zc_counter_push(zc_counter *counter, const void *leaf, int digit);

/* Joins the digits from `digit` on with what is in out, which comes after them. */
void zc_counter_join(const zc_counter *counter, int digit, void *out);

/* The result of all leaves, at least one. */
void zc_counter_end(const zc_counter *counter, void *out);

#endif
