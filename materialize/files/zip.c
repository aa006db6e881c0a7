#include "materialize/files/zip.h"

#include <string.h>

#include "materialize/files/bytes/little.h"
#include "materialize/files/file_error.h"
#include "materialize/files/spans.h"
#include "views/shape.h"

enum {
    MOST_COMMENT = 65535,
    MOST_TAIL = MOST_COMMENT + ZC_ZIP_END_BYTES + ZC_ZIP_LOCATOR_BYTES + ZC_ZIP_END64_BYTES,
    MOST_DIRECTORY = 1 << 28,
};

static const uint64_t elsewhere16 = 0xffff, elsewhere32 = 0xffffffff; /* instead of a number that zip64 has */

/* The directory, as the end of an archive tells of it. */
typedef struct ending {
    uint64_t count, bytes, at;
    int64_t stop; /* where the directory has to end */
} ending;

static zc_status refuse(zc_reason *why, const char *what)
{
    return zc_refuse(why, ZC_ERROR_FORMAT, "%s", what);
}

/* ---- The end ---- */

/* Finds the end record in the last bytes of a file: what follows it is its comment. -1: there is none. */
static int64_t find_end(const unsigned char *tail, int64_t count)
{
    for (int64_t at = count - ZC_ZIP_END_BYTES; at >= 0; at--) {
        const unsigned char *record = tail + at;
        if (zc_little_read(record, 4) == ZC_ZIP_END &&
            (int64_t)zc_little_read(record + 20, 2) == count - ZC_ZIP_END_BYTES - at)
            return at;
    }
    return -1;
}

/* The record of zip64 stands before its locator, which stands before the end record, `at` bytes behind the tail's
 * start. */
static zc_status read_end64(const unsigned char *tail, int64_t at, int64_t start, ending *end, zc_reason *why)
{
    const int64_t record = at - ZC_ZIP_LOCATOR_BYTES - ZC_ZIP_END64_BYTES;
    const unsigned char *locator = tail + at - ZC_ZIP_LOCATOR_BYTES, *from = tail + record;
    if (record < 0 || zc_little_read(locator, 4) != ZC_ZIP_LOCATOR || zc_little_read(from, 4) != ZC_ZIP_END64 ||
        zc_little_read(locator + 8, 8) != (uint64_t)(start + record)) /* proven: in the file */
        return refuse(why, "the archive lacks the end record of zip64");
    end->count = zc_little_read(from + 32, 8);
    end->bytes = zc_little_read(from + 40, 8);
    end->at = zc_little_read(from + 48, 8);
    end->stop = start + record; /* proven: in the file */
    return ZC_OK;
}

static zc_status read_end(const unsigned char *tail, int64_t count, int64_t start, ending *end, zc_reason *why)
{
    const int64_t at = find_end(tail, count);
    if (at < 0)
        return refuse(why, "the end record of a zip archive is missing");
    const unsigned char *record = tail + at;
    *end = (ending){.count = zc_little_read(record + 10, 2),
                    .bytes = zc_little_read(record + 12, 4),
                    .at = zc_little_read(record + 16, 4),
                    .stop = start + at}; /* proven: in the file */
    const bool has_locator =
        at >= ZC_ZIP_LOCATOR_BYTES && zc_little_read(record - ZC_ZIP_LOCATOR_BYTES, 4) == ZC_ZIP_LOCATOR;
    const bool is_long = end->bytes == elsewhere32 || end->at == elsewhere32 ||
                         (end->count == elsewhere16 && has_locator); /* or just as many members */
    zc_status status = is_long ? read_end64(tail, at, start, end, why) : ZC_OK;
    if (status != ZC_OK)
        return status;
    if (end->bytes > MOST_DIRECTORY || end->at > (uint64_t)end->stop || end->at + end->bytes != (uint64_t)end->stop)
        return refuse(why, "the directory of the archive is not where its end record says");
    if (end->count > end->bytes / ZC_ZIP_ENTRY_BYTES)
        return refuse(why, "the directory of the archive is too short for its entries");
    return ZC_OK;
}

/* ---- Entries ---- */

