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
#include "views/shape.h"

enum { NAME_TRIES = 100, BYTES_PER_LOOK = 1 << 20, MOST_LINKS = 40, SUFFIX = 40, USUAL_NAME = 255 };

/* ---- Before anything is computed ---- */

static void folder_of(const zc_replaced_file *f, char *folder)
{
    const int length = (int)f->folder_bytes - 1;
    (void)snprintf(folder, sizeof f->path, "%.*s", length > 0 ? length : 1, f->path);
}

/* The folder's own path and a slash take the place of what stands before the name: links in it are followed. */
static bool find_folder(zc_replaced_file *f, zc_reason *why, const char *given)
{
    char name[USUAL_NAME + 1], folder[sizeof f->path];
    const char *slash = strrchr(f->path, '/');
    const size_t before = slash == NULL ? 0 : (size_t)(slash + 1 - f->path);
    const size_t name_bytes = strlen(f->path + before) + 1;
    if (name_bytes > sizeof name) {
        errno = ENAMETOOLONG;
        (void)zc_file_error(why, given, "cannot be written");
        return false;
    }
    memcpy(name, f->path + before, name_bytes);
    (void)snprintf(folder, sizeof folder, "%.*s", before == 0 ? 1 : (int)before, before == 0 ? "." : f->path);
    char *real = realpath(folder, NULL);
    const char *is_root = real != NULL && strcmp(real, "/") == 0 ? "" : "/";
    const int length = real == NULL ? 0 : snprintf(f->path, sizeof f->path, "%s%s%s", real, is_root, name);
    f->folder_bytes = length > 0 ? (size_t)length + 1 - name_bytes : 0;
    free(real);
    if (length > 0 && (size_t)length < sizeof f->path)
        return true;
    if (length > 0)
        errno = ENAMETOOLONG;
    (void)zc_file_error(why, given, "its folder cannot be written to");
    return false;
}

/* Follows a link to a file that does not exist, by one step. 0: it is none; -1: it cannot be followed. */
static int follow(zc_replaced_file *f)
{
    char target[sizeof f->path];
    const ssize_t length = readlink(f->path, target, sizeof target - 1);
    if (length < 0)
        return 0;
    target[length] = '\0';
    const int folder = target[0] == '/' ? 0 : (int)f->folder_bytes;
    char whole[sizeof f->path];
    if ((size_t)snprintf(whole, sizeof whole, "%.*s%s", folder, f->path, target) >= sizeof whole) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(f->path, whole, sizeof whole);
    return 1;
}

/* The file itself: by its folder's own path, whatever links lead there, also where it does not exist yet. */
static bool find_file(zc_replaced_file *f, const char *path, zc_reason *why)
{
    char *real = realpath(path, NULL);
    const int length = snprintf(f->path, sizeof f->path, "%s", real != NULL ? real : path);
    free(real);
    if (length == 0 || (size_t)length >= sizeof f->path) {
        (void)zc_refuse(why, ZC_ERROR_FILE, "the path is %s", length == 0 ? "empty" : "too long");
        (void)zc_file_error_number(why, length == 0 ? ENOENT : ENAMETOOLONG);
        return false;
    }
    int step = 1;
    for (int links = 0; step > 0 && links <= MOST_LINKS; links++) {
        if (!find_folder(f, why, path))
            return false;
        step = follow(f);
    }
    if (step == 0)
        return true;
    errno = step > 0 ? ELOOP : errno;
    (void)zc_file_error(why, path, "cannot be followed");
    return false;
}

/* Refuses to replace a file that nobody may write to; root is refused, too. */
static zc_status check_replaced(zc_replaced_file *f, const struct stat *status, const char *path, zc_reason *why)
{
    if (!S_ISREG(status->st_mode)) {
        (void)zc_refuse(why, ZC_ERROR_FILE, "%s: not a regular file, so it is not replaced", path);
        return zc_file_error_number(why, S_ISDIR(status->st_mode) ? EISDIR : 0);
    }
    f->replaces = true;
    f->mode = status->st_mode & 0777;
    f->owner = status->st_uid;
    f->group = status->st_gid;
    errno = EACCES;
    if ((f->mode & 0222) == 0 || access(f->path, W_OK) != 0) /* LCOV_EXCL_BR_LINE: root may write to any other */
        return zc_file_error(why, path, "cannot be written to");
    return ZC_OK;
}

