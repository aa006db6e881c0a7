/* .npy files: every version and layout that is accepted, every way to be malformed, and saving without losing anything.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/api/values.h"

enum { ROOM = 1 << 17 };

/* Writes a file from a header text, padded to `padded` bytes, and data. version 0 writes the header without a prefix.
 */
static const char *write_npy(const char *name, int version, const char *dict, size_t padded, const void *data,
                             size_t bytes)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "npy-%ld-%s.npy", (long)getpid(), name);
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f);
    size_t prefix = version == 1 ? 10 : 12, length = strlen(dict) > padded ? strlen(dict) : padded;
    unsigned char head[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)version, 0};
    for (int i = 0; i < 4; i++)
        head[8 + i] = (unsigned char)(length >> (8 * i));
    (void)fwrite(head, 1, prefix, f);
    (void)fprintf(f, "%-*s", (int)length, dict);
    if (bytes > 0)
        (void)fwrite(data, 1, bytes, f);
    (void)fclose(f);
    return path;
}

#define DICT(descr, order, shape) "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

Test(npy, versions_orders_and_byte_orders_read_alike)
{
    bench b = begin();
    const float little[6] = {0, 1, 2, 3, 4, 5};
    unsigned char big[24];
    for (int i = 0; i < 24; i++)
        big[i] = ((const unsigned char *)little)[i / 4 * 4 + 3 - i % 4];
    const float fortran[6] = {0, 3, 1, 4, 2, 5};
    const char *path[5];
    zc_npy_info info;
    static char names[5][128];
    for (int v = 1; v <= 3; v++)
        path[v - 1] = strcpy(names[v - 1], write_npy((const char[]){(char)('0' + v), 0}, v,
                                                     DICT("<f4", "False", "(2, 3)"), v == 1 ? 118 : 116, little, 24));
    path[3] = strcpy(names[3], write_npy("big", 1, DICT(">f4", "False", "(2, 3)"), 118, big, 24));
    path[4] = strcpy(names[4], write_npy("fortran", 1, DICT("<f4", "True", "(2, 3)"), 118, fortran, 24));
    for (int i = 0; i < 5; i++) {
        zc_tensor *t = zc_npy_open(b.ctx, path[i]);
        cr_assert_not_null(t, "%s", zc_error_text(b.ctx));
        for (int k = 0; k < 6; k++)
            cr_assert_eq(value_at(t, k), k, "file %d", i);
        cr_assert_eq(zc_npy_read_info(b.ctx, path[i], &info), ZC_OK);
        cr_assert_eq(info.dtype, ZC_FLOAT32);
        cr_assert_eq(info.rank, 2);
        cr_assert_eq(info.shape[1], 3);
        cr_assert_eq(info.version, i < 3 ? i + 1 : 1);
        cr_assert_eq(info.big_endian, i == 3);
        cr_assert_eq(info.fortran_order, i == 4);
        cr_assert_eq(info.data_bytes, 24);
        cr_assert_eq(info.header_bytes, 128);
        (void)unlink(path[i]);
    }
    zc_tensor *t = zc_npy_open(b.ctx, write_npy("f", 1, DICT("<f4", "True", "(2, 3)"), 118, fortran, 24));
    cr_assert_eq(zc_strides(t)[0], 1);
    cr_assert_eq(zc_strides(t)[1], 2);
    finish(b);
}

Test(npy, keys_in_any_order_and_old_spellings_are_read)
{
    bench b = begin();
    const int64_t data[3] = {7, 8, 9};
    static const char *const dicts[] = {
        "{'shape': (3,), 'fortran_order': False, 'descr': '<i8'}\n",
        "{\"descr\": \"<i8\", \"fortran_order\": False, \"shape\": (3L,)}",
        "  { 'fortran_order' :True,'shape':( 3 , ) ,\t'descr':'<i8' } ",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 1, 1), }",
        "{'descr': '=i8', 'fortran_order': False, 'shape': (1, 3), }",
    };
    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++) {
        const char *path = write_npy("keys", 1, dicts[i], 70, data, sizeof data);
        zc_tensor *t = zc_npy_open(b.ctx, path);
        cr_assert_not_null(t, "%s: %s", dicts[i], zc_error_text(b.ctx));
        cr_assert_eq(value_at(t, 2), 9);
        (void)unlink(path);
    }
    finish(b);
}

