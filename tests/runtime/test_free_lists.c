/* Small blocks that are kept: which serve which, what bounds them, whose they are, and that none is lost. */
#include <pthread.h>
#include <string.h>

#include "runtime/context/context.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { MOST = 64 << 10, MOST_HEADERS = 1 << 20, MOST_BLOCKS = 1 << 18 }; /* bytes that lists hold */
enum { PAGE = 4096 };                                                    /* of which arenas' blocks are multiples */

static zc_context *new_context(int64_t limit)
{
    zc_context *ctx = zc_context_new(&(zc_options){.memory_limit = limit});
    cr_assert_not_null(ctx);
    return ctx;
}

static int64_t bytes_of(const zc_free_lists *lists)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < lists->count; i++) {
        for (const zc_free_link *link = lists->first[i]; link != NULL; link = link->next)
            bytes += (int64_t)((i + 1) << lists->shift);
    }
    cr_expect_eq(bytes, lists->bytes);
    return bytes;
}

Test(free_lists, serve_blocks_of_a_size_again)
{
    zc_context *ctx = new_context(0);
    void *first = zc_heap_take(ctx->heap, 40);
    void *data = zc_heap_take_data(ctx->heap, 100);
    cr_assert(first != NULL && data != NULL);
    zc_heap_give(ctx->heap, first, 40);
    zc_heap_give_data(ctx->heap, data, 100);
    void *smaller = zc_heap_take(ctx->heap, 32), *same = zc_heap_take(ctx->heap, 48);
    void *same_data = zc_heap_take_data(ctx->heap, 65);
    cr_expect_neq(smaller, first);
    cr_expect_eq(same, first);
    cr_expect_eq(same_data, data);
    memset(same, 1, 48);
    memset(same_data, 1, 128); /* the block is a multiple of the alignment */
    cr_expect_eq((uintptr_t)same_data % ZC_DATA_ALIGNMENT, 0);
    zc_heap_give(ctx->heap, smaller, 32);
    zc_heap_give(ctx->heap, same, 48);
    zc_heap_give_data(ctx->heap, same_data, 65);
    zc_context_free(ctx);
}

Test(free_lists, serve_pages_again)
{
    zc_context *ctx = new_context(0);
    void *one = zc_heap_take(ctx->heap, PAGE), *two = zc_heap_take(ctx->heap, 2 * PAGE);
    cr_assert(one != NULL && two != NULL);
    zc_heap_give(ctx->heap, one, PAGE);
    zc_heap_give(ctx->heap, two, 2 * PAGE);
    cr_expect_eq(bytes_of(&ctx->heap->arena_blocks), 3 * PAGE);
    cr_expect_eq(zc_heap_take(ctx->heap, 2 * PAGE), two);
    cr_expect_eq(zc_heap_take(ctx->heap, PAGE), one);
    void *less = zc_heap_take(ctx->heap, PAGE - 8);
    zc_heap_give(ctx->heap, less, PAGE - 8);
    cr_expect_eq(bytes_of(&ctx->heap->arena_blocks), 0, "no whole page");
    memset(two, 1, 2 * PAGE);
    zc_heap_give(ctx->heap, one, PAGE);
    zc_heap_give(ctx->heap, two, 2 * PAGE);
    zc_context_free(ctx);
}

/* Sizes around the largest that has a list, and pages, which are taken and given back in any order. */
Test(free_lists, lose_no_block)
{
    enum { BLOCKS = 200, STEPS = 20000 };
    zc_random_begin("free_lists");
    zc_context *ctx = new_context(0);
    const zc_memory before = zc_memory_usage(ctx);
    unsigned char *at[BLOCKS] = {NULL};
    size_t bytes[BLOCKS];
    bool is_data[BLOCKS];
    for (int i = 0; i < STEPS; i++) {
        const int b = (int)zc_random_range(0, BLOCKS - 1);
        if (at[b] != NULL) {
            cr_assert_eq(at[b][0], b);
            cr_assert_eq(at[b][bytes[b] - 1], b);
            if (is_data[b])
                zc_heap_give_data(ctx->heap, at[b], bytes[b]);
            else
                zc_heap_give(ctx->heap, at[b], bytes[b]);
            at[b] = NULL;
            continue;
        }
        is_data[b] = zc_random_bool();
        bytes[b] = (size_t)zc_random_range(1, is_data[b] ? 2200 : 560);
        if (!is_data[b] && zc_random_range(0, 3) == 0)
            bytes[b] = PAGE * (size_t)zc_random_range(1, 40);
        at[b] = is_data[b] ? zc_heap_take_data(ctx->heap, bytes[b]) : zc_heap_take(ctx->heap, bytes[b]);
        cr_assert_not_null(at[b]);
        memset(at[b], b, bytes[b]);
        cr_assert(bytes_of(&ctx->heap->small_data) <= MOST && bytes_of(&ctx->heap->small_headers) <= MOST_HEADERS &&
                  bytes_of(&ctx->heap->arena_blocks) <= MOST_BLOCKS);
    }
    for (int b = 0; b < BLOCKS; b++) {
        if (at[b] != NULL && is_data[b])
            zc_heap_give_data(ctx->heap, at[b], bytes[b]);
        else
            zc_heap_give(ctx->heap, at[b], bytes[b]);
    }
    cr_expect_eq(zc_memory_usage(ctx).held_bytes, before.held_bytes);
    cr_expect_eq(zc_memory_usage(ctx).header_bytes, before.header_bytes);
    zc_context_free(ctx);
}

