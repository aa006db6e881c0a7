/*
 * Watching and stopping work: how far the running call has come, and whether it is to go on.
 *
 * Invariant: only the thread that made the call reports, so internal threads never run the user's code; they add what
 * they have done and look at the flag. A request to stop stands until one call has been refused for it. Nothing here
 * allocates.
 */
#ifndef ZC_RUNTIME_CONTEXT_PROGRESS_H
#define ZC_RUNTIME_CONTEXT_PROGRESS_H

#include <stdatomic.h>

#include "zerocast.h"

typedef struct zc_progress {
    _Atomic bool stops;   /* somebody asked to */
    _Atomic int64_t done; /* steps of the part of the work at hand */
    int64_t total;
    bool (*report)(void *user, int64_t done, int64_t total); /* NULL: nobody watches */
    void *user;
} zc_progress;

/* Begins a part of a call's work, of that many steps; false: stop. */
bool zc_progress_begin(zc_progress *progress, int64_t total);

/* Says how many steps are done by now, on the thread that made the call; false: stop. */
bool zc_progress_set(zc_progress *progress, int64_t done);

static inline bool zc_progress_stops(const zc_progress *progress)
{
    return atomic_load_explicit(&((zc_progress *)(uintptr_t)progress)->stops, memory_order_relaxed);
}

/* One thread's steps, which are added to the whole now and then: counting costs nothing. */
typedef struct zc_thread_progress {
    zc_progress *whole; /* the call's */
    int worker;         /* the thread's number; 0: the one that made the call */
    bool is_stopped;
    int64_t steps; /* since the last look */
} zc_thread_progress;

enum { ZC_STEPS_PER_LOOK = 1 << 16 };

bool zc_thread_progress_look(zc_thread_progress *own);

/* Adds steps that were done; false: stop. */
static inline bool zc_thread_progress_add(zc_thread_progress *own, int64_t steps)
{
    own->steps += steps;
    return own->steps < ZC_STEPS_PER_LOOK ? !own->is_stopped : zc_thread_progress_look(own);
}

/* Refuses the call that was stopped; the request is met with that. Returns ZC_CANCELLED. */
__attribute__((cold)) zc_status zc_fail_cancelled(zc_context *ctx, const char *function);

#endif
