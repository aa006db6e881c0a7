/*
 * Saving files where the operating system fails: each of its calls in turn, writes that come short or are interrupted.
 * Whatever happens the path holds the old file or the complete new one, and no temporary is left.
 *
 * The linker's --wrap puts the calls below in the place of those of the objects under test.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/failing.h"
#include "tests/support/zc_test.h"

/* Faults and log of the wrapped calls, for the thread that tests. */
static struct faults {
    bool is_on;
    int calls, fail_at; /* fail_at 0: none */
    bool is_sticky;     /* all calls after it fail, too */
    int error;
    int64_t most_bytes; /* of one write; 0: all of them */
    bool interrupts;    /* every second write */
    bool is_closed_off; /* the folder: nothing can be written there */
    int writes;
    char log[4096]; /* a letter per call; a run of writes is one */
} faults;

static bool fails(char letter)
{
    if (!faults.is_on)
        return false;
    size_t used = strlen(faults.log);
    if (used + 1 < sizeof faults.log && !(letter == 'w' && used > 0 && faults.log[used - 1] == 'w')) {
        faults.log[used] = letter;
        faults.log[used + 1] = '\0';
    }
    ++faults.calls;
    if (faults.fail_at == 0 || faults.calls < faults.fail_at || (faults.calls > faults.fail_at && !faults.is_sticky))
        return false;
    errno = faults.error;
    return true;
}

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_close(int file);
int __wrap_close(int file);
ssize_t __real_write(int file, const void *bytes, size_t count);
ssize_t __wrap_write(int file, const void *bytes, size_t count);
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_fchmod(int file, mode_t mode);
int __wrap_fchmod(int file, mode_t mode);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? (mode_t)va_arg(arguments, int) : 0;
    va_end(arguments);
    return fails((flags & O_DIRECTORY) != 0 ? 'd' : 'o') ? -1 : __real_open(path, flags, mode);
}

int __wrap_access(const char *path, int mode)
{
    if (faults.is_on && faults.is_closed_off) {
        errno = EROFS;
        return -1;
    }
    return __real_access(path, mode);
}

int __wrap_close(int file)
{
    int result = __real_close(file); /* a file is closed also when that fails */
    return fails('c') ? -1 : result;
}

ssize_t __wrap_write(int file, const void *bytes, size_t count)
{
    if (fails('w'))
        return -1;
    if (faults.is_on && faults.interrupts && ++faults.writes % 2 == 1) {
        errno = EINTR;
        return -1;
    }
    bool is_short = faults.is_on && faults.most_bytes > 0 && (int64_t)count > faults.most_bytes;
    return __real_write(file, bytes, is_short ? (size_t)faults.most_bytes : count);
}

int __wrap_fsync(int file)
{
    return fails('s') ? -1 : __real_fsync(file);
}

int __wrap_fchmod(int file, mode_t mode)
{
    return fails('m') ? -1 : __real_fchmod(file, mode);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails('r') ? -1 : __real_rename(from, to);
}

/* ---- Files ---- */

enum { ELEMENTS = 1000 };

static void path_of(char *path, size_t room)
{
    (void)snprintf(path, room, "npy_save-%ld/out.npy", (long)getpid());
}

/* A folder of its own, with the old file or without. */
static void make_folder(const char *old)
{
    char path[64];
    path_of(path, sizeof path);
    char folder[64];
    (void)snprintf(folder, sizeof folder, "npy_save-%ld", (long)getpid());
    (void)mkdir(folder, 0777);
    (void)unlink(path);
    if (old == NULL)
        return;
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL && fputs(old, file) >= 0 && fclose(file) == 0);
}

static int count_files(void)
{
    char folder[64];
    (void)snprintf(folder, sizeof folder, "npy_save-%ld", (long)getpid());
    int count = 0;
    DIR *all = opendir(folder);
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;)
        count += entry->d_name[0] != '.';
    if (all != NULL)
        (void)closedir(all);
    return count;
}

static void remove_folder(void)
{
    char path[64];
    path_of(path, sizeof path);
    (void)unlink(path);
    *strrchr(path, '/') = '\0';
    cr_expect_eq(rmdir(path), 0, "something is left");
}

static bool holds(const char *text)
{
    char path[64], content[16] = "";
    path_of(path, sizeof path);
    FILE *file = fopen(path, "r");
    size_t length = file == NULL ? 0 : fread(content, 1, sizeof content - 1, file);
    if (file != NULL)
        (void)fclose(file);
    return text == NULL ? file == NULL : length == strlen(text) && strcmp(content, text) == 0;
}

