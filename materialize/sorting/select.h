/*
 * Selecting the best elements of a line: the least, or the largest of descending lines, in order and stable, as sorting
 * all of it would leave them first.
 */
#ifndef ZC_MATERIALIZE_SORTING_SELECT_H
#define ZC_MATERIALIZE_SORTING_SELECT_H

#include "materialize/kernels/kernels.h"
#include "materialize/sorting/sorter.h"

/* Number of elements that a line needs room for when `kept` of `extent` are wanted; `extent` where sorting all is
 * better. */
int64_t zc_select_room(int64_t kept, int64_t extent);

/* The most elements that are looked at together. */
enum { ZC_SELECT_BLOCK = ZC_MOST_CANDIDATES };

/* Number of elements of which the best `kept` are kept when there are more: a line has room for a block besides. */
int64_t zc_select_most(int64_t kept);

/* Finds the extreme of a block; NULL: it is not found. */
typedef struct zc_extreme {
    zc_rows_kernel *rows;
    zc_scalar padding;
} zc_extreme;

/* A selection that goes on: the best so far are first in the line. */
typedef struct zc_selector {
    zc_dtype dtype;
    int64_t kept, used;
    int64_t worst; /* the number of one that no other one comes behind; -1: all are taken */
    zc_extreme extreme;
} zc_selector;

void zc_selector_begin(zc_selector *selector, zc_dtype dtype, int64_t kept, bool descending);

/* Number of elements of a line that are looked at together, from `first` on: few of the first ones, which are the limit
 * for others, then as many again, up to a block. */
int64_t zc_selector_next(const zc_selector *selector, int64_t first, int64_t left);

/* Looks at a block of elements as pack() leaves them, numbered from `first` on. */
void zc_selector_take(zc_selector *selector, zc_line *line, const void *elements, int64_t count, int64_t first);

/* Leaves the best `kept` elements, and their numbers, first in the line, in order. False: stopped. */
bool zc_selector_end(zc_selector *selector, zc_line *line);

typedef struct zc_selection {
    zc_dtype dtype;
    const char *from; /* the line's elements, `stride` elements apart */
    int64_t stride, extent, kept;
} zc_selection;

/* Leaves the best `kept` elements, and their numbers, first in a line that has the room. False: stopped. */
bool zc_select(const zc_selection *s, zc_line *line);

#endif
