/* Large blocks that are kept: which serve which, what bounds them, and that none is lost or given out twice. */
#include <pthread.h>
#include <string.h>

#include "runtime/context/context.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

/* A heap over an allocator that checks every block that comes back. */
typedef struct fixture {
    zc_failing state;
    zc_allocator allocator;
    zc_context *ctx;
} fixture;

static void begin(fixture *f, int64_t limit)
{
    memset(f, 0, sizeof *f);
    f->allocator = zc_failing_allocator(&f->state);
    f->ctx = zc_context_new(&(zc_options){.allocator = &f->allocator, .memory_limit = limit});
    cr_assert_not_null(f->ctx);
}

static void end(fixture *f)
{
    zc_context_free(f->ctx);
    cr_expect_eq(f->state.blocks, 0, "%lld blocks were not given back", (long long)f->state.blocks);
    cr_expect_eq(f->state.faults, 0);
}

static int64_t kept(const fixture *f)
{
    return zc_memory_usage(f->ctx).cached_bytes;
}

/* Takes so many bytes, and tells whether the allocator was asked for them. */
static bool is_new(fixture *f, size_t bytes, void **memory)
{
    const int64_t calls = f->state.calls;
    *memory = zc_heap_take_data(f->ctx->heap, bytes);
    cr_assert_not_null(*memory);
    memset(*memory, 7, bytes);
    return f->state.calls != calls;
}

/* Takes and gives back. */
static void pass(fixture *f, size_t bytes)
{
    void *memory = zc_heap_take_data(f->ctx->heap, bytes);
    cr_assert_not_null(memory);
    zc_heap_give_data(f->ctx->heap, memory, bytes);
}

Test(cache, gives_a_large_block_again)
{
    fixture f;
    begin(&f, 0);
    pass(&f, MIB);
    cr_expect_eq(kept(&f), MIB);
    cr_expect_eq(zc_memory_usage(f.ctx).held_bytes, 0);
    int64_t calls = f.state.calls;
    void *memory = zc_heap_take_data(f.ctx->heap, MIB);
    cr_expect_eq(f.state.calls, calls, "the allocator was not asked");
    cr_expect_eq(kept(&f), 0);
    cr_expect_eq(zc_memory_usage(f.ctx).held_bytes, MIB);
    void *other = zc_heap_take_data(f.ctx->heap, MIB);
    cr_expect_eq(f.state.calls, calls + 1);
    cr_expect_neq(memory, other);
    zc_heap_give_data(f.ctx->heap, memory, MIB);
    zc_heap_give_data(f.ctx->heap, other, MIB);
    cr_expect_eq(kept(&f), 2 * MIB);
    end(&f);
}

Test(cache, keeps_no_small_block)
{
    fixture f;
    begin(&f, 0);
    pass(&f, 64 * KIB - 1);
    cr_expect_eq(kept(&f), 0);
    pass(&f, 64 * KIB);
    cr_expect_eq(kept(&f), 64 * KIB);
    end(&f);
}

Test(cache, serves_blocks_of_one_size)
{
    fixture f;
    begin(&f, 0);
    pass(&f, 100 * MIB);
    int64_t calls = f.state.calls;
    pass(&f, 100 * MIB);
    cr_expect_eq(f.state.calls, calls);
    pass(&f, 100 * MIB + 5);
    cr_expect_eq(f.state.calls, calls + 1, "a new block takes the bytes that it was asked for, to the byte");
    cr_expect_eq(kept(&f), 100 * MIB + 5, "in place of the one that was too small");
    end(&f);
}

/* A block that is a little too small goes when a new one is made, the largest of them; and no smaller one. */
Test(cache, of_a_growing_array_keeps_one_block)
{
    fixture f;
    begin(&f, 0);
    pass(&f, 7 * MIB - MIB / 2);
    for (int i = 0; i < 20; i++)
        pass(&f, 8 * MIB + (size_t)i * 64);
    cr_expect_eq(kept(&f), 15 * MIB - MIB / 2 + 19 * 64);
    pass(&f, 9 * MIB);
    cr_expect_eq(kept(&f), 16 * MIB - MIB / 2);
    pass(&f, 9 * MIB - 64); /* lent */
    cr_expect_eq(kept(&f), 16 * MIB - MIB / 2);
    end(&f);
}

