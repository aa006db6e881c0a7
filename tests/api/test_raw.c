/* Elements without a header: a path that says what they are, which parts of a file it names, and bytes as written. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/api/values.h"
#include "tests/support/failing.h"

static const char *file_name(void)
{
    static char name[48];
    (void)snprintf(name, sizeof name, "raw-%ld.bin", (long)getpid());
    return name;
}

/* raw:DETAILS:FILE */
static const char *path_of(const char *details)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "raw:%s:%s", details, file_name());
    return path;
}

static void write_bytes(size_t count)
{
    FILE *file = fopen(file_name(), "wb");
    cr_assert_not_null(file);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(fputc((int)i, file), (int)i);
    cr_assert_eq(fclose(file), 0);
}

/* The bytes are 0, 1 ... 23. */
Test(raw, paths_say_what_elements_are)
{
    static const struct {
        const char *details;
        zc_dtype dtype;
        int64_t first, last, size, shape[3];
        int rank;
    } rows[] = {
        {"uint8:24", ZC_UINT8, 0, 23, 24, {24}, 1},
        {"u1:2x3x4", ZC_UINT8, 0, 23, 24, {2, 3, 4}, 3},
        {"|u1:-1x2@4", ZC_UINT8, 4, 23, 20, {10, 2}, 2},
        {">u1:24", ZC_UINT8, 0, 23, 24, {24}, 1},
        {"<u2:-1", ZC_UINT16, 0x0100, 0x1716, 12, {12}, 1},
        {">u2:12", ZC_UINT16, 0x0001, 0x1617, 12, {12}, 1},
        {">int64:3", ZC_INT64, 0x0001020304050607, 0x1011121314151617, 3, {3}, 1},
        {"<i4:2x-1@16", ZC_INT32, 0x13121110, 0x17161514, 2, {2, 1}, 2},
        {"int16:1@22", ZC_INT16, 0x1716, 0x1716, 1, {1}, 1},
        {"uint8:", ZC_UINT8, 0, 0, 1, {0}, 0},
        {"uint8:@23", ZC_UINT8, 23, 23, 1, {0}, 0},
        {"int8:3x1x-1", ZC_INT8, 0, 23, 24, {3, 1, 8}, 3},
    };
    bench b = begin();
    write_bytes(24);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zc_file_info info;
        const char *path = path_of(rows[i].details);
        const zc_tensor *t = zc_open(b.ctx, path);
        cr_assert_not_null(t, "%s: %s", path, zc_error_text(b.ctx));
        cr_expect_eq(zc_dtype_of(t), rows[i].dtype, "%s", path);
        expect_shape(t, rows[i].rank, rows[i].shape);
        cr_expect_eq(integer_at(t, 0), rows[i].first, "%s", path);
        cr_expect_eq(integer_at(t, rows[i].size - 1), rows[i].last, "%s", path);
        cr_assert_eq(zc_read_info(b.ctx, path, &info), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_expect(info.dtype == rows[i].dtype && info.rank == rows[i].rank, "%s", path);
        cr_expect_eq(info.data_bytes, rows[i].size * (int64_t)zc_dtype_bytes(info.dtype), "%s", path);
        const bool is_swapped = rows[i].details[0] == '>' && zc_dtype_bytes(info.dtype) > 1;
        cr_expect_eq(info.big_endian, is_swapped, "%s", path);
    }
    (void)unlink(file_name());
    finish(b);
}

Test(raw, paths_that_say_no_such_thing_are_refused)
{
    static const char no_shape[] = "is no shape of raw elements; '1000x1000' is one";
    static const struct {
        const char *details, *sentence;
    } rows[] = {
        {">float:3", "'>float' is no dtype of raw elements"},
        {"float:3", "'float' is no dtype of raw elements; 'float32' is one, and '>f4'"},
        {":3", "'' is no dtype of raw elements"},
        {"<:3", "'<' is no dtype of raw elements"},
        {"uint8uint8uint8uint8uint8uint8uint8:24", "'uint8uint8uint8uint8uint8uint8ui' is no dtype"},
        {"u1:24x", no_shape},
        {"u1:x24", no_shape},
        {"u1:4xx6", no_shape},
        {"u1:-1x-1", no_shape},
        {"u1:-2", no_shape},
        {"u1:24 ", no_shape},
        {"u1:99999999999999999999", no_shape},
        {"u1:9223372036854775809", no_shape},
        {"u1:24@", no_shape},
        {"u1:24@x", no_shape},
        {"u1:24@99999999999999999999", no_shape},
        {"u1:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1"
         "x1x1x1x1x1x1x1x1x1x1x1x1",
         no_shape},
        {"u1:5x-1", "-1 stands for whole parts of 5 bytes, and there are 24 bytes"},
        {"u1:0x-1", "-1 beside an extent of 0 stands for no number"},
        {"u1:25", "of data are missing at its end"},
        {"u1:1@24", "of data are missing at its end"},
        {"u1:-1@25", "of data are missing at its end"},
        {"u1:1@9223372036854775807", "of data are missing at its end"},
        {"u1:4611686018427387904x4", "multiply to more than 2^63 - 1"},
        {"f8:2305843009213693952", "2305843009213693952 elements of 8 bytes are more than memory can hold"},
    };
    bench b = begin();
    write_bytes(24);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = path_of(rows[i].details);
        zc_file_info info;
        cr_expect_null(zc_open(b.ctx, path), "%s", path);
        cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_FORMAT, "%s", path);
        const char *text = zc_error_text(b.ctx);
        cr_expect_not_null(strstr(text, rows[i].sentence), "%s: %s", path, text);
        cr_expect_not_null(strstr(text, file_name()), "%s: %s", path, text);
        zc_error_clear(b.ctx);
        cr_expect_eq(zc_read_info(b.ctx, path, &info), ZC_ERROR_FORMAT, "%s", path);
        zc_error_clear(b.ctx);
    }
    (void)unlink(file_name());
    finish(b);
}

