/* Files in memory: what lies in the file and nothing beyond it, for longer than the file is open or has its name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "materialize/files/mapped_file.h"
#include "runtime/context/context.h"
#include "tests/support/zc_test.h"

static const char *write_text(const char *text)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "mapped-%ld", (long)getpid());
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

Test(mapped_file, begins_with_its_first_bytes)
{
    zc_mapped_file f;
    zc_reason why;
    char bytes[8];
    size_t count;
    cr_assert_eq(zc_mapped_file_open(&f, write_text("0123456789"), &why), ZC_OK);
    cr_expect_eq(f.bytes, 10);
    cr_expect(zc_mapped_file_start(&f, bytes, sizeof bytes, &count, &why) == ZC_OK && count == 8);
    cr_expect_eq(memcmp(bytes, "01234567", 8), 0);
    zc_mapped_file_close(&f);
    cr_assert_eq(zc_mapped_file_open(&f, write_text("01"), &why), ZC_OK);
    cr_expect(zc_mapped_file_start(&f, bytes, sizeof bytes, &count, &why) == ZC_OK && count == 2);
    zc_mapped_file_close(&f);
    (void)unlink(f.path);
}

Test(mapped_file, is_seen_from_any_byte_to_its_end)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_mapped_file f;
    zc_reason why;
    cr_assert_eq(zc_mapped_file_open(&f, write_text("0123456789"), &why), ZC_OK);
    for (int64_t at = 0; at <= 11; at++) {
        for (int64_t count = 0; count <= 11; count++) {
            zc_buffer *buffer = NULL;
            zc_status status = zc_mapped_file_map(&f, ctx->heap, at, count, &buffer, &why);
            cr_expect_eq(status, at + count <= 10 ? ZC_OK : ZC_ERROR_FORMAT, "%d bytes at %d", (int)count, (int)at);
            if (status == ZC_OK)
                cr_expect(buffer->bytes == count && memcmp(buffer->memory, &"0123456789"[at], (size_t)count) == 0);
            zc_buffer_release(buffer);
        }
    }
    zc_mapped_file_close(&f);
    (void)unlink(f.path);
    zc_context_free(ctx);
}

Test(mapped_file, tells_how_much_is_missing)
{
    zc_mapped_file f;
    zc_reason why;
    cr_assert_eq(zc_mapped_file_open(&f, write_text("0123456789"), &why), ZC_OK);
    cr_expect_eq(zc_mapped_file_check(&f, 4, 6, &why), ZC_OK);
    cr_expect_eq(zc_mapped_file_check(&f, 4, INT64_MAX, &why), ZC_ERROR_FORMAT);
    cr_expect_eq(zc_mapped_file_check(&f, INT64_MAX, 0, &why), ZC_ERROR_FORMAT);
    cr_expect_eq(zc_mapped_file_check(&f, INT64_MAX, 100, &why), ZC_ERROR_FORMAT);
    cr_expect_not_null(strstr(why.text, ": 9223372036854775807 bytes"), "%s", why.text);
    cr_expect_eq(zc_mapped_file_check(&f, 4, 9, &why), ZC_ERROR_FORMAT);
    char sentence[128];
    (void)snprintf(sentence, sizeof sentence, "%s: 3 bytes of data are missing at its end", f.path);
    cr_expect_str_eq(why.text, sentence);
    zc_mapped_file_close(&f);
    (void)unlink(f.path);
}

/* A file may be larger than the addresses of a process; there, and here by what is said of it. */
Test(mapped_file, of_more_bytes_than_addresses_is_refused)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_mapped_file f;
    zc_reason why;
    zc_buffer *buffer = NULL;
    cr_assert_eq(zc_mapped_file_open(&f, write_text("0123456789"), &why), ZC_OK);
    f.start = 100;
    f.bytes = INT64_MAX - 50;
    cr_expect_eq(zc_mapped_file_map(&f, ctx->heap, 0, f.bytes, &buffer, &why), ZC_ERROR_FILE);
    cr_expect_not_null(strstr(why.text, "more than the memory of a process has addresses for"), "%s", why.text);
    cr_expect_null(zc_buffer_new(ctx->heap, -1));
    cr_expect_eq(zc_memory_usage(ctx).held_bytes, 0);
    zc_mapped_file_close(&f);
    (void)unlink(f.path);
    zc_context_free(ctx);
}

/* The buffer is all that is left of it. */
Test(mapped_file, outlives_its_closing_and_its_name)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_mapped_file f;
    zc_reason why;
    zc_buffer *buffer = NULL;
    cr_assert_eq(zc_mapped_file_open(&f, write_text("0123456789"), &why), ZC_OK);
    cr_assert_eq(zc_mapped_file_map(&f, ctx->heap, 3, 7, &buffer, &why), ZC_OK);
    zc_mapped_file_close(&f);
    (void)unlink(f.path);
    cr_expect_eq(memcmp(buffer->memory, "3456789", 7), 0);
    zc_buffer_release(buffer);
    cr_expect_eq(zc_memory_usage(ctx).held_bytes, 0);
    zc_context_free(ctx);
}

Test(mapped_file, refuses_what_is_no_regular_file)
{
    zc_mapped_file f;
    zc_reason why;
    cr_expect_eq(zc_mapped_file_open(&f, ".", &why), ZC_ERROR_FILE);
    cr_expect_str_eq(why.text, ".: not a regular file");
    cr_expect_eq(zc_mapped_file_open(&f, "no-such-file", &why), ZC_ERROR_FILE);
    cr_expect_str_eq(why.text, "no-such-file: cannot be opened: No such file or directory");
}

