#include "tools/output/output_name.h"

#include <string.h>

#include "tools/output/format_names.h"
#include "zerocast.h"

bool zc_output_name_check(const char *path, zc_fault *fault)
{
    char names[ZC_FORMAT_NAMES_TEXT];
    const size_t length = strlen(path);
    const bool has_format = length > 2 && strcmp(path + length - 2, ":-") == 0;
    for (int i = 0; has_format && i < zc_file_format_count(); i++) {
        const char *name = zc_file_format_name(i);
        if (strlen(name) == length - 2 && strncmp(path, name, length - 2) == 0)
            return true;
    }
    if (has_format)
        return zc_fault_refuse(fault, "--output: %.64s: results are written as %s", path, zc_format_names_text(names));
    if (zc_file_format_of(path) >= 0) /* - is one without an ending */
        return true;
    return zc_fault_refuse(fault, "--output: %s: results are written as %s, not as %s", path,
                           zc_format_names_text(names), strrchr(path, '.'));
}
