#include "materialize/files/bytes/fields.h"

/* ---- Lines ---- */

static void skip_line(zc_text_reader *r)
{
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = end == NULL ? r->end : end;
}

bool zc_text_next_line(zc_text_reader *r)
{
    for (;;) {
        r->at = zc_text_skip_blanks(r, r->at);
        if (r->at == r->end)
            return false;
        if (*r->at == '#')
            skip_line(r);
        if (!zc_text_ends_line(r, r->at))
            return true;
        r->at += r->at < r->end && *r->at == '\r';
        if (r->at < r->end) {
            r->at++;
            r->line++;
        }
    }
}

/* ---- Fields ---- */

/* Behind the opening quote. A quote that is doubled belongs to the field. field.to is NULL where no quote closes it. */
static zc_text_field take_quoted(zc_text_reader *r)
{
    zc_text_field field = {.from = r->at, .to = NULL, .is_quoted = true};
    for (; r->at < r->end; r->at++) {
        r->line += *r->at == '\n';
        if (*r->at != '"')
            continue;
        if (r->at + 1 == r->end || r->at[1] != '"') {
            field.to = r->at++;
            break;
        }
        r->at++;
    }
    return field;
}

static bool ends_field(const zc_text_reader *r, const char *at)
{
    return zc_text_ends_line(r, at) || *at == r->delimiter || (r->delimiter == ' ' && zc_text_is_blank(r, *at));
}

zc_text_field zc_text_take(zc_text_reader *r)
{
    const char *from = r->at = zc_text_skip_blanks(r, r->at);
    zc_text_field field = {.from = from, .to = from};
    if (from < r->end && *from == '"') {
        r->at++;
        field = take_quoted(r);
        const char *close = r->at;
        r->at = zc_text_skip_blanks(r, close);
        if (field.to != NULL && (ends_field(r, r->at) || (r->delimiter == ' ' && r->at > close)))
            return field;
        field = (zc_text_field){.from = from, .to = r->at, .is_open = field.to == NULL}; /* or text behind it: a word */
    }
    while (!ends_field(r, r->at))
        r->at++;
    field.to = r->at;
    while (field.to > field.from && zc_text_is_blank(r, field.to[-1]))
        field.to--;
    r->at = zc_text_skip_blanks(r, r->at);
    return field;
}

/* ---- Words ---- */

/* Letters in either case, whatever the locale says of them. */
static bool is_word(const char *from, const char *to, const char *word)
{
    while (from < to && *word != '\0' && (*from | 0x20) == *word) {
        from++;
        word++;
    }
    return from == to && *word == '\0';
}

static zc_text_value meaning_of_word(const char *from, const char *to)
{
    if (is_word(from, to, "true") || is_word(from, to, "false"))
        return (zc_text_value){.kind = ZC_TEXT_TRUTH, .integer = is_word(from, to, "true")};
    const bool is_negative = from < to && *from == '-';
    from += from < to && (*from == '-' || *from == '+');
    if (is_word(from, to, "nan"))
        return (zc_text_value){.kind = ZC_TEXT_REAL, .real = (double)NAN};
    if (is_word(from, to, "inf") || is_word(from, to, "infinity"))
        return (zc_text_value){.kind = ZC_TEXT_REAL, .real = (double)(is_negative ? -INFINITY : INFINITY)};
    return (zc_text_value){.kind = ZC_TEXT_NOTHING};
}

zc_text_value zc_text_meaning(zc_text_field field)
{
    zc_decimal d;
    while (field.from < field.to && *field.from == ' ')
        field.from++;
    while (field.to > field.from && field.to[-1] == ' ')
        field.to--;
    if (field.from == field.to)
        return (zc_text_value){.kind = ZC_TEXT_REAL, .real = (double)NAN};
    const char *end = zc_decimal_scan(field.from, field.to, &d);
    return end != NULL && end == field.to ? zc_text_number(&d) : meaning_of_word(field.from, field.to);
}
