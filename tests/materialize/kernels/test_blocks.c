/*
 * Kernels that look at a block of elements before they choose how to compute it: whichever way they choose, an element
 * has the bits that it has alone.
 */
#include <math.h>
#include <string.h>

#include "tests/materialize/kernels/tables.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { LENGTH = 700, ROUNDS = 40, ITEM = 8 };

static bool is_nan(zc_dtype dtype, const void *element)
{
    return isnan(zc_scalar_convert(zc_scalar_load(dtype, element), dtype, ZC_FLOAT64).float64);
}

/* The same where the result is written over an operand, as tiles do with what nobody reads any more. */
static void expect_over_operand(const zc_kernels *table, zc_op op, zc_dtype dtype, const char *x, const char *y,
                                const char *wanted)
{
    static _Alignas(64) char over[LENGTH * ITEM];
    const size_t bytes = LENGTH * zc_dtype_bytes(dtype);
    if (zc_op_describe(op)->result == ZC_RESULT_BOOL || bytes > sizeof over)
        return;
    memcpy(over, x, bytes);
    table->map[op][dtype](over, over, y, NULL, LENGTH);
    cr_assert_arr_eq(over, wanted, bytes, "%s of %s over its first operand", zc_op_describe(op)->name,
                     zc_dtype_name(dtype));
    if (y == NULL)
        return;
    memcpy(over, y, bytes);
    table->map[op][dtype](over, x, over, NULL, LENGTH);
    cr_assert_arr_eq(over, wanted, bytes, "%s of %s over its second operand", zc_op_describe(op)->name,
                     zc_dtype_name(dtype));
}

/* Expects the same bits of a kernel that is told that all of y are equal, where they are. */
static void expect_as_told(const zc_kernels *table, zc_op op, zc_dtype dtype, const char *x, const char *y,
                           const char *wanted)
{
    static _Alignas(64) char told[2 * LENGTH * ITEM]; /* complex numbers are twice as large */
    const size_t item = zc_dtype_bytes(dtype);
    if (y == NULL || memcmp(y, y + item, (LENGTH - 1) * item) != 0)
        return;
    table->map[op][dtype](told, x, y, y, LENGTH);
    cr_assert_arr_eq(told, wanted, LENGTH * item, "%s of %s of %s", zc_op_describe(op)->name, zc_dtype_name(dtype),
                     table->name);
}

/* op(x, y) of all elements in one call, and of each in a call of its own, in every table. */
static void expect_alone_as_together(zc_op op, zc_dtype dtype, const char *x, const char *y)
{
    static _Alignas(64) char together[LENGTH * ITEM], alone[ITEM];
    const zc_kernels *tables[MOST_TABLES];
    const size_t item = zc_dtype_bytes(dtype);
    const bool is_float = zc_dtype_describe(dtype)->kind == ZC_KIND_FLOAT;
    for (int t = list_tables(tables) - 1; t >= 0; t--) {
        tables[t]->map[op][dtype](together, x, y, NULL, LENGTH);
        expect_over_operand(tables[t], op, dtype, x, y, together);
        expect_as_told(tables[t], op, dtype, x, y, together);
        for (size_t i = 0; i < LENGTH; i++) {
            zc_kernels_portable.map[op][dtype](alone, x + i * item, y == NULL ? NULL : y + i * item, NULL, 1);
            const char *got = together + i * item;
            cr_assert(memcmp(got, alone, item) == 0 || (is_float && is_nan(dtype, got) && is_nan(dtype, alone)),
                      "element %zu of %s of %s in table %d", i, zc_op_describe(op)->name, zc_dtype_name(dtype), t);
        }
    }
}

static void put(char *to, size_t i, zc_dtype dtype, double x)
{
    zc_scalar element = zc_scalar_convert((zc_scalar){.float64 = x}, ZC_FLOAT64, dtype);
    memcpy(to + i * zc_dtype_bytes(dtype), element.bytes, zc_dtype_bytes(dtype));
}

static double moderate(void)
{
    return (zc_random_double() - 0.3) * pow(10, (double)zc_random_range(-2, 3));
}

