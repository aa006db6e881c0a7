/*
 * The reducer against the numerics contract as docs/numerics.md states it: lanes, sum blocks, and blocks combined
 * pairwise, whatever pieces the elements come in.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "materialize/execute/reducer.h"
#include "runtime/memory/heap.h"
#include "tests/materialize/kernels/tables.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "views/shape.h"

enum { MOST = 40 * ZC_LEAF };

/* ---- The contract, in as few words as it takes ---- */

static float sum_block(const float *x, int64_t n)
{
    float lanes[ZC_LANES];
    for (int l = 0; l < ZC_LANES; l++)
        lanes[l] = -0.0f;
    for (int64_t i = 0; i < n; i++)
        lanes[i % ZC_LANES] += x[i];
    for (int half = ZC_LANES / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; l++)
            lanes[l] += lanes[l + half];
    }
    return lanes[0];
}

/* recursion: as deep as the blocks' number has digits */
static float sum_of(const float *x, int64_t n)
{
    int64_t blocks = (n + ZC_LEAF - 1) / ZC_LEAF, left = 1;
    if (blocks == 1)
        return sum_block(x, n);
    while (2 * left < blocks)
        left *= 2;
    return sum_of(x, left * ZC_LEAF) + sum_of(x + left * ZC_LEAF, n - left * ZC_LEAF);
}

/* ---- The reducer ---- */

typedef struct fixture {
    zc_reducer reducer;
    void *memory;
    float *x;
} fixture;

static fixture begin(const zc_kernels *kernels, zc_reduction reduction, int64_t columns, int64_t count)
{
    fixture f = {.memory = aligned_alloc(64, zc_align_data(zc_reducer_bytes(reduction, ZC_FLOAT32, columns, count))),
                 .x = malloc((size_t)(columns * count) * sizeof(float))};
    for (int64_t i = 0; i < columns * count; i++)
        f.x[i] = (float)((zc_random_double() - 0.5) * (i % 7 == 0 ? 1e6 : 1));
    zc_reducer_init(&f.reducer, kernels, reduction, ZC_FLOAT32, columns, count, f.memory);
    return f;
}

static void finish(fixture f)
{
    free(f.memory);
    free(f.x);
}

/* Reduces n elements in runs of random lengths. */
static void reduce_runs(fixture *f, int64_t n, void *out)
{
    zc_reducer_begin(&f->reducer, 1, 0);
    for (int64_t at = 0, length; at < n; at += length) {
        length = zc_random_range(1, n - at);
        zc_reducer_run(&f->reducer, f->x + at, length);
    }
    zc_reducer_end(&f->reducer, out, NULL);
}

/* Reduces them in groups of 2^k blocks, each alone, as threads share them, and joins these into the first of `groups`.
 * Returns the length of a group. */
static int64_t reduce_groups(fixture *f, int64_t n, char *groups)
{
    const int64_t length = ZC_LEAF << zc_random_range(0, 3), count = (n + length - 1) / length;
    for (int64_t g = 0; g < count; g++) {
        zc_reducer_begin(&f->reducer, 1, g * length);
        zc_reducer_run(&f->reducer, f->x + g * length, zc_smaller(length, n - g * length));
        zc_reducer_end(&f->reducer, groups + (size_t)g * f->reducer.item, NULL);
    }
    zc_reducer_groups(&f->reducer, groups, NULL, count, 1);
    return length;
}

static void check_runs(const zc_kernels *kernels, int64_t n)
{
    fixture f = begin(kernels, ZC_REDUCTION_SUM, 1, n);
    float sum;
    reduce_runs(&f, n, &sum);
    cr_expect_eq(sum, sum_of(f.x, n), "%s: %ld elements in runs", kernels->name, (long)n);
    finish(f);
}

/* Rows come in tiles; those of the tile executor are powers of two. */
static void check_columns(const zc_kernels *kernels, int64_t columns, int64_t n)
{
    fixture f = begin(kernels, ZC_REDUCTION_SUM, columns, n);
    float *sums = malloc((size_t)columns * sizeof *sums), *column = malloc((size_t)n * sizeof *column);
    const int64_t rows = INT64_C(1) << zc_random_range(0, 7), pitch = columns * (int64_t)sizeof(float);
    zc_reducer_begin(&f.reducer, columns, 0);
    for (int64_t at = 0; at < n; at += rows)
        zc_reducer_rows(&f.reducer, f.x + at * columns, pitch, zc_smaller(rows, n - at));
    zc_reducer_end(&f.reducer, sums, NULL);
    for (int64_t c = 0; c < columns; c++) {
        for (int64_t r = 0; r < n; r++)
            column[r] = f.x[r * columns + c];
        cr_expect_eq(sums[c], sum_of(column, n), "%s: column %ld of %ld rows", kernels->name, (long)c, (long)n);
    }
    free(sums);
    free(column);
    finish(f);
}

