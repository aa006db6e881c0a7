#include "runtime/file.h"

#include <errno.h>
#include <string.h>

zc_status zc_file_error(zc_reason *why, const char *path, const char *what)
{
    char text[128] = "";
    (void)strerror_r(errno, text, sizeof text);
    return zc_refuse(why, ZC_ERROR_FILE, "%s: %s: %s", path, what, text);
}
