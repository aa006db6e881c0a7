#include "tools/format_names.h"

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

bool zc_format_names_print(FILE *out, const char *text)
{
    char names[ZC_FORMAT_NAMES_TEXT];
    const struct {
        const char *mark, *word;
    } marks[] = {{"{formats}", zc_format_names_text(names)}, {"{ending}", zc_file_format_name(0)}};
    bool ok = true;
    while (ok && *text != '\0') {
        size_t plain = strcspn(text, "{"), m = 0;
        ok = fwrite(text, 1, plain, out) == plain;
        text += plain;
        while (m < 2 && strncmp(text, marks[m].mark, strlen(marks[m].mark)) != 0)
            m++;
        if (m < 2) {
            ok = ok && fputs(marks[m].word, out) >= 0;
            text += strlen(marks[m].mark);
        } else if (*text != '\0') { /* a brace that is a brace */
            ok = ok && putc(*text++, out) != EOF;
        }
    }
    return ok;
}
