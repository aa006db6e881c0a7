#include "tests/api/archives.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/zc_test.h"

void put_little(unsigned char *to, int bytes, uint64_t number)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(number >> (8 * i));
}

void put_big(unsigned char *to, int bytes, uint64_t number)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(number >> (8 * (bytes - 1 - i)));
}

uint32_t crc_of(const void *data, size_t bytes)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= ((const unsigned char *)data)[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc % 2 != 0 ? 0xedb88320 : 0);
    }
    return ~crc;
}

size_t npy_of(unsigned char *to, const char *dict, const void *data, size_t bytes)
{
    memcpy(to, "\x93NUMPY\1\0\x76\0", 10);
    (void)snprintf((char *)to + 10, 119, "%-117s\n", dict);
    memcpy(to + 128, data, bytes);
    return 128 + bytes;
}

size_t deflated(unsigned char *to, const void *data, size_t bytes)
{
    to[0] = 1; /* the last block, stored */
    put_little(to + 1, 2, bytes);
    put_little(to + 3, 2, ~bytes);
    memcpy(to + 5, data, bytes);
    return bytes + 5;
}

/* Version, flags, method, time, check sum, sizes and the name's length: what both headers have in common. */
static void put_common(unsigned char *to, const archive *a, const archive_member *m, size_t name)
{
    put_little(to, 2, a->is_64 ? 45 : 20);
    put_little(to + 2, 2, (uint64_t)m->flags);
    put_little(to + 4, 2, (uint64_t)m->method);
    put_little(to + 6, 4, 0);
    put_little(to + 10, 4, m->crc);
    put_little(to + 14, 4, a->is_64 ? 0xffffffff : m->packed);
    put_little(to + 18, 4, a->is_64 ? 0xffffffff : m->bytes);
    put_little(to + 22, 2, name);
    put_little(to + 24, 2, 0);
}

static void add_local(archive *a, const archive_member *m, size_t name)
{
    unsigned char *to = a->bytes + a->length;
    put_little(to, 4, 0x04034b50);
    put_common(to + 4, a, m, name);
    memcpy(to + 30, m->name, name);
    memcpy(to + 30 + name, m->data, m->packed);
    a->length += 30 + name + m->packed;
}

void archive_add(archive *a, archive_member m)
{
    const size_t name = m.name_bytes > 0 ? m.name_bytes : strlen(m.name);
    unsigned char *to = a->directory + a->directory_bytes;
    memset(to, 0, 46 + name + 28);
    put_little(to, 4, 0x02014b50);
    put_little(to + 4, 2, 20);
    put_common(to + 6, a, &m, name);
    put_little(to + 42, 4, a->is_64 ? 0xffffffff : a->length);
    memcpy(to + 46, m.name, name);
    a->directory_bytes += 46 + name;
    if (a->is_64) {
        put_little(to + 30, 2, 28);
        put_little(to + 46 + name, 2, 1);
        put_little(to + 48 + name, 2, 24);
        put_little(to + 50 + name, 8, m.bytes);
        put_little(to + 58 + name, 8, m.packed);
        put_little(to + 66 + name, 8, a->length);
        a->directory_bytes += 28;
    }
    add_local(a, &m, name);
    a->count++;
}

static void add_end64(archive *a, size_t at)
{
    unsigned char *to = a->bytes + a->length;
    memset(to, 0, 76);
    put_little(to, 4, 0x06064b50);
    put_little(to + 4, 8, 44);
    put_little(to + 24, 8, (uint64_t)a->count);
    put_little(to + 32, 8, (uint64_t)a->count);
    put_little(to + 40, 8, a->directory_bytes);
    put_little(to + 48, 8, at);
    put_little(to + 56, 4, 0x07064b50);
    put_little(to + 64, 8, a->length);
    put_little(to + 72, 4, 1);
    a->length += 76;
}

void archive_finish(archive *a)
{
    const size_t at = a->length;
    memcpy(a->bytes + at, a->directory, a->directory_bytes);
    a->length += a->directory_bytes;
    if (a->is_64)
        add_end64(a, at);
    unsigned char *to = a->bytes + a->length;
    memset(to, 0, 22);
    put_little(to, 4, 0x06054b50);
    put_little(to + 8, 2, a->is_64 ? 0xffff : (uint64_t)a->count);
    put_little(to + 10, 2, a->is_64 ? 0xffff : (uint64_t)a->count);
    put_little(to + 12, 4, a->is_64 ? 0xffffffff : a->directory_bytes);
    put_little(to + 16, 4, a->is_64 ? 0xffffffff : at);
    a->length += 22;
}

void archive_write(archive *a, const char *path)
{
    archive_finish(a);
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL && fwrite(a->bytes, 1, a->length, file) == a->length && fclose(file) == 0);
}

void archive_store(archive *a, const char *name, const void *data, size_t bytes)
{
    archive_add(
        a, (archive_member){.name = name, .data = data, .packed = bytes, .bytes = bytes, .crc = crc_of(data, bytes)});
}

void archive_deflate(archive *a, const char *name, const void *data, size_t bytes)
{
    unsigned char packed[1024];
    archive_add(a, (archive_member){.name = name,
                                    .method = 8,
                                    .data = packed,
                                    .packed = deflated(packed, data, bytes),
                                    .bytes = bytes,
                                    .crc = crc_of(data, bytes)});
}
