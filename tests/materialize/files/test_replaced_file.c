/* Replaced files: the old bytes until the end, then the new ones; after any failure the old ones, and no temporary.
 * (Where the operating system fails is test_npy_save.c's.) */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
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

/* ---- Permissions ---- */

/* The bytes of a secret are nobody else's while they are written, either. */
Test(replaced_file, is_not_shown_to_others_while_it_is_written)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    const char *path = make_file("old");
    zc_replaced_file f;
    zc_reason why;
    struct stat status;
    cr_assert_eq(chmod(path, 0600), 0);
    const mode_t before = umask(0);
    cr_assert_eq(zc_replaced_file_check(&f, path, &why), ZC_OK);
    cr_assert_eq(zc_replaced_file_begin(&f, &ctx->progress, &why), ZC_OK);
    cr_expect(stat(f.temporary, &status) == 0 && (status.st_mode & 0777) == 0600);
    cr_expect_eq(zc_replaced_file_close(&f, ZC_OK, &why), ZC_OK);
    cr_expect_eq(zc_replaced_file_end(&f, ZC_OK, &why), ZC_OK);
    (void)umask(before);
    cr_expect(stat(path, &status) == 0 && (status.st_mode & 0777) == 0600);
    remove_file(path);
    zc_context_free(ctx);
}

static void replace(const char *path, const char *text)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_replaced_file f;
    zc_reason why = {.text = ""};
    zc_status status = zc_replaced_file_check(&f, path, &why);
    cr_assert_eq(status, ZC_OK, "%s", why.text);
    cr_assert_eq(zc_replaced_file_begin(&f, &ctx->progress, &why), ZC_OK, "%s", why.text);
    status = zc_replaced_file_write(&f, text, strlen(text), &why);
    status = zc_replaced_file_close(&f, status, &why);
    cr_expect_eq(zc_replaced_file_end(&f, status, &why), ZC_OK, "%s", why.text);
    zc_context_free(ctx);
}

/* Only root gives files away. */
Test(replaced_file, keeps_its_owner_and_group)
{
    const char *path = make_file("old");
    struct stat status;
    if (chown(path, 1234, 4321) != 0)
        cr_skip_test("not root");
    cr_assert_eq(chmod(path, 0640), 0);
    replace(path, "new");
    expect_content(path, "new");
    cr_expect(stat(path, &status) == 0 && (status.st_mode & 0777) == 0640);
    cr_expect(status.st_uid == 1234 && status.st_gid == 4321);
    remove_file(path);
}

/* A group that the file loses does not become another one's right. */
Test(replaced_file, gives_a_new_group_what_everybody_has)
{
    const char *path = make_file("old");
    struct stat status;
    char folder[64];
    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    if (chown(folder, 1234, 4321) != 0 || chown(path, 1234, 4321) != 0)
        cr_skip_test("not root");
    cr_assert(chmod(path, 0664) == 0 && setegid(99) == 0 && seteuid(1234) == 0);
    replace(path, "new");
    cr_assert(seteuid(0) == 0 && setegid(0) == 0);
    cr_expect(stat(path, &status) == 0 && (status.st_mode & 0777) == 0644 && status.st_gid == 99, "%o %d",
              (unsigned)status.st_mode, (int)status.st_gid);
    remove_file(path);
}

static void expect_refused_path(const char *path, const char *sentence)
{
    zc_replaced_file f;
    zc_reason why = {.text = ""};
    cr_expect_eq(zc_replaced_file_check(&f, path, &why), ZC_ERROR_FILE, "%s", path);
    cr_expect(strstr(why.text, sentence) != NULL, "%s: '%s'", path, why.text);
}

/* Root may do everything, but who takes the right to write away means it. */
Test(replaced_file, that_nobody_may_write_stays)
{
    const char *path = make_file("old");
    static const mode_t modes[] = {0444, 0400, 0000, 0555};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        cr_assert_eq(chmod(path, modes[i]), 0);
        expect_refused_path(path, "cannot be written to: Permission denied");
    }
    cr_assert_eq(chmod(path, 0644), 0);
    expect_content(path, "old");
    remove_file(path);
}

/* ---- Paths ---- */

