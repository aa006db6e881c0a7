/* The kernels of contractions: every table's blocks and lanes hold the chains of the definition, written out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/materialize/kernels/tables.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { ROUNDS = 20, MOST_ROWS = 30, MOST_COLUMNS = 128, MOST_LENGTH = 40, MOST_SHORT = 12 };

static zc_scalar draw(zc_dtype dtype)
{
    zc_scalar parts = {.complex128 = {zc_random_double() - 0.5, zc_random_double() - 0.5}};
    if (zc_random_range(0, 9) == 0)
        parts.complex128[0] = -0.0;
    if (zc_dtype_is_complex(dtype))
        return zc_scalar_convert(parts, ZC_COMPLEX128, dtype);
    zc_dtype part = zc_dtype_part(dtype);
    bool is_float = part == ZC_FLOAT32 || part == ZC_FLOAT64;
    return is_float ? zc_scalar_convert((zc_scalar){.float64 = parts.complex128[0]}, ZC_FLOAT64, dtype)
                    : zc_scalar_convert((zc_scalar){.int64 = zc_random_range(-128, 127)}, ZC_INT64, dtype);
}

static void fill(zc_dtype dtype, char *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(to + (size_t)i * zc_dtype_bytes(dtype), draw(dtype).bytes, zc_dtype_bytes(dtype));
}

static float add_float(float x, float y, float sum, bool is_first)
{
    return is_first ? x * y : fmaf(x, y, sum);
}

static double add_double(double x, double y, double sum, bool is_first)
{
    return is_first ? x * y : fma(x, y, sum);
}

/* An element, by its parts where it has them. */
typedef union number {
    zc_scalar scalar;
    float f[2];
    double d[2];
    uint64_t u;
} number;

/* sum + x y as the definition has it; the first product has no sum. */
static void add_product(zc_dtype dtype, const number *x, const number *y, bool is_first, bool is_exchanged, number *sum)
{
    const float *a = x->f, *b = y->f;
    const double *c = x->d, *d = y->d;
    int i = is_exchanged ? 1 : 0, j = 1 - i; /* which part of x makes the first product of the imaginary part */
    uint64_t product = x->u * y->u;
    switch (dtype) {
    case ZC_FLOAT32:
        sum->f[0] = add_float(a[0], b[0], sum->f[0], is_first);
        break;
    case ZC_FLOAT64:
        sum->d[0] = add_double(c[0], d[0], sum->d[0], is_first);
        break;
    case ZC_COMPLEX64:
        sum->f[0] = fmaf(-a[1], b[1], add_float(a[0], b[0], sum->f[0], is_first));
        sum->f[1] = fmaf(a[j], b[i], add_float(a[i], b[j], sum->f[1], is_first));
        break;
    case ZC_COMPLEX128:
        sum->d[0] = fma(-c[1], d[1], add_double(c[0], d[0], sum->d[0], is_first));
        sum->d[1] = fma(c[j], d[i], add_double(c[i], d[j], sum->d[1], is_first));
        break;
    default:
        sum->u = is_first ? product : sum->u + product; /* of which the lowest bits count */
        break;
    }
}

typedef struct operands {
    char x[MOST_ROWS * MOST_LENGTH * sizeof(zc_scalar)], y[MOST_LENGTH * MOST_COLUMNS * sizeof(zc_scalar)];
    char sums[MOST_ROWS * MOST_COLUMNS * sizeof(zc_scalar)], before[MOST_ROWS * MOST_COLUMNS * sizeof(zc_scalar)];
} operands;

static number load(zc_dtype dtype, const char *from, int64_t at)
{
    return (number){zc_scalar_load(dtype, from + (size_t)at * zc_dtype_bytes(dtype))};
}

