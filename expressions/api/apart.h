/*
 * A public call that is made of other public calls: apart from the caller's scopes, and from a failure that its context
 * has recorded.
 *
 * Invariant: between begin and end the context has no open scope and no failure, so whatever is made belongs to who
 * made it, and a failure is one of this call.
 */
#ifndef ZC_EXPRESSIONS_API_APART_H
#define ZC_EXPRESSIONS_API_APART_H

#include "expressions/base/fault.h"
#include "runtime/context/context.h"

typedef struct zc_apart {
    zc_context *ctx;
    zc_scope *scope;   /* the caller's innermost one, or NULL */
    zc_failure before; /* of the context, which stays the first */
    zc_allocator heap; /* header memory of the context */
    zc_fault fault;    /* the call's own, with memory from the heap */
} zc_apart;

void zc_apart_begin(zc_apart *apart, zc_context *ctx);

/* Puts everything back, and records the fault, if there is one, for `function`. Returns its status. */
zc_status zc_apart_end(zc_apart *apart, const char *function);

#endif
