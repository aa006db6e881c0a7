/*
 * Whole lines against qsort() over the definition of the order, with the places of equal elements: every length up to
 * 300, and long lines that threads share; random bits, order that misleads, few different elements, and what floats
 * have beside numbers. Of every table of kernels.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/materialize/eager/chosen_table.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { SHORT = 300, LONG = 150000, VERY_LONG = 1 << 20 };

static const zc_dtype dtypes[] = {ZC_FLOAT32, ZC_FLOAT64, ZC_INT32, ZC_INT64, ZC_UINT32, ZC_UINT64};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* ---- The order ---- */

/* An element, and where it stood. Ascending by `kind` (1 for a NaN), then by value. */
typedef struct numbered {
    uint64_t bits;
    int64_t index;
    int kind;
    double real;
    int64_t whole;
    uint64_t natural;
    int sign; /* -1: descending */
} numbered;

static numbered number_of(zc_dtype dtype, uint64_t bits, int64_t index, bool descending)
{
    numbered n = {.bits = bits, .index = index, .sign = descending ? -1 : 1};
    float narrow;
    const uint32_t low = (uint32_t)bits;
    if (dtype == ZC_FLOAT32) {
        memcpy(&narrow, &low, sizeof narrow);
        n.real = (double)narrow;
    } else if (dtype == ZC_FLOAT64) {
        memcpy(&n.real, &bits, sizeof n.real);
    } else if (dtype == ZC_INT32) {
        n.whole = (int32_t)low;
    } else if (dtype == ZC_INT64) {
        n.whole = (int64_t)bits;
    } else {
        n.natural = bits;
    }
    n.kind = n.real != n.real;
    n.real = n.kind == 1 ? 0 : n.real;
    return n;
}

static int compare_numbered(const void *left, const void *right)
{
    const numbered *a = left, *b = right;
    int order = a->kind - b->kind;
    order = order != 0 ? order : (a->real > b->real) - (a->real < b->real);
    order = order != 0 ? order : (a->whole > b->whole) - (a->whole < b->whole);
    order = order != 0 ? order : (a->natural > b->natural) - (a->natural < b->natural);
    return order != 0 ? a->sign * order : (a->index > b->index) - (a->index < b->index);
}

/* ---- Elements ---- */

typedef enum pattern {
    ANY_BITS,
    NUMBERS,
    SORTED,
    REVERSED,
    ORGAN_PIPES,
    FEW_DIFFERENT,
    ALL_EQUAL,
    MOSTLY_LEAST,
    MOSTLY_MOST,
    SPECIAL,
    PATTERNS
} pattern;

static uint64_t bits_of_number(zc_dtype dtype, int64_t number)
{
    const double wide = (double)number;
    const float narrow = (float)number;
    uint64_t bits = (uint64_t)number;
    uint32_t low;
    if (dtype == ZC_FLOAT64)
        memcpy(&bits, &wide, sizeof bits);
    if (dtype == ZC_FLOAT32) {
        memcpy(&low, &narrow, sizeof low);
        bits = low;
    }
    return bits;
}

/* Zeros, infinities, NaNs with payloads, the smallest subnormal: with either sign; of integers such bits, too. */
static uint64_t special_bits(zc_dtype dtype)
{
    const bool is_wide = zc_dtype_bytes(dtype) == sizeof(uint64_t);
    const uint64_t sign = (uint64_t)zc_random_bool() << (is_wide ? 63 : 31);
    const uint64_t infinity = is_wide ? UINT64_C(0x7ff0000000000000) : UINT64_C(0x7f800000);
    const uint64_t kinds[] = {0, infinity, infinity + (uint64_t)zc_random_range(1, 9), 1, infinity / 2};
    return sign | kinds[zc_random_range(0, 4)];
}

static uint64_t element_of(zc_dtype dtype, pattern p, int64_t i, int64_t n)
{
    const int64_t any = zc_random_range(-(1 << 23), 1 << 23);
    switch (p) {
    case ANY_BITS:
        return zc_random_u64();
    case SORTED:
        return bits_of_number(dtype, i - n / 2);
    case REVERSED:
        return bits_of_number(dtype, n / 2 - i);
    case ORGAN_PIPES:
        return bits_of_number(dtype, i < n / 2 ? i : n - i);
    case FEW_DIFFERENT:
        return bits_of_number(dtype, any % 4);
    case ALL_EQUAL:
        return bits_of_number(dtype, 7);
    case MOSTLY_LEAST:
        return bits_of_number(dtype, zc_random_range(0, 30) == 0 ? any : -(1 << 24));
    case MOSTLY_MOST:
        return bits_of_number(dtype, zc_random_range(0, 30) == 0 ? any : 1 << 24);
    case SPECIAL:
        return zc_random_range(0, 20) > 0 ? bits_of_number(dtype, any % 100) : special_bits(dtype);
    default:
        return bits_of_number(dtype, any);
    }
}

