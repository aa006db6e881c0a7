/* Arrays of files by name: paths with a member, what a file holds, and several tensors in one file. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/api/archives.h"
#include "tests/api/values.h"

static char folder[64];

/* Goes into a folder of the test's own. */
static bench begin_in(const char *name)
{
    (void)snprintf(folder, sizeof folder, "members-%ld-%s", (long)getpid(), name);
    cr_assert(mkdir(folder, 0777) == 0 && chdir(folder) == 0);
    return begin();
}

static void finish_in(bench b)
{
    finish(b);
    cr_expect(chdir("..") == 0 && rmdir(folder) == 0);
}

static void expect_told(bench b, zc_status status, const char *sentence)
{
    cr_expect_eq(zc_error_status(b.ctx), status, "%s, not %s", zc_error_text(b.ctx), sentence);
    cr_expect_not_null(strstr(zc_error_text(b.ctx), sentence), "%s, not %s", zc_error_text(b.ctx), sentence);
    zc_error_clear(b.ctx);
}

/* One array, of that value. */
static void save_one(bench b, const char *path, const char *name, double value)
{
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, value);
    cr_assert_eq(zc_save_members(1, (const zc_tensor *const[]){x}, &name, "new.npz"), ZC_OK, "%s",
                 zc_error_text(b.ctx));
    cr_assert_eq(rename("new.npz", path), 0);
}

/* A path that exists is a file; else the last colon that follows a file ends it. */
Test(members, are_named_behind_the_last_colon_that_follows_a_file)
{
    bench b = begin_in("colon");
    save_one(b, "a", "b:c", 1);
    EXPECT(zc_open(b.ctx, "a:b:c"), 1);
    save_one(b, "a:b", "c", 2);
    EXPECT(zc_open(b.ctx, "a:b:c"), 2);
    save_one(b, "a:b:c", "x", 3);
    EXPECT(zc_open(b.ctx, "a:b:c"), 3);
    EXPECT(zc_open(b.ctx, "a:b:c:x"), 3);
    EXPECT(zc_open(b.ctx, "./a:b:c:x"), 3);
    cr_expect_null(zc_open(b.ctx, "a:"));
    expect_told(b, ZC_ERROR_FILE, "open: a:: cannot be opened: No such file or directory");
    cr_expect_null(zc_open(b.ctx, ":a"));
    expect_told(b, ZC_ERROR_FILE, "open: :a: cannot be opened: No such file or directory");
    cr_expect_null(zc_open(b.ctx, "../.:a"));
    expect_told(b, ZC_ERROR_FILE, "open: ../.:a: cannot be opened: No such file or directory");
    (void)unlink("a"), (void)unlink("a:b"), (void)unlink("a:b:c");
    finish_in(b);
}

/* FORMAT:FILE, FORMAT:DETAILS:FILE, and what only looks like them. */
Test(members, are_in_files_whose_format_the_path_says)
{
    static char path[700], endless[600];
    bench b = begin_in("format");
    const zc_tensor *x = zc_reshape(OF(b.ctx, ZC_INT64, 1, 2, 3, 4), ZC_SHAPE(2, 2));
    cr_assert(zc_save(x, "t.csv") == ZC_OK && rename("t.csv", "t") == 0);
    EXPECT(zc_open(b.ctx, "csv:t"), 1, 2, 3, 4);
    cr_expect_null(zc_open(b.ctx, "csv:t:b"));
    expect_told(b, ZC_ERROR_FORMAT, "open: t: its first line is no header, so no column has the name 'b'");
    cr_expect_null(zc_open(b.ctx, "npz:t"));
    expect_told(b, ZC_ERROR_FORMAT, "open: t: not a .npz file");
    cr_expect_null(zc_open(b.ctx, "csv:missing"));
    expect_told(b, ZC_ERROR_FILE, "open: missing: cannot be opened: No such file or directory");
    cr_expect_null(zc_open(b.ctx, "csv:missing:b"));
    expect_told(b, ZC_ERROR_FILE, "open: missing:b: cannot be opened: No such file or directory");
    cr_expect_null(zc_open(b.ctx, "csv:."));
    expect_told(b, ZC_ERROR_FILE, "open: .: ");
    cr_expect_null(zc_open(b.ctx, "raw:u1:3:missing"));
    expect_told(b, ZC_ERROR_FILE, "open: missing: cannot be opened: No such file or directory");
    cr_expect_null(zc_open(b.ctx, "raw:u1:t"));
    expect_told(b, ZC_ERROR_FILE, "open: raw:u1:t: cannot be opened: No such file or directory");
    memset(endless, '1', sizeof endless - 1);
    (void)snprintf(path, sizeof path, "raw:u1:%s:t", endless);
    cr_expect_null(zc_open(b.ctx, path));
    expect_told(b, ZC_ERROR_FILE, "open: raw:u1:1111");
    (void)unlink("t");
    finish_in(b);
}

