/*
 * Archives for tests, byte by byte, and the .npy files in them: by nothing of the library's.
 */
#ifndef ZC_TESTS_API_ARCHIVES_H
#define ZC_TESTS_API_ARCHIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zip archive in the making. */
typedef struct archive {
    unsigned char bytes[1 << 13];
    size_t length;
    unsigned char directory[1 << 12];
    size_t directory_bytes;
    int count;
    bool is_64; /* sizes and places stand in the fields of zip64 */
} archive;

/* A member in all of its facts, which may be lies. */
typedef struct archive_member {
    const char *name;
    size_t name_bytes; /* 0: the name's own length */
    int method;
    int flags;
    const void *data;
    size_t packed;
    uint64_t bytes;
    uint32_t crc;
} archive_member;

void archive_add(archive *a, archive_member m);

/* Adds the directory and the end. */
void archive_finish(archive *a);

/* Finishes the archive and writes it to that file. */
void archive_write(archive *a, const char *path);

/* Adds NAME with such bytes, stored, or deflated as one block that is not compressed. */
void archive_store(archive *a, const char *name, const void *data, size_t bytes);
void archive_deflate(archive *a, const char *name, const void *data, size_t bytes);

/* Deflates so; `to` has room for five bytes more. Returns their number. */
size_t deflated(unsigned char *to, const void *data, size_t bytes);

/* Writes a .npy file of version 1 with a header of 128 bytes; returns its length. */
size_t npy_of(unsigned char *to, const char *dict, const void *data, size_t bytes);

uint32_t crc_of(const void *data, size_t bytes);

/* Writes the number, little-endian. */
void put_little(unsigned char *to, int bytes, uint64_t number);

/* Writes the number, big-endian. */
void put_big(unsigned char *to, int bytes, uint64_t number);

#endif
