/*
 * .npz files, built byte by byte: what is read, what is refused and with which words, and what is written. (NumPy reads
 * and writes them in tests/python/test_files.py.)
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/api/archives.h"
#include "tests/api/values.h"
#include "tests/support/random.h"

#define DICT(descr, order, shape) "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

static archive made; /* by the test that runs */
static unsigned char whole[512];
static const char *const path = "members.npz";

static void write_bytes(const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

static void write_archive(void)
{
    archive_write(&made, path);
}

static char folder[64];

/* Goes into a folder of the test's own. */
static bench begin_in(const char *name)
{
    (void)snprintf(folder, sizeof folder, "npz-%ld-%s", (long)getpid(), name);
    cr_assert(mkdir(folder, 0777) == 0 && chdir(folder) == 0);
    made = (archive){.length = 0};
    return begin();
}

static void finish_in(bench b)
{
    (void)unlink(path);
    finish(b);
    cr_expect(chdir("..") == 0 && rmdir(folder) == 0);
}

/* a, stored: 1, 2; b, deflated, big-endian and by columns: 1 3 / 2 4; c without .npy: true, false. */
static void add_three(void)
{
    size_t length = npy_of(whole, DICT("<i2", "False", "(2,)"), "\1\0\2\0", 4);
    archive_store(&made, "a.npy", whole, length);
    length = npy_of(whole, DICT(">i2", "True", "(2, 2)"), "\0\1\0\2\0\3\0\4", 8);
    archive_deflate(&made, "b.npy", whole, length);
    length = npy_of(whole, DICT("|b1", "False", "(2,)"), "\1\0", 2);
    archive_store(&made, "c", whole, length);
}

static void expect_three(bench b)
{
    EXPECT(zc_open(b.ctx, "members.npz:a"), 1, 2);
    EXPECT(zc_open(b.ctx, "members.npz:a.npy"), 1, 2);
    zc_tensor *x = zc_open(b.ctx, "members.npz:b");
    expect_shape(x, ZC_SHAPE(2, 2));
    EXPECT(x, 1, 3, 2, 4);
    EXPECT(zc_open(b.ctx, "members.npz:c"), 1, 0);
    cr_expect_eq(zc_error_status(b.ctx), ZC_OK, "%s", zc_error_text(b.ctx));
}

Test(npz, members_are_read_stored_and_deflated)
{
    bench b = begin_in("read");
    add_three();
    archive_store(&made, "folder/", "", 0);
    write_archive();
    expect_three(b);
    finish_in(b);
}

Test(npz, with_the_fields_of_zip64_is_read)
{
    bench b = begin_in("zip64");
    made.is_64 = true;
    add_three();
    write_archive();
    expect_three(b);
    finish_in(b);
}

Test(npz, with_a_comment_is_read)
{
    bench b = begin_in("comment");
    add_three();
    archive_finish(&made);
    put_little(made.bytes + made.length - 2, 2, 9);
    memcpy(made.bytes + made.length, "PK\5\6 text", 9);
    write_bytes(made.bytes, made.length + 9);
    expect_three(b);
    finish_in(b);
}

static void expect_told(bench b, const char *member, zc_status status, const char *sentence)
{
    char name[300];
    zc_file_info info;
    (void)snprintf(name, sizeof name, "%s%s%s", path, member[0] != '\0' ? ":" : "", member);
    cr_expect_null(zc_open(b.ctx, name), "%s", sentence);
    cr_expect_eq(zc_error_status(b.ctx), status, "%s, not %s", zc_error_text(b.ctx), sentence);
    cr_expect_not_null(strstr(zc_error_text(b.ctx), sentence), "%s, not %s", zc_error_text(b.ctx), sentence);
    zc_error_clear(b.ctx);
    (void)zc_read_info(b.ctx, name, &info);
    zc_error_clear(b.ctx);
}

Test(npz, of_several_arrays_wants_a_name)
{
    bench b = begin_in("several");
    archive_write(&made, path);
    expect_told(b, "", ZC_ERROR_FORMAT, "open: members.npz: holds no array");
    expect_told(b, "a", ZC_ERROR_FORMAT, "open: members.npz: no array is named 'a'; there is none");
    made = (archive){.length = 0};
    archive_store(&made, "only.npy", whole, npy_of(whole, DICT("<i2", "False", "(2,)"), "\1\0\2\0", 4));
    write_archive();
    EXPECT(zc_open(b.ctx, path), 1, 2);
    made = (archive){.length = 0};
    add_three();
    write_archive();
    expect_told(b, "", ZC_ERROR_FORMAT,
                "open: members.npz: holds several arrays; open one of them as FILE:NAME: a, b, c");
    expect_told(b, "d", ZC_ERROR_FORMAT, "open: members.npz: no array is named 'd'; there are a, b, c");
    made = (archive){.length = 0};
    for (int i = 0; i < 40; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "a-name-of-some-length-%d.npy", i);
        archive_store(&made, name, "", 0);
    }
    write_archive();
    expect_told(b, "", ZC_ERROR_FORMAT, "a-name-of-some-length-0, a-name-of-some-length-1, ");
    expect_told(b, "", ZC_ERROR_FORMAT, " ...");
    finish_in(b);
}

