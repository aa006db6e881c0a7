#include "tools/output/output_name.h"

#include <string.h>

#include "tools/output/format_names.h"
#include "zerocast.h"

bool zc_output_name_check(const char *path, zc_fault *fault)
{
    char names[ZC_FORMAT_NAMES_TEXT];
    if (strcmp(path, "-") == 0)
        return zc_fault_refuse(
            fault, "--output: results cannot be written to standard output yet, only to a file (./- for one called -)");
    if (zc_file_format_of(path) >= 0)
        return true;
    return zc_fault_refuse(fault, "--output: %s: results are written as %s, not as %s", path,
                           zc_format_names_text(names), strrchr(path, '.'));
}
