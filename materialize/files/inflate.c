#include "materialize/files/inflate.h"

#include "views/shape.h"

#if !ZC_HAS_ZLIB

zc_status zc_zlib_check(const char *what, zc_reason *why)
{
    return zc_refuse(why, ZC_ERROR_FORMAT, "%s needs zlib, which this library was built without", what);
}

uint32_t zc_crc32(uint32_t crc, const void *bytes, size_t count)
{
    (void)bytes;
    (void)count;
    return crc;
}

zc_status zc_inflate_begin(zc_arena *arena, const zc_mapped_file *file, zc_inflater **out, zc_reason *why)
{
    (void)arena;
    (void)file;
    *out = NULL;
    return zc_zlib_check("a deflated member", why);
}

zc_status zc_inflate_read(zc_inflater *z, void *bytes, size_t count, zc_reason *why)
{
    (void)z;
    (void)bytes;
    (void)count;
    return zc_zlib_check("a deflated member", why);
}

zc_status zc_inflate_end(zc_inflater *z, uint32_t crc, zc_reason *why)
{
    (void)z;
    (void)crc;
    return zc_zlib_check("a deflated member", why);
}

#else

#define ZLIB_CONST
#include <zlib.h>

enum { INPUT_BYTES = 1 << 15, BYTES_PER_CALL = 1 << 30 };

struct zc_inflater {
    z_stream stream;
    zc_mapped_file file;
    int64_t at; /* in the file, of the next input */
    uint32_t crc;
    bool has_ended;
    unsigned char input[INPUT_BYTES];
};

zc_status zc_zlib_check(const char *what, zc_reason *why)
{
    (void)what;
    (void)why;
    return ZC_OK;
}

uint32_t zc_crc32(uint32_t crc, const void *bytes, size_t count)
{
    return (uint32_t)crc32_z(crc, bytes, count);
}

/* The arena takes it back, at the end. */
static void *take_memory(void *arena, uInt count, uInt bytes_each)
{
    return zc_arena_take(arena, count, bytes_each);
}

static void give_memory(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

zc_status zc_inflate_begin(zc_arena *arena, const zc_mapped_file *file, zc_inflater **out, zc_reason *why)
{
    zc_inflater *z = zc_arena_take(arena, 1, sizeof *z);
    *out = z;
    if (z == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    z->stream = (z_stream){.zalloc = take_memory, .zfree = give_memory, .opaque = arena};
    z->file = *file;
    z->at = 0;
    z->crc = 0;
    z->has_ended = false;
    if (inflateInit2(&z->stream, -MAX_WBITS) != Z_OK)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    return ZC_OK;
}

static zc_status refuse_stream(zc_reason *why, const char *what)
{
    return zc_refuse(why, ZC_ERROR_FORMAT, "its deflated bytes %s", what);
}

static zc_status fill_input(zc_inflater *z, zc_reason *why)
{
    const int64_t next = zc_smaller(z->file.bytes - z->at, INPUT_BYTES);
    if (z->stream.avail_in > 0 || next == 0)
        return ZC_OK;
    z->stream.next_in = z->input;
    z->stream.avail_in = (uInt)next;
    z->at += next;
    return zc_mapped_file_read(&z->file, z->at - next, z->input, (size_t)next, why);
}

/* Inflates into the room that the stream has been given, once. */
static zc_status step(zc_inflater *z, zc_reason *why)
{
    zc_status status = fill_input(z, why);
    if (status != ZC_OK)
        return status;
    const int code = inflate(&z->stream, Z_NO_FLUSH);
    z->has_ended = code == Z_STREAM_END;
    if (code == Z_MEM_ERROR)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    if (code == Z_BUF_ERROR)
        return refuse_stream(why, "end too early");
    return code == Z_OK || code == Z_STREAM_END ? ZC_OK : refuse_stream(why, "are malformed");
}

zc_status zc_inflate_read(zc_inflater *z, void *bytes, size_t count, zc_reason *why)
{
    unsigned char *to = bytes;
    zc_status status = ZC_OK;
    while (count > 0 && status == ZC_OK) {
        const uInt room = (uInt)(count < BYTES_PER_CALL ? count : BYTES_PER_CALL);
        if (z->has_ended)
            return refuse_stream(why, "end too early");
        z->stream.next_out = to;
        z->stream.avail_out = room;
        status = step(z, why);
        const size_t got = room - z->stream.avail_out;
        z->crc = zc_crc32(z->crc, to, got);
        to += got;
        count -= got;
    }
    return status;
}

zc_status zc_inflate_end(zc_inflater *z, uint32_t crc, zc_reason *why)
{
    unsigned char more;
    zc_status status = ZC_OK;
    z->stream.next_out = &more;
    z->stream.avail_out = 1;
    while (!z->has_ended && status == ZC_OK && z->stream.avail_out > 0)
        status = step(z, why);
    if (status != ZC_OK)
        return status;
    if (z->stream.avail_out == 0 || z->stream.avail_in > 0 || z->at < z->file.bytes)
        return refuse_stream(why, "go on behind the end");
    return z->crc == crc ? ZC_OK : refuse_stream(why, "have another check sum than the archive says");
}

#endif
