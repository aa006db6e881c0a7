#include "materialize/files/bytes/table.h"

#include "materialize/files/bytes/fields.h"
#include "views/shape.h"

/* ---- Sentences ---- */

enum { SHOWN = 40 };

/* A field as sentences quote it: its beginning, without what controls terminals. */
static const char *show(const char *from, const char *to, char text[SHOWN + 4])
{
    int length = 0;
    for (; from < to && length < SHOWN; from++) {
        const bool is_c1 = (unsigned char)*from == 0xc2 && from + 1 < to && ((unsigned char)from[1] & 0xe0) == 0x80;
        from += is_c1; /* U+0080 to U+009F */
        text[length++] = is_c1 || (unsigned char)*from < 0x20 || *from == 0x7f ? '?' : *from;
    }
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
    if (field.is_open)
        return zc_refuse(why, ZC_ERROR_FORMAT, "line %lld: a quote is not closed", (long long)line);
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
        at += field.is_quoted && *at == '"'; /* doubled */
        if (*name == '\0' || *at != *name++)
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
        bool is_wrong = field.is_open;
        for (const char *at = field.from; at < field.to && !field.is_quoted; at++)
            is_wrong |= (unsigned char)*at < 0x20;
        if (is_wrong)
            return refuse_field(t, t->first_line, t->fields, field, why);
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
    if (zc_text_next_line(&r)) {
        find_first_value(t, &r);
        t->is_truths = zc_text_meaning(zc_text_take(&r)).kind == ZC_TEXT_TRUTH;
    }
    return check_column(t, is_header, why);
}

/* ---- The count ---- */

enum { BYTES_PER_LOOK = 1 << 16 };

static zc_status refuse_stopped(zc_reason *why)
{
    return zc_refuse(why, ZC_CANCELLED, "stopped on request");
}

/* Looks at the progress now and then; false: stop. */
static bool look(const zc_text_table *t, const zc_text_reader *r, const char **next, zc_progress *progress)
{
    if (r->at < *next)
        return true;
    *next = r->at + zc_smaller(BYTES_PER_LOOK, r->end - r->at);
    return zc_progress_set(progress, r->at - t->bytes);
}

/* Passes over the end of a line, if the reader stands there. */
static void pass_end(zc_text_reader *r)
{
    r->at += r->end - r->at > 1 && *r->at == '\r';
    if (r->at < r->end && *r->at == '\n') {
        r->at++;
        r->line++;
    }
}

/* A text whose fields are counted. */
typedef struct counting {
    zc_text_table *table;
    zc_text_reader reader;
    const char *look, *plain; /* no quote stands before `plain` that was not taken */
    const char *single;       /* lines that begin before it are counted one by one */
    zc_progress *progress;
    bool goes_on;
} counting;

/* Looks for the next quote, where the reader has come to what is not known. */
static void find_quote(counting *c)
{
    const zc_text_reader *r = &c->reader;
    c->goes_on = look(c->table, r, &c->look, c->progress);
    if (r->at < c->plain)
        return;
    const char *stop = r->at + zc_smaller(BYTES_PER_LOOK, r->end - r->at);
    const char *quote = memchr(r->at, '"', (size_t)(stop - r->at));
    c->plain = quote == NULL ? stop : quote;
}

/* Counts the fields that begin in a line behind `first`, up to its end or to `stop`; the reader goes there. */
static int64_t count_plain(zc_text_reader *r, const char *first, const char *stop)
{
    const char *at = r->at, delimiter = r->delimiter;
    int64_t fields = 0;
    if (delimiter != ' ') {
        for (; at < stop && *at != '\n'; at++)
            fields += *at == delimiter;
    } else {
        bool is_between = at > first && zc_text_is_blank(r, at[-1]);
        for (; at < stop && *at != '\n'; at++) {
            const bool is_blank = zc_text_is_blank(r, *at);
            fields += is_between && !is_blank && !zc_text_ends_line(r, at);
            is_between = is_blank;
        }
    }
    r->at = at;
    return fields;
}

/* Takes the fields of a line with quotes. */
static int64_t count_quoted(counting *c)
{
    int64_t fields = 0;
    do {
        (void)zc_text_take(&c->reader);
        fields++;
        c->goes_on = look(c->table, &c->reader, &c->look, c->progress);
    } while (c->goes_on && zc_text_goes_on(&c->reader));
    return fields;
}

