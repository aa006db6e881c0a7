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

#include "tests/support/failing.h"
#include "tests/support/zc_test.h"

/* What the wrapped calls do. */
static struct faults {
    bool is_on;
    int calls, fail_at; /* fail_at 0: none */
    int error;
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
    return fails() ? -1 : __real_pread(file, bytes, count, at);
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