/* Checks the sums of a block; in half a block, those of the last columns are anything. */
static void check_block(const zc_kernels *table, zc_dtype dtype, operands *o)
{
    const zc_contract_kernels *k = &table->contract[dtype];
    const int64_t length = zc_random_range(1, MOST_LENGTH), columns = k->columns;
    zc_contract_tile tile = {.x = o->x,
                             .y = o->y,
                             .sums = o->sums,
                             .x_row = length,
                             .y_row = columns,
                             .sums_row = columns,
                             .length = length,
                             .rows = (int)zc_random_range(1, MOST_ROWS),
                             .adds = zc_random_bool(),
                             .is_exchanged = zc_random_bool(),
                             .is_half = zc_random_range(0, 3) == 0};
    memcpy(o->sums, o->before, sizeof o->sums);
    k->block(&tile);
    for (int64_t i = 0; i < tile.rows * columns; i++) {
        if (tile.is_half && i % columns >= columns / 2)
            continue;
        number sum = {.d = {0}}, before = load(dtype, o->before, i);
        for (int64_t p = 0; p < length; p++) {
            number x = load(dtype, o->x, i / columns * length + p), y = load(dtype, o->y, p * columns + i % columns);
            add_product(dtype, &x, &y, p == 0, tile.is_exchanged, &sum);
        }
        if (tile.adds)
            zc_kernels_portable.map[ZC_OP_ADD][dtype](sum.scalar.bytes, before.scalar.bytes, sum.scalar.bytes, NULL, 1);
        cr_assert_eq(memcmp(sum.scalar.bytes, o->sums + (size_t)i * zc_dtype_bytes(dtype), zc_dtype_bytes(dtype)), 0,
                     "%s of %s: sum %ld of %d rows, %ld products", table->name, zc_dtype_name(dtype), (long)i,
                     tile.rows, (long)length);
    }
}

static void check_lanes(const zc_kernels *table, zc_dtype dtype, operands *o)
{
    const int64_t length = zc_random_range(1, MOST_LENGTH);
    table->contract[dtype].lanes(o->sums, o->x, o->y, length);
    for (int64_t l = 0; l < ZC_CONTRACT_LANES; l++) {
        number sum = {.d = {0}};
        for (int64_t p = 0; p < length; p++) {
            number x = load(dtype, o->x, p * ZC_CONTRACT_LANES + l), y = load(dtype, o->y, p * ZC_CONTRACT_LANES + l);
            add_product(dtype, &x, &y, p == 0, false, &sum);
        }
        cr_assert_eq(memcmp(sum.scalar.bytes, o->sums + (size_t)l * zc_dtype_bytes(dtype), zc_dtype_bytes(dtype)), 0,
                     "%s of %s: lane %ld", table->name, zc_dtype_name(dtype), (long)l);
    }
}

static void conjugate(zc_dtype dtype, number *x)
{
    if (dtype == ZC_COMPLEX64)
        x->f[1] = -x->f[1];
    else if (dtype == ZC_COMPLEX128)
        x->d[1] = -x->d[1];
}

static void compare_inner(const zc_kernels *table, zc_dtype dtype, const zc_contract_inner *inner)
{
    for (int64_t l = 0; l < inner->lanes; l++) {
        number sum = {.d = {0}};
        for (int64_t p = 0; p < inner->length; p++) {
            number x = load(dtype, inner->x, l * inner->x_lane + p), y = load(dtype, inner->y, l * inner->y_lane + p);
            if (inner->is_conjugated)
                conjugate(dtype, inner->is_exchanged ? &y : &x);
            add_product(dtype, &x, &y, p == 0, inner->is_exchanged, &sum);
        }
        const char *got = (const char *)inner->sums + (size_t)l * zc_dtype_bytes(dtype);
        cr_assert_eq(memcmp(sum.scalar.bytes, got, zc_dtype_bytes(dtype)), 0,
                     "%s of %s: lane %ld of %d, %ld and %ld apart, %ld products", table->name, zc_dtype_name(dtype),
                     (long)l, inner->lanes, (long)inner->x_lane, (long)inner->y_lane, (long)inner->length);
    }
}

static int draw_inner_lanes(const zc_kernels *table, zc_dtype dtype)
{
    return zc_random_bool() ? ZC_CONTRACT_LANES : table->contract[dtype].inner_lanes;
}

static void check_inner(const zc_kernels *table, zc_dtype dtype, operands *o)
{
    const int lanes = ZC_CONTRACT_LANES * (int)zc_random_range(1, 5);
    const int64_t length = zc_random_range(1, zc_random_bool() ? MOST_SHORT : MOST_LENGTH);
    const int64_t most = (MOST_ROWS * MOST_LENGTH - length) / (lanes - 1);
    const zc_contract_inner inner = {.x = o->x,
                                     .y = o->y,
                                     .sums = o->sums,
                                     .x_lane = zc_random_bool() ? 0 : zc_random_range(1, most),
                                     .y_lane = zc_random_range(0, most),
                                     .length = length,
                                     .lanes = lanes,
                                     .fetched = (zc_fetched)zc_random_range(0, ZC_FETCHED_IN_ORDER),
                                     .is_exchanged = zc_random_bool(),
                                     .is_conjugated = zc_random_bool()};
    table->contract[dtype].inner(&inner);
    compare_inner(table, dtype, &inner);
}

