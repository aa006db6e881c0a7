/* Bools in memory that others wrote: every byte but 0 is true, and what zerocast writes itself is 0 or 1. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/api/values.h"

enum { COUNT = 256 };

/* Every byte there is. */
static const unsigned char *every_byte(void)
{
    static unsigned char bytes[COUNT];
    for (int i = 0; i < COUNT; i++)
        bytes[i] = (unsigned char)i;
    return bytes;
}

static zc_tensor *foreign(zc_context *ctx)
{
    return zc_import(ctx, ZC_BOOL, ZC_SHAPE(COUNT), NULL, 0, every_byte(), COUNT, NULL, NULL);
}

static void expect_truths(const unsigned char *bytes, int64_t count, const char *what)
{
    for (int64_t i = 0; i < count; i++)
        cr_assert_eq(bytes[i], i % COUNT == 0 ? 0 : 1, "%s: element %d is %d", what, (int)i, bytes[i]);
}

/* The data of the file, which is as long as that. */
static void expect_saved(const zc_tensor *t, int64_t count, const char *what)
{
    static unsigned char file[1 << 18];
    char path[64];
    (void)snprintf(path, sizeof path, "bools-%ld.npy", (long)getpid());
    cr_assert_eq(zc_npy_save(t, path), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f);
    size_t length = fread(file, 1, sizeof file, f);
    (void)fclose(f);
    (void)unlink(path);
    cr_assert_eq(length, 128 + (size_t)count, "%s: %zu bytes", what, length);
    expect_truths(file + 128, count, what);
}

Test(bools, are_saved_as_0_and_1)
{
    static unsigned char large[600 * COUNT]; /* several pieces of what is written at a time */
    bench b = begin();
    expect_saved(foreign(b.ctx), COUNT, "in place");
    for (int i = 0; i < 600; i++)
        memcpy(large + (size_t)i * COUNT, every_byte(), COUNT);
    expect_saved(zc_import(b.ctx, ZC_BOOL, ZC_SHAPE(600, COUNT), NULL, 0, large, sizeof large, NULL, NULL),
                 sizeof large, "large");
    expect_saved(
        zc_bitcast(zc_import(b.ctx, ZC_UINT8, ZC_SHAPE(COUNT), NULL, 0, every_byte(), COUNT, NULL, NULL), ZC_BOOL),
        COUNT, "bits of another dtype");
    expect_saved(zc_broadcast_to(foreign(b.ctx), ZC_SHAPE(2, COUNT)), 2 * COUNT, "a broadcast");
    finish(b);
}

/* From a file to a file, as the command does it. */
Test(bools, that_are_mapped_are_saved_as_0_and_1)
{
    bench b = begin();
    char path[64];
    (void)snprintf(path, sizeof path, "mapped-%ld.npy", (long)getpid());
    cr_assert_eq(
        zc_npy_save(zc_import(b.ctx, ZC_UINT8, ZC_SHAPE(COUNT), NULL, 0, every_byte(), COUNT, NULL, NULL), path),
        ZC_OK);
    FILE *f = fopen(path, "r+b");
    cr_assert_not_null(f);
    char header[128];
    cr_assert_eq(fread(header, 1, sizeof header, f), sizeof header);
    char *code = strstr(header + 10, "|u1");
    cr_assert_not_null(code);
    cr_assert_eq(fseek(f, (long)(code - header), SEEK_SET), 0);
    (void)fputs("|b1", f);
    (void)fclose(f);
    zc_tensor *mapped = zc_npy_open(b.ctx, path);
    cr_assert_eq(zc_dtype_of(mapped), ZC_BOOL);
    cr_assert_eq(((const unsigned char *)zc_data(mapped))[7], 7, "it is not shown in place");
    expect_saved(mapped, COUNT, "mapped");
    (void)unlink(path);
    finish(b);
}

Test(bools, that_are_copied_in_are_0_and_1)
{
    bench b = begin();
    expect_truths(zc_data(zc_from_data(b.ctx, ZC_BOOL, ZC_SHAPE(COUNT), every_byte(), COUNT)), COUNT, "from_data");
    for (zc_executor e = ZC_EXECUTOR_TILE; e <= ZC_EXECUTOR_REFERENCE; e++) {
        zc_options options = {.executor = e};
        zc_context *ctx = zc_context_new(&options);
        for (int i = 0; i < COUNT; i++) {
            zc_tensor *value = zc_constant(ctx, ZC_BOOL, every_byte() + i), *out = NULL;
            cr_assert_eq(zc_materialize(value, &out), ZC_OK);
            cr_assert_eq(*(const unsigned char *)zc_data(out), i != 0, "a constant of byte %d", i);
            zc_release(out);
            zc_release(value);
        }
        zc_context_free(ctx);
    }
    finish(b);
}

/* Whatever is computed or copied; what shows the memory in place shows its bytes. */
Test(bools, that_are_computed_are_0_and_1)
{
    bench b = begin();
    zc_tensor *x = foreign(b.ctx), *out = NULL;
    zc_tensor *const computed[] = {
        zc_copy(x),
        zc_logical_and(x, x),
        zc_where(x, x, x),
        zc_maximum(x, x),
        zc_flip(zc_flip(zc_copy(x), ZC_ALL_AXES), ZC_ALL_AXES),
        zc_concat(b.ctx, 1, (const zc_tensor *const[]){x}, 0),
        zc_astype(zc_astype(x, ZC_UINT8), ZC_BOOL),
        zc_any(zc_expand_dims(x, 0), ZC_AXES(0), false),
        zc_bitcast(zc_copy(x), ZC_UINT8),
        zc_take(x, zc_iota(b.ctx, COUNT), 0),
    };
    for (size_t i = 0; i < sizeof computed / sizeof *computed; i++) {
        cr_assert_eq(zc_materialize(computed[i], &out), ZC_OK, "%s", zc_error_text(b.ctx));
        char what[32];
        (void)snprintf(what, sizeof what, "computed %zu", i);
        expect_truths(zc_data(out), COUNT, what);
    }
    unsigned char target[COUNT];
    cr_assert_eq(zc_materialize_into(x, target, sizeof target, NULL, 0), ZC_OK);
    expect_truths(target, COUNT, "materialize_into");
    cr_expect_eq(memcmp(zc_data(zc_bitcast(x, ZC_UINT8)), every_byte(), COUNT), 0, "bytes are as they stand");
    cr_expect_eq(zc_data(x), (const void *)every_byte());
    finish(b);
}
