/*
 * PNG as a row of the table of formats, by libpng: pixels of 8 or 16 bits, with an axis of channels where there is more
 * than one.
 *
 * Invariant: libpng leaves its work by longjmp() only into run(), so nothing of ours is skipped: what a step holds is
 * in the codec, and who called run() ends it. All memory of libpng is from the heap.
 */
#include <string.h>

#include "materialize/files/file_error.h"
#include "materialize/files/formats.h"

static bool probe(const unsigned char *start, size_t count)
{
    static const unsigned char magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    return count >= sizeof magic && memcmp(start, magic, sizeof magic) == 0;
}

static const char *const endings[] = {"png", NULL};

#if defined(ZC_HAVE_PNG)
#include <png.h>
#include <setjmp.h>

#include "runtime/dtypes/dtype.h"
#include "runtime/graph/keep.h"

/* An image that is read or written, and where that stands. */
typedef struct codec {
    png_structp png;
    png_infop info;
    zc_heap *heap;
    zc_status status; /* of the step that failed */
    zc_reason *why;

    /* The image. */
    int64_t height, width, row_bytes;
    int channels, depth; /* bits of a sample: 8 or 16 */
    bool is_palette;

    /* Read: bytes of the file, and pixels. */
    const unsigned char *bytes;
    size_t left;
    unsigned char *pixels;
    zc_progress *progress;

    /* Written: a row that is being filled. */
    zc_replaced_file *file;
    unsigned char *row;
    int64_t filled_bytes;
} codec;

/* ---- What libpng calls ---- */

/* The size of a block stands in front of it. */
static png_voidp take(png_structp png, png_alloc_size_t bytes)
{
    if (bytes > SIZE_MAX / 2) /* LCOV_EXCL_BR_LINE: up to libpng */
        return NULL;          /* LCOV_EXCL_LINE: likewise */
    char *block = zc_heap_take((zc_heap *)png_get_mem_ptr(png), bytes + ZC_HEADER_ALIGNMENT);
    if (block == NULL)
        return NULL;
    const size_t whole = bytes + ZC_HEADER_ALIGNMENT;
    memcpy(block, &whole, sizeof whole);
    return block + ZC_HEADER_ALIGNMENT;
}

static void give(png_structp png, png_voidp memory)
{
    size_t whole;
    char *block = (char *)memory - ZC_HEADER_ALIGNMENT;
    memcpy(&whole, block, sizeof whole);
    zc_heap_give((zc_heap *)png_get_mem_ptr(png), block, whole);
}

static _Noreturn void leave(png_structp png, png_const_charp message)
{
    codec *c = png_get_error_ptr(png);
    const bool is_memory = strstr(message, "memory") != NULL;
    c->status = is_memory ? zc_refuse(c->why, ZC_ERROR_MEMORY, "out of memory")
                          : zc_refuse(c->why, ZC_ERROR_FORMAT, "not a PNG that can be read: %s", message);
    png_longjmp(png, 1);
}

