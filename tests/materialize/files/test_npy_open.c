/*
 * Opening files where the operating system fails: each of its calls in turn. Whatever happens there is a sentence, and
 * the file is closed; a read that is interrupted goes on.
 *
 * The linker's --wrap puts the calls below in the place of those of the objects under test.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/api/archives.h"
#include "tests/support/failing.h"
#include "tests/support/zc_test.h"

/* Faults of the wrapped calls. */
static struct faults {
    bool is_on;
    int calls, fail_at; /* fail_at 0: none */
    int error;          /* 0: a read ends there, as that of a file which has become shorter */
} faults;

static bool fails(void)
{
    if (!faults.is_on || ++faults.calls != faults.fail_at)
        return false;
    errno = faults.error;
    return true;
}

int __real_fstat(int file, struct stat *status);
int __wrap_fstat(int file, struct stat *status);
ssize_t __real_pread(int file, void *bytes, size_t count, off_t at);
ssize_t __wrap_pread(int file, void *bytes, size_t count, off_t at);
void *__real_mmap(void *wanted, size_t bytes, int access, int flags, int file, off_t at);
void *__wrap_mmap(void *wanted, size_t bytes, int access, int flags, int file, off_t at);

int __wrap_fstat(int file, struct stat *status)
{
    return fails() ? -1 : __real_fstat(file, status);
}

ssize_t __wrap_pread(int file, void *bytes, size_t count, off_t at)
{
    if (fails())
        return faults.error == 0 ? 0 : -1;
    return __real_pread(file, bytes, count, at);
}

void *__wrap_mmap(void *wanted, size_t bytes, int access, int flags, int file, off_t at)
{
    return fails() ? MAP_FAILED : __real_mmap(wanted, bytes, access, flags, file, at);
}

/* ---- The tests ---- */

static const char *path_of_file(zc_context *ctx)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "npy_open-%ld.npy", (long)getpid());
    zc_tensor *numbers = zc_iota(ctx, 5);
    cr_assert_eq(zc_npy_save(numbers, path), ZC_OK, "%s", zc_error_text(ctx));
    zc_release(numbers);
    return path;
}

/* The number that the next file gets: the same before and after says that none is left open. */
static int next_file(void)
{
    int file = dup(STDERR_FILENO);
    (void)close(file);
    return file;
}

typedef zc_tensor *opener(zc_context *ctx, const char *path);

static zc_tensor *open_with(opener *open, zc_context *ctx, const char *path, int fail_at, int error)
{
    faults = (struct faults){.is_on = true, .fail_at = fail_at, .error = error};
    zc_tensor *t = open(ctx, path);
    faults.is_on = false;
    return t;
}

/* what: of each call. */
static void fail_each_call(opener *open, const char *name, int count, const char *const *what)
{
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    const char *path = path_of_file(ctx);
    int file = next_file();
    int64_t blocks = state.blocks;
    for (int call = 1; call <= count; call++) {
        char sentence[128];
        (void)snprintf(sentence, sizeof sentence, "%s: %s: %s: Input/output error", name, path, what[call - 1]);
        cr_expect_null(open_with(open, ctx, path, call, EIO));
        cr_expect_eq(zc_error_status(ctx), ZC_ERROR_FILE);
        cr_expect_str_eq(zc_error_text(ctx), sentence);
        cr_expect_eq(next_file(), file, "call %d: a file is left open", call);
        cr_expect_eq(state.blocks, blocks, "call %d: memory is left", call);
        zc_error_clear(ctx);
    }
    (void)unlink(path);
    zc_context_free(ctx);
    cr_expect(state.blocks == 0 && state.faults == 0);
}

/* fstat, the prefix of the header, all of it, and the mapping; before them, for any format, the bytes that tell which.
 */
Test(npy_open, tells_which_call_failed)
{
    static const char *const what[] = {"cannot be examined", "cannot be read", "cannot be read", "cannot be read",
                                       "cannot be mapped"};
    fail_each_call(zc_open, "open", 5, what);
    static const char *const of_npy[] = {"cannot be examined", "cannot be read", "cannot be read", "cannot be mapped"};
    fail_each_call(zc_npy_open, "npy_open", 4, of_npy);
}

