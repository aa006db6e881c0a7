/*
 * Elements on the move: the kernels that turn, copy lines and stream against loops over bytes, and whole results, large
 * enough to go past the caches, against loops over indices.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/materialize/kernels/tables.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { MOST = 150, GUARD = 64 };

static unsigned char *random_bytes(size_t bytes)
{
    unsigned char *memory = malloc(bytes);
    cr_assert_not_null(memory);
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)zc_random_u64();
    return memory;
}

/* One rectangle; the bytes behind the result stay as they are. */
static void check_transpose(const zc_kernels *k, size_t item)
{
    int64_t rows = zc_random_range(1, MOST), columns = zc_random_range(1, MOST), stride = rows + zc_random_range(0, 9);
    size_t bytes = (size_t)(rows * columns) * item;
    unsigned char *in = random_bytes((size_t)(stride * columns) * item), *out = malloc(bytes + GUARD);
    cr_assert_not_null(out);
    memset(out, 0xa5, bytes + GUARD);
    k->transpose[zc_item_size(item)](out, in, stride, rows, columns);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++)
            cr_assert(memcmp(out + (size_t)(r * columns + c) * item, in + (size_t)(c * stride + r) * item, item) == 0,
                      "%s, %zu bytes: (%lld, %lld) of (%lld, %lld)", k->name, item, (long long)r, (long long)c,
                      (long long)rows, (long long)columns);
    }
    for (size_t i = 0; i < GUARD; i++)
        cr_assert_eq(out[bytes + i], 0xa5);
    free(in);
    free(out);
}

Test(layout, rectangles_of_every_size_of_element_are_turned)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("layout/transpose");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (size_t item = 1; item <= 16; item *= 2) {
            for (int round = 0; round < 20; round++)
                check_transpose(tested[t], item);
        }
    }
}

/* Some lines; the bytes between them stay as they are. */
static void check_lines(const zc_kernels *k, size_t item)
{
    int64_t count = zc_random_range(1, 20), length = zc_random_range(1, MOST), pitch = length + zc_random_range(0, 9);
    int64_t offset[20];
    unsigned char *in = random_bytes((size_t)(4 * MOST) * item), *out = malloc((size_t)(count * pitch) * item);
    cr_assert_not_null(out);
    memset(out, 0xa5, (size_t)(count * pitch) * item);
    for (int64_t i = 0; i < count; i++)
        offset[i] = zc_random_range(0, 4 * MOST - length);
    k->lines(&(zc_lines){.to = (char *)out,
                         .pitch = pitch * (int64_t)item,
                         .from = (const char *)in,
                         .offset = offset,
                         .item = (int64_t)item,
                         .count = count,
                         .bytes = (size_t)length * item});
    for (int64_t i = 0; i < count * pitch; i++) {
        for (size_t byte = 0; byte < item; byte++) {
            unsigned char wanted =
                i % pitch < length ? in[(size_t)(offset[i / pitch] + i % pitch) * item + byte] : 0xa5;
            cr_assert_eq(out[(size_t)i * item + byte], wanted, "%s, %zu bytes: element %lld of %lld, line %lld",
                         k->name, item, (long long)(i % pitch), (long long)length, (long long)(i / pitch));
        }
    }
    free(in);
    free(out);
}

Test(layout, lines_of_every_length_are_copied_and_nothing_else)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("layout/lines");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (size_t item = 1; item <= 16; item *= 2) {
            for (int round = 0; round < 50; round++)
                check_lines(tested[t], item);
        }
    }
}

Test(layout, streams_copy_rows_to_any_address_and_nothing_else)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("layout/stream");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int round = 0; round < 200; round++) {
            size_t row_bytes = (size_t)zc_random_range(0, 300), first = (size_t)zc_random_range(0, 70);
            size_t rows = (size_t)zc_random_range(1, 4), pitch = row_bytes + (size_t)zc_random_range(0, 70);
            unsigned char *in = random_bytes(rows * row_bytes + 1), *out = malloc(first + rows * pitch + 1);
            cr_assert_not_null(out);
            memset(out, 0xa5, first + rows * pitch);
            tested[t]->stream(out + first, (int64_t)pitch, in, row_bytes, (int64_t)rows);
            tested[t]->fence();
            for (size_t i = 0; i < first + rows * pitch; i++) {
                size_t row = i < first ? 0 : (i - first) / pitch, at = i < first ? row_bytes : (i - first) % pitch;
                cr_assert_eq(out[i], at < row_bytes ? in[row * row_bytes + at] : 0xa5, "%s", tested[t]->name);
            }
            free(in);
            free(out);
        }
    }
}

