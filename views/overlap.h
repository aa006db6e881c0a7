/*
 * Write safety: may a view be written through, and may another one be read meanwhile?
 */
#ifndef ZC_VIEWS_OVERLAP_H
#define ZC_VIEWS_OVERLAP_H

#include "views/view.h"

/* True when no two elements of the view share an address. Sorted strides settle the usual cases; the rest is searched
 * exactly within a bounded number of steps; what stays undecided counts as false. */
bool zc_view_is_injective(const zc_view *view);

/* True when two views over one storage share no element. Told by their reach, by what all strides have in common, and
 * by where they stand between the steps of an axis, so boxes of one shape are told apart; what else shares none counts
 * as false. */
bool zc_views_are_apart(const zc_view *a, const zc_view *b);

#endif
