/*
 * What elements at positions are recorded by.
 */
#ifndef ZC_RUNTIME_RECORD_TAKE_H
#define ZC_RUNTIME_RECORD_TAKE_H

#include "runtime/graph/tensor.h"

/* t, of one axis, in the order of a sorter. What is wrong with that is told in the name of searchsorted. */
zc_tensor *zc_take_sorted(const zc_tensor *t, const zc_tensor *sorter);

/* Positions as int64 elements, as a new reference to a node over which *view shows them; those beyond int64 stay
 * outside of every axis. NULL when the allocator fails. */
zc_node *zc_record_positions(const zc_tensor *positions, zc_view *view);

/* Name of the public function that records such positions. */
const char *zc_take_name(zc_take_kind kind);

#endif
