/*
 * An arena: header memory that is taken in small pieces and given back all at once. Plans live in one, and what is
 * needed to walk a graph. Large arrays lie in blocks of their own, so that those which grow leave nothing behind.
 */
#ifndef ZC_RUNTIME_MEMORY_ARENA_H
#define ZC_RUNTIME_MEMORY_ARENA_H

#include "runtime/memory/heap.h"

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

/* Uninitialised memory, aligned for anything; NULL when the allocator fails or bytes overflow. */
void *zc_arena_take(zc_arena *arena, size_t count, size_t bytes_each);

/* Takes memory back that is not needed any more, if it is large; else that waits for zc_arena_free(). */
void zc_arena_give_back(zc_arena *arena, void *memory, size_t count, size_t bytes_each);

/* A longer copy of an array, for growing: `used` elements are copied, room for `wanted` is made. */
void *zc_arena_grow(zc_arena *arena, const void *array, size_t used, size_t wanted, size_t bytes_each);

/* Room for one more element in an array of `count` with room for *room: doubles it where it is full, and takes
 * the shorter one back. False when memory is out, the array as it was. */
bool zc_arena_make_room(zc_arena *arena, void **array, int32_t count, int32_t *room, size_t bytes_each);

/* A copy of an array. */
void *zc_arena_copy(zc_arena *arena, const void *array, size_t count, size_t bytes_each);

#endif
