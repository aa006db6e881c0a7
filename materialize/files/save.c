/*
 * The public functions that write files: what can be refused is refused first, then the result is computed, and only
 * then a file is made.
 */
#include "materialize/files/file_error.h"
#include "materialize/files/npy.h"
#include "runtime/graph/tensor.h"

static zc_status write_file(const zc_tensor *dense, const zc_file_format *format, zc_replaced_file *file,
                            zc_reason *why)
{
    zc_status status = zc_replaced_file_begin(file, &dense->ctx->progress, why);
    if (status != ZC_OK)
        return status;
    status = format->save(dense, file, why);
    return zc_replaced_file_end(file, status, why);
}

/* *format NULL: it becomes the one that the path tells. */
static zc_status check_target(const zc_tensor *t, const char *path, const zc_file_format **format,
                              zc_replaced_file *file, zc_reason *why)
{
    zc_status status = *format != NULL ? ZC_OK : zc_file_format_for(path, format, why);
    if (status == ZC_OK)
        status = (*format)->accept(zc_dtype_of(t), why);
    return status == ZC_OK ? zc_replaced_file_check(file, path, why) : status;
}

static zc_status save_as(const zc_tensor *t, const char *path, const zc_file_format *format, const char *function)
{
    if (t == NULL)
        return ZC_ERROR_ARGUMENT;
    if (path == NULL)
        return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, function, "the path is NULL");
    zc_reason why;
    zc_replaced_file file;
    zc_status status = check_target(t, path, &format, &file, &why);
    if (status != ZC_OK)
        return zc_fail_because(t->ctx, status, function, &why);
    zc_tensor *dense = NULL;
    status = zc_materialize(t, &dense);
    if (status != ZC_OK)
        return status;
    status = write_file(dense, format, &file, &why);
    zc_release(dense);
    return zc_file_fail(t->ctx, status, function, &why);
}

zc_status zc_save(const zc_tensor *t, const char *path)
{
    return save_as(t, path, NULL, "save");
}

zc_status zc_npy_save(const zc_tensor *t, const char *path)
{
    return save_as(t, path, &zc_npy_format, "npy_save");
}
