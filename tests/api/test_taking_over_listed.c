/*
 * Updates at listed positions that write into the memory of what they update: of every dtype, in each way of listing
 * positions and of updating, and what becomes of rows that were read before.
 */
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { ROWS = 60, COLUMNS = 100, SIZE = ROWS * COLUMNS };

static zc_tensor *list(bench b, int rank, const int64_t *shape, int64_t first, int64_t step, int64_t extent)
{
    int64_t count = 1;
    for (int a = 0; a < rank; a++)
        count *= shape[a];
    int64_t numbers[SIZE];
    for (int64_t i = 0; i < count; i++)
        numbers[i] = (first + i * step) % extent - (i % 3 == 0 ? extent : 0); /* some from the end */
    return zc_from_data(b.ctx, ZC_INT64, rank, shape, numbers, (size_t)count * sizeof *numbers);
}

enum { ONE_BY_ONE, ROWS_BY_COLUMNS, ALONG_ROWS, WHOLE_ROWS, PAIRS, CROSSED, WINDOW, WAYS };

/* Places of x, some of them more than once. */
static zc_tensor *places_of(bench b, const zc_tensor *x, int way)
{
    zc_tensor *all = zc_places(x), *square = zc_reshape(all, ZC_SHAPE(ROWS, COLUMNS));
    zc_tensor *rows = list(b, ZC_SHAPE(5), 7, 13, ROWS), *columns = list(b, ZC_SHAPE(7), 3, 50, COLUMNS);
    switch (way) {
    case ONE_BY_ONE:
        return zc_take(all, list(b, ZC_SHAPE(300), 11, 1501, SIZE), 0);
    case ROWS_BY_COLUMNS:
        return zc_take(zc_take(square, rows, 0), columns, 1);
    case ALONG_ROWS:
        return zc_take_along_axis(square, list(b, ZC_SHAPE(ROWS, 3), 5, 33, COLUMNS), 1);
    case WHOLE_ROWS:
        return zc_take(square, list(b, ZC_SHAPE(2), 7, 13, ROWS), 0);
    case PAIRS:
        return zc_gather(
            square, ZC_AXES(0, 1),
            (const zc_tensor *const[]){list(b, ZC_SHAPE(90), 7, 13, ROWS), list(b, ZC_SHAPE(90), 3, 50, COLUMNS)});
    case CROSSED:
        return zc_gather(square, ZC_AXES(0, 1),
                         (const zc_tensor *const[]){list(b, ZC_SHAPE(5, 1), 7, 13, ROWS), columns});
    default: /* which adds, too, where the others list */
        return zc_slice(all, 0, 100, 400, 2);
    }
}

static void read_doubles(const zc_tensor *t, double *out)
{
    const zc_tensor *real = zc_dtype_of(t) == ZC_COMPLEX128 ? zc_real(t) : t;
    cr_assert_eq(zc_materialize_into(zc_astype(real, ZC_FLOAT64), out, SIZE * sizeof *out, NULL, 0), ZC_OK);
}

Test(taking_over_listed, elements_of_every_size_are_put)
{
    static const zc_dtype dtypes[] = {ZC_BOOL, ZC_UINT8, ZC_FLOAT16, ZC_INT32, ZC_FLOAT64, ZC_COMPLEX128};
    static double wanted[SIZE], got[SIZE];
    static int64_t numbers[SIZE];
    for (int run = 0; run < 6 * WAYS * 4; run++) {
        const zc_dtype dtype = dtypes[run % 6];
        const int way = run / 6 % WAYS;
        const bool adds = run / 6 / WAYS % 2 != 0 && dtype != ZC_BOOL, is_one = run / 6 / WAYS / 2 != 0;
        const bench b = begin();
        zc_tensor *counted = numbers_in_memory(b, ZC_FLOAT64, SIZE), *x = NULL;
        zc_scope *scope = zc_scope_begin(b.ctx);
        const zc_tensor *few = zc_remainder(counted, zc_weak_float(b.ctx, 2));
        cr_assert_eq(zc_materialize(zc_astype(few, dtype), &x), ZC_OK);
        read_doubles(x, wanted);
        const zc_tensor *places = places_of(b, x, way);
        const int64_t count = zc_size(places);
        cr_assert_eq(zc_materialize_into(places, numbers, sizeof numbers, NULL, 0), ZC_OK);
        const zc_tensor *one = zc_astype(zc_weak_int(b.ctx, 1), dtype);
        const zc_tensor *made = zc_astype(zc_remainder(zc_iota(b.ctx, count), zc_weak_int(b.ctx, 2)), dtype);
        const zc_tensor *values = is_one ? one : zc_reshape(made, zc_rank(places), zc_shape(places));
        zc_tensor *updated = zc_keep(zc_update(x, places, values, adds ? ZC_UPDATE_ADD : ZC_UPDATE_SET));
        cr_assert_not_null(updated, "%s", zc_error_text(b.ctx));
        for (int64_t i = 0; i < count; i++)
            wanted[numbers[i]] = (adds ? wanted[numbers[i]] : 0) + (is_one ? 1 : (double)(i % 2));
        zc_scope_end(scope);
        zc_release(counted);
        scope = zc_scope_begin(b.ctx);
        const zc_tensor *read = zc_slice(updated, 0, 0, 1, 1);
        if (dtype != ZC_FLOAT16 || !adds) /* what is added to 16 bits is, in 32 */
            cr_expect_lt(cost_of(read).peak_bytes, SIZE * (int64_t)zc_dtype_bytes(dtype), "run %d is copied", run);
        (void)value_at(read, 0);
        read_doubles(updated, got);
        cr_expect_eq(memcmp(got, wanted, sizeof got), 0, "run %d", run);
        zc_scope_end(scope);
        zc_release(updated);
        finish(b);
    }
}

