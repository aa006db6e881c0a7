/*
 * Which processors threads run on.
 *
 * A system may wake a thread on the processor of the thread that wakes it, although another is free: Linux does so in
 * virtual machines whose processors halt when they are idle. The two then take turns, and since neither runs for long,
 * nothing parts them.
 */
#ifndef ZC_MATERIALIZE_EXECUTE_PROCESSORS_H
#define ZC_MATERIALIZE_EXECUTE_PROCESSORS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Processors, a bit each, as the system has them. */
typedef struct zc_processors {
    uint64_t bits[16];
} zc_processors;

/* Processors of a thread: those that it was allowed before it was kept anywhere, and those where it is kept. All 0 at
 * first. */
typedef struct zc_place {
    zc_processors allowed, kept;
    bool is_kept;
} zc_place;

/* The calling thread's processor; -1 where the system does not tell. */
int zc_processor(void);

/* Keeps a thread, the first, second ... of so many, on its share of the processors that it is allowed, but for one: one
 * at least, and none that is another thread's. Where there are not enough of them it may run wherever it is allowed.
 * What somebody else has allowed it in the meantime counts. */
void zc_processor_avoid(int processor, pthread_t thread, zc_place *place, int number, int count);

#endif
