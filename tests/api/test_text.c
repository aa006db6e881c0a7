/* Text in rows: what is written of every dtype, and which elements are read of what others write. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/api/values.h"

static const char *name_with(const char *ending)
{
    static char name[48];
    (void)snprintf(name, sizeof name, "text-%ld.%s", (long)getpid(), ending);
    return name;
}

static void expect_text(const char *path, const char *wanted)
{
    char text[1024] = "";
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    cr_expect_str_eq(text, wanted);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Python's repr() wrote these of NumPy's scalars. */
Test(text, is_written_of_every_dtype)
{
    static const int64_t least[] = {INT64_MIN, INT64_MAX, 0, -7, 10, 1};
    static const uint64_t most[] = {UINT64_MAX, 0, 18446744073709551557U, 1, 2, 3};
    static const double doubles[] = {0.1, -0.0, 1e300, 5e-324, (double)NAN, (double)-INFINITY};
    const struct {
        zc_dtype dtype;
        const void *data;
        const char *text;
    } rows[] = {
        {ZC_BOOL, (const uint8_t[]){0, 1, 1, 0, 0, 1}, "False,True\nTrue,False\nFalse,True\n"},
        {ZC_INT8, (const int8_t[]){-128, 127, 0, 1, -1, 10}, "-128,127\n0,1\n-1,10\n"},
        {ZC_INT16, (const int16_t[]){INT16_MIN, INT16_MAX, 0, 1, -1, 10}, "-32768,32767\n0,1\n-1,10\n"},
        {ZC_INT32, (const int32_t[]){INT32_MIN, INT32_MAX, 0, 1, -1, 10}, "-2147483648,2147483647\n0,1\n-1,10\n"},
        {ZC_INT64, least, "-9223372036854775808,9223372036854775807\n0,-7\n10,1\n"},
        {ZC_UINT8, (const uint8_t[]){255, 0, 9, 10, 99, 100}, "255,0\n9,10\n99,100\n"},
        {ZC_UINT16, (const uint16_t[]){UINT16_MAX, 0, 1, 2, 3, 4}, "65535,0\n1,2\n3,4\n"},
        {ZC_UINT32, (const uint32_t[]){UINT32_MAX, 0, 1, 2, 3, 4}, "4294967295,0\n1,2\n3,4\n"},
        {ZC_UINT64, most, "18446744073709551615,0\n18446744073709551557,1\n2,3\n"},
        {ZC_FLOAT16, (const uint16_t[]){0x7bff, 0x2e66, 0x0001, 0xfc00, 0x7e00, 0xbc00},
         "65500.0,0.1\n6e-08,-inf\nnan,-1.0\n"},
        {ZC_BFLOAT16, (const uint16_t[]){0x3f80, 0x3dcd, 0x7f80, 0xff80, 0x7fc0, 0xc000},
         "1.0,0.1\ninf,-inf\nnan,-2.0\n"},
        {ZC_FLOAT32, (const float[]){0.1F, 16777216, 1e-45F, INFINITY, 3.4028235e38F, 1.0F / 3},
         "0.1,16777216.0\n1e-45,inf\n3.4028235e+38,0.33333334\n"},
        {ZC_FLOAT64, doubles, "0.1,-0.0\n1e+300,5e-324\nnan,-inf\n"},
    };
    bench b = begin();
    const char *path = name_with("csv");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const zc_tensor *t =
            zc_from_data(b.ctx, rows[i].dtype, ZC_SHAPE(3, 2), rows[i].data, 6 * zc_dtype_bytes(rows[i].dtype));
        cr_assert_eq(zc_save(t, path), ZC_OK, "%s", zc_error_text(b.ctx));
        expect_text(path, rows[i].text);
        if (rows[i].dtype == ZC_UINT64)
            continue; /* what does not fit is read as floats */
        unsigned char bytes[48], again[48];
        const size_t size = 6 * zc_dtype_bytes(rows[i].dtype);
        cr_assert_eq(zc_copy_to(t, rows[i].dtype, bytes, size), ZC_OK);
        cr_assert_eq(zc_copy_to(zc_open(b.ctx, path), rows[i].dtype, again, size), ZC_OK);
        cr_expect_eq(memcmp(bytes, again, size), 0, "%s", rows[i].text);
    }
    (void)unlink(path);
    finish(b);
}

