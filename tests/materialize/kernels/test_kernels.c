/*
 * The kernels of every instruction set against the portable ones: for every row, dtype and length, the same bits on
 * random and on special values. A NaN is a NaN: its sign and payload are no part of the contract.
 */
#include <math.h>
#include <string.h>

#include "materialize/execute/reducer.h"
#include "tests/materialize/kernels/tables.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { LENGTH = 203, ROUNDS = 12 };

/* Room for LENGTH elements of any dtype. */
typedef struct elements {
    _Alignas(64) unsigned char bytes[LENGTH * 16];
} elements;

static double special(void)
{
    static const double values[] = {0.0,       -0.0,
                                    1.0,       -1.0,
                                    0.5,       2.0,
                                    INFINITY,  -INFINITY,
                                    NAN,       0x1p-149,
                                    0x1p-1074, 0x1p-1022,
                                    0x1p127,   0x1p1023,
                                    88.7,      709.8,
                                    -745.1,    1e-300,
                                    3.0,       -2.5,
                                    255.0,     -128.0,
                                    0x1p31,    0x1p63,
                                    1e22,      0x1p20,
                                    -0x1p20,   1.5707963267948966,
                                    -355.0,    0.85,
                                    1.2,       0x1p-28,
                                    0x1p30,    0x1p500,
                                    -0x1p-500, 0x1p-450,
                                    37.5,      1.4142135623730951};
    return values[zc_random_range(0, sizeof values / sizeof *values - 1)];
}

/* Number of parts that an element has. */
static int parts_of(zc_dtype dtype)
{
    return zc_dtype_is_complex(dtype) ? 2 : 1;
}

/* Fills elements at random, complex ones part by part. */
static void fill(elements *e, zc_dtype whole)
{
    zc_dtype dtype = zc_dtype_part(whole);
    size_t item = zc_dtype_bytes(dtype);
    for (int i = 0; i < LENGTH * parts_of(whole); i++) {
        uint64_t bits = zc_random_u64();
        if (zc_random_range(0, 3) == 0)
            bits = (uint64_t)zc_random_range(-3, 70);
        if (zc_dtype_describe(dtype)->kind == ZC_KIND_FLOAT && zc_random_range(0, 3) != 0) {
            double x =
                zc_random_bool() ? special() : (zc_random_double() - 0.5) * pow(10, (double)zc_random_range(-3, 4));
            zc_scalar s = zc_scalar_convert((zc_scalar){.float64 = x}, ZC_FLOAT64, dtype);
            memcpy(e->bytes + (size_t)i * item, s.bytes, item);
        } else { /* a float of any magnitude, too */
            memcpy(e->bytes + (size_t)i * item, &bits, item);
        }
    }
}

/* Equal bits, or both NaN. */
static bool same_part(const unsigned char *a, const unsigned char *b, zc_dtype dtype)
{
    size_t item = zc_dtype_bytes(dtype);
    if (memcmp(a, b, item) == 0)
        return true;
    if (zc_dtype_describe(dtype)->kind != ZC_KIND_FLOAT)
        return false;
    double x = zc_scalar_convert(zc_scalar_load(dtype, a), dtype, ZC_FLOAT64).float64;
    double y = zc_scalar_convert(zc_scalar_load(dtype, b), dtype, ZC_FLOAT64).float64;
    return isnan(x) && isnan(y);
}

static bool same(const unsigned char *a, const unsigned char *b, zc_dtype dtype)
{
    zc_dtype part = zc_dtype_part(dtype);
    size_t item = zc_dtype_bytes(part);
    return same_part(a, b, part) && (parts_of(dtype) == 1 || same_part(a + item, b + item, part));
}

static void expect_same(const elements *a, const elements *b, zc_dtype dtype, int n, const char *what,
                        const char *table)
{
    size_t item = zc_dtype_bytes(dtype);
    for (int i = 0; i < n; i++)
        cr_assert(same(a->bytes + (size_t)i * item, b->bytes + (size_t)i * item, dtype),
                  "%s of %s, %s: element %d of %d", what, zc_dtype_name(dtype), table, i, n);
}

static void check_map(const zc_kernels *k, zc_map_kernel *tested, zc_map_kernel *portable, zc_dtype in, zc_dtype out,
                      const char *what)
{
    elements x, y, z, got = {{0}}, wanted = {{0}};
    int n = (int)zc_random_range(0, LENGTH);
    fill(&x, in);
    fill(&y, in);
    fill(&z, in);
    tested(got.bytes, x.bytes, y.bytes, z.bytes, n);
    portable(wanted.bytes, x.bytes, y.bytes, z.bytes, n);
    expect_same(&got, &wanted, out, n, what, k->name);
}

