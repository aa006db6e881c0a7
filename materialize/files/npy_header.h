/*
 * The header of a .npy file: parsing and writing, on bytes only.
 *
 * Source: NumPy's format description, NEP 1, versions 1.0, 2.0 and 3.0. A header is magic, version, a little-endian
 * length and a Python dict literal with the keys descr, fortran_order and shape, in any order. Everything in it is
 * taken as hostile: nothing is read beyond the given bytes, and all arithmetic is checked.
 */
#ifndef ZC_MATERIALIZE_FILES_NPY_HEADER_H
#define ZC_MATERIALIZE_FILES_NPY_HEADER_H

#include "views/shape.h"

enum {
    ZC_NPY_PREFIX = 12,         /* bytes that tell the header's length, in any version */
    ZC_NPY_HEADER_MOST = 65536, /* longer headers are refused */
    ZC_NPY_HEADER_ROOM = 2048   /* for a header of our own, of any rank */
};

/* Tells whether the bytes begin as a .npy file does. */
bool zc_npy_header_begins(const unsigned char *bytes, size_t count);

/* Finds the beginning of the data from the first `count` bytes of a file. Refuses anything but a .npy file. */
zc_status zc_npy_header_length(const unsigned char *bytes, size_t count, int64_t *length, zc_reason *why);

/* Reads a whole header. header_bytes and data_bytes are filled too. */
zc_status zc_npy_header_parse(const unsigned char *bytes, size_t count, zc_npy_info *info, zc_reason *why);

/* NumPy's code of a dtype without the byte order, such as "f4"; NULL when it has none. Static memory. */
const char *zc_npy_code(zc_dtype dtype);

/* Writes a version 1 header, little-endian, C order, as NumPy does, of a dtype that has a code; room for
 * ZC_NPY_HEADER_ROOM bytes. Returns its length. */
size_t zc_npy_header_write(char *bytes, zc_dtype dtype, int rank, const int64_t *shape);

#endif
