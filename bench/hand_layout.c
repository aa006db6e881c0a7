/*
 * Moving elements by hand: copies, fills, transposes.
 */
#include "bench/hand.h"
#include "bench/vector.h"

void hand_copy(const bench_work *w)
{
    memcpy(w->by_hand, w->x, (size_t)w->n * zc_dtype_bytes(w->x_dtype));
}

/* ---- Broadcasts written out ---- */

/* Inlined with `streaming` known, as everything below that takes it. */
static inline __attribute__((always_inline)) void put(float *to, f32v v, bool streaming)
{
    if (streaming)
        stream(to, v);
    else
        store(to, v);
}

static inline __attribute__((always_inline)) void fill(const bench_work *w, bool streaming)
{
    f32v v = all(*(const float *)w->x);
    float *out = w->by_hand;
    for (int64_t i = 0; i < w->n; i += LANES)
        put(out + i, v, streaming);
    stream_end();
}

static inline __attribute__((always_inline)) void repeat_row(const bench_work *w, bool streaming)
{
    int64_t columns = bench_columns(w->n);
    float *out = w->by_hand;
    for (int64_t r = 0; r < w->n; r += columns) {
        for (int64_t i = 0; i < columns; i += LANES)
            put(out + r + i, load((const float *)w->x + i), streaming);
    }
    stream_end();
}

static inline __attribute__((always_inline)) void repeat_column(const bench_work *w, bool streaming)
{
    int64_t columns = bench_columns(w->n);
    float *out = w->by_hand;
    for (int64_t r = 0; r < w->n / columns; r++) {
        f32v v = all(((const float *)w->x)[r]);
        for (int64_t i = 0; i < columns; i += LANES)
            put(out + r * columns + i, v, streaming);
    }
    stream_end();
}

void hand_fill(const bench_work *w)
{
    fill(w, false);
}

void hand_fill_streaming(const bench_work *w)
{
    fill(w, true);
}

void hand_repeat_row(const bench_work *w)
{
    repeat_row(w, false);
}

void hand_repeat_row_streaming(const bench_work *w)
{
    repeat_row(w, true);
}

void hand_repeat_column(const bench_work *w)
{
    repeat_column(w, false);
}

void hand_repeat_column_streaming(const bench_work *w)
{
    repeat_column(w, true);
}

/* ---- Transposes ---- */

#define NAIVE(type, rows, columns)                                                                                     \
    const type *x = w->x;                                                                                              \
    type *out = w->by_hand;                                                                                            \
    for (int64_t i = 0; i < (rows); i++) {                                                                             \
        for (int64_t j = 0; j < (columns); j++)                                                                        \
            out[j * (rows) + i] = x[i * (columns) + j];                                                                \
    }

void hand_transpose(const bench_work *w)
{
    int64_t side = (int64_t)sqrt((double)w->n);
    NAIVE(float, side, side)
}

void hand_transpose_f64(const bench_work *w)
{
    int64_t side = (int64_t)sqrt((double)w->n);
    NAIVE(double, side, side)
}

/* n is r * (r + 18), so neither side is a multiple of a vector. */
void hand_transpose_ragged(const bench_work *w)
{
    int64_t rows = (int64_t)sqrt((double)w->n + 81) - 9, columns = w->n / rows;
    NAIVE(float, rows, columns)
}

/*
 * By tiles of 64 rows through a buffer in the cache, so that several whole lines are streamed out in a row. Squares are
 * turned in registers. An element has `width` lanes; the sides are multiples of a tile's.
 */
static inline __attribute__((always_inline)) void transpose_tiles(const bench_work *w, int width)
{
    enum {
        ROWS = 64,
        COLUMNS = 256,
        PITCH = 2 * ROWS + 16 /* lanes; no power of two: they would share a place in the cache */
    };
    static _Alignas(64) float tile[COLUMNS * PITCH];
    int64_t side = (int64_t)sqrt((double)w->n), square = LANES / width;
    const float *x = w->x;
    float *out = w->by_hand;
    for (int64_t i = 0; i < side; i += ROWS) {
        for (int64_t j = 0; j < side; j += COLUMNS) {
            for (int64_t r = 0; r < ROWS; r += square) {
                for (int64_t c = 0; c < COLUMNS; c += square) {
                    f32v rows[LANES];
#pragma GCC unroll 16
                    for (int64_t k = 0; k < square; k++)
                        rows[k] = load(x + ((i + r + k) * side + j + c) * width);
                    turn(rows, width);
#pragma GCC unroll 16
                    for (int64_t k = 0; k < square; k++)
                        store(tile + (c + k) * PITCH + r * width, rows[k]);
                }
            }
            for (int64_t c = 0; c < COLUMNS; c++) {
                for (int64_t l = 0; l < ROWS * width; l += LANES)
                    stream(out + ((j + c) * side + i) * width + l, load(tile + c * PITCH + l));
            }
        }
    }
    stream_end();
}

void hand_transpose_tiles(const bench_work *w)
{
    transpose_tiles(w, 1);
}

void hand_transpose_f64_tiles(const bench_work *w)
{
    transpose_tiles(w, 2);
}

/* ---- Concat and pad ---- */

/* Two tables of half of n, side by side. */
void hand_concat_columns(const bench_work *w)
{
    int64_t columns = bench_columns(w->n) / 2;
    size_t bytes = (size_t)columns * sizeof(float);
    float *out = w->by_hand;
    for (int64_t r = 0; r < w->n / 2; r += columns) {
        memcpy(out + 2 * r, (const float *)w->x + r, bytes);
        memcpy(out + 2 * r + columns, (const float *)w->y + r, bytes);
    }
}

/* A frame of zeros, one element wide, around a table two rows and two columns smaller than the result. */
void hand_pad(const bench_work *w)
{
    int64_t columns = bench_columns(w->n), rows = w->n / columns, inner = columns - 2;
    size_t bytes = (size_t)columns * sizeof(float);
    float *out = w->by_hand;
    memset(out, 0, bytes);
    for (int64_t r = 1; r < rows - 1; r++) {
        out[r * columns] = 0;
        memcpy(out + r * columns + 1, (const float *)w->x + (r - 1) * inner, (size_t)inner * sizeof(float));
        out[r * columns + columns - 1] = 0;
    }
    memset(out + (rows - 1) * columns, 0, bytes);
}

/* ---- Strides ---- */

void hand_every_second(const bench_work *w)
{
    for (int64_t i = 0; i < w->n / 2; i++)
        ((float *)w->by_hand)[i] = ((const float *)w->x)[2 * i];
}

void hand_reversed(const bench_work *w)
{
    for (int64_t i = 0; i < w->n; i++)
        ((float *)w->by_hand)[i] = ((const float *)w->x)[w->n - 1 - i];
}
