/* Header memory: what does not fit into a size is refused like memory that is out. */
#include <limits.h>
#include <stdlib.h>

#include "runtime/context/context.h"
#include "runtime/graph/tensor.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/table.h"
#include "runtime/record/record.h"
#include "runtime/record/scan.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

Test(memory, of_an_arena_that_no_size_counts_is_out)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_arena arena;
    zc_arena_init(&arena, ctx->heap);
    cr_expect_not_null(zc_arena_take(&arena, 0, SIZE_MAX));
    cr_expect_not(arena.failed);
    cr_expect_null(zc_arena_take(&arena, SIZE_MAX / 16, 32));
    cr_expect(arena.failed);
    zc_arena_free(&arena);
    zc_context_free(ctx);
}

/* Large pieces have blocks of their own, also where there is no other, and none where there is a limit. */
Test(memory, of_large_pieces_is_theirs_alone)
{
    enum { LARGE = 1 << 17 };
    zc_context *ctx = zc_context_new(NULL);
    zc_arena arena;
    zc_arena_init(&arena, ctx->heap);
    char *first = zc_arena_take(&arena, LARGE, 1), *other = zc_arena_take(&arena, LARGE, 2);
    cr_assert(first != NULL && other != NULL);
    first[LARGE - 1] = other[2 * LARGE - 1] = 1;
    int64_t bytes = arena.bytes;
    zc_arena_give_back(&arena, &bytes, LARGE, 1); /* what it does not hold */
    cr_expect_eq(arena.bytes, bytes);
    arena.limit = bytes;
    cr_expect_null(zc_arena_take(&arena, 1, SIZE_MAX / 4));
    cr_expect(arena.failed && arena.is_over && arena.bytes == bytes);
    zc_arena_give_back(&arena, first, LARGE, 1);
    cr_expect(arena.bytes <= bytes - LARGE);
    zc_arena_free(&arena);
    zc_context_free(ctx);
}

/* Blocks for small pieces grow, and the last one takes what is left. */
Test(memory, of_a_limited_arena_is_taken_to_its_end)
{
    enum { PIECE = 96 };
    static const int64_t limits[] = {5000, 200000, (5 << 20) + 123, (40 << 20) - 1};
    zc_context *ctx = zc_context_new(NULL);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        zc_arena arena;
        zc_arena_init(&arena, ctx->heap);
        arena.limit = limits[i];
        int64_t taken = 0;
        while (zc_arena_take(&arena, 1, PIECE) != NULL)
            taken += PIECE;
        cr_expect(arena.is_over && arena.bytes <= limits[i]);
        cr_expect_geq(taken, limits[i] - limits[i] / 100 - 1000, "%ld of %ld", (long)taken, (long)limits[i]);
        zc_arena_free(&arena);
    }
    zc_context_free(ctx);
}

/* Expects an operand that failed to lead to no node, and to no error of its own. */
Test(memory, of_operands_that_are_missing_is_not_asked_for)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *x = zc_iota(ctx, 3);
    cr_expect_null(zc_record_recurrence(NULL, x, 0, false, "test"));
    cr_expect_null(zc_record_recurrence(x, NULL, 0, false, "test"));
    cr_expect_eq(zc_error_status(ctx), ZC_OK);
    zc_release(x);
    zc_context_free(ctx);
}

Test(memory, of_somebody_else_is_there)
{
    zc_context *ctx = zc_context_new(NULL);
    const int64_t shape[] = {3};
    cr_expect_null(zc_import(ctx, ZC_INT8, 1, shape, NULL, 0, NULL, 3, NULL, NULL));
    cr_expect_str_eq(zc_error_text(ctx), "import: the memory is NULL");
    zc_context_free(ctx);
}

/* Its edges would take more than a node counts. */
Test(memory, of_a_node_is_limited)
{
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator});
    int64_t calls = state.calls;
    zc_node_spec spec = {.kind = ZC_NODE_CONCAT, .dtype = ZC_INT8, .edge_count = INT_MAX};
    cr_expect_null(zc_node_new(ctx->heap, &spec));
    cr_expect_eq(state.calls, calls, "the allocator was not asked");
    zc_context_free(ctx);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* whose allocators take it for a mistake */
/* Far more than there is: a refusal, and the context goes on. */
Test(memory, of_data_may_be_out)
{
    zc_context *ctx = zc_context_new(NULL);
    cr_expect_null(zc_heap_take_data(ctx->heap, (size_t)1 << 60));
    cr_expect_eq(zc_memory_usage(ctx).held_bytes, 0);
    void *memory = zc_heap_take_data(ctx->heap, 1);
    cr_expect_not_null(memory);
    zc_heap_give_data(ctx->heap, memory, 1);
    zc_context_free(ctx);
}
#endif

/* An array that grows leaves nothing behind once it is large; what lies around it stays as it is. */
Test(memory, of_arrays_that_grow_is_given_back)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_arena arena;
    zc_arena_init(&arena, ctx->heap);
    void *array = NULL;
    int32_t room = 0, small = 7, *before = zc_arena_copy(&arena, &small, 1, sizeof small), *after = NULL;
    for (int32_t i = 0; i < 1000000; i++) {
        cr_assert(zc_arena_make_room(&arena, &array, i, &room, sizeof i));
        ((int32_t *)array)[i] = i;
        if (i == 500000)
            after = zc_arena_copy(&arena, &small, 1, sizeof small);
    }
    int64_t bytes = (int64_t)room * (int64_t)sizeof(int32_t);
    cr_expect(arena.bytes >= bytes && arena.bytes < bytes + bytes / 4);
    cr_expect(arena.most_bytes >= bytes + bytes / 2 && arena.most_bytes < 2 * bytes);
    cr_expect(*before == 7 && *after == 7);
    for (int32_t i = 0; i < 1000000; i++)
        cr_assert_eq(((int32_t *)array)[i], i);
    zc_arena_free(&arena);
    zc_context_free(ctx);
}

