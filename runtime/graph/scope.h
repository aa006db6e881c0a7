/*
 * Scopes: lists of the handles that end together.
 *
 * Invariant: a handle is on the list of at most one scope, which owns one of its references. The list runs through
 * the handles, so joining and leaving costs no memory and no search.
 */
#ifndef ZC_RUNTIME_GRAPH_SCOPE_H
#define ZC_RUNTIME_GRAPH_SCOPE_H

#include "runtime/graph/tensor.h"

/* Adds a handle to a scope's list, which takes over the caller's reference. */
void zc_scope_join(zc_scope *scope, zc_tensor *t);

/* Takes the handle off the list of the scope that it is in; the scope's reference is the caller's then. */
void zc_scope_leave(zc_tensor *t);

/* Ends a scope whose temporaries made `result`, one of them or NULL, which goes to the scope around it or to the
 * caller. Returns result. */
zc_tensor *zc_scope_end_with(zc_scope *scope, zc_tensor *result);

#endif
