/*
 * Elements without a header as a row of the table of formats: raw:DTYPE:SHAPE:FILE says what they are, as in
 * raw:float32:1000x1000:file.bin. DTYPE may be one of NumPy's codes, and begin with the order of its bytes, < or >;
 * SHAPE may have one extent -1, as many as the file holds, and end with @ and the byte at which the elements begin.
 * They are written in this machine's order, row by row.
 */
#include <stdlib.h>
#include <string.h>

#include "materialize/files/file_error.h"
#include "materialize/files/npy.h"
#include "materialize/files/npy_header.h"
#include "runtime/dtypes/dtype.h"

static zc_status refuse_dtype(const char *text, size_t length, zc_reason *why)
{
    return zc_refuse(why, ZC_ERROR_FORMAT, "'%.*s' is no dtype of raw elements; 'float32' is one, and '>f4'",
                     (int)length, text);
}

static zc_status read_dtype(const char *text, size_t length, zc_npy_info *info, zc_reason *why)
{
    const char foreign = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<';
    static const char orders[] = {'<', '>', '|', '='};
    char name[32];
    const size_t order = length > 0 && memchr(orders, *text, sizeof orders) != NULL;
    if (length - order >= sizeof name)
        return refuse_dtype(text, sizeof name, why);
    memcpy(name, text + order, length - order);
    name[length - order] = '\0';
    bool is_found = zc_dtype_from_name(name, &info->dtype);
    for (int d = 0; d < ZC_DTYPE_COUNT && !is_found; d++) {
        const char *code = zc_npy_code((zc_dtype)d);
        is_found = code != NULL && strcmp(code, name) == 0;
        info->dtype = (zc_dtype)d;
    }
    info->big_endian = order > 0 && *text == foreign && is_found && zc_dtype_bytes(info->dtype) > 1;
    return is_found ? ZC_OK : refuse_dtype(text, length, why);
}

static bool read_number(const char **at, int64_t *number)
{
    const char *first = *at;
    *number = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        if (!zc_checked_multiply(*number, 10, number) || !zc_checked_add(*number, **at - '0', number))
            return false;
    }
    return *at > first;
}

/* Extents with x between them; the one that is -1 is *open, or -1. Nothing is a scalar. */
static bool read_extents(const char **at, zc_npy_info *info, int *open)
{
    *open = -1;
    info->rank = 0;
    if (**at == '\0' || **at == '@')
        return true;
    do {
        *at += info->rank > 0;
        if (info->rank == ZC_MAX_RANK)
            return false;
        int64_t *extent = &info->shape[info->rank];
        if (strncmp(*at, "-1", 2) == 0 && *open < 0) {
            *open = info->rank;
            *extent = 1;
            *at += 2;
        } else if (!read_number(at, extent)) {
            return false;
        }
        info->rank++;
    } while (**at == 'x');
    return true;
}

static zc_status read_shape(const char *text, zc_npy_info *info, int *open, zc_reason *why)
{
    const char *at = text;
    bool is_read = read_extents(&at, info, open);
    info->header_bytes = 0;
    if (is_read && *at == '@') {
        at++;
        is_read = read_number(&at, &info->header_bytes);
    }
    if (is_read && *at == '\0')
        return ZC_OK;
    return zc_refuse(
        why, ZC_ERROR_FORMAT,
        "'%.64s' is no shape of raw elements; '1000x1000' is one, and '-1x3@512', which begins at byte 512", text);
}

/* Gives the open extent as many as there are bytes for, which it must not leave a part of. */
static zc_status fit_open(const zc_mapped_file *file, zc_npy_info *info, int open, zc_reason *why)
{
    const int64_t left = zc_larger(file->bytes - info->header_bytes, 0);
    if (info->data_bytes == 0)
        return zc_refuse(why, ZC_ERROR_FORMAT, "%s: -1 beside an extent of 0 stands for no number", file->path);
    if (left % info->data_bytes != 0)
        return zc_refuse(why, ZC_ERROR_FORMAT, "%s: -1 stands for whole parts of %lld bytes, and there are %lld bytes",
                         file->path, (long long)info->data_bytes, (long long)left);
    info->shape[open] = left / info->data_bytes;
    info->data_bytes = left;
    return ZC_OK;
}

