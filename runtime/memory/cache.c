#include "runtime/memory/cache.h"

#include <stdlib.h>

#include "runtime/memory/heap.h"
#include "views/shape.h"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes)   ((void)(memory), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#endif

enum { EMPTY = 0, BUSY = -1 };

/* A block is forgotten after so many others came back, with so many times its bytes. */
enum { MOST_RETURNS = ZC_CACHE_SLOTS, MOST_TIMES = ZC_CACHE_SLOTS };

void zc_cache_init(zc_cache *cache, int64_t limit, size_t alignment)
{
    cache->alignment = alignment;
    cache->most_lent = 0;
    atomic_init(&cache->bytes, 0);
    atomic_init(&cache->limit, limit);
    atomic_init(&cache->clock, 0);
    atomic_init(&cache->returned, 0);
    for (int s = 0; s < ZC_CACHE_SLOTS; s++) {
        atomic_init(&cache->slots[s].bytes, EMPTY);
        atomic_init(&cache->slots[s].stamp, 0);
        atomic_init(&cache->slots[s].returned, 0);
        atomic_init(&cache->slots[s].memory, NULL);
    }
}

/* The slot with the newest block of so many bytes, or with the oldest block of any size where bytes is EMPTY. */
static zc_cache_slot *find(zc_cache *cache, int64_t bytes)
{
    zc_cache_slot *found = NULL;
    int64_t best = 0;
    for (int s = 0; s < ZC_CACHE_SLOTS; s++) {
        zc_cache_slot *slot = &cache->slots[s];
        int64_t holds = atomic_load_explicit(&slot->bytes, memory_order_relaxed);
        int64_t stamp = atomic_load_explicit(&slot->stamp, memory_order_relaxed);
        bool fits = bytes == EMPTY ? holds > 0 : holds == bytes;
        if (fits && (found == NULL || (bytes == EMPTY) == (stamp < best))) {
            found = slot;
            best = stamp;
        }
    }
    return found;
}

/* Makes a slot that holds so many bytes, or nothing, ours; false when another thread was faster. */
static bool seize(zc_cache_slot *slot, int64_t holds)
{
    return atomic_compare_exchange_strong_explicit(&slot->bytes, &holds, BUSY, memory_order_acquire,
                                                   memory_order_relaxed);
}

/* Empties a slot that was seized. */
static void *empty(zc_cache *cache, zc_cache_slot *slot, int64_t held)
{
    void *memory = atomic_load_explicit(&slot->memory, memory_order_relaxed);
    ASAN_UNPOISON_MEMORY_REGION(memory, (size_t)held);
    atomic_store_explicit(&slot->bytes, EMPTY, memory_order_release);
    (void)zc_count(&cache->bytes, -held);
    return memory;
}

/* Finds the slot whose block is the nearest in size to so many bytes among those of `least` to `most`, and how many it
 * has. */
static zc_cache_slot *find_nearest(zc_cache *cache, int64_t bytes, int64_t least, int64_t most, int64_t *held)
{
    zc_cache_slot *found = NULL;
    for (int s = 0; s < ZC_CACHE_SLOTS; s++) {
        const int64_t holds = atomic_load_explicit(&cache->slots[s].bytes, memory_order_relaxed);
        if (holds >= least && holds <= most && (found == NULL || llabs(holds - bytes) < llabs(*held - bytes))) {
            found = &cache->slots[s];
            *held = holds;
        }
    }
    return found;
}

/* Finds the slot with the smallest block that may be lent to somebody who asks for so many bytes. */
static zc_cache_slot *find_larger(zc_cache *cache, int64_t bytes, int64_t *held)
{
    const int64_t most = zc_smaller(bytes + bytes / 8, cache->most_lent); /* proven: bytes are of an object */
    return find_nearest(cache, bytes, bytes + 1, most, held);
}

/* Lends the block of a slot that was seized to somebody who asked for less. */
static void *lend(zc_cache *cache, zc_cache_slot *slot, int64_t held, int64_t bytes)
{
    void *memory = atomic_load_explicit(&slot->memory, memory_order_relaxed);
    ASAN_UNPOISON_MEMORY_REGION(memory, (size_t)bytes);
    atomic_store_explicit(&slot->bytes, -held, memory_order_release);
    (void)zc_count(&cache->bytes, -bytes);
    return memory;
}

void *zc_cache_take(zc_cache *cache, size_t block_bytes)
{
    const int64_t bytes = (int64_t)block_bytes;
    int64_t held = 0;
    zc_cache_slot *slot;
    while ((slot = find(cache, bytes)) != NULL) {
        if (seize(slot, bytes)) /* LCOV_EXCL_BR_LINE: whether another thread comes between is up to chance */
            return empty(cache, slot, bytes);
    }
    while ((slot = find_larger(cache, bytes, &held)) != NULL) {
        if (seize(slot, held)) /* LCOV_EXCL_BR_LINE: as above */
            return lend(cache, slot, held, bytes);
    }
    return NULL;
}

/* Notes that a block of a slot has come back. */
static void set_stamp(zc_cache *cache, zc_cache_slot *slot, int64_t bytes)
{
    atomic_store_explicit(&slot->stamp, zc_count(&cache->clock, 1), memory_order_relaxed);
    atomic_store_explicit(&slot->returned, zc_count(&cache->returned, bytes), memory_order_relaxed);
}