Test(text, has_a_line_for_each_row)
{
    bench b = begin();
    const zc_tensor *i = zc_iota(b.ctx, 6);
    static const char *const endings[] = {"csv", "tsv", "txt"}, *const texts[] = {"0,1,2\n3,4,5\n",
                                                                                  "0\t1\t2\n3\t4\t5\n",
                                                                                  "0 1 2\n3 4 5\n"};
    for (int k = 0; k < 3; k++) {
        const char *path = name_with(endings[k]);
        cr_assert_eq(zc_save(zc_reshape(i, ZC_SHAPE(2, 3)), path), ZC_OK);
        expect_text(path, texts[k]);
        expect_shape(zc_open(b.ctx, path), 2, (const int64_t[]){2, 3});
        cr_assert_eq(zc_save(zc_reshape(i, ZC_SHAPE(6)), path), ZC_OK);
        expect_text(path, "0\n1\n2\n3\n4\n5\n");
        cr_assert_eq(zc_save(zc_index(i, 0, 4), path), ZC_OK);
        expect_text(path, "4\n");
        cr_assert_eq(zc_save(zc_reshape(zc_slice(i, 0, 0, 0, 1), ZC_SHAPE(0, 3)), path), ZC_OK);
        expect_text(path, "");
        (void)unlink(path);
    }
    finish(b);
}

Test(text, holds_no_such_arrays)
{
    bench b = begin();
    const char *path = name_with("csv");
    const zc_tensor *i = zc_iota(b.ctx, 8);
    cr_expect_eq(zc_save(zc_reshape(i, ZC_SHAPE(2, 2, 2)), path), ZC_ERROR_SHAPE);
    cr_expect_str_eq(zc_error_text(b.ctx), "save: text has rows and columns, and the array 3 axes; reshape it to two");
    zc_error_clear(b.ctx);
    cr_expect_eq(zc_save(zc_astype(i, ZC_COMPLEX64), path), ZC_ERROR_DTYPE);
    cr_expect_str_eq(zc_error_text(b.ctx), "save: text holds no complex64; save the real and the imaginary part");
    zc_error_clear(b.ctx);
    cr_expect_neq(access(path, F_OK), 0);
    finish(b);
}

/* ---- What is read ---- */

typedef struct reading {
    const char *ending, *text, *column; /* of all columns where that is NULL */
    zc_dtype dtype;
    int rank;
    int64_t shape[2];
    double values[8];
} reading;

static void expect_read(bench b, const reading *r)
{
    char name[80];
    const char *path = name_with(r->ending);
    write_text(path, r->text);
    (void)snprintf(name, sizeof name, "%s%s%s", path, r->column == NULL ? "" : ":", r->column == NULL ? "" : r->column);
    const zc_tensor *t = zc_open(b.ctx, name);
    cr_assert_not_null(t, "%s: %s", r->text, zc_error_text(b.ctx));
    cr_expect_eq(zc_dtype_of(t), r->dtype, "%s", r->text);
    expect_shape(t, r->rank, r->shape);
    for (int64_t i = 0; i < zc_size(t); i++) {
        const double value = value_at(t, i), wanted = r->values[i];
        cr_expect(value == wanted || (isnan(value) && isnan(wanted)), "%s: element %d is %g", r->text, (int)i, value);
    }
    (void)unlink(path);
}

Test(text, is_read_as_it_is_meant)
{
    const double none = (double)NAN, endless = (double)INFINITY;
    const reading rows[] = {
        {"csv", "1,2\n3,4\n", NULL, ZC_INT64, 2, {2, 2}, {1, 2, 3, 4}},
        {"csv", "1\n2\n3", NULL, ZC_INT64, 1, {3}, {1, 2, 3}},
        {"csv", "1\n2\n-3\r", NULL, ZC_INT64, 1, {3}, {1, 2, -3}},
        {"csv", "1.5\n2\n3", NULL, ZC_FLOAT64, 1, {3}, {1.5, 2, 3}},
        {"csv", "1,2,3", NULL, ZC_INT64, 2, {1, 3}, {1, 2, 3}},
        {"csv", "", NULL, ZC_FLOAT64, 1, {0}, {0}},
        {"csv", "a,b\n", NULL, ZC_FLOAT64, 2, {0, 2}, {0}},
        {"csv", "1,2\n3,4.5\n", NULL, ZC_FLOAT64, 2, {2, 2}, {1, 2, 3, 4.5}},
        {"csv", "1\n2\n\"3.5\"\n", NULL, ZC_FLOAT64, 1, {3}, {1, 2, 3.5}},
        {"csv", "True,false\nTRUE,False\n", NULL, ZC_BOOL, 2, {2, 2}, {1, 0, 1, 0}},
        {"csv",
         "inf,-Infinity,+INF,nan,-nan,\n",
         NULL,
         ZC_FLOAT64,
         2,
         {1, 6},
         {endless, -endless, endless, none, none, none}},
        {"csv", "-9223372036854775808,9223372036854775807\n", NULL, ZC_INT64, 2, {1, 2}, {-0x1p63, 0x1p63}},
        {"csv", "1\n9223372036854775808\n", NULL, ZC_FLOAT64, 1, {2}, {1, 0x1p63}},
        {"csv", "+5,-0,007\n", NULL, ZC_INT64, 2, {1, 3}, {5, 0, 7}},
        {"csv", ".5,5.,1e3,1E-3,-.5e+1\n", NULL, ZC_FLOAT64, 2, {1, 5}, {0.5, 5, 1000, 0.001, -5}},
        {"csv", "who,kg\r\nann,61.5\r\nbob,80\r\n", "kg", ZC_FLOAT64, 1, {2}, {61.5, 80}},
        {"csv", "\"who \"\"x\"\"\",kg\n1,61\n", "who \"x\"", ZC_INT64, 1, {1}, {1}},
        {"csv", "is,kg\nTrue,1\nFalse,2\n", "is", ZC_BOOL, 1, {2}, {1, 0}},
        {"csv", "a,b\n1,2\n3,\"4\n5\"\n6,7\n", "a", ZC_INT64, 1, {3}, {1, 3, 6}},
        {"csv", "# of 2020\n\n1, 2 \n  \n 3\t,4\n#", NULL, ZC_INT64, 2, {2, 2}, {1, 2, 3, 4}},
        {"tsv", "a\tb\n1\t\n\t2\n", NULL, ZC_FLOAT64, 2, {2, 2}, {1, none, none, 2}},
        {"txt", "  1   2\n3 \t 4  \n", NULL, ZC_INT64, 2, {2, 2}, {1, 2, 3, 4}},
        {"txt", "\"1\" \"2\"\n3 4\r\n", NULL, ZC_INT64, 2, {2, 2}, {1, 2, 3, 4}},
    };
    bench b = begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_read(b, &rows[i]);
    finish(b);
}

