#include "expressions/language/names.h"

#include <string.h>

#include "expressions/base/memory.h"

enum { FIRST_CAPACITY = 32 };

static uint32_t hash_text(const char *text, size_t length)
{ /* FNV-1a */
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static bool is_text(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == '\0';
}

/* The slot that holds the text, or the free one where it belongs. There is always a free slot. */
static uint32_t *find_slot(const zc_names *names, const char *text, size_t length)
{
    uint32_t mask = names->slot_count - 1;
    uint32_t i = hash_text(text, length) & mask;
    while (names->slots[i] != 0 && !is_text(names->texts[names->slots[i] - 1], text, length))
        i = (i + 1) & mask;
    return &names->slots[i];
}

/* Doubles both arrays; the table stays at most half full. */
static bool grow(zc_names *names, zc_fault *fault)
{
    uint32_t capacity = names->capacity == 0 ? FIRST_CAPACITY : names->capacity * 2;
    char **texts = zc_memory_grow(fault, (void *)names->texts, capacity * sizeof *texts);
    if (texts == NULL)
        return false;
    names->texts = texts;
    uint32_t *slots = zc_memory_take(fault, (size_t)capacity * 2 * sizeof *slots);
    if (slots == NULL)
        return false;
    zc_memory_give(names->slots);
    names->slots = slots;
    names->slot_count = capacity * 2;
    names->capacity = capacity;
    for (uint32_t i = 0; i < names->count; i++)
        *find_slot(names, names->texts[i], strlen(names->texts[i])) = i + 1;
    return true;
}

bool zc_names_find(const zc_names *names, const char *text, size_t length, uint32_t *number)
{
    if (names->slot_count == 0)
        return false;
    uint32_t slot = *find_slot(names, text, length);
    *number = slot - 1;
    return slot != 0;
}

bool zc_names_intern(zc_names *names, const char *text, size_t length, uint32_t *number, zc_fault *fault)
{
    if (zc_names_find(names, text, length, number))
        return true;
    if (names->count == names->capacity && !grow(names, fault))
        return false;
    char *copy = zc_memory_take(fault, length + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, text, length);
    uint32_t *slot = find_slot(names, text, length);
    names->texts[names->count++] = copy;
    *slot = names->count;
    *number = names->count - 1;
    return true;
}

void zc_names_free(zc_names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        zc_memory_give(names->texts[i]);
    zc_memory_give(names->texts);
    zc_memory_give(names->slots);
    *names = (zc_names){0};
}
