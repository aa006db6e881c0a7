#include "materialize/files/safetensors.h"

#include <string.h>

#include "materialize/files/bytes/little.h"
#include "materialize/files/file_error.h"
#include "materialize/files/members.h"
#include "materialize/files/npy.h"
#include "materialize/files/safetensors_header.h"
#include "runtime/dtypes/dtype.h"

/* The first bytes are those of a length that is allowed, and the beginning of JSON. */
static bool probe(const unsigned char *start, size_t count)
{
    return count > ZC_SAFETENSORS_PREFIX && start[ZC_SAFETENSORS_PREFIX] == '{' &&
           zc_little_read(start, ZC_SAFETENSORS_PREFIX) <= ZC_SAFETENSORS_MOST;
}

/* ---- The header ---- */

typedef struct header {
    zc_arena arena;
    int64_t bytes; /* where the data begins */
    zc_safetensors_entries entries;
} header;

static zc_status read_header(header *h, const zc_mapped_file *file, zc_reason *why)
{
    unsigned char prefix[ZC_SAFETENSORS_PREFIX];
    zc_status status = zc_mapped_file_read(file, 0, prefix, sizeof prefix, why);
    if (status != ZC_OK)
        return status;
    const uint64_t length = zc_little_read(prefix, sizeof prefix);
    if (length > (uint64_t)(file->bytes - ZC_SAFETENSORS_PREFIX)) /* proven: as many bytes were read */
        return zc_refuse(why, ZC_ERROR_FORMAT, "%s: the file ends inside its header", file->path);
    h->bytes = ZC_SAFETENSORS_PREFIX + (int64_t)length; /* proven: in the file */
    char *text = zc_arena_take(&h->arena, (size_t)length + 1, 1);
    if (text == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    status = zc_mapped_file_read(file, ZC_SAFETENSORS_PREFIX, text, (size_t)length, why);
    if (status != ZC_OK)
        return status;
    status = zc_safetensors_parse(&h->arena, text, (size_t)length, file->bytes - h->bytes, &h->entries, why);
    return status == ZC_ERROR_FORMAT ? zc_file_refuse(why, status, file->path) : status;
}

/* After ZC_OK the caller closes the header. */
static zc_status open_header(header *h, zc_heap *heap, const zc_mapped_file *file, zc_reason *why)
{
    zc_arena_init(&h->arena, heap);
    zc_status status = read_header(h, file, why);
    if (status != ZC_OK)
        zc_arena_free(&h->arena);
    return status;
}

static void close_header(header *h)
{
    zc_arena_free(&h->arena);
}

/* ---- What a file says of itself ---- */

/* Files are little-endian. */
static zc_npy_info info_of(const header *h, const zc_safetensors_entry *e)
{
    zc_npy_info info = {.dtype = e->dtype,
                        .rank = e->rank,
                        .big_endian = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ && zc_dtype_bytes(e->dtype) > 1,
                        .header_bytes = h->bytes + e->begin, /* proven: in the file */
                        .data_bytes = e->end - e->begin};
    for (int a = 0; a < e->rank; a++)
        info.shape[a] = e->shape[a];
    return info;
}

static zc_status show_members(zc_heap *heap, const zc_mapped_file *file, zc_file_lister *visit, void *user,
                              zc_reason *why)
{
    header h;
    zc_status status = open_header(&h, heap, file, why);
    if (status != ZC_OK)
        return status;
    bool goes_on = true;
    for (int32_t i = 0; i < h.entries.count && goes_on; i++) {
        const zc_safetensors_entry *e = &h.entries.list[i];
        const zc_npy_info npy = info_of(&h, e);
        zc_file_info info;
        zc_npy_tell(&npy, &info);
        goes_on = visit(user, e->name, e->is_known ? &info : NULL, &npy);
    }
    close_header(&h);
    return ZC_OK;
}

/* Finds a tensor by its name. */
static zc_status find(zc_heap *heap, const zc_mapped_file *file, const char *name, zc_npy_info *info, zc_reason *why)
{
    header h;
    zc_status status = open_header(&h, heap, file, why);
    if (status != ZC_OK)
        return status;
    int32_t i = 0;
    while (i < h.entries.count && strcmp(h.entries.list[i].name, name) != 0)
        i++;
    if (i == h.entries.count)
        status = zc_member_refuse(&zc_safetensors_format, heap, file, name, why);
    else if (!h.entries.list[i].is_known)
        status = zc_refuse(why, ZC_ERROR_FORMAT, "%s:%.64s: the dtype %s is not supported", file->path, name,
                           h.entries.list[i].code);
    else
        *info = info_of(&h, &h.entries.list[i]);
    close_header(&h);
    return status;
}

static zc_status describe(zc_heap *heap, const zc_mapped_file *file, const char *member, zc_file_info *info,
                          zc_reason *why)
{
    zc_npy_info npy;
    zc_status status = find(heap, file, member, &npy, why);
    if (status == ZC_OK)
        zc_npy_tell(&npy, info);
    return status;
}

static zc_status open_elements(zc_context *ctx, const zc_mapped_file *file, const char *member, zc_file_elements *out,
                               zc_reason *why)
{
    zc_npy_info info;
    zc_status status = find(ctx->heap, file, member, &info, why);
    return status == ZC_OK ? zc_npy_map(ctx, file, &info, out, why) : status;
}

static zc_status open_listed(zc_context *ctx, const zc_mapped_file *file, const void *member, zc_file_elements *out,
                             zc_reason *why)
{
    return zc_npy_map(ctx, file, member, out, why);
}

/* ---- Saving ---- */

static zc_status accept(const zc_file_array *array, zc_reason *why)
{
    if (zc_safetensors_code(array->dtype) == NULL)
        return zc_refuse(why, ZC_ERROR_DTYPE, "a .safetensors file holds no %s", zc_dtype_name(array->dtype));
    return strcmp(array->name, "__metadata__") != 0
               ? ZC_OK
               : zc_refuse(why, ZC_ERROR_ARGUMENT, "__metadata__ is the name of no array in a .safetensors file");
}

static zc_status begin(zc_file_writer *w, zc_reason *why)
{
    size_t length = 0;
    zc_arena arena;
    zc_arena_init(&arena, w->heap);
    char *bytes = zc_safetensors_write(&arena, w->count, w->arrays, &length);
    zc_status status = bytes != NULL ? ZC_OK : zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    int64_t expected = (int64_t)length;
    for (int i = 0; i < w->count; i++)
        expected = zc_saturating_add(expected, w->arrays[i].bytes);
    if (status == ZC_OK)
        status = length > ZC_SAFETENSORS_MOST + ZC_SAFETENSORS_PREFIX
                     ? zc_refuse(why, ZC_ERROR_FORMAT, "a .safetensors file has no room for so many names")
                     : zc_replaced_file_expect(w->file, expected, why);
    if (status == ZC_OK)
        status = zc_replaced_file_write(w->file, bytes, length, why);
    zc_arena_free(&arena);
    return status;
}

static zc_status write_elements(zc_file_writer *w, const void *elements, int64_t count, zc_reason *why)
{
    const size_t item = zc_dtype_bytes(w->arrays[w->current].dtype);
    return zc_replaced_file_write(w->file, elements, (size_t)count * item, why); /* proven: they are in memory */
}

static const char *const endings[] = {"safetensors", NULL};

const zc_file_format zc_safetensors_format = {
    .name = "safetensors",
    .endings = endings,
    .member = "data",
    .largest_first = true,
    .probe = probe,
    .list = show_members,
    .describe = describe,
    .open = open_elements,
    .open_listed = open_listed,
    .accept = accept,
    .begin = begin,
    .write = write_elements,
};
