#include "runtime/memory/heap.h"

#include "runtime/memory/allocator.h"
#include "views/shape.h"

/* Bytes of data kept by default; half of the limit where there is one. */
static const int64_t default_kept = INT64_C(1) << 30;

/* Headers that are kept at most: a plan of some thousand stages finds all of its blocks again. */
static const int64_t most_headers = INT64_C(16) << 20;

/* Bytes of small blocks of data that are kept, and of small headers: a graph of some thousand nodes finds its memory
 * again, in the same order, so that a table of their addresses is filled in the same way and well predicted. */
static const int64_t most_small = INT64_C(64) << 10, most_small_headers = INT64_C(1) << 20;

/* Blocks of arenas are kept by whole pages, as many bytes as plans of some stages take at once: a plan takes a few of
 * them, and the next plan the same. */
enum { LOG_PAGE = 12, PAGE = 1 << LOG_PAGE };
static const int64_t most_blocks = INT64_C(1) << 18;

/* Parts of a limit of which a lent block has one at most. The bytes that lent blocks have too many are no data: an
 * eighth of 32 such parts, which nobody misses. */
enum { LIMIT_PARTS = 256 };

/* Bytes of small blocks of data that are kept, which are a small part of a limit. */
static int64_t most_small_data(int64_t limit)
{
    return limit > 0 ? zc_smaller(limit / LIMIT_PARTS, most_small) : most_small;
}

zc_heap *zc_heap_new(const zc_allocator *allocator, int64_t limit)
{
    const zc_allocator *from = allocator != NULL ? allocator : zc_allocator_default();
    zc_heap *heap = from->allocate(from->user, sizeof *heap, ZC_DATA_ALIGNMENT);
    if (heap == NULL)
        return NULL;
    heap->allocator = *from;
    const int64_t most_data = most_small_data(limit);
    const bool is_ours = allocator == NULL;
    zc_free_lists_init(&heap->small_data, __builtin_ctz(ZC_DATA_ALIGNMENT), ZC_DATA_ALIGNMENT,
                       is_ours ? most_data : -1);
    zc_free_lists_init(&heap->small_headers, __builtin_ctz(ZC_HEADER_ALIGNMENT), ZC_HEADER_ALIGNMENT,
                       is_ours ? most_small_headers : -1);
    zc_free_lists_init(&heap->arena_blocks, LOG_PAGE, ZC_HEADER_ALIGNMENT, is_ours ? most_blocks : -1);
    heap->limit = limit;
    zc_cache_init(&heap->cache, limit > 0 ? limit / 2 : default_kept, ZC_DATA_ALIGNMENT);
    heap->cache.most_lent = limit > 0 ? limit / LIMIT_PARTS : INT64_MAX;
    zc_cache_init(&heap->header_cache, limit > 0 ? zc_smaller(limit / 2, most_headers) : most_headers,
                  ZC_HEADER_ALIGNMENT);
    atomic_init(&heap->header_bytes, (int64_t)sizeof *heap);
    atomic_init(&heap->nodes, 0);
    atomic_init(&heap->serials, 0);
    atomic_init(&heap->sources, 0);
    atomic_init(&heap->variables, 0);
    atomic_init(&heap->is_shared, false);
    heap->kept.count = 0;
    heap->kept.data_bytes = heap->kept.all_nodes = 0;
    atomic_init(&heap->kept.has_replaced, false);
    for (int i = 0; i < ZC_PENDING_NODES; i++)
        heap->pending.nodes[i] = NULL;
    heap->pending.next = 0;
    atomic_init(&heap->pending.has_grown, false);
    atomic_init(&heap->pending.added, 0);
    atomic_init(&heap->pending.looked_bytes, 0);
    heap->pending.lost_bytes = 0;
    heap->histories = NULL;
    heap->last = NULL;
    for (int i = 0; i < ZC_VARIABLE_PLACES; i++)
        atomic_init(&heap->handles[i], 0);
    atomic_init(&heap->kept_bytes, 0);
    atomic_init(&heap->data_bytes, 0);
    atomic_init(&heap->data_peak_bytes, 0);
    atomic_init(&heap->borrowed_bytes, 0);
    return heap;
}