/* Memory that ends with the last element that is read: what reads on is found by the sanitizers. */
static void check_gather(const zc_kernels *k, zc_dtype dtype)
{
    const size_t item = zc_dtype_bytes(dtype);
    int64_t stride = zc_random_range(-5, 6), n = zc_random_range(1, MOST);
    size_t span = (size_t)((stride < 0 ? -stride : stride) * (n - 1) + 1);
    unsigned char *in = random_bytes(span * item), *out = malloc((size_t)n * item);
    cr_assert_not_null(out);
    const unsigned char *first = stride < 0 ? in + (span - 1) * item : in;
    k->pack[dtype](out, first, stride, n);
    for (int64_t i = 0; i < n; i++)
        cr_assert(memcmp(out + (size_t)i * item, first + i * stride * (int64_t)item, item) == 0, "%s, %s by %lld",
                  k->name, zc_dtype_name(dtype), (long long)stride);
    free(in);
    free(out);
}

static void check_spread(const zc_kernels *k, zc_dtype dtype)
{
    const size_t item = zc_dtype_bytes(dtype);
    const int64_t stride = zc_random_range(-3, 4), rows = zc_random_range(1, 40), columns = zc_random_range(1, 70);
    const size_t span = (size_t)((stride < 0 ? -stride : stride) * (rows - 1) + 1);
    unsigned char *in = random_bytes(span * item), *out = malloc((size_t)(rows * columns) * item);
    cr_assert_not_null(out);
    const unsigned char *first = stride < 0 ? in + (span - 1) * item : in;
    k->spread[dtype](out, first, stride, rows, columns);
    for (int64_t i = 0; i < rows * columns; i++)
        cr_assert(memcmp(out + (size_t)i * item, first + i / columns * stride * (int64_t)item, item) == 0,
                  "%s, %s, %lld rows of %lld", k->name, zc_dtype_name(dtype), (long long)rows, (long long)columns);
    free(in);
    free(out);
}

Test(layout, elements_are_spread_over_rows)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("layout/spread");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
            for (int round = 0; round < 200; round++)
                check_spread(tested[t], (zc_dtype)d);
        }
    }
}

Test(layout, elements_are_gathered_by_every_stride)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("layout/gather");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
            for (int round = 0; round < 100; round++)
                check_gather(tested[t], (zc_dtype)d);
        }
    }
}

/* ---- Whole results ---- */

/* Case to compute: x is (planes, rows, columns). */
typedef struct turned {
    zc_dtype dtype;
    int64_t planes, rows, columns;
    int order[3];       /* of x's axes in the result */
    int64_t misaligned; /* elements of the target before the result begins */
    int64_t pitch;      /* more elements between its rows than there are */
} turned;

static int64_t value_of(const void *memory, zc_dtype dtype, int64_t at)
{
    switch (dtype) {
    case ZC_UINT8:
        return ((const uint8_t *)memory)[at];
    case ZC_INT16:
        return ((const int16_t *)memory)[at];
    case ZC_INT32:
        return ((const int32_t *)memory)[at];
    default:
        return ((const int64_t *)memory)[at];
    }
}

/* x permuted, plus, when adds, a tensor of the result's own layout; into memory that is not as aligned as ours. */
static void check_turned(const turned *c, bool adds, int threads)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = threads});
    const int64_t shape[3] = {c->planes, c->rows, c->columns}, size = c->planes * c->rows * c->columns;
    const int64_t strides[3] = {c->rows * c->columns, c->columns, 1};
    const size_t item = zc_dtype_bytes(c->dtype);
    unsigned char *x = random_bytes((size_t)size * item), *y = random_bytes((size_t)size * item);
    int64_t to[3], from[3];
    for (int a = 0; a < 3; a++) {
        to[a] = shape[c->order[a]];
        from[a] = strides[c->order[a]];
    }
    const int64_t pitch = to[2] + c->pitch, out_strides[3] = {to[1] * pitch, pitch, 1};
    const size_t bytes = (size_t)(c->misaligned + to[0] * to[1] * pitch) * item;
    unsigned char *out = malloc(bytes);
    cr_assert_not_null(out);
    memset(out, 0x77, bytes);
    zc_tensor *tx = zc_import(ctx, c->dtype, 3, shape, NULL, 0, x, (size_t)size * item, NULL, NULL);
    zc_tensor *ty = zc_import(ctx, c->dtype, 3, to, NULL, 0, y, (size_t)size * item, NULL, NULL);
    zc_tensor *permuted = zc_permute_dims(tx, 3, c->order), *sum = zc_add(permuted, ty);
    cr_assert_eq(zc_materialize_into(adds ? sum : permuted, out, bytes, out_strides, c->misaligned), ZC_OK, "%s",
                 zc_error_text(ctx));
    const uint64_t mask = item == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * item) - 1;
    for (int64_t i = 0; i < to[0] * to[1] * pitch; i++) {
        int64_t place = i % pitch, row = i / pitch % to[1], plane = i / pitch / to[1];
        uint64_t wanted = UINT64_C(0x7777777777777777);
        if (place < to[2]) {
            wanted = (uint64_t)value_of(x, c->dtype, plane * from[0] + row * from[1] + place * from[2]);
            wanted += adds ? (uint64_t)value_of(y, c->dtype, (plane * to[1] + row) * to[2] + place) : 0;
        }
        uint64_t got = (uint64_t)value_of(out, c->dtype, c->misaligned + i);
        cr_assert_eq(got & mask, wanted & mask, "%s: (%lld, %lld, %lld)", zc_dtype_name(c->dtype), (long long)plane,
                     (long long)row, (long long)place);
    }
    zc_release(sum);
    zc_release(permuted);
    zc_release(ty);
    zc_release(tx);
    zc_context_free(ctx);
    free(x);
    free(y);
    free(out);
}

