/*
 * The default allocator.
 */
#ifndef ZC_RUNTIME_MEMORY_ALLOCATOR_H
#define ZC_RUNTIME_MEMORY_ALLOCATOR_H

#include "zerocast.h"

/* The allocator a context gets when it names none. */
const zc_allocator *zc_allocator_default(void);

/* Returns pages to the system that it keeps for what comes next. */
void zc_allocator_trim(void);

#endif