Test(npz, cut_off_anywhere_is_refused)
{
    for (int is_64 = 0; is_64 < 2; is_64++) {
        bench b = begin_in("cut");
        made.is_64 = is_64 != 0;
        add_three();
        archive_finish(&made);
        for (size_t length = 0; length < made.length; length++) {
            write_bytes(made.bytes, length);
            expect_told(b, "b", ZC_ERROR_FORMAT, "open: members.npz");
        }
        finish_in(b);
    }
}

/* Any byte may be any other one: the same array or one of other bytes, or a sentence. */
Test(npz, survives_random_bytes)
{
    zc_skip_of_one_thread();
    zc_random_begin("npz, survives_random_bytes");
    bench b = begin_in("random");
    add_three();
    archive_finish(&made);
    int refused = 0, rounds = 1500;
    for (int round = 0; round < rounds; round++) {
        archive copy = made;
        for (int64_t changes = zc_random_range(1, 3); changes > 0; changes--)
            copy.bytes[zc_random_range(0, (int64_t)copy.length - 1)] = (unsigned char)zc_random_range(0, 255);
        write_bytes(copy.bytes, copy.length);
        zc_tensor *x = zc_open(b.ctx, round % 2 == 0 ? "members.npz:a" : "members.npz:b");
        cr_expect((x == NULL) == (zc_error_status(b.ctx) != ZC_OK));
        refused += x == NULL;
        zc_error_clear(b.ctx);
    }
    cr_expect(refused > rounds / 10 && refused < rounds, "%d", refused);
    finish_in(b);
}

/* ---- Lies ---- */

/* One member, d, whose facts are those of the row. */
static void add_member(archive_member m)
{
    archive_add(&made, m);
}

