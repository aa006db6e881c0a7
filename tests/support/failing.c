#include "tests/support/failing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In front of every block, and its canary behind it. */
typedef struct header {
    size_t bytes, alignment;
    void *base;
    uint64_t canary;
} header;

#define CANARY UINT64_C(0x7a65726f63617374)

/* ---- The figure ---- */

static _Atomic int64_t injected;

static void print_injected(void)
{
    fprintf(stderr, "%" PRId64 " allocation failures injected\n", injected);
}

void zc_failing_count(void)
{
    if (atomic_fetch_add(&injected, 1) == 0)
        (void)atexit(print_injected);
}

/* ---- The allocator ---- */

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    zc_failing *state = user;
    int64_t call = atomic_fetch_add(&state->calls, 1) + 1;
    if (state->fail_at > 0 && (call == state->fail_at || (state->is_sticky && call > state->fail_at))) {
        zc_failing_count();
        return NULL;
    }
    char *base = malloc(sizeof(header) + alignment + bytes + sizeof(uint64_t));
    if (base == NULL)
        return NULL;
    uintptr_t at = ((uintptr_t)base + sizeof(header) + alignment - 1) / alignment * alignment;
    char *block = base + (at - (uintptr_t)base);
    header h = {bytes, alignment, base, CANARY};
    memcpy(block - sizeof h, &h, sizeof h);
    memcpy(block + bytes, &h.canary, sizeof h.canary);
    memset(block, 0xa5, bytes);
    atomic_fetch_add(&state->blocks, 1);
    return block;
}

static void deallocate(void *user, void *memory, size_t bytes, size_t alignment)
{
    zc_failing *state = user;
    header h;
    uint64_t canary = 0;
    memcpy(&h, (char *)memory - sizeof h, sizeof h);
    if (h.canary == CANARY && h.bytes == bytes)
        memcpy(&canary, (char *)memory + bytes, sizeof canary);
    if (h.alignment != alignment || canary != CANARY) {
        atomic_fetch_add(&state->faults, 1);
        return;
    }
    memset(memory, 0x5a, bytes);
    atomic_fetch_sub(&state->blocks, 1);
    free(h.base);
}

zc_allocator zc_failing_allocator(zc_failing *state)
{
    return (zc_allocator){state, allocate, deallocate};
}
