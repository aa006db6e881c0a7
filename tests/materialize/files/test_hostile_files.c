/*
 * Text and images in which any byte may be wrong, memory that runs out, and disks that are full: a sentence that names
 * the file, or the elements; nothing is left, and an old file stays.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/api/archives.h"
#include "tests/support/failing.h"
#include "tests/support/zc_test.h"

/* A context that counts its blocks. */
typedef struct bench {
    zc_failing state;
    zc_allocator allocator;
    zc_context *ctx;
} bench;

static void set_up(bench *b, int64_t limit)
{
    *b = (bench){.allocator = zc_failing_allocator(&b->state)};
    b->ctx = zc_context_new(&(zc_options){.allocator = &b->allocator, .threads = 1, .memory_limit = limit});
}

static void tear_down(bench *b)
{
    zc_context_free(b->ctx);
    cr_expect(b->state.blocks == 0 && b->state.faults == 0);
}

static const char *path_with(const char *ending)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "hostile-%ld.%s", (long)getpid(), ending);
    return path;
}

static void write_file(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

static size_t read_file(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    const size_t count = fread(bytes, 1, room, file);
    (void)fclose(file);
    return count;
}

/* Opens a file, and looks at what it is: its size, or -1 where it is refused. */
static int64_t open_file(bench *b, const char *path)
{
    const int64_t blocks = b->state.blocks;
    zc_file_info info;
    zc_tensor *t = zc_open(b->ctx, path);
    const int64_t size = t == NULL ? -1 : zc_size(t);
    if (t == NULL)
        cr_expect_not_null(strstr(zc_error_text(b->ctx), path), "%s", zc_error_text(b->ctx));
    zc_error_clear(b->ctx);
    const zc_status status = zc_read_info(b->ctx, path, &info);
    cr_expect(t == NULL || status == ZC_OK, "%s", zc_error_text(b->ctx));
    for (int a = 0; t != NULL && a < info.rank; a++)
        cr_expect_eq(info.shape[a], zc_shape(t)[a]);
    cr_expect(t == NULL || info.dtype == zc_dtype_of(t));
    zc_error_clear(b->ctx);
    zc_release(t);
    zc_context_trim(b->ctx);
    cr_expect_eq(b->state.blocks, blocks, "%s: memory is left", path);
    return size;
}

/* Cuts the file at each byte, and puts others in the place of each. */
static void mutate(const char *ending, const unsigned char *bytes, size_t count, const char *others)
{
    bench b;
    set_up(&b, 0);
    const char *path = path_with(ending);
    unsigned char *copy = malloc(count);
    for (size_t length = 0; length <= count; length++) {
        write_file(path, bytes, length);
        (void)open_file(&b, path);
    }
    for (size_t at = 0; at < count; at++) {
        for (const char *c = others; *c != '\0'; c++) {
            memcpy(copy, bytes, count);
            copy[at] = (unsigned char)*c == 0xfe ? (unsigned char)(copy[at] ^ 1) : (unsigned char)*c;
            write_file(path, copy, count);
            (void)open_file(&b, path);
        }
    }
    free(copy);
    (void)unlink(path);
    tear_down(&b);
}

static const char table[] = "\xef\xbb\xbfx,\"y\"\r\n1,-2.5e3\r\n\n#c\n \"4\" , nan\n12345678901234567890,.5";

Test(hostile_files, of_text_are_refused_or_read)
{
    mutate("csv", (const unsigned char *)table, sizeof table - 1, "\xfe\xff\x01 \t\n\r\",#-.e0T");
    mutate("tsv", (const unsigned char *)"1\t2\nTrue\t\n", 10, "\xfe \t\n\r\"#eT");
    mutate("txt", (const unsigned char *)" 1 2\n\"3\" 4 \n5  6", 17, "\xfe \t\n\r\"#eT");
}

/* An image of (3, 4, 3) that the library writes. */
static zc_tensor *make_image(zc_context *ctx)
{
    zc_tensor *i = zc_iota(ctx, 36), *bytes = zc_astype(i, ZC_UINT8), *t = zc_reshape(bytes, ZC_SHAPE(3, 4, 3));
    zc_release(i);
    zc_release(bytes);
    return t;
}

/* False: there is no libpng. */
static bool has_png(zc_context *ctx, const char *path)
{
    zc_tensor *image = make_image(ctx);
    const zc_status status = zc_save(image, path);
    cr_expect(status == ZC_OK || strstr(zc_error_text(ctx), "built without libpng") != NULL, "%s", zc_error_text(ctx));
    zc_release(image);
    zc_error_clear(ctx);
    zc_context_trim(ctx); /* the plan, which is kept */
    return status == ZC_OK;
}

Test(hostile_files, of_images_are_refused_or_read)
{
    static unsigned char bytes[4096];
    bench b;
    set_up(&b, 0);
    const char *path = path_with("png");
    if (!has_png(b.ctx, path)) {
        tear_down(&b);
        cr_skip_test("no libpng");
    }
    const size_t count = read_file(path, bytes, sizeof bytes);
    cr_expect_eq(open_file(&b, path), 36);
    tear_down(&b);
    mutate("png", bytes, count, "\xfe\xff\x01\x7f");
}

/* A header of so many pixels, of 16 bits and four channels, and the beginning of data. */
static size_t make_bomb(unsigned char bytes[64], uint32_t width, uint32_t height)
{
    memcpy(bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    put_big(bytes + 16, 4, width);
    put_big(bytes + 20, 4, height);
    memcpy(bytes + 24, "\x10\6\0\0\0", 5);
    put_big(bytes + 29, 4, crc_of(bytes + 12, 17));
    memcpy(bytes + 33, "\0\0\0\x0aIDAT\x78\x9c\3\0\0\0\0\1", 16);
    return 49;
}

/* Nothing is allocated for pixels that the file cannot hold, or that the limit has no room for. */
Test(hostile_files, with_large_promises_take_no_memory)
{
    static const uint32_t sizes[][2] = {{0x7fffffff, 0x7fffffff}, {0x7fffffff, 1}, {1, 0x7fffffff}, {100000, 100000}};
    unsigned char bytes[80];
    bench b;
    set_up(&b, 1 << 20);
    const char *path = path_with("png");
    if (!has_png(b.ctx, path)) {
        tear_down(&b);
        cr_skip_test("no libpng");
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        write_file(path, bytes, make_bomb(bytes, sizes[i][0], sizes[i][1]));
        cr_expect_null(zc_open(b.ctx, path));
        cr_expect_not_null(strstr(zc_error_text(b.ctx), "does not fit into 49 bytes"), "%s", zc_error_text(b.ctx));
        cr_expect_lt(zc_memory_usage(b.ctx).peak_bytes, 4096);
        zc_error_clear(b.ctx);
    }
    const size_t count = make_bomb(bytes, 0x7fffffff, 0x7fffffff);
    bytes[24] = 1; /* bit, of which each of a palette is three bytes */
    bytes[25] = 3;
    put_big(bytes + 29, 4, crc_of(bytes + 12, 17));
    memmove(bytes + 48, bytes + 33, count - 33);
    memcpy(bytes + 33, "\0\0\0\3PLTE\1\2\3", 11);
    put_big(bytes + 44, 4, crc_of(bytes + 37, 7));
    write_file(path, bytes, count + 15);
    cr_expect_null(zc_open(b.ctx, path));
    cr_expect_not_null(strstr(zc_error_text(b.ctx), "does not fit into 64 bytes"), "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    enum { PADDED = 1 << 12 };
    static unsigned char padded[PADDED];
    (void)make_bomb(padded, 700, 700); /* 3.9 MB, which so many bytes might hold */
    write_file(path, padded, PADDED);
    cr_expect_null(zc_open(b.ctx, path));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_BUDGET, "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    (void)make_bomb(padded, 40000, 1); /* 320 KB, and as many for each of the two rows that libpng holds */
    write_file(path, padded, PADDED);
    cr_expect_null(zc_open(b.ctx, path));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_FORMAT, "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    (void)make_bomb(padded, 50000, 1); /* 400 KB */
    write_file(path, padded, PADDED);
    cr_expect_null(zc_open(b.ctx, path));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_BUDGET, "%s", zc_error_text(b.ctx));
    (void)unlink(path);
    tear_down(&b);
}

/* ---- Memory ---- */

typedef bool try_once(bench *b, const char *path);

/* Lets each allocation fail in turn; those that fail are refused, and leave nothing. */
static void fail_each(try_once *attempt, const char *path)
{
    bench b;
    set_up(&b, 0);
    bool is_through = false;
    int refused = 0;
    for (int64_t k = 1; !is_through; k++) {
        const int64_t blocks = b.state.blocks;
        b.state.fail_at = b.state.calls + k;
        const bool is_done = attempt(&b, path);
        is_through = b.state.calls < b.state.fail_at;
        b.state.fail_at = 0;
        refused += !is_done;
        cr_expect(is_done || zc_error_status(b.ctx) == ZC_ERROR_MEMORY, "%s", zc_error_text(b.ctx));
        cr_expect(is_done || !is_through, "%s", zc_error_text(b.ctx));
        zc_error_clear(b.ctx);
        zc_context_trim(b.ctx);
        cr_expect_eq(b.state.blocks, blocks, "allocation %d: memory is left", (int)k);
        if (!is_done)
            zc_failing_count();
    }
    cr_expect_geq(refused, 2);
    tear_down(&b);
}

static bool try_open(bench *b, const char *path)
{
    zc_tensor *t = zc_open(b->ctx, path);
    zc_release(t);
    return t != NULL;
}

static bool try_info(bench *b, const char *path)
{
    zc_file_info info;
    return zc_read_info(b->ctx, path, &info) == ZC_OK;
}

static bool try_save(bench *b, const char *path)
{
    zc_tensor *image = make_image(b->ctx), *line = image == NULL ? NULL : zc_reshape(image, ZC_SHAPE(6, 6));
    const bool is_done = line != NULL && zc_save(strstr(path, "png") != NULL ? image : line, path) == ZC_OK;
    zc_release(image);
    zc_release(line);
    return is_done;
}

Test(hostile_files, need_memory_that_may_run_out)
{
    const char *path = path_with("csv");
    write_file(path, table, sizeof table - 1);
    fail_each(try_open, path);
    fail_each(try_info, path);
    fail_each(try_save, path);
    bench b;
    set_up(&b, 0);
    path = path_with("png");
    const bool has = has_png(b.ctx, path);
    tear_down(&b);
    if (!has)
        return;
    fail_each(try_open, path);
    fail_each(try_info, path);
    fail_each(try_save, path);
    (void)unlink(path);
    (void)unlink(path_with("csv"));
}

/* Text that is larger in memory than the limit. */
Test(hostile_files, of_text_stay_below_the_limit)
{
    enum { MANY = 1 << 16 };
    static char digits[MANY];
    for (int i = 0; i < MANY; i++)
        digits[i] = i % 2 == 0 ? '1' : '\n';
    bench b;
    set_up(&b, MANY);
    const char *path = path_with("csv");
    write_file(path, digits, MANY);
    cr_expect_null(zc_open(b.ctx, path));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_BUDGET, "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    write_file(path, digits, MANY / 16);
    cr_expect_eq(open_file(&b, path), MANY / 32);
    for (int i = 200; i < MANY; i++)
        digits[i] = i % 2 == 0 ? '#' : '\n';
    write_file(path, digits, MANY);
    cr_expect_eq(open_file(&b, path), 100, "comments take memory");
    (void)unlink(path);
    tear_down(&b);
}

/* ---- Disks ---- */

/* Saves what takes some kilobytes, below every limit for files. */
static void fill_disk(const char *ending)
{
    static unsigned char content[16];
    bench b;
    set_up(&b, 0);
    const char *path = path_with(ending);
    struct rlimit before, small;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    zc_tensor *i = zc_iota(b.ctx, 60000), *square = zc_multiply(i, i), *bytes = zc_astype(square, ZC_UINT8),
              *t = zc_reshape(bytes, ZC_SHAPE(200, 300));
    int refused = 0;
    cr_assert_eq(zc_save(t, path), ZC_OK);
    struct stat whole;
    cr_assert_eq(stat(path, &whole), 0);
    zc_status status = ZC_ERROR_FILE;
    for (rlim_t most = 0; status != ZC_OK;
         most += most < 64 || most + 64 > (rlim_t)whole.st_size ? 5 : 45 + most / 64) {
        write_file(path, "old", 3);
        small.rlim_cur = most;
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
        status = zc_save(t, path);
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
        if (status == ZC_OK)
            break;
        refused++;
        cr_expect(status == ZC_ERROR_FILE && read_file(path, content, sizeof content) == 3, "%s", zc_error_text(b.ctx));
        zc_error_clear(b.ctx);
    }
    cr_expect_geq(refused, 2);
    (void)signal(SIGXFSZ, handler);
    zc_release(i);
    zc_release(square);
    zc_release(bytes);
    zc_release(t);
    (void)unlink(path);
    tear_down(&b);
}

Test(hostile_files, stay_as_they_were_on_full_disks)
{
    bench b;
    set_up(&b, 0);
    const char *path = path_with("png");
    const bool has = has_png(b.ctx, path);
    (void)unlink(path);
    tear_down(&b);
    fill_disk("csv");
    fill_disk("raw");
    if (has)
        fill_disk("png");
}

/* ---- Stopping ---- */

static bool stop_soon(void *user, int64_t done, int64_t total)
{
    (void)total;
    int *calls = user;
    return done == 0 || --*calls > 0;
}

/* Says so at the first look that it has no more calls for. */
static bool stop_at(void *user, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    return --*(int *)user > 0;
}

static void expect_stopped(bench *b, zc_status status)
{
    cr_expect_eq(status, ZC_CANCELLED, "%s", zc_error_text(b->ctx));
    cr_expect_eq(zc_error_status(b->ctx), ZC_CANCELLED);
    zc_error_clear(b->ctx);
}

Test(hostile_files, can_be_stopped)
{
    static char digits[1 << 20];
    for (size_t i = 0; i < sizeof digits; i++)
        digits[i] = i % 2 == 0 ? '1' : '\n';
    bench b;
    set_up(&b, 0);
    const char *path = path_with("csv");
    write_file(path, digits, sizeof digits);
    zc_cancel(b.ctx);
    zc_tensor *t = zc_open(b.ctx, path);
    expect_stopped(&b, t == NULL ? zc_error_status(b.ctx) : ZC_OK);
    int calls = 3;
    zc_set_progress(b.ctx, stop_soon, &calls);
    t = zc_open(b.ctx, path);
    expect_stopped(&b, t == NULL ? zc_error_status(b.ctx) : ZC_OK);
    zc_set_progress(b.ctx, NULL, NULL);
    (void)unlink(path);
    path = path_with("png");
    if (has_png(b.ctx, path)) {
        zc_cancel(b.ctx);
        t = zc_open(b.ctx, path);
        expect_stopped(&b, t == NULL ? zc_error_status(b.ctx) : ZC_OK);
        (void)unlink(path);
    }
    tear_down(&b);
}

/* Saving stops at each look in turn; the old file stays. */
Test(hostile_files, are_not_written_when_the_work_is_stopped)
{
    static const char *const endings[] = {"csv", "raw", "npz", "safetensors", "png"};
    unsigned char content[16];
    bench b;
    set_up(&b, 0);
    const bool has = has_png(b.ctx, path_with("png"));
    (void)unlink(path_with("png"));
    zc_tensor *image = make_image(b.ctx), *t = zc_reshape(image, ZC_SHAPE(3, 12)), *computed = NULL;
    cr_assert_eq(zc_materialize(t, &computed), ZC_OK);
    for (int i = 0; i < (has ? 5 : 4); i++) {
        const char *path = path_with(endings[i]);
        zc_status status = ZC_CANCELLED;
        int stopped = 0;
        for (int most = 1; status != ZC_OK; most++) {
            int calls = most;
            write_file(path, "old", 3);
            zc_set_progress(b.ctx, stop_at, &calls);
            status = zc_save(computed, path);
            stopped += status != ZC_OK;
            cr_assert(status == ZC_OK || status == ZC_CANCELLED, "%s", zc_error_text(b.ctx));
            cr_expect(status == ZC_OK || read_file(path, content, sizeof content) == 3);
            zc_error_clear(b.ctx);
        }
        cr_expect_geq(stopped, 1, "%s", endings[i]);
        (void)unlink(path);
    }
    zc_release(image);
    zc_release(t);
    zc_release(computed);
    tear_down(&b);
}
