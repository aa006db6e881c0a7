/*
 * A file on its way to disk: its arrays come one after the other, the elements of each in runs, so that a result need
 * not exist as a whole.
 */
#ifndef ZC_MATERIALIZE_FILES_FILE_WRITER_H
#define ZC_MATERIALIZE_FILES_FILE_WRITER_H

#include "materialize/files/replaced_file.h"
#include "runtime/memory/heap.h"

/* An array of a file that is written. */
typedef struct zc_file_array {
    const char *name; /* NULL in a format without members */
    zc_dtype dtype;
    int rank;
    const int64_t *shape;
    int64_t size;  /* elements */
    int64_t bytes; /* of them in memory */
} zc_file_array;

typedef struct zc_file_writer {
    const struct zc_file_format *format;
    zc_replaced_file *file;
    zc_heap *heap; /* for what the format keeps while it writes */
    int count;
    const zc_file_array *arrays; /* [count], known before the first element; one in a format without members */
    int current;                 /* the array whose elements come next */
    void *state;                 /* the format's own */
} zc_file_writer;

/* The calls in their order: begin; begin_array, write as often as needed and end_array, for each array; end, also after
 * a failure of what follows begin. The file has begun, and format, file, heap and arrays are filled. */
zc_status zc_file_writer_begin(zc_file_writer *w, zc_reason *why);
zc_status zc_file_writer_begin_array(zc_file_writer *w, zc_reason *why);
zc_status zc_file_writer_end_array(zc_file_writer *w, zc_reason *why);
zc_status zc_file_writer_end(zc_file_writer *w, zc_status status, zc_reason *why);

/* The next elements in row-major order. Bools may be any bytes: what is not 0 becomes 1. */
zc_status zc_file_writer_write(zc_file_writer *w, const void *elements, int64_t count, zc_reason *why);

#endif