static __attribute__((noinline)) void end(zc_heap *heap)
{
    zc_heap_trim(heap); /* what another thread gave while the context ended */
    zc_free_lists_end(&heap->small_data, &heap->allocator);
    zc_free_lists_end(&heap->small_headers, &heap->allocator);
    zc_free_lists_end(&heap->arena_blocks, &heap->allocator);
    zc_allocator allocator = heap->allocator;
    if (heap->last != NULL) {
        ASAN_UNPOISON_MEMORY_REGION(heap->last, heap->last_bytes);
        allocator.deallocate(allocator.user, heap->last, zc_free_lists_round(&heap->small_headers, heap->last_bytes),
                             ZC_HEADER_ALIGNMENT);
    }
    allocator.deallocate(allocator.user, heap, sizeof *heap, ZC_DATA_ALIGNMENT);
}

static inline void uncount_header(zc_heap *heap, size_t bytes)
{
    if (zc_count(&heap->header_bytes, -(int64_t)bytes) == (int64_t)bytes)
        end(heap);
}

void zc_heap_trim(zc_heap *heap)
{
    (void)zc_cache_shrink(&heap->cache, &heap->allocator, 0);
    (void)zc_cache_shrink(&heap->header_cache, &heap->allocator, 0);
    zc_free_lists_limit(&heap->small_data, &heap->allocator, heap->small_data.most);
    zc_free_lists_limit(&heap->small_headers, &heap->allocator, heap->small_headers.most);
    zc_free_lists_limit(&heap->arena_blocks, &heap->allocator, heap->arena_blocks.most);
}

void zc_heap_keep(zc_heap *heap, int64_t bytes)
{
    atomic_store_explicit(&heap->cache.limit, bytes, memory_order_relaxed);
    (void)zc_cache_shrink(&heap->cache, &heap->allocator, bytes);
    atomic_store_explicit(&heap->header_cache.limit, zc_smaller(bytes, most_headers), memory_order_relaxed);
    (void)zc_cache_shrink(&heap->header_cache, &heap->allocator, zc_smaller(bytes, most_headers));
    zc_free_lists_limit(&heap->small_data, &heap->allocator, zc_smaller(bytes, most_small_data(heap->limit)));
    zc_free_lists_limit(&heap->small_headers, &heap->allocator, zc_smaller(bytes, most_small_headers));
    zc_free_lists_limit(&heap->arena_blocks, &heap->allocator, zc_smaller(bytes, most_blocks));
}

int64_t zc_heap_kept(const zc_heap *heap)
{
    return zc_cache_bytes(&heap->cache) + zc_cache_bytes(&heap->header_cache);
}

void zc_heap_leave(zc_heap *heap, void *last, size_t bytes)
{
    zc_heap_keep(heap, 0);
    heap->last = last;
    heap->last_bytes = bytes;
    if (last != NULL)
        ASAN_POISON_MEMORY_REGION(last, bytes);
    uncount_header(heap, sizeof *heap + bytes);
}

/* Blocks of headers that are kept: not those that are rather on huge pages, of which few are alike. */
static bool keeps_header(size_t bytes)
{
    enum { LARGEST = 1 << 20 };
    return zc_cache_keeps(bytes) && bytes <= LARGEST;
}

static void *allocate_header(zc_heap *heap, size_t bytes)
{
    const zc_allocator *from = &heap->allocator;
    if (!keeps_header(bytes))
        return from->allocate(from->user, bytes, ZC_HEADER_ALIGNMENT);
    void *memory = zc_cache_take(&heap->header_cache, bytes);
    if (memory == NULL)
        memory = from->allocate(from->user, bytes, ZC_HEADER_ALIGNMENT);
    if (memory == NULL && zc_cache_shrink(&heap->header_cache, from, 0))
        memory = from->allocate(from->user, bytes, ZC_HEADER_ALIGNMENT);
    return memory;
}

static void deallocate_header(zc_heap *heap, void *memory, size_t bytes)
{
    if (!keeps_header(bytes) || !zc_cache_give(&heap->header_cache, &heap->allocator, memory, bytes))
        heap->allocator.deallocate(heap->allocator.user, memory, bytes, ZC_HEADER_ALIGNMENT);
}

