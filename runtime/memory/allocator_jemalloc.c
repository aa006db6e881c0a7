/*
 * The default allocator: jemalloc. Large data comes from an arena of its own that never returns pages to the system by
 * itself, because a result written into fresh pages costs five times one written into recycled ones; small data uses
 * the thread caches of jemalloc's ordinary arenas, which take no lock. Headers go through malloc, which is jemalloc's,
 * too, and takes a third of mallocx's instructions.
 */
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "runtime/memory/heap.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned data_arena;
static int data_flags; /* MALLOCX_ARENA of the data arena; 0, the ordinary arenas, when it could not be made */

static void keep_pages(const char *setting)
{
    size_t key[3], depth = 3;
    ssize_t never = -1;
    if (mallctlnametomib(setting, key, &depth) == 0) { /* LCOV_EXCL_BR_LINE: jemalloc knows its settings */
        key[1] = data_arena;
        (void)mallctlbymib(key, depth, NULL, NULL, &never, sizeof never);
    }
}

static void make_data_arena(void)
{
    size_t bytes = sizeof data_arena;
    if (mallctl("arenas.create", &data_arena, &bytes, NULL, 0) != 0) /* LCOV_EXCL_BR_LINE: memory is out at the start */
        return;                                                      /* LCOV_EXCL_LINE: memory is out at the start */
    keep_pages("arena.0.dirty_decay_ms");
    keep_pages("arena.0.muzzy_decay_ms");
    data_flags = (int)(MALLOCX_ARENA(data_arena) | MALLOCX_TCACHE_NONE);
}

/* Data from LARGE on is worth an arena of its own; below it, blocks are in the thread caches (up to 32 KiB). Blocks
 * that hold a huge page begin with one. */
enum { LARGE = 32 << 10, HUGE_PAGE = 2 << 20 };

static int flags_for(size_t bytes, size_t alignment)
{
    if (bytes >= HUGE_PAGE)
        alignment = HUGE_PAGE;
    int aligned = MALLOCX_LG_ALIGN(__builtin_ctzl(alignment));
    return bytes > LARGE ? aligned | data_flags : aligned;
}

/* Asks for huge pages where the block fills some: writing fresh memory then takes a third of the time. What is over of
 * the last one stays in small pages, which are not zeroed before they are used. */
static void *with_huge_pages(void *memory, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    if (memory != NULL)
        (void)madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    (void)bytes;
    return memory;
}

/* Data has one byte at least. */
static void *allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    if (alignment <= ZC_HEADER_ALIGNMENT)
        return malloc(bytes < ZC_HEADER_ALIGNMENT ? ZC_HEADER_ALIGNMENT : bytes); /* smaller ones are aligned to 8 */
    if (bytes >= HUGE_PAGE)
        return with_huge_pages(mallocx(bytes, flags_for(bytes, alignment)), bytes);
    return mallocx(bytes, flags_for(bytes, alignment));
}

static void deallocate(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user;
    if (alignment <= ZC_HEADER_ALIGNMENT)
        free(memory);
    else
        sdallocx(memory, bytes, flags_for(bytes, alignment));
}

void zc_allocator_trim(void)
{
    size_t key[3], depth = 3;
    if (data_flags != 0 && mallctlnametomib("arena.0.purge", key, &depth) == 0) { /* LCOV_EXCL_BR_LINE: as above */
        key[1] = data_arena;
        (void)mallctlbymib(key, depth, NULL, NULL, NULL, 0);
    }
}

const zc_allocator *zc_allocator_default(void)
{
    static const zc_allocator jemalloc = {NULL, allocate, deallocate};
    pthread_once(&once, make_data_arena);
    return &jemalloc;
}