Test(npy_open, goes_on_after_an_interruption)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    const char *path = path_of_file(ctx);
    for (int call = 2; call <= 4; call++) {
        zc_tensor *t = open_with(zc_open, ctx, path, call, EINTR);
        cr_assert_not_null(t, "%s", zc_error_text(ctx));
        cr_expect_eq(((const int64_t *)zc_data(t))[4], 4);
        zc_release(t);
    }
    (void)unlink(path);
    zc_context_free(ctx);
}

/* ---- Formats ---- */

static bool give_back(void *user, const char *name, zc_tensor *t)
{
    (void)user;
    (void)name;
    zc_release(t);
    return true;
}

static zc_status open_all(zc_context *ctx, const char *path)
{
    return zc_open_members(ctx, path, give_back, NULL);
}

static zc_status read_info(zc_context *ctx, const char *path)
{
    zc_file_info info;
    return zc_read_info(ctx, path, &info);
}

/* Writes a file of each format: an archive with a stored member and a deflated one. Whether that format is built in. */
static bool write_file(zc_context *ctx, const char *path)
{
    static archive a;
    unsigned char member[256];
    const zc_tensor *image = zc_full(ctx, ZC_SHAPE(8, 8), ZC_UINT8, 7);
    if (strstr(path, ".npz") == NULL) {
        const bool is_written = zc_save(image, path) == ZC_OK;
        zc_error_clear(ctx);
        return is_written;
    }
    const size_t bytes = npy_of(member, "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }", "\1\2\3\4", 4);
    a = (archive){.count = 0};
    archive_store(&a, "stored.npy", member, bytes);
    archive_deflate(&a, "deflated.npy", member, bytes);
    archive_write(&a, path);
    return true;
}

/* Lets each call fail in turn; returns how many did. */
static int fail_each_read(zc_context *ctx, zc_status (*run)(zc_context *ctx, const char *path), const char *path,
                          int error)
{
    const int file = next_file();
    for (int k = 1;; k++) {
        faults = (struct faults){.is_on = true, .fail_at = k, .error = error};
        const zc_status status = run(ctx, path);
        faults.is_on = false;
        if (faults.calls < k) {
            cr_expect_eq(status, ZC_OK, "%s", zc_error_text(ctx));
            return k - 1;
        }
        cr_expect(status == ZC_ERROR_FILE || (error == 0 && (status == ZC_OK || status == ZC_ERROR_FORMAT)),
                  "%s, call %d: %s", path, k, zc_error_text(ctx));
        cr_expect(status == ZC_OK || strstr(zc_error_text(ctx), strstr(path, "npy_open")) != NULL, "%s",
                  zc_error_text(ctx));
        cr_expect_eq(next_file(), file, "%s, call %d: a file is left open", path, k);
        zc_error_clear(ctx);
    }
}

Test(npy_open, names_the_file_whose_reads_fail_or_end_early)
{
    static const char *const endings[] = {"npy", "npz", "safetensors", "csv", "png"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        zc_failing state = {0};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
        zc_scope *scope = zc_scope_begin(ctx);
        char path[64];
        (void)snprintf(path, sizeof path, "npy_open-%ld.%s", (long)getpid(), endings[i]);
        const bool is_written = write_file(ctx, path);
        for (int error = 0; is_written && error <= EIO; error += EIO) {
            char named[80], other[80];
            (void)snprintf(named, sizeof named, "%s:%s", endings[i], path);
            (void)snprintf(other, sizeof other, "%s:%s", i == 0 ? "png" : "npy", path);
            cr_expect_geq(fail_each_read(ctx, open_all, path, error), 2, "%s", path);
            cr_expect_geq(fail_each_read(ctx, open_all, named, error), 1, "%s", path);
            cr_expect_eq(open_all(ctx, other), ZC_ERROR_FORMAT);
            zc_error_clear(ctx);
            if (strcmp(endings[i], "npz") != 0 && strcmp(endings[i], "safetensors") != 0)
                cr_expect_geq(fail_each_read(ctx, read_info, path, error), 2, "%s", path);
        }
        (void)unlink(path);
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_expect(state.blocks == 0 && state.faults == 0, "%s", path);
    }
}
