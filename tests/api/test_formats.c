/*
 * Files of any format: which one a name or the first bytes tell, the same elements back, and what is refused. (How .npy
 * files are read and written in all their forms is test_npy.c's.)
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

static const char *path_of(const char *name)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "formats-%ld-%s", (long)getpid(), name);
    return path;
}

static const char *write_bytes(const char *name, const void *bytes, size_t count)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
    return path;
}

Test(formats, have_names_and_numbers)
{
    cr_assert_geq(zc_file_format_count(), 1);
    cr_expect_str_eq(zc_file_format_name(0), "npy");
    for (int i = 0; i < zc_file_format_count(); i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "a.b/out.%s", zc_file_format_name(i));
        cr_expect_eq(zc_file_format_of(name), i, "%s", name);
    }
    cr_expect_null(zc_file_format_name(-1));
    cr_expect_null(zc_file_format_name(zc_file_format_count()));
}

Test(formats, are_told_by_the_ending)
{
    static const struct {
        const char *path;
        int format;
    } rows[] = {{"x.npy", 0},  {"x.NPY", 0},     {"x", 0},       {"", 0},          {".", 0},        {"a.csv/x", 0},
                {".csv", 0},   {"a/.csv", 0},    {"x.", 0},      {"x.npy~", 0},    {"x.mean", 0},   {"x.csv.npy", 0},
                {"x.xml", -1}, {"x.npy.gz", -1}, {"x.h5", -1},   {"/a/x.Gif", -1}, {".x.json", -1}, {NULL, -1},
                {"csv:x", 3},  {"csv:x.npy", 3}, {"npz:a:b", 1}, {"csv:", 0},      {"raw:x", 7},    {"raw:int8:x", -1},
                {"of:x", 0},   {"npy:x.xls", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(zc_file_format_of(rows[i].path), rows[i].format, "%s", rows[i].path);
}

/* A format before the name is that of the file behind it, whose ending says nothing then. */
Test(formats, are_told_before_the_name)
{
    bench b = begin();
    const zc_tensor *x = zc_astype(zc_iota(b.ctx, 3), ZC_FLOAT64);
    char text[16] = "";
    cr_expect_eq(zc_save(x, "csv:formats_named.npy"), ZC_OK, "%s", zc_error_text(b.ctx));
    FILE *file = fopen("formats_named.npy", "r");
    cr_assert(file != NULL && fread(text, 1, sizeof text - 1, file) > 0 && fclose(file) == 0);
    cr_expect_eq(strncmp(text, "0.0\n1.0\n2.0\n", 12), 0, "%s", text);
    EXPECT(zc_reshape(zc_open(b.ctx, "csv:formats_named.npy"), ZC_SHAPE(3)), 0, 1, 2);
    cr_expect_eq(zc_save(x, "png:formats_named.npy"), ZC_ERROR_DTYPE);
    cr_expect_eq(remove("formats_named.npy"), 0);
    finish(b);
}