/* Gives up blocks that arrays leave which shrink by more than an eighth in each step; those that are asked for stay. */
Test(cache, forgets_what_has_waited_for_long)
{
    enum { STEPS = 60, BESIDE = 3 };
    zc_skip_of_one_thread();
    fixture f;
    begin(&f, 0);
    size_t bytes = (size_t)64 * MIB;
    int64_t most = 0;
    for (int i = 0; i < STEPS && bytes >= 64 * KIB; i++, bytes -= bytes / 6) {
        void *memory;
        cr_expect(is_new(&f, bytes, &memory));
        zc_heap_give_data(f.ctx->heap, memory, bytes);
        for (int k = 0; k < BESIDE; k++) {
            cr_expect_eq(is_new(&f, 96 * MIB, &memory), i == 0 && k == 0);
            zc_heap_give_data(f.ctx->heap, memory, 96 * MIB);
        }
        most = i > STEPS / 2 && kept(&f) > most ? kept(&f) : most;
    }
    cr_expect_lt(most, 104 * MIB, "%lld bytes are kept", (long long)most);
    end(&f);
}

Test(cache, is_bounded_and_gives_up_the_oldest)
{
    fixture f;
    begin(&f, 0);
    cr_expect_eq(zc_set_cache_limit(f.ctx, 10 * MIB), ZC_OK);
    pass(&f, 5 * MIB);
    pass(&f, 4 * MIB);
    cr_expect_eq(kept(&f), 9 * MIB);
    pass(&f, 3 * MIB); /* 5 goes */
    cr_expect_eq(kept(&f), 7 * MIB);
    int64_t calls = f.state.calls;
    pass(&f, 4 * MIB); /* from the cache: 3 is the oldest now */
    cr_expect_eq(f.state.calls, calls);
    pass(&f, 6 * MIB);
    cr_expect_eq(kept(&f), 10 * MIB);
    pass(&f, 11 * MIB);
    cr_expect_eq(kept(&f), 10 * MIB, "what is over the bound changes nothing");
    cr_expect_eq(zc_set_cache_limit(f.ctx, 5 * MIB), ZC_OK);
    cr_expect_eq(kept(&f), 0, "4 was older than 6");
    cr_expect_eq(zc_set_cache_limit(f.ctx, 0), ZC_OK);
    pass(&f, MIB);
    cr_expect_eq(kept(&f), 0);
    end(&f);
}

Test(cache, has_so_many_slots)
{
    fixture f;
    begin(&f, 0);
    size_t sizes[ZC_CACHE_SLOTS + 1];
    for (int i = 0; i <= ZC_CACHE_SLOTS; i++) {
        sizes[i] = i == 0 ? 64 * KIB : sizes[i - 1] + sizes[i - 1] / 5; /* what differs less would serve each other */
        pass(&f, sizes[i]);
    }
    int64_t calls = f.state.calls;
    pass(&f, sizes[1]);
    cr_expect_eq(f.state.calls, calls);
    pass(&f, sizes[0]); /* it went for the last */
    cr_expect_eq(f.state.calls, calls + 1);
    end(&f);
}

