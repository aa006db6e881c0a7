/* A format for the tests: "TOY", the rank, an extent of one byte per axis, and as many bytes of uint8. */
#include <string.h>

#include "materialize/files/file_error.h"
#include "materialize/files/formats.h"
#include "runtime/context/context.h"

enum { MAGIC = 3, MOST_AXES = 8, PREFIX = MAGIC + 1 + MOST_AXES };

static bool probe(const unsigned char *start, size_t count)
{
    return count >= MAGIC && memcmp(start, "TOY", MAGIC) == 0;
}

static zc_status describe(zc_heap *heap, const zc_mapped_file *file, const char *member, zc_file_info *info,
                          zc_reason *why)
{
    (void)heap;
    (void)member;
    unsigned char prefix[PREFIX] = {0};
    size_t count;
    zc_status status = zc_mapped_file_start(file, prefix, sizeof prefix, &count, why);
    if (status != ZC_OK)
        return status;
    *info = (zc_file_info){.dtype = ZC_UINT8, .rank = prefix[MAGIC], .header_bytes = MAGIC + 1 + prefix[MAGIC]};
    if (info->rank > MOST_AXES || (size_t)info->header_bytes > count)
        return zc_refuse(why, ZC_ERROR_FORMAT, "%s: not a toy", file->path);
    for (int a = 0; a < info->rank; a++)
        info->shape[a] = prefix[MAGIC + 1 + a];
    status = zc_shape_size(info->rank, info->shape, &info->data_bytes, why);
    return status == ZC_OK ? zc_mapped_file_check(file, info->header_bytes, info->data_bytes, why) : status;
}

static zc_status open_elements(zc_context *ctx, const zc_mapped_file *file, const char *member, zc_file_elements *out,
                               zc_reason *why)
{
    zc_file_info info;
    zc_status status = describe(ctx->heap, file, member, &info, why);
    if (status != ZC_OK)
        return status;
    out->dtype = info.dtype;
    zc_view_row_major(info.rank, info.shape, &out->view);
    return zc_mapped_file_map(file, ctx->heap, info.header_bytes, info.data_bytes, &out->buffer, why);
}

static zc_status accept(const zc_file_array *array, zc_reason *why)
{
    return array->dtype == ZC_UINT8 ? ZC_OK : zc_refuse(why, ZC_ERROR_DTYPE, "a toy holds uint8 only");
}

static zc_status begin(zc_file_writer *w, zc_reason *why)
{
    const zc_file_array *array = w->arrays;
    unsigned char prefix[PREFIX] = {'T', 'O', 'Y', (unsigned char)array->rank};
    if (array->rank > MOST_AXES)
        return zc_refuse(why, ZC_ERROR_FORMAT, "a toy has at most %d axes", MOST_AXES);
    for (int a = 0; a < array->rank; a++)
        prefix[MAGIC + 1 + a] = (unsigned char)array->shape[a];
    zc_status status = zc_replaced_file_expect(w->file, array->bytes, why);
    return status == ZC_OK ? zc_replaced_file_write(w->file, prefix, (size_t)(MAGIC + 1 + array->rank), why) : status;
}

static zc_status write_elements(zc_file_writer *w, const void *elements, int64_t count, zc_reason *why)
{
    return zc_replaced_file_write(w->file, elements, (size_t)count, why);
}

static const char *const endings[] = {"toy", "nc", NULL};

extern const zc_file_format zc_toy_format;
const zc_file_format zc_toy_format = {
    .name = "toy",
    .endings = endings,
    .probe = probe,
    .describe = describe,
    .open = open_elements,
    .accept = accept,
    .begin = begin,
    .write = write_elements,
};
