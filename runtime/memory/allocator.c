/*
 * The default allocator: the process's malloc(), and for data jemalloc's own calls where that malloc() is jemalloc's.
 * The library does not ask for jemalloc, so that any process can load it: a program brings it along when it is linked
 * (docs/decisions/41). Its functions are weak symbols here, of which all are used or none.
 *
 * Invariant: memory goes back to what it came from. Each of malloc(), posix_memalign() and mallocx() may be another
 * allocator's: a sanitizer's, a preloaded one's, or a jemalloc's that was loaded beside either. Headers come from
 * malloc(), which takes less time than mallocx().
 */
#include "runtime/memory/allocator.h"

#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/memory/heap.h"

/* As jemalloc/jemalloc.h of versions 4 and 5 declares them. */
__attribute__((weak)) void *mallocx(size_t bytes, int flags);
__attribute__((weak)) void sdallocx(void *memory, size_t bytes, int flags);
__attribute__((weak)) size_t nallocx(size_t bytes, int flags);
__attribute__((weak)) int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes);

/* glibc's; a reference that is not weak would bring its malloc into static programs that have jemalloc's. */
__attribute__((weak)) int malloc_trim(size_t pad);

/* Minimal allocators have none, and in a static program with one there is none. */
__attribute__((weak)) int posix_memalign(void **memory, size_t alignment, size_t bytes);

/* ---- Whose functions they are ---- */

static uint64_t jemalloc_allocated_bytes(void)
{
    uint64_t bytes = 0;
    size_t size = sizeof bytes;
    return mallctl("thread.allocated", &bytes, &size, NULL, 0) == 0 ? bytes : 0; /* LCOV_EXCL_BR_LINE: no statistics */
}

enum { PROBED = 64 }; /* bytes of a block of jemalloc's that has no room for more */

/* Finds how many bytes jemalloc gives where malloc() is asked for PROBED: 0 where that asks another allocator. */
static uint64_t find_taken(void)
{
    /* LCOV_EXCL_BR_START: a half of jemalloc */
    if (mallocx == NULL || sdallocx == NULL || nallocx == NULL || mallctl == NULL)
        return 0;
    /* LCOV_EXCL_BR_STOP */
    const uint64_t before = jemalloc_allocated_bytes();
    void *volatile probe = malloc(PROBED); /* volatile: compilers drop blocks that nobody sees */
    const uint64_t taken = jemalloc_allocated_bytes() - before;
    free(probe);
    return taken;
}

typedef void function(void);

/* Functions, and how many of them are of the object that was looked at last. */
typedef struct {
    function *const *functions;
    int count, inside;
} owned;

static int count_inside(struct dl_phdr_info *object, size_t bytes, void *user)
{
    owned *asked = user;
    asked->inside = 0;
    for (int i = 0; i < asked->count; i++) {
        for (int k = 0; k < object->dlpi_phnum; k++) {
            const ElfW(Phdr) *part = &object->dlpi_phdr[k];
            const uintptr_t place = (uintptr_t)asked->functions[i] - object->dlpi_addr - part->p_vaddr;
            asked->inside += part->p_type == PT_LOAD && place < part->p_memsz;
        }
    }
    (void)bytes;
    return asked->inside > 0;
}

/* Tells whether all functions lie in one program or library. */
static bool are_together(int count, function *const *functions)
{
    owned asked = {functions, count, 0};
    const bool found = dl_iterate_phdr(count_inside, &asked) != 0;
    return found && asked.inside == count; /* LCOV_EXCL_BR_LINE: up to the program's malloc */
}

/* Tells a free() that takes what posix_memalign() gives. A preloaded malloc() without the latter leaves it to the C
 * library, whose memory it must not be given. */
static bool aligns_itself(void)
{
    function *const functions[] = {(function *)malloc, (function *)free, (function *)posix_memalign};
    return posix_memalign != NULL && are_together(3, functions); /* LCOV_EXCL_BR_LINE: up to the program */
}

/* Tells an sdallocx() that takes what malloc() gives. A malloc() of somebody else's may ask jemalloc for a larger
 * block, and give out a part of it; or only count what free() gets. */
