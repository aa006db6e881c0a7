#include "runtime/memory/arena.h"

#include <string.h>

enum { FIRST_ROOM = 8, FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };
enum { LEAST_LARGE = 8 * ZC_FILLED_BLOCK };

struct zc_arena_block {
    zc_arena_block *previous;
    size_t bytes; /* of the whole block */
    max_align_t memory[];
};

void zc_arena_init(zc_arena *arena, zc_heap *heap)
{
    *arena = (zc_arena){.heap = heap};
}

static void give_first(zc_arena *arena)
{
    zc_arena_block *block = arena->blocks;
    arena->blocks = block->previous;
    arena->bytes -= (int64_t)block->bytes; /* proven: it was added */
    zc_heap_give(arena->heap, block, block->bytes);
}

void zc_arena_free(zc_arena *arena)
{
    while (arena->blocks != NULL)
        give_first(arena);
    arena->left = 0;
}

/* Takes small pieces from the first block on. */
static void begin_block(zc_arena *arena)
{
    arena->next = (char *)arena->blocks->memory;
    arena->left = arena->blocks->bytes - sizeof *arena->blocks;
}

void zc_arena_clear(zc_arena *arena)
{
    while (arena->blocks != NULL && (arena->blocks->previous != NULL || arena->blocks->bytes > ZC_ARENA_LEAST_ALONE))
        give_first(arena);
    arena->left = 0;
    if (arena->blocks != NULL)
        begin_block(arena);
}

static zc_arena_block *take_block(zc_arena *arena, size_t bytes)
{
    if (arena->limit > 0 && arena->bytes > arena->limit - (int64_t)bytes) {
        arena->is_over = true;
        return NULL;
    }
    zc_arena_block *block = zc_heap_take(arena->heap, bytes);
    if (block == NULL)
        return NULL;
    block->bytes = bytes;
    arena->bytes += (int64_t)bytes; /* proven: memory that there is */
    if (arena->bytes > arena->most_bytes)
        arena->most_bytes = arena->bytes;
    return block;
}

/* Size of a new block: as much as the arena holds already, up to a size that is found again, and not more than the
 * limit leaves. A large plan takes few blocks, and a small one keeps little it does not use. */
static size_t block_bytes(const zc_arena *arena)
{
    const size_t bytes = arena->bytes < FIRST_BLOCK     ? FIRST_BLOCK
                         : arena->bytes > LEAST_LARGE   ? ZC_FILLED_BLOCK
                         : arena->bytes > LARGEST_BLOCK ? LARGEST_BLOCK
                                                        : (size_t)arena->bytes;
    if (arena->limit == 0 || arena->bytes + (int64_t)bytes <= arena->limit) /* proven: blocks are in memory */
        return bytes;
    return arena->limit > arena->bytes ? (size_t)(arena->limit - arena->bytes) : 0;
}

/* A block for small pieces, in front of the others. */
static bool add_block(zc_arena *arena, size_t needed)
{
    size_t bytes = block_bytes(arena);
    if (bytes < needed + sizeof(zc_arena_block))
        bytes = needed + sizeof(zc_arena_block);
    zc_arena_block *block = take_block(arena, bytes);
    if (block == NULL)
        return false;
    block->previous = arena->blocks;
    arena->blocks = block;
    begin_block(arena);
    return true;
}

/* A block for one large piece, which it is full of, behind the first one. */
static void *add_alone(zc_arena *arena, size_t bytes)
{
    zc_arena_block *block = take_block(arena, bytes + sizeof *block), *first = arena->blocks;
    if (block == NULL)
        return NULL;
    block->previous = first != NULL ? first->previous : NULL;
    *(first != NULL ? &first->previous : &arena->blocks) = block;
    return block->memory;
}

static bool overflows(size_t count, size_t bytes_each)
{
    const int half = (int)sizeof(size_t) * 4 - 1;
    return (count | bytes_each) >> half != 0 && count != 0 && bytes_each > (SIZE_MAX / 2) / count;
}

void *zc_arena_take_any(zc_arena *arena, size_t count, size_t bytes_each)
{
    char *memory = NULL;
    if (!overflows(count, bytes_each)) {
        size_t bytes = zc_arena_round_up(count * bytes_each);
        if (bytes >= ZC_ARENA_LEAST_ALONE) {
            memory = add_alone(arena, bytes);
        } else if (bytes < arena->left || add_block(arena, bytes)) {
            memory = arena->next;
            arena->next += bytes;
            arena->left -= bytes;
        }
    }
    arena->failed |= memory == NULL;
    return memory;
}

void zc_arena_give_back(zc_arena *arena, void *memory, size_t count, size_t bytes_each)
{
    if (count * bytes_each < ZC_ARENA_LEAST_ALONE) /* proven: memory that there is */
        return;
    for (zc_arena_block **link = &arena->blocks; *link != NULL; link = &(*link)->previous) {
        zc_arena_block *block = *link;
        if ((void *)block->memory != memory)
            continue;
        *link = block->previous;
        arena->bytes -= (int64_t)block->bytes;
        zc_heap_give(arena->heap, block, block->bytes);
        return;
    }
}

/* Copies as memcpy() does; a list of a few words, as most are, without a call. */
static inline void copy(void *to, const void *from, size_t bytes)
{
    enum { WORD = sizeof(uint64_t), FEW = 4 };
    if (bytes > FEW * WORD || bytes % WORD != 0) {
        memcpy(to, from, bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i += WORD)
        memcpy((char *)to + i, (const char *)from + i, WORD);
}

void *zc_arena_grow(zc_arena *arena, const void *array, size_t used, size_t wanted, size_t bytes_each)
{
    void *longer = zc_arena_take(arena, wanted, bytes_each);
    if (longer != NULL)
        copy(longer, array, used * bytes_each);
    return longer;
}

bool zc_arena_lengthen(zc_arena *arena, void **array, int32_t count, int32_t *room, size_t bytes_each)
{
    int32_t wanted = *room == 0 ? FIRST_ROOM : 2 * *room;
    void *longer = zc_arena_grow(arena, *array, (size_t)count, (size_t)wanted, bytes_each);
    if (longer == NULL)
        return false;
    zc_arena_give_back(arena, *array, (size_t)*room, bytes_each);
    *array = longer;
    *room = wanted;
    return true;
}

void *zc_arena_copy(zc_arena *arena, const void *array, size_t count, size_t bytes_each)
{
    return zc_arena_grow(arena, array, count, count, bytes_each);
}
