#include "materialize/files/members.h"

#include <stdio.h>
#include <string.h>

#include "materialize/files/file_error.h"

/* ---- Paths ---- */

/* Opens what stands before one of the colons, from the last to the first; false: it is no regular file. */
static bool open_before_colon(zc_named_file *n, const char *path)
{
    zc_reason unused;
    const size_t length = strlen(path);
    for (size_t at = length < sizeof n->path ? length : sizeof n->path; at-- > 1;) {
        if (path[at] != ':' || at + 1 == length)
            continue;
        memcpy(n->path, path, at);
        n->path[at] = '\0';
        if (zc_mapped_file_open(&n->file, n->path, &unused) == ZC_OK) {
            n->member = path + at + 1;
            return true;
        }
    }
    return false;
}

/* The text behind a format's name and what it has to be told; NULL: the path does not begin with them. */
static const char *take_format(zc_named_file *n, const char *path)
{
    const char *at = strchr(path, ':'), *first = at == NULL ? NULL : at + 1;
    n->format = at == NULL ? NULL : zc_file_format_named(path, (size_t)(at - path));
    for (int i = 0; n->format != NULL && at != NULL && i < n->format->details; i++)
        at = strchr(at + 1, ':');
    const size_t length = at == NULL || at < first ? 0 : (size_t)(at - first);
    if (n->format == NULL || at == NULL || length >= sizeof n->details) {
        n->format = NULL;
        return NULL;
    }
    memcpy(n->details, first, length);
    n->details[length] = '\0';
    n->member = n->format->details > 0 ? n->details : NULL;
    return at + 1;
}

static zc_status open_file(zc_named_file *n, const char *path, zc_reason *why)
{
    const zc_status status = zc_mapped_file_open(&n->file, path, why);
    if (status == ZC_OK || !zc_mapped_file_is_missing(why))
        return status;
    const char *rest = take_format(n, path);
    if (rest == NULL)
        return open_before_colon(n, path) ? ZC_OK : status;
    const zc_status other = zc_mapped_file_open(&n->file, rest, why);
    const bool is_missing = other != ZC_OK && zc_mapped_file_is_missing(why);
    return is_missing && n->member == NULL && open_before_colon(n, rest) ? ZC_OK : other;
}

zc_status zc_named_file_open(zc_named_file *n, zc_heap *heap, const char *path, zc_reason *why)
{
    n->member = NULL;
    n->format = NULL;
    n->only = NULL;
    n->heap = heap;
    zc_status status = open_file(n, path, why);
    if (status != ZC_OK)
        return status;
    const zc_file_format *format = n->format;
    status =
        format == NULL ? zc_file_format_probe(&n->file, &format, why) : zc_file_format_check(&n->file, format, why);
    n->format = format;
    if (status == ZC_OK && n->member != NULL && format->list == NULL && !format->picks)
        status = zc_refuse(why, ZC_ERROR_FORMAT, "%s: a .%s file is one array without a name, so none of it is '%s'",
                           n->path, format->name, n->member);
    if (status != ZC_OK)
        zc_named_file_close(n);
    return status;
}

void zc_named_file_close(zc_named_file *n)
{
    zc_mapped_file_close(&n->file);
    if (n->only != NULL)
        zc_heap_give(n->heap, n->only, n->only_bytes);
}

/* ---- Names ---- */

enum { NAMES_ROOM = 384 };

/* Names of a file's arrays, as far as there is room for whole ones. */
typedef struct names {
    int64_t count;
    size_t used;
    char text[NAMES_ROOM];
    zc_named_file *file; /* that keeps the first name; NULL: none does */
    bool is_out;         /* of memory */
} names;

static void keep_name(names *all, const char *name)
{
    zc_named_file *n = all->file;
    n->only_bytes = strlen(name) + 1;
    n->only = zc_heap_take(n->heap, n->only_bytes);
    all->is_out = n->only == NULL;
    if (!all->is_out)
        memcpy(n->only, name, n->only_bytes);
}

/* Goes on behind the first name however long that is: of several arrays none may be taken for the only one. */
static bool add_name(void *user, const char *name, const zc_file_info *info, const void *member)
{
    static const char more[] = " ...";
    (void)info;
    (void)member;
    names *all = user;
    if (all->count == 0 && all->file != NULL)
        keep_name(all, name);
    all->count++;
    const size_t room = sizeof all->text - sizeof more - all->used;
    const int length = snprintf(all->text + all->used, room, "%s%s", all->count > 1 ? ", " : "", name);
    const bool fits = (size_t)length < room;
    all->used += fits ? (size_t)length : 0;
    if (!fits)
        memcpy(all->text + all->used, more, sizeof more);
    return (fits || all->count == 1) && !all->is_out;
}

zc_status zc_named_file_choose(zc_named_file *n, zc_reason *why)
{
    if (n->member != NULL || n->format->list == NULL)
        return ZC_OK;
    names all = {.file = n};
    zc_status status = n->format->list(n->heap, &n->file, add_name, &all, why);
    if (status == ZC_OK && all.is_out)
        status = zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    if (status != ZC_OK)
        return status;
    if (all.count == 0)
        return zc_refuse(why, ZC_ERROR_FORMAT, "%s: holds no array", n->file.path);
    if (all.count > 1)
        return zc_refuse(why, ZC_ERROR_FORMAT, "%s: holds several arrays; open one of them as FILE:NAME: %s",
                         n->file.path, all.text);
    n->member = n->only;
    return ZC_OK;
}

zc_status zc_member_refuse(const zc_file_format *format, zc_heap *heap, const zc_mapped_file *file, const char *member,
                           zc_reason *why)
{
    names all = {.file = NULL};
    zc_status status = format->list(heap, file, add_name, &all, why);
    if (status != ZC_OK)
        return status;
    return zc_refuse(why, ZC_ERROR_FORMAT, "%s: no array is named '%.64s'; there %s%s", file->path, member,
                     all.count == 0 ? "is none" : "are ", all.text);
}
