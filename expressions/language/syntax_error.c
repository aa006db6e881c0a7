#include "expressions/language/syntax_error.h"

#include <string.h>

/* Characters shown of a long line before and after the error. */
enum { SHOWN_BEFORE = 48, SHOWN_AFTER = 24 };

typedef struct place {
    const char *line; /* where the line begins and ends */
    const char *line_end;
    int64_t line_number;
    int64_t column;
} place;

/* Bytes 10xxxxxx continue a character. */
static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static int64_t count_characters(const char *from, const char *to)
{
    int64_t count = 0;
    for (; from < to; from++)
        count += begins_character(*from) ? 1 : 0;
    return count;
}

static place find_place(const char *source, const char *end, const char *at)
{
    place p = {.line = source, .line_number = 1};
    for (const char *c = source; c < at; c++) {
        if (*c == '\n') {
            p.line = c + 1;
            p.line_number++;
        }
    }
    p.line_end = memchr(at, '\n', (size_t)(end - at));
    if (p.line_end == NULL)
        p.line_end = end;
    p.column = 1 + count_characters(p.line, at);
    return p;
}

/* Some bytes around `at`, whole characters, and dots where something is left out. */
static void show_line(zc_fault *fault, const place *p, const char *at)
{
    const char *from = at - p->line > SHOWN_BEFORE ? at - SHOWN_BEFORE : p->line;
    const char *to = p->line_end - at > SHOWN_AFTER ? at + SHOWN_AFTER : p->line_end;
    while (from < at && !begins_character(*from))
        from++;
    while (to > at && to < p->line_end && !begins_character(*to))
        to--;
    const char *before = from > p->line ? "..." : "", *after = to < p->line_end ? "..." : "";
    zc_fault_add_line(fault, "    %s%.*s%s", before, (int)(to - from), from, after);
    int indent = (int)strlen(before) + (int)count_characters(from, at);
    zc_fault_add_line(fault, "    %*s^", indent, "");
}

bool zc_syntax_error(zc_fault *fault, const char *source, size_t length, const char *at, const char *sentence)
{
    const char *end = source + length;
    place p = find_place(source, end, at);
    bool has_lines = memchr(source, '\n', length) != NULL;
    if (has_lines)
        (void)zc_fault_usage(fault, "syntax error at line %lld, column %lld: %s", (long long)p.line_number,
                             (long long)p.column, sentence);
    else
        (void)zc_fault_usage(fault, "syntax error at column %lld: %s", (long long)p.column, sentence);
    show_line(fault, &p, at);
    return false;
}
