#include "materialize/files/replaced_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "materialize/files/file_error.h"

enum { NAME_TRIES = 100, BYTES_PER_LOOK = 1 << 20 };

/* ---- Before anything is computed ---- */

static void folder_of(const char *path, char *folder, size_t room)
{
    (void)snprintf(folder, room, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        (void)snprintf(folder, room, ".");
    else
        slash[slash == folder ? 1 : 0] = '\0';
}

zc_status zc_replaced_file_check(zc_replaced_file *f, const char *path, zc_reason *why)
{
    struct stat status;
    char folder[sizeof f->path];
    char *real = realpath(path, NULL);
    int length = snprintf(f->path, sizeof f->path, "%s", real != NULL ? real : path);
    free(real);
    if (length == 0 || (size_t)length >= sizeof f->path) {
        (void)zc_refuse(why, ZC_ERROR_FILE, "the path is %s", length == 0 ? "empty" : "too long");
        return zc_file_error_number(why, length == 0 ? ENOENT : ENAMETOOLONG);
    }
    f->replaces = stat(f->path, &status) == 0;
    f->mode = f->replaces ? status.st_mode & 0777 : 0;
    if (f->replaces && !S_ISREG(status.st_mode)) {
        (void)zc_refuse(why, ZC_ERROR_FILE, "%s: not a regular file, so it is not replaced", path);
        return zc_file_error_number(why, S_ISDIR(status.st_mode) ? EISDIR : 0);
    }
    folder_of(f->path, folder, sizeof folder);
    if (stat(folder, &status) != 0 || access(folder, W_OK) != 0)
        return zc_file_error(why, path, "its folder cannot be written to");
    return ZC_OK;
}

/* ---- The temporary ---- */

zc_status zc_replaced_file_begin(zc_replaced_file *f, zc_progress *progress, zc_reason *why)
{
    static _Atomic unsigned counter;
    f->progress = (zc_thread_progress){.whole = progress};
    for (int i = 0; i < NAME_TRIES; i++) {
        unsigned number = atomic_fetch_add(&counter, 1);
        (void)snprintf(f->temporary, sizeof f->temporary, "%s.%ld-%u.part", f->path, (long)getpid(), number);
        f->file = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (f->file >= 0)
            return ZC_OK;
        if (errno != EEXIST)
            break;
    }
    return zc_file_error(why, f->temporary, "cannot be created");
}

static zc_status stop(zc_reason *why)
{
    return zc_refuse(why, ZC_CANCELLED, "stopped on request");
}

zc_status zc_replaced_file_expect(zc_replaced_file *f, int64_t bytes, zc_reason *why)
{
    return zc_progress_begin(f->progress.whole, bytes) ? ZC_OK : stop(why);
}

/* Piece by piece, looking at the flag in between. */
zc_status zc_replaced_file_write(zc_replaced_file *f, const void *bytes, size_t count, zc_reason *why)
{
    const char *from = bytes;
    while (count > 0) {
        ssize_t written = write(f->file, from, count < BYTES_PER_LOOK ? count : BYTES_PER_LOOK);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return zc_file_error(why, f->path, "cannot be written");
        if (!zc_thread_progress_add(&f->progress, written))
            return stop(why);
        from += written;
        count -= (size_t)written;
    }
    return ZC_OK;
}

/* ---- In its place ---- */

/* The new name is safe once the folder is on disk; file systems that cannot sync folders are not asked twice. */
static void sync_folder(const zc_replaced_file *f)
{
    char folder[sizeof f->path];
    folder_of(f->path, folder, sizeof folder);
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    (void)fsync(file);
    (void)close(file);
}

zc_status zc_replaced_file_close(zc_replaced_file *f, zc_status status, zc_reason *why)
{
    if (status == ZC_OK && ((f->replaces && fchmod(f->file, f->mode) != 0) || fsync(f->file) != 0))
        status = zc_file_error(why, f->path, "cannot be written");
    if (close(f->file) != 0 && status == ZC_OK)
        status = zc_file_error(why, f->path, "cannot be written");
    return status;
}

zc_status zc_replaced_file_end(zc_replaced_file *f, zc_status status, zc_reason *why)
{
    if (status == ZC_OK && rename(f->temporary, f->path) != 0)
        status = zc_file_error(why, f->path, "cannot be replaced");
    if (status != ZC_OK)
        (void)unlink(f->temporary);
    else
        sync_folder(f);
    return status;
}