/* A line of a pattern, and its elements in order. */
static void draw_line(zc_dtype dtype, pattern p, int64_t n, bool descending, char *line, numbered *sorted)
{
    const size_t item = zc_dtype_bytes(dtype);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t bits = element_of(dtype, p, i, n);
        const uint32_t low = (uint32_t)bits;
        memcpy(line + (size_t)i * item, item == sizeof low ? (const void *)&low : &bits, item);
        sorted[i] = number_of(dtype, item == sizeof low ? low : bits, i, descending);
    }
    qsort(sorted, (size_t)n, sizeof *sorted, compare_numbered);
}

/* Lines of n elements, one after the other. */
static void check(zc_context *ctx, zc_dtype dtype, pattern p, int64_t lines, int64_t n)
{
    const size_t item = zc_dtype_bytes(dtype), bytes = (size_t)(lines * n) * item;
    const bool descending = zc_random_bool();
    char *data = calloc(bytes + 1, 1), *wanted = calloc(bytes + 1, 1);
    numbered *numbers = calloc((size_t)n + 1, sizeof *numbers);
    zc_tensor *sorted = NULL;
    for (int64_t line = 0; line < lines; line++) {
        char *from = data + (size_t)(line * n) * item, *to = wanted + (size_t)(line * n) * item;
        draw_line(dtype, p, n, descending, from, numbers);
        for (int64_t i = 0; i < n; i++)
            memcpy(to + (size_t)i * item, from + (size_t)numbers[i].index * item, item);
    }
    zc_tensor *x = zc_from_data(ctx, dtype, 2, (const int64_t[]){lines, n}, data, bytes);
    cr_assert_eq(zc_sort(x, 1, descending, &sorted), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert(n == 0 || memcmp(zc_data(sorted), wanted, bytes) == 0, "%s, pattern %d, %ld lines of %ld, %s",
              zc_dtype_name(dtype), (int)p, (long)lines, (long)n, zc_chosen_table->name);
    zc_release(sorted);
    zc_release(x);
    free(numbers);
    free(wanted);
    free(data);
}

static void check_lines(int threads, int64_t first, int64_t end, int64_t step)
{
    const zc_kernels *tables[MOST_TABLES];
    zc_context *ctx = zc_context_new(&(zc_options){.threads = threads});
    for (int t = list_tables(tables) - 1; t >= 0; t--) {
        zc_chosen_table = tables[t];
        for (int64_t n = first; n < end; n += step) {
            for (int p = 0; p < PATTERNS; p++)
                check(ctx, dtypes[(n + p) % DTYPES], (pattern)p, 1, n);
        }
    }
    zc_chosen_table = NULL;
    zc_context_free(ctx);
}

/* Some rows have what kernels leave. */
Test(sorted_lines, rows)
{
    zc_random_begin("sorted_lines/rows");
    const zc_kernels *tables[MOST_TABLES];
    const int count = list_tables(tables);
    for (int round = 0; round < zc_test_count(600); round++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = (int)zc_random_range(1, 3)});
        const int64_t n = zc_random_range(1, zc_random_bool() ? 20 : 80);
        zc_chosen_table = tables[zc_random_range(0, count - 1)];
        check(ctx, dtypes[round % DTYPES], (pattern)zc_random_range(0, PATTERNS - 1), zc_random_range(1, 700 / n + 1),
              n);
        zc_context_free(ctx);
    }
    zc_chosen_table = NULL;
}

/* The best of a long line, and where they stood. */
static void check_best(zc_context *ctx, zc_dtype dtype, pattern p, int64_t n, int64_t kept)
{
    const size_t item = zc_dtype_bytes(dtype);
    const bool largest = zc_random_bool();
    char *data = calloc((size_t)n, item);
    numbered *numbers = calloc((size_t)n, sizeof *numbers);
    zc_tensor *made[2] = {NULL}, *out[2] = {NULL};
    draw_line(dtype, p, n, largest, data, numbers);
    zc_tensor *x = zc_from_data(ctx, dtype, 1, &n, data, (size_t)n * item);
    cr_assert_eq(zc_top_k(x, kept, 0, largest, &made[0], &made[1]), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_materialize_all(2, (const zc_tensor *const *)made, out), ZC_OK, "%s", zc_error_text(ctx));
    for (int64_t i = 0; i < kept; i++) {
        const char *wanted = data + (size_t)numbers[i].index * item,
                   *got = (const char *)zc_data(out[0]) + (size_t)i * item;
        cr_assert(((const int64_t *)zc_data(out[1]))[i] == numbers[i].index && memcmp(got, wanted, item) == 0,
                  "%s, pattern %d, number %ld of %ld of %ld, %s", zc_dtype_name(dtype), (int)p, (long)i, (long)kept,
                  (long)n, zc_chosen_table->name);
    }
    for (int i = 0; i < 2; i++) {
        zc_release(made[i]);
        zc_release(out[i]);
    }
    zc_release(x);
    free(numbers);
    free(data);
}

