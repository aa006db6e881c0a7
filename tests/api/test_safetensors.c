/*
 * .safetensors files, built byte by byte: what is read, what is refused and with which words, and what is written. (The
 * library of that name reads and writes them in tests/python/test_files.py.)
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/api/archives.h"
#include "tests/api/values.h"
#include "tests/support/random.h"

static const char *const path = "m.safetensors";
static char folder[64];
static unsigned char made[1 << 13];

/* Goes into a folder of the test's own. */
static bench begin_in(const char *name)
{
    (void)snprintf(folder, sizeof folder, "safetensors-%ld-%s", (long)getpid(), name);
    cr_assert(mkdir(folder, 0777) == 0 && chdir(folder) == 0);
    return begin();
}

static void finish_in(bench b)
{
    (void)unlink(path);
    finish(b);
    cr_expect(chdir("..") == 0 && rmdir(folder) == 0);
}

static void write_bytes(const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

/* Makes a file of that header and data; returns its bytes. */
static size_t make(const char *header, const void *data, size_t bytes)
{
    const size_t length = strlen(header);
    put_little(made, 8, length);
    memcpy(made + 8, header, length);
    if (bytes > 0)
        memcpy(made + 8 + length, data, bytes);
    return 8 + length + bytes;
}

static void write_file(const char *header, const void *data, size_t bytes)
{
    write_bytes(made, make(header, data, bytes));
}

static void expect_told(bench b, const char *member, const char *sentence)
{
    char name[300];
    zc_file_info info;
    (void)snprintf(name, sizeof name, "%s%s%s", path, member[0] != '\0' ? ":" : "", member);
    cr_expect_null(zc_open(b.ctx, name), "%s", sentence);
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_FORMAT, "%s, not %s", zc_error_text(b.ctx), sentence);
    cr_expect_not_null(strstr(zc_error_text(b.ctx), sentence), "%s, not %s", zc_error_text(b.ctx), sentence);
    zc_error_clear(b.ctx);
    cr_expect_eq(zc_read_info(b.ctx, name, &info), ZC_ERROR_FORMAT);
    zc_error_clear(b.ctx);
}

#define TWO                                                                                                            \
    " {\"__metadata__\" : {\"k\":\"v\", \"\\u00e9\":\"\"},\n\t\"a\":{\"dtype\":\"I16\",\"shape\":[2],"                 \
    "\"data_offsets\":[0,4]}, \"layer.0\" : { \"data_offsets\" : [ 4 , 12 ] , \"shape\":[1,2],\"dtype\":\"F32\"}}\r  "
#define DATA "\1\0\2\0\0\0\x80\x3f\0\0\0\x40"

Test(safetensors, tensors_are_read_by_their_names)
{
    bench b = begin_in("read");
    write_file(&TWO[1], DATA, 12);
    EXPECT(zc_open(b.ctx, "m.safetensors:a"), 1, 2);
    zc_tensor *x = zc_open(b.ctx, "m.safetensors:layer.0");
    expect_shape(x, ZC_SHAPE(1, 2));
    EXPECT(x, 1, 2);
    zc_file_info info;
    cr_assert_eq(zc_read_info(b.ctx, "m.safetensors:layer.0", &info), ZC_OK);
    cr_expect_str_eq(info.format, "safetensors");
    cr_expect(info.dtype == ZC_FLOAT32 && info.rank == 2 && info.version == 0 && info.data_bytes == 8);
    cr_expect_eq(info.header_bytes, (int64_t)strlen(TWO) - 1 + 8 + 4);
    expect_told(b, "", "holds several arrays; open one of them as FILE:NAME: a, layer.0");
    expect_told(b, "b", "m.safetensors: no array is named 'b'; there are a, layer.0");
    finish_in(b);
}

#define ONE(name) "{\"" name "\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}"

Test(safetensors, names_have_json_s_escapes)
{
    static const struct {
        const char *header, *name;
    } rows[] = {
        {ONE("\\\"\\\\\\/\\b\\f\\n\\r\\t"), "\"\\/\b\f\n\r\t"},
        {ONE("\\u0041\\u00e9\\u20aC\\uD834\\uDD1e"), "A\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e"},
        {ONE("\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e"), "\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e"},
        {ONE("\\uffff"), "\xef\xbf\xbf"},
        {ONE("a:b"), "a:b"},
        {ONE(" "), " "},
    };
    bench b = begin_in("escapes");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s:%s", path, rows[i].name);
        write_file(rows[i].header, "\1\2", 2);
        zc_tensor *x = zc_open(b.ctx, name);
        cr_assert_not_null(x, "%s", zc_error_text(b.ctx));
        EXPECT(x, 1, 2);
        EXPECT(zc_open(b.ctx, path), 1, 2);
    }
    finish_in(b);
}