Test(text, is_refused_with_the_line_and_the_column)
{
    static const struct {
        const char *text, *column, *sentence;
    } rows[] = {
        {"1,2\n3,x\n", NULL, "line 2, column 2: 'x' is no number"},
        {"1,2\n3\n", NULL, "line 2 has 1 field, line 1 has 2"},
        {"1,2\n3,4,5\n", NULL, "line 2 has 3 fields, line 1 has 2"},
        {"a,b\n\n1,2\n3,4\n5,6,7\n", "a", "line 5 has 3 fields, line 1 has 2"},
        {"a,b\n1,2\n3\n", "b", "line 3 has 1 field, line 1 has 2"},
        {"True\nFalse\n1\n", NULL, "line 3, column 1: '1' is neither True nor False"},
        {"1\nTrue\n", NULL, "line 2, column 1: 'True' is no number"},
        {"1e\n2\n3e\n", NULL, "line 3, column 1: '3e' is no number"},
        {"1\n--2\n", NULL, "line 2, column 1: '--2' is no number"},
        {"1\ninfin\n", NULL, "line 2, column 1: 'infin' is no number"},
        {"1\ninfinityx\n", NULL, "line 2, column 1: 'infinityx' is no number"},
        {"1\n2\n-", NULL, "line 3, column 1: '-' is no number"},
        {"1\n-\n", NULL, "line 2, column 1: '-' is no number"},
        {"1\n\"2\n3\n", NULL, "line 2: a quote is not closed"},
        {"a,\"b\n1,2\n", NULL, "line 1: a quote is not closed"},
        {"a,a\n1,2\n", "a", "two columns are named 'a'"},
        {"a,b\n1,2\n", "c", "no column is named 'c'"},
        {"1,2\n", "c", "its first line is no header, so no column has the name 'c'"},
        {"1\n012345678901234567890123456789012345678x\n", NULL,
         "'012345678901234567890123456789012345678x' is no number"},
        {"1\n012345678901234567890123456789012345678xyz\n", NULL, "'012345678901234567890123456789012345678x...' is"},
        {"1\n012345678901234567890123456789012345678\xc3\xa4yz\n", NULL,
         "'012345678901234567890123456789012345678...' is"},
        {"\xff\xfe\x31", NULL, "it is UTF-16; text is read as UTF-8"},
        {"\xfe\xff\x31", NULL, "it is UTF-16; text is read as UTF-8"},
        {"a\001b,c\n1,2\n", NULL, "line 1, column 1: 'a?b' is no number"},
    };
    bench b = begin();
    const char *path = name_with("csv");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[80];
        const char *column = rows[i].column;
        write_text(path, rows[i].text);
        (void)snprintf(name, sizeof name, "%s%s%s", path, column == NULL ? "" : ":", column == NULL ? "" : column);
        cr_expect_null(zc_open(b.ctx, name), "%s", rows[i].text);
        cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_FORMAT, "%s", rows[i].text);
        cr_expect_not_null(strstr(zc_error_text(b.ctx), rows[i].sentence), "%s, not %s", zc_error_text(b.ctx),
                           rows[i].sentence);
        zc_error_clear(b.ctx);
        zc_file_info info;
        cr_expect_eq(zc_read_info(b.ctx, name, &info), ZC_ERROR_FORMAT, "%s", rows[i].text);
        zc_error_clear(b.ctx);
    }
    (void)unlink(path);
    finish(b);
}
