/*
 * A buffer: a run of bytes that elements live in, and who ends it.
 *
 * Invariant: the bytes never change while the buffer is shared. Owned memory comes from the heap; borrowed and mapped
 * memory is ended by its release callback, exactly once.
 *
 * A buffer of computed elements remembers the buffers and nodes that they were computed from, directly or through
 * others, by number and without keeping them: enough to refuse a gradient that would have to pass through it.
 */
#ifndef ZC_RUNTIME_MEMORY_BUFFER_H
#define ZC_RUNTIME_MEMORY_BUFFER_H

#include "runtime/memory/heap.h"

/* The buffers that elements were computed from, by number, and the nodes that computed them, as far as bits tell. */
enum { ZC_SOURCES = 12 };

typedef struct zc_sources {
    int count; /* ZC_SOURCES + 1: more than that, none of them above the highest */
    int64_t at[ZC_SOURCES];
    int64_t highest;
    uint64_t nodes; /* zc_source_bit() of each with gradients */
} zc_sources;

/* One of 64 bits for a node by its serial: others may have the same. */
static inline uint64_t zc_source_bit(uint64_t serial)
{
    return UINT64_C(1) << (serial * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

typedef struct zc_buffer {
    _Atomic int64_t references;
    zc_heap *heap;
    void *memory;                              /* aligned to the elements in it, complex ones to their parts */
    int64_t bytes;                             /* as taken or lent */
    bool is_owned;                             /* from the heap; else borrowed */
    bool is_kept;                              /* nobody asked for it (runtime/graph/keep.h); under the graph's lock */
    void (*release)(void *user, void *memory); /* for borrowed memory, may be NULL */
    void *user;
    _Atomic int64_t number; /* 0 until something is computed from it */
    int64_t lent;           /* number of all copies of its elements that are held, or 0 (zc_buffer_lend) */
    int64_t stands_for; /* of a copy: number of the buffer that it is of, or less the serial of the node; 0: neither */
    zc_sources sources;
} zc_buffer;

/* Owned memory, uninitialised; no bytes take none. NULL when the allocator fails. */
zc_buffer *zc_buffer_new(zc_heap *heap, int64_t bytes);

/* Borrowed memory. On failure NULL, and release has not been called. */
zc_buffer *zc_buffer_wrap(zc_heap *heap, void *memory, int64_t bytes, void (*release)(void *user, void *memory),
                          void *user);

/* Adds a buffer and its own sources; and others alone. */
void zc_sources_add(zc_sources *sources, zc_buffer *from);
void zc_sources_join(zc_sources *sources, const zc_sources *others);

/* Says that elements of a buffer have changed, to some that were computed from others: what was computed from it before
 * is not from these. */
void zc_buffer_change(zc_buffer *buffer, const zc_sources *others);

/* Tells whether `made` is, or may be, computed from a buffer. */
bool zc_buffer_is_derived(const zc_buffer *made, const zc_buffer *from);

/* Makes a number for copies of a buffer's elements, and notes it as what the buffer's were computed from: a gradient by
 * such a copy, which would pass through the buffer if it were a view, is refused as those are that it has sources for.
 * One number serves all copies: a list of them would overflow. */
void zc_buffer_begin_lending(zc_buffer *buffer);

/* Gives a copy of which nothing was computed that number, and the buffer's sources besides its own. `of`: the buffer
 * whose element it is, or NULL where the node with that serial had it, and no memory. */
void zc_buffer_lend(const zc_buffer *buffer, zc_buffer *copy, const zc_buffer *of, uint64_t serial);

/* Tells memory of that heap which one reference alone leads to, at the moment. */
static inline bool zc_buffer_is_own(const zc_buffer *buffer, const zc_heap *heap)
{
    return buffer->is_owned && buffer->heap == heap &&
           atomic_load_explicit(&((zc_buffer *)(uintptr_t)buffer)->references, memory_order_acquire) == 1;
}

zc_buffer *zc_buffer_retain(zc_buffer *buffer);
void zc_buffer_release(zc_buffer *buffer); /* buffer may be NULL */

#endif