#define SHAPED(shape, begin, end) "{\"a\":{\"dtype\":\"U8\",\"shape\":" shape ",\"data_offsets\":[" begin "," end "]}}"
#define TENSOR(inside)            "{\"a\":{" inside "}}"
#define NAMED(dtype)              "{\"a\":{\"dtype\":\"" dtype "\",\"shape\":[2],\"data_offsets\":[0,2]}}"

static const struct {
    const char *header, *sentence;
} malformed[] = {
    {"{\"a\"", "has a key without a value"},
    {"{", "JSON lacks a string where one is due"},
    {"{}x", "JSON goes on after its object"},
    {"{\"a", "JSON ends inside a string"},
    {"{\"a\\", "JSON ends inside a string"},
    {"{\"a\\\"", "JSON ends inside a string"},
    {"{\"a\" 1", "JSON has a key without a value"},
    {"{\"a\":1}", "JSON has a tensor without dtype, shape or data_offsets"},
    {"{\"a\":{}}", "JSON lacks a string where one is due"},
    {ONE("\\x"), "JSON has a string that is malformed"},
    {ONE("\\u12g4"), "JSON has a string that is malformed"},
    {ONE("\\u12"), "JSON has a string that is malformed"},
    {ONE("\\u0000"), "JSON has a string that is malformed"},
    {ONE("\\ud834"), "JSON has a string that is malformed"},
    {ONE("\\ud834\\n"), "JSON has a string that is malformed"},
    {ONE("\\ud834\\u0041"), "JSON has a string that is malformed"},
    {ONE("\\ud834\\ue000"), "JSON has a string that is malformed"},
    {ONE("\\ud834\\u00"), "JSON has a string that is malformed"},
    {"{\"\\ud834\"", "JSON has a string that is malformed"},
    {"{\"\xc3", "JSON is not UTF-8"},
    {"{\"a\":{\"shape\":[2", "JSON lacks a comma or a closing bracket"},
    {ONE("\\udd1e"), "JSON has a string that is malformed"},
    {ONE("\n"), "JSON has a string that is malformed"},
    {ONE("\x80"), "JSON is not UTF-8"},
    {ONE("\xc3"), "JSON is not UTF-8"},
    {ONE("\xc1\x81"), "JSON is not UTF-8"},
    {ONE("\xe0\x80\x80"), "JSON is not UTF-8"},
    {ONE("\xed\xa0\x80"), "JSON is not UTF-8"},
    {ONE("\xf4\x90\x80\x80"), "JSON is not UTF-8"},
    {ONE("\xff"), "JSON is not UTF-8"},
    {TENSOR("\"dtype\":\"U8\",\"shape\":[2]"), "JSON has a tensor without dtype, shape or data_offsets"},
    {TENSOR("\"dtype\":\"U8\",\"dtype\":\"U8\""), "JSON has a key of a tensor that is unknown, repeated"},
    {TENSOR("\"stride\":1"), "JSON has a key of a tensor that is unknown, repeated"},
    {TENSOR("\"dtype\" 1"), "JSON has a key of a tensor that is unknown, repeated or without a value"},
    {TENSOR("\"dtype\":1"), "JSON lacks a string where one is due"},
    {TENSOR("\"dtype\":\"12345678901234567\""), "JSON has a dtype that is none"},
    {TENSOR("\"dtype\":\"U8\" \"shape\""), "JSON lacks a comma or a closing bracket"},
    {TENSOR("\"shape\":2"), "JSON lacks a list where one is due"},
    {TENSOR("\"shape\":[2"), "JSON lacks a comma or a closing bracket"},
    {TENSOR("\"shape\":[-2]"), "JSON has something else where a whole number is due"},
    {TENSOR("\"shape\":[02]"), "JSON has something else where a whole number is due"},
    {TENSOR("\"shape\":[2.5]"), "JSON lacks a comma or a closing bracket"},
    {TENSOR("\"shape\":[2,]"), "JSON has something else where a whole number is due"},
    {TENSOR("\"shape\":[92233720368547758080]"), "JSON has a number that is too large"},
    {TENSOR("\"shape\":[9223372036854775808]"), "JSON has a number that is too large"},
    {TENSOR("\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
            "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"),
     "JSON has a list that is too long"},
    {TENSOR("\"data_offsets\":[0]"), "JSON has data_offsets that are no two numbers in order"},
    {TENSOR("\"data_offsets\":[2,1]"), "JSON has data_offsets that are no two numbers in order"},
    {TENSOR("\"data_offsets\":[0,1,2]"), "JSON has a list that is too long"},
    {TENSOR("\"data_offsets\":\"x\""), "JSON lacks a list where one is due"},
    {"{\"__metadata__\":1}", "JSON has __metadata__ that are no object"},
    {"{\"__metadata__\":{\"a\":1}}", "JSON lacks a string where one is due"},
    {"{\"__metadata__\":{\"a\"}}", "JSON has a key without a value"},
    {"{\"__metadata__\":{1}}", "JSON lacks a string where one is due"},
    {"{\"__metadata__\":{\"a\":\"b\"", "JSON lacks a comma or a closing bracket"},
    {SHAPED("[3]", "0", "2"), "'a' has 2 bytes, and by its shape it has 3"},
    {SHAPED("[4294967296,4294967296]", "0", "2"), "m.safetensors: "},
    {SHAPED("[1]", "1", "2"), "there is a gap of 1 bytes before 'a'"},
    {SHAPED("[3]", "0", "3"), "1 bytes of data are missing at its end"},
    {SHAPED("[1]", "0", "1"), "1 bytes at its end belong to no tensor"},
    {"{}", "2 bytes at its end belong to no tensor"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},\"a\":{\"dtype\":\"U8\",\"shape\":[0],"
     "\"data_offsets\":[2,2]}}",
     "'a' is the name of two arrays"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},\"b\":{\"dtype\":\"U8\",\"shape\":[1],"
     "\"data_offsets\":[1,2]}}",
     "'a' and 'b' have bytes in common"},
    {NAMED("F8_E4M3"), "m.safetensors:a: the dtype F8_E4M3 is not supported"},
    {NAMED("f32"), "m.safetensors:a: the dtype f32 is not supported"},
};

