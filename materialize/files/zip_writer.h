/*
 * A zip archive that is written: members are stored, the first byte of each on a multiple of 64, so that what reads
 * them may map them. Sizes are known beforehand; the check sum is put into the local header once the bytes are written.
 * What is above 32 bits, or 16 bits of a count, has the fields of zip64.
 */
#ifndef ZC_MATERIALIZE_FILES_ZIP_WRITER_H
#define ZC_MATERIALIZE_FILES_ZIP_WRITER_H

#include "materialize/files/replaced_file.h"
#include "runtime/memory/heap.h"

typedef struct zc_zip_writer zc_zip_writer;

enum { ZC_ZIP_MOST_NAME = 65000 }; /* bytes of a member's name */

static const int64_t zc_zip_most32 = 0xfffffffe;

/* Makes room for that many members; NULL: memory is out. most32: the largest size or place that stands in a field of 32
 * bits, zc_zip_most32 but in tests. */
zc_zip_writer *zc_zip_writer_new(zc_heap *heap, zc_replaced_file *file, int count, int64_t most32);
void zc_zip_writer_free(zc_heap *heap, zc_zip_writer *w);

/* Begins the next member, which is named NAME.npy and is going to have so many bytes. The name stays until the end. */
zc_status zc_zip_writer_begin(zc_zip_writer *w, const char *name, int64_t bytes, zc_reason *why);

/* The next bytes of the member. */
zc_status zc_zip_writer_write(zc_zip_writer *w, const void *bytes, size_t count, zc_reason *why);

/* Ends the member, all of which is written. */
zc_status zc_zip_writer_end(zc_zip_writer *w, zc_reason *why);

/* Writes the directory. */
zc_status zc_zip_writer_finish(zc_zip_writer *w, zc_reason *why);

#endif
