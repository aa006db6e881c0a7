/*
 * Free lists: small blocks that were given back, by their size, for the next ones of that size.
 *
 * Recording an operation takes two blocks and releasing it gives them back. A list takes a few instructions for either,
 * malloc() and free() some eighty. Lists belong to the thread that made them: calls of other threads, which may end
 * what a context has made, leave them alone and go to the allocator. A fork keeps the thread, and its lists.
 */
#ifndef ZC_RUNTIME_MEMORY_FREE_LISTS_H
#define ZC_RUNTIME_MEMORY_FREE_LISTS_H

#include <pthread.h>

#include "zerocast.h"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes)   ((void)(memory), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#endif

enum { ZC_FREE_LISTS = 32 };

/* A number of the calling thread, which no other one has as long as it lives. */
static inline uintptr_t zc_this_thread(void)
{
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11 && (defined(__x86_64__) || defined(__aarch64__))
    return (uintptr_t)__builtin_thread_pointer();
#else
    return (uintptr_t)pthread_self();
#endif
}

/* The link in the last bytes of a free block: the first ones, which count references in what is freed most, are as
 * forbidden to AddressSanitizer as all others. */
typedef struct zc_free_link {
    struct zc_free_link *next;
} zc_free_link;

typedef struct zc_free_lists {
    uintptr_t owner;
    size_t count;     /* of lists that are used; list i has the blocks of i + 1 units, */
    int shift;        /* of which this is the logarithm */
    size_t alignment; /* of blocks */
    int64_t bytes;    /* that the lists hold */
    int64_t most;     /* bytes that they may hold */
    zc_free_link *first[ZC_FREE_LISTS];
} zc_free_lists;

/* shift: the logarithm of the unit of which sizes are multiples. most: bytes that the lists may hold; negative: they
 * serve nobody. */
void zc_free_lists_init(zc_free_lists *lists, int shift, size_t alignment, int64_t most);

/* The number of the list for so many bytes; `count` or more where there is none. */
static inline size_t zc_free_lists_find(const zc_free_lists *lists, size_t bytes)
{
    return (bytes - 1) >> lists->shift;
}

/* Bytes that the allocator is asked for instead of so many, and given back. */
static inline size_t zc_free_lists_round(const zc_free_lists *lists, size_t bytes)
{
    const size_t list = zc_free_lists_find(lists, bytes);
    return list < lists->count ? (list + 1) << lists->shift : bytes;
}

/* A block for so many bytes, or NULL. */
static inline void *zc_free_lists_take(zc_free_lists *lists, size_t bytes)
{
    const size_t list = zc_free_lists_find(lists, bytes);
    if (list >= lists->count || lists->owner != zc_this_thread() || lists->first[list] == NULL)
        return NULL;
    zc_free_link *link = lists->first[list];
    const size_t size = (list + 1) << lists->shift;
    char *block = (char *)(link + 1) - size;
    lists->first[list] = link->next;
    lists->bytes -= (int64_t)size;
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    return block;
}

/* Keeps a block for so many bytes; false where it must go to the allocator. */
static inline bool zc_free_lists_give(zc_free_lists *lists, void *memory, size_t bytes)
{
    const size_t list = zc_free_lists_find(lists, bytes), size = (list + 1) << lists->shift;
    if (list >= lists->count || lists->owner != zc_this_thread() || lists->bytes + (int64_t)size > lists->most)
        return false;
    zc_free_link *link = (zc_free_link *)(void *)((char *)memory + size) - 1;
    link->next = lists->first[list];
    lists->first[list] = link;
    lists->bytes += (int64_t)size;
    ASAN_POISON_MEMORY_REGION(memory, size - sizeof *link); /* leak checkers follow the links */
    return true;
}

/* Lets the lists hold so many bytes, and gives the allocator all that they hold now. Of another thread than the
 * owner's it does nothing. */
void zc_free_lists_limit(zc_free_lists *lists, const zc_allocator *allocator, int64_t most);

/* Gives the allocator all that the lists hold, once no thread uses them any more. */
void zc_free_lists_end(zc_free_lists *lists, const zc_allocator *allocator);

#endif
