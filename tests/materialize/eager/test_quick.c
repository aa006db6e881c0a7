/*
 * Sorting by dividing: its kernels against qsort(), whole lines against argsort and take, which sort long ones by
 * digits and short ones by words, and against lines that are sorted so although they could be divided; and keys whose
 * samples mislead.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "materialize/sorting/quick.h"
#include "tests/materialize/eager/chosen_table.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { MOST = 600 };

static int compare_32(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int compare_64(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort_as_c_does(void *keys, int64_t n, size_t item)
{
    qsort(keys, (size_t)n, item, item == sizeof(uint64_t) ? compare_64 : compare_32);
}

/* ---- Kernels ---- */

/* Keys with ties, and the largest among them; 7 behind them. */
static void fill_keys(char *keys, int64_t n, size_t item)
{
    const uint64_t few = zc_random_bool() ? 5 : UINT64_MAX;
    memset(keys, 7, (MOST + 1) * sizeof(uint64_t));
    for (int64_t i = 0; i < n; i++) {
        const uint64_t key = zc_random_range(0, 9) == 0 ? UINT64_MAX : zc_random_u64() % few;
        memcpy(keys + (size_t)i * item, &key, item); /* of 32 bits the lower ones, where those come first */
    }
}

static void expect_few(const zc_sort_kernels *k, int64_t n, size_t item)
{
    static char in[(MOST + 1) * sizeof(uint64_t)], out[sizeof in];
    fill_keys(in, n, item);
    memset(out, 7, sizeof out);
    k->few(out, in, n);
    sort_as_c_does(in, n, item);
    cr_assert_arr_eq(out, in, sizeof out, "%ld keys of %zu bytes", (long)n, item);
}

static void expect_divided(const zc_sort_kernels *k, int64_t n, size_t item)
{
    static char in[(MOST + 1) * sizeof(uint64_t)], out[sizeof in];
    fill_keys(in, n, item);
    memset(out, 7, sizeof out);
    const char *pivot = in + (size_t)zc_random_range(0, n - 1) * item;
    const int64_t below = k->divide(out, in, n, pivot);
    for (int64_t i = 0; i < n; i++) {
        const char *key = out + (size_t)i * item;
        const int order = item == sizeof(uint64_t) ? compare_64(key, pivot) : compare_32(key, pivot);
        cr_assert((order < 0) == (i < below), "%ld keys of %zu bytes: key %ld", (long)n, item, (long)i);
    }
    sort_as_c_does(in, n, item);
    sort_as_c_does(out, n, item);
    cr_assert_arr_eq(out, in, sizeof out, "%ld keys of %zu bytes", (long)n, item);
}

Test(quick, kernels_sort_few_keys_and_divide_many)
{
    zc_random_begin("quick/kernels");
    const zc_kernels *tables[MOST_TABLES];
    for (int t = list_tables(tables) - 1; t >= 0; t--) {
        for (size_t width = 0; width < 2; width++) {
            const zc_sort_kernels *k = &tables[t]->sort[width];
            for (int64_t n = 0; n <= k->most && k->most > 0; n++)
                expect_few(k, n, (size_t)4 << width);
            for (int64_t n = 1; n <= MOST && k->most > 0; n++)
                expect_divided(k, n, (size_t)4 << width);
        }
    }
}

/* ---- Lines ---- */

enum { LINE = 20000, PATTERNS = 9 };

/* Whole numbers, which every dtype holds, but for patterns 7 and 8. */
static double element_of(int pattern, int64_t i, int64_t n)
{
    const double any = (double)zc_random_range(-(1 << 24), 1 << 24);
    switch (pattern) {
    case 0:
        return any;
    case 1:
        return (double)i - 100;
    case 2:
        return (double)(n - i);
    case 3:
        return 7;
    case 4:
        return (double)zc_random_range(1, 3);
    case 5:
        return (double)(i < n / 2 ? i : n - i) + 1;
    case 6: /* nearly all are the least */
        return zc_random_range(0, 50) == 0 ? fabs(any) + 2 : 1;
    case 7: /* what is equal has other bits */
        return zc_random_range(0, 9) > 0 ? any : zc_random_bool() ? -0.0 : 0.0;
    default:
        return zc_random_range(0, 9) > 0 ? any / 3 : copysign((double)NAN, zc_random_bool() ? 1 : -1);
    }
}

static bool divides = true;

zc_quick __real_zc_quick_sort(zc_line *line, size_t item, const zc_key_bits *bits);
zc_quick __wrap_zc_quick_sort(zc_line *line, size_t item, const zc_key_bits *bits);
zc_quick __wrap_zc_quick_sort(zc_line *line, size_t item, const zc_key_bits *bits)
{
    return divides ? __real_zc_quick_sort(line, item, bits) : ZC_QUICK_NOT_TAKEN;
}

