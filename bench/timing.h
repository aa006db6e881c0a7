/* Clock of every benchmark, and an order of times for medians. */
#ifndef ZC_BENCH_TIMING_H
#define ZC_BENCH_TIMING_H

#include <time.h>

static inline double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* For qsort. */
static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
