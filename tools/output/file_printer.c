#include "tools/output/file_printer.h"

#include "tools/base/interrupt.h"

/* A signal that is to stop the command stops what it writes. */
static bool write_file(void *user, const char *text, size_t length)
{
    return fwrite(text, 1, length, user) == length && zc_interrupt_signal() == 0;
}

zc_printer zc_file_printer(FILE *out, const zc_print_style *style)
{
    return (zc_printer){.write = write_file, .user = out, .style = style};
}
