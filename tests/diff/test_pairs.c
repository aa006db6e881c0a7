/*
 * Sums over pairs of rows, which the tile executor computes in blocks of its own: the same bits as from the reference
 * executor, for every length of rows, every number of them, and every layout that leads there.
 */
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { MOST = 3 * 18 * 2502, MOST_PAIRS = 3 * 40 * 700 };

typedef struct shape {
    int64_t batches, rows, columns, length;
    int64_t gap; /* elements between rows */
    bool swapped;
} shape;

/* sum(x[i] * y[j]), sum((x[i] - y[j])**2) or its mean, in a context of its own. */
static void compute(const zc_options *options, zc_dtype dtype, const double *values, const shape *s, int which,
                    double *out)
{
    zc_context *ctx = zc_context_new(options);
    zc_scope *scope = zc_scope_begin(ctx);
    int64_t width = s->length + s->gap, height = s->rows + s->columns, size = s->batches * height * width;
    zc_tensor *all = zc_astype(zc_from_data(ctx, ZC_FLOAT64, 1, &size, values, (size_t)size * sizeof *values), dtype);
    zc_tensor *data = NULL;
    cr_assert_eq(zc_materialize(all, &data), ZC_OK, "%s", zc_error_text(ctx));
    zc_tensor *table = zc_slice(zc_reshape(data, ZC_SHAPE(s->batches, height, width)), 2, 0, s->length, 1);
    zc_tensor *x = zc_expand_dims(zc_slice(table, 1, 0, s->rows, 1), s->swapped ? 1 : 2);
    zc_tensor *y = zc_expand_dims(zc_slice(table, 1, s->rows, ZC_NONE, 1), s->swapped ? 2 : 1);
    zc_tensor *d = zc_subtract(x, y), *t = which == 0   ? zc_multiply(x, y)
                                           : which == 1 ? zc_square(d)
                                                        : zc_multiply(d, d);
    zc_tensor *sums = which == 3 ? zc_mean(t, ZC_AXES(3), false) : zc_sum(t, ZC_AXES(3), false);
    size_t bytes = (size_t)(s->batches * s->rows * s->columns) * sizeof *out;
    cr_assert_eq(zc_materialize_into(zc_astype(sums, ZC_FLOAT64), out, bytes, NULL, 0), ZC_OK, "%s",
                 zc_error_text(ctx));
    zc_scope_end(scope);
    zc_context_free(ctx);
}

static void check(const shape *s, const double *values)
{
    static double wanted[MOST_PAIRS], got[MOST_PAIRS];
    for (int which = 0; which < 4; which++) {
        for (int d = 0; d < 2; d++) {
            zc_dtype dtype = d == 0 ? ZC_FLOAT32 : ZC_FLOAT64;
            compute(&(zc_options){.executor = ZC_EXECUTOR_REFERENCE}, dtype, values, s, which, wanted);
            for (int threads = 1; threads <= 2; threads++) {
                compute(&(zc_options){.threads = threads}, dtype, values, s, which, got);
                cr_assert_eq(memcmp(wanted, got, (size_t)(s->batches * s->rows * s->columns) * sizeof *got), 0,
                             "%s, case %d of %ld times (%ld, %ld) rows of %ld, %ld apart", zc_dtype_name(dtype), which,
                             (long)s->batches, (long)s->rows, (long)s->columns, (long)s->length, (long)s->gap);
            }
        }
    }
}

Test(pairs, give_the_bits_of_the_reference)
{
    static const int64_t lengths[] = {1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 47, 64, 100, 128, 129, 1024, 1025, 2500};
    static double values[MOST];
    zc_random_begin("pairs");
    for (int i = 0; i < MOST; i++)
        values[i] = (zc_random_double() - 0.5) * (zc_random_range(0, 9) == 0 ? 1e6 : 1);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i += (size_t)zc_test_stride()) {
        for (int k = 0; k < 3; k++) {
            shape s = {.batches = zc_random_range(1, 3),
                       .length = lengths[i],
                       .gap = zc_random_range(0, 2),
                       .swapped = zc_random_bool()};
            bool is_wide = s.length < 50 && k > 0;
            s.rows = zc_random_range(2, s.length > 500 ? 9 : is_wide ? 40 : 20);
            s.columns = zc_random_range(2, s.length > 500 ? 9 : is_wide ? 700 : 20);
            check(&s, values);
        }
    }
}

/* ---- What is no such sum, or next to one ---- */