static bool holds_all(zc_context *ctx)
{
    char path[64];
    path_of(path, sizeof path);
    zc_tensor *t = zc_npy_open(ctx, path);
    bool right = t != NULL && zc_size(t) == ELEMENTS;
    for (int64_t i = 0; right && i < ELEMENTS; i++)
        right = ((const int64_t *)zc_data(t))[i] == i * i;
    zc_release(t);
    return right;
}

/* Saves the squares with the faults that were set. */
static zc_status save(zc_context *ctx)
{
    char path[64];
    path_of(path, sizeof path);
    zc_tensor *i = zc_iota(ctx, ELEMENTS), *squares = zc_square(i);
    faults.is_on = true;
    zc_status status = zc_npy_save(squares, path);
    faults.is_on = false;
    zc_release(i);
    zc_release(squares);
    return status;
}

/* ---- Two files at once ---- */

static void path_of_second(char *path, size_t room)
{
    path_of(path, room);
    (void)snprintf(strrchr(path, '/'), 10, "/two.npy");
}

/* Saves the squares and their negatives with the faults that were set. */
static zc_status save_both(zc_context *ctx)
{
    char path[64], second[64];
    path_of(path, sizeof path);
    path_of_second(second, sizeof second);
    zc_tensor *i = zc_iota(ctx, ELEMENTS), *squares = zc_square(i), *negatives = zc_negative(squares);
    faults.is_on = true;
    zc_status status =
        zc_save_all(2, (const zc_tensor *const[]){squares, negatives}, (const char *const[]){path, second});
    faults.is_on = false;
    zc_release(i);
    zc_release(squares);
    zc_release(negatives);
    return status;
}

static bool second_is_there(void)
{
    char path[64];
    path_of_second(path, sizeof path);
    return access(path, F_OK) == 0;
}

/* ---- The tests ---- */

/* Synced before it has its name, and the folder after. */
Test(npy_save, writes_syncs_renames_and_syncs_the_folder)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    make_folder(NULL);
    faults = (struct faults){.calls = 0};
    cr_assert_eq(save(ctx), ZC_OK, "%s", zc_error_text(ctx));
    cr_expect_str_eq(faults.log, "owscrdsc");
    cr_expect(holds_all(ctx));
    faults = (struct faults){.calls = 0};
    cr_assert_eq(save(ctx), ZC_OK, "%s", zc_error_text(ctx));
    cr_expect_str_eq(faults.log, "owmscrdsc", "a file that is replaced hands on its permissions");
    zc_context_free(ctx);
    remove_folder();
}

static void fail_each_call(const char *old)
{
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    int refused = 0;
    bool is_through = false;
    for (int k = 1; !is_through; k++) {
        make_folder(old);
        faults = (struct faults){.fail_at = k, .error = k % 2 == 0 ? ENOSPC : EIO};
        int64_t blocks = state.blocks;
        zc_status status = save(ctx);
        zc_context_trim(ctx); /* the plan, which is kept */
        cr_expect_eq(state.blocks, blocks);
        is_through = faults.calls < k;
        if (status == ZC_OK) {
            cr_expect(holds_all(ctx), "call %d failed, and the file is not what it should be", k);
            cr_expect_eq(count_files(), 1);
            continue;
        }
        refused++;
        cr_expect(status == ZC_ERROR_FILE && zc_error_status(ctx) == ZC_ERROR_FILE);
        const char *reason = k % 2 == 0 ? "No space left on device" : "Input/output error";
        cr_expect_not_null(strstr(zc_error_text(ctx), reason), "call %d: %s", k, zc_error_text(ctx));
        cr_expect(holds(old), "call %d failed, and the old file is not what it was", k);
        cr_expect_eq(count_files(), old != NULL ? 1 : 0, "call %d failed, and a temporary is left", k);
        zc_error_clear(ctx);
    }
    cr_expect_geq(refused, 6, "open, two writes, sync, close, rename");
    zc_context_free(ctx);
    remove_folder();
}

Test(npy_save, leaves_the_old_file_whichever_call_fails)
{
    fail_each_call("old");
}

Test(npy_save, leaves_nothing_where_nothing_was)
{
    fail_each_call(NULL);
}

