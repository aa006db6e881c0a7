/*
 * The formats of files: one zc_file_format each, in a file of its own, and one row of formats.def. Opening chooses by
 * the first bytes of a file, saving by the ending of its name.
 */
#ifndef ZC_MATERIALIZE_FILES_FORMATS_H
#define ZC_MATERIALIZE_FILES_FORMATS_H

#include "materialize/files/mapped_file.h"
#include "materialize/files/replaced_file.h"
#include "views/view.h"

/* The elements of a file: a buffer and the view that shows them. */
typedef struct zc_file_elements {
    zc_buffer *buffer;
    zc_dtype dtype;
    zc_view view;
} zc_file_elements;

/* Refusals are sentences for the caller to put its function in front. The path is a part of them where a file is at
 * fault. */
typedef struct zc_file_format {
    const char *name;           /* its first ending, in lower case */
    const char *const *endings; /* all of them; NULL ends the list */

    /* Tells a file of the format by its first bytes, up to ZC_PROBE_BYTES. */
    bool (*probe)(const unsigned char *start, size_t count);

    /* Describes the file without its data. info->format is filled by the caller. */
    zc_status (*describe)(zc_heap *heap, const zc_mapped_file *file, zc_file_info *info, zc_reason *why);

    /* The elements, with a reference to their buffer for the caller. The file is closed afterwards. */
    zc_status (*open)(zc_context *ctx, const zc_mapped_file *file, zc_file_elements *out, zc_reason *why);

    /* Refuses a dtype that cannot be saved; asked before anything is computed. */
    zc_status (*accept)(zc_dtype dtype, zc_reason *why);

    /* Writes a tensor that is dense in memory and of an accepted dtype into a file that has begun. */
    zc_status (*save)(const zc_tensor *dense, zc_replaced_file *file, zc_reason *why);
} zc_file_format;

enum { ZC_PROBE_BYTES = 64 };

/* The format of an open file. */
zc_status zc_file_format_probe(const zc_mapped_file *file, const zc_file_format **format, zc_reason *why);

/* The format in which a file of that name is written. */
zc_status zc_file_format_for(const char *path, const zc_file_format **format, zc_reason *why);

#endif