Test(formats, give_back_what_was_saved)
{
    static const char *const names[] = {"x.npy", "x", "x.part", "x.npy.new"};
    bench b = begin();
    zc_tensor *x = zc_reshape(zc_astype(zc_iota(b.ctx, 6), ZC_FLOAT32), ZC_SHAPE(2, 3));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = path_of(names[i]);
        zc_file_info info;
        cr_assert_eq(zc_save(zc_multiply(x, x), path), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_assert_eq(zc_read_info(b.ctx, path, &info), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_expect_str_eq(info.format, "npy");
        cr_expect(info.dtype == ZC_FLOAT32 && info.rank == 2 && info.shape[0] == 2 && info.shape[1] == 3);
        cr_expect(info.version == 1 && !info.fortran_order && !info.big_endian && info.data_bytes == 24);
        zc_tensor *back = zc_open(b.ctx, path);
        EXPECT(back, 0, 1, 4, 9, 16, 25);
        zc_npy_info npy;
        cr_expect_eq(zc_npy_read_info(b.ctx, path, &npy), ZC_OK);
        cr_expect(npy.header_bytes == info.header_bytes && npy.version == info.version);
        (void)unlink(path);
    }
    finish(b);
}

static void expect_told(bench b, zc_status status, zc_status wanted, const char *sentence)
{
    cr_expect_eq(status, wanted, "%s", sentence);
    cr_expect_eq(zc_error_status(b.ctx), wanted, "%s", sentence);
    cr_expect_not_null(strstr(zc_error_text(b.ctx), sentence), "%s, not %s", zc_error_text(b.ctx), sentence);
    zc_error_clear(b.ctx);
}

/* Both ways to read: refused with the same words, each in its own name. */
static void expect_unreadable(bench b, const char *path, zc_status wanted, const char *fragment)
{
    zc_file_info info;
    char sentence[256];
    (void)snprintf(sentence, sizeof sentence, "read_info: %s: %s", path, fragment);
    expect_told(b, zc_read_info(b.ctx, path, &info), wanted, sentence);
    cr_expect_null(zc_open(b.ctx, path));
    (void)snprintf(sentence, sizeof sentence, "open: %s: %s", path, fragment);
    expect_told(b, zc_error_status(b.ctx), wanted, sentence);
}

Test(formats, of_no_format_are_refused)
{
    static const char whole[] = "\x93NUMPY\x01\x00\x46\x00{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }"
                                "            \n\1\0\2\0";
    enum { WHOLE = 84 };
    bench b = begin();
    static const char *const others[] = {"", "\x93", "\x93NUMP", "1,2,3\n4,5,6\n", "\x93NUMPX\1"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect_unreadable(b, write_bytes("other", others[i], strlen(others[i])), ZC_ERROR_FORMAT, "not a .npy, ");
    for (size_t length = 6; length < WHOLE; length++)
        expect_unreadable(b, write_bytes("cut", whole, length), ZC_ERROR_FORMAT, "");
    expect_unreadable(b, write_bytes("cut", whole, WHOLE - 1), ZC_ERROR_FORMAT,
                      "1 bytes of data are missing at its end");
    zc_tensor *x = zc_open(b.ctx, write_bytes("cut", whole, WHOLE));
    EXPECT(x, 1, 2);
    (void)unlink(path_of("cut"));
    (void)unlink(path_of("other"));
    finish(b);
}

/* A header that begins well and goes on with anything: a tensor or a sentence. */
Test(formats, survive_random_bytes)
{
    zc_skip_of_one_thread();
    bench b = begin();
    zc_random_begin("formats, survive_random_bytes");
    int refused = 0;
    for (int round = 0; round < 2000; round++) {
        unsigned char bytes[200] = "\x93NUMPY\x01\x00\x46\x00{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }";
        for (size_t i = 10 + strlen((const char *)bytes + 10); i < sizeof bytes; i++)
            bytes[i] = ' ';
        int64_t changes = zc_random_range(0, 3);
        for (int64_t c = 0; c < changes; c++)
            bytes[zc_random_range(0, 90)] = (unsigned char)zc_random_range(0, 255);
        const char *path = write_bytes("random", bytes, (size_t)zc_random_range(60, sizeof bytes));
        zc_tensor *x = zc_open(b.ctx, path);
        cr_expect((x == NULL) == (zc_error_status(b.ctx) != ZC_OK));
        cr_expect(x != NULL || strncmp(zc_error_text(b.ctx), "open: formats-", 14) == 0, "%s", zc_error_text(b.ctx));
        refused += x == NULL;
        zc_error_clear(b.ctx);
    }
    cr_expect(refused > 200 && refused < 1800, "%d", refused);
    (void)unlink(path_of("random"));
    finish(b);
}

Test(formats, are_looked_for_in_regular_files_only)
{
    bench b = begin();
    const char *path = path_of("pipe");
    cr_assert_eq(mkfifo(path, 0600), 0);
    expect_unreadable(b, path, ZC_ERROR_FILE, "not a regular file");
    (void)unlink(path);
    expect_unreadable(b, path, ZC_ERROR_FILE, "cannot be opened: No such file or directory");
    cr_expect_eq(zc_error_errno(b.ctx), 0, "forgotten with the failure");
    cr_expect_null(zc_open(b.ctx, path));
    cr_expect_eq(zc_error_errno(b.ctx), ENOENT);
    zc_error_clear(b.ctx);
    cr_expect_null(zc_open(b.ctx, "/"));
    cr_expect_eq(zc_error_errno(b.ctx), EISDIR);
    zc_error_clear(b.ctx);
    zc_tensor *x = zc_iota(b.ctx, 3);
    static const struct {
        const char *path;
        int number;
    } unwritable[] = {{"", ENOENT}, {"/", EISDIR}, {"/dev/null", 0}, {"no-such-folder/x.npy", ENOENT}};
    for (size_t i = 0; i < sizeof unwritable / sizeof unwritable[0]; i++) {
        cr_expect_eq(zc_npy_save(x, unwritable[i].path), ZC_ERROR_FILE);
        cr_expect_eq(zc_error_errno(b.ctx), unwritable[i].number, "%s", zc_error_text(b.ctx));
        zc_error_clear(b.ctx);
    }
    expect_unreadable(b, "/", ZC_ERROR_FILE, "not a regular file");
    expect_unreadable(b, "/dev/null", ZC_ERROR_FILE, "not a regular file");
    finish(b);
}

/* Refused by the name, the dtype or the folder: nothing is computed, and no file is made. */
Test(formats, refuse_before_anything_is_computed)
{
    bench b = begin();
    zc_tensor *x = zc_square(zc_iota(b.ctx, 1000));
    int64_t peak = zc_memory_usage(b.ctx).peak_bytes;
    expect_told(b, zc_save(x, "out.xls"), ZC_ERROR_FORMAT, "save: out.xls: results are written as .npy, ");
    expect_told(b, zc_save(x, "a/out.npy.GZ"), ZC_ERROR_FORMAT, "save: a/out.npy.GZ: results are written as .npy, ");
    expect_told(b, zc_save(zc_astype(x, ZC_BFLOAT16), "out"), ZC_ERROR_DTYPE, "save: a .npy file holds no bfloat16");
    expect_told(b, zc_save(x, "no-such-folder/x"), ZC_ERROR_FILE, "save: no-such-folder/x: its folder");
    expect_told(b, zc_save(x, "."), ZC_ERROR_FILE, "save: .: not a regular file");
    expect_told(b, zc_save(x, "/dev/null"), ZC_ERROR_FILE, "save: /dev/null: not a regular file");
    expect_told(b, zc_save(x, ""), ZC_ERROR_FILE, "save: the path is empty");
    expect_told(b, zc_save(x, NULL), ZC_ERROR_ARGUMENT, "save: the path is NULL");
    cr_expect_eq(zc_memory_usage(b.ctx).peak_bytes, peak, "something was computed");
    cr_expect(access("out.xls", F_OK) != 0 && access("out", F_OK) != 0);
    finish(b);
}

Test(formats, need_arguments)
{
    bench b = begin();
    zc_file_info info;
    cr_expect_null(zc_open(NULL, "x"));
    cr_expect_eq(zc_read_info(NULL, "x", &info), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_save(NULL, "x"), ZC_ERROR_ARGUMENT);
    cr_expect_null(zc_open(b.ctx, NULL));
    expect_told(b, zc_error_status(b.ctx), ZC_ERROR_ARGUMENT, "open: the path is NULL");
    expect_told(b, zc_read_info(b.ctx, NULL, &info), ZC_ERROR_ARGUMENT, "read_info: the path or");
    expect_told(b, zc_read_info(b.ctx, "x", NULL), ZC_ERROR_ARGUMENT, "read_info: the path or");
    finish(b);
}

/* The file that is read is replaced: what was mapped stays. */
Test(formats, are_replaced_by_what_is_computed_from_them)
{
    bench b = begin();
    const char *path = path_of("self");
    cr_assert_eq(zc_save(zc_iota(b.ctx, 3), path), ZC_OK);
    zc_tensor *x = zc_open(b.ctx, path);
    cr_assert_eq(zc_save(zc_add(x, x), path), ZC_OK, "%s", zc_error_text(b.ctx));
    EXPECT(x, 0, 1, 2);
    EXPECT(zc_open(b.ctx, path), 0, 2, 4);
    (void)unlink(path);
    finish(b);
}
