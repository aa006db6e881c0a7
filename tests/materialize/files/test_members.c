/*
 * Files of several arrays where memory is out or the disk is full: each allocation and each write in turn. Whatever
 * happens the path holds the old file or the complete new one, and nothing is left behind.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/api/archives.h"
#include "tests/support/failing.h"
#include "tests/support/zc_test.h"

static const char *path_of(const char *ending)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "members-%ld.%s", (long)getpid(), ending);
    return path;
}

static void write_file(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

/* The number of a file's bytes, or -1. */
static int64_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (int64_t)status.st_size : -1;
}

static zc_status save_both(zc_context *ctx, const char *path)
{
    const char *const names[] = {"one", "two"};
    zc_tensor *i = zc_iota(ctx, 1000), *squares = zc_square(i), *truths = zc_equal(i, squares);
    const zc_tensor *const both[] = {truths, squares};
    zc_status status =
        i == NULL || squares == NULL || truths == NULL ? ZC_ERROR_MEMORY : zc_save_members(2, both, names, path);
    zc_release(i);
    zc_release(squares);
    zc_release(truths);
    return status;
}

/* Calls the library; ZC_OK: it is done. */
typedef zc_status action(zc_context *ctx, const char *path);

static bool count_member(void *user, const char *name, const zc_file_info *info)
{
    (void)name;
    *(int *)user += info != NULL;
    return true;
}

static zc_status open_only(zc_context *ctx, const char *path)
{
    zc_tensor *t = zc_open(ctx, path);
    const zc_status status = t != NULL ? ZC_OK : zc_error_status(ctx);
    zc_release(t);
    return status;
}

static zc_status open_two(zc_context *ctx, const char *path)
{
    char name[80];
    (void)snprintf(name, sizeof name, "%s:two", path);
    return open_only(ctx, name);
}

/* Shows all members, of which there are `wanted`. */
static zc_status show(zc_context *ctx, const char *path, int wanted)
{
    int count = 0;
    zc_status status = zc_read_members(ctx, path, count_member, &count);
    cr_expect(status != ZC_OK || count == wanted);
    return status;
}

static zc_status show_all(zc_context *ctx, const char *path)
{
    return show(ctx, path, 2);
}

/* Names are told while memory is out. */
static zc_status open_nothing(zc_context *ctx, const char *path)
{
    char name[80];
    (void)snprintf(name, sizeof name, "%s:three", path);
    zc_tensor *t = zc_open(ctx, name);
    cr_expect_null(t);
    const zc_status status = zc_error_status(ctx);
    return status == ZC_ERROR_FORMAT ? ZC_OK : status;
}

/* Lets each allocation of the action fail, then none. */
static void fail_each_allocation(action *act, const char *path, bool saves)
{
    const int64_t old = size_of(path);
    zc_status status = ZC_ERROR_MEMORY;
    int refused = 0;
    for (int64_t k = 1; status != ZC_OK; k++) {
        zc_failing state = {0};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
        state.fail_at = state.calls + k;
        status = act(ctx, path);
        state.fail_at = 0;
        if (status != ZC_OK) {
            refused++;
            cr_expect_eq(status, ZC_ERROR_MEMORY, "allocation %lld: %s", (long long)k, zc_error_text(ctx));
            cr_expect(!saves || size_of(path) == old, "allocation %lld failed, and the file is another one",
                      (long long)k);
        }
        zc_context_free(ctx);
        cr_expect(state.blocks == 0 && state.faults == 0, "allocation %lld: memory is left", (long long)k);
    }
    cr_expect_geq(refused, 1);
}

static const char *const endings[] = {"npz", "safetensors"};

Test(members, are_saved_or_not_whichever_allocation_fails)
{
    for (int i = 0; i < 2; i++) {
        const char *path = path_of(endings[i]);
        write_file(path, "old", 3);
        fail_each_allocation(save_both, path, true);
        cr_expect_gt(size_of(path), 3);
        (void)unlink(path);
    }
}

Test(members, are_opened_or_not_whichever_allocation_fails)
{
    for (int i = 0; i < 2; i++) {
        const char *path = path_of(endings[i]);
        zc_context *ctx = zc_context_new(NULL);
        cr_assert_eq(save_both(ctx, path), ZC_OK);
        fail_each_allocation(open_two, path, false);
        fail_each_allocation(show_all, path, false);
        fail_each_allocation(open_nothing, path, false);
        zc_tensor *t = zc_iota(ctx, 3);
        cr_assert_eq(zc_save(t, path), ZC_OK);
        fail_each_allocation(open_only, path, false);
        zc_release(t);
        zc_context_free(ctx);
        (void)unlink(path);
    }
}