Test(layout, turned_results_are_right_in_every_shape_alignment_and_size)
{
    zc_skip_of_one_thread();
    static const turned cases[] = {
        {ZC_INT32, 1, 1024, 1280, {0, 2, 1}, 16, 0}, /* whole lines, beside the case that memory begins in one */
        {ZC_INT32, 1, 1031, 1100, {0, 2, 1}, 0, 0},  /* broken lines */
        {ZC_INT32, 1, 1031, 1100, {0, 2, 1}, 5, 3},
        {ZC_INT32, 1, 1280, 1024, {0, 2, 1}, 1, 0},
        {ZC_INT64, 1, 701, 777, {0, 2, 1}, 3, 0},
        {ZC_INT64, 7, 96, 801, {2, 1, 0}, 0, 0},
        {ZC_INT16, 1, 2049, 1100, {0, 2, 1}, 1, 0},
        {ZC_UINT8, 1, 2100, 2113, {0, 2, 1}, 7, 1},
        {ZC_INT32, 33, 190, 180, {2, 1, 0}, 0, 0},
        {ZC_INT32, 33, 190, 180, {1, 2, 0}, 1, 0},
        {ZC_INT32, 3, 1000, 400, {1, 2, 0}, 0, 0},
        {ZC_INT32, 300, 1333, 3, {0, 2, 1}, 0, 0},
        {ZC_INT32, 1, 145, 8191, {0, 2, 1}, 1, 0}, /* the last tile has nothing of its own but its neighbour's rest */
        {ZC_INT32, 1, 129, 8321, {0, 2, 1}, 0, 0},
        {ZC_INT64, 1, 17, 19, {0, 2, 1}, 0, 0},
        {ZC_UINT8, 5, 3, 2, {2, 1, 0}, 0, 0},
        /* Past the caches. */
        {ZC_INT32, 1, 1536, 1536, {0, 2, 1}, 16, 0},
        {ZC_INT32, 1, 1531, 1447, {0, 2, 1}, 0, 0},
        {ZC_INT32, 1, 1031, 2200, {0, 2, 1}, 5, 3},
        {ZC_INT64, 1, 1101, 1009, {0, 2, 1}, 3, 0},
        {ZC_UINT8, 1, 3100, 3113, {0, 2, 1}, 7, 1},
        {ZC_INT32, 1, 290, 8191, {0, 2, 1}, 1, 0},
        {ZC_INT32, 90, 190, 180, {1, 2, 0}, 1, 0},
    };
    zc_random_begin("layout/turned");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (i % 2 == 0 || zc_test_long_stride() == 1)
            check_turned(&cases[i], false, 1 + (int)(i % 2));
        if (i % 2 == 1 || zc_test_long_stride() == 1)
            check_turned(&cases[i], true, 2 - (int)(i % 2));
    }
}

/* True elements of a result are 1, whatever byte says so where they are read. */
Test(layout, turned_bools_are_0_or_1)
{
    enum { ROWS = 2960, COLUMNS = 2930 };
    zc_random_begin("layout/bools");
    zc_context *ctx = zc_context_new(NULL);
    unsigned char *x = random_bytes((size_t)ROWS * COLUMNS), *out = malloc((size_t)ROWS * COLUMNS);
    cr_assert_not_null(out);
    zc_tensor *t =
        zc_import(ctx, ZC_BOOL, 2, (const int64_t[]){ROWS, COLUMNS}, NULL, 0, x, (size_t)ROWS * COLUMNS, NULL, NULL);
    zc_tensor *across = zc_matrix_transpose(t);
    cr_assert_eq(zc_materialize_into(across, out, (size_t)ROWS * COLUMNS, NULL, 0), ZC_OK);
    for (int64_t r = 0; r < ROWS; r++) {
        for (int64_t c = 0; c < COLUMNS; c++)
            cr_assert_eq(out[c * ROWS + r], x[r * COLUMNS + c] != 0);
    }
    zc_release(across);
    zc_release(t);
    zc_context_free(ctx);
    free(x);
    free(out);
}
