/*
 * The fields of a text in rows: numbers, words, quotes, and where a line ends.
 *
 * A comma or a tab ends a field, and blanks around it do not count; a space stands for any run of blanks. A field in
 * quotes may hold delimiters, ends of lines, and quotes that are doubled. Lines end with LF or CRLF. Lines of nothing
 * but blanks are passed over, and so are those that begin with #.
 */
#ifndef ZC_MATERIALIZE_FILES_BYTES_FIELDS_H
#define ZC_MATERIALIZE_FILES_BYTES_FIELDS_H

#include "math/decimal/read.h"

/* A place in a text. */
typedef struct zc_text_reader {
    const char *at, *end;
    char delimiter; /* ',', '\t', or ' ' */
    int64_t line;   /* counted from 1 */
} zc_text_reader;

/* A field's own text: without blanks around it, or what stands between its quotes. */
typedef struct zc_text_field {
    const char *from, *to;
    bool is_quoted;
    bool is_open; /* no quote closes it */
} zc_text_field;

typedef enum zc_text_kind { ZC_TEXT_NOTHING, ZC_TEXT_TRUTH, ZC_TEXT_INTEGER, ZC_TEXT_REAL } zc_text_kind;

typedef struct zc_text_value {
    zc_text_kind kind;
    int64_t integer; /* also a truth */
    double real;     /* also an integer */
} zc_text_value;

static inline bool zc_text_is_blank(const zc_text_reader *r, char c)
{
    return c == ' ' || (c == '\t' && r->delimiter != '\t');
}

static inline const char *zc_text_skip_blanks(const zc_text_reader *r, const char *at)
{
    while (at < r->end && zc_text_is_blank(r, *at))
        at++;
    return at;
}

static inline bool zc_text_ends_line(const zc_text_reader *r, const char *at)
{
    return at == r->end || *at == '\n' || (*at == '\r' && (at + 1 == r->end || at[1] == '\n'));
}

/* Goes to the next line with something in it; false: there is none. */
bool zc_text_next_line(zc_text_reader *r);

/* Takes one field and goes to what ends it. One whose quote is not closed has the quote, and means nothing. */
zc_text_field zc_text_take(zc_text_reader *r);

/* Goes behind the delimiter after a field; false: the line ends there. */
static inline bool zc_text_goes_on(zc_text_reader *r)
{
    if (zc_text_ends_line(r, r->at))
        return false;
    r->at += r->delimiter != ' ' && *r->at == r->delimiter;
    return true;
}

/* The meaning of a field: a number, True, False, nan, inf or infinity; an empty one is NaN. ZC_TEXT_NOTHING: none. */
zc_text_value zc_text_meaning(zc_text_field field);

/* The value of a number that was scanned. */
static inline zc_text_value zc_text_number(const zc_decimal *d)
{
    const bool fits =
        d->is_integer && !d->is_cut && d->exponent == 0 && d->digits <= (uint64_t)INT64_MAX + (uint64_t)d->is_negative;
    if (!fits)
        return (zc_text_value){.kind = ZC_TEXT_REAL, .real = zc_decimal_double(d)};
    const double real = (double)d->digits;
    return (zc_text_value){.kind = ZC_TEXT_INTEGER,
                           .integer = (int64_t)(d->is_negative ? 0 - d->digits : d->digits),
                           .real = d->is_negative ? -real : real};
}

/* Takes one field and its meaning. */
static inline zc_text_value zc_text_take_value(zc_text_reader *r, zc_text_field *field)
{
    zc_decimal d;
    const char *from = zc_text_skip_blanks(r, r->at), *to = zc_decimal_scan(from, r->end, &d);
    if (to != NULL) {
        const char *next = zc_text_skip_blanks(r, to);
        if (zc_text_ends_line(r, next) || *next == r->delimiter || (r->delimiter == ' ' && next > to)) {
            r->at = next;
            *field = (zc_text_field){.from = from, .to = to};
            return zc_text_number(&d);
        }
    }
    *field = zc_text_take(r);
    return zc_text_meaning(*field);
}

#endif
