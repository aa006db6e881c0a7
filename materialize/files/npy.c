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

static zc_status describe(zc_heap *heap, const zc_mapped_file *file, zc_file_info *info, zc_reason *why)
{
    zc_npy_info npy;
    zc_status status = zc_npy_describe(heap, file, &npy, why);
    if (status != ZC_OK)
        return status;
    *info = (zc_file_info){.dtype = npy.dtype,
                           .rank = npy.rank,
                           .version = npy.version,
                           .fortran_order = npy.fortran_order,
                           .big_endian = npy.big_endian,
                           .header_bytes = npy.header_bytes,
                           .data_bytes = npy.data_bytes};
    for (int a = 0; a < npy.rank; a++)
        info->shape[a] = npy.shape[a];
    return ZC_OK;
}

/* ---- Converted ---- */

static bool needs_copy(const zc_npy_info *info)
{
    return info->big_endian || info->header_bytes % (int64_t)zc_dtype_alignment(info->dtype) != 0;
}

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

static zc_status open_elements(zc_context *ctx, const zc_mapped_file *file, zc_file_elements *out, zc_reason *why)
{
    zc_npy_info info;
    zc_status status = zc_npy_describe(ctx->heap, file, &info, why);
    if (status == ZC_OK)
        status = zc_mapped_file_map(file, ctx->heap, info.header_bytes, info.data_bytes, &out->buffer, why);
    if (status != ZC_OK)
        return status;
    out->dtype = info.dtype;
    view_of(&info, &out->view);
    return needs_copy(&info) ? convert(ctx, &info, &out->buffer, why) : ZC_OK;
}

/* ---- Saving: version 1, little-endian, C order ---- */

static zc_status accept(zc_dtype dtype, zc_reason *why)
{
    if (zc_npy_code(dtype) != NULL)
        return ZC_OK;
    return zc_refuse(why, ZC_ERROR_DTYPE,
                     "a .npy file holds no %s; save the elements as float32, or their bits as uint16",
                     zc_dtype_name(dtype));
}

/* Bools may be foreign memory, in which any byte but 0 is true: in a file true is 1. */
static zc_status write_bools(zc_replaced_file *file, const unsigned char *bytes, size_t count, zc_reason *why)
{
    unsigned char piece[1 << 14];
    zc_status status = ZC_OK;
    while (count > 0 && status == ZC_OK) {
        size_t next = count < sizeof piece ? count : sizeof piece;
        zc_copy_truths(piece, bytes, next);
        status = zc_replaced_file_write(file, piece, next, why);
        bytes += next;
        count -= next;
    }
    return status;
}

static zc_status save(const zc_tensor *dense, zc_replaced_file *file, zc_reason *why)
{
    char header[ZC_NPY_HEADER_ROOM];
    zc_dtype dtype = zc_dtype_of(dense);
    size_t length = zc_npy_header_write(header, dtype, dense->rank, dense->dims);
    size_t bytes = (size_t)dense->size * zc_dtype_bytes(dtype); /* proven: the buffer has that size */
    zc_status status = zc_replaced_file_expect(file, (int64_t)(length + bytes), why); /* proven: a file has as many */
    if (status == ZC_OK)
        status = zc_replaced_file_write(file, header, length, why);
    if (status != ZC_OK)
        return status;
    return dtype == ZC_BOOL ? write_bools(file, zc_data(dense), bytes, why)
                            : zc_replaced_file_write(file, zc_data(dense), bytes, why);
}

static const char *const endings[] = {"npy", NULL};

const zc_file_format zc_npy_format = {
    .name = "npy",
    .endings = endings,
    .probe = zc_npy_header_begins,
    .describe = describe,
    .open = open_elements,
    .accept = accept,
    .save = save,
};
