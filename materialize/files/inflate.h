/*
 * What zlib does for files: bytes that were deflated, and the check sums of archives. Built without zlib, it refuses.
 */
#ifndef ZC_MATERIALIZE_FILES_INFLATE_H
#define ZC_MATERIALIZE_FILES_INFLATE_H

#include "materialize/files/mapped_file.h"
#include "runtime/memory/arena.h"

typedef struct zc_inflater zc_inflater;

/* ZC_OK: the library was built with zlib. Otherwise refuses: "WHAT needs zlib, ..." */
zc_status zc_zlib_check(const char *what, zc_reason *why);

/* The check sum of more bytes, from the one of those before; 0 in the beginning. */
uint32_t zc_crc32(uint32_t crc, const void *bytes, size_t count);

/* Begins with the first byte of a file that was deflated without a header. It lives in the arena. */
zc_status zc_inflate_begin(zc_arena *arena, const zc_mapped_file *file, zc_inflater **out, zc_reason *why);

/* The next `count` bytes, all of them. */
zc_status zc_inflate_read(zc_inflater *z, void *bytes, size_t count, zc_reason *why);

/* Refuses unless the stream ends here, with the file, and has that check sum. */
zc_status zc_inflate_end(zc_inflater *z, uint32_t crc, zc_reason *why);

#endif