/* A header of odd length: the elements are not aligned, so they are copied. */
Test(npy, misaligned_elements_are_copied)
{
    bench b = begin();
    const double data[2] = {1.5, -2.5};
    const char *path = write_npy("odd", 1, DICT("<f8", "False", "(2,)"), 71, data, sizeof data);
    zc_tensor *t = zc_npy_open(b.ctx, path);
    cr_assert_eq(value_at(t, 1), -2.5);
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes >= 16, true);
    (void)unlink(path);
    finish(b);
}

/* Part by part, in either byte order. In place behind a header that only its parts are aligned to: 10 + 70 bytes. */
Test(npy, complex_numbers_are_read_by_their_parts)
{
    bench b = begin();
    const double little[4] = {1, -2, 3, -4};
    unsigned char big[32];
    for (int i = 0; i < 32; i++)
        big[i] = ((const unsigned char *)little)[i / 8 * 8 + 7 - i % 8];
    const char *path = write_npy("big-complex", 1, DICT(">c16", "False", "(2,)"), 118, big, sizeof big);
    zc_tensor *t = zc_npy_open(b.ctx, path);
    cr_assert_eq(zc_dtype_of(t), ZC_COMPLEX128);
    EXPECT(zc_imag(t), -2, -4);
    EXPECT(zc_real(t), 1, 3);
    (void)unlink(path);
    int64_t held = zc_memory_usage(b.ctx).held_bytes;
    path = write_npy("aligned-complex", 1, DICT("<c16", "False", "(2,)"), 78, little, sizeof little);
    t = zc_npy_open(b.ctx, path);
    cr_assert_eq((uintptr_t)zc_data(t) % 16, 8);
    EXPECT(zc_imag(zc_conj(t)), 2, 4);
    cr_assert_eq(zc_dtype_of(zc_npy_open(b.ctx, path)), ZC_COMPLEX128);
    cr_assert_leq(zc_memory_usage(b.ctx).held_bytes, held + 64); /* what was computed, and no copy of the file */
    (void)unlink(path);
    finish(b);
}

typedef struct malformed {
    const char *dict;
    const char *fragment; /* of the sentence */
} malformed;

Test(npy, malformed_headers_are_refused_with_a_sentence)
{
    static const malformed cases[] = {
        {"", "not a dict"},
        {"[]", "not a dict"},
        {"{'descr': '<f8'", "not a dict"},
        {"{'descr': '<f8', 'fortran_order': False}", "lacks"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x", "goes on"},
        {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", "repeated"},
        {"{'other': '<f8', 'fortran_order': False, 'shape': (1,)}", "'other'"},
        {"{descr: '<f8', 'fortran_order': False, 'shape': (1,)}", "key"},
        {"{'a key that is much too long': 1}", "key"},
        {"{'descr' '<f8'}", "descr"},
        {"{'descr': 5, 'fortran_order': False, 'shape': (1,)}", "descr"},
        {"{'descr': '\\x3cf8', 'fortran_order': False, 'shape': (1,)}", "descr"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", "structured"},
        {DICT("|O", "False", "(1,)"), "pickled"},
        {DICT("f8", "False", "(1,)"), "byte order"},
        {DICT("", "False", "(1,)"), "byte order"},
        {DICT("<f3", "False", "(1,)"), "'<f3' is not supported"},
        {DICT("<c32", "False", "(1,)"), "'<c32' is not supported"},
        {DICT("<U5", "False", "(1,)"), "not supported"},
        {DICT("<f8", "0", "(1,)"), "fortran_order"},
        {DICT("<f8", "False", "1"), "not a tuple"},
        {DICT("<f8", "False", "(1)"), "not a tuple"},
        {DICT("<f8", "False", "(1 2)"), "not a tuple"},
        {DICT("<f8", "False", "(1, 2"), "shape"},
        {DICT("<f8", "False", "(1.5,)"), "not a tuple"},
        {DICT("<f8", "False", "('a',)"), "int64"},
        {DICT("<f8", "False", "(-1,)"), "-1"},
        {DICT("<f8", "False", "(9223372036854775808,)"), "int64"},
        {DICT("<f8", "False", "(4294967296, 4294967296)"), "4294967296"},
        {DICT("<f8", "False", "(0, 4294967296, 4294967296)"), "4294967296"},
        {DICT("<f8", "False", "(2305843009213693952,)"), ""},
        {DICT("<f8", "False", "(1000,)"), "missing"},
        {DICT("<f8", "False",
              "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
              "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
         "rank"},
    };
    bench b = begin();
    const double one = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = write_npy("malformed", 1, cases[i].dict, 0, &one, sizeof one);
        zc_npy_info info;
        cr_assert_null(zc_npy_open(b.ctx, path), "accepted: %s", cases[i].dict);
        cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_FORMAT, "%s: %s", cases[i].dict, zc_error_text(b.ctx));
        cr_assert_not_null(strstr(zc_error_text(b.ctx), cases[i].fragment), "%s: %s", cases[i].dict,
                           zc_error_text(b.ctx));
        cr_assert_eq(zc_npy_read_info(b.ctx, path, &info), ZC_ERROR_FORMAT);
        zc_error_clear(b.ctx);
        (void)unlink(path);
    }
    finish(b);
}

static void expect_not_opened(bench b, const char *path, zc_status status, const char *fragment)
{
    zc_error_clear(b.ctx);
    cr_assert_null(zc_npy_open(b.ctx, path));
    cr_assert_eq(zc_error_status(b.ctx), status, "%s: %s", path, zc_error_text(b.ctx));
    cr_assert_not_null(strstr(zc_error_text(b.ctx), fragment), "%s", zc_error_text(b.ctx));
}

static const char *write_bytes(const char *bytes, size_t count)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "bytes-%ld.npy", (long)getpid());
    FILE *f = fopen(path, "wb");
    (void)fwrite(bytes, 1, count, f);
    (void)fclose(f);
    return path;
}