/* A name may be longer than those of files. */
Test(members, have_names_of_any_length)
{
    bench b = begin_in("long");
    static char name[6000], path[6100];
    for (size_t length = 100; length < sizeof name; length += 1900) {
        memset(name, 'n', length);
        save_one(b, "a.npz", name, 1);
        (void)snprintf(path, sizeof path, "a.npz:%s", name);
        EXPECT(zc_open(b.ctx, path), 1);
    }
    (void)snprintf(path, sizeof path, "%.5000s:%.100s", name, name);
    cr_expect_null(zc_open(b.ctx, path));
    expect_told(b, ZC_ERROR_FILE, "open: nnn");
    (void)unlink("a.npz");
    finish_in(b);
}

Test(members, of_a_format_without_are_refused)
{
    bench b = begin_in("without");
    zc_file_info info;
    cr_assert_eq(zc_save(zc_iota(b.ctx, 2), "a.npy"), ZC_OK);
    cr_expect_null(zc_open(b.ctx, "a.npy:x"));
    expect_told(b, ZC_ERROR_FORMAT, "open: a.npy: a .npy file is one array without a name, so none of it is 'x'");
    cr_expect_eq(zc_read_info(b.ctx, "a.npy:x", &info), ZC_ERROR_FORMAT);
    expect_told(b, ZC_ERROR_FORMAT, "read_info: a.npy: a .npy file is one array without a name");
    cr_expect_null(zc_npy_open(b.ctx, "a.npy:x"), "a path is a path");
    expect_told(b, ZC_ERROR_FILE, "npy_open: a.npy:x: cannot be opened");
    (void)unlink("a.npy");
    finish_in(b);
}

/* ---- What a file holds ---- */

/* Members as they are shown, in one line. */
typedef struct shown {
    char text[256];
    int left; /* members that are wanted still */
} shown;

static bool show(void *user, const char *name, const zc_file_info *info)
{
    shown *s = user;
    const size_t used = strlen(s->text);
    (void)snprintf(s->text + used, sizeof s->text - used, "%s %s %s;", name == NULL ? "-" : name,
                   info == NULL ? "?" : zc_dtype_name(info->dtype), info == NULL ? "?" : info->format);
    return --s->left != 0;
}

