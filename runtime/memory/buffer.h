/*
 * A buffer: a run of bytes that elements live in, and who ends it.
 *
 * Invariant: the bytes never change while the buffer is shared. Owned memory comes from the heap; borrowed and mapped
 * memory is ended by its release callback, exactly once.
 */
#ifndef ZC_RUNTIME_MEMORY_BUFFER_H
#define ZC_RUNTIME_MEMORY_BUFFER_H

#include "runtime/memory/heap.h"

typedef struct zc_buffer {
    _Atomic int64_t references;
    zc_heap *heap;
    void *memory;                              /* aligned to the elements in it, complex ones to their parts */
    int64_t bytes;                             /* as taken or lent */
    bool is_owned;                             /* from the heap; else borrowed */
    void (*release)(void *user, void *memory); /* for borrowed memory, may be NULL */
    void *user;
} zc_buffer;

/* Owned memory, uninitialised; no bytes take none. NULL when the allocator fails. */
zc_buffer *zc_buffer_new(zc_heap *heap, int64_t bytes);

/* Borrowed memory. On failure NULL, and release has not been called. */
zc_buffer *zc_buffer_wrap(zc_heap *heap, void *memory, int64_t bytes, void (*release)(void *user, void *memory),
                          void *user);

zc_buffer *zc_buffer_retain(zc_buffer *buffer);
void zc_buffer_release(zc_buffer *buffer); /* buffer may be NULL */

#endif
