/*
 * An arena: header memory that is taken in small pieces and given back all at once. Plans live in one, and what is
 * needed to walk a graph. Large arrays lie in blocks of their own, so that those which grow leave nothing behind.
 */
#ifndef ZC_RUNTIME_MEMORY_ARENA_H
#define ZC_RUNTIME_MEMORY_ARENA_H

#include <stddef.h>

#include "runtime/memory/heap.h"

/* Bytes from which a piece has a block of its own. */
enum { ZC_ARENA_LEAST_ALONE = 1 << 16 };

typedef struct zc_arena_block zc_arena_block;

typedef struct zc_arena {
    zc_heap *heap;
    zc_arena_block *blocks;
    char *next;         /* what is left of the block for small pieces, */
    size_t left;        /* and how many bytes */
    int64_t bytes;      /* that it holds of the heap, */
    int64_t most_bytes; /* held at once so far, */
    int64_t limit;      /* and may hold; 0: any number */
    bool failed;        /* an allocation failed since the arena was made, */
    bool is_over;       /* at that limit */
} zc_arena;

void zc_arena_init(zc_arena *arena, zc_heap *heap);
void zc_arena_free(zc_arena *arena);

/* Takes everything back, but leaves a small block to what is taken next. */
void zc_arena_clear(zc_arena *arena);

/* Takes a piece of any size, from a new block if need be. */
void *zc_arena_take_any(zc_arena *arena, size_t count, size_t bytes_each);

/* The bytes that a piece takes. */
static inline size_t zc_arena_round_up(size_t bytes)
{
    const size_t alignment = sizeof(max_align_t);
    return (bytes + alignment - 1) / alignment * alignment;
}

/* Takes uninitialised memory, aligned for anything; NULL when the allocator fails or bytes overflow. Most pieces are
 * small, and there is room. */
static inline void *zc_arena_take(zc_arena *arena, size_t count, size_t bytes_each)
{
    enum { FEW = 64, SMALL = ZC_ARENA_LEAST_ALONE / FEW - 1 };
    const size_t bytes = zc_arena_round_up(count * bytes_each);    /* proven: it is not used unless both are small */
    if (count > FEW || bytes_each > SMALL || bytes >= arena->left) /* also where there is no block yet */
        return zc_arena_take_any(arena, count, bytes_each);
    char *memory = arena->next;
    arena->next += bytes;
    arena->left -= bytes;
    return memory;
}

/* Takes memory back that is not needed any more, if it is large; else that waits for zc_arena_free(). */
void zc_arena_give_back(zc_arena *arena, void *memory, size_t count, size_t bytes_each);

/* A longer copy of an array, for growing: `used` elements are copied, room for `wanted` is made. */
void *zc_arena_grow(zc_arena *arena, const void *array, size_t used, size_t wanted, size_t bytes_each);

/* Doubles an array of `count` elements with room for *room, and takes the shorter one back. False when memory is out,
 * the array as it was. */
bool zc_arena_lengthen(zc_arena *arena, void **array, int32_t count, int32_t *room, size_t bytes_each);

/* Makes room for one more element: doubles the array where it is full. */
static inline bool zc_arena_make_room(zc_arena *arena, void **array, int32_t count, int32_t *room, size_t bytes_each)
{
    return count < *room || zc_arena_lengthen(arena, array, count, room, bytes_each);
}

/* A copy of an array. */
void *zc_arena_copy(zc_arena *arena, const void *array, size_t count, size_t bytes_each);

#endif
