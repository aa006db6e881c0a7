/*
 * Arrays of a file by name: FILE:MEMBER as a path, the only array of a file, and what a file holds.
 */
#ifndef ZC_MATERIALIZE_FILES_MEMBERS_H
#define ZC_MATERIALIZE_FILES_MEMBERS_H

#include "materialize/files/formats.h"

/* An open file, and the array of it that is meant. */
typedef struct zc_named_file {
    zc_mapped_file file;
    const zc_file_format *format;
    const char *member; /* NULL: none was named, or the format has none */
    char path[4096];    /* the file's, where a member was named */
    char details[512];  /* of a path FORMAT:DETAIL:FILE, which are the member */
    char *only;         /* the name of the only member, of the heap; or NULL */
    size_t only_bytes;
    zc_heap *heap;
} zc_named_file;

/* Opens the file that a path names. A path that exists names a whole file; one that begins with a format's name and a
 * colon a file of that format; otherwise the file ends before the last colon that follows an existing one, and a
 * member's name stands behind it. A member of a format without members is refused. After ZC_OK the caller closes the
 * file. */
zc_status zc_named_file_open(zc_named_file *n, zc_heap *heap, const char *path, zc_reason *why);
void zc_named_file_close(zc_named_file *n);

/* Makes the only array of the file the member that is meant, where none was named. Refuses files of several, and tells
 * their names. */
zc_status zc_named_file_choose(zc_named_file *n, zc_reason *why);

/* Refuses a name that no array of the file has, and tells the names. */
zc_status zc_member_refuse(const zc_file_format *format, zc_heap *heap, const zc_mapped_file *file, const char *member,
                           zc_reason *why);

#endif
