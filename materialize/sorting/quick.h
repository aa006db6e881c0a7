/*
 * Sorting a line of elements of 4 or 8 bytes by dividing it, where this machine has kernels for it: faster than by
 * digits, and not stable. So lines with indices, and those with elements that are equal but not the same, are not
 * sorted here.
 */
#ifndef ZC_MATERIALIZE_SORTING_QUICK_H
#define ZC_MATERIALIZE_SORTING_QUICK_H

#include "materialize/kernels/kernels.h"
#include "materialize/sorting/sorter.h"

/* The line ascends or descends with the keys that `bits` says. Not taken: the line is as it was. */
zc_quick zc_quick_sort(zc_line *line, size_t item, const zc_key_bits *bits);

/* The same by several threads, which leaves the elements in what was the room beside them. */
zc_quick zc_quick_share(zc_line *line, size_t item, const zc_key_bits *bits, zc_pool *pool, int threads);

/* Sorts short rows that lie one after the other, into others: how many, from the first one on. The others are for
 * another way to sort, or their first one is. */
int64_t zc_quick_rows(const void *from, int64_t rows, int64_t extent, size_t item, const zc_key_bits *bits, void *to);

/* Sorts keys that are numbers with sign, so few of them that no steps are told of. The room beside them has as many. */
void zc_quick_keys(void *keys, void *room, int64_t count, size_t item);

/* The kernels for elements of that size; `most` is 0 where there are none. */
const zc_sort_kernels *zc_quick_kernels(size_t item);

#endif
