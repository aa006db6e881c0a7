/*
 * Splitting the axes of a view: n*m elements walked as two axes, of n and of m.
 *
 * An axis of a view may run across several axes of the storage. Where it crosses the border between two of them in a
 * whole number of steps, it is split there, so that each part moves along one axis of the storage alone.
 *
 * Invariant: a split view shows the same elements in the same order.
 */
#ifndef ZC_VIEWS_SPLIT_H
#define ZC_VIEWS_SPLIT_H

#include "views/view.h"

/* New axis j walks old axis origin[j], in steps of multiple[j] elements. */
typedef struct zc_axis_split {
    int rank;
    int64_t shape[ZC_MAX_RANK];
    int64_t multiple[ZC_MAX_RANK];
    int origin[ZC_MAX_RANK];
} zc_axis_split;

/* Splits the axes of a view over the row-major storage of a shape wherever they can be. False when there would be more
 * axes than a view has. */
bool zc_view_split(const zc_view *view, int rank, const int64_t *shape, zc_axis_split *out);

/* The view with its axes split so. */
void zc_view_apply_split(const zc_view *view, const zc_axis_split *split, zc_view *out);

#endif