Test(npz, whose_members_lie_is_refused)
{
    static unsigned char packed[600], longer[600];
    bench b = begin_in("lies");
    const size_t bytes = npy_of(whole, DICT("<i2", "False", "(2,)"), "\1\0\2\0", 4);
    const size_t count = deflated(packed, whole, bytes);
    memcpy(longer, packed, count);
    const uint32_t crc = crc_of(whole, bytes);
    const struct {
        archive_member member;
        const char *sentence;
    } rows[] = {
        {{"d.npy", 0, 12, 0, whole, bytes, bytes, crc}, "members.npz:d.npy: it is packed by method 12; members are"},
        {{"d.npy", 0, 0, 1, whole, bytes, bytes, crc}, "members.npz: 'd.npy' is encrypted"},
        {{"d.npy", 0, 0, 0, whole, bytes, bytes + 1, crc}, "members.npz:d.npy: it has other sizes than its header"},
        {{"d.npy", 0, 0, 0, whole, bytes - 1, bytes - 1, crc}, "1 bytes of data are missing at its end"},
        {{"d.npy", 0, 0, 0, whole, bytes + 1, bytes + 1, crc}, "it has other sizes than its header says"},
        {{"d.npy", 0, 8, 0, packed, count, bytes + 1, crc}, "it has other sizes than its header says"},
        {{"d.npy", 0, 8, 0, packed, count, bytes, crc ^ 1}, "have another check sum than the archive says"},
        {{"d.npy", 0, 8, 0, packed, count - 1, bytes, crc}, "its deflated bytes end too early"},
        {{"d.npy", 0, 8, 0, packed, 20, bytes, crc}, "its deflated bytes end too early"},
        {{"d.npy", 0, 8, 0, packed, 7, bytes, crc}, "its deflated bytes end too early"},
        {{"d.npy", 0, 8, 0, packed, 0, bytes, crc}, "its deflated bytes end too early"},
        {{"d.npy", 0, 8, 0, longer, count + 1, bytes, crc}, "its deflated bytes go on behind the end"},
        {{"d.npy", 0, 8, 0, "\7\0\0", 3, bytes, crc}, "its deflated bytes are malformed"},
        {{"d\0npy", 5, 0, 0, whole, bytes, bytes, crc}, "members.npz: a member's name has a byte of 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        made = (archive){.length = 0};
        add_member(rows[i].member);
        write_archive();
        expect_told(b, "d", ZC_ERROR_FORMAT, rows[i].sentence);
    }
    finish_in(b);
}

/* A deflated member whose stream is right and holds no array, or one of another size. */
Test(npz, of_deflated_headers_that_lie_is_refused)
{
    static const struct {
        char text[16];
        const char *sentence;
    } rows[] = {
        {"\x93NUMPY\1\0\xf0\xff", "end too early"},
        {"\x93NUMPY\4\0\1\0\0\0\0\0", "version 4.0"},
        {"\x93NUMPY\1\0\0\0\0\0\0\0", "the header is too short"},
        {"\x93NUMPY\1\0\4\0{}  ", "the header lacks"},
        {"no array at all", "not a .npy file"},
    };
    bench b = begin_in("headers");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        made = (archive){.length = 0};
        archive_deflate(&made, "d.npy", rows[i].text, 15);
        write_archive();
        expect_told(b, "d", ZC_ERROR_FORMAT, rows[i].sentence);
    }
    finish_in(b);
}

/* Bytes behind a stream that has ended, and a stream that goes on. */
Test(npz, of_deflated_bytes_behind_the_end_is_refused)
{
    static unsigned char packed[600], more[600];
    bench b = begin_in("behind");
    const size_t bytes = npy_of(whole, DICT("<i2", "False", "(2,)"), "\1\0\2\0", 4);
    memcpy(more, whole, bytes);
    const size_t count = deflated(packed, more, bytes + 1);
    add_member((archive_member){
        .name = "d", .method = 8, .data = packed, .packed = count, .bytes = bytes, .crc = crc_of(more, bytes + 1)});
    write_archive();
    expect_told(b, "d", ZC_ERROR_FORMAT, "its deflated bytes go on behind the end");
    const size_t open = deflated(packed, whole, bytes);
    packed[0] = 0; /* no last block, and none behind it */
    add_member((archive_member){
        .name = "o", .method = 8, .data = packed, .packed = open, .bytes = bytes, .crc = crc_of(whole, bytes)});
    write_archive();
    expect_told(b, "o", ZC_ERROR_FORMAT, "its deflated bytes end too early");
    finish_in(b);
}

Test(npz, of_one_name_twice_or_bytes_in_common_is_refused)
{
    bench b = begin_in("twice");
    const size_t bytes = npy_of(whole, DICT("<i2", "False", "(2,)"), "\1\0\2\0", 4);
    archive_store(&made, "d", whole, bytes);
    archive_store(&made, "d", whole, bytes);
    write_archive();
    expect_told(b, "d", ZC_ERROR_FORMAT, "open: members.npz: 'd' is the name of two arrays");
    made = (archive){.length = 0};
    archive_store(&made, "d", whole, bytes);
    archive_store(&made, "e", whole, bytes);
    put_little(made.directory + 46 + 1 + 42, 4, 0);
    write_archive();
    expect_told(b, "d", ZC_ERROR_FORMAT, "have bytes in common");
    put_little(made.bytes + made.length - 22 - 47 + 42, 4, bytes + 30);
    write_bytes(made.bytes, made.length);
    expect_told(b, "d", ZC_ERROR_FORMAT, "have bytes in common");
    finish_in(b);
}

