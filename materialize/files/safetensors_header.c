#include "materialize/files/safetensors_header.h"

#include <stdio.h>
#include <string.h>

#include "materialize/files/bytes/little.h"
#include "materialize/files/bytes/utf8.h"
#include "materialize/files/spans.h"
#include "runtime/dtypes/dtype.h"
#include "views/shape.h"

static const char metadata[] = "__metadata__";

const char *zc_safetensors_code(zc_dtype dtype)
{
    static const char *const codes[ZC_DTYPE_COUNT] = {
        [ZC_BOOL] = "BOOL",   [ZC_INT8] = "I8",       [ZC_INT16] = "I16",     [ZC_INT32] = "I32",
        [ZC_INT64] = "I64",   [ZC_UINT8] = "U8",      [ZC_UINT16] = "U16",    [ZC_UINT32] = "U32",
        [ZC_UINT64] = "U64",  [ZC_FLOAT16] = "F16",   [ZC_BFLOAT16] = "BF16", [ZC_FLOAT32] = "F32",
        [ZC_FLOAT64] = "F64", [ZC_COMPLEX64] = "C64",
    };
    return codes[dtype];
}

/* ---- JSON ---- */

typedef struct reader {
    const char *at, *end;
    zc_arena *arena;
    zc_reason *why;
} reader;

static zc_status refuse(reader *r, const char *what)
{
    return zc_refuse(r->why, ZC_ERROR_FORMAT, "the header's JSON %s", what);
}

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

/* Takes one character if it is next. */
static bool take(reader *r, char wanted)
{
    skip_space(r);
    if (r->at >= r->end || *r->at != wanted)
        return false;
    r->at++;
    return true;
}

/* Between the elements of a list or an object: whether another one follows. Refuses what is neither. */
static zc_status take_next(reader *r, char closing, bool *follows)
{
    *follows = take(r, ',');
    return *follows || take(r, closing) ? ZC_OK : refuse(r, "lacks a comma or a closing bracket");
}

static bool take_digits(reader *r, uint32_t *number)
{
    *number = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *digit = memchr(digits, *r->at, sizeof digits - 1); /* a quote is in front of the end */
        if (digit == NULL)
            return false;
        const uint32_t value = (uint32_t)(digit - digits);
        *number = *number << 4 | (value < 16 ? value : value - 6);
    }
    return true;
}

/* Behind \u: four digits, or a pair of surrogates. */
static bool take_character(reader *r, char **to)
{
    enum { HIGH = 0xd800, LOW = 0xdc00, BEHIND = 0xe000, FIRST_PAIR = 0x10000 };
    uint32_t character, low;
    if (!take_digits(r, &character) || character == 0 || (character >= LOW && character < BEHIND))
        return false;
    if (character >= HIGH && character < LOW) {
        if (r->end - r->at < 2 || memcmp(r->at, "\\u", 2) != 0)
            return false;
        r->at += 2;
        if (!take_digits(r, &low) || low < LOW || low >= BEHIND)
            return false;
        character = FIRST_PAIR + ((character - HIGH) << 10) + (low - LOW); /* proven: below 0x110000 */
    }
    *to += zc_utf8_write(*to, character);
    return true;
}

static bool take_escape(reader *r, char **to)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char letter = *r->at++; /* a quote is in front of the end */
    if (letter == 'u')
        return take_character(r, to);
    const char *found = memchr(letters, letter, sizeof letters - 1);
    if (found == NULL)
        return false;
    *(*to)++ = meanings[found - letters];
    return true;
}

/* Finds the quote that ends the string which begins here. NULL: there is none. */
static const char *find_quote(const reader *r)
{
    for (const char *at = r->at; at < r->end; at++) {
        if (*at == '"')
            return at;
        at += *at == '\\';
    }
    return NULL;
}