/* Checks that the elements are in the file. */
static zc_status fit(const zc_mapped_file *file, zc_npy_info *info, int open, zc_reason *why)
{
    int64_t size;
    zc_status status = zc_shape_size(info->rank, info->shape, &size, why);
    if (status == ZC_OK)
        status = zc_shape_bytes(size, zc_dtype_bytes(info->dtype), &info->data_bytes, why);
    if (status != ZC_OK)
        return zc_file_refuse(why, ZC_ERROR_FORMAT, file->path);
    if (open >= 0)
        status = fit_open(file, info, open, why);
    if (status != ZC_OK)
        return status;
    return zc_mapped_file_check(file, info->header_bytes, info->data_bytes, why);
}

static zc_status read_details(const zc_mapped_file *file, const char *details, zc_npy_info *info, zc_reason *why)
{
    *info = (zc_npy_info){.rank = 0};
    if (details == NULL)
        return zc_refuse(why, ZC_ERROR_FORMAT,
                         "%s: raw elements do not say what they are; open it as raw:DTYPE:SHAPE:%s, for example "
                         "raw:float32:1000x1000:%s",
                         file->path, file->path, file->path);
    const char *colon = strchr(details, ':');
    const size_t length = colon == NULL ? strlen(details) : (size_t)(colon - details);
    int open;
    zc_status status = read_dtype(details, length, info, why);
    if (status == ZC_OK)
        status = read_shape(colon == NULL ? "" : colon + 1, info, &open, why);
    if (status != ZC_OK)
        return zc_file_refuse(why, status, file->path);
    return fit(file, info, open, why);
}

static zc_status describe(zc_heap *heap, const zc_mapped_file *file, const char *details, zc_file_info *info,
                          zc_reason *why)
{
    (void)heap;
    zc_npy_info raw;
    const zc_status status = read_details(file, details, &raw, why);
    if (status != ZC_OK)
        return status;
    *info = (zc_file_info){.dtype = raw.dtype,
                           .rank = raw.rank,
                           .big_endian = raw.big_endian,
                           .header_bytes = raw.header_bytes,
                           .data_bytes = raw.data_bytes};
    memcpy(info->shape, raw.shape, sizeof raw.shape);
    return ZC_OK;
}

static zc_status open_elements(zc_context *ctx, const zc_mapped_file *file, const char *details, zc_file_elements *out,
                               zc_reason *why)
{
    zc_npy_info raw;
    const zc_status status = read_details(file, details, &raw, why);
    return status == ZC_OK ? zc_npy_map(ctx, file, &raw, out, why) : status;
}

/* ---- Writing ---- */

static zc_status accept(const zc_file_array *array, zc_reason *why)
{
    (void)array;
    (void)why;
    return ZC_OK;
}

static zc_status begin(zc_file_writer *w, zc_reason *why)
{
    return zc_replaced_file_expect(w->file, w->arrays->bytes, why);
}

static zc_status write_elements(zc_file_writer *w, const void *elements, int64_t count, zc_reason *why)
{
    const size_t item = zc_dtype_bytes(w->arrays->dtype);
    return zc_replaced_file_write(w->file, elements, (size_t)count * item, why); /* proven: they are in memory */
}

static const char *const endings[] = {"raw", "bin", NULL};

extern const zc_file_format zc_raw_format;
const zc_file_format zc_raw_format = {
    .name = "raw",
    .endings = endings,
    .picks = true,
    .details = 2,
    .describe = describe,
    .open = open_elements,
    .accept = accept,
    .begin = begin,
    .write = write_elements,
};
