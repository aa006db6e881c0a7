/*
 * Counters that several threads may share: references, and bytes given out.
 *
 * A locked addition takes some twenty cycles, and recording an operation counts about ten times. The C library knows
 * whether the process has ever had a second thread; until then a counter is loaded and stored, which takes one. (The
 * shared pointers of libstdc++ do the same.) Elsewhere every addition is locked.
 */
#ifndef ZC_RUNTIME_MEMORY_COUNTING_H
#define ZC_RUNTIME_MEMORY_COUNTING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
#include <sys/single_threaded.h>
#define ZC_IS_SINGLE_THREADED __libc_single_threaded
#endif
#ifndef ZC_IS_SINGLE_THREADED
#define ZC_IS_SINGLE_THREADED 0
#endif

/* Adds, and returns what there was before. Orders what came before in other threads only when it takes away. */
static inline int64_t zc_count(_Atomic int64_t *counter, int64_t change)
{
    if (ZC_IS_SINGLE_THREADED) {
        int64_t before = atomic_load_explicit(counter, memory_order_relaxed);
        atomic_store_explicit(counter, before + change, memory_order_relaxed);
        return before;
    }
    return change > 0 ? atomic_fetch_add_explicit(counter, change, memory_order_relaxed)
                      : atomic_fetch_add_explicit(counter, change, memory_order_acq_rel);
}

/* Ends a reference: whether it was the last one. Whoever holds the only one need not lock anything to know. */
static inline bool zc_count_is_last(_Atomic int64_t *references)
{
    return atomic_load_explicit(references, memory_order_acquire) == 1 || zc_count(references, -1) == 1;
}

#endif