Test(npy, files_that_are_no_npy_are_refused)
{
    bench b = begin();
    expect_not_opened(b, "no-such-file.npy", ZC_ERROR_FILE, "No such file");
    expect_not_opened(b, ".", ZC_ERROR_FILE, "not a regular file");
    expect_not_opened(b, "/dev/zero", ZC_ERROR_FILE, "not a regular file");
    expect_not_opened(b, write_bytes("", 0), ZC_ERROR_FORMAT, "not a .npy file");
    expect_not_opened(b, write_bytes("\x93NUMPX\x01\0\x05\0{    ", 15), ZC_ERROR_FORMAT, "not a .npy file");
    expect_not_opened(b, write_bytes("\x93NUMPY\x07\0\x05\0{    ", 15), ZC_ERROR_FORMAT, "version 7.0");
    expect_not_opened(b, write_bytes("\x93NUMPY\x01\0\x50\0{    ", 15), ZC_ERROR_FORMAT, "ends inside its header");
    expect_not_opened(b, write_bytes("\x93NUMPY\x02\0\x50\0\0", 11), ZC_ERROR_FORMAT, "ends inside its header");
    expect_not_opened(b, write_bytes("\x93NUMPY\x02\0\xff\xff\xff\xff{", 13), ZC_ERROR_FORMAT, "longer");
    (void)unlink(write_bytes("", 0));
    char fifo[64];
    (void)snprintf(fifo, sizeof fifo, "fifo-%ld", (long)getpid());
    cr_assert_eq(mkfifo(fifo, 0600), 0);
    expect_not_opened(b, fifo, ZC_ERROR_FILE, "not a regular file");
    (void)unlink(fifo);
    zc_error_clear(b.ctx);
    cr_assert_null(zc_npy_open(b.ctx, NULL));
    zc_npy_info info;
    cr_assert_eq(zc_npy_read_info(b.ctx, NULL, &info), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_npy_read_info(b.ctx, "no-such-file.npy", &info), ZC_ERROR_FILE);
    finish(b);
}

Test(npy, converting_copies_count_against_the_limit)
{
    bench b = begin_with((zc_options){.memory_limit = 8});
    const unsigned char data[16] = {0};
    const char *path = write_npy("limit", 1, DICT(">f8", "False", "(2,)"), 70, data, sizeof data);
    expect_not_opened(b, path, ZC_ERROR_BUDGET, "over the limit of 8");
    (void)unlink(path);
    finish(b);
}