static void check_groups(const zc_kernels *kernels, int64_t n)
{
    fixture f = begin(kernels, ZC_REDUCTION_SUM, 1, n);
    float *sums = malloc((size_t)n * sizeof *sums);
    const int64_t length = reduce_groups(&f, n, (char *)sums);
    cr_expect_eq(sums[0], sum_of(f.x, n), "%s: %ld elements in groups of %ld", kernels->name, (long)n, (long)length);
    free(sums);
    finish(f);
}

Test(reducer, sums_as_the_contract_says_in_whatever_pieces)
{
    const zc_kernels *tables[MOST_TABLES];
    const int count = list_tables(tables);
    zc_random_begin("reducer");
    for (int t = 0; t < count; t++) {
        for (int i = 0; i < zc_test_count(60); i++) {
            int64_t n = zc_random_range(1, i % 3 == 0 ? 3 * ZC_LEAF : MOST);
            check_runs(tables[t], n);
            check_groups(tables[t], n);
            check_columns(tables[t], zc_random_range(1, 40), zc_random_range(1, 3 * ZC_LEAF));
        }
    }
}

/* logsumexp in pieces of every kind: the same log sum, and its value that of long doubles. */
static void check_log_sums(const zc_kernels *kernels, int64_t n)
{
    fixture f = begin(kernels, ZC_REDUCTION_LOGSUMEXP, 1, n);
    float whole[2], pieces[2], column[2], *groups = malloc((size_t)n * sizeof whole);
    long double sum = 0, most = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        f.x[i] = (float)(100 * zc_random_double());
        most = f.x[i] > most ? f.x[i] : most;
    }
    for (int64_t i = 0; i < n; i++)
        sum += expl(f.x[i] - most);
    zc_reducer_begin(&f.reducer, 1, 0);
    zc_reducer_run(&f.reducer, f.x, n);
    zc_reducer_end(&f.reducer, whole, NULL);
    cr_expect(whole[0] == (float)most && fabsl(whole[1] - sum) <= 1e-6L * sum, "%s: %ld elements: %g, %.9g for %.9Lg",
              kernels->name, (long)n, (double)whole[0], (double)whole[1], sum);
    reduce_runs(&f, n, pieces);
    zc_reducer_begin(&f.reducer, 1, 0);
    for (int64_t at = 0, rows; at < n; at += rows) {
        rows = zc_smaller(INT64_C(1) << zc_random_range(0, 7), n - at);
        zc_reducer_rows(&f.reducer, f.x + at, sizeof(float), rows);
    }
    zc_reducer_end(&f.reducer, column, NULL);
    (void)reduce_groups(&f, n, (char *)groups);
    cr_expect_arr_eq(pieces, whole, sizeof whole, "%s: %ld elements in runs", kernels->name, (long)n);
    cr_expect_arr_eq(column, whole, sizeof whole, "%s: %ld elements as a column", kernels->name, (long)n);
    cr_expect_arr_eq(groups, whole, sizeof whole, "%s: %ld elements in groups", kernels->name, (long)n);
    free(groups);
    finish(f);
}

Test(reducer, log_sums_are_the_same_in_whatever_pieces)
{
    const zc_kernels *tables[MOST_TABLES];
    const int count = list_tables(tables);
    zc_random_begin("reducer/log sums");
    for (int t = 0; t < count; t++) {
        for (int i = 0; i < zc_test_count(40); i++)
            check_log_sums(tables[t], zc_random_range(1, i % 2 == 0 ? 3 * ZC_LEAF : MOST));
    }
}

/* The number of the first extreme, which a NaN is. */
Test(reducer, keeps_the_first_extreme_and_its_number)
{
    zc_random_begin("reducer/extremes");
    for (int i = 0; i < zc_test_count(200); i++) {
        const int64_t n = zc_random_range(1, 4000);
        fixture f = begin(zc_kernels_best(), ZC_REDUCTION_ARGMAX, 1, n);
        int64_t best = 0, number;
        float extreme;
        for (int64_t k = 0; k < n; k++)
            f.x[k] = (float)zc_random_range(0, 20);
        if (i % 4 == 0)
            f.x[zc_random_range(0, n - 1)] = NAN;
        for (int64_t k = 1; k < n && f.x[best] == f.x[best]; k++)
            best = f.x[k] > f.x[best] || f.x[k] != f.x[k] ? k : best;
        zc_reducer_begin(&f.reducer, 1, 0);
        for (int64_t at = 0, length; at < n; at += length) {
            length = zc_random_range(1, n - at);
            zc_reducer_run(&f.reducer, f.x + at, length);
        }
        zc_reducer_end(&f.reducer, &extreme, &number);
        cr_expect_eq(number, best);
        finish(f);
    }
}