Test(kernels, every_operation_gives_the_same_bits_in_every_table)
{
    zc_skip_of_one_thread();
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("kernels/map");
    for (int t = list_tables(tested) - 1; t > 0; t--) {
        for (int op = 0; op < ZC_OP_COUNT; op++) {
            for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
                zc_map_kernel *portable = zc_kernels_portable.map[op][d], *kernel = tested[t]->map[op][d];
                cr_assert_eq(portable == NULL, kernel == NULL);
                zc_dtype out = zc_op_result(zc_op_describe((zc_op)op), (zc_dtype)d);
                for (int round = 0; portable != NULL && round < ROUNDS; round++)
                    check_map(tested[t], kernel, portable, (zc_dtype)d, out, zc_op_describe((zc_op)op)->name);
            }
        }
    }
}

/* Elements that a kernel computes in more than two blocks. */
enum { LONG = 1300 };

typedef struct long_elements {
    _Alignas(64) unsigned char bytes[LONG * 16];
} long_elements;

static void fill_long(long_elements *e, zc_dtype dtype)
{
    const size_t item = zc_dtype_bytes(dtype), all = LONG * item;
    for (size_t at = 0; at < all; at += LENGTH * item) {
        elements part;
        fill(&part, dtype);
        memcpy(e->bytes + at, part.bytes, all - at < LENGTH * item ? all - at : LENGTH * item);
    }
}

/* With each operand in turn where the result goes. */
static void check_written_over(const zc_kernels *k, zc_op op, zc_dtype in, zc_dtype out)
{
    static long_elements operand[3], wanted, over;
    const zc_op_info *info = zc_op_describe(op);
    const int n = (int)zc_random_range(0, LONG);
    for (int i = 0; i < 3; i++)
        fill_long(&operand[i], in);
    k->map[op][in](wanted.bytes, operand[0].bytes, operand[1].bytes, operand[2].bytes, n);
    for (int replaced = info->domain == ZC_DOMAIN_SELECT; replaced < info->arity;
         replaced++) { /* a condition is narrower */
        const void *read[] = {operand[0].bytes, operand[1].bytes, operand[2].bytes};
        over = operand[replaced];
        read[replaced] = over.bytes;
        k->map[op][in](over.bytes, read[0], read[1], read[2], n);
        for (int i = 0; i < n; i++) {
            const size_t at = (size_t)i * zc_dtype_bytes(out);
            cr_assert(same(over.bytes + at, wanted.bytes + at, out), "%s of %s, %s: element %d of %d, over operand %d",
                      info->name, zc_dtype_name(in), k->name, i, n, replaced);
        }
    }
}

Test(kernels, a_result_may_be_an_operand)
{
    zc_skip_of_one_thread();
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("kernels/over");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int op = 0; op < ZC_OP_COUNT; op++) {
            for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
                const zc_op_info *info = zc_op_describe((zc_op)op);
                zc_dtype out = zc_op_result(info, (zc_dtype)d);
                if (tested[t]->map[op][d] != NULL && zc_dtype_bytes(out) == zc_dtype_bytes((zc_dtype)d))
                    check_written_over(tested[t], (zc_op)op, (zc_dtype)d, out);
            }
        }
    }
}

Test(kernels, every_conversion_gives_the_same_bits_in_every_table)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("kernels/cast");
    for (int t = list_tables(tested) - 1; t > 0; t--) {
        for (int to = 0; to < ZC_DTYPE_COUNT; to++) {
            for (int from = 0; from < ZC_DTYPE_COUNT; from++) {
                for (int round = 0; round < ROUNDS; round++)
                    check_map(tested[t], tested[t]->cast[to][from], zc_kernels_portable.cast[to][from], (zc_dtype)from,
                              (zc_dtype)to, "astype");
            }
        }
    }
}

