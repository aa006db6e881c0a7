/*
 * Short lines of every dtype that has an order against inserting by a comparison of signs and magnitudes, with the
 * places of equal elements: ties, what floats have beside numbers, extreme integers, and elements that only their
 * lowest bits tell apart while others are far from them. Of every table of kernels.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/materialize/eager/chosen_table.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { SHORT = 300, MOST_LINES = 4 };

/* Infinity is the bits of it; integers have 0. */
static const struct {
    zc_dtype dtype;
    bool has_sign;
    uint64_t infinity;
} dtypes[] = {
    {ZC_BOOL, false, 0},
    {ZC_INT8, true, 0},
    {ZC_UINT8, false, 0},
    {ZC_INT16, true, 0},
    {ZC_UINT16, false, 0},
    {ZC_INT32, true, 0},
    {ZC_UINT32, false, 0},
    {ZC_INT64, true, 0},
    {ZC_UINT64, false, 0},
    {ZC_FLOAT16, true, UINT64_C(0x7c00)},
    {ZC_BFLOAT16, true, UINT64_C(0x7f80)},
    {ZC_FLOAT32, true, UINT64_C(0x7f800000)},
    {ZC_FLOAT64, true, UINT64_C(0x7ff0000000000000)},
};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* ---- The order ---- */

/* A number, by its sign and magnitude; every NaN is one of its own. */
typedef struct number {
    bool is_nan;
    int sign; /* -1, 0 or 1 */
    uint64_t magnitude;
} number;

static number number_of(int d, uint64_t bits)
{
    const uint64_t top = UINT64_C(1) << (8 * zc_dtype_bytes(dtypes[d].dtype) - 1), low = top - 1;
    const bool is_negative = dtypes[d].has_sign && (bits & top) != 0;
    number n = {.magnitude = bits};
    if (dtypes[d].infinity != 0)
        n = (number){(bits & low) > dtypes[d].infinity, 0, bits & low};
    else if (is_negative)
        n.magnitude = top - (bits & low);
    n.sign = n.magnitude == 0 ? 0 : is_negative ? -1 : 1;
    return n;
}

static int compare(int d, uint64_t left, uint64_t right)
{
    const number a = number_of(d, left), b = number_of(d, right);
    if (a.is_nan || b.is_nan)
        return a.is_nan - b.is_nan;
    if (a.sign != b.sign)
        return a.sign - b.sign;
    return a.sign * ((a.magnitude > b.magnitude) - (a.magnitude < b.magnitude));
}

/* Finds where the element stands that belongs to each place. */
static void find_order(int d, const uint64_t *bits, int64_t n, bool descending, int64_t *order)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0 && compare(d, bits[order[at - 1]], bits[i]) * (descending ? -1 : 1) > 0; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* ---- Elements ---- */

typedef enum pattern {
    ANY_BITS,
    FEW_DIFFERENT,
    SPECIAL,
    LOWEST_BITS,
    FAR_FROM_LOWEST_BITS,
    SOME_BITS,
    PATTERNS
} pattern;

/* Zeros, infinities, NaNs with payloads, the least and the largest magnitude, all with either sign. */
static uint64_t special_bits(int d)
{
    const uint64_t top = UINT64_C(1) << (8 * zc_dtype_bytes(dtypes[d].dtype) - 1), infinity = dtypes[d].infinity;
    const uint64_t kinds[] = {0, infinity, infinity + (uint64_t)zc_random_range(0, 9), 1, top - 1};
    return (zc_random_bool() ? top : 0) | kinds[zc_random_range(0, 4)];
}

static uint64_t element_of(int d, pattern p, uint64_t base)
{
    switch (p) {
    case FEW_DIFFERENT:
        return base ^ (zc_random_u64() % 3 * (base | 1));
    case SPECIAL:
        return zc_random_range(0, 2) == 0 ? special_bits(d) : base ^ zc_random_u64() % 4;
    case LOWEST_BITS:
        return base ^ zc_random_u64() % 256;
    case FAR_FROM_LOWEST_BITS:
        return zc_random_range(0, 30) == 0 ? special_bits(d) : base ^ zc_random_u64() % 512;
    case SOME_BITS:
        return zc_random_u64() >> base % 16;
    default:
        return zc_random_u64();
    }
}

static void store(uint64_t bits, size_t item, char *to)
{
    const uint8_t one = (uint8_t)bits;
    const uint16_t two = (uint16_t)bits;
    const uint32_t four = (uint32_t)bits;
    memcpy(to,
           item == 1   ? (const void *)&one
           : item == 2 ? (const void *)&two
           : item == 4 ? (const void *)&four
                       : &bits,
           item);
}