static void pass_over(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void read_bytes(png_structp png, png_bytep to, size_t count)
{
    codec *c = png_get_io_ptr(png);
    if (count > c->left)
        png_error(png, "the file ends too early");
    memcpy(to, c->bytes, count);
    c->bytes += count;
    c->left -= count;
}

static void write_bytes(png_structp png, png_bytep from, size_t count)
{
    codec *c = png_get_io_ptr(png);
    c->status = zc_replaced_file_write(c->file, from, count, c->why);
    if (c->status != ZC_OK)
        png_longjmp(png, 1);
}

static void flush_bytes(png_structp png) /* LCOV_EXCL_LINE: libpng flushes where it was built to */
{
    (void)png;
} /* LCOV_EXCL_LINE: likewise */

/* Runs a step; false: it failed, and c->status and *c->why say why. */
static bool run(codec *c, void (*step)(codec *c))
{
    c->status = ZC_OK;
    if (setjmp(png_jmpbuf(c->png)) == 0)
        step(c);
    return c->status == ZC_OK;
}

/* ---- Reading ---- */

enum { IS_LITTLE_ENDIAN = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };

/* Chunks that say nothing of the pixels are passed over: what they hold may be as large as it likes. */
static void ignore_others(codec *c)
{
    static const png_byte names[] =
        "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0tEXt\0"
        "tIME\0zTXt";
    png_set_keep_unknown_chunks(c->png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    png_set_keep_unknown_chunks(c->png, PNG_HANDLE_CHUNK_NEVER, names, (int)(sizeof names / 5));
}

/* Makes errors of the damage that libpng would warn of and read on. */
static void refuse_damage(codec *c)
{
    png_set_crc_action(c->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_benign_errors(c->png, 0);
}

/* Samples of fewer bits than 8, palettes and transparent colours become channels of 8 bits. */
static void read_header(codec *c)
{
    png_set_user_limits(c->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    ignore_others(c);
    refuse_damage(c);
    png_set_read_fn(c->png, c, read_bytes);
    png_read_info(c->png, c->info);
    c->height = png_get_image_height(c->png, c->info);
    c->width = png_get_image_width(c->png, c->info);
    const int colour = png_get_color_type(c->png, c->info);
    const bool is_transparent = png_get_valid(c->png, c->info, PNG_INFO_tRNS) != 0;
    c->is_palette = colour == PNG_COLOR_TYPE_PALETTE;
    c->depth = png_get_bit_depth(c->png, c->info) == 16 ? 16 : 8;
    c->channels = (colour & PNG_COLOR_MASK_COLOR ? 3 : 1) + (colour & PNG_COLOR_MASK_ALPHA || is_transparent ? 1 : 0);
    c->row_bytes = c->width * c->channels * (c->depth / 8); /* proven: below 2^31 x 8 */
}

/* Refuses an image that the file is too short for: a byte of deflate makes at most 1032. */
static zc_status check_size(codec *c, int64_t file_bytes)
{
    enum { MOST_RATIO = 1032 };
    const int64_t bits =
        (int64_t)png_get_bit_depth(c->png, c->info) * png_get_channels(c->png, c->info); /* proven: 64 */
    const int64_t row = (c->width * bits + 7) / 8 + 1; /* proven: below 2^31 x 64; each row says how it is filtered */
    int64_t pixels, all;
    if (!zc_checked_multiply(c->height, row, &pixels) || !zc_checked_multiply(c->height, c->row_bytes, &all) ||
        pixels / MOST_RATIO > file_bytes)
        return zc_refuse(c->why, ZC_ERROR_FORMAT, "an image of %lld x %lld pixels does not fit into %lld bytes",
                         (long long)c->height, (long long)c->width, (long long)file_bytes);
    return ZC_OK;
}

/* Pixels of a palette come as one byte each, which turn into channels once all are there; others as channels. */
static int begin_pixels(codec *c)
{
    if (c->is_palette)
        png_set_packing(c->png);
    else
        png_set_expand(c->png);
    if (IS_LITTLE_ENDIAN && c->depth == 16)
        png_set_swap(c->png);
    const int passes = png_set_interlace_handling(c->png);
    png_read_update_info(c->png, c->info);
    const int64_t row_bytes = c->is_palette ? c->width : c->row_bytes;
    if ((int64_t)png_get_rowbytes(c->png, c->info) != row_bytes) /* LCOV_EXCL_BR_LINE: up to libpng */
        png_error(c->png, "its rows have another length");       /* LCOV_EXCL_LINE: likewise */
    return passes;
}

/* Turns a row of numbers of colours into channels, from its end on, so that none is overwritten before it is read. */
static void show_colours(codec *c, unsigned char *row)
{
    png_colorp palette = NULL;
    png_bytep alphas = NULL;
    int colours = 0, transparent = 0;
    (void)png_get_PLTE(c->png, c->info, &palette, &colours);
    (void)png_get_tRNS(c->png, c->info, &alphas, &transparent, NULL);
    for (int64_t i = c->width; i-- > 0;) {
        const int number = row[i];
        unsigned char *to = row + i * c->channels; /* proven: of the row */
        if (number >= colours)
            png_error(c->png, "a pixel has no colour of its palette");
        to[0] = palette[number].red;
        to[1] = palette[number].green;
        to[2] = palette[number].blue;
        if (c->channels == 4)
            to[3] = number < transparent ? alphas[number] : 255;
    }
}

static void read_pixels(codec *c)
{
    const int passes = begin_pixels(c);
    const int64_t steps = (passes + c->is_palette) * c->height; /* proven: 8 times at most */
    bool goes_on = zc_progress_begin(c->progress, steps);
    for (int64_t step = 0; step < steps && goes_on; step++) {
        unsigned char *row = c->pixels + step % c->height * c->row_bytes; /* proven: of the buffer */
        if (step < passes * c->height)                                    /* proven: as above */
            png_read_row(c->png, row, NULL);
        else
            show_colours(c, row);
        goes_on = step % 16 != 0 || zc_progress_set(c->progress, step);
    }
    if (goes_on)
        png_read_end(c->png, NULL);
    else
        c->status = zc_refuse(c->why, ZC_CANCELLED, "stopped on request");
}

/* The bytes of a file, mapped, and its header. After ZC_OK the caller ends both. */
static zc_status begin_reading(codec *c, const zc_mapped_file *file, zc_buffer **mapped)
{
    zc_status status = zc_mapped_file_map(file, c->heap, 0, file->bytes, mapped, c->why);
    if (status != ZC_OK)
        return status;
    c->bytes = (*mapped)->memory;
    c->left = (size_t)file->bytes;
    c->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, c, leave, pass_over, c->heap, take, give);
    c->info = c->png == NULL ? NULL : png_create_info_struct(c->png);
    if (c->info == NULL)
        status = zc_refuse(c->why, ZC_ERROR_MEMORY, "out of memory");
    else
        status = run(c, read_header) ? check_size(c, file->bytes) : c->status;
    return status;
}

static zc_status end_reading(codec *c, const zc_mapped_file *file, zc_buffer *mapped, zc_status status)
{
    png_destroy_read_struct(&c->png, &c->info, NULL);
    zc_buffer_release(mapped);
    return status == ZC_ERROR_FORMAT ? zc_file_refuse(c->why, status, file->path) : status;
}

static zc_status describe(zc_heap *heap, const zc_mapped_file *file, const char *member, zc_file_info *info,
                          zc_reason *why)
{
    (void)member;
    codec c = {.heap = heap, .why = why};
    zc_buffer *mapped = NULL;
    const zc_status status = begin_reading(&c, file, &mapped);
    if (status == ZC_OK) {
        *info = (zc_file_info){.dtype = c.depth == 16 ? ZC_UINT16 : ZC_UINT8,
                               .rank = c.channels > 1 ? 3 : 2,
                               .shape = {c.height, c.width, c.channels},
                               .header_bytes = file->bytes - (int64_t)c.left};
        info->data_bytes = file->bytes - info->header_bytes;
    }
    return end_reading(&c, file, mapped, status);
}

static zc_status read_into(codec *c, zc_context *ctx, zc_file_elements *out)
{
    const int64_t bytes = c->height * c->row_bytes; /* proven: check_size() */
    const int64_t shape[] = {c->height, c->width, c->channels};
    const int64_t rows_bytes = 2 * (c->row_bytes + 64); /* proven: below 2^36; libpng holds two rows */
    zc_status status = zc_kept_make_room(ctx, zc_saturating_add(bytes, rows_bytes), c->why);
    if (status != ZC_OK)
        return status;
    zc_buffer *buffer = zc_buffer_new(ctx->heap, bytes);
    if (buffer == NULL)
        return zc_refuse(c->why, ZC_ERROR_MEMORY, "out of memory");
    c->pixels = buffer->memory;
    if (!run(c, read_pixels)) {
        zc_buffer_release(buffer);
        return c->status;
    }
    out->buffer = buffer;
    out->dtype = c->depth == 16 ? ZC_UINT16 : ZC_UINT8;
    zc_view_row_major(c->channels > 1 ? 3 : 2, shape, &out->view);
    return ZC_OK;
}

static zc_status open_elements(zc_context *ctx, const zc_mapped_file *file, const char *member, zc_file_elements *out,
                               zc_reason *why)
{
    (void)member;
    codec c = {.heap = ctx->heap, .why = why, .progress = &ctx->progress};
    zc_buffer *mapped = NULL;
    zc_status status = begin_reading(&c, file, &mapped);
    if (status == ZC_OK)
        status = read_into(&c, ctx, out);
    return end_reading(&c, file, mapped, status);
}

/* ---- Writing ---- */

static zc_status accept(const zc_file_array *array, zc_reason *why)
{
    const int64_t channels = array->rank == 3 ? array->shape[2] : 1;
    if (array->dtype != ZC_UINT8 && array->dtype != ZC_UINT16 && array->dtype != ZC_BOOL)
        return zc_refuse(why, ZC_ERROR_DTYPE,
                         "a .png file holds uint8, uint16 and bool, not %s; scale the elements and use "
                         "astype",
                         zc_dtype_name(array->dtype));
    if ((array->rank != 2 && array->rank != 3) || (array->rank == 3 && (channels < 2 || channels > 4)))
        return zc_refuse(
            why, ZC_ERROR_SHAPE,
            "a .png file holds (height, width), or (height, width, channels) with 2 to 4 channels; reshape "
            "or slice the array");
    if (array->size == 0 || array->shape[0] > PNG_UINT_31_MAX || array->shape[1] > PNG_UINT_31_MAX)
        return zc_refuse(why, ZC_ERROR_SHAPE, "a .png file has 1 to 2147483647 rows, and as many columns");
    return ZC_OK;
}

static void write_header(codec *c)
{
    static const int colours[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                  PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_user_limits(c->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_write_fn(c->png, c, write_bytes, flush_bytes);
    png_set_IHDR(c->png, c->info, (png_uint_32)c->width, (png_uint_32)c->height, c->depth, colours[c->channels],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(c->png, c->info);
    if (IS_LITTLE_ENDIAN && c->depth == 16)
        png_set_swap(c->png);
}

static void write_row(codec *c)
{
    png_write_row(c->png, c->row);
}

static void write_end(codec *c)
{
    png_write_end(c->png, NULL);
}

/* Returns status, without the codec. */
static zc_status end_writing(zc_file_writer *w, zc_status status)
{
    codec *c = w->state;
    png_destroy_write_struct(&c->png, &c->info);
    if (c->row != NULL)
        zc_heap_give(w->heap, c->row, (size_t)c->row_bytes);
    zc_heap_give(w->heap, c, sizeof *c);
    return status;
}

static zc_status begin_codec(codec *c, const zc_file_array *array)
{
    c->row = zc_heap_take(c->heap, (size_t)c->row_bytes);
    c->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, c, leave, pass_over, c->heap, take, give);
    c->info = c->png == NULL ? NULL : png_create_info_struct(c->png);
    if (c->row == NULL || c->info == NULL)
        return zc_refuse(c->why, ZC_ERROR_MEMORY, "out of memory");
    const zc_status status = zc_replaced_file_expect(c->file, array->bytes, c->why);
    return status == ZC_OK && !run(c, write_header) ? c->status : status;
}

static zc_status begin(zc_file_writer *w, zc_reason *why)
{
    const zc_file_array *array = w->arrays;
    codec *c = w->state = zc_heap_take(w->heap, sizeof *c);
    if (c == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    *c = (codec){.heap = w->heap,
                 .why = why,
                 .height = array->shape[0],
                 .width = array->shape[1],
                 .channels = array->rank == 3 ? (int)array->shape[2] : 1,
                 .depth = array->dtype == ZC_UINT16 ? 16 : 8,
                 .row_bytes = array->bytes / array->shape[0],
                 .file = w->file};
    const zc_status status = begin_codec(c, array);
    return status == ZC_OK ? ZC_OK : end_writing(w, status);
}

/* True is white. */
static void fill_row(codec *c, const unsigned char *from, int64_t bytes, bool is_truths)
{
    unsigned char *to = c->row + c->filled_bytes;
    memcpy(to, from, (size_t)bytes);
    for (int64_t i = 0; is_truths && i < bytes; i++)
        to[i] = to[i] != 0 ? 255 : 0;
    c->filled_bytes += bytes;
}

static zc_status write_elements(zc_file_writer *w, const void *elements, int64_t count, zc_reason *why)
{
    codec *c = w->state;
    const unsigned char *from = elements;
    int64_t left = count * (c->depth / 8); /* proven: they are in memory */
    c->why = why;
    while (left > 0) {
        const int64_t bytes = zc_smaller(left, c->row_bytes - c->filled_bytes);
        fill_row(c, from, bytes, w->arrays->dtype == ZC_BOOL);
        from += bytes;
        left -= bytes;
        if (c->filled_bytes < c->row_bytes)
            break;
        c->filled_bytes = 0;
        if (!run(c, write_row))
            return c->status;
    }
    return ZC_OK;
}

static zc_status end_image(zc_file_writer *w, zc_status status, zc_reason *why)
{
    codec *c = w->state;
    c->why = why;
    if (status == ZC_OK && !run(c, write_end))
        status = c->status;
    return end_writing(w, status);
}

#else

static zc_status refuse(zc_reason *why)
{
    return zc_refuse(
        why, ZC_ERROR_FORMAT,
        "zerocast was built without libpng, so it has no .png files; install libpng-dev and build it again");
}

static zc_status describe(zc_heap *heap, const zc_mapped_file *file, const char *member, zc_file_info *info,
                          zc_reason *why)
{
    (void)heap;
    (void)file;
    (void)member;
    (void)info;
    return refuse(why);
}

static zc_status open_elements(zc_context *ctx, const zc_mapped_file *file, const char *member, zc_file_elements *out,
                               zc_reason *why)
{
    (void)ctx;
    (void)file;
    (void)member;
    (void)out;
    return refuse(why);
}

static zc_status accept(const zc_file_array *array, zc_reason *why)
{
    (void)array;
    return refuse(why);
}

static zc_status begin(zc_file_writer *w, zc_reason *why)
{
    (void)w;
    return refuse(why);
}

#define write_elements NULL /* nothing begins */
#define end_image      NULL

#endif

extern const zc_file_format zc_png_format;
const zc_file_format zc_png_format = {
    .name = "png",
    .endings = endings,
    .probe = probe,
    .describe = describe,
    .open = open_elements,
    .accept = accept,
    .begin = begin,
    .write = write_elements,
    .end = end_image,
};
