/*
 * Refusals: the one place that formats a sentence.
 *
 * Invariant: the text is always terminated, however long the sentence.
 */
#include "views/reason.h"

#include <stdarg.h>
#include <stdio.h>

zc_status zc_refuse(zc_reason *why, zc_status status, const char *format, ...)
{
    if (why != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(why->text, sizeof why->text, format, arguments);
        va_end(arguments);
        why->system_error = 0;
    }
    return status;
}
