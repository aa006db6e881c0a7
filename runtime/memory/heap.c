#include "runtime/memory/heap.h"

zc_heap *zc_heap_new(const zc_allocator *allocator)
{
    const zc_allocator *from = allocator != NULL ? allocator : zc_allocator_default();
    zc_heap *heap = from->allocate(from->user, sizeof *heap, ZC_DATA_ALIGNMENT);
    if (heap == NULL)
        return NULL;
    heap->allocator = *from;
    atomic_init(&heap->header_bytes, (int64_t)sizeof *heap);
    atomic_init(&heap->nodes, 0);
    atomic_init(&heap->serials, 0);
    atomic_init(&heap->data_bytes, 0);
    atomic_init(&heap->data_peak_bytes, 0);
    return heap;
}

static void uncount_header(zc_heap *heap, size_t bytes)
{
    if (zc_count(&heap->header_bytes, -(int64_t)bytes) == (int64_t)bytes) {
        zc_allocator last = heap->allocator;
        last.deallocate(last.user, heap, sizeof *heap, ZC_DATA_ALIGNMENT);
    }
}

void zc_heap_leave(zc_heap *heap)
{
    uncount_header(heap, sizeof *heap);
}

void *zc_heap_take(zc_heap *heap, size_t bytes)
{
    void *memory = heap->allocator.allocate(heap->allocator.user, bytes, ZC_HEADER_ALIGNMENT);
    if (memory != NULL)
        (void)zc_count(&heap->header_bytes, (int64_t)bytes);
    return memory;
}

void zc_heap_give(zc_heap *heap, void *memory, size_t bytes)
{
    if (memory == NULL)
        return;
    heap->allocator.deallocate(heap->allocator.user, memory, bytes, ZC_HEADER_ALIGNMENT);
    uncount_header(heap, bytes);
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

void *zc_heap_take_data(zc_heap *heap, size_t bytes)
{
    void *memory = heap->allocator.allocate(heap->allocator.user, bytes, ZC_DATA_ALIGNMENT);
    if (memory != NULL) {
        int64_t before = zc_count(&heap->data_bytes, (int64_t)bytes);
        raise_peak(heap, before + (int64_t)bytes);
    }
    return memory;
}

void zc_heap_give_data(zc_heap *heap, void *memory, size_t bytes)
{
    if (memory == NULL)
        return;
    heap->allocator.deallocate(heap->allocator.user, memory, bytes, ZC_DATA_ALIGNMENT);
    (void)zc_count(&heap->data_bytes, -(int64_t)bytes);
}
