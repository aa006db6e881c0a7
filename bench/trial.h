/*
 * The first run of a case that may take very long, or very much memory: in a process of its own.
 */
#ifndef ZC_BENCH_TRIAL_H
#define ZC_BENCH_TRIAL_H

#include "bench/bench.h"

typedef struct bench_trial {
    bool over;          /* ended by the limit, or by a lack of memory */
    double grown_bytes; /* of the process, from before the run to its end */
} bench_trial;

/* To be called while this process has no threads of the library's. */
bench_trial bench_try(const bench_case *c, const bench_work *w, int threads, double limit_seconds);

#endif
