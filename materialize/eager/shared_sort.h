/*
 * Sorting one long line by several threads: where that is taken, by dividing it together (quick.h). Else the elements
 * are dealt into as many parts, each below the next one, and every thread sorts a part. What is equal goes into one
 * part and keeps its order, so the result does not depend on the number of threads.
 */
#ifndef ZC_MATERIALIZE_EAGER_SHARED_SORT_H
#define ZC_MATERIALIZE_EAGER_SHARED_SORT_H

#include "materialize/execute/pool.h"
#include "materialize/sorting/sorter.h"

/* The pool's threads that sort a line of so many elements of so many bytes; 1: nobody shares it. */
int zc_sort_threads(const zc_pool *pool, int64_t count, size_t item, bool has_index);

/* Sorts as the sorter does, by so many threads; each element has `item` bytes. Several threads leave the elements in
 * what was the room beside them. False when the work is to stop. */
bool zc_sort_shared(zc_line *line, const zc_sorter *sorter, size_t item, zc_pool *pool, int threads);

#endif
