/* Images: any of a PNG's kinds of pixels, written here byte by byte, and what the library writes. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/api/archives.h"
#include "tests/api/values.h"
#include "tests/support/random.h"

static const char *file_name(void)
{
    static char name[48];
    (void)snprintf(name, sizeof name, "image-%ld.png", (long)getpid());
    return name;
}

/* ---- Files ---- */

enum { SIDE = 20, MOST_COLOURS = 256 };

/* An image, as the file says it. */
typedef struct image {
    int width, height, depth, colour;
    bool is_interlaced;
    int samples; /* of a pixel */
    uint16_t pixels[SIDE][SIDE][4];
    int colours; /* of the palette */
    unsigned char palette[MOST_COLOURS][3];
    int transparent; /* entries of tRNS: alphas of a palette's first colours, or samples of the transparent colour */
    uint16_t transparency[MOST_COLOURS];
} image;

typedef struct stream {
    unsigned char bytes[1 << 14];
    size_t count;
} stream;

static void add_chunk(stream *s, const char *name, const void *data, size_t bytes)
{
    unsigned char *to = s->bytes + s->count;
    put_big(to, 4, (uint32_t)bytes);
    memcpy(to + 4, name, 4);
    memcpy(to + 8, data, bytes);
    put_big(to + 8 + bytes, 4, crc_of(to + 4, bytes + 4));
    s->count += bytes + 12;
}

/* Packs samples of the pixels x0, x0 + dx ... of a row, behind the number of its filter. */
static void add_row(stream *s, const image *m, int y, int x0, int dx)
{
    int bits = 0;
    s->bytes[s->count++] = 0;
    for (int x = x0; x < m->width; x += dx) {
        for (int i = 0; i < m->samples; i++) {
            unsigned char *to = s->bytes + s->count + bits / 8;
            if (m->depth == 16)
                put_big(to, 2, m->pixels[y][x][i]);
            else
                *to = (unsigned char)((bits % 8 == 0 ? 0 : *to) | m->pixels[y][x][i] << (8 - m->depth - bits % 8));
            bits += m->depth;
        }
    }
    s->count += (size_t)(bits + 7) / 8;
}

