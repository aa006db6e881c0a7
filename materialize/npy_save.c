/*
 * Saving .npy files: path holds the old file or the complete new one, never a part. The result is computed, written to
 * a temporary in the same folder, synced and renamed; the folder is synced last.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/dtype.h"
#include "runtime/file.h"
#include "runtime/npy_header.h"
#include "runtime/tensor.h"

enum { NAME_TRIES = 100, BYTES_PER_LOOK = 1 << 20 };

typedef struct sink {
    char path[4096];      /* the file itself, symbolic links followed */
    char temporary[4160]; /* beside it */
    int file;
    bool replaces; /* a file is there already: its permissions stay */
    mode_t mode;
} sink;

/* ---- Before anything is computed: could the file be written at all? ---- */

static void folder_of(const char *path, char *folder, size_t room)
{
    (void)snprintf(folder, room, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        (void)snprintf(folder, room, ".");
    else
        slash[slash == folder ? 1 : 0] = '\0';
}

static zc_status examine(const char *path, sink *s, zc_reason *why)
{
    struct stat status;
    char folder[sizeof s->path];
    char *real = realpath(path, NULL);
    int length = snprintf(s->path, sizeof s->path, "%s", real != NULL ? real : path);
    free(real);
    if (length == 0 || (size_t)length >= sizeof s->path)
        return zc_refuse(why, ZC_ERROR_FILE, "the path is %s", length == 0 ? "empty" : "too long");
    s->replaces = stat(s->path, &status) == 0;
    s->mode = s->replaces ? status.st_mode & 0777 : 0;
    if (s->replaces && !S_ISREG(status.st_mode))
        return zc_refuse(why, ZC_ERROR_FILE, "%s: not a regular file, so it is not replaced", path);
    folder_of(s->path, folder, sizeof folder);
    if (stat(folder, &status) != 0 || access(folder, W_OK) != 0)
        return zc_file_error(why, path, "its folder cannot be written to");
    return ZC_OK;
}

/* ---- The temporary ---- */

static zc_status open_temporary(sink *s, zc_reason *why)
{
    static _Atomic unsigned counter;
    for (int i = 0; i < NAME_TRIES; i++) {
        unsigned number = atomic_fetch_add(&counter, 1);
        (void)snprintf(s->temporary, sizeof s->temporary, "%s.%ld-%u.part", s->path, (long)getpid(), number);
        s->file = open(s->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (s->file >= 0)
            return ZC_OK;
        if (errno != EEXIST)
            break;
    }
    return zc_file_error(why, s->temporary, "cannot be created");
}

/* Piece by piece, looking at the watch in between; false, too, when the work is to stop. */
static bool write_all(int file, zc_pace *pace, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(file, bytes, count < BYTES_PER_LOOK ? count : BYTES_PER_LOOK);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0 || !zc_pace_add(pace, written))
            return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/* Bools, which may be foreign memory as it stands: in a file true is 1. */
static bool write_truths(int file, zc_pace *pace, const unsigned char *bytes, size_t count)
{
    unsigned char piece[1 << 14];
    while (count > 0) {
        size_t next = count < sizeof piece ? count : sizeof piece;
        zc_copy_truths(piece, bytes, next);
        if (!write_all(file, pace, (const char *)piece, next))
            return false;
        bytes += next;
        count -= next;
    }
    return true;
}

static bool write_elements(int file, zc_pace *pace, const zc_tensor *t, size_t bytes)
{
    return zc_dtype_of(t) == ZC_BOOL ? write_truths(file, pace, zc_data(t), bytes)
                                     : write_all(file, pace, zc_data(t), bytes);
}

static bool write_tensor(const sink *s, const zc_tensor *t)
{
    char header[ZC_NPY_HEADER_ROOM];
    size_t length = zc_npy_header_write(header, zc_dtype_of(t), t->rank, t->dims);
    size_t bytes = (size_t)t->size * zc_dtype_bytes(zc_dtype_of(t)); /* proven: the buffer has that size */
    zc_pace pace = {.watch = &t->ctx->watch};
    int64_t steps = (int64_t)(length + bytes); /* proven: a file has as many */
    return zc_watch_begin(pace.watch, steps) && write_all(s->file, &pace, header, length) &&
           write_elements(s->file, &pace, t, bytes) && (!s->replaces || fchmod(s->file, s->mode) == 0) &&
           fsync(s->file) == 0;
}

/* The new name is safe once the folder is on disk; file systems that cannot sync folders are not asked twice. */
static void sync_folder(const sink *s)
{
    char folder[sizeof s->path];
    folder_of(s->path, folder, sizeof folder);
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    (void)fsync(file);
    (void)close(file);
}

static zc_status write_file(sink *s, const zc_tensor *t, zc_reason *why)
{
    zc_status status = open_temporary(s, why);
    if (status != ZC_OK)
        return status;
    if (!write_tensor(s, t))
        status = zc_watch_stops(&t->ctx->watch) ? ZC_CANCELLED : zc_file_error(why, s->path, "cannot be written");
    if (close(s->file) != 0 && status == ZC_OK)
        status = zc_file_error(why, s->path, "cannot be written");
    if (status == ZC_OK && rename(s->temporary, s->path) != 0)
        status = zc_file_error(why, s->path, "cannot be replaced");
    if (status != ZC_OK)
        (void)unlink(s->temporary);
    else
        sync_folder(s);
    return status;
}

zc_status zc_npy_save(const zc_tensor *t, const char *path)
{
    if (t == NULL)
        return ZC_ERROR_ARGUMENT;
    if (path == NULL)
        return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "npy_save", "the path is NULL");
    if (zc_npy_code(zc_dtype_of(t)) == NULL)
        return zc_fail(t->ctx, ZC_ERROR_DTYPE, "npy_save",
                       "a .npy file holds no %s; save astype(x, float32), or the bits with view(x, uint16)",
                       zc_dtype_name(zc_dtype_of(t)));
    zc_reason why;
    sink s;
    zc_status status = examine(path, &s, &why);
    if (status != ZC_OK)
        return zc_fail_because(t->ctx, status, "npy_save", &why);
    zc_tensor *dense = NULL;
    status = zc_materialize(t, &dense);
    if (status != ZC_OK)
        return status;
    status = write_file(&s, dense, &why);
    zc_release(dense);
    if (status == ZC_OK || status == ZC_CANCELLED)
        return status == ZC_OK ? ZC_OK : zc_fail_cancelled(t->ctx, "npy_save");
    return zc_fail_because(t->ctx, status, "npy_save", &why);
}