/* Bytes of an archive that are others than they should be: `at` counts from its end, where that is below 0. */
enum { ENTRY = -22 - 47, ENTRY64 = -22 - 76 - 47 - 28, END64 = -22 - 76, LOCATOR = -22 - 20 };
static const struct {
    bool is_64;
    int at, bytes;
    uint64_t number;
    const char *sentence;
} record_lies[] = {
    {false, 0, 4, 0x04034b50, NULL},
    {false, -22, 4, 0, "the end record of a zip archive is missing"},
    {false, -2, 2, 1, "the end record of a zip archive is missing"},
    {false, -22 + 12, 4, 48, "the directory of the archive is not where its end record says"},
    {false, -22 + 12, 4, 0x20000000, "the directory of the archive is not where"},
    {false, -22 + 16, 4, 0xfffffff0, "the directory of the archive is not where"},
    {false, -22 + 10, 2, 2, "the directory of the archive is too short for its entries"},
    {false, -22 + 10, 2, 0, "the directory of the archive goes on behind its entries"},
    {false, -22 + 10, 2, 0xffff, "the directory of the archive is too short for its entries"},
    {false, ENTRY, 4, 0, "an entry of the archive's directory is malformed"},
    {false, ENTRY + 28, 2, 2, "an entry of the archive's directory goes on behind its end"},
    {false, ENTRY + 28, 2, 0, "the directory of the archive goes on behind its entries"},
    {false, ENTRY + 20, 4, 0xffffffff, "an extra field of the archive's directory is malformed"},
    {false, ENTRY + 20, 4, 0xfffffffe, "'d' lies outside of the archive's members"},
    {false, ENTRY + 42, 4, 300, "'d' lies outside of the archive's members"},
    {false, ENTRY + 42, 4, 1, "'d' lies outside of the archive's members"},
    {false, ENTRY + 20, 4, 130, "2 bytes of data are missing at its end"},
    {false, ENTRY + 10, 2, 8, "the local header of 'd' is not what the directory says"},
    {false, 4, 2, 7, NULL},
    {false, 8, 2, 8, "the local header of 'd' is not what the directory says"},
    {false, 26, 2, 2, "the local header of 'd' is not what the directory says"},
    {false, 28, 2, 9, "the local header of 'd' is not what the directory says"},
    {true, END64, 4, 0, "the archive lacks the end record of zip64"},
    {true, LOCATOR, 4, 0, "the archive lacks the end record of zip64"},
    {true, LOCATOR + 8, 8, 1, "the archive lacks the end record of zip64"},
    {true, END64 + 48, 8, UINT64_MAX, "the directory of the archive is not where"},
    {true, END64 + 32, 8, UINT64_MAX, "the directory of the archive is too short for its entries"},
    {true, ENTRY64 + 49, 2, 25, "an extra field of the archive's directory is malformed"},
    {true, ENTRY64 + 47, 2, 7, "an extra field of the archive's directory is malformed"},
    {true, ENTRY64 + 49, 2, 16, "an extra field of the archive's directory is malformed"},
    {true, ENTRY64 + 49, 2, 8, "an extra field of the archive's directory is malformed"},
    {true, ENTRY64 + 49, 2, 0, "an extra field of the archive's directory is malformed"},
    {true, ENTRY64 + 51, 8, UINT64_MAX, "'d' lies outside of the archive's members"},
    {true, ENTRY64 + 59, 8, UINT64_MAX, "'d' lies outside of the archive's members"},
    {true, ENTRY64 + 67, 8, UINT64_MAX, "'d' lies outside of the archive's members"},
    {true, ENTRY64 + 59, 8, INT64_MAX, "'d' lies outside of the archive's members"},
};

