#include "tests/fuzz/fuzzed_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/target.h"
#include "zerocast.h"

enum { LIMIT = 1 << 20, MOST_MEMBERS = 8 };

/* A file without a name, whose bytes are those of the input. */
static const char *path_of(const uint8_t *data, size_t size)
{
    static int file = -1;
    static char path[64];
    if (file < 0) {
        char name[] = "/tmp/zerocast-fuzz-XXXXXX";
        file = mkstemp(name);
        claim(file >= 0 && unlink(name) == 0);
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    claim(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    return path;
}

static void open_one(zc_context *ctx, const char *path, const zc_file_info *info)
{
    zc_tensor *t = zc_open(ctx, path), *dense = NULL;
    claim((t == NULL) == (zc_error_status(ctx) != ZC_OK) && (t != NULL || zc_error_text(ctx)[0] != '\0'));
    if (t != NULL && info != NULL)
        claim(zc_dtype_of(t) == info->dtype && zc_rank(t) == info->rank);
    if (t != NULL && zc_size(t) < LIMIT)
        claim((zc_materialize(t, &dense) == ZC_OK) == (dense != NULL));
    zc_release(dense);
    zc_release(t);
    zc_error_clear(ctx);
}

typedef struct visit {
    zc_context *ctx;
    const char *path;
    int left;
} visit;

static bool open_member(void *user, const char *name, const zc_file_info *info)
{
    visit *v = user;
    if (name == NULL || strlen(name) > 1000)
        return true;
    char path[1100];
    (void)snprintf(path, sizeof path, "%s:%s", v->path, name);
    open_one(v->ctx, path, info);
    return --v->left > 0;
}

void fuzz_file(const uint8_t *data, size_t size)
{
    zc_context *ctx = zc_context_new(&(zc_options){.memory_limit = LIMIT, .threads = 1});
    claim(ctx != NULL);
    visit v = {.ctx = ctx, .path = path_of(data, size), .left = MOST_MEMBERS};
    const zc_status status = zc_read_members(ctx, v.path, open_member, &v);
    claim(status == ZC_OK || zc_error_text(ctx)[0] != '\0');
    zc_error_clear(ctx);
    open_one(ctx, v.path, NULL);
    zc_context_free(ctx);
}
