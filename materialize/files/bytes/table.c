#include "materialize/files/bytes/table.h"

#include "materialize/files/bytes/fields.h"
#include "views/shape.h"

/* ---- Sentences ---- */

enum { SHOWN = 40 };

/* A field as sentences quote it: its beginning, without what controls terminals. */
static const char *show(const char *from, const char *to, char text[SHOWN + 4])
{
    int length = 0;
    for (; from < to && length < SHOWN; from++)
        text[length++] = (unsigned char)*from < 0x20 || *from == 0x7f ? '?' : *from;
    for (; from < to && length > 0 && ((unsigned char)*from & 0xc0) == 0x80; from--) /* whole characters of UTF-8 */
        length--;
    if (from < to) {
        memcpy(text + length, "...", 3);
        length += 3;
    }
    text[length] = '\0';
    return text;
}

static zc_status refuse_field(const zc_text_table *t, int64_t line, int64_t column, zc_text_field field, zc_reason *why)
{
    char text[SHOWN + 4];
    return zc_refuse(why, ZC_ERROR_FORMAT, "line %lld, column %lld: '%s' is %s", (long long)line, (long long)column + 1,
                     show(field.from, field.to, text), t->is_truths ? "neither True nor False" : "no number");
}

static zc_status refuse_count(const zc_text_table *t, int64_t line, int64_t fields, zc_reason *why)
{
    return zc_refuse(why, ZC_ERROR_FORMAT, "line %lld has %lld field%s, line %lld has %lld", (long long)line,
                     (long long)fields, fields == 1 ? "" : "s", (long long)t->first_line, (long long)t->fields);
}

/* ---- The header ---- */

static bool has_name(zc_text_field field, const char *name)
{
    for (const char *at = field.from; at < field.to; at++) {
        at += field.is_quoted && *at == '"' && at + 1 < field.to; /* doubled */
        if (*at != *name++)
            return false;
    }
    return *name == '\0';
}

/* Looks at the fields of the first line: is it a header, and which is the column? */
static zc_status read_first(zc_text_table *t, zc_text_reader *r, bool *is_header, zc_reason *why)
{
    t->chosen = -1;
    t->fields = 0;
    *is_header = false;
    do {
        const zc_text_field field = zc_text_take(r);
        *is_header |= zc_text_meaning(field).kind == ZC_TEXT_NOTHING;
        for (const char *at = field.from; at < field.to; at++) {
            if ((unsigned char)*at < 0x20 && !field.is_quoted)
                return refuse_field(t, r->line, t->fields, field, why);
        }
        if (t->column != NULL && has_name(field, t->column)) {
            if (t->chosen >= 0)
                return zc_refuse(why, ZC_ERROR_FORMAT, "two columns are named '%s'", t->column);
            t->chosen = t->fields;
        }
        t->fields++;
    } while (zc_text_goes_on(r));
    return ZC_OK;
}

static zc_status check_column(const zc_text_table *t, bool is_header, zc_reason *why)
{
    if (t->column == NULL || (is_header && t->chosen >= 0))
        return ZC_OK;
    return is_header ? zc_refuse(why, ZC_ERROR_FORMAT, "no column is named '%s'", t->column)
                     : zc_refuse(why, ZC_ERROR_FORMAT, "its first line is no header, so no column has the name '%s'",
                                 t->column);
}

/* Passes over the columns before the one that is read. */
static void find_first_value(const zc_text_table *t, zc_text_reader *r)
{
    for (int64_t i = 0; i < t->chosen; i++) {
        (void)zc_text_take(r);
        (void)zc_text_goes_on(r);
    }
}

/* Ends of lines among eight bytes. */
static inline uint64_t count_ends(const char *at)
{
    const uint64_t ones = UINT64_MAX / 255, low = ones * 0x7f;
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word ^= ones * '\n';
    return ((~(((word & low) + low) | word | low) >> 7) * ones) >> 56;
}

/* The ends of lines, and the end of the text. */
static int64_t count_lines(const char *at, const char *end)
{
    uint64_t lines = 1;
    for (; end - at >= 8; at += 8)
        lines += count_ends(at);
    for (; at < end; at++)
        lines += *at == '\n';
    return (int64_t)lines;
}