/* ---- Very many files ---- */

/* A buffer over the whole file. */
static zc_buffer *whole(const zc_mapped_file *f, zc_context *ctx)
{
    zc_reason why;
    zc_buffer *buffer = NULL;
    cr_assert_eq(zc_mapped_file_map(f, ctx->heap, 0, f->bytes, &buffer, &why), ZC_OK, "%s", why.text);
    return buffer;
}

/* Tells whether a file of that many bytes is mapped, too, while many are. */
static bool is_mapped(zc_context *ctx, int64_t bytes)
{
    zc_mapped_file f;
    zc_reason why;
    char *text = calloc(1, (size_t)bytes + 1);
    memset(text, 'x', (size_t)bytes);
    text[bytes - 1] = 'y';
    const int64_t before = zc_memory_usage(ctx).held_bytes;
    cr_assert_eq(zc_mapped_file_open(&f, write_text(text), &why), ZC_OK);
    zc_buffer *buffer = whole(&f, ctx);
    zc_mapped_file_close(&f);
    (void)unlink(f.path);
    cr_expect_eq(buffer->bytes, bytes);
    cr_expect_eq(memcmp(buffer->memory, text, (size_t)bytes), 0);
    const bool is_owned = buffer->is_owned;
    cr_expect_eq(zc_memory_usage(ctx).held_bytes - before, is_owned ? bytes : 0);
    zc_buffer_release(buffer);
    free(text);
    return !is_owned;
}

/* Expects the refusal of a file that is cut after it was opened, while many are mapped. */
static void expect_cut(zc_context *ctx)
{
    zc_mapped_file f;
    zc_reason why;
    zc_buffer *buffer = NULL;
    cr_assert_eq(zc_mapped_file_open(&f, write_text("0123456789"), &why), ZC_OK);
    cr_assert_eq(truncate(f.path, 5), 0);
    cr_expect_eq(zc_mapped_file_map(&f, ctx->heap, 0, 10, &buffer, &why), ZC_ERROR_FORMAT);
    cr_expect(buffer == NULL && strstr(why.text, "missing at its end") != NULL, "%s", why.text);
    zc_mapped_file_close(&f);
    (void)unlink(f.path);
}

Test(mapped_file, is_read_where_it_is_small_and_many_are_mapped)
{
    enum { MANY = 1 << 14, SMALL = 1 << 16 };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 2 * SMALL});
    zc_mapped_file f;
    zc_reason why;
    zc_buffer **mapped = calloc(MANY, sizeof *mapped);
    cr_expect(is_mapped(ctx, 10) && is_mapped(ctx, SMALL));
    cr_assert_eq(zc_mapped_file_open(&f, write_text("0123456789"), &why), ZC_OK);
    (void)unlink(f.path);
    for (int i = 0; i < MANY; i++) {
        mapped[i] = whole(&f, ctx);
        cr_assert(!mapped[i]->is_owned);
    }
    zc_mapped_file_close(&f);
    cr_expect(!is_mapped(ctx, 10) && !is_mapped(ctx, SMALL));
    cr_expect(is_mapped(ctx, SMALL + 1));
    zc_context *unlimited = zc_context_new(&(zc_options){.threads = 1});
    cr_expect(!is_mapped(unlimited, 10));
    zc_context_free(unlimited);
    expect_cut(ctx);
    zc_buffer *much = zc_buffer_new(ctx->heap, SMALL + 8); /* the limit leaves less than that */
    cr_expect(is_mapped(ctx, SMALL) && !is_mapped(ctx, 10));
    zc_buffer_release(much);
    zc_buffer_release(mapped[0]);
    cr_expect(is_mapped(ctx, 10));
    for (int i = 1; i < MANY; i++)
        zc_buffer_release(mapped[i]);
    free((void *)mapped);
    zc_context_free(ctx);
}

/* Takes mappings until Linux gives none. */
static int64_t take_all(char **pages, int64_t most)
{
    int64_t count = 0;
    while (count < most && (pages[count] = mmap(NULL, 4096, count % 2 == 0 ? PROT_NONE : PROT_READ,
                                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED)
        count++;
    return count;
}

Test(mapped_file, says_that_there_are_no_mappings_left)
{
    enum { MOST = 1 << 17 };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_mapped_file f;
    zc_reason why;
    zc_buffer *buffer = NULL;
    char **pages = calloc(MOST, sizeof *pages), sentence[256];
    cr_assert_eq(zc_mapped_file_open(&f, write_text("0123456789"), &why), ZC_OK);
    const int64_t count = take_all(pages, MOST);
    const zc_status status = zc_mapped_file_map(&f, ctx->heap, 0, 10, &buffer, &why);
    for (int64_t i = 0; i < count; i++)
        (void)munmap(pages[i], 4096);
    free((void *)pages);
    zc_mapped_file_close(&f);
    (void)unlink(f.path);
    if (count == MOST) { /* a machine that gives more */
        zc_buffer_release(buffer);
    } else {
        cr_expect_eq(status, ZC_ERROR_FILE);
        cr_expect_eq(why.system_error, ENOMEM);
        (void)snprintf(sentence, sizeof sentence, "%s: cannot be mapped: Linux gives a process ", f.path);
        cr_expect_eq(strncmp(why.text, sentence, strlen(sentence)), 0, "%s", why.text);
        cr_expect(strstr(why.text, "vm.max_map_count") != NULL);
    }
    zc_context_free(ctx);
}
