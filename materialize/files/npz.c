#include "materialize/files/npz.h"

#include <stdio.h>
#include <string.h>

#include "materialize/files/file_error.h"
#include "materialize/files/inflate.h"
#include "materialize/files/members.h"
#include "materialize/files/npy.h"
#include "materialize/files/npy_header.h"
#include "materialize/files/zip.h"
#include "materialize/files/zip_writer.h"
#include "runtime/dtypes/dtype.h"
#include "runtime/graph/keep.h"

static const char ending[] = ".npy";

static bool probe(const unsigned char *start, size_t count)
{
    return count >= 4 && memcmp(start, "PK", 2) == 0 &&
           (memcmp(start + 2, "\3\4", 2) == 0 || memcmp(start + 2, "\5\6", 2) == 0);
}

/* ---- One member ---- */

/* A member that is read: its bytes in the archive, what its header says, and what inflates it. */
typedef struct reading {
    zc_mapped_file file;
    zc_inflater *inflater; /* NULL: it is stored */
    zc_npy_info info;
} reading;

/* A byte of deflate makes at most so many. */
enum { MOST_RATIO = 1032 };

/* Inflates the header. */
static zc_status inflate_header(zc_arena *arena, reading *r, zc_reason *why)
{
    unsigned char prefix[ZC_NPY_PREFIX];
    int64_t length = 0;
    zc_status status = zc_inflate_begin(arena, &r->file, &r->inflater, why);
    if (status == ZC_OK)
        status = zc_inflate_read(r->inflater, prefix, sizeof prefix, why);
    if (status == ZC_OK)
        status = zc_npy_header_length(prefix, sizeof prefix, &length, why);
    if (status != ZC_OK)
        return status;
    if (length < ZC_NPY_PREFIX)
        return zc_refuse(why, ZC_ERROR_FORMAT, "the header is too short");
    unsigned char *header = zc_arena_take(arena, (size_t)length, 1);
    if (header == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    memcpy(header, prefix, sizeof prefix);
    status = zc_inflate_read(r->inflater, header + sizeof prefix, (size_t)length - sizeof prefix, why);
    return status == ZC_OK ? zc_npy_header_parse(header, (size_t)length, &r->info, why) : status;
}

static zc_status read_header(zc_arena *arena, const zc_zip_member *m, reading *r, zc_reason *why)
{
    zc_status status;
    if (m->method == ZC_ZIP_STORED)
        status = zc_npy_describe(arena->heap, &r->file, &r->info, why);
    else if (m->method != ZC_ZIP_DEFLATED)
        return zc_refuse(why, ZC_ERROR_FORMAT, "%s: it is packed by method %d; members are stored or deflated",
                         r->file.path, m->method);
    else {
        status = m->bytes / MOST_RATIO > m->packed ? zc_refuse(why, ZC_ERROR_FORMAT, "%lld bytes do not make %lld",
                                                               (long long)m->packed, (long long)m->bytes)
                                                   : inflate_header(arena, r, why);
        status = status == ZC_ERROR_FORMAT ? zc_file_refuse(why, status, r->file.path) : status;
    }
    if (status != ZC_OK)
        return status;
    const bool is_whole = m->method == ZC_ZIP_DEFLATED || m->packed == m->bytes;
    if (is_whole && r->info.data_bytes == m->bytes - r->info.header_bytes)
        return ZC_OK;
    return zc_refuse(why, ZC_ERROR_FORMAT, "%s: it has other sizes than its header says", r->file.path);
}

enum { PATH_ROOM = 4096 + 128 };

/* path: room for what the member is called in refusals, as long as r is read. */
static zc_status begin_reading(const zc_zip *zip, zc_arena *arena, const zc_mapped_file *file, const zc_zip_member *m,
                               char path[PATH_ROOM], reading *r, zc_reason *why)
{
    zc_status status = zc_zip_part(zip, file, m, &r->file, why);
    if (status != ZC_OK)
        return status;
    (void)snprintf(path, PATH_ROOM, "%s:%.64s", file->path, m->name);
    r->file.path = path;
    return read_header(arena, m, r, why);
}

/* A member of that name, or of that name and .npy. */
static const zc_zip_member *find(const zc_zip *zip, const char *name)
{
    const zc_zip_member *longer = NULL;
    const size_t length = strlen(name);
    for (int64_t i = 0; i < zip->count; i++) {
        const zc_zip_member *m = &zip->members[i];
        if (strncmp(m->name, name, length) != 0)
            continue;
        if (m->name[length] == '\0')
            return m;
        if (strcmp(m->name + length, ending) == 0)
            longer = m;
    }
    return longer;
}

/* Opens the archive and finds a member in it. After ZC_OK the caller frees the archive. */
static zc_status open_member(zc_zip *zip, zc_heap *heap, const zc_mapped_file *file, const char *name,
                             char path[PATH_ROOM], const zc_zip_member **m, reading *r, zc_reason *why)
{
    zc_status status = zc_zip_open(zip, heap, file, why);
    if (status != ZC_OK)
        return status;
    *m = find(zip, name);
    status = *m == NULL ? zc_member_refuse(&zc_npz_format, heap, file, name, why)
                        : begin_reading(zip, &zip->arena, file, *m, path, r, why);
    if (status != ZC_OK)
        zc_zip_free(zip);
    return status;
}

/* ---- What a file says of itself ---- */

static zc_status describe(zc_heap *heap, const zc_mapped_file *file, const char *member, zc_file_info *info,
                          zc_reason *why)
{
    zc_zip zip;
    char path[PATH_ROOM];
    const zc_zip_member *m;
    reading r = {.inflater = NULL};
    zc_status status = open_member(&zip, heap, file, member, path, &m, &r, why);
    if (status != ZC_OK)
        return status;
    zc_npy_tell(&r.info, info);
    zc_zip_free(&zip);
    return ZC_OK;
}

/* ---- Opening ---- */

enum { BYTES_PER_LOOK = 1 << 20 };

static zc_status inflate_all(zc_inflater *z, zc_progress *progress, unsigned char *to, int64_t bytes, zc_reason *why)
{
    zc_status status = ZC_OK;
    bool goes_on = zc_progress_begin(progress, bytes);
    for (int64_t at = 0; at < bytes && status == ZC_OK && goes_on; at += BYTES_PER_LOOK) {
        const int64_t next = zc_smaller(bytes - at, BYTES_PER_LOOK);
        status = zc_inflate_read(z, to + at, (size_t)next, why);
        goes_on = zc_progress_set(progress, at + next); /* proven: at most bytes */
    }
    return status == ZC_OK && !goes_on ? zc_refuse(why, ZC_CANCELLED, "stopped on request") : status;
}

/* Inflates what follows the header into a buffer of the size that the header says. */
static zc_status inflate_elements(zc_context *ctx, const zc_zip_member *m, const reading *r, zc_file_elements *out,
                                  zc_reason *why)
{
    zc_status status = zc_kept_make_room(ctx, r->info.data_bytes, why);
    if (status != ZC_OK)
        return status;
    zc_buffer *buffer = zc_buffer_new(ctx->heap, r->info.data_bytes);
    if (buffer == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    status = inflate_all(r->inflater, &ctx->progress, buffer->memory, r->info.data_bytes, why);
    if (status == ZC_OK)
        status = zc_inflate_end(r->inflater, m->crc, why);
    if (status == ZC_OK)
        return zc_npy_show(ctx, &r->info, true, buffer, out, why);
    zc_buffer_release(buffer);
    return status == ZC_ERROR_FORMAT ? zc_file_refuse(why, status, r->file.path) : status;
}

static zc_status open_reading(zc_context *ctx, const zc_zip_member *m, const reading *r, zc_file_elements *out,
                              zc_reason *why)
{
    return r->inflater == NULL ? zc_npy_map(ctx, &r->file, &r->info, out, why) : inflate_elements(ctx, m, r, out, why);
}

static zc_status open_elements(zc_context *ctx, const zc_mapped_file *file, const char *member, zc_file_elements *out,
                               zc_reason *why)
{
    zc_zip zip;
    char path[PATH_ROOM];
    const zc_zip_member *m;
    reading r = {.inflater = NULL};
    zc_status status = open_member(&zip, ctx->heap, file, member, path, &m, &r, why);
    if (status != ZC_OK)
        return status;
    status = open_reading(ctx, m, &r, out, why);
    zc_zip_free(&zip);
    return status;
}

/* ---- Members in their order ---- */

static bool ends_in_npy(const char *name)
{
    const size_t length = strlen(name), own = sizeof ending - 1;
    return length >= own && strcmp(name + length - own, ending) == 0;
}

/* The name without .npy, in the arena, unless another member, of those that have no .npy, has that. NULL: memory is
 * out. */
static const char *name_of(const zc_zip *zip, bool has_others, zc_arena *arena, const char *name)
{
    if (!ends_in_npy(name))
        return name;
    const size_t length = strlen(name) - (sizeof ending - 1);
    char *copy = zc_arena_take(arena, length + 1, 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, name, length);
    copy[length] = '\0';
    for (int64_t i = 0; has_others && i < zip->count; i++) {
        if (strcmp(zip->members[i].name, copy) == 0)
            return name;
    }
    return copy;
}

/* A member that is shown. */
typedef struct listed {
    const zc_zip_member *member;
    const reading *reading;
} listed;

static zc_status show(const zc_zip *zip, bool has_others, const zc_mapped_file *file, const zc_zip_member *m,
                      zc_file_lister *visit, void *user, bool *goes_on, zc_reason *why)
{
    char path[PATH_ROOM];
    reading r = {.inflater = NULL};
    zc_file_info info;
    zc_arena arena;
    zc_arena_init(&arena, zip->arena.heap);
    const char *name = name_of(zip, has_others, &arena, m->name);
    zc_status status = name == NULL ? zc_refuse(why, ZC_ERROR_MEMORY, "out of memory")
                                    : begin_reading(zip, &arena, file, m, path, &r, why);
    if (status == ZC_OK)
        zc_npy_tell(&r.info, &info);
    if (status == ZC_OK || status == ZC_ERROR_FORMAT) {
        *goes_on = visit(user, name, status == ZC_OK ? &info : NULL, &(listed){m, &r});
        status = ZC_OK;
    }
    zc_arena_free(&arena);
    return status;
}

static zc_status show_members(zc_heap *heap, const zc_mapped_file *file, zc_file_lister *visit, void *user,
                              zc_reason *why)
{
    zc_zip zip;
    bool goes_on = true, has_others = false;
    zc_status status = zc_zip_open(&zip, heap, file, why);
    if (status != ZC_OK)
        return status;
    for (int64_t i = 0; i < zip.count; i++)
        has_others |= !ends_in_npy(zip.members[i].name);
    for (int64_t i = 0; i < zip.count && goes_on && status == ZC_OK; i++)
        status = show(&zip, has_others, file, &zip.members[i], visit, user, &goes_on, why);
    zc_zip_free(&zip);
    return status;
}

static zc_status open_listed(zc_context *ctx, const zc_mapped_file *file, const void *member, zc_file_elements *out,
                             zc_reason *why)
{
    (void)file;
    const listed *l = member;
    return open_reading(ctx, l->member, l->reading, out, why);
}

/* ---- Saving ---- */

static zc_status accept(const zc_file_array *array, zc_reason *why)
{
    if (strlen(array->name) > ZC_ZIP_MOST_NAME)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "a name of %zu bytes is longer than those of an archive may be",
                         strlen(array->name));
    const zc_status status = zc_zlib_check("a .npz file", why);
    return status == ZC_OK ? zc_npy_accept("npz", array->dtype, why) : status;
}

static zc_status begin(zc_file_writer *w, zc_reason *why)
{
    int64_t bytes = 0;
    for (int i = 0; i < w->count; i++)
        bytes = zc_saturating_add(bytes, w->arrays[i].bytes);
    zc_status status = zc_replaced_file_expect(w->file, bytes, why);
    if (status != ZC_OK)
        return status;
    w->state = zc_zip_writer_new(w->heap, w->file, w->count, zc_zip_most32);
    return w->state != NULL ? ZC_OK : zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
}

static zc_status begin_array(zc_file_writer *w, zc_reason *why)
{
    char header[ZC_NPY_HEADER_ROOM];
    const zc_file_array *array = &w->arrays[w->current];
    const size_t length = zc_npy_header_write(header, array->dtype, array->rank, array->shape);
    const int64_t bytes = (int64_t)length + array->bytes; /* proven: a file has as many */
    zc_status status = zc_zip_writer_begin(w->state, array->name, bytes, why);
    return status == ZC_OK ? zc_zip_writer_write(w->state, header, length, why) : status;
}

static zc_status write_elements(zc_file_writer *w, const void *elements, int64_t count, zc_reason *why)
{
    const size_t item = zc_dtype_bytes(w->arrays[w->current].dtype);
    return zc_zip_writer_write(w->state, elements, (size_t)count * item, why); /* proven: they are in memory */
}

static zc_status end_array(zc_file_writer *w, zc_reason *why)
{
    return zc_zip_writer_end(w->state, why);
}

static zc_status end(zc_file_writer *w, zc_status status, zc_reason *why)
{
    if (status == ZC_OK)
        status = zc_zip_writer_finish(w->state, why);
    zc_zip_writer_free(w->heap, w->state);
    return status;
}

static const char *const endings[] = {"npz", NULL};

const zc_file_format zc_npz_format = {
    .name = "npz",
    .endings = endings,
    .member = "arr_0",
    .probe = probe,
    .list = show_members,
    .describe = describe,
    .open = open_elements,
    .open_listed = open_listed,
    .accept = accept,
    .begin = begin,
    .begin_array = begin_array,
    .write = write_elements,
    .end_array = end_array,
    .end = end,
};