/* The fields of a line, at whose end the reader stands then. */
static int64_t count_fields(counting *c)
{
    zc_text_reader *r = &c->reader;
    const zc_text_reader first = *r;
    int64_t fields = 1;
    while (r->at < r->end && *r->at != '\n' && c->goes_on) {
        find_quote(c);
        if (*r->at == '"') {
            *r = first;
            return count_quoted(c);
        }
        fields += count_plain(r, first.at, c->plain);
    }
    return fields;
}

/* ---- Many lines at once ---- */

/* Tells lines that may hold no fields, by how they begin: blanks, ends, comments, and quotes. */
static inline bool is_odd(char first)
{
    return (unsigned char)first <= '#';
}

/* Counts ends of lines, fields that begin behind others, and odd lines but for the first; up to an end of a line. */
static void count_block(const char *at, const char *stop, char delimiter, int64_t counts[3])
{
    enum { BLOCK = 240 }; /* that counts of a byte hold, of which a vector has many */
    while (at < stop) {
        unsigned char ends = 0, fields = 0, odd = 0;
        const char *last = at + zc_smaller(BLOCK, stop - at);
        for (const char *c = at; delimiter != ' ' && c < last; c++)
            fields = (unsigned char)(fields + (*c == delimiter));
        for (const char *c = at; delimiter == ' ' && c < last; c++)
            fields = (unsigned char)(fields + (((c[0] == ' ') | (c[0] == '\t')) & ((unsigned char)c[1] > ' ')));
        for (; at < last; at++) {
            ends = (unsigned char)(ends + (at[0] == '\n'));
            odd = (unsigned char)(odd + ((at[0] == '\n') & is_odd(at[1])));
        }
        counts[0] += ends;
        counts[1] += fields;
        counts[2] += odd;
    }
}

/* Takes all lines up to the next quote or look if each holds fields, as many as it should: the same as one by one. */
static void count_lines(counting *c)
{
    zc_text_reader *r = &c->reader;
    int64_t counts[3] = {1, 0, 0}; /* the last end is behind what is counted */
    if (r->at < c->single)
        return;
    pass_end(r);
    find_quote(c);
    c->single = c->plain;
    const char *stop = c->plain;
    while (stop > r->at && stop[-1] != '\n')
        stop--;
    if (stop == r->at || is_odd(*r->at))
        return;
    count_block(r->at, stop - 1, r->delimiter, counts);
    const int64_t fields = counts[0] + counts[1]; /* each line has one that stands behind no other */
    if (counts[2] > 0 || fields % counts[0] != 0 || fields / counts[0] != c->table->fields)
        return;
    c->table->elements += c->table->chosen >= 0 ? counts[0] : fields;
    r->at = c->single = stop;
}