Test(raw, files_do_not_say_what_they_are)
{
    bench b = begin();
    write_bytes(24);
    cr_expect_null(zc_open(b.ctx, file_name()));
    cr_expect_not_null(
        strstr(zc_error_text(b.ctx), "raw elements do not say what they are; open it as raw:DTYPE:SHAPE:"), "%s",
        zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    char path[96];
    (void)snprintf(path, sizeof path, "%s:>u2:12", file_name());
    cr_expect_eq(integer_at(zc_open(b.ctx, path), 11), 0x1617);
    (void)snprintf(path, sizeof path, "%s:u1", file_name());
    expect_shape(zc_open(b.ctx, path), 0, NULL);
    (void)unlink(file_name());
    cr_expect_null(zc_open(b.ctx, path_of("u1:24")));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_FILE, "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    finish(b);
}

/* Compares the file with the bytes that zc_copy_to() gives, of every dtype, and reads it again. */
Test(raw, elements_are_written_as_they_are_in_memory)
{
    bench b = begin();
    for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
        const zc_dtype dtype = (zc_dtype)d;
        char details[64];
        unsigned char wanted[96], bytes[sizeof wanted + 1];
        const zc_tensor *t = zc_matrix_transpose(zc_reshape(OF(b.ctx, dtype, 0, 1, 1, 0, 1, 1), ZC_SHAPE(2, 3)));
        const size_t size = 6 * zc_dtype_bytes(dtype);
        cr_assert_eq(zc_copy_to(t, dtype, wanted, size), ZC_OK);
        cr_assert_eq(zc_save(t, file_name()), ZC_OK, "%s", zc_error_text(b.ctx));
        FILE *file = fopen(file_name(), "rb");
        cr_assert_not_null(file);
        cr_expect_eq(fread(bytes, 1, sizeof bytes, file), size);
        (void)fclose(file);
        cr_expect_eq(memcmp(bytes, wanted, size), 0, "%s", zc_dtype_name(dtype));
        (void)snprintf(details, sizeof details, "%s:-1x2", zc_dtype_name(dtype));
        EXPECT(zc_astype(zc_real(zc_open(b.ctx, path_of(details))), ZC_FLOAT64), 0, 0, 1, 1, 1, 1);
    }
    cr_assert_eq(zc_save(zc_full(b.ctx, ZC_SHAPE(0, 3), ZC_FLOAT32, 0), file_name()), ZC_OK);
    expect_shape(zc_open(b.ctx, path_of("float32:-1x3")), 2, (const int64_t[]){0, 3});
    (void)unlink(file_name());
    finish(b);
}

Test(raw, elements_that_no_file_holds_are_refused)
{
    bench b = begin();
    const zc_tensor *t = zc_full(b.ctx, ZC_SHAPE(INT64_C(1) << 61), ZC_FLOAT64, 0);
    cr_expect_eq(zc_save(t, file_name()), ZC_ERROR_OVERFLOW, "%d", (int)zc_error_status(b.ctx));
    cr_expect_not_null(strstr(zc_error_text(b.ctx), "2305843009213693952 elements of 8 bytes"), "%s",
                       zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    cr_expect_neq(access(file_name(), F_OK), 0);
    finish(b);
}

/* Lets each allocation fail in turn, of elements that are mapped, and of some that are swapped. */
Test(raw, files_are_opened_or_not_whichever_allocation_fails)
{
    static const char *const details[] = {"<u4:6", ">u4:6", "bool:24"};
    write_bytes(24);
    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        bool is_open = false;
        for (int64_t k = 1; !is_open; k++) {
            zc_failing state = {0};
            zc_allocator allocator = zc_failing_allocator(&state);
            zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
            state.fail_at = state.calls + k;
            zc_tensor *t = zc_open(ctx, path_of(details[i]));
            is_open = t != NULL;
            cr_expect(is_open || zc_error_status(ctx) == ZC_ERROR_MEMORY, "%s", zc_error_text(ctx));
            zc_release(t);
            zc_context_free(ctx);
            cr_expect(state.blocks == 0 && state.faults == 0, "allocation %lld: memory is left", (long long)k);
        }
    }
    (void)unlink(file_name());
}
