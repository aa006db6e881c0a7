#include "expressions/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The header of a block, whose size keeps the block aligned. */
typedef struct header {
    _Alignas(16) const zc_allocator *allocator;
    size_t bytes; /* of the block alone */
} header;

/* ---- The command's memory ---- */

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    (void)alignment; /* that of a header, which malloc's blocks have */
    return malloc(bytes);
}

static void deallocate(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user;
    (void)bytes;
    (void)alignment;
    free(memory);
}

static const zc_allocator usual = {.allocate = allocate, .deallocate = deallocate};

/* ---- Blocks ---- */

void *zc_memory_take(zc_fault *fault, size_t bytes)
{
    const zc_allocator *allocator = fault->allocator != NULL ? fault->allocator : &usual;
    header *block = allocator->allocate(allocator->user, sizeof *block + bytes, _Alignof(header));
    if (block == NULL) {
        (void)zc_fault_memory(fault);
        return NULL;
    }
    memset(block, 0, sizeof *block + bytes);
    *block = (header){.allocator = allocator, .bytes = bytes};
    return block + 1;
}

void *zc_memory_grow(zc_fault *fault, void *memory, size_t bytes)
{
    void *larger = zc_memory_take(fault, bytes);
    if (larger != NULL && memory != NULL)
        memcpy(larger, memory, ((const header *)memory - 1)->bytes);
    if (larger != NULL)
        zc_memory_give(memory);
    return larger;
}

void zc_memory_give(const void *memory)
{
    if (memory == NULL)
        return;
    header *block = (header *)(uintptr_t)memory - 1;
    const zc_allocator *allocator = block->allocator;
    allocator->deallocate(allocator->user, block, sizeof *block + block->bytes, _Alignof(header));
}
