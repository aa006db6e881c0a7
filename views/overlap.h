/*
 * Write safety: may a view be written through?
 */
#ifndef ZC_VIEWS_OVERLAP_H
#define ZC_VIEWS_OVERLAP_H

#include "views/view.h"

/* True when no two elements of the view share an address. Sorted strides settle the usual cases; the rest is searched
 * exactly within a bounded number of steps; what stays undecided counts as false. */
bool zc_view_is_injective(const zc_view *view);

#endif