Test(safetensors, malformed_headers_are_refused)
{
    bench b = begin_in("malformed");
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        write_file(malformed[i].header, "\1\2", 2);
        expect_told(b, "a", malformed[i].sentence);
    }
    finish_in(b);
}

Test(safetensors, cut_off_anywhere_is_refused)
{
    bench b = begin_in("cut");
    const size_t bytes = make(&TWO[1], DATA, 12);
    for (size_t length = 0; length < bytes; length++) {
        write_bytes(made, length);
        expect_told(b, "a", "open: m.safetensors");
    }
    finish_in(b);
}

/* A length beyond the format's own limit is that of no such file; one beyond the file is refused. */
Test(safetensors, of_a_length_that_lies_is_refused)
{
    bench b = begin_in("length");
    const size_t bytes = make(&TWO[1], DATA, 12);
    put_little(made, 8, 100000001);
    write_bytes(made, bytes);
    expect_told(b, "a", "not a .npy, ");
    put_little(made, 8, 100000000);
    write_bytes(made, bytes);
    expect_told(b, "a", "m.safetensors: the file ends inside its header");
    finish_in(b);
}

Test(safetensors, survives_random_bytes)
{
    zc_skip_of_one_thread();
    zc_random_begin("safetensors, survives_random_bytes");
    bench b = begin_in("random");
    const size_t bytes = make(&TWO[1], DATA, 12);
    int refused = 0, rounds = 1500;
    for (int round = 0; round < rounds; round++) {
        unsigned char copy[512];
        memcpy(copy, made, bytes);
        for (int64_t changes = zc_random_range(1, 3); changes > 0; changes--)
            copy[zc_random_range(0, (int64_t)bytes - 1)] = (unsigned char)zc_random_range(0, 255);
        write_bytes(copy, bytes);
        zc_tensor *x = zc_open(b.ctx, "m.safetensors:a");
        cr_expect((x == NULL) == (zc_error_status(b.ctx) != ZC_OK));
        refused += x == NULL;
        zc_error_clear(b.ctx);
    }
    cr_expect(refused > rounds / 10 && refused < rounds, "%d", refused);
    finish_in(b);
}

/* ---- Written ---- */