/* Blocks in the range, beyond it, and with one element beyond it. */
Test(blocks, of_functions_with_a_range_give_an_element_the_bits_it_has_alone)
{
    static const double beyond[] = {INFINITY, -INFINITY, NAN,   -1,     0,     -0.0, 1e-310, 1e-40,
                                    88,       -88,       100,   -103.5, 709.5, -740, 65536,  70000,
                                    1e6,      -1e30,     126.5, -140,   7.5,   -12,  20.5,   -24};
    static char x[LENGTH * ITEM];
    zc_random_begin("blocks/ranges");
    for (int op = 0; op < ZC_OP_ROWS; op++) {
        const zc_op_info *info = zc_op_describe((zc_op)op);
        if (info->arity != 1 || info->domain != ZC_DOMAIN_FLOAT || info->result == ZC_RESULT_BOOL)
            continue;
        for (int round = 0; round < ROUNDS / 8; round++) {
            const zc_dtype dtype = round % 2 == 0 ? ZC_FLOAT32 : ZC_FLOAT64;
            for (size_t i = 0; i < LENGTH; i++)
                put(x, i, dtype, moderate());
            for (int k = round < 2 ? 0 : 8; k > 0; k--)
                put(x, (size_t)zc_random_range(0, LENGTH - 1), dtype,
                    beyond[zc_random_range(0, sizeof beyond / sizeof *beyond - 1)]);
            expect_alone_as_together((zc_op)op, dtype, x, NULL);
        }
    }
}

/* Exponents that mean an operation, among others and alone. */
Test(blocks, of_powers_give_an_element_the_bits_it_has_alone)
{
    static const double exponents[] = {2, 3, 0.5, -1, 0, 1, 2.5, -2, 1e300, INFINITY, NAN, -0.5, 70};
    enum { EXPONENTS = sizeof exponents / sizeof *exponents };
    static char x[LENGTH * ITEM], y[LENGTH * ITEM];
    zc_random_begin("blocks/powers");
    for (int round = 0; round < ROUNDS; round++) {
        const zc_dtype dtype = round % 2 == 0 ? ZC_FLOAT32 : ZC_FLOAT64;
        const bool is_uniform = round < 2 * EXPONENTS;
        for (size_t i = 0; i < LENGTH; i++) {
            put(x, i, dtype,
                zc_random_range(0, 40) == 0 ? exponents[zc_random_range(0, EXPONENTS - 1)] : fabs(moderate()));
            put(y, i, dtype, is_uniform ? exponents[round / 2] : exponents[zc_random_range(0, round % 3 + 4)]);
        }
        expect_alone_as_together(ZC_OP_POW, dtype, x, y);
    }
}

/* Checks the four exponents that stand for another operation by contract. */
Test(blocks, powers_by_an_exponent_with_a_meaning_are_that_operation)
{
    static const double values[] = {0.0, -0.0, 1.5, -3, 1e-200, 1e200, INFINITY, -INFINITY, 0x1.123456789abcdp+3};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const double x = values[i], exponents[] = {2, 3, -1, 0.5};
        const long double cube = (long double)x * x * x;
        const double wanted[] = {x * x, (double)cube, 1 / x, isinf(x) ? INFINITY : x == 0 ? 0 : sqrt(x)};
        for (size_t k = 0; k < 4; k++) {
            double got;
            zc_kernels_best()->map[ZC_OP_POW][ZC_FLOAT64](&got, &x, &exponents[k], NULL, 1);
            const double slack = k == 1 && isfinite(got) ? fabs(got) * 0x1p-52 : 0; /* near a half of the last place */
            cr_assert((isnan(got) && isnan(wanted[k])) || got == wanted[k] || fabs(got - wanted[k]) <= slack,
                      "pow(%a, %g) is %a, not %a", x, exponents[k], got, wanted[k]);
            cr_assert(isnan(got) || signbit(got) == signbit(wanted[k]), "the sign of pow(%a, %g)", x, exponents[k]);
        }
    }
}

static double part_at(const void *from, size_t i, zc_dtype part)
{
    const char *element = (const char *)from + i * zc_dtype_bytes(part);
    return zc_scalar_convert(zc_scalar_load(part, element), part, ZC_FLOAT64).float64;
}

