/*
 * Nodes as they are read: each kind has a function that reads what only nodes of its kind have, checks it, and records
 * the node anew, by what the public functions record with where that is one call. Nothing that was read is trusted: a
 * view is proven over what was read before, a dtype is one that the operation takes.
 */
#ifndef ZC_RUNTIME_SERIALIZE_RESTORE_H
#define ZC_RUNTIME_SERIALIZE_RESTORE_H

#include "runtime/serialize/reader.h"

/* A node of its kind, as a handle that the open scope owns; NULL after a failure. */
zc_tensor *zc_restore_leaf(zc_reader *r, const zc_described *n);
zc_tensor *zc_restore_constant(zc_reader *r, const zc_described *n);
zc_tensor *zc_restore_iota(zc_reader *r, const zc_described *n);
zc_tensor *zc_restore_source(zc_reader *r, const zc_described *n);
zc_tensor *zc_restore_map(zc_reader *r, const zc_described *n);
zc_tensor *zc_restore_reduce(zc_reader *r, const zc_described *n);
zc_tensor *zc_restore_select(zc_reader *r, const zc_described *n);
zc_tensor *zc_restore_contract(zc_reader *r, const zc_described *n);
zc_tensor *zc_restore_concat(zc_reader *r, const zc_described *n);

#endif