Test(members, are_inflated_or_not_whichever_allocation_fails)
{
    static archive a;
    static unsigned char npy[256];
    const char *path = path_of("npz");
    archive_deflate(&a, "two.npy", npy,
                    npy_of(npy, "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", "\1\0\2\0", 4));
    archive_finish(&a);
    write_file(path, a.bytes, a.length);
    fail_each_allocation(open_two, path, false);
    (void)unlink(path);
}

/* ---- Many ---- */

enum { MOST_MANY = 70, MOST_NAME = 3000 };

/* Members of a file, and bytes of their names: another block of memory begins at another place each time. */
static int many;
static int name_bytes;

/* n, n ... and a number */
static const char *const *long_names(void)
{
    static char text[MOST_MANY][MOST_NAME + 1];
    static const char *names[MOST_MANY];
    for (int i = 0; i < many; i++) {
        memset(text[i], 'n', (size_t)name_bytes);
        (void)snprintf(text[i] + name_bytes - 4, 5, "%04d", i);
        names[i] = text[i];
    }
    return names;
}

static zc_status save_many(zc_context *ctx, const char *path)
{
    const zc_tensor *all[MOST_MANY];
    zc_tensor *x = zc_full(ctx, ZC_SHAPE(1, 1, 1, 1, 1, 1, 1, 1), ZC_FLOAT32, 7);
    for (int i = 0; i < many; i++)
        all[i] = x;
    zc_status status = x == NULL ? ZC_ERROR_MEMORY : zc_save_members(many, all, long_names(), path);
    zc_release(x);
    return status;
}

static zc_status open_last(zc_context *ctx, const char *path)
{
    char name[MOST_NAME + 80];
    (void)snprintf(name, sizeof name, "%s:%s", path, long_names()[many - 1]);
    return open_only(ctx, name);
}

static zc_status show_many(zc_context *ctx, const char *path)
{
    return show(ctx, path, many);
}

static bool release_member(void *user, const char *name, zc_tensor *t)
{
    (void)name;
    *(int *)user += t != NULL;
    zc_release(t);
    return true;
}

static zc_status open_many(zc_context *ctx, const char *path)
{
    int count = 0;
    zc_status status = zc_open_members(ctx, path, release_member, &count);
    cr_expect(status != ZC_OK || count == many);
    return status;
}

Test(members, of_which_there_are_many_need_memory_that_may_run_out)
{
    for (int round = 0; round < 16; round++) {
        const char *path = path_of(endings[round % 2]);
        many = 2 + round % 4 * 22;
        name_bytes = 40 + round * 157;
        write_file(path, "old", 3);
        fail_each_allocation(save_many, path, true);
        fail_each_allocation(open_last, path, false);
        fail_each_allocation(show_many, path, false);
        fail_each_allocation(open_many, path, false);
        fail_each_allocation(open_nothing, path, false);
        (void)unlink(path);
    }
}

/* ---- Disks ---- */

/* A file may have so many bytes, from none to all of them. */
Test(members, leave_the_old_file_on_a_full_disk)
{
    (void)signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 2; i++) {
        const char *path = path_of(endings[i]);
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
        cr_assert_eq(save_both(ctx, path), ZC_OK);
        const int64_t whole = size_of(path);
        write_file(path, "old", 3);
        for (int64_t most = 0; most < whole; most += most < 400 || most > whole - 400 ? 1 : 97) {
            struct rlimit before, limit;
            cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
            limit = before;
            limit.rlim_cur = (rlim_t)most;
            cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
            const zc_status status = save_both(ctx, path);
            cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
            cr_expect_eq(status, ZC_ERROR_FILE, "%lld bytes: %s", (long long)most, zc_error_text(ctx));
            cr_expect_eq(size_of(path), 3);
            zc_error_clear(ctx);
        }
        zc_context_free(ctx);
        (void)unlink(path);
    }
}

/* Stopped while it is inflated. */
static bool stop(void *user, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    return --*(int *)user > 0;
}

Test(members, are_not_inflated_further_when_the_work_is_stopped)
{
    static archive a;
    static unsigned char npy[256];
    const char *path = path_of("npz");
    archive_deflate(&a, "two.npy", npy,
                    npy_of(npy, "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", "\1\0\2\0", 4));
    archive_finish(&a);
    write_file(path, a.bytes, a.length);
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    int stopped = 0;
    for (int looks = 1; looks < 8; looks++) {
        int left = looks;
        zc_set_progress(ctx, stop, &left);
        stopped += open_two(ctx, path) == ZC_CANCELLED;
        zc_error_clear(ctx);
    }
    cr_expect_geq(stopped, 1);
    zc_context_free(ctx);
    (void)unlink(path);
}