/* ---- Saving ---- */

Test(npy, what_is_saved_reads_back_for_every_dtype_and_rank)
{
    bench b = begin();
    static const int64_t shapes[][3] = {{0, 0, 0}, {5, 0, 0}, {2, 3, 0}, {2, 1, 4}};
    char path[64];
    (void)snprintf(path, sizeof path, "roundtrip-%ld.npy", (long)getpid());
    for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
        for (int rank = 0; rank <= 3; rank++) {
            int64_t n = 1;
            for (int i = 0; i < rank; i++)
                n *= shapes[rank][i];
            zc_tensor *t = zc_astype(zc_reshape(zc_iota(b.ctx, n), rank, shapes[rank]), (zc_dtype)d);
            t = d >= ZC_COMPLEX64 ? zc_multiply(t, zc_weak_complex(b.ctx, 1, -2)) : t;
            if (d == ZC_BFLOAT16)
                continue; /* the next test */
            cr_assert_eq(zc_npy_save(t, path), ZC_OK, "%s", zc_error_text(b.ctx));
            zc_tensor *back = zc_npy_open(b.ctx, path);
            cr_assert_eq(zc_dtype_of(back), (zc_dtype)d);
            cr_assert_eq(zc_rank(back), rank);
            for (int64_t i = 0; i < n; i++)
                cr_assert(value_at(back, i) == (d == ZC_BOOL ? i != 0 : i) &&
                          value_at(zc_imag(back), i) == (d >= ZC_COMPLEX64 ? -2 * i : 0));
        }
    }
    (void)unlink(path);
    finish(b);
}

/* Byte for byte what numpy.save writes for arange(6, dtype=float32).reshape(2, 3). */
Test(npy, the_header_is_numpys_own)
{
    static const char wanted[] = "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    bench b = begin();
    char path[64], bytes[160];
    (void)snprintf(path, sizeof path, "header-%ld.npy", (long)getpid());
    cr_assert_eq(zc_npy_save(zc_astype(zc_reshape(zc_iota(b.ctx, 6), ZC_SHAPE(2, 3)), ZC_FLOAT32), path), ZC_OK);
    FILE *f = fopen(path, "rb");
    cr_assert_eq(fread(bytes, 1, sizeof bytes, f), 128 + 24);
    (void)fclose(f);
    cr_assert_eq(memcmp(bytes, wanted, sizeof wanted - 1), 0);
    for (size_t i = sizeof wanted - 1; i < 127; i++)
        cr_assert_eq(bytes[i], ' ');
    cr_assert_eq(bytes[127], '\n');
    (void)unlink(path);
    finish(b);
}

/* Two elements of a dtype as a big-endian machine writes them, byte by byte; the real parts of both, and then the
 * imaginary ones. */
typedef struct big_endian {
    const char *dict;
    zc_dtype dtype;
    size_t item;
    unsigned char bytes[32];
    double values[4];
} big_endian;