/* Chains of one run or of several, one after the other. */
static void check_inner_chains(const zc_kernels *table, zc_dtype dtype, const operands *o)
{
    enum { MOST = ZC_INNER_LANES * ZC_CHAIN * sizeof(zc_scalar) };
    static _Alignas(sizeof(double)) char x[MOST], y[MOST];
    static zc_scalar sums[ZC_INNER_LANES];
    for (size_t i = 0; i < MOST; i++) {
        x[i] = o->x[i % (MOST_ROWS * MOST_LENGTH * zc_dtype_bytes(dtype))];
        y[i] = o->y[i % (MOST_LENGTH * MOST_COLUMNS * zc_dtype_bytes(dtype))];
    }
    const zc_contract_inner inner = {.x = x,
                                     .y = y,
                                     .sums = sums,
                                     .x_lane = ZC_CHAIN,
                                     .y_lane = ZC_CHAIN,
                                     .length = zc_random_bool() ? ZC_CHAIN : zc_random_range(1, ZC_CHAIN),
                                     .lanes = draw_inner_lanes(table, dtype),
                                     .fetched = (zc_fetched)zc_random_range(0, ZC_FETCHED_IN_ORDER),
                                     .is_exchanged = zc_random_bool(),
                                     .is_conjugated = zc_random_bool()};
    table->contract[dtype].inner(&inner);
    compare_inner(table, dtype, &inner);
}

/* One row with rows that are powers of two apart, which share places of the first-level cache. */
static void check_inner_apart(const zc_kernels *table, zc_dtype dtype, const operands *o)
{
    enum { MOST_LANES = 3 * ZC_CONTRACT_LANES, APART = 4096, MOST = MOST_LANES * APART };
    static _Alignas(sizeof(double)) char y[MOST];
    static zc_scalar sums[MOST_LANES];
    const size_t item = zc_dtype_bytes(dtype);
    const int64_t apart = (APART >> zc_random_range(0, 3)) / (int64_t)item;
    for (int64_t l = 0; l < MOST_LANES; l++)
        memcpy(y + (size_t)(l * apart) * item, o->y + (size_t)l * item, MOST_LENGTH * item);
    const zc_contract_inner inner = {.x = o->x,
                                     .y = y,
                                     .sums = sums,
                                     .y_lane = apart,
                                     .length = zc_random_range(1, MOST_LENGTH),
                                     .lanes = ZC_CONTRACT_LANES * (int)zc_random_range(1, 3),
                                     .fetched = (zc_fetched)zc_random_range(0, ZC_FETCHED_IN_ORDER),
                                     .is_exchanged = zc_random_bool(),
                                     .is_conjugated = zc_random_bool()};
    table->contract[dtype].inner(&inner);
    compare_inner(table, dtype, &inner);
}

static void check_row(const zc_kernels *table, zc_dtype dtype, operands *o)
{
    const int64_t length = zc_random_range(1, MOST_LENGTH), least = table->contract[dtype].columns / 2;
    const int64_t columns = zc_random_range(least, MOST_COLUMNS), y_row = zc_random_range(-MOST_COLUMNS, MOST_COLUMNS);
    const int64_t before_y = y_row < 0 ? -y_row * (length - 1) : 0;
    const zc_contract_row row = {.x = o->x,
                                 .y = o->y + (size_t)before_y * zc_dtype_bytes(dtype),
                                 .sums = o->sums,
                                 .y_row = y_row,
                                 .length = length,
                                 .columns = columns,
                                 .is_exchanged = zc_random_bool()};
    memcpy(o->sums, o->before, sizeof o->sums);
    table->contract[dtype].row(&row);
    for (int64_t c = 0; c < columns; c++) {
        number sum = {.d = {0}};
        for (int64_t p = 0; p < length; p++) {
            number x = load(dtype, o->x, p), y = load(dtype, o->y, before_y + p * y_row + c);
            add_product(dtype, &x, &y, p == 0, row.is_exchanged, &sum);
        }
        cr_assert_eq(memcmp(sum.scalar.bytes, o->sums + (size_t)c * zc_dtype_bytes(dtype), zc_dtype_bytes(dtype)), 0,
                     "%s of %s: column %ld of %ld, %ld products of rows %ld apart", table->name, zc_dtype_name(dtype),
                     (long)c, (long)columns, (long)length, (long)y_row);
    }
    const size_t bytes = (size_t)columns * zc_dtype_bytes(dtype);
    cr_assert_eq(memcmp(o->sums + bytes, o->before + bytes, sizeof o->sums - bytes), 0, "%s of %s: %ld columns alone",
                 table->name, zc_dtype_name(dtype), (long)columns);
}