/* Functions of their own for what has no list, so that what has one saves no registers. */
static __attribute__((noinline)) void *take_header(zc_heap *heap, size_t bytes)
{
    void *memory = bytes % PAGE == 0 ? zc_free_lists_take(&heap->arena_blocks, bytes) : NULL;
    if (memory == NULL)
        memory = allocate_header(heap, zc_free_lists_round(&heap->small_headers, bytes));
    if (memory != NULL)
        (void)zc_count(&heap->header_bytes, (int64_t)bytes);
    return memory;
}

static __attribute__((noinline)) void give_header(zc_heap *heap, void *memory, size_t bytes)
{
    if (bytes % PAGE != 0 || !zc_free_lists_give(&heap->arena_blocks, memory, bytes))
        deallocate_header(heap, memory, zc_free_lists_round(&heap->small_headers, bytes));
    uncount_header(heap, bytes);
}

void *zc_heap_take(zc_heap *heap, size_t bytes)
{
    void *memory = zc_free_lists_take(&heap->small_headers, bytes);
    if (memory == NULL)
        return take_header(heap, bytes);
    (void)zc_count(&heap->header_bytes, (int64_t)bytes);
    return memory;
}

void zc_heap_give(zc_heap *heap, void *memory, size_t bytes)
{
    if (memory == NULL)
        return;
    if (zc_free_lists_give(&heap->small_headers, memory, bytes))
        uncount_header(heap, bytes);
    else
        give_header(heap, memory, bytes);
}

static void raise_peak(zc_heap *heap, int64_t bytes)
{
    int64_t peak = atomic_load_explicit(&heap->data_peak_bytes, memory_order_relaxed);
    /* LCOV_EXCL_BR_START: whether another thread comes between is up to chance */
    while (peak < bytes && !atomic_compare_exchange_weak_explicit(&heap->data_peak_bytes, &peak, bytes,
                                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
    /* LCOV_EXCL_BR_STOP */
}

/* Bytes that may be kept beside the data and so many bytes more. */
static int64_t room_beside(const zc_heap *heap, int64_t more)
{
    int64_t data = atomic_load_explicit(&heap->data_bytes, memory_order_relaxed);
    return heap->limit == 0 ? INT64_MAX : heap->limit - data - more;
}

static void *allocate_data(zc_heap *heap, size_t asked)
{
    const zc_allocator *from = &heap->allocator;
    const size_t bytes = zc_free_lists_round(&heap->small_data, asked);
    void *kept = zc_cache_keeps(bytes) ? zc_cache_take(&heap->cache, bytes) : NULL;
    if (kept != NULL)
        return kept;
    if (zc_cache_keeps(bytes))
        zc_cache_outgrow(&heap->cache, from, bytes);
    (void)zc_cache_shrink(&heap->cache, from, room_beside(heap, (int64_t)bytes));
    void *memory = from->allocate(from->user, bytes, ZC_DATA_ALIGNMENT);
    if (memory == NULL && zc_cache_shrink(&heap->cache, from, 0))
        memory = from->allocate(from->user, bytes, ZC_DATA_ALIGNMENT);
    return memory;
}

void *zc_heap_take_data(zc_heap *heap, size_t bytes)
{
    void *memory = zc_free_lists_take(&heap->small_data, bytes);
    if (memory == NULL)
        memory = allocate_data(heap, bytes);
    if (memory != NULL) {
        int64_t before = zc_count(&heap->data_bytes, (int64_t)bytes);
        raise_peak(heap, before + (int64_t)bytes);
    }
    return memory;
}

static void deallocate_data(zc_heap *heap, void *memory, size_t given)
{
    const size_t bytes = zc_free_lists_round(&heap->small_data, given);
    if (zc_cache_keeps(bytes) && zc_cache_give(&heap->cache, &heap->allocator, memory, bytes))
        (void)zc_cache_shrink(&heap->cache, &heap->allocator, room_beside(heap, 0));
    else
        heap->allocator.deallocate(heap->allocator.user, memory, bytes, ZC_DATA_ALIGNMENT);
}

void zc_heap_give_data(zc_heap *heap, void *memory, size_t bytes)
{
    if (memory == NULL)
        return;
    (void)zc_count(&heap->data_bytes, -(int64_t)bytes);
    if (!zc_free_lists_give(&heap->small_data, memory, bytes))
        deallocate_data(heap, memory, bytes);
}
