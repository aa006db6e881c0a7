/*
 * A regular file that is read: its first bytes by reading, its elements by mapping it into memory, read-only, unless
 * it is small and there are very many mappings.
 *
 * Invariant: a mapping does not need the file to stay open, and ends with its buffer.
 */
#ifndef ZC_MATERIALIZE_FILES_MAPPED_FILE_H
#define ZC_MATERIALIZE_FILES_MAPPED_FILE_H

#include "runtime/memory/buffer.h"
#include "views/reason.h"

typedef struct zc_mapped_file {
    const char *path; /* the caller's */
    int file;
    int64_t start; /* of its bytes on disk: 0, or where a file begins that is a part of another one */
    int64_t bytes;
} zc_mapped_file;

/* Refuses folders, devices and pipes, and waits for none. After ZC_OK the caller closes the file. */
zc_status zc_mapped_file_open(zc_mapped_file *f, const char *path, zc_reason *why);
void zc_mapped_file_close(zc_mapped_file *f);

/* Tells that opening was refused since there is no file of that name. */
bool zc_mapped_file_is_missing(const zc_reason *why);

/* Reads up to `room` bytes from the start of the file; fewer only at its end. */
zc_status zc_mapped_file_start(const zc_mapped_file *f, void *bytes, size_t room, size_t *count, zc_reason *why);

/* Reads these bytes; the file does not end before them, by its length when it was opened. */
zc_status zc_mapped_file_read(const zc_mapped_file *f, int64_t at, void *bytes, size_t count, zc_reason *why);

/* Refuses when the file ends before the `count` bytes from `at` on; neither is negative. */
zc_status zc_mapped_file_check(const zc_mapped_file *f, int64_t at, int64_t count, zc_reason *why);

/* A buffer over these bytes, which are checked too; of few bytes, where many files are mapped, a copy. */
zc_status zc_mapped_file_map(const zc_mapped_file *f, zc_heap *heap, int64_t at, int64_t count, zc_buffer **buffer,
                             zc_reason *why);

#endif