enum { ROWS = 9, LENGTH = 32 };

/* One of several ways to combine x (ROWS, 1, LENGTH) and y (1, ROWS, LENGTH), reduced over the last axis. */
static zc_tensor *combine(int which, const zc_tensor *x, const zc_tensor *y)
{
    zc_context *ctx = zc_context_of(x);
    zc_tensor *d = zc_subtract(x, y), *own = zc_subtract(x, x);
    switch (which) {
    case 0:
        return zc_sum(zc_divide(x, y), ZC_AXES(2), false);
    case 1:
        return zc_sum(zc_abs(d), ZC_AXES(2), false);
    case 2:
        return zc_sum(zc_square(zc_add(x, y)), ZC_AXES(2), false);
    case 3:
        return zc_sum(zc_multiply(zc_broadcast_to(x, ZC_SHAPE(ROWS, ROWS, LENGTH)), x), ZC_AXES(2), false);
    case 4:
        return zc_add(zc_sum(zc_square(own), ZC_AXES(2), false), zc_sum(zc_multiply(y, y), ZC_AXES(2), false));
    case 5:
        return zc_max(zc_multiply(x, y), ZC_AXES(2), false);
    case 6:
        return zc_prod(zc_multiply(x, y), ZC_AXES(2), false);
    case 7:
        return zc_sum(zc_multiply(x, zc_flip(y, ZC_AXES(2))), ZC_AXES(2), false);
    case 8:
        return zc_sum(zc_multiply(zc_flip(x, ZC_AXES(2)), y), ZC_AXES(2), false);
    case 9:
        return zc_sum(zc_multiply(d, x), ZC_AXES(2), false);
    case 10:
        return zc_sum(zc_multiply(x, zc_slice(y, 1, 0, 3, 1)), ZC_AXES(2), false);
    case 11:
        return zc_sum(zc_multiply(zc_slice(x, 0, 0, 2, 1), y), ZC_AXES(2), false);
    case 12:
        return zc_sum(zc_multiply(zc_slice(x, 2, 0, 0, 1), zc_slice(y, 2, 0, 0, 1)), ZC_AXES(2), false);
    case 13:
        return zc_sum(zc_negative(d), ZC_AXES(2), false);
    case 14:
        return zc_sum(zc_multiply(x, zc_add(y, zc_weak_int(ctx, 1))), ZC_AXES(2), false);
    case 15:
        return zc_sum(zc_square(x), ZC_AXES(2), false);
    default:
        return zc_sum(zc_copysign(x, y), ZC_AXES(2), false);
    }
}

enum { WAYS = 17 };

Test(pairs, and_what_is_next_to_them_give_the_bits_of_the_reference)
{
    static const zc_dtype dtypes[] = {ZC_FLOAT32, ZC_FLOAT64, ZC_INT32, ZC_FLOAT16, ZC_COMPLEX64};
    zc_random_begin("pairs, next to them");
    double values[2 * ROWS * LENGTH];
    for (int i = 0; i < 2 * ROWS * LENGTH; i++)
        values[i] = (double)zc_random_range(1, 40);
    for (int which = 0; which < WAYS; which++) {
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            unsigned char bits[2][ROWS * ROWS * 16] = {{0}};
            zc_status status[2];
            for (int e = 0; e < 2; e++) {
                zc_executor executor = e == 0 ? ZC_EXECUTOR_TILE : ZC_EXECUTOR_REFERENCE;
                zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .executor = executor});
                zc_scope *scope = zc_scope_begin(ctx);
                zc_tensor *all = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2, ROWS, LENGTH), values, sizeof values),
                          *data = NULL;
                cr_assert_eq(zc_materialize(zc_astype(all, dtypes[d]), &data), ZC_OK);
                zc_tensor *t =
                    combine(which, zc_expand_dims(zc_index(data, 0, 0), 1), zc_expand_dims(zc_index(data, 0, 1), 0));
                status[e] = t == NULL ? zc_error_status(ctx) : zc_materialize_into(t, bits[e], sizeof bits[e], NULL, 0);
                zc_release(data);
                zc_scope_end(scope);
                zc_context_free(ctx);
            }
            cr_expect_eq(status[0], status[1], "way %d, %s", which, zc_dtype_name(dtypes[d]));
            cr_expect_eq(memcmp(bits[0], bits[1], sizeof *bits), 0, "way %d, %s", which, zc_dtype_name(dtypes[d]));
        }
    }
}
