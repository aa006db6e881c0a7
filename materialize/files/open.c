/*
 * The public functions that read files: one way for all formats, and .npy by its name.
 *
 * Invariant: a file is open only during a call, also when it fails.
 */
#include "materialize/files/file_error.h"
#include "materialize/files/npy.h"
#include "runtime/graph/leaf.h"

/* format NULL: the one that the first bytes tell. */
static zc_status open_elements(zc_context *ctx, const char *path, const zc_file_format *format, zc_file_elements *out,
                               zc_reason *why)
{
    zc_mapped_file file;
    zc_status status = zc_mapped_file_open(&file, path, why);
    if (status != ZC_OK)
        return status;
    if (format == NULL)
        status = zc_file_format_probe(&file, &format, why);
    if (status == ZC_OK)
        status = format->open(ctx, &file, out, why);
    zc_mapped_file_close(&file);
    return status;
}

static zc_tensor *open_as(zc_context *ctx, const char *path, const zc_file_format *format, const char *function)
{
    if (ctx == NULL)
        return NULL;
    if (path == NULL) {
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "the path is NULL");
        return NULL;
    }
    zc_file_elements elements;
    zc_reason why;
    zc_status status = open_elements(ctx, path, format, &elements, &why);
    if (zc_file_fail(ctx, status, function, &why) != ZC_OK)
        return NULL;
    return zc_leaf_tensor(ctx, elements.buffer, elements.dtype, &elements.view, function);
}

zc_tensor *zc_open(zc_context *ctx, const char *path)
{
    return open_as(ctx, path, NULL, "open");
}

zc_tensor *zc_npy_open(zc_context *ctx, const char *path)
{
    return open_as(ctx, path, &zc_npy_format, "npy_open");
}

/* ---- Without the data ---- */

/* ZC_OK: the file is open. */
static zc_status begin_info(zc_context *ctx, const char *path, const void *info, const char *function,
                            zc_mapped_file *file)
{
    if (ctx == NULL)
        return ZC_ERROR_ARGUMENT;
    if (path == NULL || info == NULL)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "the path or the place for the answer is NULL");
    zc_reason why;
    zc_status status = zc_mapped_file_open(file, path, &why);
    return zc_file_fail(ctx, status, function, &why);
}

zc_status zc_read_info(zc_context *ctx, const char *path, zc_file_info *info)
{
    zc_reason why;
    zc_mapped_file file;
    const zc_file_format *format;
    zc_status status = begin_info(ctx, path, info, "read_info", &file);
    if (status != ZC_OK)
        return status;
    status = zc_file_format_probe(&file, &format, &why);
    if (status == ZC_OK)
        status = format->describe(ctx->heap, &file, info, &why);
    if (status == ZC_OK)
        info->format = format->name;
    zc_mapped_file_close(&file);
    return zc_file_fail(ctx, status, "read_info", &why);
}

zc_status zc_npy_read_info(zc_context *ctx, const char *path, zc_npy_info *info)
{
    zc_reason why;
    zc_mapped_file file;
    zc_status status = begin_info(ctx, path, info, "npy_read_info", &file);
    if (status != ZC_OK)
        return status;
    status = zc_npy_describe(ctx->heap, &file, info, &why);
    zc_mapped_file_close(&file);
    return zc_file_fail(ctx, status, "npy_read_info", &why);
}