/* A constant is converted by zc_scalar_convert, elements by kernels. */
Test(kernels, conversion_of_an_element_and_of_a_constant_agree)
{
    zc_random_begin("kernels/scalar");
    for (int to = 0; to < ZC_DTYPE_COUNT; to++) {
        for (int from = 0; from < ZC_DTYPE_COUNT; from++) {
            elements x, y = {{0}};
            fill(&x, (zc_dtype)from);
            zc_kernels_portable.cast[to][from](y.bytes, x.bytes, NULL, NULL, LENGTH);
            for (int i = 0; i < LENGTH; i++) {
                zc_scalar s = zc_scalar_load((zc_dtype)from, x.bytes + (size_t)i * zc_dtype_bytes((zc_dtype)from));
                zc_scalar converted = zc_scalar_convert(s, (zc_dtype)from, (zc_dtype)to);
                cr_assert(same(y.bytes + (size_t)i * zc_dtype_bytes((zc_dtype)to), converted.bytes, (zc_dtype)to),
                          "%s to %s", zc_dtype_name((zc_dtype)from), zc_dtype_name((zc_dtype)to));
            }
        }
    }
}

static void check_rows(const zc_kernels *tested, zc_reduction r, zc_dtype d, int64_t length)
{
    int64_t rows = LENGTH / length;
    elements x, got = {{0}}, wanted = {{0}};
    fill(&x, d);
    const zc_dtype partial = zc_reduction_partial(r, d);
    zc_scalar padding = zc_reduction_padding(r, partial);
    tested->rows[r][d](got.bytes, x.bytes, length, rows, padding.bytes);
    zc_kernels_portable.rows[r][d](wanted.bytes, x.bytes, length, rows, padding.bytes);
    expect_same(&got, &wanted, partial, (int)rows, zc_reduction_describe(r)->name, tested->name);
    tested->run[r][d](got.bytes, x.bytes, LENGTH / ZC_LANES * ZC_LANES);
    zc_kernels_portable.run[r][d](wanted.bytes, x.bytes, LENGTH / ZC_LANES * ZC_LANES);
    expect_same(&got, &wanted, partial, ZC_LANES, zc_reduction_describe(r)->name, tested->name);
}

Test(kernels, rows_and_runs_give_the_same_bits_in_every_table)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("kernels/rows");
    for (int t = list_tables(tested) - 1; t > 0; t--) {
        for (int r = 0; r < ZC_REDUCTION_COUNT; r++) {
            for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
                if (zc_kernels_portable.rows[r][d] == NULL)
                    continue;
                check_rows(tested[t], (zc_reduction)r, (zc_dtype)d, zc_random_range(1, LENGTH));
                for (int64_t length = 1; length <= LENGTH; length += length < 4 ? 1 : ZC_LANES - 1)
                    check_rows(tested[t], (zc_reduction)r, (zc_dtype)d, length);
            }
        }
    }
}

/* Rows that a kernel reads one after the other, and some more than it takes at a time. */
static void check_long_rows(const zc_kernels *tested, zc_reduction r, zc_dtype d, int64_t length)
{
    enum { ROWS = 5 };
    static _Alignas(64) unsigned char x[ROWS * 800 * 16];
    const size_t item = zc_dtype_bytes(d), bytes = ROWS * (size_t)length * item;
    elements part, got = {{0}}, wanted = {{0}};
    for (size_t at = 0; at < bytes; at += LENGTH * item) {
        fill(&part, d);
        memcpy(x + at, part.bytes, bytes - at < LENGTH * item ? bytes - at : LENGTH * item);
    }
    const zc_dtype partial = zc_reduction_partial(r, d);
    zc_scalar padding = zc_reduction_padding(r, partial);
    tested->rows[r][d](got.bytes, x, length, ROWS, padding.bytes);
    zc_kernels_portable.rows[r][d](wanted.bytes, x, length, ROWS, padding.bytes);
    expect_same(&got, &wanted, partial, ROWS, zc_reduction_describe(r)->name, tested->name);
    zc_kernels_portable.rows[r][d](wanted.bytes, x, length, 1, padding.bytes);
    expect_same(&got, &wanted, partial, 1, zc_reduction_describe(r)->name, "a row alone");
}

Test(kernels, long_rows_give_the_same_bits_in_every_table)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("kernels/long rows");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int r = 0; r < ZC_REDUCTION_COUNT; r++) {
            for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
                if (zc_kernels_portable.rows[r][d] == NULL)
                    continue;
                check_long_rows(tested[t], (zc_reduction)r, (zc_dtype)d, 512);
                check_long_rows(tested[t], (zc_reduction)r, (zc_dtype)d, zc_random_range(512, 800));
            }
        }
    }
}

/* Fills elements with what operations give: bools are 0 and 1. */
static void fill_joined(elements *e, zc_dtype dtype)
{
    elements any;
    fill(&any, dtype);
    *e = any;
    zc_kernels_portable.map[ZC_OP_COPY][dtype](e->bytes, any.bytes, NULL, NULL, LENGTH);
}

