/*
 * Opening .npy files: the file is mapped and viewed in place. What cannot be viewed in place, because its bytes are in
 * the other order or its elements are not aligned, is converted once into a buffer.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/file.h"
#include "runtime/leaf.h"
#include "runtime/npy_header.h"

/* ---- Files ---- */

/* Opens a regular file; nothing else is waited for. */
static zc_status open_file(const char *path, int *file, int64_t *bytes, zc_reason *why)
{
    struct stat status;
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*file < 0)
        return zc_file_error(why, path, "cannot be opened");
    zc_status result = ZC_OK;
    if (fstat(*file, &status) != 0)
        result = zc_file_error(why, path, "cannot be examined");
    else if (!S_ISREG(status.st_mode))
        result = zc_refuse(why, ZC_ERROR_FILE, "%s: not a regular file", path);
    else
        *bytes = (int64_t)status.st_size;
    if (result != ZC_OK)
        (void)close(*file);
    return result;
}

/* Reads up to `count` bytes from the start of a file; fewer only at its end. */
static ssize_t read_start(int file, unsigned char *bytes, size_t count)
{
    size_t used = 0;
    while (used < count) {
        ssize_t got = pread(file, bytes + used, count - used, (off_t)used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        used += (size_t)got;
    }
    return (ssize_t)used;
}

/* Puts the file's name in front of a refusal. */
static zc_status about_file(zc_reason *why, zc_status status, const char *path)
{
    zc_reason what = *why;
    return zc_refuse(why, status, "%s: %s", path, what.text);
}

static zc_status parse_header(zc_heap *heap, int file, const char *path, int64_t file_bytes, zc_npy_info *info,
                              zc_reason *why)
{
    unsigned char prefix[ZC_NPY_PREFIX];
    int64_t length = 0;
    ssize_t got = read_start(file, prefix, sizeof prefix);
    if (got < 0)
        return zc_file_error(why, path, "cannot be read");
    zc_status status = zc_npy_header_length(prefix, (size_t)got, &length, why);
    if (status != ZC_OK)
        return about_file(why, status, path);
    unsigned char *header = zc_heap_take(heap, (size_t)length);
    if (header == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    got = read_start(file, header, (size_t)length);
    if (got < 0)
        status = zc_file_error(why, path, "cannot be read");
    else if ((status = zc_npy_header_parse(header, (size_t)got, info, why)) != ZC_OK)
        status = about_file(why, status, path);
    else if (info->data_bytes > file_bytes - info->header_bytes)
        status = zc_refuse(why, ZC_ERROR_FORMAT, "%s: %lld bytes of data are missing at its end", path,
                           (long long)(info->data_bytes - (file_bytes - info->header_bytes)));
    zc_heap_give(heap, header, (size_t)length);
    return status;
}

zc_status zc_npy_read_info(zc_context *ctx, const char *path, zc_npy_info *info)
{
    if (ctx == NULL)
        return ZC_ERROR_ARGUMENT;
    if (path == NULL || info == NULL)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, "npy_read_info", "the path or the place for the answer is NULL");
    zc_reason why;
    int file;
    int64_t bytes;
    zc_status status = open_file(path, &file, &bytes, &why);
    if (status == ZC_OK) {
        status = parse_header(ctx->heap, file, path, bytes, info, &why);
        (void)close(file);
    }
    return status == ZC_OK ? ZC_OK : zc_fail_because(ctx, status, "npy_read_info", &why);
}

/* ---- In place ---- */

typedef struct mapping {
    zc_heap *heap;
    void *base;
    size_t bytes;
} mapping;

static void unmap(void *user, void *memory)
{
    (void)memory;
    mapping *m = user;
    (void)munmap(m->base, m->bytes);
    zc_heap_give(m->heap, m, sizeof *m);
}

static zc_status map_file(zc_heap *heap, int file, const char *path, const zc_npy_info *info, zc_buffer **buffer,
                          zc_reason *why)
{
    mapping *m = zc_heap_take(heap, sizeof *m);
    if (m == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    *m = (mapping){.heap = heap, .bytes = (size_t)(info->header_bytes + info->data_bytes)}; /* not above the file's */
    m->base = mmap(NULL, m->bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (m->base == MAP_FAILED) {
        zc_heap_give(heap, m, sizeof *m);
        return zc_file_error(why, path, "cannot be mapped");
    }
    *buffer = zc_buffer_wrap(heap, (char *)m->base + info->header_bytes, info->data_bytes, unmap, m);
    if (*buffer != NULL)
        return ZC_OK;
    unmap(m, NULL);
    return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
}

/* ---- Converted ---- */

static bool needs_copy(const zc_npy_info *info)
{
    return info->big_endian || info->header_bytes % (int64_t)zc_dtype_alignment(info->dtype) != 0;
}

enum { BYTES_PER_LOOK = 1 << 16 };

/* False: stopped. The bytes of a complex number are turned round part by part. */
static bool copy_elements(const zc_npy_info *info, const unsigned char *from, unsigned char *to, zc_watch *watch)
{
    size_t item = zc_dtype_bytes(zc_dtype_part(info->dtype)), bytes = (size_t)info->data_bytes;
    bool goes_on = zc_watch_begin(watch, info->data_bytes);
    for (size_t at = 0; at < bytes && goes_on; at += item) {
        for (size_t b = 0; b < item; b++)
            to[at + b] = from[at + (info->big_endian ? item - 1 - b : b)];
        if (at % BYTES_PER_LOOK == 0)
            goes_on = zc_watch_set(watch, (int64_t)at);
    }
    return goes_on;
}

/* Replaces a mapped buffer by one of our own with the elements in this machine's order. */
static zc_status convert(zc_context *ctx, const zc_npy_info *info, zc_buffer **buffer, zc_reason *why)
{
    zc_buffer *mapped = *buffer;
    zc_status status = zc_check_limit(ctx, info->data_bytes, why);
    *buffer = status == ZC_OK ? zc_buffer_new(ctx->heap, info->data_bytes) : NULL;
    if (status == ZC_OK && *buffer == NULL)
        status = zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    if (status == ZC_OK && !copy_elements(info, mapped->memory, (*buffer)->memory, &ctx->watch)) {
        zc_buffer_release(*buffer);
        status = ZC_CANCELLED;
    }
    zc_buffer_release(mapped);
    return status;
}

static zc_status open_data(zc_context *ctx, const char *path, zc_npy_info *info, zc_buffer **buffer, zc_reason *why)
{
    int file;
    int64_t bytes;
    zc_status status = open_file(path, &file, &bytes, why);
    if (status != ZC_OK)
        return status;
    status = parse_header(ctx->heap, file, path, bytes, info, why);
    if (status == ZC_OK)
        status = map_file(ctx->heap, file, path, info, buffer, why);
    (void)close(file);
    return status == ZC_OK && needs_copy(info) ? convert(ctx, info, buffer, why) : status;
}

/* Column-major strides are the row-major ones of the reversed shape, reversed. */
static void view_of(const zc_npy_info *info, zc_view *view)
{
    int64_t step = 1;
    *view = (zc_view){.rank = info->rank};
    for (int i = 0; i < info->rank; i++) {
        int axis = info->fortran_order ? i : info->rank - 1 - i;
        view->shape[axis] = info->shape[axis];
        view->stride[axis] = step;
        step *= info->shape[axis]; /* proven: the header's size fits, counted without its zeros */
    }
    zc_view_canonicalise(view);
}

zc_tensor *zc_npy_open(zc_context *ctx, const char *path)
{
    if (ctx == NULL)
        return NULL;
    if (path == NULL) {
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, "npy_open", "the path is NULL");
        return NULL;
    }
    zc_npy_info info;
    zc_buffer *buffer = NULL;
    zc_reason why;
    zc_view view;
    zc_status status = open_data(ctx, path, &info, &buffer, &why);
    if (status != ZC_OK) {
        (void)(status == ZC_CANCELLED ? zc_fail_cancelled(ctx, "npy_open")
                                      : zc_fail_because(ctx, status, "npy_open", &why));
        return NULL;
    }
    view_of(&info, &view);
    return zc_leaf_tensor(ctx, buffer, info.dtype, &view, "npy_open");
}
