/*
 * Chains over tables: operands that vary by row, by column, not at all, or everywhere, in rows that are shorter and
 * longer than a chain's tile. The tile executor computes rows where they lie, reads row scalars once, joins columns
 * without copying them, and copies what is only rearranged; all of it gives the bits of the reference executor.
 */
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { MOST_ROWS = 40, MOST_COLUMNS = 2100, MOST = 4 * MOST_ROWS * MOST_COLUMNS };

/* A table of rows * columns; its columns may be every second one, and its rows may lie further apart. */
typedef struct table {
    int64_t rows, columns, gap, step;
} table;

typedef zc_tensor *expression(zc_tensor *x, zc_tensor *y, zc_tensor *row, zc_tensor *column, zc_tensor *one);

static zc_tensor *normalised(zc_tensor *x, zc_tensor *y, zc_tensor *row, zc_tensor *column, zc_tensor *one)
{
    (void)y;
    return zc_add(zc_multiply(zc_multiply(zc_subtract(x, column), column), row), one);
}

static zc_tensor *polynomial(zc_tensor *x, zc_tensor *y, zc_tensor *row, zc_tensor *column, zc_tensor *one)
{
    zc_tensor *p = zc_add(zc_multiply(one, x), column);
    return zc_subtract(one, zc_add(zc_multiply(p, x), zc_multiply(row, zc_square(y))));
}

static zc_tensor *length(zc_tensor *x, zc_tensor *y, zc_tensor *row, zc_tensor *column, zc_tensor *one)
{
    (void)row, (void)one;
    return zc_maximum(zc_add(zc_multiply(x, x), zc_multiply(y, y)), zc_add(column, column));
}

static zc_tensor *clipped(zc_tensor *x, zc_tensor *y, zc_tensor *row, zc_tensor *column, zc_tensor *one)
{
    return zc_clip(zc_add(zc_multiply(zc_subtract(one, x), column), y), zc_minimum(one, column), row);
}

static zc_tensor *unchanged(zc_tensor *x, zc_tensor *y, zc_tensor *row, zc_tensor *column, zc_tensor *one)
{
    (void)y, (void)row, (void)column, (void)one;
    return x;
}

static zc_tensor *columns_alone(zc_tensor *x, zc_tensor *y, zc_tensor *row, zc_tensor *column, zc_tensor *one)
{
    (void)y, (void)one, (void)row;
    return zc_broadcast_to(column, zc_rank(x), zc_shape(x));
}

static zc_tensor *sum_of_columns(zc_tensor *x, zc_tensor *y, zc_tensor *row, zc_tensor *column, zc_tensor *one)
{
    (void)y, (void)column, (void)one;
    return zc_add(zc_sum(x, ZC_AXES(0), true), row);
}

static zc_tensor *sum_of_rows(zc_tensor *x, zc_tensor *y, zc_tensor *row, zc_tensor *column, zc_tensor *one)
{
    (void)y, (void)row, (void)one;
    return zc_add(zc_sum(x, ZC_AXES(1), true), zc_max(column, ZC_AXES(1), true));
}

static zc_tensor *part(zc_tensor *all, int64_t first, int64_t rows, int64_t columns, int64_t step)
{
    zc_tensor *t = zc_slice(all, 0, first, first + rows, 1);
    return zc_slice(t, 1, 0, columns * step, step);
}

/* The expression's elements, in a context of its own. Returns their bytes. */
static size_t compute(const zc_options *options, zc_dtype dtype, const double *values, const table *s, expression *f,
                      void *out)
{
    zc_context *ctx = zc_context_new(options);
    zc_scope *scope = zc_scope_begin(ctx);
    int64_t width = s->columns * s->step + s->gap, height = 3 * s->rows + 1, size = width * height;
    zc_tensor *all = zc_astype(zc_from_data(ctx, ZC_FLOAT64, 1, &size, values, (size_t)size * sizeof *values), dtype);
    zc_tensor *data = NULL;
    cr_assert_eq(zc_materialize(all, &data), ZC_OK, "%s", zc_error_text(ctx));
    zc_tensor *rows = zc_reshape(data, ZC_SHAPE(height, width));
    zc_tensor *x = part(rows, 0, s->rows, s->columns, s->step), *y = part(rows, s->rows, s->rows, s->columns, 1);
    zc_tensor *row = part(rows, 3 * s->rows, 1, s->columns, 1), *column = part(rows, 2 * s->rows, s->rows, 1, 1);
    zc_tensor *result = f(x, y, row, column, zc_weak_int(ctx, 3));
    size_t bytes = (size_t)zc_size(result) * zc_dtype_bytes(zc_dtype_of(result));
    memset(out, 0x5a, bytes);
    cr_assert_eq(zc_materialize_into(result, out, bytes, NULL, 0), ZC_OK, "%s", zc_error_text(ctx));
    zc_scope_end(scope);
    zc_context_free(ctx);
    return bytes;
}

static void check(const table *s, const double *values, expression *f, int number)
{
    static const zc_dtype dtypes[] = {ZC_FLOAT32, ZC_FLOAT64, ZC_INT32, ZC_INT8, ZC_UINT64, ZC_FLOAT16};
    static double wanted[MOST_ROWS * MOST_COLUMNS], got[MOST_ROWS * MOST_COLUMNS];
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        size_t bytes = compute(&(zc_options){.executor = ZC_EXECUTOR_REFERENCE}, dtypes[d], values, s, f, wanted);
        for (int threads = 1; threads <= 2; threads++) {
            compute(&(zc_options){.threads = threads}, dtypes[d], values, s, f, got);
            cr_assert_eq(memcmp(wanted, got, bytes), 0, "%s, expression %d of (%ld, %ld), gap %ld, step %ld",
                         zc_dtype_name(dtypes[d]), number, (long)s->rows, (long)s->columns, (long)s->gap,
                         (long)s->step);
        }
    }
}

Test(chains, over_tables_give_the_bits_of_the_reference)
{
    static expression *const expressions[] = {normalised, polynomial,    length,         clipped,
                                              unchanged,  columns_alone, sum_of_columns, sum_of_rows};
    static const int64_t columns[] = {1, 15, 64, 127, 128, 129, 200, 515, 1024, 2100};
    static double values[MOST];
    zc_random_begin("chains");
    for (int i = 0; i < MOST; i++)
        values[i] = (double)zc_random_range(-90, 90) / (zc_random_range(0, 3) == 0 ? 1.0 : 2.0);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i += (size_t)zc_test_step(3)) {
        for (size_t e = 0; e < sizeof expressions / sizeof *expressions; e++) {
            table s = {.rows = zc_random_range(1, MOST_ROWS), .columns = columns[i]};
            s.gap = zc_random_range(0, 2);
            s.step = s.columns < 600 ? zc_random_range(1, 2) : 1;
            check(&s, values, expressions[e], (int)e);
        }
    }
}
