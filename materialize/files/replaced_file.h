/*
 * A file that is written: its path holds the old file or the complete new one, never a part. The bytes go into a
 * temporary in the same folder, which is synced and renamed; the folder is synced last.
 *
 * The calls in their order: check, begin, expect and write as often as needed, close, end. Of several files all are
 * closed before the first is ended, so that none takes its place before all are written.
 */
#ifndef ZC_MATERIALIZE_FILES_REPLACED_FILE_H
#define ZC_MATERIALIZE_FILES_REPLACED_FILE_H

#include <sys/types.h>

#include "runtime/context/progress.h"
#include "views/reason.h"

typedef struct zc_replaced_file {
    char path[4096];      /* the file itself: its folder has no link in it, and it is none */
    char temporary[4096]; /* beside it */
    size_t folder_bytes;  /* of path before the name, the slash included */
    int file;
    dev_t device; /* of the folder, which tells whether two files are one */
    ino_t folder;
    bool replaces; /* a file exists already: its permissions, and if it may be, its owner and group stay */
    mode_t mode;
    uid_t owner;
    gid_t group;
    zc_thread_progress progress;
} zc_replaced_file;

/* Could the file be written at all? To be asked before anything is computed. */
zc_status zc_replaced_file_check(zc_replaced_file *f, const char *path, zc_reason *why);

/* An order of files that were checked: 0 is the same file, by whatever paths it was named. */
int zc_replaced_file_compare(const zc_replaced_file *a, const zc_replaced_file *b);

/* Makes the temporary. After ZC_OK the caller closes the file, and ends it. */
zc_status zc_replaced_file_begin(zc_replaced_file *f, zc_progress *progress, zc_reason *why);

/* Says how many bytes are going to be written, for whoever watches. ZC_CANCELLED: stop. */
zc_status zc_replaced_file_expect(zc_replaced_file *f, int64_t bytes, zc_reason *why);

/* ZC_CANCELLED when the work is to stop. */
zc_status zc_replaced_file_write(zc_replaced_file *f, const void *bytes, size_t count, zc_reason *why);

/* Writes over what was written, `at` bytes from the start. What is written next follows the end, as before. */
zc_status zc_replaced_file_write_over(zc_replaced_file *f, int64_t at, const void *bytes, size_t count, zc_reason *why);

/* Makes sure that everything written (status ZC_OK) is on disk, and closes the temporary. Returns the first failure,
 * status or its own; `why` is filled for its own only. */
zc_status zc_replaced_file_close(zc_replaced_file *f, zc_status status, zc_reason *why);

/* Puts the new file in its place when it was closed well (status ZC_OK), else removes the temporary. Returns as above.
 */
zc_status zc_replaced_file_end(zc_replaced_file *f, zc_status status, zc_reason *why);

#endif
