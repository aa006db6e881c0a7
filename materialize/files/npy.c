#include "materialize/files/npy.h"

#include "materialize/files/file_error.h"
#include "materialize/files/npy_header.h"
#include "runtime/dtypes/dtype.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/tensor.h"

/* ---- What a file says of itself ---- */

static zc_status read_header(const zc_mapped_file *file, unsigned char *header, size_t length, zc_npy_info *info,
                             zc_reason *why)
{
    size_t count;
    zc_status status = zc_mapped_file_start(file, header, length, &count, why);
    if (status != ZC_OK)
        return status;
    status = zc_npy_header_parse(header, count, info, why);
    if (status != ZC_OK)
        return zc_file_refuse(why, status, file->path);
    return zc_mapped_file_check(file, info->header_bytes, info->data_bytes, why);
}

zc_status zc_npy_describe(zc_heap *heap, const zc_mapped_file *file, zc_npy_info *info, zc_reason *why)
{
    unsigned char prefix[ZC_NPY_PREFIX];
    int64_t length = 0;
    size_t count;
    zc_status status = zc_mapped_file_start(file, prefix, sizeof prefix, &count, why);
    if (status != ZC_OK)
        return status;
    status = zc_npy_header_length(prefix, count, &length, why);
    if (status != ZC_OK)
        return zc_file_refuse(why, status, file->path);
    unsigned char *header = zc_heap_take(heap, (size_t)length);
    if (header == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    status = read_header(file, header, (size_t)length, info, why);
    zc_heap_give(heap, header, (size_t)length);
    return status;
}

void zc_npy_tell(const zc_npy_info *npy, zc_file_info *info)
{
    *info = (zc_file_info){.dtype = npy->dtype,
                           .rank = npy->rank,
                           .version = npy->version,
                           .fortran_order = npy->fortran_order,
                           .big_endian = npy->big_endian,
                           .header_bytes = npy->header_bytes,
                           .data_bytes = npy->data_bytes};
    for (int a = 0; a < npy->rank; a++)
        info->shape[a] = npy->shape[a];
}

static zc_status describe(zc_heap *heap, const zc_mapped_file *file, const char *member, zc_file_info *info,
                          zc_reason *why)
{
    (void)member;
    zc_npy_info npy;
    zc_status status = zc_npy_describe(heap, file, &npy, why);
    if (status == ZC_OK)
        zc_npy_tell(&npy, info);
    return status;
}

/* ---- Converted ---- */

enum { BYTES_PER_LOOK = 1 << 16 };

/* False: stopped. The bytes of a complex number are reversed part by part. */
static bool copy_elements(const zc_npy_info *info, const unsigned char *from, unsigned char *to, zc_progress *progress)
{
    size_t item = zc_dtype_bytes(zc_dtype_part(info->dtype)), bytes = (size_t)info->data_bytes;
    bool goes_on = zc_progress_begin(progress, info->data_bytes);
    for (size_t at = 0; at < bytes && goes_on; at += item) {
        for (size_t b = 0; b < item; b++)
            to[at + b] = from[at + (info->big_endian ? item - 1 - b : b)];
        if (at % BYTES_PER_LOOK == 0)
            goes_on = zc_progress_set(progress, (int64_t)at);
    }
    return goes_on;
}

/* Replaces a mapped buffer by one of our own with the elements in this machine's order. */
static zc_status convert(zc_context *ctx, const zc_npy_info *info, zc_buffer **buffer, zc_reason *why)
{
    zc_buffer *mapped = *buffer;
    zc_status status = zc_kept_make_room(ctx, info->data_bytes, why);
    *buffer = status == ZC_OK ? zc_buffer_new(ctx->heap, info->data_bytes) : NULL;
    if (status == ZC_OK && *buffer == NULL)
        status = zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    if (status == ZC_OK && !copy_elements(info, mapped->memory, (*buffer)->memory, &ctx->progress)) {
        zc_buffer_release(*buffer);
        status = zc_refuse(why, ZC_CANCELLED, "stopped on request");
    }
    zc_buffer_release(mapped);
    return status;
}

/* ---- Opening ---- */

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

zc_status zc_npy_show(zc_context *ctx, const zc_npy_info *info, bool is_aligned, zc_buffer *buffer,
                      zc_file_elements *out, zc_reason *why)
{
    out->buffer = buffer;
    out->dtype = info->dtype;
    view_of(info, &out->view);
    return is_aligned && !info->big_endian ? ZC_OK : convert(ctx, info, &out->buffer, why);
}

zc_status zc_npy_map(zc_context *ctx, const zc_mapped_file *file, const zc_npy_info *info, zc_file_elements *out,
                     zc_reason *why)
{
    zc_buffer *buffer;
    const int64_t at = file->start + info->header_bytes; /* proven: in the file */
    zc_status status = zc_mapped_file_map(file, ctx->heap, info->header_bytes, info->data_bytes, &buffer, why);
    const bool is_aligned = at % (int64_t)zc_dtype_alignment(info->dtype) == 0;
    return status == ZC_OK ? zc_npy_show(ctx, info, is_aligned, buffer, out, why) : status;
}

static zc_status open_elements(zc_context *ctx, const zc_mapped_file *file, const char *member, zc_file_elements *out,
                               zc_reason *why)
{
    (void)member;
    zc_npy_info info;
    zc_status status = zc_npy_describe(ctx->heap, file, &info, why);
    return status == ZC_OK ? zc_npy_map(ctx, file, &info, out, why) : status;
}

/* ---- Saving: version 1, little-endian, C order ---- */

zc_status zc_npy_accept(const char *format, zc_dtype dtype, zc_reason *why)
{
    if (zc_npy_code(dtype) != NULL)
        return ZC_OK;
    return zc_refuse(why, ZC_ERROR_DTYPE,
                     "a .%s file holds no %s; save the elements as float32, or their bits as uint16", format,
                     zc_dtype_name(dtype));
}

static zc_status accept(const zc_file_array *array, zc_reason *why)
{
    return zc_npy_accept("npy", array->dtype, why);
}

static zc_status begin(zc_file_writer *w, zc_reason *why)
{
    char header[ZC_NPY_HEADER_ROOM];
    const zc_file_array *array = w->arrays;
    const size_t length = zc_npy_header_write(header, array->dtype, array->rank, array->shape);
    const int64_t bytes = (int64_t)length + array->bytes; /* proven: a file has as many */
    zc_status status = zc_replaced_file_expect(w->file, bytes, why);
    return status == ZC_OK ? zc_replaced_file_write(w->file, header, length, why) : status;
}

static zc_status write_elements(zc_file_writer *w, const void *elements, int64_t count, zc_reason *why)
{
    const size_t item = zc_dtype_bytes(w->arrays->dtype);
    return zc_replaced_file_write(w->file, elements, (size_t)count * item, why); /* proven: they are in memory */
}

static const char *const endings[] = {"npy", NULL};

const zc_file_format zc_npy_format = {
    .name = "npy",
    .endings = endings,
    .probe = zc_npy_header_begins,
    .describe = describe,
    .open = open_elements,
    .accept = accept,
    .begin = begin,
    .write = write_elements,
};
