/* Replaced files: the old bytes until the end, then the new ones; after any failure the old ones, and no temporary.
 * (Where the operating system fails is test_npy_save.c's.) */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "materialize/files/replaced_file.h"
#include "runtime/context/context.h"
#include "tests/support/zc_test.h"

/* A folder with one file in it. */
static const char *make_file(const char *text)
{
    static char path[64];
    char folder[32];
    (void)snprintf(folder, sizeof folder, "replaced-%ld", (long)getpid());
    (void)mkdir(folder, 0777);
    (void)snprintf(path, sizeof path, "%s/file", folder);
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

static void expect_content(const char *path, const char *wanted)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    size_t count = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    cr_expect(count == strlen(wanted) && strcmp(text, wanted) == 0, "'%s', not '%s'", text, wanted);
}

/* Removes the file and its folder, in which nothing else may be. */
static void remove_file(const char *path)
{
    char folder[64];
    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    (void)unlink(path);
    cr_expect_eq(rmdir(folder), 0, "a temporary is left");
}

Test(replaced_file, has_its_new_bytes_at_the_end_only)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    const char *path = make_file("old");
    zc_replaced_file f;
    zc_reason why;
    cr_assert_eq(chmod(path, 0604), 0);
    cr_assert_eq(zc_replaced_file_check(&f, path, &why), ZC_OK);
    cr_assert_eq(zc_replaced_file_begin(&f, &ctx->progress, &why), ZC_OK);
    cr_assert_eq(zc_replaced_file_expect(&f, 8, &why), ZC_OK);
    cr_expect_eq(zc_replaced_file_write(&f, "new ", 4, &why), ZC_OK);
    expect_content(path, "old");
    cr_expect_eq(zc_replaced_file_write(&f, "", 0, &why), ZC_OK);
    cr_expect_eq(zc_replaced_file_write(&f, "ones", 4, &why), ZC_OK);
    expect_content(path, "old");
    cr_expect_eq(zc_replaced_file_close(&f, ZC_OK, &why), ZC_OK);
    expect_content(path, "old");
    cr_expect_eq(zc_replaced_file_end(&f, ZC_OK, &why), ZC_OK);
    expect_content(path, "new ones");
    struct stat status;
    cr_expect(stat(path, &status) == 0 && (status.st_mode & 0777) == 0604);
    remove_file(path);
    zc_context_free(ctx);
}

/* Whoever writes may fail, too. */
Test(replaced_file, stays_after_a_failure_of_its_writer)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    const char *path = make_file("old");
    zc_replaced_file f;
    zc_reason why = {.text = "the writer's reason"};
    cr_assert_eq(zc_replaced_file_check(&f, path, NULL), ZC_OK);
    cr_assert_eq(zc_replaced_file_begin(&f, &ctx->progress, NULL), ZC_OK);
    cr_assert_eq(zc_replaced_file_write(&f, "half", 4, NULL), ZC_OK);
    cr_expect_eq(zc_replaced_file_close(&f, ZC_ERROR_FORMAT, &why), ZC_ERROR_FORMAT);
    cr_expect_eq(zc_replaced_file_end(&f, ZC_ERROR_FORMAT, &why), ZC_ERROR_FORMAT);
    cr_expect_str_eq(why.text, "the writer's reason");
    expect_content(path, "old");
    remove_file(path);
    zc_context_free(ctx);
}

Test(replaced_file, stays_when_the_work_is_stopped)
{
    static const char zeros[1 << 17];
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    const char *path = make_file("old");
    zc_replaced_file f;
    zc_reason why;
    cr_assert_eq(zc_replaced_file_check(&f, path, &why), ZC_OK);
    cr_assert_eq(zc_replaced_file_begin(&f, &ctx->progress, &why), ZC_OK);
    cr_assert_eq(zc_replaced_file_expect(&f, sizeof zeros, &why), ZC_OK);
    zc_cancel(ctx);
    cr_expect_eq(zc_replaced_file_expect(&f, sizeof zeros, &why), ZC_CANCELLED);
    zc_status status = zc_replaced_file_write(&f, zeros, sizeof zeros, &why);
    cr_expect_eq(status, ZC_CANCELLED);
    cr_expect_eq(zc_replaced_file_close(&f, status, &why), ZC_CANCELLED);
    cr_expect_eq(zc_replaced_file_end(&f, status, &why), ZC_CANCELLED);
    cr_expect_str_eq(why.text, "stopped on request");
    expect_content(path, "old");
    remove_file(path);
    zc_context_free(ctx);
}