static void expect_shown(bench b, const char *path, int most, const char *wanted)
{
    shown s = {.left = most};
    cr_expect_eq(zc_read_members(b.ctx, path, show, &s), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_str_eq(s.text, wanted);
}

Test(members, are_shown_in_the_order_of_the_file)
{
    bench b = begin_in("shown");
    static archive a;
    static unsigned char npy[256];
    const char *const names[] = {"b", "a"};
    const zc_tensor *const two[] = {OF(b.ctx, ZC_INT8, 1), OF(b.ctx, ZC_FLOAT32, 1)};
    cr_assert_eq(zc_save_members(2, two, names, "t.npz"), ZC_OK);
    cr_assert_eq(zc_save_members(2, two, names, "t.safetensors"), ZC_OK);
    cr_assert_eq(zc_save(two[0], "t.npy"), ZC_OK);
    expect_shown(b, "t.npz", 0, "b int8 npz;a float32 npz;");
    expect_shown(b, "t.npz", 1, "b int8 npz;");
    expect_shown(b, "t.npz:a", 0, "a float32 npz;");
    expect_shown(b, "t.safetensors", 0, "a float32 safetensors;b int8 safetensors;");
    expect_shown(b, "t.safetensors", 1, "a float32 safetensors;");
    expect_shown(b, "t.npy", 0, "- int8 npy;");
    const size_t bytes = npy_of(npy, "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }", "\1", 1);
    archive_store(&a, "text.txt", "no array", 8);
    archive_store(&a, "x.npy", npy, bytes);
    archive_write(&a, "t.npz");
    expect_shown(b, "t.npz", 0, "text.txt ? ?;x int8 npz;");
    shown s = {.left = 0};
    cr_expect_eq(zc_read_members(b.ctx, "t.npz:y", show, &s), ZC_ERROR_FORMAT);
    expect_told(b, ZC_ERROR_FORMAT, "read_members: t.npz: no array is named 'y'; there are text.txt, x");
    cr_expect_eq(zc_read_members(b.ctx, "missing", show, &s), ZC_ERROR_FILE);
    expect_told(b, ZC_ERROR_FILE, "read_members: missing: cannot be opened");
    cr_expect_eq(zc_read_members(b.ctx, NULL, show, &s), ZC_ERROR_ARGUMENT);
    expect_told(b, ZC_ERROR_ARGUMENT, "read_members: the path or");
    cr_expect_eq(zc_read_members(b.ctx, "t.npz", NULL, &s), ZC_ERROR_ARGUMENT);
    expect_told(b, ZC_ERROR_ARGUMENT, "read_members: the path or");
    cr_expect_eq(zc_read_members(NULL, "t.npz", show, &s), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(s.text, "");
    (void)unlink("t.npz"), (void)unlink("t.npy"), (void)unlink("t.safetensors");
    finish_in(b);
}

/* ---- Opened together ---- */

/* Arrays as they are handed on: their names and first elements in one line. */
static bool keep_first(void *user, const char *name, zc_tensor *t)
{
    shown *s = user;
    const size_t used = strlen(s->text);
    (void)snprintf(s->text + used, sizeof s->text - used, "%s %g;", name == NULL ? "-" : name,
                   t == NULL ? -1 : value_at(t, 0));
    return --s->left != 0;
}

static void expect_opened(bench b, const char *path, int most, const char *wanted)
{
    shown s = {.left = most};
    cr_expect_eq(zc_open_members(b.ctx, path, keep_first, &s), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_str_eq(s.text, wanted);
}

Test(members, are_opened_together)
{
    bench b = begin_in("opened");
    static archive a;
    static unsigned char npy[256];
    const char *const names[] = {"b", "a"};
    const zc_tensor *const two[] = {OF(b.ctx, ZC_INT8, 1), OF(b.ctx, ZC_FLOAT32, 2)};
    cr_assert_eq(zc_save_members(2, two, names, "t.npz"), ZC_OK);
    cr_assert_eq(zc_save_members(2, two, names, "t.safetensors"), ZC_OK);
    cr_assert_eq(zc_save(two[0], "t.npy"), ZC_OK);
    cr_assert_eq(zc_save(two[0], "t.raw"), ZC_OK);
    expect_opened(b, "t.npz", 0, "b 1;a 2;");
    expect_opened(b, "t.npz", 1, "b 1;");
    expect_opened(b, "t.npz:a", 0, "a 2;");
    expect_opened(b, "t.safetensors", 0, "a 2;b 1;");
    expect_opened(b, "t.npy", 0, "- 1;");
    expect_opened(b, "raw:int8:1:t.raw", 0, "- 1;");
    const size_t bytes = npy_of(npy, "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }", "\3", 1);
    archive_store(&a, "text.txt", "no array", 8);
    archive_deflate(&a, "x.npy", npy, bytes);
    archive_store(&a, "y.npy", npy, bytes);
    archive_write(&a, "t.npz");
    expect_opened(b, "t.npz", 0, "text.txt -1;x 3;y 3;");
    shown s = {.left = 0};
    cr_expect_eq(zc_open_members(b.ctx, "missing", keep_first, &s), ZC_ERROR_FILE);
    expect_told(b, ZC_ERROR_FILE, "open: missing: cannot be opened");
    cr_expect_eq(zc_open_members(b.ctx, "t.npz:z", keep_first, &s), ZC_ERROR_FORMAT);
    expect_told(b, ZC_ERROR_FORMAT, "open: t.npz: no array is named 'z'; there are text.txt, x, y");
    cr_expect_eq(zc_open_members(b.ctx, "t.npz", NULL, &s), ZC_ERROR_ARGUMENT);
    expect_told(b, ZC_ERROR_ARGUMENT, "open: the path or");
    cr_expect_eq(zc_open_members(NULL, "t.npz", keep_first, &s), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(s.text, "");
    (void)unlink("t.npz"), (void)unlink("t.npy"), (void)unlink("t.safetensors"), (void)unlink("t.raw");
    finish_in(b);
}

/* A failure ends the call; the arrays before it are the visitor's. */
Test(members, that_are_damaged_end_the_call)
{
    bench b = begin_in("damaged");
    static archive a;
    static unsigned char npy[256], packed[300];
    const size_t bytes = npy_of(npy, "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }", "\3", 1);
    const size_t length = deflated(packed, npy, bytes);
    archive_store(&a, "x.npy", npy, bytes);
    archive_add(&a, (archive_member){.name = "y.npy",
                                     .method = 8,
                                     .data = packed,
                                     .packed = length,
                                     .bytes = bytes,
                                     .crc = 1 + crc_of(npy, bytes)});
    archive_write(&a, "t.npz");
    shown s = {.left = 0};
    cr_expect_eq(zc_open_members(b.ctx, "t.npz", keep_first, &s), ZC_ERROR_FORMAT);
    expect_told(b, ZC_ERROR_FORMAT, "open: t.npz:y.npy: ");
    cr_expect_str_eq(s.text, "x 3;");
    (void)unlink("t.npz");
    finish_in(b);
}

/* A byte of deflate makes 1,032 at most: what claims more is refused before memory is taken. */
Test(members, that_claim_more_than_they_hold_are_refused)
{
    bench b = begin_in("claims");
    static archive a;
    static unsigned char npy[256], packed[300];
    const size_t bytes = npy_of(npy, "{'descr': '|i1', 'fortran_order': False, 'shape': (1073741696,), }", "\3", 1);
    archive_add(&a, (archive_member){.name = "x.npy",
                                     .method = 8,
                                     .data = packed,
                                     .packed = deflated(packed, npy, bytes),
                                     .bytes = UINT64_C(1) << 30,
                                     .crc = crc_of(npy, bytes)});
    archive_write(&a, "t.npz");
    cr_expect_null(zc_open(b.ctx, "t.npz:x"));
    expect_told(b, ZC_ERROR_FORMAT, "open: t.npz:x.npy: ");
    cr_expect_lt(zc_memory_usage(b.ctx).peak_bytes, 1 << 20);
    (void)unlink("t.npz");
    finish_in(b);
}

/* A format that a path names is that of the file. */
Test(members, of_another_format_are_refused)
{
    bench b = begin_in("named");
    char evil[4096];
    memset(evil, 0xff, 8);
    memset(evil + 8, 'A', sizeof evil - 8);
    evil[8] = '{';
    FILE *file = fopen("evil.bin", "wb");
    cr_assert(fwrite(evil, 1, sizeof evil, file) == sizeof evil && fclose(file) == 0);
    for (int i = 0; i < 4; i++) {
        static const char *const formats[] = {"safetensors", "npz", "npy", "png"};
        char path[64], sentence[64];
        (void)snprintf(path, sizeof path, "%s:evil.bin", formats[i]);
        (void)snprintf(sentence, sizeof sentence, "open: evil.bin: not a .%s file", formats[i]);
        cr_expect_null(zc_open(b.ctx, path));
        expect_told(b, ZC_ERROR_FORMAT, sentence);
    }
    (void)unlink("evil.bin");
    finish_in(b);
}

/* A file of several arrays has no only one, however long the first name. */
Test(members, with_long_names_are_several)
{
    bench b = begin_in("long");
    char name[500];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const char *const names[] = {name, "b"};
    const zc_tensor *const two[] = {OF(b.ctx, ZC_INT8, 1), OF(b.ctx, ZC_INT8, 2)};
    cr_assert_eq(zc_save_members(2, two, names, "t.npz"), ZC_OK);
    cr_expect_null(zc_open(b.ctx, "t.npz"));
    expect_told(b, ZC_ERROR_FORMAT, "open: t.npz: holds several arrays");
    (void)unlink("t.npz");
    finish_in(b);
}

/* ---- Saved ---- */

Test(members, that_cannot_be_saved_are_refused)
{
    bench b = begin_in("refused");
    static char longest[65002];
    memset(longest, 'x', sizeof longest - 1);
    zc_tensor *x = zc_square(zc_iota(b.ctx, 2));
    const zc_tensor *const two[] = {x, x};
    static const struct {
        const char *path, *names[2];
        zc_status status;
        const char *sentence;
    } rows[] = {
        {"o.npy", {"a", "b"}, ZC_ERROR_ARGUMENT, "save_members: o.npy: a .npy file is one array without a name"},
        {"o", {"a", "b"}, ZC_ERROR_ARGUMENT, "save_members: o: a .npy file is one array without a name"},
        {"o.xls", {"a", "b"}, ZC_ERROR_FORMAT, "save_members: o.xls: results are written as"},
        {"o.npz", {"a", "a"}, ZC_ERROR_ARGUMENT, "save_members: 'a' is the name of two arrays"},
        {"o.npz", {"a", ""}, ZC_ERROR_ARGUMENT, "save_members: an array has no name"},
        {"o.npz", {"a", NULL}, ZC_ERROR_ARGUMENT, "save_members: an array has no name"},
        {"o.npz", {"a", "\xff"}, ZC_ERROR_ARGUMENT, "save_members: a name is not UTF-8"},
        {"o.npz", {"a", longest}, ZC_ERROR_ARGUMENT, "save_members: a name of 65001 bytes is longer than"},
        {"missing/o.npz", {"a", "b"}, ZC_ERROR_FILE, "save_members: missing/o.npz: its folder"},
        {NULL, {"a", "b"}, ZC_ERROR_ARGUMENT, "save_members: the path is NULL"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(zc_save_members(2, two, rows[i].names, rows[i].path), rows[i].status);
        expect_told(b, rows[i].status, rows[i].sentence);
    }
    cr_expect_eq(zc_save_members(2, two, NULL, "o.npz"), ZC_ERROR_ARGUMENT);
    expect_told(b, ZC_ERROR_ARGUMENT, "save_members: an array has no name");
    cr_expect_eq(zc_save_members(0, NULL, NULL, "o.npz"), ZC_ERROR_ARGUMENT);
    cr_expect(access("o.npz", F_OK) != 0 && access("o.npy", F_OK) != 0 && access("o", F_OK) != 0);
    finish_in(b);
}

/* The file that is read is replaced: what was mapped stays. */
Test(members, are_replaced_by_what_is_computed_from_them)
{
    static const char *const paths[] = {"self.npz", "self.safetensors"};
    bench b = begin_in("self");
    for (int i = 0; i < 2; i++) {
        const char *const names[] = {"x", "y"};
        zc_tensor *numbers = zc_iota(b.ctx, 3);
        cr_assert_eq(zc_save_members(2, (const zc_tensor *const[]){numbers, numbers}, names, paths[i]), ZC_OK);
        char path[32];
        (void)snprintf(path, sizeof path, "%s:y", paths[i]);
        zc_tensor *y = zc_open(b.ctx, path);
        cr_assert_eq(zc_save(zc_add(y, y), paths[i]), ZC_OK, "%s", zc_error_text(b.ctx));
        EXPECT(y, 0, 1, 2);
        EXPECT(zc_open(b.ctx, paths[i]), 0, 2, 4);
        (void)unlink(paths[i]);
    }
    finish_in(b);
}