Test(cache, bound_is_checked)
{
    cr_expect_eq(zc_set_cache_limit(NULL, 0), ZC_ERROR_ARGUMENT);
    zc_context *ctx = zc_context_new(NULL);
    cr_expect_eq(zc_set_cache_limit(ctx, -1), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(zc_error_text(ctx), "set_cache_limit: -1 bytes cannot be kept");
    zc_context_free(ctx);
}

/* Data and what is kept stay below the limit, and what is kept refuses nothing. */
Test(cache, counts_against_the_limit)
{
    fixture f;
    begin(&f, 20 * MIB);
    zc_heap *heap = f.ctx->heap;
    pass(&f, 11 * MIB);
    cr_expect_eq(kept(&f), 0, "half of the limit");
    pass(&f, 4 * MIB);
    pass(&f, 6 * MIB);
    cr_expect_eq(kept(&f), 10 * MIB);
    cr_expect_eq(zc_check_limit(f.ctx, 20 * MIB, NULL), ZC_OK);
    void *memory = zc_heap_take_data(heap, 12 * MIB);
    cr_expect_eq(kept(&f), 6 * MIB, "the oldest went");
    void *other = zc_heap_take_data(heap, 6 * MIB);
    cr_expect_eq(kept(&f), 0);
    zc_heap_give_data(heap, other, 6 * MIB);
    cr_expect_eq(kept(&f), 6 * MIB);
    other = zc_heap_take_data(heap, 8 * MIB);
    cr_expect_eq(kept(&f), 0);
    zc_heap_give_data(heap, other, 8 * MIB);
    zc_heap_give_data(heap, memory, 12 * MIB);
    cr_expect_eq(kept(&f), 8 * MIB);
    zc_context_trim(f.ctx);
    cr_expect_eq(kept(&f), 0);
    end(&f);
}

/* An allocator with no memory left is asked again when what was kept is given back. */
Test(cache, is_given_up_when_memory_is_out)
{
    fixture f;
    begin(&f, 0);
    pass(&f, MIB);
    f.state.fail_at = f.state.calls + 1;
    void *memory = zc_heap_take_data(f.ctx->heap, 2 * MIB);
    cr_expect_not_null(memory);
    cr_expect_eq(kept(&f), 0);
    zc_heap_give_data(f.ctx->heap, memory, 2 * MIB);
    f.state.fail_at = f.state.calls + 1;
    f.state.is_sticky = true;
    cr_expect_null(zc_heap_take_data(f.ctx->heap, MIB));
    cr_expect_eq(kept(&f), 0);
    cr_expect_eq(zc_memory_usage(f.ctx).held_bytes, 0);
    end(&f);
}

/* A block that outlives its context goes to the allocator. */
Test(cache, ends_with_its_context)
{
    fixture f;
    begin(&f, 0);
    zc_heap *heap = f.ctx->heap;
    pass(&f, MIB);
    void *data = zc_heap_take_data(heap, MIB), *other = zc_heap_take_data(heap, 2 * MIB);
    void *header = zc_heap_take(heap, 16);
    pass(&f, MIB);
    zc_context_free(f.ctx);
    cr_expect_eq(f.state.blocks, 5); /* the heap, and where the context was */
    zc_heap_give_data(heap, data, MIB);
    zc_heap_give_data(heap, other, 2 * MIB);
    cr_expect_eq(f.state.blocks, 3);
    zc_heap_give(heap, header, 16);
    cr_expect_eq(f.state.blocks, 0);
    cr_expect_eq(f.state.faults, 0);
}

/* ---- Threads ---- */

enum { THREADS = 4, HELD = 3, STEPS = 300000 };

typedef struct turn {
    zc_heap *heap;
    uint64_t seed;
    int wrong;
} turn;

/* Takes, marks, checks and gives blocks of two sizes. Of a block that two threads have at once one finds another mark.
 */
static void *turns(void *user)
{
    turn *t = user;
    uint64_t *blocks[HELD] = {NULL};
    for (int i = 0; i < STEPS + HELD; i++) {
        int b = i % HELD;
        size_t bytes = (size_t)(64 + 8 * (b & 1)) * KIB, last = bytes / sizeof(uint64_t) - 1;
        uint64_t mark = t->seed + (uint64_t)b;
        if (blocks[b] != NULL) {
            t->wrong += blocks[b][0] != mark || blocks[b][last] != mark;
            zc_heap_give_data(t->heap, blocks[b], bytes);
        }
        blocks[b] = i < STEPS ? zc_heap_take_data(t->heap, bytes) : NULL;
        t->wrong += i < STEPS && blocks[b] == NULL;
        if (blocks[b] != NULL)
            blocks[b][0] = blocks[b][last] = mark;
    }
    return NULL;
}

Test(cache, is_shared_by_threads)
{
    zc_context *ctx = zc_context_new(NULL);
    (void)zc_set_cache_limit(ctx, 512 * KIB);
    pthread_t threads[THREADS];
    turn all[THREADS];
    for (int i = 0; i < THREADS; i++) {
        all[i] = (turn){.heap = ctx->heap, .seed = (uint64_t)(i + 1) << 32};
        cr_assert_eq(pthread_create(&threads[i], NULL, turns, &all[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
        cr_expect_eq(all[i].wrong, 0);
    }
    cr_expect_eq(zc_memory_usage(ctx).held_bytes, 0);
    zc_context_trim(ctx);
    cr_expect_eq(zc_memory_usage(ctx).cached_bytes, 0);
    zc_context_free(ctx);
}

/* ---- Headers ---- */

static void pass_header(fixture *f, size_t bytes)
{
    int64_t before = zc_memory_usage(f->ctx).header_bytes;
    void *memory = zc_heap_take(f->ctx->heap, bytes);
    cr_assert_not_null(memory);
    memset(memory, 1, bytes);
    cr_expect_eq(zc_memory_usage(f->ctx).header_bytes, before + (int64_t)bytes);
    zc_heap_give(f->ctx->heap, memory, bytes);
    cr_expect_eq(zc_memory_usage(f->ctx).header_bytes, before);
}

Test(cache, keeps_blocks_of_headers_apart_from_data)
{
    fixture f;
    begin(&f, 0);
    pass_header(&f, 63 * KIB);
    pass_header(&f, MIB + 1);
    cr_expect_eq(kept(&f), 0, "too small, too large");
    pass_header(&f, 64 * KIB);
    pass_header(&f, MIB);
    cr_expect_eq(kept(&f), MIB + 64 * KIB);
    int64_t calls = f.state.calls;
    pass_header(&f, MIB);
    cr_expect_eq(f.state.calls, calls, "the allocator was not asked");
    pass(&f, MIB);
    cr_expect_eq(f.state.calls, calls + 1, "data is no header");
    cr_expect_eq(kept(&f), 2 * MIB + 64 * KIB);
    cr_expect_eq(zc_set_cache_limit(f.ctx, MIB), ZC_OK);
    cr_expect_eq(kept(&f), 2 * MIB, "the oldest of the headers went");
    zc_context_trim(f.ctx);
    cr_expect_eq(kept(&f), 0);
    end(&f);
}

Test(cache, keeps_few_headers)
{
    enum { COUNT = 20 };
    for (int limited = 0; limited < 2; limited++) {
        fixture f;
        void *memory[COUNT];
        begin(&f, limited ? 8 * MIB : 0);
        for (int i = 0; i < COUNT; i++)
            memory[i] = zc_heap_take(f.ctx->heap, MIB);
        for (int i = 0; i < COUNT; i++)
            zc_heap_give(f.ctx->heap, memory[i], MIB);
        cr_expect_eq(kept(&f), limited ? 4 * MIB : 16 * MIB);
        end(&f);
    }
}

Test(cache, gives_up_headers_when_memory_is_out)
{
    fixture f;
    begin(&f, 0);
    pass_header(&f, MIB);
    f.state.fail_at = f.state.calls + 1;
    pass_header(&f, 512 * KIB);
    cr_expect_eq(kept(&f), 512 * KIB);
    pass_header(&f, MIB);
    f.state.fail_at = f.state.calls + 1;
    f.state.is_sticky = true;
    cr_expect_null(zc_heap_take(f.ctx->heap, 256 * KIB));
    cr_expect_null(zc_heap_take(f.ctx->heap, 256 * KIB));
    cr_expect_eq(kept(&f), 0);
    end(&f);
}

/* As in a loop whose arrays shrink from step to step. */
Test(cache, lends_a_block_to_who_asks_for_a_little_less)
{
    fixture f;
    void *memory, *other;
    begin(&f, 0);
    (void)is_new(&f, MIB, &memory);
    (void)is_new(&f, MIB + MIB / 16, &other);
    zc_heap_give_data(f.ctx->heap, memory, MIB);
    zc_heap_give_data(f.ctx->heap, other, MIB + MIB / 16);
    cr_expect_not(is_new(&f, MIB - MIB / 16, &memory), "the smaller one fits");
    cr_expect_eq(kept(&f), MIB + MIB / 16 + MIB / 16);
    cr_expect_eq(zc_memory_usage(f.ctx).held_bytes, MIB - MIB / 16);
    cr_expect_not(is_new(&f, MIB, &other), "the larger one fits");
    zc_heap_give_data(f.ctx->heap, memory, MIB - MIB / 16);
    zc_heap_give_data(f.ctx->heap, other, MIB);
    cr_expect_eq(kept(&f), 2 * MIB + MIB / 16, "both are as large as they were");
    cr_expect_eq(zc_memory_usage(f.ctx).held_bytes, 0);
    cr_expect(is_new(&f, MIB - MIB / 4, &memory), "too much would be left");
    zc_heap_give_data(f.ctx->heap, memory, MIB - MIB / 4);
    end(&f);
}

Test(cache, all_blocks_may_be_lent)
{
    fixture f;
    void *lent[ZC_CACHE_SLOTS], *memory;
    begin(&f, 0);
    for (int s = 0; s < ZC_CACHE_SLOTS; s++)
        (void)is_new(&f, MIB, &lent[s]);
    for (int s = 0; s < ZC_CACHE_SLOTS; s++)
        zc_heap_give_data(f.ctx->heap, lent[s], MIB);
    for (int s = 0; s < ZC_CACHE_SLOTS; s++)
        cr_expect_not(is_new(&f, MIB - KIB, &lent[s]));
    cr_expect(is_new(&f, 2 * MIB, &memory));
    zc_heap_give_data(f.ctx->heap, memory, 2 * MIB);
    cr_expect_eq(kept(&f), ZC_CACHE_SLOTS * KIB, "there is no place for another one");
    for (int s = 0; s < ZC_CACHE_SLOTS; s++)
        zc_heap_give_data(f.ctx->heap, lent[s], MIB - KIB);
    zc_heap_trim(f.ctx->heap);
    cr_expect_eq(kept(&f), 0);
    end(&f);
}

Test(cache, lends_nothing_that_a_limit_would_miss)
{
    fixture f;
    void *memory;
    begin(&f, 100 * MIB);
    pass(&f, MIB);
    cr_expect(is_new(&f, MIB - KIB, &memory));
    zc_heap_give_data(f.ctx->heap, memory, MIB - KIB);
    end(&f);
}