/* A string, decoded into the arena. */
static zc_status take_string(reader *r, const char **out)
{
    if (!take(r, '"'))
        return refuse(r, "lacks a string where one is due");
    const char *quote = find_quote(r);
    if (quote == NULL)
        return refuse(r, "ends inside a string");
    char *to = zc_arena_take(r->arena, (size_t)(quote - r->at) + 1, 1); /* no escape is shorter than its meaning */
    if (to == NULL)
        return zc_refuse(r->why, ZC_ERROR_MEMORY, "out of memory");
    *out = to;
    while (r->at < quote) {
        const char next = *r->at++;
        if ((unsigned char)next < ' ' || (next == '\\' && !take_escape(r, &to)))
            return refuse(r, "has a string that is malformed");
        if (next != '\\')
            *to++ = next;
    }
    *to = '\0';
    r->at++;
    return ZC_OK;
}

/* A number from 0 on, without fraction and exponent. */
static zc_status take_number(reader *r, int64_t *out)
{
    skip_space(r);
    const char *digits = r->at;
    *out = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        if (!zc_checked_multiply(*out, 10, out) || !zc_checked_add(*out, *r->at - '0', out))
            return refuse(r, "has a number that is too large");
    }
    const bool is_one = r->at > digits && (*digits != '0' || r->at == digits + 1);
    return is_one ? ZC_OK : refuse(r, "has something else where a whole number is due");
}

/* Up to `room` numbers in brackets. */
static zc_status take_numbers(reader *r, int64_t *numbers, int room, int *count)
{
    *count = 0;
    if (!take(r, '['))
        return refuse(r, "lacks a list where one is due");
    bool follows = !take(r, ']');
    while (follows) {
        if (*count == room)
            return refuse(r, "has a list that is too long");
        zc_status status = take_number(r, &numbers[(*count)++]);
        if (status == ZC_OK)
            status = take_next(r, ']', &follows);
        if (status != ZC_OK)
            return status;
    }
    return ZC_OK;
}

/* ---- The keys of a tensor ---- */

static zc_status read_dtype(reader *r, zc_safetensors_entry *e)
{
    const char *code;
    zc_status status = take_string(r, &code);
    if (status != ZC_OK)
        return status;
    if (strlen(code) >= sizeof e->code)
        return refuse(r, "has a dtype that is none");
    (void)snprintf(e->code, sizeof e->code, "%s", code);
    for (int d = 0; d < ZC_DTYPE_COUNT && !e->is_known; d++) {
        const char *own = zc_safetensors_code((zc_dtype)d);
        e->is_known = own != NULL && strcmp(own, code) == 0;
        e->dtype = e->is_known ? (zc_dtype)d : e->dtype;
    }
    return ZC_OK;
}

static zc_status read_shape(reader *r, zc_safetensors_entry *e)
{
    int64_t shape[ZC_MAX_RANK];
    zc_status status = take_numbers(r, shape, ZC_MAX_RANK, &e->rank);
    if (status != ZC_OK)
        return status;
    e->shape = zc_arena_copy(r->arena, shape, (size_t)e->rank, sizeof *shape);
    return e->shape != NULL ? ZC_OK : zc_refuse(r->why, ZC_ERROR_MEMORY, "out of memory");
}

static zc_status read_offsets(reader *r, zc_safetensors_entry *e)
{
    int64_t offsets[2];
    int count;
    zc_status status = take_numbers(r, offsets, 2, &count);
    if (status == ZC_OK && (count != 2 || offsets[0] > offsets[1]))
        status = refuse(r, "has data_offsets that are no two numbers in order");
    if (status != ZC_OK)
        return status;
    e->begin = offsets[0];
    e->end = offsets[1];
    return ZC_OK;
}

typedef zc_status read_key(reader *r, zc_safetensors_entry *e);

static zc_status read_tensor(reader *r, zc_safetensors_entry *e)
{
    static const char *const names[] = {"dtype", "shape", "data_offsets"};
    static read_key *const readers[] = {read_dtype, read_shape, read_offsets};
    bool seen[3] = {false, false, false}, follows = take(r, '{');
    while (follows) {
        const char *name;
        int key = 0;
        zc_status status = take_string(r, &name);
        if (status != ZC_OK)
            return status;
        while (key < 3 && strcmp(name, names[key]) != 0)
            key++;
        if (key == 3 || seen[key] || !take(r, ':'))
            return refuse(r, "has a key of a tensor that is unknown, repeated or without a value");
        seen[key] = true;
        status = readers[key](r, e);
        if (status == ZC_OK)
            status = take_next(r, '}', &follows);
        if (status != ZC_OK)
            return status;
    }
    return seen[0] && seen[1] && seen[2] ? ZC_OK : refuse(r, "has a tensor without dtype, shape or data_offsets");
}

