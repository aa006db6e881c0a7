/*
 * Selecting the best elements of a line: the least, or the largest of descending lines, in order and stable, as sorting
 * all of it would leave them first.
 */
#ifndef ZC_MATERIALIZE_EAGER_SELECT_H
#define ZC_MATERIALIZE_EAGER_SELECT_H

#include "materialize/eager/sorter.h"

/* How many elements a line needs room for when `kept` of `extent` are wanted; `extent` where sorting all is better. */
int64_t zc_select_room(int64_t kept, int64_t extent);

typedef struct zc_selection {
    zc_dtype dtype;
    const char *from; /* the line's elements, `stride` elements apart */
    int64_t stride, extent, kept;
} zc_selection;

/* Leaves the best `kept` elements, and their numbers, first in a line that has the room. False: stopped. */
bool zc_select(const zc_selection *s, zc_line *line);

#endif