Test(npy, big_endian_files_of_every_dtype)
{
    static const big_endian rows[] = {
        {DICT("|b1", "False", "(2,)"), ZC_BOOL, 1, {1, 0}, {1, 0}},
        {DICT("|i1", "False", "(2,)"), ZC_INT8, 1, {0x7f, 0xfe}, {127, -2}},
        {DICT("|u1", "False", "(2,)"), ZC_UINT8, 1, {0x7f, 0xfe}, {127, 254}},
        {DICT(">i2", "False", "(2,)"), ZC_INT16, 2, {1, 2, 0xff, 0xfe}, {258, -2}},
        {DICT(">u2", "False", "(2,)"), ZC_UINT16, 2, {1, 2, 0xff, 0xfe}, {258, 65534}},
        {DICT(">i4", "False", "(2,)"), ZC_INT32, 4, {0, 1, 2, 3, 0xff, 0xff, 0xff, 0xfe}, {66051, -2}},
        {DICT(">u4", "False", "(2,)"), ZC_UINT32, 4, {0, 1, 2, 3, 0xff, 0xff, 0xff, 0xfe}, {66051, 4294967294}},
        {DICT(">i8", "False", "(2,)"), ZC_INT64, 8, {0, 0, 0, 0, 0, 1, 2, 3, 0x80}, {66051, -0x1p63}},
        {DICT(">u8", "False", "(2,)"), ZC_UINT64, 8, {0, 0, 0, 0, 0, 1, 2, 3, 0x80}, {66051, 0x1p63}},
        {DICT(">f2", "False", "(2,)"), ZC_FLOAT16, 2, {0x3e, 0, 0x80, 1}, {1.5, -0x1p-24}},
        {DICT(">f4", "False", "(2,)"),
         ZC_FLOAT32,
         4,
         {0x3f, 0xc0, 0, 0, 0xc0, 0x49, 0x0f, 0xdb},
         {1.5, -0x1.921fb6p+1}},
        {DICT(">f8", "False", "(2,)"),
         ZC_FLOAT64,
         8,
         {0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0xc0, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18},
         {1.5, -0x1.921fb54442d18p+1}},
        {DICT(">c8", "False", "(2,)"),
         ZC_COMPLEX64,
         8,
         {0x3f, 0xc0, 0, 0, 0xc0, 0x49, 0x0f, 0xdb, 0x3f, 0x80, 0, 0, 0x40, 0, 0, 0},
         {1.5, 1, -0x1.921fb6p+1, 2}},
        {DICT(">c16", "False", "(2,)"),
         ZC_COMPLEX128,
         16,
         {0x3f, 0xf8, 0,    0,    0,    0, 0, 0, 0xc0, 0x09, 0x21, 0xfb, 0x54,
          0x44, 0x2d, 0x18, 0x3f, 0xf0, 0, 0, 0, 0,    0,    0,    0x40},
         {1.5, 1, -0x1.921fb54442d18p+1, 2}}};
    bench b = begin();
    cr_assert_eq(sizeof rows / sizeof *rows, ZC_DTYPE_COUNT - 1, "all but bfloat16, which .npy does not have");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = write_npy("bytes", 1, rows[i].dict, 118, rows[i].bytes, 2 * rows[i].item);
        zc_tensor *t = zc_npy_open(b.ctx, path);
        cr_assert_not_null(t, "%s", zc_error_text(b.ctx));
        cr_assert_eq(zc_dtype_of(t), rows[i].dtype);
        for (int k = 0; k < 2; k++) {
            cr_assert_eq(value_at(zc_real(t), k), rows[i].values[k], "%s", zc_dtype_name(rows[i].dtype));
            cr_assert_eq(value_at(zc_imag(t), k), rows[i].values[2 + k], "%s", zc_dtype_name(rows[i].dtype));
        }
        (void)unlink(path);
    }
    finish(b);
}

Test(npy, float16_is_read_in_either_byte_order)
{
    bench b = begin();
    const unsigned char little[4] = {0x00, 0x3e, 0x01, 0x80}, big[4] = {0x3e, 0x00, 0x80, 0x01};
    for (int i = 0; i < 2; i++) {
        const char *dict = i == 0 ? DICT("<f2", "False", "(2,)") : DICT(">f2", "False", "(2,)");
        const char *path = write_npy("half", 1, dict, 70, i == 0 ? little : big, 4);
        zc_tensor *t = zc_npy_open(b.ctx, path);
        cr_assert(t != NULL && zc_dtype_of(t) == ZC_FLOAT16, "%s", zc_error_text(b.ctx));
        cr_assert_eq(value_at(t, 0), 1.5);
        cr_assert_eq(value_at(t, 1), -0x1p-24);
        (void)unlink(path);
    }
    finish(b);
}

Test(npy, bfloat16_is_refused_with_advice)
{
    bench b = begin();
    cr_assert_eq(zc_npy_save(OF(b.ctx, ZC_BFLOAT16, 1), "bfloat16.npy"), ZC_ERROR_DTYPE);
    cr_assert_str_eq(zc_error_text(b.ctx),
                     "npy_save: a .npy file holds no bfloat16; save the elements as float32, or their bits as uint16");
    cr_assert_neq(access("bfloat16.npy", F_OK), 0);
    finish(b);
}

