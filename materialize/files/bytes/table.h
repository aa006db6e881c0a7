/*
 * A text as a table of elements: what it holds, and its elements in row-major order.
 *
 * The first line with something in it is a header where one of its fields is no value. All other lines have as many
 * fields as it. Where all of them are True or False they are bools, where all are integers int64, and otherwise
 * float64; an empty one is NaN. A table of one column has one axis, any other two.
 */
#ifndef ZC_MATERIALIZE_FILES_BYTES_TABLE_H
#define ZC_MATERIALIZE_FILES_BYTES_TABLE_H

#include "runtime/context/progress.h"
#include "views/reason.h"

typedef struct zc_text_table {
    const char *bytes;
    int64_t count; /* of the bytes */
    char delimiter;
    const char *column; /* the name of the only one that is read; NULL: all are */

    /* Filled by zc_text_begin(). */
    const char *data;           /* the first line behind the header */
    int64_t line;               /* its number */
    int64_t first_line, fields; /* of the first line with something in it: its number, and of how many fields */
    int64_t chosen;             /* the column's number; -1: all of them */
    bool is_truths;             /* the first field of the data is True or False */

    /* Filled by zc_text_count(). */
    int64_t elements; /* or those before the line that has another number of fields */

    /* Filled by zc_text_read(). */
    zc_dtype dtype;
    int64_t rows, columns;
} zc_text_table;

/* Looks at the first lines. Sentences are without the path. */
zc_status zc_text_begin(zc_text_table *table, zc_reason *why);

/* Counts the elements of the lines. Refuses nothing, but may be ZC_CANCELLED. */
zc_status zc_text_count(zc_text_table *table, zc_progress *progress, zc_reason *why);

/* Reads all lines. `elements`: room for as many as were counted, of 8 bytes, or of one byte if they are truths; or NULL
 * to learn dtype and shape alone. Also ZC_CANCELLED. */
zc_status zc_text_read(zc_text_table *table, void *elements, zc_progress *progress, zc_reason *why);

#endif