/* Lanes joined by columns, and values joined as a tree, against the operation that joins two, step by step. */
static void check_columns_and_tree(const zc_kernels *k, zc_reduction reduction, zc_dtype dtype)
{
    enum { COLUMNS = 2, ROWS = 5 * ZC_LANES };
    const zc_dtype partial = zc_reduction_partial(reduction, dtype);
    const int64_t element = (int64_t)zc_dtype_bytes(dtype), item = (int64_t)zc_dtype_bytes(partial);
    zc_map_kernel *join = zc_reducer_join(&zc_kernels_portable, reduction, dtype);
    elements x, got, wanted;
    fill_joined(&x, dtype);
    fill_joined(&got, partial);
    wanted = got;
    k->columns[reduction][dtype](got.bytes, x.bytes, COLUMNS * element, COLUMNS, ROWS);
    for (int64_t r = 0; r < ROWS; r++) {
        unsigned char *lane = wanted.bytes + r % ZC_LANES * COLUMNS * item;
        const void *row = x.bytes + r * COLUMNS * element;
        zc_scalar sums[COLUMNS];
        if (zc_reduction_has_log_sums(reduction)) {
            zc_kernels_portable.log_sums[dtype].lift(sums, row, NULL, NULL, COLUMNS);
            row = sums;
        }
        join(lane, lane, row, NULL, COLUMNS);
    }
    expect_same(&got, &wanted, partial, COLUMNS * ZC_LANES, "columns", k->name);
    fill_joined(&got, partial);
    wanted = got;
    k->tree[reduction][dtype](got.bytes, 16);
    for (int64_t n = 16; n > 1; n /= 2) {
        for (int64_t i = 0; i < n / 2; i++)
            join(wanted.bytes + i * item, wanted.bytes + 2 * i * item, wanted.bytes + (2 * i + 1) * item, NULL, 1);
    }
    expect_same(&got, &wanted, partial, 1, "tree", k->name);
}

Test(kernels, columns_and_trees_are_joined_as_two_values_are)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("kernels/columns");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int r = 0; r < ZC_REDUCTION_COUNT; r++) {
            for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
                if (tested[t]->columns[r][d] != NULL)
                    check_columns_and_tree(tested[t], (zc_reduction)r, (zc_dtype)d);
            }
        }
    }
}

Test(kernels, find_and_extremes_agree_with_a_plain_search)
{
    zc_random_begin("kernels/find");
    for (int round = 0; round < 200; round++) {
        float v[LENGTH], best[LENGTH], target = (float)zc_random_range(0, 9);
        int64_t row[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            v[i] = zc_random_range(0, 20) == 0 ? NAN : (float)zc_random_range(0, 9);
            best[i] = zc_random_range(0, 20) == 0 ? NAN : (float)zc_random_range(0, 9);
            row[i] = 1;
        }
        if (zc_random_range(0, 9) == 0)
            target = NAN;
        int64_t wanted = 0;
        while (wanted < LENGTH && v[wanted] != target && !(isnan(v[wanted]) && isnan(target)))
            wanted++;
        cr_assert_eq(zc_kernels_best()->find[ZC_FLOAT32](v, &target, LENGTH), wanted);
        float before[LENGTH];
        memcpy(before, best, sizeof before);
        zc_kernels_best()->extreme[1][ZC_FLOAT32](best, row, v, 0, 7, 1, LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            bool takes = v[i] > before[i] || (isnan(v[i]) && !isnan(before[i]));
            cr_assert_eq(row[i], takes ? 7 : 1);
        }
    }
}

/* Numbers from a few that every dtype has, and NaN where there is one, among other ones; the target at any place, or at
 * none. */
static void check_find(const zc_kernels *k, zc_dtype dtype)
{
    enum { MOST = 300 };
    const int64_t n = zc_random_range(0, MOST), numbers = dtype == ZC_BOOL ? 1 : zc_random_range(1, 40);
    const bool has_nan = zc_dtype_is_wide_float(dtype) || zc_dtype_is_narrow(dtype);
    double values[MOST + 1];
    _Alignas(64) char v[(MOST + 1) * sizeof(zc_scalar)];
    for (int64_t i = 0; i <= n; i++)
        values[i] = has_nan && zc_random_range(0, 30) == 0 ? NAN : (double)zc_random_range(0, numbers);
    if (zc_random_bool())
        values[n] = has_nan && zc_random_bool() ? NAN : 0;
    for (int64_t i = 0; i < n && zc_random_bool(); i++)
        values[i] = 1;
    int64_t wanted = 0;
    while (wanted < n && values[wanted] != values[n] && !(isnan(values[wanted]) && isnan(values[n])))
        wanted++;
    zc_kernels_portable.cast[dtype][ZC_FLOAT64](v, values, NULL, NULL, n + 1);
    cr_assert_eq(k->find[dtype](v, v + (size_t)n * zc_dtype_bytes(dtype), n), wanted, "%s, %s: %ld elements", k->name,
                 zc_dtype_name(dtype), (long)n);
}

