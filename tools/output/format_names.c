#include "tools/output/format_names.h"

#include <string.h>

#include "zerocast.h"

const char *zc_format_names_text(char text[ZC_FORMAT_NAMES_TEXT])
{
    int count = zc_file_format_count();
    size_t used = 0;
    for (int i = 0; i < count && used < ZC_FORMAT_NAMES_TEXT; i++) {
        const char *before = i == 0 ? "" : i == count - 1 ? " or " : ", ";
        used += (size_t)snprintf(text + used, ZC_FORMAT_NAMES_TEXT - used, "%s.%s", before, zc_file_format_name(i));
    }
    return text;
}

void zc_format_names_print(FILE *out, const char *text)
{
    static const char every[] = "{formats}", first[] = "{ending}";
    char names[ZC_FORMAT_NAMES_TEXT];
    while (*text != '\0') {
        size_t plain = strcspn(text, "{");
        (void)fwrite(text, 1, plain, out);
        text += plain;
        if (strncmp(text, every, strlen(every)) == 0) {
            (void)fputs(zc_format_names_text(names), out);
            text += strlen(every);
        } else if (strncmp(text, first, strlen(first)) == 0) {
            (void)fputs(zc_file_format_name(0), out);
            text += strlen(first);
        } else if (*text != '\0') { /* a brace that is a brace */
            (void)putc(*text++, out);
        }
    }
}