/* Strings by their names, which nobody asks for. */
static zc_status skip_metadata(reader *r)
{
    bool follows = take(r, '{');
    if (!follows)
        return refuse(r, "has __metadata__ that are no object");
    follows = !take(r, '}');
    while (follows) {
        const char *text;
        zc_status status = take_string(r, &text);
        if (status == ZC_OK && !take(r, ':'))
            status = refuse(r, "has a key without a value");
        if (status == ZC_OK)
            status = take_string(r, &text);
        if (status == ZC_OK)
            status = take_next(r, '}', &follows);
        if (status != ZC_OK)
            return status;
    }
    return ZC_OK;
}

/* ---- The whole ---- */

/* Refuses a tensor whose bytes are not as many as its shape says. */
static zc_status check_size(const zc_safetensors_entry *e, zc_reason *why)
{
    int64_t size = 0, bytes = 0;
    zc_status status = zc_shape_size(e->rank, e->shape, &size, why);
    if (status == ZC_OK && e->is_known)
        status = zc_shape_bytes(size, zc_dtype_bytes(e->dtype), &bytes, why);
    if (status != ZC_OK)
        return ZC_ERROR_FORMAT;
    if (e->is_known && bytes != e->end - e->begin)
        return zc_refuse(why, ZC_ERROR_FORMAT, "'%.64s' has %lld bytes, and by its shape it has %lld", e->name,
                         (long long)(e->end - e->begin), (long long)bytes);
    return ZC_OK;
}

/* One name and its value. */
static zc_status read_entry(reader *r, zc_safetensors_entries *out)
{
    zc_safetensors_entry e = {.is_known = false};
    zc_status status = take_string(r, &e.name);
    if (status == ZC_OK && !take(r, ':'))
        status = refuse(r, "has a key without a value");
    if (status != ZC_OK)
        return status;
    if (strcmp(e.name, metadata) == 0)
        return skip_metadata(r);
    status = read_tensor(r, &e);
    if (status == ZC_OK)
        status = check_size(&e, r->why);
    if (status != ZC_OK)
        return status;
    if (!zc_arena_make_room(r->arena, (void **)&out->list, out->count, &out->room, sizeof e))
        return zc_refuse(r->why, ZC_ERROR_MEMORY, "out of memory");
    out->list[out->count++] = e;
    return ZC_OK;
}