/* Results side by side, of factors anywhere. */
static void check_batches(const zc_kernels *table, zc_dtype dtype, operands *o)
{
    int64_t x_at[MOST_LENGTH], y_at[MOST_LENGTH];
    const int64_t length = zc_random_range(1, MOST_LENGTH), count = zc_random_range(1, MOST_COLUMNS);
    for (int64_t k = 0; k < length; k++) {
        x_at[k] = zc_random_range(0, MOST_ROWS * MOST_LENGTH - count);
        y_at[k] = zc_random_range(0, MOST_LENGTH * MOST_COLUMNS - count);
    }
    const zc_contract_batches batches = {
        .x = o->x, .y = o->y, .sums = o->sums, .x_at = x_at, .y_at = y_at, .length = length, .count = count};
    memcpy(o->sums, o->before, sizeof o->sums);
    table->contract[dtype].batches(&batches);
    for (int64_t r = 0; r < count; r++) {
        number sum = {.d = {0}};
        for (int64_t p = 0; p < length; p++) {
            number x = load(dtype, o->x, x_at[p] + r), y = load(dtype, o->y, y_at[p] + r);
            add_product(dtype, &x, &y, p == 0, false, &sum);
        }
        cr_assert_eq(memcmp(sum.scalar.bytes, o->sums + (size_t)r * zc_dtype_bytes(dtype), zc_dtype_bytes(dtype)), 0,
                     "%s of %s: result %ld of %ld, %ld products", table->name, zc_dtype_name(dtype), (long)r,
                     (long)count, (long)length);
    }
    const size_t bytes = (size_t)count * zc_dtype_bytes(dtype);
    cr_assert_eq(memcmp(o->sums + bytes, o->before + bytes, sizeof o->sums - bytes), 0, "%s of %s: %ld results alone",
                 table->name, zc_dtype_name(dtype), (long)count);
}

/* As many columns as half a vector has, a vector or two, or fewer: as many behind the last sum are written, too. Rows
 * of the matrix are apart as vectors are, or nearer, as where it is read in place; the same rows or matrix for all
 * batches, too. */
static void check_narrow(const zc_kernels *table, zc_dtype dtype, operands *o)
{
    enum { MOST_BATCHES = 3, MOST_FACTORS = 12 };
    const int64_t both = table->contract[dtype].columns, columns = zc_random_range(1, both);
    const int64_t lanes = columns <= both / 4 ? both / 4 : columns <= both / 2 ? both / 2 : both;
    const int64_t batches = zc_random_range(1, MOST_BATCHES);
    const int64_t length = zc_random_range(1, batches > 1 ? MOST_FACTORS : MOST_LENGTH);
    const int64_t rows = zc_random_range(1, batches > 1 ? MOST_ROWS / MOST_BATCHES - 1 : MOST_ROWS - 1);
    const int64_t y_row = zc_random_range(columns, lanes);
    const bool is_turned = zc_random_bool();
    const zc_contract_narrow narrow = {.x = o->x,
                                       .y = o->y,
                                       .sums = o->sums,
                                       .x_batch = zc_random_bool() ? 0 : rows * length,
                                       .x_row = is_turned ? 1 : length,
                                       .x_step = is_turned ? rows : 1,
                                       .y_batch = zc_random_bool() ? 0 : length * y_row,
                                       .y_row = y_row,
                                       .length = length,
                                       .rows = rows,
                                       .columns = columns,
                                       .batches = batches};
    memcpy(o->sums, o->before, sizeof o->sums);
    table->contract[dtype].narrow(&narrow);
    for (int64_t i = 0; i < batches * rows * columns; i++) {
        const int64_t b = i / columns / rows, r = i / columns % rows;
        number sum = {.d = {0}};
        for (int64_t p = 0; p < length; p++) {
            number x = load(dtype, o->x, b * narrow.x_batch + r * narrow.x_row + p * narrow.x_step);
            number y = load(dtype, o->y, b * narrow.y_batch + p * y_row + i % columns);
            add_product(dtype, &x, &y, p == 0, false, &sum);
        }
        cr_assert_eq(memcmp(sum.scalar.bytes, o->sums + (size_t)i * zc_dtype_bytes(dtype), zc_dtype_bytes(dtype)), 0,
                     "%s of %s: sum %ld of %ld batches of %ld rows, %ld columns, %ld products", table->name,
                     zc_dtype_name(dtype), (long)i, (long)batches, (long)rows, (long)columns, (long)length);
    }
    const size_t bytes = (size_t)(batches * rows * columns + lanes) * zc_dtype_bytes(dtype);
    cr_assert_eq(memcmp(o->sums + bytes, o->before + bytes, sizeof o->sums - bytes), 0, "%s of %s: %ld columns alone",
                 table->name, zc_dtype_name(dtype), (long)columns);
}