zc_status zc_text_begin(zc_text_table *t, zc_reason *why)
{
    zc_text_reader r = {.at = t->bytes, .end = t->bytes + t->count, .delimiter = t->delimiter, .line = 1};
    if (t->count >= 2 && (memcmp(r.at, "\xff\xfe", 2) == 0 || memcmp(r.at, "\xfe\xff", 2) == 0))
        return zc_refuse(why, ZC_ERROR_FORMAT, "it is UTF-16; text is read as UTF-8");
    if (t->count >= 3 && memcmp(r.at, "\xef\xbb\xbf", 3) == 0)
        r.at += 3;
    t->is_truths = false;
    t->fields = 1;
    t->chosen = t->column == NULL ? -1 : 0;
    t->first_line = 1;
    bool is_header = false;
    if (zc_text_next_line(&r)) {
        zc_text_reader first = r;
        t->first_line = r.line;
        const zc_status status = read_first(t, &r, &is_header, why);
        if (status != ZC_OK)
            return status;
        if (!is_header)
            r = first;
    }
    t->data = r.at;
    t->line = r.line;
    t->most_rows = count_lines(r.at, r.end);
    if (zc_text_next_line(&r)) {
        find_first_value(t, &r);
        t->is_truths = zc_text_meaning(zc_text_take(&r)).kind == ZC_TEXT_TRUTH;
    }
    return check_column(t, is_header, why);
}

int64_t zc_text_most_elements(const zc_text_table *t)
{
    const int64_t most = t->count / 2 + 1; /* each but the last has a delimiter or an end of line */
    const int64_t columns = t->chosen >= 0 ? 1 : t->fields;
    return t->most_rows > most / columns ? most : t->most_rows * columns; /* proven: not above most */
}

/* ---- The data ---- */

/* A table that is being read. */
typedef struct filling {
    zc_text_table *table;
    zc_text_reader reader;
    zc_text_kind kind; /* of all elements so far, or ZC_TEXT_NOTHING before the first */
    bool is_wrong;     /* an element is none of that kind: all are read again as what holds it */
    void *elements;    /* or NULL */
    int64_t count, most;
    int64_t line; /* the number of the one that is read */
} filling;

/* An element; kinds of numbers hold those that stand before them. */
static zc_status put(filling *f, const zc_text_value *value, int64_t column, zc_text_field field, zc_reason *why)
{
    if (value->kind == ZC_TEXT_NOTHING || (value->kind == ZC_TEXT_TRUTH) != f->table->is_truths)
        return refuse_field(f->table, f->line, column, field, why);
    if (value->kind > f->kind) {
        f->kind = value->kind;
        f->is_wrong = f->count > 0;
    }
    if (f->elements != NULL && f->count < f->most) {
        if (f->kind == ZC_TEXT_TRUTH)
            ((unsigned char *)f->elements)[f->count] = (unsigned char)value->integer;
        else if (f->kind == ZC_TEXT_INTEGER)
            ((int64_t *)f->elements)[f->count] = value->integer;
        else
            ((double *)f->elements)[f->count] = value->real;
    }
    f->count++;
    return ZC_OK;
}

static zc_status take_element(filling *f, int64_t column, zc_reason *why)
{
    zc_text_field field = {.from = f->reader.at, .to = f->reader.at};
    const zc_text_value value = zc_text_take_value(&f->reader, &field);
    return put(f, &value, column, field, why);
}

/* Counts the fields of a line that has too many. */
static zc_status refuse_long(filling *f, int64_t fields, zc_reason *why)
{
    do {
        (void)zc_text_take(&f->reader);
        fields++;
    } while (zc_text_goes_on(&f->reader));
    return refuse_count(f->table, f->line, fields, why);
}

static zc_status read_line(filling *f, zc_reason *why)
{
    const zc_text_table *t = f->table;
    zc_status status = ZC_OK;
    f->line = f->reader.line;
    for (int64_t column = 0; status == ZC_OK && !f->is_wrong; column++) {
        if (t->chosen >= 0 && column != t->chosen)
            (void)zc_text_take(&f->reader);
        else
            status = take_element(f, column, why);
        const bool goes_on = zc_text_goes_on(&f->reader);
        if (goes_on && column + 1 == t->fields)
            return status == ZC_OK ? refuse_long(f, column + 1, why) : status;
        if (!goes_on)
            return status == ZC_OK && column + 1 < t->fields ? refuse_count(t, f->line, column + 1, why) : status;
    }
    return status;
}

/* ---- Lines of numbers alone ---- */

