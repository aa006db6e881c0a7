#include "expressions/base/fault.h"

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

/* Leaves a fault as it is; returns whether this one is the first. */
static bool begin(zc_fault *fault, zc_status status)
{
    if (fault->status != ZC_OK)
        return false;
    fault->status = status;
    return true;
}

bool zc_fault_refuse(zc_fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (begin(fault, ZC_ERROR_ARGUMENT))
        format_clean(fault, 0, format, arguments);
    va_end(arguments);
    return false;
}

bool zc_fault_usage(zc_fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (begin(fault, ZC_ERROR_FORMAT)) {
        fault->is_usage = true;
        format_clean(fault, 0, format, arguments);
    }
    va_end(arguments);
    return false;
}

bool zc_fault_memory(zc_fault *fault)
{
    if (fault->status == ZC_OK) {
        (void)zc_fault_refuse(fault, "out of memory");
        fault->status = ZC_ERROR_MEMORY;
    }
    return false;
}

bool zc_fault_library(zc_fault *fault, const zc_context *ctx)
{
    if (fault->status == ZC_OK) {
        (void)zc_fault_refuse(fault, "%s", zc_error_text(ctx));
        fault->is_library = zc_error_status(ctx) != ZC_OK; /* a tensor of another context has told that one */
        if (fault->is_library)
            fault->status = zc_error_status(ctx);
    }
    return false;
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