/* Bools are written piece by piece. */
Test(npy_save, of_bools_leaves_the_old_file_whichever_call_fails)
{
    char path[64];
    path_of(path, sizeof path);
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_tensor *i = zc_iota(ctx, 100000), *truths = zc_equal(i, i);
    int refused = 0;
    bool is_through = false;
    for (int k = 1; !is_through; k++) {
        make_folder("old");
        faults = (struct faults){.fail_at = k, .error = EIO, .is_on = true};
        const zc_status status = zc_npy_save(truths, path);
        faults.is_on = false;
        is_through = faults.calls < k;
        if (status == ZC_OK)
            continue;
        refused++;
        cr_expect_eq(status, ZC_ERROR_FILE, "call %d: %s", k, zc_error_text(ctx));
        cr_expect(holds("old") && count_files() == 1, "call %d", k);
        zc_error_clear(ctx);
    }
    cr_expect_geq(refused, 12, "open, eight writes, sync, close, rename");
    zc_release(truths);
    zc_release(i);
    zc_context_free(ctx);
    remove_folder();
}

Test(npy_save, goes_on_after_short_and_interrupted_writes)
{
    static const int64_t most[] = {1, 7, 4096, 0};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        make_folder("old");
        faults = (struct faults){.most_bytes = most[i], .interrupts = true};
        cr_expect_eq(save(ctx), ZC_OK, "%s", zc_error_text(ctx));
        cr_expect(holds_all(ctx), "at most %ld bytes at a time", (long)most[i]);
        cr_expect_gt(faults.writes, 3);
    }
    zc_context_free(ctx);
    remove_folder();
}

/* A write and then closing, too; every name for the temporary taken; the folder closed off: one sentence each. */
Test(npy_save, leaves_the_old_file_when_several_calls_fail)
{
    static const struct {
        struct faults faults;
        const char *sentence;
    } rows[] = {
        {{.fail_at = 2, .is_sticky = true, .error = ENOSPC}, "cannot be written: No space left on device"},
        {{.fail_at = 1, .is_sticky = true, .error = EEXIST}, "cannot be created: File exists"},
        {{.fail_at = 1, .error = EACCES}, "cannot be created: Permission denied"},
        {{.is_closed_off = true}, "its folder cannot be written to: Read-only file system"},
    };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    make_folder("old");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        faults = rows[i].faults;
        cr_expect_eq(save(ctx), ZC_ERROR_FILE);
        cr_expect_not_null(strstr(zc_error_text(ctx), rows[i].sentence), "%s", zc_error_text(ctx));
        cr_expect(holds("old"));
        cr_expect_eq(count_files(), 1, "a temporary is left");
        zc_error_clear(ctx);
    }
    zc_context_free(ctx);
    remove_folder();
}

/* Both are written and synced before the first has its name. Only when a name is refused then may one be there alone.
 */
Test(npy_save, of_several_files_replaces_none_before_all_are_written)
{
    char second[64];
    path_of_second(second, sizeof second);
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    bool is_through = false;
    for (int k = 1; !is_through; k++) {
        make_folder("old");
        (void)unlink(second);
        faults = (struct faults){.fail_at = k, .error = EIO};
        zc_status status = save_both(ctx);
        is_through = faults.calls < k;
        bool has_name = strchr(faults.log, 'd') != NULL; /* the folder is synced when a file has its name */
        cr_expect_eq(status, status == ZC_OK ? ZC_OK : ZC_ERROR_FILE);
        cr_expect(has_name ? holds_all(ctx) : holds("old"), "call %d of %s", k, faults.log);
        cr_expect_eq(second_is_there(), status == ZC_OK, "call %d of %s", k, faults.log);
        cr_expect_eq(count_files(), status == ZC_OK ? 2 : 1, "call %d of %s: a temporary is left", k, faults.log);
        zc_error_clear(ctx);
    }
    cr_expect_str_eq(faults.log, "owmscowscrdscrdsc");
    zc_context_free(ctx);
    (void)unlink(second);
    remove_folder();
}

/* Names that no file has, and one in the topmost folder, which is not written here. */
Test(npy_save, refuses_names_of_no_file)
{
    char path[8192];
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_tensor *x = zc_iota(ctx, 2);
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    cr_expect_eq(zc_npy_save(x, path), ZC_ERROR_FILE);
    cr_expect_str_eq(zc_error_text(ctx), "npy_save: the path is too long");
    zc_error_clear(ctx);
    cr_expect_eq(zc_npy_save(x, ""), ZC_ERROR_FILE);
    cr_expect_str_eq(zc_error_text(ctx), "npy_save: the path is empty");
    zc_error_clear(ctx);
    faults = (struct faults){.is_on = true, .is_closed_off = true};
    cr_expect_eq(zc_npy_save(x, "/zerocast-test.npy"), ZC_ERROR_FILE);
    faults.is_on = false;
    cr_expect_str_eq(zc_error_text(ctx),
                     "npy_save: /zerocast-test.npy: its folder cannot be written to: Read-only file system");
    zc_release(x);
    zc_context_free(ctx);
}