static int64_t files_in(const char *path)
{
    int64_t count = 0;
    DIR *folder = opendir(path);
    cr_assert_not_null(folder);
    while (readdir(folder) != NULL)
        count++;
    (void)closedir(folder);
    return count;
}

static void expect_not_saved(bench b, zc_tensor *t, const char *path, zc_status status, const char *fragment)
{
    zc_error_clear(b.ctx);
    cr_assert_eq(zc_npy_save(t, path), status, "%s", zc_error_text(b.ctx));
    cr_assert_not_null(strstr(zc_error_text(b.ctx), fragment), "%s", zc_error_text(b.ctx));
}

Test(npy, a_failed_save_leaves_the_old_file_and_nothing_else)
{
    bench b = begin_with((zc_options){.memory_limit = 100000});
    char folder[32], path[64];
    (void)snprintf(folder, sizeof folder, "old-%ld", (long)getpid());
    (void)snprintf(path, sizeof path, "%s/x.npy", folder);
    cr_assert_eq(mkdir(folder, 0700), 0);
    zc_tensor *small = zc_iota(b.ctx, 3), *large = zc_cumulative_sum(zc_iota(b.ctx, 100000), 0, false);
    cr_assert_eq(zc_npy_save(small, path), ZC_OK);
    int64_t before = files_in(folder);
    expect_not_saved(b, large, path, ZC_ERROR_BUDGET, "over the limit");
    expect_not_saved(b, small, ".", ZC_ERROR_FILE, "not a regular file");
    expect_not_saved(b, small, "/dev/null", ZC_ERROR_FILE, "not a regular file");
    expect_not_saved(b, small, "no-such-folder/x.npy", ZC_ERROR_FILE, "folder");
    expect_not_saved(b, small, "", ZC_ERROR_FILE, "empty");
    expect_not_saved(b, small, NULL, ZC_ERROR_ARGUMENT, "NULL");
    (void)signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit, none = {.rlim_cur = 200, .rlim_max = RLIM_INFINITY};
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    none.rlim_max = limit.rlim_max;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    expect_not_saved(b, zc_iota(b.ctx, 1000), path, ZC_ERROR_FILE, "cannot be written");
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_eq(files_in(folder), before, "a temporary was left");
    zc_error_clear(b.ctx);
    zc_tensor *back = zc_npy_open(b.ctx, path);
    cr_assert_eq(zc_size(back), 3);
    cr_assert_eq(value_at(back, 2), 2);
    (void)unlink(path);
    cr_assert_eq(rmdir(folder), 0);
    finish(b);
}

Test(npy, replacing_keeps_permissions_and_follows_links)
{
    bench b = begin();
    char path[64], link[64];
    struct stat status;
    (void)snprintf(path, sizeof path, "mode-%ld.npy", (long)getpid());
    (void)snprintf(link, sizeof link, "link-%ld.npy", (long)getpid());
    cr_assert_eq(zc_npy_save(zc_iota(b.ctx, 3), path), ZC_OK);
    cr_assert_eq(chmod(path, 0640), 0);
    cr_assert_eq(symlink(path, link), 0);
    cr_assert_eq(zc_npy_save(zc_iota(b.ctx, 5), link), ZC_OK);
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0640);
    cr_assert_eq(lstat(link, &status), 0);
    cr_assert(S_ISLNK(status.st_mode));
    cr_assert_eq(zc_size(zc_npy_open(b.ctx, path)), 5);
    (void)unlink(path);
    (void)unlink(link);
    finish(b);
}

/* A mapped file is read while it is replaced: the old data stays. */
Test(npy, a_file_can_be_replaced_by_what_is_computed_from_it)
{
    bench b = begin();
    char path[64];
    (void)snprintf(path, sizeof path, "self-%ld.npy", (long)getpid());
    cr_assert_eq(zc_npy_save(zc_iota(b.ctx, 4), path), ZC_OK);
    zc_tensor *x = zc_npy_open(b.ctx, path);
    cr_assert_eq(zc_npy_save(zc_add(x, x), path), ZC_OK);
    cr_assert_eq(value_at(x, 3), 3);
    cr_assert_eq(value_at(zc_npy_open(b.ctx, path), 3), 6);
    (void)unlink(path);
    finish(b);
}
