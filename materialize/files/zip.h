/*
 * The directory of a zip archive, with the fields of zip64: which members it has, and where their bytes are.
 *
 * Source: PKWARE's APPNOTE.TXT 6.3. Everything in an archive is taken as hostile: members lie one behind the other,
 * before the directory, which ends where its end record begins.
 */
#ifndef ZC_MATERIALIZE_FILES_ZIP_H
#define ZC_MATERIALIZE_FILES_ZIP_H

#include "materialize/files/mapped_file.h"
#include "runtime/memory/arena.h"

/* The signatures of an archive's records. */
enum {
    ZC_ZIP_LOCAL = 0x04034b50,
    ZC_ZIP_ENTRY = 0x02014b50,
    ZC_ZIP_END = 0x06054b50,
    ZC_ZIP_END64 = 0x06064b50,
    ZC_ZIP_LOCATOR = 0x07064b50,
};

/* Bytes of those records before what varies. */
enum {
    ZC_ZIP_LOCAL_BYTES = 30,
    ZC_ZIP_ENTRY_BYTES = 46,
    ZC_ZIP_END_BYTES = 22,
    ZC_ZIP_END64_BYTES = 56,
    ZC_ZIP_LOCATOR_BYTES = 20
};

enum { ZC_ZIP_STORED = 0, ZC_ZIP_DEFLATED = 8, ZC_ZIP_ENCRYPTED = 1, ZC_ZIP_UTF8 = 0x800, ZC_ZIP_EXTRA64 = 1 };

typedef struct zc_zip_member {
    const char *name;
    int64_t header; /* where its local header begins */
    int64_t packed; /* bytes in the archive, */
    int64_t bytes;  /* and unpacked */
    uint32_t crc;   /* of those */
    int method;
    int flags;
} zc_zip_member;

typedef struct zc_zip {
    zc_arena arena;
    int64_t count;
    zc_zip_member *members; /* [count] in the order of the directory, without folders */
    int64_t directory;      /* where it begins */
} zc_zip;

/* Reads the directory. After ZC_OK the caller frees the archive. */
zc_status zc_zip_open(zc_zip *zip, zc_heap *heap, const zc_mapped_file *file, zc_reason *why);
void zc_zip_free(zc_zip *zip);

/* The bytes of a member, as they are in the archive, as a file; it has the path of the archive's. */
zc_status zc_zip_part(const zc_zip *zip, const zc_mapped_file *file, const zc_zip_member *m, zc_mapped_file *part,
                      zc_reason *why);

#endif
