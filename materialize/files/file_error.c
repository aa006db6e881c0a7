#include "materialize/files/file_error.h"

#include <errno.h>
#include <string.h>

zc_status zc_file_error(zc_reason *why, const char *path, const char *what)
{
    char text[128] = "";
    (void)strerror_r(errno, text, sizeof text);
    return zc_refuse(why, ZC_ERROR_FILE, "%s: %s: %s", path, what, text);
}

zc_status zc_file_refuse(zc_reason *why, zc_status status, const char *path)
{
    zc_reason what = *why;
    return zc_refuse(why, status, "%s: %s", path, what.text);
}

zc_status zc_file_fail(zc_context *ctx, zc_status status, const char *function, const zc_reason *why)
{
    if (status == ZC_OK)
        return ZC_OK;
    return status == ZC_CANCELLED ? zc_fail_cancelled(ctx, function) : zc_fail_because(ctx, status, function, why);
}
