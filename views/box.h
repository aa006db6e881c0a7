/*
 * Boxes: strided ranges of coordinates, one per axis of a shape.
 *
 * What is demanded of a tensor is kept as boxes: of each axis, `count` coordinates from `first` on, `step` apart. A
 * view over the row-major storage of a shape shows a box when every step along one of its axes changes each coordinate
 * by a fixed amount. One that steps across the end of an axis does not (a reshape of a slice); what it reaches is taken
 * as whole rows, which are consecutive, so that such a view still finds its elements in the box's own storage.
 *
 * Invariant: coordinates of a box lie inside its shape; an axis of one coordinate has step 1.
 */
#ifndef ZC_VIEWS_BOX_H
#define ZC_VIEWS_BOX_H

#include "views/view.h"

typedef struct zc_box {
    int rank;
    bool is_rows; /* consecutive rows of the first axis, all coordinates of the others */
    int64_t first[ZC_MAX_RANK], count[ZC_MAX_RANK], step[ZC_MAX_RANK];
} zc_box;

/* Copies just the axes that there are. */
void zc_box_copy(const zc_box *from, zc_box *to);

/* All coordinates of a shape. */
void zc_box_whole(int rank, const int64_t *shape, zc_box *out);

/* The coordinates that a view over the row-major storage of a shape reaches; the view has elements. */
void zc_box_of_view(const zc_view *view, int rank, const int64_t *shape, zc_box *out);

/* The smallest box that holds both. out may be either. */
void zc_box_join(const zc_box *a, const zc_box *b, const int64_t *shape, zc_box *out);

/* Number of elements in both. */
int64_t zc_box_size(const zc_box *box);
int64_t zc_box_overlap(const zc_box *a, const zc_box *b);

bool zc_box_contains(const zc_box *box, const zc_box *inner);

/* All coordinates between those of the box. */
void zc_box_fill(zc_box *box);

/* A range of each axis of a view. */
typedef struct zc_ranges {
    int64_t first[ZC_MAX_RANK], count[ZC_MAX_RANK]; /* [view rank] */
} zc_ranges;

/* Which elements of a view over the row-major storage of a shape lie inside a box whose steps are 1: those of a range
 * of each of its axes. False when no such ranges are just those: it carries, or two of its axes move along one. */
bool zc_box_clip(const zc_box *box, const zc_view *view, const int64_t *shape, zc_ranges *out);

/* That part of a view. out may be view. */
void zc_view_clip(const zc_view *view, const zc_ranges *ranges, zc_view *out);

/* The box as a view over the row-major storage of its shape, without the axes of one coordinate that are not in
 * `kept`. */
void zc_box_view(const zc_box *box, const int64_t *shape, uint64_t kept, zc_view *out);

/* Shows a view's elements in a row-major storage of just the box, which holds all that the view reaches. out may not be
 * view. Cost O(view rank * rank). */
void zc_box_locate(const zc_box *box, const zc_view *view, const int64_t *shape, zc_view *out);

/* A view without the axes that repeat, as a part of its storage; and the view over the part's own row-major storage. */
void zc_view_part(const zc_view *view, zc_view *part, zc_view *through);

#endif