/* Writes the file that a link leads to, also where that does not exist yet. */
Test(replaced_file, of_a_link_is_what_it_leads_to)
{
    const char *path = make_file("old");
    char folder[64], link[96], chain[96], lost[96], loop[96], target[96];
    struct stat status;
    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    (void)snprintf(link, sizeof link, "%s/link", folder);
    (void)snprintf(chain, sizeof chain, "%s/chain", folder);
    (void)snprintf(lost, sizeof lost, "%s/lost", folder);
    (void)snprintf(loop, sizeof loop, "%s/loop", folder);
    (void)snprintf(target, sizeof target, "%s/target", folder);
    cr_assert(symlink("target", link) == 0 && symlink("link", chain) == 0 && symlink("nowhere/file", lost) == 0 &&
              symlink("loop", loop) == 0);
    replace(chain, "made");
    expect_content(target, "made");
    replace(link, "again");
    expect_content(target, "again");
    cr_expect(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
    cr_expect(lstat(chain, &status) == 0 && S_ISLNK(status.st_mode));
    expect_refused_path(lost, "its folder cannot be written to: No such file");
    expect_refused_path(loop, "cannot be followed: Too many levels");
    char *whole = realpath(folder, NULL), absolute[4096];
    (void)snprintf(absolute, sizeof absolute, "%s/target", whole);
    cr_assert(unlink(link) == 0 && unlink(target) == 0 && symlink(absolute, link) == 0);
    replace(chain, "absolute");
    expect_content(target, "absolute");
    free(whole);
    cr_expect(unlink(link) == 0 && unlink(chain) == 0 && unlink(lost) == 0 && unlink(loop) == 0 && unlink(target) == 0);
    remove_file(path);
}

static int compare_paths(const char *a, const char *b)
{
    zc_replaced_file first, other;
    zc_reason why = {.text = ""};
    cr_assert_eq(zc_replaced_file_check(&first, a, &why), ZC_OK, "%s", why.text);
    cr_assert_eq(zc_replaced_file_check(&other, b, &why), ZC_OK, "%s", why.text);
    const int order = zc_replaced_file_compare(&first, &other);
    cr_expect_eq(order > 0, zc_replaced_file_compare(&other, &first) < 0);
    return order;
}

/* One file has many paths, before it exists, too. */
Test(replaced_file, is_known_by_all_of_its_paths)
{
    const char *path = make_file("old");
    char folder[64], linked[96], one[128], other[256], *here = realpath(".", NULL);
    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    (void)snprintf(linked, sizeof linked, "%s-linked", folder);
    (void)unlink(linked);
    cr_assert_eq(symlink(folder, linked), 0);
    static const char *const names[] = {"new", "file"};
    for (size_t n = 0; n < 2; n++) {
        (void)snprintf(one, sizeof one, "%s/%s", folder, names[n]);
        static char absolute[8192];
        (void)snprintf(absolute, sizeof absolute, "%s/%s", here, one);
        cr_expect_eq(compare_paths(one, absolute), 0, "%s", absolute);
        const char *const parts[] = {folder, names[n]};
        (void)snprintf(other, sizeof other, "./%s/%s", parts[0], parts[1]);
        cr_expect_eq(compare_paths(one, other), 0, "%s", other);
        (void)snprintf(other, sizeof other, "%s//%s", parts[0], parts[1]);
        cr_expect_eq(compare_paths(one, other), 0, "%s", other);
        (void)snprintf(other, sizeof other, "%s/../%s/%s", parts[0], parts[0], parts[1]);
        cr_expect_eq(compare_paths(one, other), 0, "%s", other);
        (void)snprintf(other, sizeof other, "%s/%s", linked, parts[1]);
        cr_expect_eq(compare_paths(one, other), 0, "%s", other);
        (void)snprintf(other, sizeof other, "%s/%s2", folder, names[n]);
        cr_expect_neq(compare_paths(one, other), 0, "%s", other);
        (void)snprintf(other, sizeof other, "%s", names[n]);
        cr_expect_neq(compare_paths(one, other), 0, "%s", other);
    }
    cr_expect_neq(compare_paths("/tmp/zerocast-new", "/dev/shm/zerocast-new"), 0);
    cr_expect_eq(compare_paths("/zerocast-new", "/tmp/../zerocast-new"), 0);
    free(here);
    cr_expect_eq(unlink(linked), 0);
    remove_file(path);
}

/* A name may be as long as the file system says: the temporary's is not longer. */
Test(replaced_file, has_a_name_of_any_length)
{
    const char *path = make_file("old");
    char folder[64], whole[400];
    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    for (int length = 225; length <= 256; length++) {
        for (int step = 1; step <= 2; step++) { /* of two bytes a letter, too */
            for (int i = 0; i < length; i++)
                whole[i] = (char)(step == 1 || i + 1 == length % 2 ? 'x' : (i + length) % 2 == 0 ? 0xc3 : 0xa9);
            whole[length] = '\0';
            char target[512];
            (void)snprintf(target, sizeof target, "%s/%s", folder, whole);
            if (length == 256) {
                expect_refused_path(target, "cannot be written: File name too long");
                continue;
            }
            replace(target, "new");
            expect_content(target, "new");
            cr_expect_eq(unlink(target), 0);
        }
    }
    remove_file(path);
}

Test(replaced_file, that_cannot_be_is_refused_before)
{
    const char *path = make_file("old");
    char target[128];
    static char deep[5000];
    expect_refused_path("", "the path is empty");
    memset(deep, 'x', sizeof deep - 1);
    expect_refused_path(deep, "the path is too long");
    expect_refused_path(".", "not a regular file");
    expect_refused_path("nowhere/file", "its folder cannot be written to: No such file");
    expect_refused_path("nowhere/", "its folder cannot be written to: No such file");
    (void)snprintf(target, sizeof target, "%s/file", path);
    expect_refused_path(target, "its folder cannot be written to: Not a directory");
    remove_file(path);
}

/* Folders whose own path is longer than a path may be, as one comes there step by step; and a link as long. */
Test(replaced_file, in_too_deep_a_folder_is_refused)
{
    enum { DEPTH = 25, STEP = 200 };
    char name[STEP + 1], link[3900], *start = realpath(".", NULL);
    memset(name, 'x', STEP);
    name[STEP] = '\0';
    for (int i = 0; i < DEPTH; i++)
        cr_assert(mkdir(name, 0777) == 0 && chdir(name) == 0);
    expect_refused_path("new", "its folder cannot be written to: File name too long");
    for (int i = 0; i < DEPTH; i++)
        cr_assert(chdir("..") == 0 && (i + 2 > DEPTH || rmdir(name) == 0));
    cr_assert(chdir(name) == 0);
    memset(link, '/', sizeof link - 1);
    memcpy(link, "x", 1);
    memcpy(link + sizeof link - 6, "file", 5);
    link[sizeof link - 1] = '\0';
    cr_assert_eq(symlink(link, "long"), 0);
    expect_refused_path("long", "cannot be followed: File name too long");
    cr_assert(unlink("long") == 0 && chdir(start) == 0 && rmdir(name) == 0);
    free(start);
}
