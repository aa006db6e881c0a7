/*
 * The default allocator: jemalloc where the program has it, else the system's. The library does not ask for jemalloc,
 * so that any process can load it: a program brings it along when it is linked (docs/decisions/41). Its functions are
 * weak symbols here, of which all are used or none.
 *
 * Headers go through malloc, which is jemalloc's, too, where the program has it, and takes a third of mallocx's
 * instructions.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/memory/heap.h"

/* As jemalloc/jemalloc.h of versions 4 and 5 declares them. */
__attribute__((weak)) void *mallocx(size_t bytes, int flags);
__attribute__((weak)) void sdallocx(void *memory, size_t bytes, int flags);
__attribute__((weak)) int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes);

/* glibc's; a reference that is not weak would bring its malloc into static programs that have jemalloc's. */
__attribute__((weak)) int malloc_trim(size_t pad);

static bool has_jemalloc(void)
{
    return mallocx != NULL && sdallocx != NULL && mallctl != NULL; /* LCOV_EXCL_BR_LINE: a half of jemalloc */
}

/* Blocks that hold a huge page begin with one. */
enum { HUGE_PAGE = 2 << 20 };

static size_t aligned_for(size_t bytes, size_t alignment)
{
    bool is_huge = bytes >= HUGE_PAGE && alignment < HUGE_PAGE; /* LCOV_EXCL_BR_LINE: more than that nobody asks for */
    return is_huge ? HUGE_PAGE : alignment;
}

/* Asks for huge pages where the block fills some: writing fresh memory then takes a third of the time. What is over of
 * the last one stays in small pages, which are not zeroed before they are used. */
static void *with_huge_pages(void *memory, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    if (memory != NULL && bytes >= HUGE_PAGE) /* LCOV_EXCL_BR_LINE: the system gives so much, or the process ends */
        (void)madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    (void)bytes;
    return memory;
}

/* Asks for the pages of header blocks that are filled together, which takes two thirds of the time. Where that is
 * refused, they come one by one. */
static void *with_pages(void *memory, size_t bytes)
{
#if defined(MADV_POPULATE_WRITE)
    enum { LARGEST_PAGE = 1 << 16 };
    if (memory != NULL && bytes == ZC_FILLED_BLOCK) { /* LCOV_EXCL_BR_LINE: the system gives so much */
        const size_t skipped = LARGEST_PAGE - (uintptr_t)memory % LARGEST_PAGE;
        (void)madvise((char *)memory + skipped, ZC_FILLED_BLOCK - LARGEST_PAGE, MADV_POPULATE_WRITE);
    }
#endif
    (void)bytes;
    return memory;
}

/* Some allocators align less than that to a block of a few bytes. */
static size_t header_bytes(size_t bytes)
{
    return bytes < ZC_HEADER_ALIGNMENT ? ZC_HEADER_ALIGNMENT : bytes;
}

static void *allocate_header(size_t bytes)
{
    return with_pages(malloc(header_bytes(bytes)), bytes);
}

static int flags_of(size_t bytes, size_t alignment)
{
    return __builtin_ctzl(aligned_for(bytes, alignment)); /* MALLOCX_LG_ALIGN */
}

/* Data has one byte at least. */
static void *allocate_jemalloc(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    if (alignment <= ZC_HEADER_ALIGNMENT)
        return allocate_header(bytes);
    return with_huge_pages(mallocx(bytes, flags_of(bytes, alignment)), bytes);
}

static void deallocate_jemalloc(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user;
    if (alignment <= ZC_HEADER_ALIGNMENT)
        sdallocx(memory, header_bytes(bytes), 0); /* which need not look for the size, as free() does */
    else
        sdallocx(memory, bytes, flags_of(bytes, alignment));
}

static void *allocate_system(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    if (alignment <= ZC_HEADER_ALIGNMENT)
        return allocate_header(bytes);
    void *memory = NULL;
    bool is_there = posix_memalign(&memory, aligned_for(bytes, alignment), bytes) == 0;
    return is_there ? with_huge_pages(memory, bytes) : NULL;
}

static void deallocate_system(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user, (void)bytes, (void)alignment;
    free(memory);
}

void zc_allocator_trim(void)
{
    if (has_jemalloc())
        (void)mallctl("arena.4096.purge", NULL, NULL, NULL, 0); /* MALLCTL_ARENAS_ALL */
    else if (malloc_trim != NULL)                               /* LCOV_EXCL_BR_LINE: glibc has it */
        (void)malloc_trim(0);
}

const zc_allocator *zc_allocator_default(void)
{
    static const zc_allocator jemalloc = {NULL, allocate_jemalloc, deallocate_jemalloc};
    static const zc_allocator system = {NULL, allocate_system, deallocate_system};
    return has_jemalloc() ? &jemalloc : &system;
}

const char *zc_allocator_name(void)
{
    return has_jemalloc() ? "jemalloc" : "system"; /* LCOV_EXCL_BR_LINE: up to the program */
}