/* Tables keep the low halves of hashes: values that differ only above are listed together, for the caller to
 * compare. */
Test(memory, of_tables_lists_what_was_added)
{
    zc_skip_of_one_thread();
    zc_context *ctx = zc_context_new(NULL);
    zc_arena arena;
    zc_arena_init(&arena, ctx->heap);
    zc_table table = {.arena = &arena};
    for (int32_t i = 0; i < 30000; i++)
        cr_assert(zc_table_add(&table, (uint64_t)i / 3 * UINT64_C(0x100000001), i));
    for (int32_t i = 0; i < 30000; i++) {
        size_t cursor = 0;
        int found = 0;
        for (int32_t at; (at = zc_table_next(&table, (uint64_t)i / 3, &cursor)) >= 0; found++)
            cr_expect_eq(at / 3, i / 3);
        cr_expect_eq(found, 3);
    }
    zc_arena_free(&arena);
    zc_context_free(ctx);
}

Test(memory, of_an_arena_that_is_cleared_is_used_again)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_arena arena;
    zc_arena_init(&arena, ctx->heap);
    zc_arena_clear(&arena); /* nothing to clear */
    const void *first = zc_arena_take(&arena, 10, 100);
    int64_t little = arena.bytes;
    for (int i = 0; i < 100; i++) {
        zc_arena_clear(&arena);
        cr_assert_eq(zc_arena_take(&arena, 10, 100), first, "%d", i);
        cr_assert_eq(arena.bytes, little, "%d", i);
    }
    for (int i = 0; i < 100; i++)
        cr_assert_not_null(zc_arena_take(&arena, 1000, 100));
    zc_arena_clear(&arena);
    cr_expect(arena.bytes < (64 << 10) + 1000, "%ld bytes are left of large pieces", (long)arena.bytes);
    zc_arena_free(&arena);
    cr_expect_eq(arena.bytes, 0);
    zc_context_free(ctx);
}

Test(memory, of_tables_is_there_for_what_was_reserved)
{
    enum { COUNT = 1000 };
    zc_context *ctx = zc_context_new(NULL);
    zc_arena arena;
    zc_arena_init(&arena, ctx->heap);
    zc_table table = {.arena = &arena};
    size_t start = 0;
    zc_table_clear(&table);
    cr_expect_eq(zc_table_next(&table, 0, &start), -1, "a table without room");
    cr_assert(zc_table_reserve(&table, COUNT) && zc_table_reserve(&table, COUNT / 2));
    const zc_table_entry *entries = table.entries;
    for (int32_t i = 0; i < COUNT; i++)
        cr_assert(zc_table_add(&table, zc_hash_word(7, (uint64_t)i), i));
    cr_expect_eq(table.entries, entries);
    for (int32_t i = 0; i < COUNT; i++) {
        size_t cursor = 0;
        int32_t at = zc_table_next(&table, zc_hash_word(7, (uint64_t)i), &cursor);
        while (at >= 0 && at != i)
            at = zc_table_next(&table, zc_hash_word(7, (uint64_t)i), &cursor);
        cr_assert_eq(at, i);
    }
    zc_table_clear(&table);
    for (int32_t i = 0; i < COUNT; i++) {
        size_t cursor = 0;
        cr_assert_eq(zc_table_next(&table, zc_hash_word(7, (uint64_t)i), &cursor), -1);
    }
    for (int32_t i = 0; i < COUNT; i++)
        cr_assert(!zc_table_is_full(&table) && zc_table_add(&table, 3, i));
    cr_expect_eq(table.entries, entries);
    arena.limit = arena.bytes;
    cr_expect_not(zc_table_reserve(&table, 1 << 24));
    arena.limit = 0;
    cr_assert(zc_table_reserve(&table, 1 << 20));
    int64_t large = arena.bytes;
    zc_table_end(&table);
    cr_expect_gt(large - arena.bytes, (int64_t)sizeof *entries << 20);
    zc_arena_free(&arena);
    zc_context_free(ctx);
}

/* Handles are counted in some of a counter's bits: beyond those there are none. */
Test(memory, of_more_handles_than_a_node_counts_is_out)
{
    const int64_t all = (ZC_MOST_HANDLES - 1) * (ZC_HANDLE + 1);
    zc_context *ctx = zc_context_new(NULL), *other = zc_context_new(NULL);
    zc_tensor *t = zc_iota(ctx, 3);
    (void)zc_count(&t->node->references, all); /* as if there were so many */
    cr_expect_null(zc_adopt(other, t));
    cr_expect_eq(zc_error_status(other), ZC_ERROR_MEMORY);
    (void)zc_count(&t->node->references, -all);
    cr_expect_eq(zc_node_references(t->node), 1);
    zc_tensor *adopted = zc_adopt(other, t);
    cr_expect_not_null(adopted);
    zc_release(adopted);
    zc_release(t);
    zc_context_free(other);
    zc_context_free(ctx);
}

Test(memory, lengths_of_blocks_are_numbers_in_the_environment)
{
    static const struct {
        const char *text;
        int64_t length;
    } rows[] = {{"0", 0}, {"3", 3}, {"", -1}, {"x", -1}, {"3x", -1}, {"-2", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(setenv("ZEROCAST_GROUPS", rows[i].text, 1), 0);
        zc_context *ctx = zc_context_new(NULL);
        cr_assert_not_null(ctx);
        cr_expect_eq(ctx->block_length, rows[i].length, "'%s'", rows[i].text);
        zc_context_free(ctx);
    }
    cr_assert_eq(unsetenv("ZEROCAST_GROUPS"), 0);
}