/* A sign at most, and up to 18 digits; NULL: anything else. */
static inline const char *take_integer(const char *at, const char *end, int64_t *value)
{
    enum { MOST_DIGITS = 18 };
    const bool is_negative = at < end && *at == '-';
    const char *first = at += is_negative;
    uint64_t digits = 0;
    for (; at < end && zc_is_digit(*at); at++)
        digits = digits * 10 + (uint64_t)(*at - '0');
    *value = is_negative ? -(int64_t)digits : (int64_t)digits;
    return (uint64_t)(at - first) - 1 < MOST_DIGITS ? at : NULL;
}

static inline const char *take_real(const char *at, const char *end, double *value)
{
    zc_decimal d;
    at = zc_decimal_scan(at, end, &d);
    if (at != NULL)
        *value = zc_decimal_double(&d);
    return at;
}

/* Takes a line of plain numbers with nothing around them. Returns the next line, or NULL, and nothing was done. */
static inline const char *take_line(const filling *f, const char *at, bool is_integer)
{
    const char *end = f->reader.end, delimiter = f->reader.delimiter;
    const int64_t fields = f->table->fields;
    int64_t *integers = (int64_t *)f->elements + f->count;
    double *reals = (double *)f->elements + f->count;
    for (int64_t i = 0; i < fields; i++) {
        at = is_integer ? take_integer(at, end, &integers[i]) : take_real(at, end, &reals[i]);
        if (at == NULL || at == end)
            return NULL;
        if (i + 1 == fields && *at == '\r' && at + 1 < end)
            at++;
        if (*at++ != (i + 1 < fields ? delimiter : '\n'))
            return NULL;
    }
    return at;
}

/* Takes plain lines up to `stop`: the same as read_line(), in a fraction of the time. */
static void take_lines(filling *f, const char *stop)
{
    zc_text_table *t = f->table;
    const bool is_integer = f->kind == ZC_TEXT_INTEGER;
    if (f->elements == NULL || t->chosen >= 0 || (!is_integer && f->kind != ZC_TEXT_REAL))
        return;
    while (f->reader.at < stop && f->most - f->count >= t->fields) {
        const char *next = is_integer ? take_line(f, f->reader.at, true) : take_line(f, f->reader.at, false);
        if (next == NULL)
            return;
        f->reader.at = next;
        f->reader.line++;
        f->count += t->fields;
        t->rows++;
    }
}

enum { BYTES_PER_LOOK = 1 << 16 };

/* Reads lines until all are read or an element is of another kind. */
static zc_status read_lines(filling *f, zc_progress *progress, zc_reason *why)
{
    zc_text_table *t = f->table;
    zc_text_reader *r = &f->reader;
    *r = (zc_text_reader){.at = t->data, .end = t->bytes + t->count, .delimiter = t->delimiter, .line = t->line};
    f->count = t->rows = 0;
    f->is_wrong = false;
    bool goes_on = zc_progress_begin(progress, t->count);
    for (const char *look = r->at; goes_on; t->rows++) {
        take_lines(f, look);
        if (r->at >= look) {
            goes_on = zc_progress_set(progress, r->at - t->bytes);
            look = r->at + zc_smaller(BYTES_PER_LOOK, r->end - r->at);
        }
        if (!zc_text_next_line(r))
            break;
        const zc_status status = read_line(f, why);
        if (status != ZC_OK || f->is_wrong)
            return status;
    }
    return goes_on ? ZC_OK : zc_refuse(why, ZC_CANCELLED, "stopped on request");
}

zc_status zc_text_read(zc_text_table *t, void *elements, zc_progress *progress, zc_reason *why)
{
    static const zc_dtype dtypes[] = {[ZC_TEXT_NOTHING] = ZC_FLOAT64,
                                      [ZC_TEXT_TRUTH] = ZC_BOOL,
                                      [ZC_TEXT_INTEGER] = ZC_INT64,
                                      [ZC_TEXT_REAL] = ZC_FLOAT64};
    filling f = {.table = t, .elements = elements, .most = zc_text_most_elements(t)};
    zc_status status;
    do
        status = read_lines(&f, progress, why);
    while (status == ZC_OK && f.is_wrong);
    if (status == ZC_OK && f.count > f.most)
        return zc_refuse(why, ZC_ERROR_FORMAT, "it changed while it was read");
    t->dtype = dtypes[f.kind];
    t->columns = t->chosen >= 0 ? 1 : t->fields;
    return status;
}
