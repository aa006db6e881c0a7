/* One more format is one more file and one more row: toy.c and formats.def. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/zc_test.h"
#include "zerocast.h"

/* Its number, behind those of the table that everybody has. */
enum {
    TOY = 0
#define ZC_FORMAT(name) +1
#include "materialize/files/formats.def"
#undef ZC_FORMAT
};

static zc_tensor *numbers(zc_context *ctx)
{
    zc_tensor *i = zc_iota(ctx, 6), *bytes = zc_astype(i, ZC_UINT8), *t = zc_reshape(bytes, ZC_SHAPE(2, 3));
    zc_release(i);
    zc_release(bytes);
    return t;
}

static void expect_numbers(const zc_tensor *t)
{
    zc_tensor *dense = NULL;
    cr_assert_eq(zc_materialize(t, &dense), ZC_OK);
    cr_expect(zc_dtype_of(t) == ZC_UINT8 && zc_rank(t) == 2 && zc_shape(t)[0] == 2 && zc_shape(t)[1] == 3);
    cr_expect_eq(memcmp(zc_data(dense), "\0\1\2\3\4\5", 6), 0);
    zc_release(dense);
}

/* Saved by its ending, opened by its first bytes, whatever the name; an ending that was refused before is its own now.
 */
Test(toy, is_a_format_like_the_others)
{
    static const struct {
        const char *path;
        int format;
    } rows[] = {{"x.toy", TOY}, {"x.TOY", TOY}, {"x.nc", TOY}, {"x.npy", 0}, {"x", 0}};
    zc_context *ctx = zc_context_new(NULL);
    cr_assert_eq(zc_file_format_count(), TOY + 1);
    cr_expect_str_eq(zc_file_format_name(TOY), "toy");
    zc_tensor *t = numbers(ctx);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zc_file_info info;
        cr_expect_eq(zc_file_format_of(rows[i].path), rows[i].format);
        cr_assert_eq(zc_save(t, rows[i].path), ZC_OK, "%s", zc_error_text(ctx));
        cr_assert_eq(rename(rows[i].path, "renamed"), 0);
        cr_assert_eq(zc_read_info(ctx, "renamed", &info), ZC_OK, "%s", zc_error_text(ctx));
        cr_expect_str_eq(info.format, zc_file_format_name(rows[i].format));
        zc_tensor *back = zc_open(ctx, "renamed");
        cr_assert_not_null(back, "%s", zc_error_text(ctx));
        expect_numbers(back);
        zc_release(back);
        (void)unlink("renamed");
    }
    zc_release(t);
    zc_context_free(ctx);
}

static void expect_told(zc_context *ctx, zc_status status, const char *sentence)
{
    cr_expect_eq(zc_error_status(ctx), status);
    cr_expect_not_null(strstr(zc_error_text(ctx), sentence), "%s", zc_error_text(ctx));
    zc_error_clear(ctx);
}

Test(toy, is_refused_in_its_own_words)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *i = zc_iota(ctx, 3);
    cr_expect_eq(zc_save(i, "wide.toy"), ZC_ERROR_DTYPE);
    expect_told(ctx, ZC_ERROR_DTYPE, "save: a toy holds uint8 only");
    cr_expect_eq(zc_save(i, "wide.xls"), ZC_ERROR_FORMAT);
    expect_told(ctx, ZC_ERROR_FORMAT, " or .toy, not as .xls");
    zc_tensor *bytes = zc_astype(i, ZC_UINT8),
              *deep = zc_reshape(bytes, ZC_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 3)); /* refused while it is written */
    cr_expect_eq(zc_save(deep, "deep.toy"), ZC_ERROR_FORMAT);
    expect_told(ctx, ZC_ERROR_FORMAT, "save: a toy has at most 8 axes");
    cr_expect(access("deep.toy", F_OK) != 0 && access("wide.toy", F_OK) != 0);
    FILE *file = fopen("cut.toy", "w");
    cr_assert(file != NULL && fwrite("TOY\1\5abc", 1, 8, file) == 8 && fclose(file) == 0);
    cr_expect_null(zc_open(ctx, "cut.toy"));
    expect_told(ctx, ZC_ERROR_FORMAT, "open: cut.toy: 2 bytes of data are missing at its end");
    cr_expect_null(zc_npy_open(ctx, "cut.toy"));
    expect_told(ctx, ZC_ERROR_FORMAT, "npy_open: cut.toy: not a .npy file");
    file = fopen("cut.toy", "w");
    cr_assert(file != NULL && fputs("TO", file) >= 0 && fclose(file) == 0);
    cr_expect_null(zc_open(ctx, "cut.toy"));
    expect_told(ctx, ZC_ERROR_FORMAT, " or .toy file");
    (void)unlink("cut.toy");
    zc_release(i);
    zc_release(bytes);
    zc_release(deep);
    zc_context_free(ctx);
}