static zc_tensor *sort_line(const zc_tensor *x, bool descending, bool is_divided)
{
    zc_tensor *sorted = NULL;
    divides = is_divided;
    cr_assert_eq(zc_sort(x, 0, descending, &sorted), ZC_OK, "%s", zc_error_text(zc_context_of(x)));
    divides = true;
    return sorted;
}

static void expect_sorted(zc_context *ctx, zc_dtype dtype, int pattern, int64_t n)
{
    static double numbers[LINE];
    const bool descending = zc_random_bool();
    for (int64_t i = 0; i < n; i++)
        numbers[i] = element_of(pattern, i, n);
    zc_tensor *all = zc_from_data(ctx, ZC_FLOAT64, 1, &n, numbers, (size_t)n * sizeof *numbers), *order, *taken;
    zc_tensor *x = zc_slice(zc_astype(all, dtype), 0, ZC_NONE, ZC_NONE, zc_random_bool() ? 1 : -1);
    const zc_tensor *sorted = sort_line(x, descending, true), *by_digits = sort_line(x, descending, false);
    cr_assert_eq(zc_argsort(x, 0, descending, &order), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_materialize(zc_take(x, order, 0), &taken), ZC_OK, "%s", zc_error_text(ctx));
    const size_t bytes = (size_t)n * zc_dtype_bytes(dtype);
    cr_assert_arr_eq(zc_data(sorted), zc_data(taken), bytes, "%s, pattern %d, %ld elements", zc_dtype_name(dtype),
                     pattern, (long)n);
    cr_assert_arr_eq(zc_data(sorted), zc_data(by_digits), bytes, "%s, pattern %d, %ld elements by digits",
                     zc_dtype_name(dtype), pattern, (long)n);
}

Test(quick, lines_are_what_argsort_takes)
{
    static const zc_dtype dtypes[] = {ZC_INT32, ZC_INT64, ZC_UINT32, ZC_UINT64, ZC_FLOAT32, ZC_FLOAT64};
    zc_random_begin("quick/lines");
    const zc_kernels *tables[MOST_TABLES];
    const int count = list_tables(tables);
    for (int round = 0; round < zc_test_count(24 * PATTERNS); round++) {
        zc_chosen_table = tables[zc_random_range(0, count - 1)];
        zc_context *ctx = zc_context_new(NULL);
        zc_scope *scope = zc_scope_begin(ctx);
        const int64_t n = zc_random_bool() ? zc_random_range(1, 200) : zc_random_range(200, LINE);
        expect_sorted(ctx, dtypes[round % 6], round / 6 % PATTERNS, n);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
    zc_chosen_table = NULL;
}

/* ---- Keys that mislead ---- */

enum { SAMPLES = 16, LEVELS = 90 };

/* Turns the sampled ones of numbers that are in the order of their places into the least, one division after the other:
 * each takes few keys away. Their places say which number has become which. */
static void mislead(const zc_sort_kernels *k, uint32_t *numbers)
{
    static uint32_t parts[2][LINE];
    uint32_t least = 0;
    for (uint32_t i = 0; i < LINE; i++)
        numbers[i] = parts[0][i] = LINE * SAMPLES + i;
    int64_t first = 0;
    for (int level = 0; level < LEVELS; level++) {
        uint32_t *here = parts[level % 2] + first, samples[SAMPLES];
        const int64_t n = LINE - first, step = n / SAMPLES;
        for (int i = 0; i < SAMPLES; i++) {
            uint32_t *at = &here[i * step + step / 2];
            if (*at >= LINE * SAMPLES) {
                numbers[*at - LINE * SAMPLES] = least;
                *at = least++;
            }
            samples[i] = *at;
        }
        sort_as_c_does(samples, SAMPLES, sizeof *samples);
        first += k->divide(parts[(level + 1) % 2] + first, here, n, &samples[SAMPLES / 2]);
    }
    cr_assert(first < LEVELS * SAMPLES);
}

Test(quick, keys_that_mislead_are_sorted_soon)
{
    static uint32_t numbers[LINE], wanted[LINE];
    const zc_sort_kernels *k = &zc_kernels_best()->sort[0];
    const int64_t n = LINE;
    if (k->most == 0)
        return;
    mislead(k, numbers);
    memcpy(wanted, numbers, sizeof wanted);
    sort_as_c_does(wanted, n, sizeof *wanted);
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_from_data(ctx, ZC_UINT32, 1, &n, numbers, sizeof numbers), *sorted;
    cr_assert_eq(zc_sort(x, 0, false, &sorted), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_arr_eq(zc_data(sorted), wanted, sizeof wanted);
    zc_scope_end(scope);
    zc_context_free(ctx);
}
