/*
 * Large blocks that were given back and are kept for what comes next: a result written into fresh pages costs five
 * times one written into pages that are there, and few allocators keep pages of this size.
 *
 * A slot is empty, busy, holds a block or has lent it, and says so in one atomic word. So any thread may give and take,
 * none waits for another, and none is stuck after a fork in the middle of it: a busy slot is passed over. A block is
 * lent to somebody who asked for a little less, as loops do whose arrays shrink or grow from step to step: its slot
 * keeps how large it is. Invariant: `bytes` is at least what the slots hold, and what lent blocks have beyond what was
 * asked for.
 */
#ifndef ZC_RUNTIME_MEMORY_CACHE_H
#define ZC_RUNTIME_MEMORY_CACHE_H

#include "runtime/memory/counting.h"
#include "zerocast.h"

enum { ZC_CACHE_SLOTS = 32 };

typedef struct zc_cache_slot {
    _Atomic int64_t bytes;    /* of the block, negative where it is lent; or EMPTY or BUSY of cache.c */
    _Atomic int64_t stamp;    /* the lower, the longer it has been there: number of blocks that had come back, */
    _Atomic int64_t returned; /* and bytes of all of them */
    _Atomic(void *) memory;
} zc_cache_slot;

typedef struct zc_cache {
    _Atomic int64_t bytes;
    _Atomic int64_t limit;    /* that it may hold */
    _Atomic int64_t clock;    /* number of blocks that came back so far, */
    _Atomic int64_t returned; /* and their bytes */
    int64_t most_lent;        /* bytes of a block that is lent at most; 0: none is */
    size_t alignment;         /* of its blocks */
    zc_cache_slot slots[ZC_CACHE_SLOTS];
} zc_cache;

void zc_cache_init(zc_cache *cache, int64_t limit, size_t alignment);

/* Tells whether blocks of so many bytes are kept at all. */
static inline bool zc_cache_keeps(size_t bytes)
{
    enum { SMALLEST = 64 << 10 }; /* smaller ones are recycled by every allocator */
    return bytes >= SMALLEST;
}

/* A block of that many bytes, the one that came last, or else one of up to an eighth more; NULL where there is none. */
void *zc_cache_take(zc_cache *cache, size_t block_bytes);

/* Makes room for a new block: gives the largest one of up to an eighth less back to the allocator, since whoever asks
 * for a little more in each step asks for that size no more; and those that have waited for long. */
void zc_cache_outgrow(zc_cache *cache, const zc_allocator *allocator, size_t block_bytes);

/* Keeps the block, at the cost of older ones that go to the allocator; false where it must go there itself. A block
 * that was lent is kept as it was. */
bool zc_cache_give(zc_cache *cache, const zc_allocator *allocator, void *memory, size_t block_bytes);

/* Gives blocks back to the allocator, the oldest first, until no more than `most` bytes are left. Whether any was. */
bool zc_cache_shrink(zc_cache *cache, const zc_allocator *allocator, int64_t most);

static inline int64_t zc_cache_bytes(const zc_cache *cache)
{
    return atomic_load_explicit(&cache->bytes, memory_order_relaxed);
}

#endif
