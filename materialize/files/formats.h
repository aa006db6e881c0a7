/*
 * The formats of files: one zc_file_format each, in a file of its own, and one row of formats.def. Opening chooses by
 * the first bytes of a file, saving by the ending of its name.
 */
#ifndef ZC_MATERIALIZE_FILES_FORMATS_H
#define ZC_MATERIALIZE_FILES_FORMATS_H

#include "materialize/files/file_writer.h"
#include "materialize/files/mapped_file.h"
#include "views/view.h"

/* The elements of a file: a buffer and the view that shows them. */
typedef struct zc_file_elements {
    zc_buffer *buffer;
    zc_dtype dtype;
    zc_view view;
} zc_file_elements;

/* Takes a member that list() shows, for open_listed(). info is NULL where that refuses it. False: that is enough. */
typedef bool zc_file_lister(void *user, const char *name, const zc_file_info *info, const void *member);

/* Refusals are sentences for the caller to put its function in front. The path is a part of them where a file is at
 * fault. A member is NULL where the format has none, and never NULL where it has. */
typedef struct zc_file_format {
    const char *name;           /* its first ending, in lower case */
    const char *const *endings; /* all of them; NULL ends the list */
    const char *member;         /* the name of an array that is saved alone; NULL: a file is one array without a name */
    bool largest_first;         /* arrays of larger elements are written before others, so that all are aligned */
    bool picks;                 /* a file is one array, of which a member is a part */
    int details;                /* of a path FORMAT:DETAIL:FILE, which are the member; 0: FORMAT:FILE */

    /* Tells a file of the format by its first bytes, up to ZC_PROBE_BYTES. NULL: the ending of its name tells it, where
     * no other format's bytes do. */
    bool (*probe)(const unsigned char *start, size_t count);

    /* Shows the members in the order of the file; NULL in a format without. info->format is filled by the caller. */
    zc_status (*list)(zc_heap *heap, const zc_mapped_file *file, zc_file_lister *visit, void *user, zc_reason *why);

    /* The elements of a member that list() shows, during that. */
    zc_status (*open_listed)(zc_context *ctx, const zc_mapped_file *file, const void *member, zc_file_elements *out,
                             zc_reason *why);

    /* Describes an array without its data. info->format is filled by the caller. */
    zc_status (*describe)(zc_heap *heap, const zc_mapped_file *file, const char *member, zc_file_info *info,
                          zc_reason *why);

    /* The elements, with a reference to their buffer for the caller. The file is closed afterwards. */
    zc_status (*open)(zc_context *ctx, const zc_mapped_file *file, const char *member, zc_file_elements *out,
                      zc_reason *why);

    /* Refuses an array that cannot be saved; asked before anything is computed. */
    zc_status (*accept)(const zc_file_array *array, zc_reason *why);

    /* Writes what precedes the elements, and says how many bytes are expected. */
    zc_status (*begin)(zc_file_writer *w, zc_reason *why);

    /* Writes what precedes the elements of array w->current, and what follows them; NULL: nothing does. */
    zc_status (*begin_array)(zc_file_writer *w, zc_reason *why);
    zc_status (*end_array)(zc_file_writer *w, zc_reason *why);

    /* Writes the next elements of array w->current in row-major order, any number of them. Bools are 0 or 1. */
    zc_status (*write)(zc_file_writer *w, const void *elements, int64_t count, zc_reason *why);

    /* Writes what follows all elements, if status is ZC_OK; in any case ends what begin() began. Called once when that
     * came back with ZC_OK. Returns the first failure, status or its own; `why` is filled for its own only. NULL:
     * nothing follows. */
    zc_status (*end)(zc_file_writer *w, zc_status status, zc_reason *why);
} zc_file_format;

enum { ZC_PROBE_BYTES = 64 };

/* The format of that name, of so many letters; NULL: there is none. */
const zc_file_format *zc_file_format_named(const char *name, size_t length);

/* Refuses a file whose first bytes are those of another format. */
zc_status zc_file_format_check(const zc_mapped_file *file, const zc_file_format *format, zc_reason *why);

/* The format of an open file. */
zc_status zc_file_format_probe(const zc_mapped_file *file, const zc_file_format **format, zc_reason *why);

/* The format in which a file of that name is written: of FORMAT:FILE that one, and *path becomes FILE. */
zc_status zc_file_format_for(const char **path, const zc_file_format **format, zc_reason *why);

#endif
