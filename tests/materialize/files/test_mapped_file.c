/* Files in memory: what lies in the file and nothing beyond it, for longer than the file is open or has its name. */
#include <stdio.h>
#include <string.h>
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
    cr_expect_eq(zc_mapped_file_check(&f, 4, 9, &why), ZC_ERROR_FORMAT);
    char sentence[128];
    (void)snprintf(sentence, sizeof sentence, "%s: 3 bytes of data are missing at its end", f.path);
    cr_expect_str_eq(why.text, sentence);
    zc_mapped_file_close(&f);
    (void)unlink(f.path);
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
