#include "tools/output/file_printer.h"

static void write_file(void *user, const char *text, size_t length)
{
    (void)fwrite(text, 1, length, user);
}

zc_printer zc_file_printer(FILE *out, const zc_print_style *style)
{
    return (zc_printer){.write = write_file, .user = out, .style = style};
}
