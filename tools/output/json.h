/*
 * A writer of JSON: values one after the other, commas and colons where they belong.
 *
 * Invariant: what has been written so far is the beginning of a valid text, whatever the strings hold; numbers that
 * JSON has no notation for are strings ("nan", "inf", "-inf").
 */
#ifndef ZC_TOOLS_OUTPUT_JSON_H
#define ZC_TOOLS_OUTPUT_JSON_H

#include <stdio.h>

#include "expressions/values/element.h"

typedef struct zc_json {
    FILE *out;
    bool needs_comma;
} zc_json;

void zc_json_open(zc_json *json, char bracket); /* { or [ */
void zc_json_close(zc_json *json, char bracket);
void zc_json_key(zc_json *json, const char *key);
void zc_json_string(zc_json *json, const char *text);
void zc_json_integer(zc_json *json, int64_t value);
void zc_json_bool(zc_json *json, bool value);
void zc_json_null(zc_json *json);
void zc_json_integers(zc_json *json, int count, const int64_t *values);
void zc_json_real(zc_json *json, double value);

/* The elements of a dense array as nested lists, a single value for rank 0. Floats are written with the digits that
 * read back as the same double. */
void zc_json_array(zc_json *json, zc_dtype dtype, int rank, const int64_t *shape, const void *data);

#endif