/* Takes a number of zip64 in the place of one that has no room for it. False: there is none. */
static bool take_long(const unsigned char **from, size_t *left, uint64_t *number)
{
    if (*number != elsewhere32)
        return true;
    if (*left < 8)
        return false;
    *number = zc_little_read(*from, 8);
    *from += 8;
    *left -= 8;
    return true;
}

/* The extra fields are pairs of id and length, each with its bytes. */
static bool read_long(const unsigned char *extra, size_t count, uint64_t numbers[3])
{
    static const unsigned char nothing[1];
    const unsigned char *from = nothing;
    size_t left = 0;
    while (count >= 4 && left == 0) {
        const size_t length = (size_t)zc_little_read(extra + 2, 2);
        if (length > count - 4)
            return false;
        if (zc_little_read(extra, 2) == ZC_ZIP_EXTRA64) {
            from = extra + 4;
            left = length;
        }
        extra += 4 + length;
        count -= 4 + length;
    }
    return take_long(&from, &left, &numbers[0]) && take_long(&from, &left, &numbers[1]) &&
           take_long(&from, &left, &numbers[2]);
}

/* A name as a string. */
static zc_status read_name(zc_arena *arena, const unsigned char *name, size_t length, zc_zip_member *m, zc_reason *why)
{
    if (memchr(name, '\0', length) != NULL)
        return refuse(why, "a member's name has a byte of 0");
    char *copy = zc_arena_take(arena, length + 1, 1);
    if (copy == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    memcpy(copy, name, length);
    copy[length] = '\0';
    m->name = copy;
    return ZC_OK;
}

/* Computes the least place where the bytes of a member end; -1: it is behind `most`. */
static int64_t end_of(const zc_zip_member *m, size_t name_bytes, int64_t most)
{
    const int64_t before = (int64_t)(ZC_ZIP_LOCAL_BYTES + name_bytes); /* proven: at most 64 KiB */
    const bool fits = m->header >= 0 && m->header <= most && m->packed >= 0 && m->bytes >= 0 &&
                      before <= most - m->header && m->packed <= most - m->header - before;
    return fits ? m->header + before + m->packed : -1; /* proven: fits */
}

/* Reads an entry with `left` bytes from there on; *used are its own. */
static zc_status read_entry(zc_zip *zip, const unsigned char *from, size_t left, zc_zip_member *m, zc_span *span,
                            size_t *used, zc_reason *why)
{
    if (left < ZC_ZIP_ENTRY_BYTES || zc_little_read(from, 4) != ZC_ZIP_ENTRY)
        return refuse(why, "an entry of the archive's directory is malformed");
    const size_t name = (size_t)zc_little_read(from + 28, 2), extra = (size_t)zc_little_read(from + 30, 2);
    *used = ZC_ZIP_ENTRY_BYTES + name + extra + (size_t)zc_little_read(from + 32, 2); /* proven: three of 64 KiB */
    if (*used > left)
        return refuse(why, "an entry of the archive's directory goes on behind its end");
    uint64_t numbers[3] = {zc_little_read(from + 24, 4), zc_little_read(from + 20, 4), zc_little_read(from + 42, 4)};
    if (!read_long(from + ZC_ZIP_ENTRY_BYTES + name, extra, numbers))
        return refuse(why, "an extra field of the archive's directory is malformed");
    *m = (zc_zip_member){.header = (int64_t)numbers[2],
                         .packed = (int64_t)numbers[1],
                         .bytes = (int64_t)numbers[0],
                         .crc = (uint32_t)zc_little_read(from + 16, 4),
                         .method = (int)zc_little_read(from + 10, 2),
                         .flags = (int)zc_little_read(from + 8, 2)};
    zc_status status = read_name(&zip->arena, from + ZC_ZIP_ENTRY_BYTES, name, m, why);
    if (status != ZC_OK)
        return status;
    *span = (zc_span){m->name, m->header, end_of(m, name, zip->directory)};
    return span->end >= 0 ? ZC_OK
                          : zc_refuse(why, ZC_ERROR_FORMAT, "'%.64s' lies outside of the archive's members", m->name);
}

static bool is_folder(const zc_zip_member *m)
{
    const size_t length = strlen(m->name);
    return length > 0 && m->name[length - 1] == '/';
}

static zc_status read_entries(zc_zip *zip, const unsigned char *bytes, const ending *end, zc_reason *why)
{
    zc_span *spans = zc_arena_take(&zip->arena, (size_t)end->count, sizeof *spans);
    zip->members = zc_arena_take(&zip->arena, (size_t)end->count, sizeof *zip->members);
    if (spans == NULL || zip->members == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    size_t at = 0, used = 0;
    for (uint64_t i = 0; i < end->count; i++, at += used) {
        zc_zip_member *m = &zip->members[zip->count];
        zc_status status =
            read_entry(zip, bytes + at, (size_t)end->bytes - at, m, &spans[zip->count], &used, why); /* proven: below */
        if (status != ZC_OK)
            return status;
        zip->count += !is_folder(m);
    }
    if (at != end->bytes)
        return refuse(why, "the directory of the archive goes on behind its entries");
    return zc_spans_check(zip->count, spans, why);
}

/* ---- The file ---- */

/* Reads bytes into the arena. */
static zc_status take(zc_zip *zip, const zc_mapped_file *file, int64_t at, size_t count, unsigned char **bytes,
                      zc_reason *why)
{
    *bytes = zc_arena_take(&zip->arena, count + 1, 1);
    if (*bytes == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    return zc_mapped_file_read(file, at, *bytes, count, why);
}

static zc_status read_directory(zc_zip *zip, const zc_mapped_file *file, zc_reason *why)
{
    unsigned char *tail, *directory;
    ending end = {.count = 0};
    const int64_t count = zc_smaller(file->bytes, MOST_TAIL), start = file->bytes - count;
    zc_status status = take(zip, file, start, (size_t)count, &tail, why);
    if (status != ZC_OK)
        return status;
    status = read_end(tail, count, start, &end, why);
    if (status != ZC_OK)
        return zc_file_refuse(why, status, file->path);
    zip->directory = (int64_t)end.at;
    status = take(zip, file, zip->directory, (size_t)end.bytes, &directory, why);
    if (status != ZC_OK)
        return status;
    status = read_entries(zip, directory, &end, why);
    return status == ZC_ERROR_FORMAT ? zc_file_refuse(why, status, file->path) : status;
}

zc_status zc_zip_open(zc_zip *zip, zc_heap *heap, const zc_mapped_file *file, zc_reason *why)
{
    zip->count = 0;
    zc_arena_init(&zip->arena, heap);
    zc_status status = read_directory(zip, file, why);
    if (status != ZC_OK)
        zc_zip_free(zip);
    return status;
}

void zc_zip_free(zc_zip *zip)
{
    zc_arena_free(&zip->arena);
}

/* ---- Members ---- */

/* The local header says once more what the directory says. */
static bool agrees(const unsigned char *local, const zc_zip_member *m)
{
    const size_t name = (size_t)zc_little_read(local + 26, 2);
    return zc_little_read(local, 4) == ZC_ZIP_LOCAL && (int)zc_little_read(local + 8, 2) == m->method &&
           name == strlen(m->name);
}

zc_status zc_zip_part(const zc_zip *zip, const zc_mapped_file *file, const zc_zip_member *m, zc_mapped_file *part,
                      zc_reason *why)
{
    unsigned char local[ZC_ZIP_LOCAL_BYTES];
    if ((m->flags & ZC_ZIP_ENCRYPTED) != 0)
        return zc_refuse(why, ZC_ERROR_FORMAT, "%s: '%.64s' is encrypted", file->path, m->name);
    zc_status status = zc_mapped_file_read(file, m->header, local, sizeof local, why);
    if (status != ZC_OK)
        return status;
    const int64_t before = ZC_ZIP_LOCAL_BYTES + (int64_t)zc_little_read(local + 26, 2) +
                           (int64_t)zc_little_read(local + 28, 2); /* proven: two of 64 KiB */
    if (!agrees(local, m) || m->packed > zip->directory - m->header - before)
        return zc_refuse(why, ZC_ERROR_FORMAT, "%s: the local header of '%.64s' is not what the directory says",
                         file->path, m->name);
    *part = *file;
    part->start = file->start + m->header + before; /* proven: in the file */
    part->bytes = m->packed;
    return ZC_OK;
}