/* Squares of a block that is all squares, and each beside a cube, which is no such block. */
Test(blocks, of_complex_squares_give_the_bits_of_powers)
{
    static const double parts[] = {0.0, -0.0, 1.5, -3, 1e-200, 1e200, 1e30, -1e-30, INFINITY, -INFINITY, NAN};
    enum { PARTS = sizeof parts / sizeof *parts };
    static _Alignas(64) char x[2 * LENGTH * ITEM], y[2 * LENGTH * ITEM], together[2 * LENGTH * ITEM];
    char bases[4 * ITEM], exponents[4 * ITEM], beside[4 * ITEM];
    const zc_kernels *tables[MOST_TABLES];
    zc_random_begin("blocks/complex_squares");
    for (int round = 0; round < 2 * list_tables(tables); round++) {
        const zc_dtype dtype = round % 2 == 0 ? ZC_COMPLEX64 : ZC_COMPLEX128;
        const zc_dtype part = round % 2 == 0 ? ZC_FLOAT32 : ZC_FLOAT64;
        const size_t bytes = 2 * zc_dtype_bytes(part);
        zc_map_kernel *const pow_of = tables[round / 2]->map[ZC_OP_POW][dtype];
        for (size_t i = 0; i < LENGTH; i++) {
            put(x, 2 * i, part, i < PARTS * PARTS ? parts[i / PARTS] : moderate());
            put(x, 2 * i + 1, part, i < PARTS * PARTS ? parts[i % PARTS] : moderate());
            put(y, 2 * i, part, 2), put(y, 2 * i + 1, part, 0);
        }
        pow_of(together, x, y, NULL, LENGTH);
        expect_as_told(tables[round / 2], ZC_OP_POW, dtype, x, y, together);
        memcpy(exponents, y, 2 * bytes);
        put(exponents, 2, part, 3);
        for (size_t i = 0; i < LENGTH; i++) {
            memcpy(bases, x + i * bytes, bytes), memcpy(bases + bytes, x + i * bytes, bytes);
            pow_of(beside, bases, exponents, NULL, 2);
            for (size_t k = 0; k < 2; k++) {
                const double a = part_at(together, 2 * i + k, part), b = part_at(beside, k, part);
                cr_assert((isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)),
                          "part %zu of the square of %a%+ai is %a, not %a", k, part_at(x, 2 * i, part),
                          part_at(x, 2 * i + 1, part), a, b);
            }
        }
    }
}

/* Parts in every range that the functions of complex numbers have. */
static double any_part(int range)
{
    static const double parts[] = {0.0, -0.0, 1,    -1,  2,        1e-200,    1e200, 25,
                                   -25, 720,  -720, 1e7, INFINITY, -INFINITY, NAN};
    const double number = (zc_random_double() - 0.5) * pow(10, (double)zc_random_range(-3, 1));
    if (range == 0)
        return number;
    return range == 1 && zc_random_range(0, 200) != 0 ? number : parts[zc_random_range(0, 14)];
}

/* Blocks in the range of vector code, blocks with an element beyond it, and blocks of such: each element beside a NaN,
 * which has no such range, and so by the definition. */
Test(blocks, of_complex_functions_give_an_element_the_bits_it_has_beside_a_nan)
{
    static const zc_op ops[] = {ZC_OP_EXP, ZC_OP_LOG, ZC_OP_LOG2, ZC_OP_LOG10,
                                ZC_OP_SIN, ZC_OP_COS, ZC_OP_TAN,  ZC_OP_POW};
    enum { OPS = sizeof ops / sizeof *ops, RANGES = 3 };
    static const double exponents[] = {2.5, -0.5, 0, 3, -2, 1e-3, 101, 0.1};
    static _Alignas(64) char x[2 * LENGTH * ITEM], y[2 * LENGTH * ITEM], together[2 * LENGTH * ITEM];
    char bases[4 * ITEM], powers[4 * ITEM], beside[4 * ITEM];
    const zc_kernels *tables[MOST_TABLES];
    const int count = list_tables(tables);
    zc_random_begin("blocks/complex_functions");
    for (int round = 0; round < 2 * RANGES * OPS * count; round++) {
        const zc_op op = ops[round / 2 / RANGES % OPS];
        const zc_dtype dtype = round % 2 == 0 ? ZC_COMPLEX64 : ZC_COMPLEX128;
        const zc_dtype part = round % 2 == 0 ? ZC_FLOAT32 : ZC_FLOAT64;
        const size_t bytes = 2 * zc_dtype_bytes(part);
        zc_map_kernel *const map = tables[round / 2 / RANGES / OPS]->map[op][dtype];
        const double exponent = exponents[zc_random_range(0, 7)], turn = zc_random_bool() ? 0 : zc_random_double();
        for (size_t i = 0; i < 2 * LENGTH; i++) {
            put(x, i, part, any_part(round / 2 % RANGES));
            put(y, i, part, i % 2 == 0 ? exponent : turn);
        }
        map(together, x, y, NULL, LENGTH);
        for (size_t i = 0; i < LENGTH; i++) {
            memcpy(bases, x + i * bytes, bytes), memcpy(powers, y + i * bytes, bytes);
            put(bases, 2, part, (double)NAN), put(bases, 3, part, 0), put(powers, 2, part, 0.5),
                put(powers, 3, part, 0);
            map(beside, bases, powers, NULL, 2);
            for (size_t k = 0; k < 2; k++) {
                const double a = part_at(together, 2 * i + k, part), b = part_at(beside, k, part);
                cr_assert((isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)),
                          "part %zu of %s of %a%+ai to the %a%+ai is %a, not %a", k, zc_op_describe(op)->name,
                          part_at(x, 2 * i, part), part_at(x, 2 * i + 1, part), exponent, turn, a, b);
            }
        }
    }
}

