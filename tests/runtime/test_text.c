/* Growing texts: tables are aligned as their columns need, and nothing before them moves. */
#include "runtime/context/text.h"

#include <string.h>

#include "runtime/context/context.h"
#include "tests/support/zc_test.h"

/* The text `before`, then a table, aligned. */
static void check_table(const char *before, const char *table, unsigned right, const char *expected)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_text_builder text = {.heap = ctx->heap};
    int64_t header_bytes = zc_memory_usage(ctx).header_bytes;
    zc_text_add(&text, "%s", before);
    size_t from = text.used;
    zc_text_add(&text, "%s", table);
    zc_text_align(&text, from, right);
    zc_text_add(&text, "end");
    char *string = zc_text_finish(&text);
    size_t length = strlen(before);
    cr_assert_eq(strncmp(string, before, length), 0);
    cr_assert_eq(strncmp(string + length, expected, strlen(expected)), 0, "is:\n%s\nnot:\n%s", string, expected);
    cr_assert_str_eq(string + length + strlen(expected), "end");
    zc_text_free(ctx, string);
    cr_assert_eq(zc_memory_usage(ctx).header_bytes, header_bytes);
    zc_context_free(ctx);
}

Test(text, columns_are_as_wide_as_their_widest_cell)
{
    check_table("", "a\tbb\tc\nlong\tb\tlonger\n", 0, "a     bb  c\nlong  b   longer\n");
    check_table("a\tb\n", "a\tbb\tc\nlong\t1\tc\n", 1 << 1, "a     bb  c\nlong   1  c\n");
    check_table("", "x\ty\n\n\t\tz\nalone\n", 1 << 0, "x  y\n\n     z\nalone\n");
    check_table("before\n", "", 0, "");
}

Test(text, columns_past_the_sixteenth_stay_as_they_are)
{
    check_table("",
                "1\t2\t3\t4\t5\t6\t7\t8\t9\t0\t1\t2\t3\t4\t5\t6\tseven\t8\n.\t.\t.\t.\t.\t.\t.\t.\t.\t.\t.\t.\t.\t.\t."
                "\t.\t.\t.\n",
                0,
                "1  2  3  4  5  6  7  8  9  0  1  2  3  4  5  6  seven  8\n"
                ".  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .\n");
}

Test(text, tables_longer_than_the_first_room_keep_every_line)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_text_builder text = {.heap = ctx->heap};
    for (int i = 0; i < 1000; i++)
        zc_text_add(&text, "%d\t%d\n", i, i * i);
    zc_text_align(&text, 0, 1);
    char *string = zc_text_finish(&text);
    cr_assert_eq(strncmp(string, "  0  0\n  1  1\n", 14), 0);
    cr_assert_not_null(strstr(string, "\n999  998001\n"));
    zc_text_free(ctx, string);
    zc_context_free(ctx);
}

Test(text, of_nothing_is_empty)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_text_builder text = {.heap = ctx->heap};
    char *string = zc_text_finish(&text);
    cr_assert_str_eq(string, "");
    zc_text_free(NULL, NULL);
    zc_text_free(ctx, NULL);
    zc_text_free(ctx, string);
    zc_context_free(ctx);
}