/* Every dtype of the format, larger elements first: so all are aligned, and mapped. */
Test(safetensors, what_is_saved_is_mapped)
{
    static const zc_dtype dtypes[] = {ZC_BOOL,   ZC_INT8,   ZC_FLOAT64,  ZC_INT16,   ZC_UINT32, ZC_FLOAT16,   ZC_INT32,
                                      ZC_UINT64, ZC_UINT16, ZC_BFLOAT16, ZC_FLOAT32, ZC_UINT8,  ZC_COMPLEX64, ZC_INT64};
    enum { COUNT = sizeof dtypes / sizeof *dtypes };
    const zc_tensor *tensors[COUNT];
    const char *names[COUNT];
    bench b = begin_in("written");
    for (int i = 0; i < COUNT; i++) {
        tensors[i] = zc_astype(zc_iota(b.ctx, 3), dtypes[i]);
        names[i] = zc_dtype_name(dtypes[i]);
    }
    cr_assert_eq(zc_save_members(COUNT, tensors, names, path), ZC_OK, "%s", zc_error_text(b.ctx));
    const int64_t held = zc_memory_usage(b.ctx).held_bytes;
    for (int i = 0; i < COUNT; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s:%s", path, names[i]);
        zc_tensor *x = zc_open(b.ctx, name);
        cr_assert_not_null(x, "%s", zc_error_text(b.ctx));
        cr_expect_eq(zc_dtype_of(x), dtypes[i]);
        cr_expect_eq(zc_memory_usage(b.ctx).held_bytes, held, "%s was copied", names[i]);
    }
    for (int i = 1; i < COUNT; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s:%s", path, names[i]);
        EXPECT(zc_real(zc_open(b.ctx, name)), 0, 1, 2);
    }
    EXPECT(zc_open(b.ctx, "m.safetensors:bool"), 0, 1, 1);
    finish_in(b);
}

/* The bytes of a file, in full. */
Test(safetensors, is_written_byte_by_byte)
{
    static const char json[] =
        "{\"\\\"\\\\\\u001f\xc3\xa9\":{\"dtype\":\"U8\",\"shape\":[1,3],\"data_offsets\":[0,3]}}";
    enum { JSON = sizeof json - 1, PADDED = (JSON + 7) / 8 * 8 };
    char found[128], wanted[128];
    bench b = begin_in("bytes");
    const char *const names[] = {"\"\\\x1f\xc3\xa9"};
    zc_tensor *x = zc_reshape(zc_astype(zc_iota(b.ctx, 3), ZC_UINT8), ZC_SHAPE(1, 3));
    cr_assert_eq(zc_save_members(1, (const zc_tensor *const[]){x}, names, path), ZC_OK, "%s", zc_error_text(b.ctx));
    put_little((unsigned char *)wanted, 8, PADDED);
    memset(wanted + 8, ' ', PADDED);
    memcpy(wanted + 8, json, JSON);
    memcpy(wanted + 8 + PADDED, "\0\1\2", 3);
    FILE *file = fopen(path, "rb");
    cr_expect_eq(fread(found, 1, sizeof found, file), 8 + PADDED + 3);
    cr_expect_eq(memcmp(found, wanted, 8 + PADDED + 3), 0, "%s", found + 8);
    (void)fclose(file);
    finish_in(b);
}

Test(safetensors, of_one_array_names_it_data)
{
    bench b = begin_in("one");
    cr_assert_eq(zc_save(zc_iota(b.ctx, 3), path), ZC_OK, "%s", zc_error_text(b.ctx));
    EXPECT(zc_open(b.ctx, path), 0, 1, 2);
    EXPECT(zc_open(b.ctx, "m.safetensors:data"), 0, 1, 2);
    cr_expect_eq(zc_save(zc_astype(zc_iota(b.ctx, 3), ZC_COMPLEX128), path), ZC_ERROR_DTYPE);
    cr_expect_not_null(strstr(zc_error_text(b.ctx), "save: a .safetensors file holds no complex128"));
    zc_error_clear(b.ctx);
    const char *const names[] = {"__metadata__"};
    cr_expect_eq(zc_save_members(1, (const zc_tensor *const[]){zc_iota(b.ctx, 3)}, names, path), ZC_ERROR_ARGUMENT);
    cr_expect_not_null(strstr(zc_error_text(b.ctx), "__metadata__ is the name of no array"));
    finish_in(b);
}

/* A tensor that is not aligned is copied, within the limit. */
Test(safetensors, that_is_not_aligned_is_copied)
{
    bench b = begin_in("copied");
    write_file("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"b\":{\"dtype\":\"I32\",\"shape\":[2],"
               "\"data_offsets\":[1,9]}} ",
               "\7\1\0\0\0\2\0\0\0", 9);
    EXPECT(zc_open(b.ctx, "m.safetensors:b"), 1, 2);
    EXPECT(zc_open(b.ctx, "m.safetensors:a"), 7);
    finish_in(b);
}