Test(sorted_lines, best)
{
    zc_random_begin("sorted_lines/best");
    const zc_kernels *tables[MOST_TABLES];
    const int count = list_tables(tables);
    zc_context *ctx = zc_context_new(NULL);
    for (int round = 0; round < zc_test_count(400); round++) {
        const int64_t n = zc_random_range(1, 9000), kept = zc_random_range(1, zc_random_range(1, n / 6 + 1));
        zc_chosen_table = tables[zc_random_range(0, count - 1)];
        check_best(ctx, dtypes[round % DTYPES], (pattern)(round / DTYPES % PATTERNS), n, kept);
    }
    zc_chosen_table = NULL;
    zc_context_free(ctx);
}

Test(sorted_lines, short_ones)
{
    zc_random_begin("sorted_lines/short");
    for (int round = 0; round < zc_test_count(3); round++)
        check_lines(1, 0, SHORT + 1, zc_random_range(1, 4));
}

Test(sorted_lines, long_ones_for_any_number_of_threads)
{
    zc_random_begin("sorted_lines/long");
    for (int threads = zc_test_step(3); threads <= 3; threads++)
        check_lines(threads, LONG + threads, LONG + 4 * DTYPES / zc_test_long_step(3), zc_random_range(9, 19));
}

static int compare_whole(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* ---- A line made against the choice of pivots ---- */

enum { WORST = 4096, SAMPLES = 16 };

/* Place of sample i in a part of so many keys (quick.c). */
static int64_t place_of_sample(int64_t count, int i)
{
    const uint64_t step = (uint64_t)count / SAMPLES;
    return (int64_t)((uint64_t)i * step + (step * ((uint32_t)(i + 1) * UINT32_C(0x9e3779b9)) >> 32));
}

/* keys[i] of a line whose samples are its least keys, in part after part, as the kernel leaves them. What is not
 * sampled yet is a large key that says where it stood. */
static void make_worst(const zc_kernels *table, int64_t *keys)
{
    static int64_t parts[2][WORST];
    const int64_t large = INT64_C(1) << 40;
    int64_t first = 0, next = 0, *part = parts[0], *other = parts[1];
    for (int64_t i = 0; i < WORST; i++)
        keys[i] = part[i] = large + i;
    for (int level = 0; level < 40 && WORST - first > table->sort[1].most; level++) {
        for (int i = 0; i < SAMPLES; i++) {
            int64_t *sample = part + first + place_of_sample(WORST - first, i);
            if (*sample >= large) {
                keys[*sample - large] = next;
                *sample = next++;
            }
        }
        int64_t samples[SAMPLES];
        for (int i = 0; i < SAMPLES; i++)
            samples[i] = part[first + place_of_sample(WORST - first, i)];
        table->sort[1].few(samples, samples, SAMPLES);
        first += table->sort[1].divide(other + first, part + first, WORST - first, &samples[SAMPLES / 2]);
        int64_t *divided = other;
        other = part;
        part = divided;
    }
}

/* Whose divisions leave nearly all in one part, until the middle of the range takes the pivot's place. */
Test(sorted_lines, made_against_samples)
{
    const zc_kernels *tables[MOST_TABLES];
    for (int t = list_tables(tables) - 1; t >= 0; t--) {
        if (tables[t]->sort[1].most == 0)
            continue;
        int64_t keys[WORST], wanted[WORST];
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
        zc_tensor *sorted = NULL;
        zc_chosen_table = tables[t];
        make_worst(tables[t], keys);
        memcpy(wanted, keys, sizeof wanted);
        qsort(wanted, WORST, sizeof *wanted, compare_whole);
        zc_tensor *x = zc_from_data(ctx, ZC_INT64, 1, (const int64_t[]){WORST}, keys, sizeof keys);
        cr_assert_eq(zc_sort(x, 0, false, &sorted), ZC_OK, "%s", zc_error_text(ctx));
        cr_expect(memcmp(zc_data(sorted), wanted, sizeof wanted) == 0, "%s", tables[t]->name);
        zc_release(sorted);
        zc_release(x);
        zc_context_free(ctx);
    }
    zc_chosen_table = NULL;
}

/* Elements that three threads deal among each other: those of tables without kernels for it, too. */
Test(sorted_lines, in_three_parts)
{
    enum { LEAST = 3 << 16 };
    zc_random_begin("sorted_lines/three");
    const zc_kernels *tables[MOST_TABLES];
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 3});
    for (int t = list_tables(tables) - 1; t >= 0; t--) {
        zc_chosen_table = tables[t];
        for (int d = 0; d < DTYPES && tables[t]->sort[1].most == 0; d++)
            check(ctx, dtypes[d], NUMBERS, 1, LEAST + zc_random_range(0, 9));
    }
    zc_chosen_table = NULL;
    zc_context_free(ctx);
}

Test(sorted_lines, a_million)
{
    zc_random_begin("sorted_lines/million");
    const zc_kernels *tables[MOST_TABLES];
    const int count = list_tables(tables);
    cr_assert_gt(count, 0);
    for (int threads = 1; threads <= 3; threads++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = threads});
        zc_chosen_table = tables[count - threads % count - 1];
        check(ctx, dtypes[zc_random_range(0, DTYPES - 1)], (pattern)zc_random_range(0, PATTERNS - 1), 1,
              VERY_LONG + threads);
        zc_context_free(ctx);
    }
    zc_chosen_table = NULL;
}