/* Refuses tensors that do not fill the bytes behind the header. */
static zc_status check_places(const zc_safetensors_entries *all, int64_t data_bytes, zc_reason *why)
{
    zc_span *spans = zc_arena_take(all->arena, (size_t)all->count, sizeof *spans);
    if (spans == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    for (int32_t i = 0; i < all->count; i++)
        spans[i] = (zc_span){all->list[i].name, all->list[i].begin, all->list[i].end};
    zc_status status = zc_spans_check(all->count, spans, why);
    int64_t at = 0;
    for (int32_t i = 0; i < all->count && status == ZC_OK; i++) {
        if (spans[i].begin != at)
            status = zc_refuse(why, ZC_ERROR_FORMAT, "there is a gap of %lld bytes before '%.64s'",
                               (long long)(spans[i].begin - at), spans[i].name);
        at = spans[i].end;
    }
    if (status == ZC_OK && at != data_bytes)
        status = at > data_bytes ? zc_refuse(why, ZC_ERROR_FORMAT, "%lld bytes of data are missing at its end",
                                             (long long)(at - data_bytes))
                                 : zc_refuse(why, ZC_ERROR_FORMAT, "%lld bytes at its end belong to no tensor",
                                             (long long)(data_bytes - at));
    return status;
}

static zc_status read_entries(reader *r, zc_safetensors_entries *out)
{
    (void)take(r, '{'); /* by which the format is told */
    bool follows = !take(r, '}');
    while (follows) {
        zc_status status = read_entry(r, out);
        if (status == ZC_OK)
            status = take_next(r, '}', &follows);
        if (status != ZC_OK)
            return status;
    }
    skip_space(r);
    return r->at == r->end ? ZC_OK : refuse(r, "goes on after its object");
}

zc_status zc_safetensors_parse(zc_arena *arena, const char *text, size_t count, int64_t data_bytes,
                               zc_safetensors_entries *out, zc_reason *why)
{
    enum { FIRST_ROOM = 16 };
    reader r = {.at = text, .end = text + count, .arena = arena, .why = why};
    *out = (zc_safetensors_entries){.arena = arena, .room = FIRST_ROOM};
    out->list = zc_arena_take(arena, FIRST_ROOM, sizeof *out->list);
    if (out->list == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    if (!zc_utf8_is_valid(text, count))
        return refuse(&r, "is not UTF-8");
    zc_status status = read_entries(&r, out);
    return status == ZC_OK ? check_places(out, data_bytes, why) : status;
}

/* ---- Writing ---- */

enum { MOST_DIGITS = 24, MOST_WORDS = 96, MOST_ESCAPE = 6 };

/* The name as JSON; returns the place behind it. A character takes at most six. */
static char *write_string(char *to, const char *text)
{
    *to++ = '"';
    for (; *text != '\0'; text++) {
        const unsigned char next = (unsigned char)*text;
        if (next < ' ') {
            to += snprintf(to, MOST_ESCAPE + 1, "\\u%04x", next);
            continue;
        }
        if (next == '"' || next == '\\')
            *to++ = '\\';
        *to++ = (char)next;
    }
    *to++ = '"';
    return to;
}

/* `room` is never too little. */
static char *write_entry(char *to, size_t room, const zc_file_array *array, int64_t begin)
{
    const char *end = to + room;
    to = write_string(to, array->name);
    to += snprintf(to, (size_t)(end - to), ":{\"dtype\":\"%s\",\"shape\":[", zc_safetensors_code(array->dtype));
    for (int a = 0; a < array->rank; a++)
        to += snprintf(to, (size_t)(end - to), "%s%lld", a > 0 ? "," : "", (long long)array->shape[a]);
    to += snprintf(to, (size_t)(end - to), "],\"data_offsets\":[%lld,%lld]}", (long long)begin,
                   (long long)(begin + array->bytes)); /* proven: of a file */
    return to;
}

/* Bytes that suffice; INT64_MAX when they are too many. */
static int64_t room_for(const zc_file_array *array)
{
    const int64_t name = (int64_t)strlen(array->name) * MOST_ESCAPE; /* proven: the name is in memory */
    return zc_saturating_add(name, MOST_WORDS + MOST_DIGITS * (2 + (int64_t)array->rank)); /* proven: of a rank */
}

char *zc_safetensors_write(zc_arena *arena, int count, const zc_file_array *arrays, size_t *length)
{
    enum { AROUND = ZC_SAFETENSORS_PREFIX + 16 };
    int64_t room = AROUND, begin = 0;
    for (int i = 0; i < count; i++)
        room = zc_saturating_add(room, room_for(&arrays[i]));
    char *bytes = zc_arena_take(arena, (size_t)room, 1), *to = bytes;
    if (bytes == NULL)
        return NULL;
    to += ZC_SAFETENSORS_PREFIX;
    *to++ = '{';
    for (int i = 0; i < count; i++) {
        to = write_entry(to, (size_t)(room - (to - bytes)), &arrays[i], begin);
        *to++ = ',';
        begin += arrays[i].bytes; /* proven: of a file */
    }
    to[-1] = '}'; /* instead of the last comma */
    while ((to - bytes) % ZC_SAFETENSORS_PREFIX != 0)
        *to++ = ' ';
    *length = (size_t)(to - bytes);
    (void)zc_little_write((unsigned char *)bytes, ZC_SAFETENSORS_PREFIX, *length - ZC_SAFETENSORS_PREFIX);
    return bytes;
}
