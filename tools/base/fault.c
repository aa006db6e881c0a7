#include "tools/base/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Formats into text + from; what a terminal would obey becomes a question mark. */
static void format_clean(zc_fault *fault, size_t from, const char *format, va_list arguments)
{
    (void)vsnprintf(fault->text + from, sizeof fault->text - from, format, arguments);
    for (char *c = fault->text + from; *c != '\0'; c++) {
        if (*c == '\t')
            *c = ' ';
        else if ((unsigned char)*c < ' ' || *c == '\x7f')
            *c = '?';
    }
}

bool zc_fault_refuse(zc_fault *fault, const char *format, ...)
{
    if (fault->exit_code != ZC_EXIT_DONE)
        return false;
    va_list arguments;
    va_start(arguments, format);
    format_clean(fault, 0, format, arguments);
    va_end(arguments);
    fault->exit_code = ZC_EXIT_REFUSED;
    return false;
}

bool zc_fault_usage(zc_fault *fault, const char *format, ...)
{
    if (fault->exit_code != ZC_EXIT_DONE)
        return false;
    va_list arguments;
    va_start(arguments, format);
    format_clean(fault, 0, format, arguments);
    va_end(arguments);
    fault->exit_code = ZC_EXIT_USAGE;
    return false;
}

bool zc_fault_memory(zc_fault *fault)
{
    return zc_fault_refuse(fault, "out of memory");
}

bool zc_fault_library(zc_fault *fault, const zc_context *ctx)
{
    return zc_fault_refuse(fault, "%s", zc_error_text(ctx));
}

void zc_fault_add_line(zc_fault *fault, const char *format, ...)
{
    size_t used = strlen(fault->text);
    if (used + 1 >= sizeof fault->text)
        return;
    fault->text[used] = '\n';
    va_list arguments;
    va_start(arguments, format);
    format_clean(fault, used + 1, format, arguments);
    va_end(arguments);
}

void zc_fault_tell(zc_fault *all, const zc_fault *one)
{
    (void)fflush(stdout); /* which may be the same terminal; whether it could be written is asked for at the end */
    all->exit_code = zc_fault_report(one);
    all->is_quiet = true;
}

int zc_fault_report(const zc_fault *fault)
{
    if (fault->exit_code != ZC_EXIT_DONE && !fault->is_quiet)
        fprintf(stderr, "zerocast: %s\n", fault->text);
    return fault->exit_code;
}