/* Tells a block, of so many bytes, that nobody is likely to ask for any more. */
static bool is_forgotten(const zc_cache *cache, const zc_cache_slot *slot, int64_t bytes)
{
    const int64_t now = atomic_load_explicit(&cache->clock, memory_order_relaxed);
    const int64_t returned = atomic_load_explicit(&cache->returned, memory_order_relaxed);
    return now - atomic_load_explicit(&slot->stamp, memory_order_relaxed) > MOST_RETURNS &&
           (returned - atomic_load_explicit(&slot->returned, memory_order_relaxed)) / MOST_TIMES > bytes;
}

/* Gives the block of a slot back to the allocator, unless another thread has come between. */
static bool let_go(zc_cache *cache, const zc_allocator *allocator, zc_cache_slot *slot, int64_t held)
{
    if (!seize(slot, held)) /* LCOV_EXCL_BR_LINE: as above */
        return false;       /* LCOV_EXCL_LINE: as above */
    allocator->deallocate(allocator->user, empty(cache, slot, held), (size_t)held, cache->alignment);
    return true;
}

void zc_cache_outgrow(zc_cache *cache, const zc_allocator *allocator, size_t block_bytes)
{
    const int64_t bytes = (int64_t)block_bytes;
    int64_t held = 0;
    zc_cache_slot *slot = find_nearest(cache, bytes, bytes - bytes / 8, bytes - 1, &held);
    if (slot != NULL)
        (void)let_go(cache, allocator, slot, held);
    for (int s = 0; s < ZC_CACHE_SLOTS; s++) {
        slot = &cache->slots[s];
        held = atomic_load_explicit(&slot->bytes, memory_order_relaxed);
        if (held > 0 && is_forgotten(cache, slot, held))
            (void)let_go(cache, allocator, slot, held);
    }
}

/* The number of the slot that has lent this block, or -1. */
static int find_lender(zc_cache *cache, const void *memory)
{
    for (int s = 0; s < ZC_CACHE_SLOTS; s++) {
        const bool is_lent = atomic_load_explicit(&cache->slots[s].bytes, memory_order_relaxed) < BUSY;
        if (is_lent && atomic_load_explicit(&cache->slots[s].memory, memory_order_relaxed) == memory)
            return s;
    }
    return -1;
}

/* Holds a block again that was lent to somebody who had asked for so many bytes. */
static void take_back(zc_cache *cache, zc_cache_slot *slot, int64_t bytes)
{
    const int64_t held = -atomic_load_explicit(&slot->bytes, memory_order_relaxed);
    (void)zc_count(&cache->bytes, bytes);
    ASAN_POISON_MEMORY_REGION(atomic_load_explicit(&slot->memory, memory_order_relaxed), (size_t)held);
    set_stamp(cache, slot, held);
    atomic_store_explicit(&slot->bytes, held, memory_order_release);
}

static bool give_oldest(zc_cache *cache, const zc_allocator *allocator)
{
    zc_cache_slot *slot;
    while ((slot = find(cache, EMPTY)) != NULL) { /* LCOV_EXCL_BR_LINE: as above */
        int64_t held = atomic_load_explicit(&slot->bytes, memory_order_relaxed);
        if (held > 0 && let_go(cache, allocator, slot, held)) /* LCOV_EXCL_BR_LINE: as above */
            return true;
    }
    return false;
}

bool zc_cache_shrink(zc_cache *cache, const zc_allocator *allocator, int64_t most)
{
    bool gave = false;
    int64_t least = most > 0 ? most : 0;
    while (zc_cache_bytes(cache) > least && give_oldest(cache, allocator)) /* LCOV_EXCL_BR_LINE: as above */
        gave = true;
    return gave;
}

/* Puts a block whose bytes are counted into an empty slot, if there is one. */
static bool put(zc_cache *cache, void *memory, int64_t bytes)
{
    for (int s = 0; s < ZC_CACHE_SLOTS; s++) {
        zc_cache_slot *slot = &cache->slots[s];
        if (atomic_load_explicit(&slot->bytes, memory_order_relaxed) != EMPTY ||
            !seize(slot, EMPTY)) /* LCOV_EXCL_BR_LINE: as above */
            continue;
        ASAN_POISON_MEMORY_REGION(memory, (size_t)bytes);
        atomic_store_explicit(&slot->memory, memory, memory_order_relaxed);
        set_stamp(cache, slot, bytes);
        atomic_store_explicit(&slot->bytes, bytes, memory_order_release);
        return true;
    }
    return false;
}

bool zc_cache_give(zc_cache *cache, const zc_allocator *allocator, void *memory, size_t block_bytes)
{
    int64_t bytes = (int64_t)block_bytes, limit = atomic_load_explicit(&cache->limit, memory_order_relaxed);
    const int lender = find_lender(cache, memory);
    if (lender >= 0) {
        take_back(cache, &cache->slots[lender], bytes);
        (void)zc_cache_shrink(cache, allocator, limit);
        return true;
    }
    if (bytes > limit)
        return false;
    (void)zc_cache_shrink(cache, allocator, limit - bytes);
    (void)zc_count(&cache->bytes, bytes);
    if (put(cache, memory, bytes))
        return true;
    if (give_oldest(cache, allocator) && put(cache, memory, bytes)) /* LCOV_EXCL_BR_LINE: up to other threads */
        return true;
    (void)zc_count(&cache->bytes, -bytes);
    return false;
}
