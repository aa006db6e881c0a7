#include "materialize/files/zip_writer.h"

#include <string.h>

#include "materialize/files/bytes/little.h"
#include "materialize/files/inflate.h"
#include "materialize/files/zip.h"
#include "views/shape.h"

/* A member that was begun. */
typedef struct entry {
    const char *name;
    int64_t at; /* of its local header */
    int64_t bytes;
    uint32_t crc;
} entry;

struct zc_zip_writer {
    zc_replaced_file *file;
    int64_t most32;
    int64_t at; /* bytes written so far */
    int room;   /* entries */
    int count;
    entry entries[];
};

enum {
    ALIGNMENT = 64,
    PADDING_ID = 0xd935, /* of the extra field that Android's zipalign puts before aligned members */
    PADDING_LEAST = 6,
    EXTRA64_BYTES = 28,
    VERSION = 20,
    VERSION64 = 45,
    FIRST_DAY = 0x21, /* 1980-01-01 */
    CRC_AT = 14
};

static const char ending[] = ".npy";
static const uint64_t elsewhere32 = 0xffffffff; /* the number stands in a field of zip64 */

static size_t bytes_of(int count)
{
    return sizeof(zc_zip_writer) + (size_t)count * sizeof(entry); /* proven: there are as many tensors */
}

zc_zip_writer *zc_zip_writer_new(zc_heap *heap, zc_replaced_file *file, int count, int64_t most32)
{
    zc_zip_writer *w = zc_heap_take(heap, bytes_of(count));
    if (w != NULL)
        *w = (zc_zip_writer){.file = file, .most32 = most32, .room = count};
    return w;
}

void zc_zip_writer_free(zc_heap *heap, zc_zip_writer *w)
{
    zc_heap_give(heap, w, bytes_of(w->room));
}

static zc_status put(zc_zip_writer *w, const void *bytes, size_t count, zc_reason *why)
{
    w->at += (int64_t)count; /* proven: of a file */
    return zc_replaced_file_write(w->file, bytes, count, why);
}

static zc_status put_name(zc_zip_writer *w, const entry *e, zc_reason *why)
{
    zc_status status = put(w, e->name, strlen(e->name), why);
    return status == ZC_OK ? put(w, ending, sizeof ending - 1, why) : status;
}

/* ---- Headers ---- */

static uint64_t number32(const zc_zip_writer *w, int64_t number)
{
    return number > w->most32 ? elsewhere32 : (uint64_t)number;
}

static bool is_long(const zc_zip_writer *w, const entry *e)
{
    return e->bytes > w->most32;
}

/* Writes the fields that a local header and an entry of the directory share, from the version to the name's length. */
static unsigned char *write_common(unsigned char *to, const zc_zip_writer *w, const entry *e, bool is_64)
{
    const uint64_t bytes = number32(w, e->bytes);
    to = zc_little_write(to, 2, is_64 ? VERSION64 : VERSION);
    to = zc_little_write(to, 2, ZC_ZIP_UTF8);
    to = zc_little_write(to, 2, ZC_ZIP_STORED);
    to = zc_little_write(to, 2, 0);
    to = zc_little_write(to, 2, FIRST_DAY);
    to = zc_little_write(to, 4, e->crc);
    to = zc_little_write(to, 4, bytes);
    to = zc_little_write(to, 4, bytes);
    return zc_little_write(to, 2, strlen(e->name) + sizeof ending - 1);
}

static unsigned char *write_sizes(unsigned char *to, const zc_zip_writer *w, const entry *e)
{
    if (!is_long(w, e))
        return to;
    to = zc_little_write(to, 8, (uint64_t)e->bytes);
    return zc_little_write(to, 8, (uint64_t)e->bytes);
}

/* Both sizes, where they are long, and as many bytes as let the member begin on the alignment. Returns their number. */
static size_t write_extra(unsigned char *extra, const zc_zip_writer *w, const entry *e)
{
    unsigned char *to = extra;
    if (is_long(w, e)) {
        to = zc_little_write(to, 2, ZC_ZIP_EXTRA64);
        to = zc_little_write(to, 2, 16);
        to = write_sizes(to, w, e);
    }
    const size_t least = (size_t)e->at + ZC_ZIP_LOCAL_BYTES + strlen(e->name) + sizeof ending - 1 +
                         (size_t)(to - extra) + PADDING_LEAST;                          /* proven: in the file */
    const size_t more = (ALIGNMENT - least % ALIGNMENT) % ALIGNMENT, length = 2 + more; /* proven: below 64 */
    to = zc_little_write(to, 2, PADDING_ID);
    to = zc_little_write(to, 2, length);
    to = zc_little_write(to, 2, ALIGNMENT);
    memset(to, 0, more);
    return (size_t)(to - extra) + more;
}

