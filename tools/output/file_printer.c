#include "tools/output/file_printer.h"

#include <errno.h>

#include "tools/base/interrupt.h"

static int write_error; /* errno of the last write that failed */

/* A signal that is to stop the command stops what it writes. */
static bool write_file(void *user, const char *text, size_t length)
{
    errno = 0;
    const bool is_written = fwrite(text, 1, length, user) == length;
    if (!is_written)
        write_error = errno;
    return is_written && zc_interrupt_signal() == 0;
}

int zc_file_printer_error(void)
{
    return write_error;
}

zc_printer zc_file_printer(FILE *out, const zc_print_style *style)
{
    return (zc_printer){.write = write_file, .user = out, .style = style};
}