zc_status zc_replaced_file_check(zc_replaced_file *f, const char *path, zc_reason *why)
{
    struct stat status;
    char folder[sizeof f->path];
    f->replaces = false;
    if (!find_file(f, path, why))
        return ZC_ERROR_FILE;
    folder_of(f, folder);
    if (stat(folder, &status) != 0 ||
        access(folder, W_OK) != 0) /* LCOV_EXCL_BR_LINE: it was found, and root may write */
        return zc_file_error(why, path, "its folder cannot be written to");
    f->device = status.st_dev;
    f->folder = status.st_ino;
    return stat(f->path, &status) != 0 ? ZC_OK : check_replaced(f, &status, path, why);
}

int zc_replaced_file_compare(const zc_replaced_file *a, const zc_replaced_file *b)
{
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->folder != b->folder)
        return a->folder < b->folder ? -1 : 1;
    return strcmp(a->path + a->folder_bytes, b->path + b->folder_bytes);
}

/* ---- The temporary ---- */

/* As long as a name may be there, of which the file's own is the beginning: whole characters of UTF-8. */
static void name_temporary(zc_replaced_file *f, unsigned number)
{
    char folder[sizeof f->path], suffix[SUFFIX];
    folder_of(f, folder);
    const char *own = f->path + f->folder_bytes;
    const int64_t there = pathconf(folder, _PC_NAME_MAX), room = (int64_t)(sizeof f->temporary - 1 - f->folder_bytes);
    const int tail = snprintf(suffix, sizeof suffix, ".%ld-%u.part", (long)getpid(), number);
    const int64_t most = zc_smaller(zc_smaller(there > 0 ? there : USUAL_NAME, USUAL_NAME), room) - tail;
    size_t kept = strlen(own);
    if ((int64_t)kept > most) {
        kept = (size_t)zc_larger(most, 0);
        while (kept > 0 && ((unsigned char)own[kept] & 0xc0) == 0x80)
            kept--;
    }
    (void)snprintf(f->temporary, sizeof f->temporary, "%.*s%s", (int)(f->folder_bytes + kept), f->path, suffix);
}

/* Keeps the temporary unreadable for others until it has the permissions of the file that it replaces. */
zc_status zc_replaced_file_begin(zc_replaced_file *f, zc_progress *progress, zc_reason *why)
{
    static _Atomic unsigned counter;
    f->progress = (zc_thread_progress){.whole = progress};
    for (int i = 0; i < NAME_TRIES; i++) {
        name_temporary(f, atomic_fetch_add(&counter, 1));
        f->file = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, f->replaces ? 0600 : 0666);
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

zc_status zc_replaced_file_write_over(zc_replaced_file *f, int64_t at, const void *bytes, size_t count, zc_reason *why)
{
    (void)lseek(f->file, (off_t)at, SEEK_SET); /* both are places of a regular file */
    zc_status status = zc_replaced_file_write(f, bytes, count, why);
    (void)lseek(f->file, 0, SEEK_END);
    return status;
}

/* ---- In its place ---- */

/* The new name is safe once the folder is on disk; file systems that cannot sync folders are not asked twice. */
static void sync_folder(const zc_replaced_file *f)
{
    char folder[sizeof f->path];
    folder_of(f, folder);
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    (void)fsync(file);
    (void)close(file);
}

/* The owner and the group of the file that is replaced, as far as they may be given away, and its permissions: where it
 * has another group now, that may do what everybody may. */
static bool take_permissions(const zc_replaced_file *f)
{
    struct stat now;
    if (fstat(f->file, &now) != 0) /* LCOV_EXCL_BR_LINE: of an open file */
        return false;
    mode_t mode = f->mode;
    if (now.st_gid != f->group && fchown(f->file, (uid_t)-1, f->group) != 0)
        mode = (mode & ~(mode_t)070) | (mode & 07) << 3;
    if (now.st_uid != f->owner)
        (void)!fchown(f->file, f->owner, (gid_t)-1);
    return fchmod(f->file, mode) == 0;
}

zc_status zc_replaced_file_close(zc_replaced_file *f, zc_status status, zc_reason *why)
{
    if (status == ZC_OK && ((f->replaces && !take_permissions(f)) || fsync(f->file) != 0))
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