/* Takes and gives back many blocks at once, so that lists are full. */
static void fill(zc_context *ctx)
{
    enum { BLOCKS = 2500 };
    void *headers[BLOCKS], *data[BLOCKS], *pages[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        headers[i] = zc_heap_take(ctx->heap, 512);
        data[i] = zc_heap_take_data(ctx->heap, 2048);
        pages[i] = zc_heap_take(ctx->heap, PAGE);
        cr_assert(headers[i] != NULL && data[i] != NULL && pages[i] != NULL);
    }
    for (int i = 0; i < BLOCKS; i++) {
        zc_heap_give(ctx->heap, headers[i], 512);
        zc_heap_give_data(ctx->heap, data[i], 2048);
        zc_heap_give(ctx->heap, pages[i], PAGE);
    }
}

Test(free_lists, hold_what_they_may)
{
    zc_context *ctx = new_context(0);
    fill(ctx);
    cr_expect_eq(bytes_of(&ctx->heap->small_headers), MOST_HEADERS);
    cr_expect_eq(bytes_of(&ctx->heap->small_data), MOST);
    cr_expect_eq(bytes_of(&ctx->heap->arena_blocks), MOST_BLOCKS);
    zc_context_trim(ctx);
    cr_expect_eq(bytes_of(&ctx->heap->arena_blocks), 0);
    cr_expect_eq(bytes_of(&ctx->heap->small_headers), 0);
    cr_expect_eq(bytes_of(&ctx->heap->small_data), 0);
    fill(ctx);
    cr_expect_eq(bytes_of(&ctx->heap->small_data), MOST, "trimming took the room, too");
    cr_expect_eq(zc_set_cache_limit(ctx, 4096), ZC_OK);
    fill(ctx);
    cr_expect_eq(bytes_of(&ctx->heap->small_headers), 4096);
    cr_expect_eq(bytes_of(&ctx->heap->small_data), 4096);
    cr_expect_eq(zc_set_cache_limit(ctx, 0), ZC_OK);
    fill(ctx);
    cr_expect_eq(bytes_of(&ctx->heap->small_headers) + bytes_of(&ctx->heap->small_data), 0);
    cr_expect_eq(bytes_of(&ctx->heap->arena_blocks), 0);
    zc_context_free(ctx);
}

/* Beside data that fills its limit, blocks that are kept are a small part of that. */
Test(free_lists, hold_little_under_a_small_limit)
{
    zc_context *ctx = new_context(1 << 20);
    fill(ctx);
    cr_expect_eq(bytes_of(&ctx->heap->small_data), 4096);
    zc_context_free(ctx);
}

Test(free_lists, leave_a_hosts_allocator_every_block)
{
    zc_failing state = {0};
    const zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator});
    cr_assert_not_null(ctx);
    for (int i = 0; i < 3; i++) {
        const int64_t calls = state.calls;
        void *header = zc_heap_take(ctx->heap, 40), *data = zc_heap_take_data(ctx->heap, 40);
        void *page = zc_heap_take(ctx->heap, PAGE);
        cr_expect_eq(state.calls, calls + 3);
        zc_heap_give(ctx->heap, header, 40);
        zc_heap_give(ctx->heap, page, PAGE);
        zc_heap_give_data(ctx->heap, data, 40);
    }
    zc_context_free(ctx);
    cr_expect_eq(state.blocks, 0);
    cr_expect_eq(state.faults, 0);
}

/* ---- Other threads ---- */

static void *give_elsewhere(void *user)
{
    zc_tensor *t = user;
    zc_release(t);
    return NULL;
}

static void *end_elsewhere(void *user)
{
    zc_context_trim(user);
    zc_context_free(user);
    return NULL;
}

static void run_elsewhere(void *(*work)(void *user), void *user)
{
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, work, user), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
}

Test(free_lists, belong_to_one_thread)
{
    zc_context *ctx = new_context(0);
    zc_tensor *x = zc_full(ctx, ZC_SHAPE(3), ZC_FLOAT32, 1.5);
    cr_assert_not_null(x);
    zc_tensor *y = zc_add(x, x);
    cr_assert_not_null(y);
    const int64_t held = bytes_of(&ctx->heap->small_headers);
    run_elsewhere(give_elsewhere, y);
    cr_expect_eq(bytes_of(&ctx->heap->small_headers), held, "another thread changed the lists");
    zc_release(x);
    cr_expect_gt(bytes_of(&ctx->heap->small_headers), held);
    run_elsewhere(end_elsewhere, ctx);
}

/* A context that another thread ends while the lists' own thread holds a tensor: it gives the last blocks. */
Test(free_lists, end_with_the_last_block)
{
    zc_context *ctx = new_context(0);
    zc_tensor *x = zc_full(ctx, ZC_SHAPE(3), ZC_FLOAT32, 1.5), *y = zc_from_data(ctx, ZC_INT8, ZC_SHAPE(2), "ab", 2);
    cr_assert(x != NULL && y != NULL);
    zc_release(x);
    run_elsewhere(end_elsewhere, ctx);
    cr_expect_eq(((const char *)zc_data(y))[1], 'b');
    zc_release(y);
}