Test(kernels, find_gives_the_first_element_of_every_dtype)
{
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("kernels/first");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
            for (int round = 0; round < 100 && tested[t]->find[d] != NULL; round++)
                check_find(tested[t], (zc_dtype)d);
        }
    }
}

/* Bytes of any value are true but 0, in numbers that counters of a byte do not hold. */
Test(kernels, truths_are_counted)
{
    enum { MOST = 100000 };
    static uint8_t bools[MOST];
    const zc_kernels *tested[MOST_TABLES];
    zc_random_begin("kernels/count");
    for (int t = list_tables(tested) - 1; t >= 0; t--) {
        for (int round = 0; round < 50; round++) {
            const int64_t first = zc_random_range(0, 100), n = zc_random_range(0, round % 5 == 0 ? MOST - 100 : 500);
            const bool all = zc_random_bool();
            int64_t wanted = 0;
            for (int64_t i = first; i < first + n; i++) {
                bools[i] = all ? 1 : zc_random_bool() ? 0 : (uint8_t)zc_random_u64();
                wanted += bools[i] != 0;
            }
            cr_assert_eq(tested[t]->count(bools + first, n), wanted, "%s: %ld bools", tested[t]->name, (long)n);
        }
    }
}

/* Transposes elements of every size, in squares of every instruction set and in what is left beside them. */
Test(kernels, transposes_are_those_of_their_definition)
{
    enum { SIDE = 70 };
    static unsigned char from[SIDE * (SIDE + 3) * 16], to[SIDE * SIDE * 16];
    const zc_kernels *tables[MOST_TABLES];
    const int count = list_tables(tables);
    zc_random_begin("kernels/transposes");
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)zc_random_u64();
    for (int i = 0; i < 60 * count * ZC_ITEM_SIZES; i++) {
        const zc_kernels *k = tables[i % count];
        const size_t item = (size_t)1 << i / count % ZC_ITEM_SIZES;
        const int64_t rows = i < 2 * count * ZC_ITEM_SIZES ? 64 : zc_random_range(1, SIDE);
        const int64_t columns = i < 2 * count * ZC_ITEM_SIZES ? 64 : zc_random_range(1, SIDE);
        const int64_t stride = rows + zc_random_range(0, 3);
        k->transpose[zc_item_size(item)](to, from, stride, rows, columns);
        for (int64_t r = 0; r < rows; r++) {
            for (int64_t c = 0; c < columns; c++)
                cr_assert_eq(
                    memcmp(to + (size_t)(r * columns + c) * item, from + (size_t)(c * stride + r) * item, item), 0,
                    "%s: element (%ld, %ld) of (%ld, %ld), %zu bytes", k->name, (long)r, (long)c, (long)rows,
                    (long)columns, item);
        }
    }
}

/* Numbers of 16 bits are searched in blocks; what is not there is found nowhere. Elements are copied onto themselves.
 */
Test(kernels, what_is_not_there_is_not_found_and_copies_may_stay)
{
    elements x = {{0}}, missing = {{0}}, copy;
    for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
        if (zc_kernels_portable.find[d] == NULL)
            continue;
        memset(x.bytes, 0, sizeof x.bytes);
        memset(missing.bytes, 1, sizeof missing.bytes);
        cr_expect_eq(zc_kernels_portable.find[d](x.bytes, missing.bytes, LENGTH), LENGTH, "%s",
                     zc_dtype_name((zc_dtype)d));
        cr_expect_eq(zc_kernels_portable.find[d](x.bytes, x.bytes, LENGTH), 0);
        fill(&x, (zc_dtype)d);
        copy = x;
        zc_kernels_portable.map[ZC_OP_COPY][d](x.bytes, x.bytes, NULL, NULL, LENGTH);
        cr_expect(d == ZC_BOOL || memcmp(x.bytes, copy.bytes, sizeof x.bytes) == 0, "%s", zc_dtype_name((zc_dtype)d));
    }
}
