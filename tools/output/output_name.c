#include "tools/output/output_name.h"

#include <string.h>

#include "tools/output/format_names.h"
#include "zerocast.h"

/* Tells the first `length` characters of a name that are a format's. */
static bool is_format(const char *name, size_t length)
{
    int i = 0;
    while (i < zc_file_format_count() &&
           (strlen(zc_file_format_name(i)) != length || strncmp(name, zc_file_format_name(i), length) != 0))
        i++;
    return i < zc_file_format_count();
}

bool zc_output_name_check(const char *path, zc_fault *fault)
{
    char names[ZC_FORMAT_NAMES_TEXT];
    const size_t length = strlen(path);
    const bool has_format = length > 2 && strcmp(path + length - 2, ":-") == 0;
    if (has_format && is_format(path, length - 2))
        return true;
    if (has_format)
        return zc_fault_refuse(fault, "--output: %.64s: results are written as %s", path, zc_format_names_text(names));
    if (zc_file_format_of(path) >= 0) /* - is one without an ending */
        return true;
    const size_t before = strcspn(path, ":");
    if (path[before] == ':' && is_format(path, before))
        return zc_fault_refuse(fault, "--output: %s: a result has a dtype and a shape of its own: %.*s:FILE", path,
                               (int)before, path);
    return zc_fault_refuse(fault, "--output: %s: results are written as %s, not as %s", path,
                           zc_format_names_text(names), strrchr(path, '.'));
}