zc_status zc_zip_writer_begin(zc_zip_writer *w, const char *name, int64_t bytes, zc_reason *why)
{
    unsigned char header[ZC_ZIP_LOCAL_BYTES], extra[EXTRA64_BYTES + PADDING_LEAST + ALIGNMENT];
    entry *e = &w->entries[w->count++];
    *e = (entry){.name = name, .at = w->at, .bytes = bytes};
    const size_t length = write_extra(extra, w, e);
    unsigned char *to = zc_little_write(header, 4, ZC_ZIP_LOCAL);
    to = write_common(to, w, e, is_long(w, e));
    (void)zc_little_write(to, 2, length);
    zc_status status = put(w, header, sizeof header, why);
    if (status == ZC_OK)
        status = put_name(w, e, why);
    return status == ZC_OK ? put(w, extra, length, why) : status;
}

zc_status zc_zip_writer_write(zc_zip_writer *w, const void *bytes, size_t count, zc_reason *why)
{
    entry *e = &w->entries[w->count - 1];
    e->crc = zc_crc32(e->crc, bytes, count);
    return put(w, bytes, count, why);
}

zc_status zc_zip_writer_end(zc_zip_writer *w, zc_reason *why)
{
    unsigned char crc[4];
    const entry *e = &w->entries[w->count - 1];
    (void)zc_little_write(crc, 4, e->crc);
    return zc_replaced_file_write_over(w->file, e->at + CRC_AT, crc, sizeof crc, why); /* proven: in the file */
}

/* ---- The directory ---- */

static zc_status put_entry(zc_zip_writer *w, const entry *e, zc_reason *why)
{
    unsigned char record[ZC_ZIP_ENTRY_BYTES], extra[EXTRA64_BYTES];
    const bool is_far = e->at > w->most32, is_64 = is_far || is_long(w, e);
    unsigned char *after = write_sizes(extra + 4, w, e);
    if (is_far)
        after = zc_little_write(after, 8, (uint64_t)e->at);
    const size_t length = is_64 ? (size_t)(after - extra) : 0;
    (void)zc_little_write(zc_little_write(extra, 2, ZC_ZIP_EXTRA64), 2, (uint64_t)(after - extra) - 4);
    unsigned char *to = zc_little_write(record, 4, ZC_ZIP_ENTRY);
    to = zc_little_write(to, 2, is_64 ? VERSION64 : VERSION);
    to = write_common(to, w, e, is_64);
    to = zc_little_write(to, 2, length);
    to = zc_little_write(to, 8, 0); /* comment, disk, internal attributes, and half of the external ones */
    to = zc_little_write(to, 2, 0);
    (void)zc_little_write(to, 4, number32(w, e->at));
    zc_status status = put(w, record, sizeof record, why);
    if (status == ZC_OK)
        status = put_name(w, e, why);
    return status == ZC_OK ? put(w, extra, length, why) : status;
}

static zc_status put_end64(zc_zip_writer *w, int64_t at, zc_reason *why)
{
    unsigned char record[ZC_ZIP_END64_BYTES + ZC_ZIP_LOCATOR_BYTES];
    const uint64_t here = (uint64_t)w->at, count = (uint64_t)w->count;
    unsigned char *to = zc_little_write(record, 4, ZC_ZIP_END64);
    to = zc_little_write(to, 8, ZC_ZIP_END64_BYTES - 12);
    to = zc_little_write(to, 2, VERSION64);
    to = zc_little_write(to, 2, VERSION64);
    to = zc_little_write(to, 8, 0);
    to = zc_little_write(to, 8, count);
    to = zc_little_write(to, 8, count);
    to = zc_little_write(to, 8, here - (uint64_t)at);
    to = zc_little_write(to, 8, (uint64_t)at);
    to = zc_little_write(to, 4, ZC_ZIP_LOCATOR);
    to = zc_little_write(to, 4, 0);
    to = zc_little_write(to, 8, here);
    (void)zc_little_write(to, 4, 1);
    return put(w, record, sizeof record, why);
}

static zc_status put_end(zc_zip_writer *w, int64_t at, zc_reason *why)
{
    enum { MOST_COUNT = 0xffff };
    unsigned char record[ZC_ZIP_END_BYTES];
    const int64_t bytes = w->at - at;
    const uint64_t count = (uint64_t)zc_smaller(w->count, MOST_COUNT);
    if (w->count >= MOST_COUNT || at > w->most32 || bytes > w->most32) {
        zc_status status = put_end64(w, at, why);
        if (status != ZC_OK)
            return status;
    }
    unsigned char *to = zc_little_write(record, 4, ZC_ZIP_END);
    to = zc_little_write(to, 4, 0);
    to = zc_little_write(to, 2, count);
    to = zc_little_write(to, 2, count);
    to = zc_little_write(to, 4, number32(w, bytes));
    to = zc_little_write(to, 4, number32(w, at));
    (void)zc_little_write(to, 2, 0);
    return put(w, record, sizeof record, why);
}

zc_status zc_zip_writer_finish(zc_zip_writer *w, zc_reason *why)
{
    zc_status status = ZC_OK;
    const int64_t at = w->at;
    for (int i = 0; i < w->count && status == ZC_OK; i++)
        status = put_entry(w, &w->entries[i], why);
    return status == ZC_OK ? put_end(w, at, why) : status;
}
