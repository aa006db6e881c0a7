/*
 * A view: which elements of a storage a tensor shows, and in which order.
 *
 * Element (i0, i1, ...) lies at offset + i0*stride[0] + i1*stride[1] + ... elements into the storage.
 *
 * Invariant 1: an axis of size 1 has stride 0; a view with no elements has offset 0 and strides 0.
 * Invariant 2: every element lies inside the storage the view was made for, proven when it was made
 *              (zc_view_prove), so no executor checks bounds again.
 * Invariant 3: offset + the sums of the negative and of the positive (shape - 1) * stride fit in int64.
 *
 * A view is a value and never owns memory. Only the first `rank` entries of the arrays mean anything; copy views with
 * zc_view_copy, which copies just these.
 */
#ifndef ZC_VIEWS_VIEW_H
#define ZC_VIEWS_VIEW_H

#include "views/shape.h"

typedef struct zc_view {
    int rank;
    int64_t offset;              /* elements */
    int64_t shape[ZC_MAX_RANK];  /* elements */
    int64_t stride[ZC_MAX_RANK]; /* elements; any sign; 0 repeats */
} zc_view;

/* The row-major view of a whole storage of that shape. The shape has been through zc_shape_size. */
void zc_view_row_major(int rank, const int64_t *shape, zc_view *out);

/* Any strides and offset over a storage of `storage` elements, made canonical (invariant 1) and proven
 * (invariants 2, 3). The shape is checked too. Refuses "reaches element -3 of a storage of 10 elements". */
zc_status zc_view_prove(int rank, const int64_t *shape, const int64_t *stride, int64_t offset, int64_t storage,
                        zc_view *out, zc_reason *why);

/* Restores invariant 1 after extents, strides or the offset were set. */
void zc_view_canonicalise(zc_view *view);

void zc_view_copy(const zc_view *from, zc_view *to);
bool zc_view_equal(const zc_view *a, const zc_view *b);

/* Number of elements; INT64_MAX for views of no storage that have more. */
int64_t zc_view_size(const zc_view *view);

/* Lowest and highest element index the view reaches; only for views with elements. */
void zc_view_reach(const zc_view *view, int64_t *lowest, int64_t *highest);

/* Tells whether the elements are consecutive in row-major order from `offset` on (offset itself may be anything). */
bool zc_view_is_dense(const zc_view *view);

/* Dense, at offset 0 and of the storage's full size: the row-major order of the storage itself. */
bool zc_view_is_identity(const zc_view *view, int64_t storage);

/* Axes of size > 1 with stride 0, as a bit set. */
uint64_t zc_view_broadcast_axes(const zc_view *view);

/* The view without the axes in `axes` (index 0 is taken there, so none of them has size 0). out may be view. */
void zc_view_drop_axes(const zc_view *view, uint64_t axes, zc_view *out);

#endif
