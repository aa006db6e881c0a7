#include "tools/output/json.h"

#include <inttypes.h>
#include <math.h>

#include "math/decimal/digits.h"
#include "tools/base/interrupt.h"

static void begin_value(zc_json *json)
{
    if (json->needs_comma)
        fputs(", ", json->out);
    json->needs_comma = true;
}

void zc_json_open(zc_json *json, char bracket)
{
    begin_value(json);
    putc(bracket, json->out);
    json->needs_comma = false;
}

void zc_json_close(zc_json *json, char bracket)
{
    putc(bracket, json->out);
    json->needs_comma = true;
}

/* Bytes above 127 are handed through: texts are UTF-8 where their maker used it. */
static void put_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ')
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

void zc_json_key(zc_json *json, const char *key)
{
    begin_value(json);
    put_quoted(json->out, key);
    fputs(": ", json->out);
    json->needs_comma = false;
}

void zc_json_string(zc_json *json, const char *text)
{
    begin_value(json);
    put_quoted(json->out, text);
}

void zc_json_integer(zc_json *json, int64_t value)
{
    begin_value(json);
    fprintf(json->out, "%" PRId64, value);
}

void zc_json_bool(zc_json *json, bool value)
{
    begin_value(json);
    fputs(value ? "true" : "false", json->out);
}

void zc_json_null(zc_json *json)
{
    begin_value(json);
    fputs("null", json->out);
}

void zc_json_integers(zc_json *json, int count, const int64_t *values)
{
    zc_json_open(json, '[');
    for (int i = 0; i < count; i++)
        zc_json_integer(json, values[i]);
    zc_json_close(json, ']');
}

void zc_json_real(zc_json *json, double value)
{
    char text[ZC_NUMBER_BYTES];
    if (!isfinite(value)) {
        zc_json_string(json, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    (void)zc_digits_write_repr(value, ZC_PRECISION_DOUBLE, text);
    begin_value(json);
    fputs(text, json->out);
}

static void put_element(zc_json *json, zc_element element)
{
    switch (element.kind) {
    case ZC_ELEMENT_BOOL:
        zc_json_bool(json, element.truth);
        break;
    case ZC_ELEMENT_SIGNED:
        zc_json_integer(json, element.integer);
        break;
    case ZC_ELEMENT_UNSIGNED:
        begin_value(json);
        fprintf(json->out, "%" PRIu64, element.magnitude);
        break;
    case ZC_ELEMENT_FLOAT:
        zc_json_real(json, element.real);
        break;
    default: /* ZC_ELEMENT_COMPLEX */
        zc_json_open(json, '[');
        zc_json_real(json, element.real);
        zc_json_real(json, element.imag);
        zc_json_close(json, ']');
        break;
    }
}

static int64_t put_axis(zc_json *json, zc_dtype dtype, int rank, const int64_t *shape, const void *data, int64_t next)
{
    if (rank == 0) {
        put_element(json, zc_element_read(dtype, data, next));
        return next + 1;
    }
    zc_json_open(json, '[');
    for (int64_t i = 0; i < shape[0] && zc_interrupt_signal() == 0; i++)
        next = put_axis(json, dtype, rank - 1, shape + 1, data, next); /* recursion: as deep as the rank */
    zc_json_close(json, ']');
    return next;
}

void zc_json_array(zc_json *json, zc_dtype dtype, int rank, const int64_t *shape, const void *data)
{
    (void)put_axis(json, dtype, rank, shape, data, 0);
}
