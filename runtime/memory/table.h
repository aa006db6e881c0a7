/*
 * A hash table from 64-bit hashes to indices, in an arena. The caller keeps the keys and compares them; the table gives
 * every index that was added under a hash, and seldom one that was added under another.
 */
#ifndef ZC_RUNTIME_MEMORY_TABLE_H
#define ZC_RUNTIME_MEMORY_TABLE_H

#include "runtime/memory/arena.h"

typedef struct zc_table_entry {
    uint32_t hash; /* its low half: what differs above is found by comparing keys */
    int32_t index; /* -1: free */
} zc_table_entry;

typedef struct zc_table {
    zc_arena *arena;
    zc_table_entry *entries;
    size_t room; /* a power of two, or 0 */
    size_t count;
} zc_table;

/* Mixes a word into a hash; start from any number. Multiplication spreads upwards, the shift brings it back down; the
 * odd constant is 2^64 over the golden ratio. */
static inline uint64_t zc_hash_word(uint64_t hash, uint64_t word)
{
    uint64_t mixed = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return mixed ^ (mixed >> 29);
}

/* Hashes an address. What was recorded one after the other often lies side by side, and so do its entries: those of a
 * page share some cache lines of the table. */
static inline uint64_t zc_hash_address(const void *address)
{
    enum { PAGE_BITS = 12, LINE_BITS = 6, LINES = 1 << (PAGE_BITS - LINE_BITS) };
    const uint64_t number = (uintptr_t)address;
    return zc_hash_word(1, number >> PAGE_BITS) + (number >> LINE_BITS) % LINES;
}

/* Room for so many indices, of which there are no more than int32 counts. False when the allocator fails. */
bool zc_table_reserve(zc_table *table, size_t count);

/* Takes every index out; the room stays. */
void zc_table_clear(zc_table *table);

/* Gives the memory back of a table that is not asked any more. */
void zc_table_end(zc_table *table);

/* Tells whether the table has no room for another index and will be enlarged. */
static inline bool zc_table_is_full(const zc_table *table)
{
    return 2 * (table->count + 1) > table->room;
}

/* False when the allocator fails. */
bool zc_table_add(zc_table *table, uint64_t hash, int32_t index);

/* The next index under that hash, or -1. *cursor starts at 0 and is kept between calls. */
static inline int32_t zc_table_next(const zc_table *table, uint64_t hash, size_t *cursor)
{
    if (table->room == 0)
        return -1;
    for (;;) {
        const zc_table_entry *entry = &table->entries[((uint32_t)hash + *cursor) & (table->room - 1)];
        if (entry->index < 0)
            return -1;
        ++*cursor;
        if (entry->hash == (uint32_t)hash)
            return entry->index;
    }
}

#endif
