/*
 * What sorting a million elements takes, next to qsort() with a comparison of the same elements, in one interleaved run
 * on one thread.
 *
 * usage: sorting [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zerocast.h>

#include "bench/timing.h"

enum { ELEMENTS = 1000000, MOST_ROUNDS = 101 };

static float floats[ELEMENTS];
static int64_t integers[ELEMENTS];
static char copy[ELEMENTS * sizeof(int64_t)];

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static int compare_integers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Any numbers: a generator of 64 bits that steps and mixes. */
static void fill(void)
{
    uint64_t state = 1;
    for (int i = 0; i < ELEMENTS; i++) {
        uint64_t mixed = state += UINT64_C(0x9e3779b97f4a7c15);
        mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
        mixed ^= mixed >> 32;
        integers[i] = (int64_t)mixed;
        floats[i] = (float)integers[i] * 0x1p-63f;
    }
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compare_doubles);
    return 1e3 * times[count / 2];
}

typedef int comparison(const void *a, const void *b);

/* Medians in milliseconds; false when a call failed or the results differ. */
static bool time_dtype(zc_context *ctx, zc_dtype dtype, const void *data, comparison *compare, int rounds)
{
    double sort[MOST_ROUNDS], argsort[MOST_ROUNDS], library[MOST_ROUNDS];
    const int64_t n = ELEMENTS;
    size_t item = zc_dtype_bytes(dtype), bytes = ELEMENTS * item;
    zc_tensor *x = zc_import(ctx, dtype, 1, &n, NULL, 0, data, bytes, NULL, NULL), *sorted = NULL, *index = NULL;
    bool ok = x != NULL;
    for (int i = 0; i < rounds && ok; i++) {
        double start = seconds();
        ok = zc_sort(x, 0, false, &sorted) == ZC_OK;
        double middle = seconds();
        ok = zc_argsort(x, 0, false, &index) == ZC_OK && ok;
        double end = seconds();
        memcpy(copy, data, bytes);
        double begun = seconds();
        qsort(copy, ELEMENTS, item, compare);
        library[i] = seconds() - begun;
        sort[i] = middle - start;
        argsort[i] = end - middle;
        ok = ok && memcmp(copy, zc_data(sorted), bytes) == 0;
        zc_release(sorted);
        zc_release(index);
    }
    zc_release(x);
    double of_sort = median(sort, rounds), of_argsort = median(argsort, rounds), of_qsort = median(library, rounds);
    if (ok)
        printf("%-8s %8.2f %8.2f %8.2f %7.3f\n", zc_dtype_name(dtype), of_sort, of_argsort, of_qsort,
               of_sort / of_qsort);
    return ok;
}

int main(int argc, char **argv)
{
    long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 7;
    int rounds = wanted < 1 ? 1 : wanted > MOST_ROUNDS ? MOST_ROUNDS : (int)wanted;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    fill();
    printf("ms for %d elements, 1 thread, medians of %d rounds\n%-8s %8s %8s %8s %7s\n", ELEMENTS, rounds, "dtype",
           "sort", "argsort", "qsort", "ratio");
    bool ok = ctx != NULL && time_dtype(ctx, ZC_FLOAT32, floats, compare_floats, rounds) &&
              time_dtype(ctx, ZC_INT64, integers, compare_integers, rounds);
    if (!ok)
        fprintf(stderr, "sorting: %s\n", ctx == NULL ? "no context" : zc_error_text(ctx));
    zc_context_free(ctx);
    return ok ? 0 : 1;
}
