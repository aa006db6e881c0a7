/* The kernels of contractions whose factors are pairs or fours of integers: products written out, and the integers that
 * they came from. */
#include <string.h>

#include "tests/materialize/kernels/tables.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { ROUNDS = 20 };

/* ---- Pairs ---- */

/* A number of 16 bits, often one of the ends: two products of the lowest one have no room in 32 bits. */
static int32_t draw_half(void)
{
    return zc_random_range(0, 2) > 0 ? (int32_t)zc_random_range(INT16_MIN, INT16_MAX)
                                     : (zc_random_bool() ? INT16_MIN : INT16_MAX);
}

static uint32_t draw_pair(void)
{
    return (uint32_t)(uint16_t)draw_half() | (uint32_t)(uint16_t)draw_half() << 16;
}

static uint32_t multiply_pairs(uint32_t x, uint32_t y)
{
    return (uint32_t)((int16_t)x * (int16_t)y) + (uint32_t)((int16_t)(x >> 16) * (int16_t)(y >> 16));
}

/* Pairs of random rows, and the rows again. */
static void check_pairing(const zc_kernels *table)
{
    enum { MOST = 3 * ZC_CHAIN };
    int32_t before[MOST], after[MOST];
    const int64_t rows = zc_random_range(1, 3), length = zc_random_range(1, ZC_CHAIN);
    const int64_t half = zc_random_range((length + 1) / 2, length);
    const zc_integer_groups paired = {.integers = after, .rows = rows, .length = length, .groups = half};
    for (int64_t i = 0; i < MOST; i++)
        before[i] = draw_half();
    memcpy(after, before, sizeof after);
    table->groups.pair(&paired);
    for (int64_t i = 0; i < rows * half; i++) {
        const int64_t at = i / half * length + i % half, other = i % half + half;
        const int32_t upper = other < length ? before[at + half] : 0;
        cr_assert_eq((int16_t)after[i], before[at], "%s: pair %ld of %ld", table->name, (long)i, (long)half);
        cr_assert_eq(after[i] >> 16, upper, "%s: pair %ld of %ld, %ld", table->name, (long)i, (long)half, (long)length);
    }
    table->groups.part(&paired);
    cr_assert_eq(memcmp(before, after, (size_t)(rows * length) * sizeof *before), 0, "%s: rows of %ld parted",
                 table->name, (long)length);
}

static void check_fit(const zc_kernels *table)
{
    static const int32_t outside[] = {INT16_MAX + 1, INT16_MIN - 1, INT32_MAX, INT32_MIN, 1 << 16, -(1 << 16)};
    int32_t numbers[100];
    const int64_t n = zc_random_range(1, 100);
    for (int64_t i = 0; i < n; i++)
        numbers[i] = draw_half();
    cr_assert(table->groups.fit(numbers, n) & ZC_FIT_INT16, "%s: %ld numbers", table->name, (long)n);
    numbers[zc_random_range(0, n - 1)] = outside[zc_random_range(0, 5)];
    cr_assert_eq(table->groups.fit(numbers, n), 0, "%s: one of %ld numbers is outside", table->name, (long)n);
}

/* ---- Fours ---- */

/* A byte, often one of the ends. */
static int32_t draw_byte(bool is_signed)
{
    const int32_t lowest = is_signed ? INT8_MIN : 0, highest = is_signed ? INT8_MAX : UINT8_MAX;
    return zc_random_range(0, 2) > 0 ? (int32_t)zc_random_range(lowest, highest)
                                     : (zc_random_bool() ? lowest : highest);
}

static uint32_t draw_four(void)
{
    uint32_t four = 0;
    for (int i = 0; i < 4; i++)
        four = four << 8 | (uint32_t)draw_byte(false);
    return four;
}

/* Sums products of bytes, signed in x where `x_is_signed`, else in y; is_flipped: x had its highest bits flipped. */
static uint32_t multiply_fours(uint32_t x, uint32_t y, bool x_is_signed, bool is_flipped)
{
    uint32_t sum = 0;
    for (int i = 0; i < 4; i++, x >>= 8, y >>= 8) {
        const int32_t a = x_is_signed ? (int8_t)x : (uint8_t)x, b = x_is_signed ? (uint8_t)y : (int8_t)y;
        const int32_t added = !is_flipped ? 0 : x_is_signed ? -128 : 128;
        sum += (uint32_t)((a - added) * b);
    }
    return sum;
}

/* Groups that a kernel multiplies: pairs, or fours whose numbers have a sign in y, or in x. */
typedef enum sort { PAIRS, FOURS, FOURS_OF_SIGNED } sort;

static uint32_t multiply(sort of, uint32_t x, uint32_t y, bool is_flipped)
{
    return of == PAIRS ? multiply_pairs(x, y) : multiply_fours(x, y, of == FOURS_OF_SIGNED, is_flipped);
}

static void draw_groups(sort of, uint32_t *groups, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        groups[i] = of == PAIRS ? draw_pair() : draw_four();
}

