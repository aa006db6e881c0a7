#include "runtime/memory/table.h"

#include <string.h>

enum { FIRST_ROOM = 16 };

static void place(zc_table_entry *entries, size_t room, uint32_t hash, int32_t index)
{
    size_t at = hash & (room - 1); /* at most as many places as hashes: indices are int32 */
    while (entries[at].index >= 0)
        at = (at + 1) & (room - 1);
    entries[at] = (zc_table_entry){hash, index};
}

/* Frees every entry: an index of which all bits are set is -1. */
static void empty(zc_table_entry *entries, size_t room)
{
    if (room > 0)
        memset(entries, 0xff, room * sizeof *entries);
}

static bool enlarge(zc_table *table, size_t room)
{
    zc_table_entry *entries = zc_arena_take(table->arena, room, sizeof *entries);
    if (entries == NULL)
        return false;
    empty(entries, room);
    for (size_t i = 0; i < table->room; i++) {
        if (table->entries[i].index >= 0)
            place(entries, room, table->entries[i].hash, table->entries[i].index);
    }
    zc_arena_give_back(table->arena, table->entries, table->room, sizeof *entries);
    table->entries = entries;
    table->room = room;
    return true;
}

bool zc_table_reserve(zc_table *table, size_t count)
{
    size_t room = FIRST_ROOM;
    while (room < 2 * count)
        room *= 2;
    return room <= table->room || enlarge(table, room);
}

void zc_table_clear(zc_table *table)
{
    empty(table->entries, table->room);
    table->count = 0;
}

void zc_table_end(zc_table *table)
{
    zc_arena_give_back(table->arena, table->entries, table->room, sizeof *table->entries);
}

bool zc_table_add(zc_table *table, uint64_t hash, int32_t index)
{
    if (zc_table_is_full(table) && !enlarge(table, table->room == 0 ? FIRST_ROOM : 2 * table->room))
        return false;
    place(table->entries, table->room, (uint32_t)hash, index);
    table->count++;
    return true;
}