static bool is_malloc_itself(uint64_t taken)
{
    function *const functions[] = {(function *)malloc, (function *)free, (function *)sdallocx};
    return taken == nallocx(PROBED, 0) && are_together(3, functions); /* LCOV_EXCL_BR_LINE: likewise */
}

/* ---- Blocks ---- */

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

/* Passes the size, which free() would have to look up. */
static void deallocate_jemalloc(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user;
    if (alignment <= ZC_HEADER_ALIGNMENT)
        sdallocx(memory, header_bytes(bytes), 0);
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

/* LCOV_EXCL_START: tests/install/allocators.sh brings such a malloc() along, in processes of their own */
/* Frees what came from a malloc() that wraps jemalloc's. */
static void deallocate_wrapped(void *user, void *memory, size_t bytes, size_t alignment)
{
    if (alignment <= ZC_HEADER_ALIGNMENT)
        free(memory);
    else
        deallocate_jemalloc(user, memory, bytes, alignment);
}

#if defined(__GNUC__) && !defined(__clang__) /* gcc's analyser takes a block that is shown from within for lost */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

/* Allocates by malloc() alone: data lies in a larger block, behind its distance from the beginning of the block. */
static void *allocate_plain(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    if (alignment <= ZC_HEADER_ALIGNMENT)
        return allocate_header(bytes);
    const size_t aligned = aligned_for(bytes, alignment), more = sizeof(size_t) + aligned - 1;
    char *block = bytes <= SIZE_MAX - more ? malloc(bytes + more) : NULL;
    const size_t skipped = more - ((uintptr_t)block + more) % aligned;
    if (block != NULL)
        ((size_t *)(void *)(block + skipped))[-1] = skipped;
    return block != NULL ? with_huge_pages(block + skipped, bytes) : NULL;
}

static void deallocate_plain(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user, (void)bytes;
    const size_t skipped = alignment > ZC_HEADER_ALIGNMENT ? ((size_t *)memory)[-1] : 0;
    free((char *)memory - skipped);
}

/* LCOV_EXCL_STOP */

/* ---- What contexts see ---- */

static const zc_allocator *find_default(void)
{
    static const zc_allocator jemalloc = {NULL, allocate_jemalloc, deallocate_jemalloc};
    static const zc_allocator wrapped = {NULL, allocate_jemalloc, deallocate_wrapped};
    static const zc_allocator system = {NULL, allocate_system, deallocate_system};
    static const zc_allocator plain = {NULL, allocate_plain, deallocate_plain};
    const uint64_t taken = find_taken();
    /* LCOV_EXCL_BR_START: up to the process */
    if (taken > 0)
        return is_malloc_itself(taken) ? &jemalloc : &wrapped;
    return aligns_itself() ? &system : &plain;
    /* LCOV_EXCL_BR_STOP */
}

/* Looks once a process, whose malloc() stays: the answer is the same for every context, and threads that race find the
 * same. */
const zc_allocator *zc_allocator_default(void)
{
    static const zc_allocator *_Atomic found;
    const zc_allocator *known = atomic_load_explicit(&found, memory_order_relaxed);
    if (known == NULL) {
        known = find_default();
        atomic_store_explicit(&found, known, memory_order_relaxed);
    }
    return known;
}

static bool is_jemalloc(void)
{
    return zc_allocator_default()->allocate == allocate_jemalloc;
}

void zc_allocator_trim(void)
{
    if (mallctl != NULL && is_jemalloc())                       /* LCOV_EXCL_BR_LINE: up to the program */
        (void)mallctl("arena.4096.purge", NULL, NULL, NULL, 0); /* MALLCTL_ARENAS_ALL */
    else if (malloc_trim != NULL)                               /* LCOV_EXCL_BR_LINE: glibc has it */
        (void)malloc_trim(0);
}

const char *zc_allocator_name(void)
{
    return is_jemalloc() ? "jemalloc" : "system"; /* LCOV_EXCL_BR_LINE: up to the program */
}
