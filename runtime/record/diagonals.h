/*
 * Values on a diagonal of other elements, by a comparison of two indices: the others need not be in memory for that, as
 * they have to where elements are updated at their places.
 */
#ifndef ZC_RUNTIME_RECORD_DIAGONALS_H
#define ZC_RUNTIME_RECORD_DIAGONALS_H

#include "runtime/graph/tensor.h"

/* Two axes of a shape, and where a diagonal of all elements that it can have begins along them. */
typedef struct zc_diagonal_place {
    int axis[2];
    int64_t first[2];
    int along; /* the axis of the view that goes along the diagonal; the others are those of the shape, in their order
                */
} zc_diagonal_place;

/* Tells a view over a dense storage of that shape that shows a diagonal. */
bool zc_find_diagonal(const zc_view *view, int rank, const int64_t *shape, zc_diagonal_place *found);

/* Records `values`, of the view's shape, on the diagonal of `others`, of the storage's shape and the same dtype. Sets
 * *is_so to false, and gives NULL, where the diagonal is as long as neither axis and the values are not one for all of
 * it; a failure is the other NULL. */
zc_tensor *zc_record_on_diagonal(const zc_diagonal_place *place, const zc_tensor *values, const zc_tensor *others,
                                 bool *is_so, const char *function);

#endif