/* Matrices of four by four: rows of one, or of several batches; the same matrix or row for all of them, too. */
static void check_squares(const zc_kernels *table, zc_dtype dtype, operands *o)
{
    const int64_t rows = ZC_SQUARE_SIDE * zc_random_range(1, 3), batches = zc_random_range(1, 3);
    const zc_contract_squares squares = {.x = o->x,
                                         .y = o->y,
                                         .sums = o->sums,
                                         .x_batch = zc_random_range(0, 50),
                                         .y_batch = zc_random_range(0, 50),
                                         .y_row = zc_random_range(0, 9),
                                         .rows = rows,
                                         .batches = batches};
    memcpy(o->sums, o->before, sizeof o->sums);
    table->contract[dtype].squares(&squares);
    const int64_t count = batches * rows * ZC_SQUARE_SIDE;
    for (int64_t i = 0; i < count; i++) {
        const int64_t b = i / ZC_SQUARE_SIDE / rows, r = i / ZC_SQUARE_SIDE % rows, c = i % ZC_SQUARE_SIDE;
        number sum = {.d = {0}};
        for (int64_t p = 0; p < ZC_SQUARE_SIDE; p++) {
            number x = load(dtype, o->x, b * squares.x_batch + r * ZC_SQUARE_SIDE + p);
            number y = load(dtype, o->y, b * squares.y_batch + p * squares.y_row + c);
            add_product(dtype, &x, &y, p == 0, false, &sum);
        }
        cr_assert_eq(memcmp(sum.scalar.bytes, o->sums + (size_t)i * zc_dtype_bytes(dtype), zc_dtype_bytes(dtype)), 0,
                     "%s of %s: sum %ld of %ld rows of %ld squares", table->name, zc_dtype_name(dtype), (long)i,
                     (long)rows, (long)batches);
    }
    const size_t bytes = (size_t)count * zc_dtype_bytes(dtype);
    cr_assert_eq(memcmp(o->sums + bytes, o->before + bytes, sizeof o->sums - bytes), 0, "%s of %s: %ld squares alone",
                 table->name, zc_dtype_name(dtype), (long)batches);
}

Test(contract_kernels, hold_the_chains_of_the_definition)
{
    zc_skip_of_one_thread();
    zc_random_begin("contract_kernels");
    operands *o = malloc(sizeof *o);
    const zc_kernels *tables[MOST_TABLES];
    const int count = list_tables(tables);
    for (int t = 0; t < count; t++) {
        for (int dtype = 0; dtype < ZC_DTYPE_COUNT; dtype++) {
            if (tables[t]->contract[dtype].block == NULL)
                continue;
            fill((zc_dtype)dtype, o->x, MOST_ROWS * MOST_LENGTH);
            fill((zc_dtype)dtype, o->y, MOST_LENGTH * MOST_COLUMNS);
            fill((zc_dtype)dtype, o->before, MOST_ROWS * MOST_COLUMNS);
            for (int i = 0; i < zc_test_count(ROUNDS); i++) {
                check_block(tables[t], (zc_dtype)dtype, o);
                check_batches(tables[t], (zc_dtype)dtype, o);
                check_lanes(tables[t], (zc_dtype)dtype, o);
                check_inner(tables[t], (zc_dtype)dtype, o);
                check_inner_chains(tables[t], (zc_dtype)dtype, o);
                check_inner_apart(tables[t], (zc_dtype)dtype, o);
                if (tables[t]->contract[dtype].row == NULL)
                    continue;
                check_row(tables[t], (zc_dtype)dtype, o);
                if (tables[t]->contract[dtype].narrow == NULL)
                    continue;
                check_narrow(tables[t], (zc_dtype)dtype, o);
                check_squares(tables[t], (zc_dtype)dtype, o);
            }
        }
    }
    free(o);
}