static void check_block(const zc_kernels *table, zc_contract_kernel *kernel, sort of)
{
    enum { ROWS = 30, LENGTH = 20, COLUMNS = 32 };
    static uint32_t x[ROWS * LENGTH], y[LENGTH * COLUMNS], sums[ROWS * COLUMNS];
    const int64_t length = zc_random_range(1, LENGTH), columns = table->contract[ZC_INT32].columns;
    const zc_contract_tile tile = {.x = x,
                                   .y = y,
                                   .sums = sums,
                                   .x_row = length,
                                   .y_row = columns,
                                   .sums_row = columns,
                                   .length = length,
                                   .rows = (int)zc_random_range(1, ROWS),
                                   .adds = zc_random_bool(),
                                   .is_flipped = of != PAIRS && zc_random_bool()};
    draw_groups(of, x, ROWS * LENGTH);
    draw_groups(of, y, LENGTH * COLUMNS);
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        sums[i] = (uint32_t)i * 0x12345677;
    kernel(&tile);
    for (int64_t i = 0; i < tile.rows * columns; i++) {
        uint32_t sum = tile.adds ? (uint32_t)i * 0x12345677 : 0;
        for (int64_t p = 0; p < length; p++)
            sum += multiply(of, x[i / columns * length + p], y[p * columns + i % columns], tile.is_flipped);
        cr_assert_eq(sums[i], sum, "%s, sort %d: sum %ld of %d rows, %ld groups", table->name, (int)of, (long)i,
                     tile.rows, (long)length);
    }
}

/* Fours of random rows, flipped once more, and the rows again. */
static void check_fours(const zc_kernels *table)
{
    enum { MOST = 3 * ZC_CHAIN };
    int32_t before[MOST], after[MOST];
    const int64_t rows = zc_random_range(1, 3), length = zc_random_range(1, ZC_CHAIN);
    zc_integer_groups fours = {.integers = after,
                               .rows = rows,
                               .length = length,
                               .groups = zc_random_range((length + 3) / 4, length),
                               .are_signed = zc_random_bool(),
                               .are_flipped = zc_random_bool()};
    for (int64_t i = 0; i < MOST; i++)
        before[i] = draw_byte(fours.are_signed);
    memcpy(after, before, sizeof after);
    table->groups.four(&fours);
    for (int64_t i = 0; i < rows * fours.groups; i++) {
        for (int b = 0; b < 4; b++) {
            const int64_t in_row = i % fours.groups + b * fours.groups;
            const int32_t at = in_row < length ? before[i / fours.groups * length + in_row] : 0;
            cr_assert_eq((uint8_t)((uint32_t)after[i] >> 8 * b), (uint8_t)(at + (fours.are_flipped ? 128 : 0)),
                         "%s: four %ld of %ld, %ld", table->name, (long)i, (long)fours.groups, (long)length);
        }
    }
    table->groups.flip(&fours);
    fours.are_flipped = !fours.are_flipped;
    table->groups.part_fours(&fours);
    cr_assert_eq(memcmp(before, after, (size_t)(rows * length) * sizeof *before), 0, "%s: rows of %ld parted",
                 table->name, (long)length);
}

static void check_fit_of_bytes(const zc_kernels *table)
{
    int32_t numbers[100];
    const int64_t n = zc_random_range(1, 100);
    const bool are_signed = zc_random_bool();
    for (int64_t i = 0; i < n; i++)
        numbers[i] = draw_byte(are_signed);
    numbers[zc_random_range(0, n - 1)] = are_signed ? INT8_MIN : UINT8_MAX;
    cr_assert_eq(table->groups.fit(numbers, n), ZC_FIT_INT16 | (are_signed ? ZC_FIT_INT8 : ZC_FIT_UINT8), "%s: %ld",
                 table->name, (long)n);
    numbers[zc_random_range(0, n - 1)] = are_signed ? INT8_MIN - 1 : UINT8_MAX + 1;
    cr_assert_eq(table->groups.fit(numbers, n), ZC_FIT_INT16, "%s: one of %ld", table->name, (long)n);
    for (int64_t i = 0; i < n; i++)
        numbers[i] = (int32_t)zc_random_range(0, INT8_MAX);
    cr_assert_eq(table->groups.fit(numbers, n), ZC_FIT_INT16 | ZC_FIT_INT8 | ZC_FIT_UINT8, "%s: %ld", table->name,
                 (long)n);
}

Test(group_kernels, multiply_fours_as_four_integers)
{
    zc_random_begin("group_kernels, fours");
    const zc_kernels *tables[MOST_TABLES];
    const int count = list_tables(tables);
    for (int t = 0; t < count; t++) {
        zc_contract_kernel *const *fours = zc_kernels_fours(tables[t]); /* where the machine has them */
        for (int i = 0; i < zc_test_count(10 * ROUNDS) && tables[t]->groups.pairs != NULL; i++) {
            for (int is_signed = 0; is_signed < 2 && fours != NULL; is_signed++)
                check_block(tables[t], fours[is_signed], is_signed ? FOURS_OF_SIGNED : FOURS);
            check_fours(tables[t]);
            check_fit_of_bytes(tables[t]);
        }
    }
}

Test(group_kernels, multiply_pairs_as_two_integers)
{
    zc_random_begin("group_kernels, pairs");
    const zc_kernels *tables[MOST_TABLES];
    const int count = list_tables(tables);
    for (int t = 0; t < count; t++) {
        const zc_integer_kernels *groups = &tables[t]->groups;
        cr_assert_eq(groups->pairs == NULL, tables[t]->chains == NULL, "%s: a table of vectors has pairs",
                     tables[t]->name);
        for (int i = 0; i < zc_test_count(10 * ROUNDS) && groups->pairs != NULL; i++) {
            check_block(tables[t], groups->pairs, PAIRS);
            check_block(tables[t], zc_kernels_pairs(tables[t]),
                        PAIRS); /* in one instruction, where the machine has it */
            check_pairing(tables[t]);
            check_fit(tables[t]);
        }
    }
}
