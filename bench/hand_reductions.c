/*
 * Reductions by hand: vectors of partial sums, and for distances a block of eight rows in registers.
 */
#include "bench/hand.h"
#include "bench/vector.h"

enum { BLOCK = 8, AT_ONCE = 8 };

/* ---- Sums ---- */

/* One stream through memory, and enough partial sums to hide how long an addition takes. n is a multiple of 16. */
static float sum_of(const float *x, int64_t n)
{
    f32v sums[AT_ONCE] = {{0}};
    int64_t i = 0;
    for (; i + AT_ONCE * LANES <= n; i += AT_ONCE * LANES) {
        for (int k = 0; k < AT_ONCE; k++)
            sums[k] += load(x + i + k * LANES);
    }
    for (; i < n; i += LANES)
        sums[0] += load(x + i);
    for (int half = AT_ONCE / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; k++)
            sums[k] += sums[k + half];
    }
    return sum_of_lanes(sums[0]);
}

void hand_sum(const bench_work *w)
{
    *(float *)w->by_hand = sum_of(w->x, w->n);
}

/* Rows added to a row, which stays in the first-level cache; four at once, so that it is loaded less often. */
static void add_rows(const float *x, int64_t rows, int64_t columns, float *out)
{
    memset(out, 0, (size_t)columns * sizeof *out);
    for (const float *end = x + rows * columns; x < end; x += 4 * columns) {
        for (int64_t i = 0; i < columns; i += LANES) {
            f32v two = load(x + i) + load(x + columns + i);
            f32v more = load(x + 2 * columns + i) + load(x + 3 * columns + i);
            store(out + i, load(out + i) + (two + more));
        }
    }
}

void hand_sum_first(const bench_work *w)
{
    int64_t columns = bench_columns(w->n);
    add_rows(w->x, w->n / columns, columns, w->by_hand);
}

/* Rows of 256 are short enough to be added up in registers, in one stream through memory. */
void hand_sum_middle(const bench_work *w)
{
    enum { ROWS = 256, COLUMNS = 256, VECTORS = COLUMNS / LANES };
    const float *x = w->x;
    for (float *out = w->by_hand; x < (const float *)w->x + w->n; out += COLUMNS) {
        f32v sums[VECTORS] = {{0}};
        for (int r = 0; r < ROWS; r++, x += COLUMNS) {
#pragma GCC unroll 64
            for (int k = 0; k < VECTORS; k++)
                sums[k] += load(x + k * LANES);
        }
#pragma GCC unroll 64
        for (int k = 0; k < VECTORS; k++)
            store(out + k * LANES, sums[k]);
    }
}

void hand_sum_last(const bench_work *w)
{
    int64_t columns = bench_columns(w->n);
    for (int64_t r = 0; r < w->n / columns; r++)
        ((float *)w->by_hand)[r] = sum_of((const float *)w->x + r * columns, columns);
}

/* ---- What is left to do for a row that is repeated 10^6 times ---- */

void hand_sum_of_rows(const bench_work *w)
{
    for (int64_t i = 0; i < w->n; i += LANES)
        store((float *)w->by_hand + i, load((const float *)w->x + i) * all(1e6f));
}

void hand_mean_of_rows(const bench_work *w)
{
    memcpy(w->by_hand, w->x, (size_t)w->n * sizeof(float));
}

void hand_max_of_rows(const bench_work *w)
{
    memcpy(w->by_hand, w->x, (size_t)w->n * sizeof(float));
}

void hand_prod_of_rows(const bench_work *w)
{
    for (int64_t i = 0; i < w->n; i++)
        ((float *)w->by_hand)[i] = powf(((const float *)w->x)[i], 1e6f);
}

void hand_sum_of_exp(const bench_work *w)
{
    f32v sums = {0};
    for (int64_t i = 0; i < w->n; i += LANES)
        sums += exponential(load((const float *)w->x + i));
    *(float *)w->by_hand = 1e6f * sum_of_lanes(sums);
}

/* ---- Softmax of rows: the largest, then exp and sum, then the quotient, while the row is in the cache ---- */

void hand_softmax(const bench_work *w)
{
    int64_t columns = bench_columns(w->n);
    for (int64_t r = 0; r < w->n / columns; r++) {
        const float *x = (const float *)w->x + r * columns;
        float *out = (float *)w->by_hand + r * columns;
        f32v most = load(x), sums = {0};
        for (int64_t i = LANES; i < columns; i += LANES)
            most = larger(most, load(x + i));
        float top = most[0];
        for (int l = 1; l < LANES; l++)
            top = most[l] > top ? most[l] : top;
        for (int64_t i = 0; i < columns; i += LANES) {
            f32v e = exponential(load(x + i) - all(top));
            sums += e;
            store(out + i, e);
        }
        f32v factor = all(1 / sum_of_lanes(sums));
        for (int64_t i = 0; i < columns; i += LANES)
            store(out + i, load(out + i) * factor);
    }
}

/* ---- Squared distances between all rows of a (rows, depth) table, n is rows * rows ---- */

/* By columns, so that a vector holds one coordinate of LANES rows; y has room for it and is not read by these cases. */
static inline __attribute__((always_inline)) void distances(const bench_work *w, int64_t depth)
{
    bool streaming = w->n > 4 * MI; /* the result is larger than any cache */
    int64_t rows = (int64_t)sqrt((double)w->n);
    const float *x = w->x;
    float *by_column = w->y, *out = w->by_hand;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t k = 0; k < depth; k++)
            by_column[k * rows + r] = x[r * depth + k];
    }
    for (int64_t i = 0; i < rows; i += BLOCK) {
        for (int64_t j = 0; j < rows; j += LANES) {
            f32v sums[BLOCK] = {{0}};
            for (int64_t k = 0; k < depth; k++) {
                f32v right = load(by_column + k * rows + j);
                for (int b = 0; b < BLOCK; b++) {
                    f32v d = all(x[(i + b) * depth + k]) - right;
                    sums[b] = fused(d, d, sums[b]);
                }
            }
            for (int b = 0; b < BLOCK; b++) {
                if (streaming)
                    stream(out + (i + b) * rows + j, sums[b]);
                else
                    store(out + (i + b) * rows + j, sums[b]);
            }
        }
    }
    stream_end();
}

void hand_distances8(const bench_work *w)
{
    distances(w, 8);
}

void hand_distances16(const bench_work *w)
{
    distances(w, 16);
}

void hand_distances64(const bench_work *w)
{
    distances(w, 64);
}
