/*
 * A malloc() of somebody else's: linked into a program or preloaded. It ends the process where it is given memory that
 * it did not give out. With MINIMAL it defines no more than C89 has, and aligned blocks come from the C library. With
 * FORWARDS it gives out parts of blocks that it takes of the next malloc().
 */
#if defined(FORWARDS)
#define _GNU_SOURCE
#include <dlfcn.h>
#endif
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(FORWARDS)
enum { LARGE = 0 };
#else
enum { LARGE = 64 << 10 };
#endif
enum { ARENA = 64 << 20, ALIGNMENT = 16 };

/* Stands before each block. */
typedef struct {
    uint64_t mark;
    size_t bytes;
    char *mapping; /* a large block's own, else NULL */
    size_t mapped;
} head;

static const uint64_t mark = UINT64_C(0x5a65726f63617374);
static char *arena;
static size_t used;
static atomic_flag is_taken = ATOMIC_FLAG_INIT;
static atomic_llong given; /* blocks that did not come back */

long long blocks_in_use(void);
long long blocks_in_use(void)
{
    return given;
}

static void end(const char *words)
{
    (void)!write(2, words, strlen(words));
    _exit(9);
}

#if defined(FORWARDS)
static char *map(size_t bytes)
{
    void *(*next)(size_t) = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    char *memory = next(bytes);
    return memory != NULL ? memset(memory, 0, bytes) : NULL;
}

static void unmap(char *memory, size_t bytes)
{
    void (*next)(void *) = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    (void)bytes;
    next(memory);
}
#else
static char *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

static void unmap(char *memory, size_t bytes)
{
    munmap(memory, bytes);
}
#endif

/* Small blocks are never used again. */
static char *take(size_t bytes)
{
    while (atomic_flag_test_and_set(&is_taken)) {
    }
    if (arena == NULL || used + bytes > ARENA) {
        arena = map(ARENA);
        used = 0;
    }
    char *memory = arena != NULL ? arena + used : NULL;
    used += bytes;
    atomic_flag_clear(&is_taken);
    return memory;
}

static void *allocate(size_t alignment, size_t bytes)
{
    if (bytes > PTRDIFF_MAX - alignment - sizeof(head) - ALIGNMENT)
        return NULL;
    size_t whole = (bytes + alignment + sizeof(head) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *mapping = whole >= LARGE ? map(whole) : NULL, *memory = mapping != NULL ? mapping : take(whole);
    if (memory == NULL)
        return NULL;
    memory += sizeof(head);
    memory += (alignment - (uintptr_t)memory % alignment) % alignment;
    ((head *)(void *)memory)[-1] = (head){mark, bytes, mapping, whole};
    given++;
    return memory;
}

void *malloc(size_t bytes)
{
    return allocate(ALIGNMENT, bytes);
}

void free(void *memory)
{
    if (memory == NULL)
        return;
    head *before = (head *)memory - 1;
    if (before->mark != mark)
        end("free() was given a block that this malloc() did not give out\n");
    before->mark = 0;
    given--;
    if (before->mapping != NULL)
        unmap(before->mapping, before->mapped);
}

void *calloc(size_t count, size_t bytes)
{
    return bytes == 0 || count <= SIZE_MAX / bytes ? malloc(count * bytes) : NULL; /* fresh pages are zeros */
}

void *realloc(void *memory, size_t bytes)
{
    void *moved = malloc(bytes);
    if (memory == NULL || moved == NULL)
        return moved;
    size_t before = ((head *)memory)[-1].bytes;
    memcpy(moved, memory, before < bytes ? before : bytes);
    free(memory);
    return moved;
}

#if !defined(MINIMAL)
int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    *memory = allocate(alignment > ALIGNMENT ? alignment : ALIGNMENT, bytes);
    return *memory != NULL ? 0 : 12; /* ENOMEM */
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    void *memory = NULL;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : NULL;
}

void *memalign(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, bytes);
}
#endif
