/*
 * An allocator that fails on purpose and keeps count.
 *
 * Invariant: every block is checked when it comes back (its size, alignment and the bytes around it), and overwritten,
 * so that a wrong size or a use after free shows.
 */
#ifndef ZC_TESTS_SUPPORT_FAILING_H
#define ZC_TESTS_SUPPORT_FAILING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "zerocast.h"

typedef struct zc_failing {
    _Atomic int64_t calls;  /* allocations asked for so far */
    _Atomic int64_t blocks; /* not given back yet */
    _Atomic int64_t faults; /* blocks that came back wrong */
    int64_t fail_at;        /* the call that fails, from 1; 0: none */
    bool is_sticky;         /* all calls after it fail, too */
} zc_failing;

/* The allocator over that state, which outlives it. */
zc_allocator zc_failing_allocator(zc_failing *state);

/* One allocation more was made to fail in this process, which says at its end how many there were. */
void zc_failing_count(void);

#endif
