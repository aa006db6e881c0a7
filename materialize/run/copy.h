/* Copying elements from memory to other memory by strides, where nothing may fail. */
#ifndef ZC_MATERIALIZE_RUN_COPY_H
#define ZC_MATERIALIZE_RUN_COPY_H

#include "views/view.h"

#include <stddef.h>

/* Copies elements of `item` bytes to their places in `memory`, in elements, from `from` on, whose strides [rank] are in
 * elements, too. No element is at two places, and the memory of both is apart. */
void zc_copy_to_places(const zc_view *places, void *memory, const int64_t *from_stride, const void *from, size_t item);

#endif
