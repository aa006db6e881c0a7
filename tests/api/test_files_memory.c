/* Files while memory is out: every allocation of saving and of opening fails in turn, for every format. */
#include <stdio.h>
#include <string.h>

#include "tests/api/archives.h"
#include "tests/api/values.h"
#include "tests/support/failing.h"

typedef struct program {
    const char *path;
    int arrays; /* 0: a file that is there already */
} program;

static bool take(void *user, const char *name, zc_tensor *t)
{
    int *seen = user;
    (void)name;
    *seen += t != NULL;
    zc_release(t);
    return true;
}

static bool look(void *user, const char *name, const zc_file_info *info)
{
    int *seen = user;
    (void)name;
    *seen += info->rank >= 0;
    return true;
}

typedef zc_status step(zc_context *ctx, const program *p);

static zc_status save(zc_context *ctx, const program *p)
{
    static const char *const names[] = {"first", "second", "third"};
    const zc_tensor *arrays[3];
    for (int i = 0; i < p->arrays; i++) {
        arrays[i] = zc_reshape(zc_astype(zc_iota(ctx, 12), ZC_UINT8), ZC_SHAPE(2, 2, 3));
        if (strstr(p->path, ".png") == NULL)
            arrays[i] = zc_add(zc_index(zc_astype(arrays[i], ZC_FLOAT64), 0, 0), zc_iota(ctx, 3));
        if (arrays[i] == NULL)
            return zc_error_status(ctx);
    }
    return p->arrays > 1 ? zc_save_members(p->arrays, arrays, names, p->path) : zc_save(arrays[0], p->path);
}

static zc_status open_all(zc_context *ctx, const program *p)
{
    int seen = 0;
    const zc_status status = zc_open_members(ctx, p->path, take, &seen);
    cr_expect(status != ZC_OK || seen > 0, "%s", p->path);
    return status;
}

static zc_status read_all(zc_context *ctx, const program *p)
{
    int seen = 0;
    const zc_status status = zc_read_members(ctx, p->path, look, &seen);
    cr_expect(status != ZC_OK || seen > 0, "%s", p->path);
    return status;
}

static void fail_in_turn(step *run, const program *p)
{
    bool is_done = false;
    for (int k = 1; !is_done; k++) {
        zc_failing state = {0};
        const zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .allocator = &allocator});
        zc_scope *scope = zc_scope_begin(ctx);
        state.is_sticky = k % 2 == 0;
        state.fail_at = state.calls + (k + 1) / 2;
        const zc_status status = run(ctx, p);
        is_done = state.calls < state.fail_at;
        state.fail_at = 0;
        cr_expect(status == ZC_OK || (!is_done && status == ZC_ERROR_MEMORY), "%s, allocation %d: %d, %s", p->path, k,
                  (int)status, zc_error_text(ctx));
        zc_failing_count();
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_assert(state.blocks == 0 && state.faults == 0, "%s, allocation %d", p->path, k);
    }
}

static void make_deflated(const char *path)
{
    static archive a;
    static unsigned char bytes[256];
    static const double numbers[] = {1, 2, 3};
    const size_t length =
        npy_of(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", numbers, sizeof numbers);
    archive_deflate(&a, "x.npy", bytes, length);
    archive_deflate(&a, "y.npy", bytes, length);
    archive_write(&a, path);
}

Test(files_memory, may_run_out_anywhere)
{
    static const program programs[] = {
        {"memory.npy", 1}, {"memory.npz", 3}, {"memory.npz", 1},          {"memory.safetensors", 3},
        {"memory.csv", 1}, {"memory.tsv", 1}, {"memory_deflated.npz", 0}, {"memory.png", 1},
    };
    make_deflated("memory_deflated.npz");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (programs[i].arrays > 0)
            fail_in_turn(save, &programs[i]);
        fail_in_turn(open_all, &programs[i]);
        fail_in_turn(read_all, &programs[i]);
    }
}