/* All rows, or those of Adam7's passes. */
static void add_rows(stream *s, const image *m)
{
    static const int passes[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                     {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    for (int y = 0; y < m->height && !m->is_interlaced; y++)
        add_row(s, m, y, 0, 1);
    for (int pass = 0; pass < 7 && m->is_interlaced; pass++) {
        const int *p = passes[pass];
        for (int y = p[1]; y < m->height && p[0] < m->width; y += p[3])
            add_row(s, m, y, p[0], p[2]);
    }
}

static void add_pixels(stream *s, const image *m)
{
    static stream rows, packed;
    uint32_t low = 1, high = 0;
    rows.count = 0;
    add_rows(&rows, m);
    for (size_t i = 0; i < rows.count; i++) {
        low = (low + rows.bytes[i]) % 65521;
        high = (high + low) % 65521;
    }
    memcpy(packed.bytes, "\x78\x01", 2);
    packed.count = 2 + deflated(packed.bytes + 2, rows.bytes, rows.count);
    put_big(packed.bytes + packed.count, 4, high << 16 | low);
    packed.count += 4;
    add_chunk(s, "IDAT", packed.bytes, packed.count / 2);
    add_chunk(s, "IDAT", packed.bytes + packed.count / 2, packed.count - packed.count / 2);
}

static void add_transparency(stream *s, const image *m)
{
    unsigned char bytes[2 * MOST_COLOURS];
    const int width = m->colour == 3 ? 1 : 2;
    for (int i = 0; i < m->transparent; i++)
        put_big(bytes + width * i, width, m->transparency[i]);
    if (m->transparent > 0)
        add_chunk(s, "tRNS", bytes, (size_t)width * (size_t)m->transparent);
}

static void make_file(stream *s, const image *m)
{
    unsigned char header[13] = {0};
    put_big(header, 4, (uint32_t)m->width);
    put_big(header + 4, 4, (uint32_t)m->height);
    header[8] = (unsigned char)m->depth;
    header[9] = (unsigned char)m->colour;
    header[12] = m->is_interlaced;
    memcpy(s->bytes, "\x89PNG\r\n\x1a\n", 8);
    s->count = 8;
    add_chunk(s, "IHDR", header, sizeof header);
    add_chunk(s, "tEXt", "Title\0passed over", 17);
    if (m->colours > 0)
        add_chunk(s, "PLTE", m->palette, (size_t)m->colours * 3);
    add_transparency(s, m);
    add_pixels(s, m);
    add_chunk(s, "IEND", "", 0);
}

static void write_bytes(const void *bytes, size_t count)
{
    FILE *file = fopen(file_name(), "wb");
    cr_assert(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

/* False: the library was built without libpng. */
static bool has_png(zc_context *ctx)
{
    zc_tensor *pixel = zc_full(ctx, ZC_SHAPE(1, 1), ZC_UINT8, 7);
    const bool has = zc_save(pixel, file_name()) == ZC_OK;
    cr_expect(has || strstr(zc_error_text(ctx), "built without libpng") != NULL, "%s", zc_error_text(ctx));
    zc_error_clear(ctx);
    zc_release(pixel);
    (void)unlink(file_name());
    return has;
}

/* ---- Reading ---- */

/* A random image of a kind that PNG has. */
static void make_image(image *m)
{
    static const int colours[] = {0, 2, 3, 4, 6}, samples[] = {1, 3, 1, 2, 4},
                     depths[][5] = {
                         {1, 2, 4, 8, 16}, {8, 8, 8, 16, 16}, {1, 2, 4, 8, 8}, {8, 16, 8, 16, 8}, {8, 16, 8, 16, 8}};
    const int kind = (int)zc_random_range(0, 4);
    *m = (image){.width = (int)zc_random_range(1, SIDE),
                 .height = (int)zc_random_range(1, SIDE),
                 .colour = colours[kind],
                 .samples = samples[kind],
                 .depth = depths[kind][zc_random_range(0, 4)],
                 .is_interlaced = zc_random_range(0, 1) == 0};
    const int64_t most = (INT64_C(1) << m->depth) - 1;
    if (m->colour == 3) {
        m->colours = (int)zc_random_range(1, most + 1);
        m->transparent = zc_random_range(0, 1) == 0 ? (int)zc_random_range(1, m->colours) : 0;
    } else if (m->colour < 4 && zc_random_range(0, 1) == 0) {
        m->transparent = m->samples;
    }
    for (int i = 0; i < m->height * m->width * m->samples; i++)
        m->pixels[i / m->samples / m->width][i / m->samples % m->width][i % m->samples] =
            (uint16_t)zc_random_range(0, m->colour == 3 ? m->colours - 1 : most);
    for (int i = 0; i < 3 * m->colours; i++)
        m->palette[i / 3][i % 3] = (unsigned char)zc_random_range(0, 255);
    for (int i = 0; i < m->transparent; i++)
        m->transparency[i] = m->colour == 3 ? (uint16_t)zc_random_range(0, 255) : m->pixels[0][0][i];
}

/* The channels of a pixel; returns their number. */
static int show(const image *m, const uint16_t *pixel, int64_t channels[4])
{
    const int64_t most = m->depth == 16 ? 65535 : 255;
    if (m->colour == 3) {
        for (int i = 0; i < 3; i++)
            channels[i] = m->palette[*pixel][i];
        channels[3] = *pixel < m->transparent ? m->transparency[*pixel] : most;
        return m->transparent > 0 ? 4 : 3;
    }
    bool is_transparent = true;
    for (int i = 0; i < m->samples; i++) {
        channels[i] = m->depth < 8 ? pixel[i] * most / ((1 << m->depth) - 1) : pixel[i];
        is_transparent = is_transparent && pixel[i] == m->transparency[i];
    }
    if (m->transparent > 0)
        channels[m->samples] = is_transparent ? 0 : most;
    return m->samples + (m->transparent > 0 ? 1 : 0);
}

static void expect_image(const zc_tensor *t, const image *m)
{
    cr_expect_eq(zc_dtype_of(t), m->depth == 16 ? ZC_UINT16 : ZC_UINT8);
    uint32_t elements[SIDE * SIDE * 4];
    const size_t count = (size_t)zc_size(t);
    int64_t channels[4];
    const int most = show(m, m->pixels[0][0], channels);
    expect_shape(t, most > 1 ? 3 : 2, (const int64_t[]){m->height, m->width, most});
    cr_assert_eq(zc_copy_to(t, ZC_UINT32, elements, count * sizeof *elements), ZC_OK);
    for (int i = 0; i < m->height * m->width; i++) {
        (void)show(m, m->pixels[i / m->width][i % m->width], channels);
        for (int c = 0; c < most; c++)
            cr_expect_eq(elements[i * most + c], channels[c], "colour %d, depth %d, pixel %d, channel %d", m->colour,
                         m->depth, i, c);
    }
}

Test(png, pixels_of_every_kind_are_read)
{
    static image m;
    static stream s;
    bench b = begin();
    if (!has_png(b.ctx)) {
        finish(b);
        cr_skip_test("no libpng");
    }
    zc_random_begin("png, pixels_of_every_kind_are_read");
    for (int round = 0; round < 400; round++) {
        make_image(&m);
        make_file(&s, &m);
        write_bytes(s.bytes, s.count);
        const zc_tensor *t = zc_open(b.ctx, file_name());
        cr_assert_not_null(t, "round %d: %s", round, zc_error_text(b.ctx));
        expect_image(t, &m);
        zc_file_info info;
        cr_assert_eq(zc_read_info(b.ctx, file_name(), &info), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_expect(info.dtype == zc_dtype_of(t) && info.rank == zc_rank(t) && info.shape[0] == m.height);
    }
    (void)unlink(file_name());
    finish(b);
}

static void expect_damage(bench b, const stream *s, size_t count, const char *sentence)
{
    write_bytes(s->bytes, count);
    cr_expect_null(zc_open(b.ctx, file_name()), "%s", sentence);
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_FORMAT);
    cr_expect_not_null(strstr(zc_error_text(b.ctx), "not a PNG that can be read: "), "%s", zc_error_text(b.ctx));
    cr_expect_not_null(strstr(zc_error_text(b.ctx), sentence), "%s, not %s", zc_error_text(b.ctx), sentence);
    zc_error_clear(b.ctx);
}

Test(png, damage_is_refused)
{
    static image m = {.width = 2, .height = 2, .depth = 8, .colour = 3, .samples = 1, .colours = 2};
    static stream s;
    bench b = begin();
    if (!has_png(b.ctx)) {
        finish(b);
        cr_skip_test("no libpng");
    }
    m.pixels[1][1][0] = 2;
    make_file(&s, &m);
    expect_damage(b, &s, s.count, "");
    m.pixels[1][1][0] = 1;
    make_file(&s, &m);
    expect_damage(b, &s, s.count - 12, "the file ends too early");
    s.bytes[45 + 10]++; /* in tEXt, which is passed over */
    expect_damage(b, &s, s.count, "CRC");
    m.colours = 0;
    make_file(&s, &m);
    expect_damage(b, &s, s.count, "PLTE");
    (void)unlink(file_name());
    finish(b);
}

/* ---- Writing ---- */

/* The fields of the header, and the elements that are read again. */
static void expect_saved(bench b, const zc_tensor *t, int depth, int colour)
{
    unsigned char bytes[26];
    cr_assert_eq(zc_save(t, file_name()), ZC_OK, "%s", zc_error_text(b.ctx));
    FILE *file = fopen(file_name(), "rb");
    cr_assert(file != NULL && fread(bytes, 1, sizeof bytes, file) == sizeof bytes);
    (void)fclose(file);
    unsigned char wanted[26];
    memcpy(wanted, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    put_big(wanted + 16, 4, (uint32_t)zc_shape(t)[1]);
    put_big(wanted + 20, 4, (uint32_t)zc_shape(t)[0]);
    wanted[24] = (unsigned char)depth;
    wanted[25] = (unsigned char)colour;
    cr_expect_eq(memcmp(bytes, wanted, sizeof bytes), 0);
    const zc_tensor *again = zc_open(b.ctx, file_name());
    cr_assert_not_null(again, "%s", zc_error_text(b.ctx));
    expect_shape(again, zc_rank(t), zc_shape(t));
    const double scale = zc_dtype_of(t) == ZC_BOOL ? 255 : 1;
    for (int64_t i = 0; i<zc_size(t); i += zc_size(t)> 1000 ? zc_size(t) / 7 : 1)
        cr_expect_eq(value_at(again, i), scale * value_at(t, i));
}

Test(png, what_is_saved_is_read_again)
{
    static const int colours[] = {0, 0, 4, 2, 6};
    bench b = begin();
    if (!has_png(b.ctx)) {
        finish(b);
        cr_skip_test("no libpng");
    }
    const zc_tensor *i = zc_multiply(zc_iota(b.ctx, 24), zc_weak_int(b.ctx, 2621));
    for (int channels = 2; channels <= 4; channels++) {
        const zc_tensor *t = zc_reshape(i, ZC_SHAPE(-1, 2, channels));
        expect_saved(b, zc_astype(t, ZC_UINT8), 8, colours[channels]);
        expect_saved(b, zc_astype(t, ZC_UINT16), 16, colours[channels]);
    }
    const zc_tensor *grey = zc_matrix_transpose(zc_reshape(i, ZC_SHAPE(4, 6)));
    expect_saved(b, zc_astype(grey, ZC_UINT8), 8, 0);
    expect_saved(b, zc_astype(grey, ZC_UINT16), 16, 0);
    expect_saved(b, zc_greater(grey, zc_weak_int(b.ctx, 30000)), 8, 0);
    enum { LONG = 3 << 20 }; /* more than is written at once */
    expect_saved(b, zc_broadcast_to(zc_full(b.ctx, ZC_SHAPE(1, 1), ZC_UINT8, 7), ZC_SHAPE(1, LONG)), 8, 0);
    (void)unlink(file_name());
    finish(b);
}

/* Reading stops at the first look that says so, in the rows and in what turns them into colours. */
static bool stop_after(void *user, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    int *looks = user;
    return --*looks > 0;
}

Test(png, reading_stops_on_request)
{
    static image m = {.width = 1, .height = 20, .depth = 8, .colour = 3, .samples = 1, .colours = 1};
    static stream s;
    bench b = begin();
    if (!has_png(b.ctx)) {
        finish(b);
        cr_skip_test("no libpng");
    }
    make_file(&s, &m);
    write_bytes(s.bytes, s.count);
    const zc_tensor *t = NULL;
    int stopped = 0;
    for (int most = 1; t == NULL && most < 100; most++) {
        int looks = most;
        zc_set_progress(b.ctx, stop_after, &looks);
        t = zc_open(b.ctx, file_name());
        stopped += t == NULL;
        cr_expect(t != NULL || zc_error_status(b.ctx) == ZC_CANCELLED, "%s", zc_error_text(b.ctx));
        zc_error_clear(b.ctx);
    }
    cr_expect(t != NULL && stopped >= 3, "%d", stopped);
    zc_set_progress(b.ctx, NULL, NULL);
    (void)unlink(file_name());
    finish(b);
}

Test(png, no_such_arrays_are_saved)
{
    static const char shape[] =
        "save: a .png file holds (height, width), or (height, width, channels) with 2 to 4 channels;"
        " reshape or slice the array",
                      size[] = "save: a .png file has 1 to 2147483647 rows, and as many columns";
    bench b = begin();
    if (!has_png(b.ctx)) {
        finish(b);
        cr_skip_test("no libpng");
    }
    const int64_t many = INT64_C(1) << 31;
    const struct {
        const zc_tensor *t;
        zc_status status;
        const char *sentence;
    } rows[] = {
        {zc_full(b.ctx, ZC_SHAPE(2, 2), ZC_FLOAT32, 0), ZC_ERROR_DTYPE,
         "save: a .png file holds uint8, uint16 and bool, not float32; scale the elements and use astype"},
        {zc_full(b.ctx, ZC_SHAPE(2), ZC_UINT8, 0), ZC_ERROR_SHAPE, shape},
        {zc_full(b.ctx, ZC_SHAPE(2, 2, 1), ZC_UINT8, 0), ZC_ERROR_SHAPE, shape},
        {zc_full(b.ctx, ZC_SHAPE(2, 2, 5), ZC_UINT8, 0), ZC_ERROR_SHAPE, shape},
        {zc_full(b.ctx, ZC_SHAPE(2, 2, 2, 2), ZC_UINT8, 0), ZC_ERROR_SHAPE, shape},
        {zc_full(b.ctx, ZC_SHAPE(0, 2), ZC_UINT8, 0), ZC_ERROR_SHAPE, size},
        {zc_full(b.ctx, ZC_SHAPE(many, 1), ZC_UINT8, 0), ZC_ERROR_SHAPE, size},
        {zc_full(b.ctx, ZC_SHAPE(1, many), ZC_UINT8, 0), ZC_ERROR_SHAPE, size},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(zc_save(rows[i].t, file_name()), rows[i].status, "row %zu", i);
        cr_expect_str_eq(zc_error_text(b.ctx), rows[i].sentence);
        zc_error_clear(b.ctx);
    }
    cr_expect_neq(access(file_name(), F_OK), 0);
    finish(b);
}