static int64_t any_integer(void)
{
    const int64_t number = (int64_t)(zc_random_u64() >> zc_random_range(0, 63));
    return zc_random_bool() ? number : -number;
}

/* Divisors near powers of 2 and the ends, and any. */
static int64_t divisor(void)
{
    const int64_t number = INT64_C(1) << zc_random_range(0, 62);
    return zc_random_range(0, 2) == 0 ? any_integer() : number + zc_random_range(-2, 2);
}

Test(blocks, of_integers_by_one_number_give_an_element_the_bits_it_has_alone)
{
    static const zc_op ops[] = {ZC_OP_FLOOR_DIVIDE, ZC_OP_REMAINDER, ZC_OP_POW};
    static const zc_dtype dtypes[] = {ZC_INT8, ZC_INT16, ZC_INT32, ZC_INT64, ZC_UINT8, ZC_UINT16, ZC_UINT32, ZC_UINT64};
    static char x[LENGTH * ITEM], y[LENGTH * ITEM];
    zc_random_begin("blocks/integers");
    for (int round = 0; round < ROUNDS * 8; round++) {
        const zc_dtype dtype = dtypes[round % 8];
        const size_t item = zc_dtype_bytes(dtype);
        const int64_t by = divisor();
        for (size_t i = 0; i < LENGTH; i++) {
            const int64_t element = zc_random_bool() ? any_integer() : (int64_t)((uint64_t)by * zc_random_u64());
            const int64_t other = round < ROUNDS ? zc_random_range(-3, 70) : by;
            memcpy(x + i * item, zc_scalar_convert((zc_scalar){.int64 = element}, ZC_INT64, dtype).bytes, item);
            memcpy(y + i * item, zc_scalar_convert((zc_scalar){.int64 = other}, ZC_INT64, dtype).bytes, item);
        }
        for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
            expect_alone_as_together(ops[k], dtype, x, y);
    }
}

/* x / d rounded down, and what that leaves, of numbers far from the ends of int. */
static void expect_divided(const zc_kernels *table, zc_dtype dtype, int lowest, int d)
{
    enum { COUNT = 257 }; /* the last one is no pair's */
    _Alignas(64) uint8_t x[COUNT], y[COUNT], quotients[COUNT], rests[COUNT];
    for (int i = 0; i < COUNT; i++)
        x[i] = (uint8_t)(lowest + i), y[i] = (uint8_t)d;
    table->map[ZC_OP_FLOOR_DIVIDE][dtype](quotients, x, y, NULL, COUNT);
    table->map[ZC_OP_REMAINDER][dtype](rests, x, y, NULL, COUNT);
    for (int i = 0; i < COUNT; i++) {
        const int dividend = i == COUNT - 1 ? lowest : lowest + i, rest = (dividend % d + d) % d;
        cr_assert_eq(quotients[i], (uint8_t)((dividend - rest) / d), "%d // %d of %s", dividend, d, table->name);
        cr_assert_eq(rests[i], (uint8_t)rest, "%d %% %d of %s", dividend, d, table->name);
    }
}

Test(blocks, of_bytes_are_divided_by_every_number)
{
    const zc_kernels *tables[MOST_TABLES];
    for (int t = list_tables(tables) - 1; t >= 0; t--) {
        for (int d = 1; d <= UINT8_MAX; d++)
            expect_divided(tables[t], ZC_UINT8, 0, d);
        for (int d = 1; d <= INT8_MAX; d++)
            expect_divided(tables[t], ZC_INT8, INT8_MIN, d);
    }
}
