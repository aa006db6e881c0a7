#include "runtime/memory/arena.h"

#include <string.h>

enum { FIRST_ROOM = 8, FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

struct zc_arena_block {
    zc_arena_block *previous;
    size_t bytes; /* of the whole block */
    size_t used;
    max_align_t memory[];
};

void zc_arena_init(zc_arena *arena, zc_heap *heap)
{
    *arena = (zc_arena){.heap = heap};
}

void zc_arena_free(zc_arena *arena)
{
    while (arena->blocks != NULL) {
        zc_arena_block *block = arena->blocks;
        arena->blocks = block->previous;
        zc_heap_give(arena->heap, block, block->bytes);
    }
}

/* Each block is as large as all before it: a large plan takes few of them, and a small one keeps little it does not
 * use. */
static bool add_block(zc_arena *arena, size_t needed)
{
    const zc_arena_block *last = arena->blocks;
    size_t bytes = last == NULL ? FIRST_BLOCK : last->previous == NULL ? last->bytes : 2 * last->bytes;
    if (bytes > LARGEST_BLOCK)
        bytes = LARGEST_BLOCK;
    if (bytes < needed + sizeof(zc_arena_block))
        bytes = needed + sizeof(zc_arena_block);
    if (arena->limit > 0 && arena->bytes > arena->limit - (int64_t)bytes) {
        arena->is_over = true;
        return false;
    }
    zc_arena_block *block = zc_heap_take(arena->heap, bytes);
    if (block == NULL)
        return false;
    block->previous = arena->blocks;
    block->bytes = bytes;
    block->used = 0;
    arena->bytes += (int64_t)bytes; /* proven: memory that there is */
    arena->blocks = block;
    return true;
}

static size_t room(const zc_arena *arena)
{
    const zc_arena_block *block = arena->blocks;
    return block->bytes - sizeof *block - block->used;
}

void *zc_arena_take(zc_arena *arena, size_t count, size_t bytes_each)
{
    const size_t alignment = sizeof(max_align_t);
    if (count != 0 && bytes_each > (SIZE_MAX / 2) / count) {
        arena->failed = true;
        return NULL;
    }
    size_t bytes = (count * bytes_each + alignment - 1) / alignment * alignment;
    if ((arena->blocks == NULL || bytes > room(arena)) && !add_block(arena, bytes)) {
        arena->failed = true;
        return NULL;
    }
    char *memory = (char *)arena->blocks->memory + arena->blocks->used;
    arena->blocks->used += bytes;
    return memory;
}

void *zc_arena_grow(zc_arena *arena, const void *array, size_t used, size_t wanted, size_t bytes_each)
{
    void *longer = zc_arena_take(arena, wanted, bytes_each);
    if (longer != NULL && used > 0)
        memcpy(longer, array, used * bytes_each);
    return longer;
}

bool zc_arena_make_room(zc_arena *arena, void **array, int32_t count, int32_t *room, size_t bytes_each)
{
    if (count < *room)
        return true;
    int32_t wanted = *room == 0 ? FIRST_ROOM : 2 * *room;
    void *longer = zc_arena_grow(arena, *array, (size_t)count, (size_t)wanted, bytes_each);
    if (longer == NULL)
        return false;
    *array = longer;
    *room = wanted;
    return true;
}

void *zc_arena_copy(zc_arena *arena, const void *array, size_t count, size_t bytes_each)
{
    return zc_arena_grow(arena, array, count, count, bytes_each);
}