/* ---- What was read before ---- */

enum { LARGE = 20000, SMALL = 2000, LISTED = 600 };

/* Assigns to a table's elements, some of which were read into memory before; the peak of reading one afterwards, and
 * the status of the gradient of what was read by what the table was made of. */
static int64_t peak_of_writing(bench b, int64_t size, zc_status *status)
{
    zc_tensor *w = numbers_in_memory(b, ZC_FLOAT64, size), *out = NULL;
    zc_scope *scope = zc_scope_begin(b.ctx);
    zc_tensor *table = zc_keep(zc_multiply(w, zc_weak_float(b.ctx, 2)));
    cr_assert_eq(zc_materialize(table, &out), ZC_OK);
    const zc_tensor *numbers = zc_multiply(zc_iota(b.ctx, LISTED), zc_weak_int(b.ctx, 3));
    cr_assert_eq(zc_materialize(numbers, &out), ZC_OK);
    zc_tensor *rows = zc_keep(zc_take(table, out, 0)), *read = NULL;
    cr_assert_eq(zc_materialize(rows, &read), ZC_OK);
    cr_expect(!writes_at_once(&table, zc_take(zc_places(table), out, 0), zc_add(rows, zc_weak_float(b.ctx, 1))));
    zc_scope_end(scope);
    scope = zc_scope_begin(b.ctx);
    const zc_tensor *element = zc_slice(table, 0, 3, 4, 1), *one = zc_weak_float(b.ctx, 1);
    const int64_t peak = cost_of(element).peak_bytes;
    cr_expect_eq(value_at(element, 0), 7);
    zc_tensor *gradient = NULL;
    const zc_tensor *const by[] = {w};
    const zc_tensor *sum = zc_sum(rows, ZC_ALL_AXES, false);
    *status = zc_vjp(sum, zc_astype(one, ZC_FLOAT64), 1, by, &gradient);
    if (*status == ZC_OK)
        cr_expect(value_at(gradient, 3) == 2 && value_at(gradient, 4) == 0);
    else
        cr_expect_not_null(strstr(zc_error_text(b.ctx), "variable()"));
    zc_error_clear(b.ctx);
    zc_scope_end(scope);
    zc_release(rows);
    zc_release(table);
    zc_release(w);
    return peak;
}

Test(taking_over_listed, what_read_a_large_table_forgets_it)
{
    const bench b = begin();
    zc_status status;
    cr_expect_lt(peak_of_writing(b, LARGE, &status), LARGE * 8 / 2);
    cr_expect_eq(status, ZC_ERROR_ARGUMENT);
    cr_expect_geq(peak_of_writing(b, SMALL, &status), SMALL * 8);
    cr_expect_eq(status, ZC_OK);
    finish(b);
}

/* Threads may have tensors of it by then. */
Test(taking_over_listed, what_read_a_shared_table_has_its_gradient)
{
    const bench b = begin(), other = begin();
    zc_tensor *given = numbers_in_memory(b, ZC_FLOAT64, 3);
    zc_status status;
    cr_assert_not_null(zc_adopt(other.ctx, given));
    cr_expect_geq(peak_of_writing(b, LARGE, &status), LARGE * 8);
    cr_expect_eq(status, ZC_OK);
    zc_release(given);
    finish(other);
    finish(b);
}

/* More than are put while other threads wait. */
Test(taking_over_listed, many_elements_are_put_into_a_copy)
{
    enum { ELEMENTS = 1 << 21, MANY = (1 << 17) + 1 };
    const bench b = begin();
    zc_tensor *x = NULL, *at = NULL;
    const zc_tensor *zeros = zc_remainder(zc_iota(b.ctx, ELEMENTS), zc_weak_int(b.ctx, 1));
    cr_assert_eq(zc_materialize(zc_astype(zeros, ZC_UINT8), &x), ZC_OK);
    cr_assert_eq(zc_materialize(zc_multiply(zc_iota(b.ctx, MANY), zc_weak_int(b.ctx, 3)), &at), ZC_OK);
    cr_assert_eq(zc_assign(&x, zc_take(zc_places(x), at, 0), zc_weak_int(b.ctx, 1)), ZC_OK, "%s", zc_error_text(b.ctx));
    EXPECT(zc_sum(zc_astype(x, ZC_INT64), ZC_ALL_AXES, false), MANY);
    EXPECT(zc_index(x, 0, 3 * (MANY - 1)), 1);
    zc_release(x);
    zc_release(at);
    finish(b);
}
