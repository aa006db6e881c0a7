/*
 * The default allocator of builds without jemalloc: sanitizer builds, where jemalloc would hide leaks, and libraries
 * that are loaded into a running process, which Debian's jemalloc cannot be.
 */
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "runtime/memory/heap.h"

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    if (alignment <= _Alignof(max_align_t))
        return malloc(bytes);
    void *memory = NULL;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : NULL;
}

static void deallocate(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user, (void)bytes, (void)alignment;
    free(memory);
}

void zc_allocator_trim(void)
{
#if defined(__GLIBC__)
    (void)malloc_trim(0);
#endif
}

const zc_allocator *zc_allocator_default(void)
{
    static const zc_allocator system = {NULL, allocate, deallocate};
    return &system;
}
