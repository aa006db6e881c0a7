#include "materialize/files/file_error.h"

#include <errno.h>
#include <string.h>

zc_status zc_file_error(zc_reason *why, const char *path, const char *what)
{
    char text[128] = "";
    const int number = errno;
    (void)strerror_r(number, text, sizeof text);
    (void)zc_refuse(why, ZC_ERROR_FILE, "%s: %s: %s", path, what, text);
    return zc_file_error_number(why, number);
}

zc_status zc_file_error_number(zc_reason *why, int number)
{
    why->system_error = number;
    return ZC_ERROR_FILE;
}

zc_status zc_file_refuse(zc_reason *why, zc_status status, const char *path)
{
    zc_reason what = *why;
    (void)zc_refuse(why, status, "%s: %s", path, what.text);
    why->system_error = what.system_error;
    return status;
}

zc_status zc_file_fail(zc_context *ctx, zc_status status, const char *function, const zc_reason *why)
{
    if (status == ZC_OK)
        return ZC_OK;
    return status == ZC_CANCELLED ? zc_fail_cancelled(ctx, function) : zc_fail_because(ctx, status, function, why);
}
