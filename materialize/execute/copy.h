/* Copying elements from memory to other memory by strides, where nothing may fail. */
#ifndef ZC_MATERIALIZE_EXECUTE_COPY_H
#define ZC_MATERIALIZE_EXECUTE_COPY_H

#include "views/view.h"

#include <stddef.h>

/* Copies elements of `item` bytes to their places in `memory`, in elements, from `from` on, whose strides [rank] are in
 * elements, too. No element is at two places, and none is copied from a place. */
void zc_copy_to_places(const zc_view *places, void *memory, const int64_t *from_stride, const void *from, size_t item);

/* Copies elements of `item` bytes by their numbers in memory: to[i] = from[numbers[i]]. */
void zc_copy_numbered(void *to, const void *from, const int64_t *numbers, int64_t count, size_t item);

/* As zc_copy_to_places(), to the elements of the memory with those numbers, one after the other, so that of equal
 * numbers the last stays. `shape` has the shape of the elements. */
void zc_copy_to_numbered(const zc_view *shape, void *memory, const int64_t *numbers, const int64_t *from_stride,
                         const void *from, size_t item);

#endif
