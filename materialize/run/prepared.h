/*
 * What executors prepared in a run, found again: the steps of a loop have stages of the same structure, and to prepare
 * one takes as long as to compute a thousand elements.
 *
 * Two stages have the same structure if they have the same domain, values, constants, reduction and store, but for
 * slots, offsets and the nodes that values come from. What prepares a stage that serves others reads nothing else of
 * it (executor.h); constants are part of the structure, since values may be computed in other places because of them.
 */
#ifndef ZC_MATERIALIZE_RUN_PREPARED_H
#define ZC_MATERIALIZE_RUN_PREPARED_H

#include "materialize/execute/executor.h"

enum { ZC_MOST_PREPARED = 32 };

typedef struct zc_prepared {
    const int64_t *structure; /* [words] */
    size_t words;             /* 0: there is none */
    const zc_stage_executor *executor;
    void *prepared;
} zc_prepared;

typedef struct zc_prepared_set {
    zc_arena *kept; /* of a plan that is kept: everything lies there. NULL: */
    zc_arena found; /* what may be found again lies here for a while, */
    zc_arena own;   /* and what one stage alone needs here, until it has run */
    bool is_used;   /* there is something in `known` */
    zc_prepared known[ZC_MOST_PREPARED];
} zc_prepared_set;

/* For a run of a plan that is kept, in whose arena what is prepared stays for other runs, or of one that is not. */
void zc_prepared_init(zc_prepared_set *set, zc_plan *plan);
void zc_prepared_free(zc_prepared_set *set);

/* Prepares a stage as zc_stage_prepare() does, or by what was prepared for another one. False when memory is out. */
bool zc_prepared_find(zc_prepared_set *set, zc_plan *plan, zc_stage *stage);

/* Ends what the stage was prepared with, unless it stays. */
void zc_prepared_end(zc_prepared_set *set, zc_stage *stage);

#endif
