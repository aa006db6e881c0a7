/*
 * A view and the index array it should show, taken through the same random calls.
 *
 * Invariant: after each call the two agree on whether it was refused, and on every element. What does not hold fails
 * the test that runs, or stops a fuzz target.
 */
#ifndef ZC_TESTS_VIEWS_TWINS_H
#define ZC_TESTS_VIEWS_TWINS_H

#include "tests/views/chain.h"

typedef struct twins {
    zc_view view;
    oracle expected; /* to be ended by oracle_free */
    int64_t storage; /* elements, of both */
} twins;

/* Over a storage of that shape, or of a random one and perhaps through strides. */
void twins_begin_row_major(twins *t, int rank, const int64_t *shape);
void twins_begin(twins *t);

/* One call of the first `kinds` on both, drawn into *c; whether it was accepted. What stands before CALL_AS_STRIDED
 * always composes. */
bool twins_advance(twins *t, call_kind kinds, view_call *c);

/* Facts that the view reports about itself, counted out. */
void twins_check_answers(const twins *t);

#endif
