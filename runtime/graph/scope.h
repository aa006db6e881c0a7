/*
 * Scopes: lists of the handles that end together.
 *
 * Invariant: a handle is on the list of at most one scope, which owns one of its references. The list runs through
 * the handles, so joining and leaving costs no memory and no search.
 */
#ifndef ZC_RUNTIME_GRAPH_SCOPE_H
#define ZC_RUNTIME_GRAPH_SCOPE_H

#include "runtime/graph/tensor.h"

/* Gives the caller's reference to the innermost open scope, if there is one. */
void zc_scope_adopt(zc_context *ctx, zc_tensor *t);

/* Takes the handle off its scope's list; the scope's reference is the caller's then. */
void zc_scope_leave(zc_tensor *t);

/* Ends a scope whose temporaries made `result`, one of them or NULL, which goes to the scope around it or to the
 * caller. Returns result. */
zc_tensor *zc_scope_end_with(zc_scope *scope, zc_tensor *result);

#endif
