/*
 * The heap of a context: one allocator, how many bytes it has given out, and the blocks that it keeps: large ones in
 * caches, small ones in free lists. An allocator of the host's own sees each small block.
 *
 * Two sorts of memory: headers (nodes, handles, plans, scratch), O(rank) each, and data (elements). Invariant: the heap
 * itself counts as a header, so it lives until its context and the last block from it are gone, whichever comes
 * last; blocks may be freed from any thread. What is kept never makes data exceed the limit: it goes first.
 */
#ifndef ZC_RUNTIME_MEMORY_HEAP_H
#define ZC_RUNTIME_MEMORY_HEAP_H

#include "runtime/memory/cache.h"
#include "runtime/memory/counting.h"
#include "runtime/memory/free_lists.h"
#include "zerocast.h"

/* Places for gradient variables in the sets of nodes (runtime/graph/variables.h). */
enum { ZC_VARIABLE_PLACES = 64 };

/* Data is aligned so that no vector access straddles a cache line. */
enum { ZC_DATA_ALIGNMENT = 64, ZC_HEADER_ALIGNMENT = 16 };

/* Header blocks of this size are filled, one after the other, by plans that are many times as large. */
enum { ZC_FILLED_BLOCK = 2 << 20 };

/* A number of bytes after which more data may follow, aligned. */
static inline size_t zc_align_data(size_t bytes)
{
    return (bytes + ZC_DATA_ALIGNMENT - 1) / ZC_DATA_ALIGNMENT * ZC_DATA_ALIGNMENT;
}

/* Nodes with data that have not given up their operands (runtime/graph/keep.h), those listed longest ago first. */
enum { ZC_KEPT_NODES = 64 };

typedef struct zc_kept_nodes {
    struct zc_node *nodes[ZC_KEPT_NODES];
    int count;
    int64_t data_bytes;        /* of the heap when it was last trimmed, or less, */
    int64_t all_nodes;         /* and nodes that were not freed yet */
    _Atomic bool has_replaced; /* since then a node was replaced by an update, or listed that reads such a node */
} zc_kept_nodes;

/* Watched nodes that were recorded last (runtime/graph/pending.h), around the place of the next one. */
enum { ZC_PENDING_NODES = 256 };

typedef struct zc_pending_nodes {
    struct zc_node *nodes[ZC_PENDING_NODES]; /* or NULL */
    int next;
    _Atomic bool has_grown;       /* the heap's data, during a run, since one looked at what these hold */
    _Atomic int32_t added;        /* nodes that were added since a run looked */
    _Atomic int64_t looked_bytes; /* zc_heap_data() when a run looked, or less since */
    int64_t lost_bytes;           /* that nodes held which the list had no room for any more, or fewer */
} zc_pending_nodes;

typedef struct zc_heap {
    zc_allocator allocator;
    int64_t limit; /* of data and of what is kept, together; 0: none */
    zc_cache cache;
    zc_cache header_cache; /* of headers: blocks that plans were in */
    zc_free_lists small_data, small_headers;
    void *last; /* the context's block, once that has ended, of so many bytes; or NULL */
    size_t last_bytes;
    _Atomic int64_t header_bytes;
    _Atomic int64_t nodes;                       /* counted by node.c */
    _Atomic int64_t serials;                     /* given to nodes so far, by node.c */
    _Atomic int64_t sources;                     /* numbers given to buffers so far, by buffer.c */
    _Atomic int64_t variables;                   /* made so far; each has the next place */
    _Atomic int64_t handles[ZC_VARIABLE_PLACES]; /* on the variables of each place */
    _Atomic bool is_shared;                      /* other contexts have handles on its nodes, or had */
    zc_kept_nodes kept;                          /* under the graph's lock, */
    zc_pending_nodes pending;                    /* likewise */
    struct zc_history *histories;                /* of its leaves, under the graph's lock (runtime/graph/history.h) */
    _Atomic int64_t kept_bytes;                  /* of data that nobody asked for */
    _Atomic int64_t data_bytes;
    _Atomic int64_t data_peak_bytes;
    _Atomic int64_t borrowed_bytes; /* of others' memory and mapped files, as long as buffers lead there */
    zc_free_lists arena_blocks;     /* by pages */
} zc_heap;

/* Bytes of elements that buffers of a heap hold, borrowed ones included. */
static inline int64_t zc_heap_data(zc_heap *heap)
{
    return atomic_load_explicit(&heap->data_bytes, memory_order_relaxed) +
           atomic_load_explicit(&heap->borrowed_bytes,
                                memory_order_relaxed); /* proven: both are of memory that exists */
}

/* Nodes that were made through a heap and not freed yet. */
static inline int64_t zc_heap_nodes(zc_heap *heap)
{
    return atomic_load_explicit(&heap->nodes, memory_order_relaxed);
}

/* NULL when the allocator fails. allocator NULL: the default one. limit 0: none. */
zc_heap *zc_heap_new(const zc_allocator *allocator, int64_t limit);

/* Sets how many bytes of large blocks are kept from now on: `bytes` of data, and as many of headers, but at most some
 * megabytes of those. */
void zc_heap_keep(zc_heap *heap, int64_t bytes);

/* Bytes that are kept. */
int64_t zc_heap_kept(const zc_heap *heap);

/* Gives back what is kept. */
void zc_heap_trim(zc_heap *heap);

/* Ends the context's share: nothing is kept any more. `last`: a block of the heap's that goes when the heap ends, so
 * that no other has its address as long as tensors are told by it; or NULL. */
void zc_heap_leave(zc_heap *heap, void *last, size_t bytes);

/* Tells a heap whose context has ended. */
static inline bool zc_heap_has_left(const zc_heap *heap)
{
    return heap->last != NULL;
}

/* Both return NULL when the allocator fails. Free with the same number of bytes; memory may be NULL. */
void *zc_heap_take(zc_heap *heap, size_t bytes);

void zc_heap_give(zc_heap *heap, void *memory, size_t bytes);
void *zc_heap_take_data(zc_heap *heap, size_t bytes);
void zc_heap_give_data(zc_heap *heap, void *memory, size_t bytes);

#endif
