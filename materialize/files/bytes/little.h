/*
 * Little-endian numbers in the bytes of a file, on any machine.
 */
#ifndef ZC_MATERIALIZE_FILES_BYTES_LITTLE_H
#define ZC_MATERIALIZE_FILES_BYTES_LITTLE_H

#include <stdint.h>

static inline uint64_t zc_little_read(const unsigned char *from, int bytes)
{
    uint64_t number = 0;
    for (int i = bytes; i-- > 0;)
        number = number << 8 | from[i];
    return number;
}

/* Returns the place behind it. */
static inline unsigned char *zc_little_write(unsigned char *to, int bytes, uint64_t number)
{
    for (int i = 0; i < bytes; i++, number >>= 8)
        *to++ = (unsigned char)(number & 0xff);
    return to;
}

#endif
