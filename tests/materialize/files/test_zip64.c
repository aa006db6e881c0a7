/* Archives beyond 32 bits, or 16 of a count: what the writer puts into fields of zip64 is what the reader finds there.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "materialize/files/zip_writer.h"
#include "runtime/context/context.h"
#include "tests/api/archives.h"
#include "tests/support/zc_test.h"

static const char *file_name(void)
{
    static char name[48];
    (void)snprintf(name, sizeof name, "zip64-%ld.npz", (long)getpid());
    return name;
}

/* Writes members m0, m1 ... of one array each, which is bytes[i] uint8, all of them i. */
static void write_members(zc_context *ctx, int count, const int64_t *bytes, int64_t most32)
{
    static unsigned char npy[1 << 12], data[1 << 11];
    static char names[1 << 17][16];
    zc_replaced_file f;
    zc_reason why = {.text = ""};
    cr_assert_eq(zc_replaced_file_check(&f, file_name(), &why), ZC_OK, "%s", why.text);
    cr_assert_eq(zc_replaced_file_begin(&f, &ctx->progress, &why), ZC_OK);
    zc_zip_writer *w = zc_zip_writer_new(ctx->heap, &f, count, most32);
    zc_status status = w == NULL ? ZC_ERROR_MEMORY : ZC_OK;
    for (int i = 0; i < count && status == ZC_OK; i++) {
        char dict[100];
        const size_t elements = (size_t)(bytes == NULL ? 1 : bytes[i]);
        (void)snprintf(names[i], sizeof names[i], "m%d", i);
        (void)snprintf(dict, sizeof dict, "{'descr': '|u1', 'fortran_order': False, 'shape': (%zu,), }", elements);
        memset(data, i, elements);
        const size_t whole = npy_of(npy, dict, data, elements);
        status = zc_zip_writer_begin(w, names[i], (int64_t)whole, &why);
        if (status == ZC_OK)
            status = zc_zip_writer_write(w, npy, whole, &why);
        if (status == ZC_OK)
            status = zc_zip_writer_end(w, &why);
    }
    if (status == ZC_OK)
        status = zc_zip_writer_finish(w, &why);
    cr_expect_eq(status, ZC_OK, "%s", why.text);
    zc_zip_writer_free(ctx->heap, w);
    status = zc_replaced_file_close(&f, status, &why);
    cr_assert_eq(zc_replaced_file_end(&f, status, &why), ZC_OK);
}

static void expect_member(zc_context *ctx, int i, int64_t bytes)
{
    unsigned char data[1 << 11];
    char path[80];
    (void)snprintf(path, sizeof path, "%s:m%d", file_name(), i);
    zc_tensor *t = zc_open(ctx, path);
    cr_assert_not_null(t, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_size(t), bytes);
    cr_assert_eq(zc_copy_to(t, ZC_UINT8, data, (size_t)bytes), ZC_OK);
    for (int64_t at = 0; at < bytes; at++)
        cr_assert_eq(data[at], i % 256);
    cr_expect_eq((uintptr_t)zc_data(t) % 64, 0, "member %d is not aligned", i);
    zc_release(t);
}

/* Sizes, places, both and neither are above the limit. */
Test(zip64, holds_what_fields_of_32_bits_do_not)
{
    static const int64_t bytes[] = {10, 900, 2000, 5, 2000}, limits[] = {0, 200, 1000, 2127, 2128, 3000, 5600, 6000};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (size_t limit = 0; limit < sizeof limits / sizeof *limits; limit++) {
        write_members(ctx, 5, bytes, limits[limit]);
        for (int i = 0; i < 5; i++)
            expect_member(ctx, i, bytes[i]);
    }
    (void)unlink(file_name());
    zc_context_free(ctx);
}

static bool count_member(void *user, const char *name, const zc_file_info *info)
{
    (void)name;
    *(int *)user += info != NULL;
    return true;
}

Test(zip64, holds_more_members_than_a_count_of_16_bits)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (int count = 65534; count <= 65535; count++) {
        int members = 0;
        write_members(ctx, count, NULL, zc_zip_most32);
        expect_member(ctx, count - 1, 1);
        cr_expect_eq(zc_read_members(ctx, file_name(), count_member, &members), ZC_OK, "%s", zc_error_text(ctx));
        cr_expect_eq(members, count);
    }
    (void)unlink(file_name());
    zc_context_free(ctx);
}