Test(npz, of_records_that_lie_is_refused)
{
    bench b = begin_in("records");
    const size_t bytes = npy_of(whole, DICT("<i2", "False", "(2,)"), "\1\0\2\0", 4);
    for (size_t i = 0; i < sizeof record_lies / sizeof *record_lies; i++) {
        made = (archive){.is_64 = record_lies[i].is_64};
        archive_store(&made, "d", whole, bytes);
        archive_finish(&made);
        unsigned char *at = made.bytes + (record_lies[i].at < 0 ? (int)made.length : 0) + record_lies[i].at;
        put_little(at, record_lies[i].bytes, record_lies[i].number);
        write_bytes(made.bytes, made.length);
        if (record_lies[i].sentence != NULL)
            expect_told(b, "d", ZC_ERROR_FORMAT, record_lies[i].sentence);
        else
            EXPECT(zc_open(b.ctx, "members.npz:d"), 1, 2);
    }
    finish_in(b);
}

/* The size that a header promises counts against the limit before a byte is inflated. */
Test(npz, that_would_burst_is_refused)
{
    static unsigned char packed[600];
    bench b = begin_in("bomb");
    bench small = begin_with((zc_options){.memory_limit = 1 << 16});
    const size_t bytes = npy_of(whole, DICT("<i2", "False", "(50000,)"), "", 0);
    add_member((archive_member){
        .name = "d", .method = 8, .data = packed, .packed = deflated(packed, whole, bytes), .bytes = bytes + 100000});
    write_archive();
    cr_expect_null(zc_open(small.ctx, "members.npz:d"));
    cr_expect_eq(zc_error_status(small.ctx), ZC_ERROR_BUDGET, "%s", zc_error_text(small.ctx));
    cr_expect(zc_memory_usage(small.ctx).peak_bytes < 1 << 16);
    finish(small);
    finish_in(b);
}

/* ---- Written ---- */

Test(npz, members_are_mapped_where_they_are_aligned)
{
    bench b = begin_in("mapped");
    zc_tensor *x = zc_iota(b.ctx, 1000), *truths = zc_greater(x, zc_square(zc_add(x, x)));
    const char *const names[] = {"t", "x"};
    cr_assert_eq(zc_save_members(2, (const zc_tensor *const[]){truths, x}, names, path), ZC_OK);
    const int64_t held = zc_memory_usage(b.ctx).held_bytes;
    zc_tensor *back = zc_open(b.ctx, "members.npz:x");
    cr_assert_not_null(back, "%s", zc_error_text(b.ctx));
    cr_expect_eq(zc_memory_usage(b.ctx).held_bytes, held, "a copy was made");
    cr_expect(integer_at(back, 999) == 999 && (uintptr_t)zc_data(back) % 64 == 0);
    cr_expect_eq(zc_dtype_of(zc_open(b.ctx, "members.npz:t")), ZC_BOOL);
    finish_in(b);
}

Test(npz, of_one_array_names_it_as_numpy_does)
{
    bench b = begin_in("one");
    cr_assert_eq(zc_save(zc_iota(b.ctx, 3), path), ZC_OK, "%s", zc_error_text(b.ctx));
    EXPECT(zc_open(b.ctx, path), 0, 1, 2);
    EXPECT(zc_open(b.ctx, "members.npz:arr_0"), 0, 1, 2);
    cr_expect_eq(zc_save(zc_astype(zc_iota(b.ctx, 3), ZC_BFLOAT16), path), ZC_ERROR_DTYPE);
    cr_expect_not_null(strstr(zc_error_text(b.ctx), "save: a .npz file holds no bfloat16"));
    EXPECT(zc_open(b.ctx, path), 0, 1, 2);
    finish_in(b);
}

/* More members than 16 bits count. */
Test(npz, of_very_many_members_has_the_fields_of_zip64)
{
    enum { COUNT = 65536 };
    static const zc_tensor *tensors[COUNT];
    static const char *names[COUNT];
    static char texts[COUNT][8];
    bench b = begin_in("many");
    zc_tensor *x = result_of(zc_iota(b.ctx, 1));
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "m%d", i);
        names[i] = texts[i];
        tensors[i] = x;
    }
    cr_assert_eq(zc_save_members(COUNT, tensors, names, path), ZC_OK, "%s", zc_error_text(b.ctx));
    EXPECT(zc_open(b.ctx, "members.npz:m65535"), 0);
    EXPECT(zc_open(b.ctx, "members.npz:m0"), 0);
    finish_in(b);
}