/* Elements as many as lines have, which are rows or columns, and what is made of them. */
typedef struct lines {
    int d; /* of `dtypes` */
    int64_t count, n;
    bool are_columns, descending;
    zc_tensor *x;
    uint64_t bits[MOST_LINES][SHORT];
    int64_t order[MOST_LINES][SHORT];
} lines;

/* The place of element i of a line among those of which each line has n. */
static int64_t place_of(const lines *all, int64_t line, int64_t i, int64_t n)
{
    return all->are_columns ? i * all->count + line : line * n + i;
}

static void draw_lines(lines *all, zc_context *ctx)
{
    static char data[MOST_LINES * SHORT * sizeof(uint64_t)];
    const size_t item = zc_dtype_bytes(dtypes[all->d].dtype);
    const uint64_t mask = dtypes[all->d].dtype == ZC_BOOL ? 1 : UINT64_MAX >> (64 - 8 * item);
    for (int64_t line = 0; line < all->count; line++) {
        const pattern p = (pattern)zc_random_range(0, PATTERNS - 1);
        const uint64_t base = zc_random_u64();
        for (int64_t i = 0; i < all->n; i++) {
            all->bits[line][i] = element_of(all->d, p, base) & mask;
            store(all->bits[line][i], item, data + (size_t)place_of(all, line, i, all->n) * item);
        }
        find_order(all->d, all->bits[line], all->n, all->descending, all->order[line]);
    }
    const int64_t rows[] = {all->count, all->n}, columns[] = {all->n, all->count};
    all->x = zc_from_data(ctx, dtypes[all->d].dtype, 2, all->are_columns ? columns : rows, data,
                          (size_t)(all->count * all->n) * item);
}

/* ---- Results ---- */

/* The first `kept` elements of each line, their numbers, or one of both. */
static void expect_lines(const lines *all, const char *call, int64_t kept, const zc_tensor *values,
                         const zc_tensor *index)
{
    const size_t item = zc_dtype_bytes(dtypes[all->d].dtype);
    for (int64_t line = 0; line < all->count; line++) {
        for (int64_t i = 0; i < kept; i++) {
            const int64_t at = place_of(all, line, i, kept), from = all->order[line][i];
            char wanted[sizeof(uint64_t)];
            store(all->bits[line][from], item, wanted);
            const bool has_value =
                values == NULL || memcmp((const char *)zc_data(values) + (size_t)at * item, wanted, item) == 0;
            const bool has_number = index == NULL || ((const int64_t *)zc_data(index))[at] == from;
            cr_assert(has_value && has_number, "%s of %s: element %ld of line %ld, %ld of %ld %s, %s", call,
                      zc_dtype_name(dtypes[all->d].dtype), (long)i, (long)line, (long)kept, (long)all->n,
                      all->are_columns ? "in columns" : "in rows", zc_chosen_table->name);
        }
    }
}

static void check_sorted(const lines *all, int axis)
{
    zc_tensor *sorted, *order;
    cr_assert_eq(zc_sort(all->x, axis, all->descending, &sorted), ZC_OK);
    cr_assert_eq(zc_argsort(all->x, axis, all->descending, &order), ZC_OK);
    expect_lines(all, "sort", all->n, sorted, NULL);
    expect_lines(all, "argsort", all->n, NULL, order);
}

static void check_best(const lines *all, int axis)
{
    const int64_t kept = zc_random_bool() ? all->n : zc_random_range(0, all->n);
    zc_tensor *made[2], *out[2];
    cr_assert_eq(zc_top_k(all->x, kept, axis, all->descending, &made[0], &made[1]), ZC_OK);
    cr_assert_eq(zc_materialize_all(2, (const zc_tensor *const *)made, out), ZC_OK);
    expect_lines(all, "top_k", kept, out[0], out[1]);
}

Test(packed_lines, are_what_inserting_makes)
{
    static lines all;
    zc_random_begin("packed_lines/lines");
    const zc_kernels *tables[MOST_TABLES];
    const int count = list_tables(tables);
    for (int round = 0; round < zc_test_count(200 * DTYPES); round++) {
        zc_context *ctx = zc_context_new(NULL);
        zc_scope *scope = zc_scope_begin(ctx);
        zc_chosen_table = tables[zc_random_range(0, count - 1)];
        all.d = round % DTYPES;
        all.count = zc_random_range(1, MOST_LINES);
        all.n = zc_random_range(0, zc_random_bool() ? 24 : SHORT);
        all.are_columns = zc_random_range(0, 3) == 0;
        all.descending = zc_random_bool();
        draw_lines(&all, ctx);
        check_sorted(&all, all.are_columns ? 0 : 1);
        check_best(&all, all.are_columns ? 0 : 1);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
    zc_chosen_table = NULL;
}