zc_status zc_text_count(zc_text_table *t, zc_progress *progress, zc_reason *why)
{
    counting c = {.table = t, .look = t->data, .plain = t->data, .single = t->data, .progress = progress};
    zc_text_reader *r = &c.reader;
    *r = (zc_text_reader){.at = t->data, .end = t->bytes + t->count, .delimiter = t->delimiter, .line = t->line};
    c.goes_on = zc_progress_begin(progress, t->count);
    t->elements = 0;
    for (;;) {
        count_lines(&c);
        if (!c.goes_on || !zc_text_next_line(r) || count_fields(&c) != t->fields) /* nothing behind it is read */
            break;
        t->elements += t->chosen >= 0 ? 1 : t->fields; /* proven: fewer than bytes, but for one */
    }
    return c.goes_on ? ZC_OK : refuse_stopped(why);
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
    zc_progress *progress;
    const char *look; /* the progress is looked at there */
    bool goes_on;
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

/* Takes a field, and puts it among the elements if it is one of them. */
static zc_status take_field(filling *f, int64_t column, zc_reason *why)
{
    const zc_text_table *t = f->table;
    f->goes_on = look(t, &f->reader, &f->look, f->progress);
    if (!f->goes_on)
        return refuse_stopped(why);
    if (t->chosen < 0 || column == t->chosen)
        return take_element(f, column, why);
    const zc_text_field field = zc_text_take(&f->reader);
    return field.is_open ? refuse_field(t, f->line, column, field, why) : ZC_OK;
}

static zc_status read_line(filling *f, zc_reason *why)
{
    const zc_text_table *t = f->table;
    zc_status status = ZC_OK;
    f->line = f->reader.line;
    for (int64_t column = 0; status == ZC_OK && !f->is_wrong; column++) {
        status = take_field(f, column, why);
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

/* Takes the fields of plain numbers in a line up to field `stop`. Returns the place behind them, or NULL. */
static inline const char *take_part(const filling *f, const char *at, int64_t from, int64_t stop, bool is_integer)
{
    const char *end = f->reader.end, delimiter = f->reader.delimiter;
    const int64_t last = f->table->fields - 1;
    int64_t *integers = (int64_t *)f->elements + f->count;
    double *reals = (double *)f->elements + f->count;
    for (int64_t i = from; i < stop; i++) {
        at = is_integer ? take_integer(at, end, &integers[i]) : take_real(at, end, &reals[i]);
        if (at == NULL || at == end)
            return NULL;
        if (i == last && *at == '\r' && at + 1 < end)
            at++;
        if (*at++ != (i < last ? delimiter : '\n'))
            return NULL;
    }
    return at;
}

/* Takes a line of plain numbers with nothing around them. Returns the next line, or NULL, and nothing was done. */
static inline const char *take_line(filling *f, bool is_integer)
{
    enum { FIELDS_PER_LOOK = 1 << 13 };
    const int64_t fields = f->table->fields;
    const char *at = f->reader.at;
    for (int64_t from = 0; at != NULL && from < fields; from += FIELDS_PER_LOOK) {
        if (from > 0 && !zc_progress_set(f->progress, at - f->table->bytes)) {
            f->goes_on = false;
            return NULL;
        }
        at = take_part(f, at, from, zc_smaller(fields, from + FIELDS_PER_LOOK), is_integer); /* proven: below fields */
    }
    return at;
}

/* Takes plain lines up to the next look: the same as read_line(), in a fraction of the time. */
static void take_lines(filling *f)
{
    zc_text_table *t = f->table;
    const bool is_integer = f->kind == ZC_TEXT_INTEGER;
    if (!f->goes_on || f->elements == NULL || t->chosen >= 0 || (!is_integer && f->kind != ZC_TEXT_REAL))
        return;
    pass_end(&f->reader);
    while (f->reader.at < f->look && f->most - f->count >= t->fields) {
        const char *next = is_integer ? take_line(f, true) : take_line(f, false);
        if (next == NULL)
            return;
        f->reader.at = next;
        f->reader.line++;
        f->count += t->fields;
        t->rows++;
    }
}

/* Reads lines until all are read or an element is of another kind. */
static zc_status read_lines(filling *f, zc_reason *why)
{
    zc_text_table *t = f->table;
    zc_text_reader *r = &f->reader;
    *r = (zc_text_reader){.at = t->data, .end = t->bytes + t->count, .delimiter = t->delimiter, .line = t->line};
    f->count = t->rows = 0;
    f->is_wrong = false;
    f->look = r->at;
    f->goes_on = zc_progress_begin(f->progress, t->count);
    for (; f->goes_on; t->rows++) {
        f->goes_on = look(t, r, &f->look, f->progress);
        take_lines(f);
        if (!f->goes_on || !zc_text_next_line(r))
            break;
        const zc_status status = read_line(f, why);
        if (status != ZC_OK || f->is_wrong)
            return status;
    }
    return f->goes_on ? ZC_OK : refuse_stopped(why);
}

zc_status zc_text_read(zc_text_table *t, void *elements, zc_progress *progress, zc_reason *why)
{
    static const zc_dtype dtypes[] = {[ZC_TEXT_NOTHING] = ZC_FLOAT64,
                                      [ZC_TEXT_TRUTH] = ZC_BOOL,
                                      [ZC_TEXT_INTEGER] = ZC_INT64,
                                      [ZC_TEXT_REAL] = ZC_FLOAT64};
    filling f = {.table = t, .elements = elements, .most = elements == NULL ? 0 : t->elements, .progress = progress};
    zc_status status;
    do
        status = read_lines(&f, why);
    while (status == ZC_OK && f.is_wrong);
    if (status == ZC_OK && elements != NULL && f.count > f.most) /* LCOV_EXCL_BR_LINE: up to other processes */
        return zc_refuse(why, ZC_ERROR_FORMAT, "it changed while it was read"); /* LCOV_EXCL_LINE: likewise */
    t->dtype = dtypes[f.kind];
    t->columns = t->chosen >= 0 ? 1 : t->fields;
    return status;
}
