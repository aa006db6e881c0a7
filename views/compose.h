/*
 * Composition: the one function behind every push-down.
 *
 * `inner` shows a storage as a shape; `outer` is a view over the row-major index space of that shape, as if it were a
 * storage of its own. The composition shows the inner storage directly in outer's shape. It exists as strides unless
 * outer's steps carry from one inner axis into another whose strides do not continue it (a reshape over a broadcast
 * or permuted operand).
 */
#ifndef ZC_VIEWS_COMPOSE_H
#define ZC_VIEWS_COMPOSE_H

#include "views/view.h"

/* True: *out is inner seen through outer. False: no strides express it ("not affine"), *out is unspecified.
 * Exact, but for one corner: where carries at two boundaries might cancel out, at most 4096 elements are compared, and
 * what would take more is refused. out may be neither inner nor outer. Cost O(inner rank * outer rank), and that
 * search where digits do carry. */
bool zc_view_compose(const zc_view *inner, const zc_view *outer, zc_view *out);

#endif
