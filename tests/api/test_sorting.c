/*
 * Sorting, searching, sets: against qsort() over indices and against counting, element by element.
 *
 * Elements are drawn as bits, few of them different, so that there are ties, infinities, zeros of both signs and NaNs
 * of any sign and payload; they are seen through random views.
 *
 * Longer than 500 lines because all calls are checked against the same lines.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

/* Complex dtypes, the last ones, have no order; their elements are drawn as those of a real one would be. */
enum { MOST_ELEMENTS = 4096, ORDERED_DTYPES = ZC_COMPLEX64 };

/* ---- The oracle's order ---- */

typedef struct element {
    bool is_nan;
    double real;      /* of floats */
    int64_t whole;    /* of signed integers and bool */
    uint64_t natural; /* of unsigned ones */
} element;

static double half_of(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31  ? (fraction == 0 ? (double)INFINITY : (double)NAN)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return (bits >> 15) != 0 ? -size : size;
}

static double upper_half_of(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return (double)value;
}

static element read_element(zc_dtype dtype, const void *data, int64_t i)
{
    element e = {.is_nan = false};
    switch (dtype) {
    case ZC_BOOL:
        e.whole = ((const uint8_t *)data)[i] != 0;
        break;
    case ZC_INT8:
        e.whole = ((const int8_t *)data)[i];
        break;
    case ZC_INT16:
        e.whole = ((const int16_t *)data)[i];
        break;
    case ZC_INT32:
        e.whole = ((const int32_t *)data)[i];
        break;
    case ZC_INT64:
        e.whole = ((const int64_t *)data)[i];
        break;
    case ZC_UINT8:
        e.natural = ((const uint8_t *)data)[i];
        break;
    case ZC_UINT16:
        e.natural = ((const uint16_t *)data)[i];
        break;
    case ZC_UINT32:
        e.natural = ((const uint32_t *)data)[i];
        break;
    case ZC_UINT64:
        e.natural = ((const uint64_t *)data)[i];
        break;
    case ZC_FLOAT32:
        e.real = (double)((const float *)data)[i];
        break;
    case ZC_FLOAT16:
        e.real = half_of(((const uint16_t *)data)[i]);
        break;
    case ZC_BFLOAT16:
        e.real = upper_half_of(((const uint16_t *)data)[i]);
        break;
    default:
        e.real = ((const double *)data)[i];
        break;
    }
    e.is_nan = isnan(e.real);
    return e;
}

static int compare(element a, element b)
{
    if (a.is_nan || b.is_nan)
        return a.is_nan - b.is_nan;
    if (a.real != b.real)
        return a.real < b.real ? -1 : 1;
    if (a.whole != b.whole)
        return a.whole < b.whole ? -1 : 1;
    return a.natural < b.natural ? -1 : a.natural > b.natural;
}

static bool is_zero(element e)
{
    return !e.is_nan && e.real == 0 && e.whole == 0 && e.natural == 0;
}

/* Element to be sorted by qsort(), and its place before. */
typedef struct numbered {
    element value;
    int64_t index;
    int sign; /* -1 for descending */
} numbered;

static int compare_numbered(const void *left, const void *right)
{
    const numbered *a = left, *b = right;
    int by_value = a->sign * compare(a->value, b->value);
    return by_value != 0 ? by_value : a->index < b->index ? -1 : 1;
}

/* ---- Random tensors ---- */

static void *draw_bits(zc_dtype dtype, int64_t count, unsigned char *data)
{
    static const double interesting[] = {0.0, -0.0, 1.0, -1.0, (double)INFINITY, (double)-INFINITY, 0.5, 3e-310};
    size_t item = zc_dtype_bytes(dtype);
    int64_t different = zc_random_range(0, 2);
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = different == 0 ? zc_random_u64() : (uint64_t)zc_random_range(-3, 3);
        double real = interesting[zc_random_range(0, 7)];
        float narrow = (float)real;
        if (dtype == ZC_BOOL)
            bits &= 1;
        else if (dtype == ZC_FLOAT64 && different > 0 && zc_random_range(0, 9) > 0)
            memcpy(&bits, &real, sizeof real);
        else if (dtype == ZC_FLOAT32 && different > 0 && zc_random_range(0, 9) > 0)
            memcpy(&bits, &narrow, sizeof narrow);
        memcpy(data + (size_t)i * item, &bits, item); /* little-endian or not: any bits will do */
    }
    return data;
}

/* A tensor of that dtype, rank 1 to 3, lying in memory in any way, or still to be computed. */
static zc_tensor *draw_tensor(zc_context *ctx, zc_dtype dtype)
{
    static unsigned char data[MOST_ELEMENTS * 8];
    int rank = (int)zc_random_range(1, 3), order[3] = {0, 1, 2};
    int64_t shape[3], size = 1;
    for (int a = 0; a < rank; a++) {
        shape[a] = zc_random_range(0, 19) == 0 ? 0 : zc_random_range(1, rank == 1 ? 400 : rank == 2 ? 60 : 12);
        size *= shape[a];
    }
    draw_bits(dtype, size, data);
    zc_tensor *x = zc_from_data(ctx, dtype, rank, shape, data, (size_t)size * zc_dtype_bytes(dtype));
    if (zc_random_bool()) {
        int other = (int)zc_random_range(0, rank - 1);
        order[0] = other;
        order[other] = 0;
        x = zc_permute_dims(x, rank, order);
    }
    int axis = (int)zc_random_range(0, rank - 1);
    if (zc_random_bool())
        x = zc_slice(x, axis, ZC_NONE, ZC_NONE, zc_random_bool() ? -1 : 2);
    int64_t wide[3] = {rank == 3 ? 9 : 50};
    for (int a = 1; a < rank; a++)
        wide[a] = zc_shape(x)[a];
    if (zc_random_range(0, 3) == 0 && zc_shape(x)[0] > 0)
        x = zc_broadcast_to(zc_slice(x, 0, 0, 1, 1), rank, wide);
    return zc_random_range(0, 3) == 0 ? zc_copy(x) : x;
}

static const void *dense(const zc_tensor *x)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(x, &out), ZC_OK, "%s", zc_error_text(zc_context_of(x)));
    return zc_data(out);
}

/* The place of the first element of a line in row-major order, and how far apart its elements are. */
static int64_t line_at(const zc_tensor *x, int axis, int64_t line, int64_t *step)
{
    *step = 1;
    for (int a = axis + 1; a < zc_rank(x); a++)
        *step *= zc_shape(x)[a];
    return line / *step * *step * zc_shape(x)[axis] + line % *step;
}

/* ---- Sorting ---- */

static void check_line(const zc_tensor *x, int axis, int64_t line, bool descending, int64_t k, const void *results[4])
{
    static numbered wanted[MOST_ELEMENTS];
    int64_t step, kept_step, extent = zc_shape(x)[axis], first = line_at(x, axis, line, &step);
    zc_dtype dtype = zc_dtype_of(x);
    size_t item = zc_dtype_bytes(dtype);
    const char *data = dense(x);
    for (int64_t i = 0; i < extent; i++)
        wanted[i] = (numbered){read_element(dtype, data, first + i * step), i, descending ? -1 : 1};
    qsort(wanted, (size_t)extent, sizeof *wanted, compare_numbered);
    int64_t kept_first = line / step * step * k + line % step;
    kept_step = step;
    for (int64_t i = 0; i < extent; i++) {
        size_t at = (size_t)(first + i * step);
        const char *source = data + (size_t)(first + wanted[i].index * step) * item;
        cr_assert_eq(((const int64_t *)results[1])[at], wanted[i].index);
        cr_assert_arr_eq((const char *)results[0] + at * item, source, item);
        if (i >= k)
            continue;
        size_t kept_at = (size_t)(kept_first + i * kept_step);
        cr_assert_eq(((const int64_t *)results[3])[kept_at], wanted[i].index);
        cr_assert_arr_eq((const char *)results[2] + kept_at * item, source, item);
    }
}

/* The first elements in memory, whether they were recorded or computed. */
static zc_status select_computed(const zc_tensor *x, int64_t k, int axis, bool largest, zc_tensor **values,
                                 zc_tensor **indices)
{
    const zc_status status = zc_top_k(x, k, axis, largest, values, indices);
    if (status == ZC_OK)
        (void)(zc_materialize(*values, values), zc_materialize(*indices, indices));
    return status;
}

static void check_sorting(const zc_tensor *x, int axis, bool descending)
{
    zc_tensor *sorted, *index, *values, *indices;
    const char *text = zc_error_text(zc_context_of(x));
    int64_t extent = zc_shape(x)[axis], k = zc_random_range(0, extent), lines = extent == 0 ? 0 : zc_size(x) / extent;
    int given = zc_random_bool() ? axis : axis - zc_rank(x);
    cr_assert_eq(zc_sort(x, given, descending, &sorted), ZC_OK, "%s", text);
    cr_assert_eq(zc_argsort(x, given, descending, &index), ZC_OK, "%s", text);
    cr_assert_eq(select_computed(x, k, given, descending, &values, &indices), ZC_OK, "%s", text);
    cr_assert(zc_dtype_of(sorted) == zc_dtype_of(x) && zc_dtype_of(values) == zc_dtype_of(x));
    cr_assert(zc_dtype_of(index) == ZC_INT64 && zc_dtype_of(indices) == ZC_INT64);
    for (int a = 0; a < zc_rank(x); a++) {
        cr_assert(zc_shape(sorted)[a] == zc_shape(x)[a] && zc_shape(index)[a] == zc_shape(x)[a]);
        cr_assert_eq(zc_shape(values)[a], a == axis ? k : zc_shape(x)[a]);
        cr_assert_eq(zc_shape(indices)[a], zc_shape(values)[a]);
    }
    const void *results[4] = {zc_data(sorted), zc_data(index), zc_data(values), zc_data(indices)};
    for (int64_t line = 0; line < lines; line += zc_random_range(1, lines / 4 + 1))
        check_line(x, axis, line, descending, k, results);
}

Test(sorting, orders_every_dtype_along_every_axis_through_any_view)
{
    zc_random_begin("sorting/orders");
    for (int round = 0; round < zc_test_count(20); round++) {
        for (int d = 0; d < ORDERED_DTYPES; d++) {
            bench b = begin_with((zc_options){.threads = 1});
            zc_tensor *x = draw_tensor(b.ctx, (zc_dtype)d);
            for (int axis = 0; axis < zc_rank(x); axis++)
                check_sorting(x, axis, zc_random_bool());
            finish(b);
        }
    }
}

/* Any numbers, numbers that get better and better, or worse, and few that are no numbers. */
static double draw_for_selection(int kind, int64_t i)
{
    switch (kind) {
    case 0:
        return (double)(int64_t)(zc_random_u64() >> zc_random_range(0, 63));
    case 1:
        return (double)i;
    case 2:
        return -(double)i;
    default:
        return zc_random_range(0, 3000) == 0 ? (double)NAN : zc_random_double() - 0.5;
    }
}

/* The best of a long line are selected: they are those that sorting all of it puts first. */
Test(sorting, selects_from_long_lines_what_sorting_puts_first)
{
    enum { LONG = 30000 };
    static const int64_t kept[] = {1, 10, 700, LONG / 8 - 1, LONG / 8, LONG / 2};
    static double numbers[LONG];
    zc_random_begin("sorting/selects");
    for (int round = 0; round < zc_test_count(8 * ORDERED_DTYPES); round++) {
        const zc_dtype dtype = (zc_dtype)(round % ORDERED_DTYPES);
        const bool largest = zc_random_bool();
        const int64_t k = kept[zc_random_range(0, 5)];
        bench b = begin_with((zc_options){.threads = 2});
        for (int64_t i = 0; i < LONG; i++)
            numbers[i] = draw_for_selection(round / ORDERED_DTYPES % 4, i);
        zc_tensor *all = zc_from_data(b.ctx, ZC_FLOAT64, 1, (int64_t[]){LONG}, numbers, sizeof numbers);
        zc_tensor *x = zc_slice(zc_astype(all, dtype), 0, ZC_NONE, ZC_NONE, zc_random_bool() ? 1 : -1);
        zc_tensor *sorted, *order, *values, *indices;
        cr_assert_eq(zc_sort(x, 0, largest, &sorted), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_assert_eq(zc_argsort(x, 0, largest, &order), ZC_OK);
        cr_assert_eq(select_computed(x, k, 0, largest, &values, &indices), ZC_OK);
        cr_assert_arr_eq(zc_data(values), zc_data(sorted), (size_t)k * zc_dtype_bytes(dtype), "%s",
                         zc_dtype_name(dtype));
        cr_assert_arr_eq(zc_data(indices), zc_data(order), (size_t)k * sizeof(int64_t), "%s", zc_dtype_name(dtype));
        finish(b);
    }
}

Test(sorting, keeps_equal_elements_in_their_order_and_nan_above_all)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT32, 2, (double)NAN, -0.0, (double)INFINITY, 0, -0.0, (double)-INFINITY, 2), *out;
    static const int64_t up[] = {6, 2, 4, 5, 0, 7, 3, 1}, down[] = {1, 3, 0, 7, 2, 4, 5, 6};
    cr_assert_eq(zc_argsort(x, 0, false, &out), ZC_OK);
    cr_assert_arr_eq(zc_data(out), up, sizeof up);
    cr_assert_eq(zc_argsort(x, -1, true, &out), ZC_OK);
    cr_assert_arr_eq(zc_data(out), down, sizeof down);
    cr_assert_eq(zc_sort(x, 0, false, &out), ZC_OK);
    const float *sorted = zc_data(out);
    cr_assert(signbit(sorted[1]) && !signbit(sorted[2]) && signbit(sorted[3]) && isnan(sorted[7]));
    finish(b);
}

Test(sorting, takes_any_byte_of_foreign_bools_for_true)
{
    bench b = begin();
    static const uint8_t bytes[] = {7, 0, 1, 0, 255}, wanted[] = {0, 0, 1, 1, 1};
    zc_tensor *x = zc_import(b.ctx, ZC_BOOL, ZC_SHAPE(5), NULL, 0, bytes, sizeof bytes, NULL, NULL), *out[1], *counts;
    cr_assert_eq(zc_sort(x, 0, false, out), ZC_OK);
    cr_assert_arr_eq(zc_data(out[0]), wanted, sizeof wanted);
    cr_assert_eq(zc_unique_counts(x, out, &counts), ZC_OK);
    cr_assert(zc_size(counts) == 2 && integer_at(counts, 0) == 2 && integer_at(counts, 1) == 3);
    cr_assert_eq(zc_nonzero(x, out), ZC_OK);
    cr_assert(zc_size(out[0]) == 3 && integer_at(out[0], 1) == 2);
    finish(b);
}

Test(sorting, gives_the_same_for_any_number_of_threads)
{
    zc_random_begin("sorting/threads");
    static uint64_t data[3 << 14], firsts[2][3 << 14];
    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        data[i] = zc_random_u64() % 1000;
    for (int threads = 1; threads <= 3; threads++) {
        bench b = begin_with((zc_options){.threads = threads});
        zc_tensor *x = zc_from_data(b.ctx, ZC_UINT64, ZC_SHAPE(3 << 7, 1 << 7), data, sizeof data), *out, *found;
        cr_assert_eq(zc_argsort(x, 0, true, &out), ZC_OK);
        cr_assert_eq(zc_searchsorted(zc_iota(b.ctx, 1000), x, false, NULL, &found), ZC_OK);
        if (threads == 1) {
            memcpy(firsts[0], zc_data(out), sizeof data);
            memcpy(firsts[1], zc_data(found), sizeof data);
        }
        cr_assert_arr_eq(zc_data(out), firsts[0], sizeof data);
        cr_assert_arr_eq(zc_data(found), firsts[1], sizeof data);
        cr_assert_arr_eq(zc_data(found), data, sizeof data);
        finish(b);
    }
}

/* Long lines are dealt into parts, with the numbers of their elements. */
Test(sorting, of_long_lines_keeps_numbers_on_any_number_of_threads)
{
    enum { LENGTH = 1 << 21 };
    static const zc_dtype dtypes[] = {ZC_UINT8, ZC_INT16, ZC_FLOAT32, ZC_INT64};
    zc_skip_of_one_thread();
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        zc_tensor *first = NULL;
        bench alone = begin_with((zc_options){.threads = 1}), both = begin_with((zc_options){.threads = 3});
        for (int i = 0; i < 2; i++) {
            zc_context *ctx = i == 0 ? alone.ctx : both.ctx;
            zc_tensor *bits = zc_random_bits(ctx, ZC_SHAPE(LENGTH), 7), *out = NULL;
            zc_tensor *x = zc_astype(zc_remainder(bits, zc_weak_int(ctx, 100003)), dtypes[d]);
            cr_assert_eq(zc_argsort(x, 0, false, &out), ZC_OK, "%s", zc_error_text(ctx));
            first = i == 0 ? out : first;
            cr_assert_eq(memcmp(zc_data(out), zc_data(first), LENGTH * sizeof(int64_t)), 0);
        }
        finish(both);
        finish(alone);
    }
}

/* ---- Searching ---- */

Test(searching, counts_what_is_below)
{
    zc_random_begin("searching/counts");
    for (int round = 0; round < zc_test_count(30); round++) {
        for (int d = 0; d < ORDERED_DTYPES; d++) {
            bench b = begin_with((zc_options){.threads = 2});
            zc_tensor *hay = zc_reshape(draw_tensor(b.ctx, (zc_dtype)d), ZC_SHAPE(-1)), *order, *sorted, *found;
            zc_tensor *wanted = draw_tensor(b.ctx, (zc_dtype)d);
            bool right = zc_random_bool(), has_sorter = zc_random_bool();
            cr_assert_eq(zc_argsort(hay, 0, false, &order), ZC_OK);
            cr_assert_eq(zc_sort(zc_flip(hay, ZC_ALL_AXES), 0, false, &sorted), ZC_OK);
            zc_status status = has_sorter ? zc_searchsorted(hay, wanted, right, order, &found)
                                          : zc_searchsorted(sorted, wanted, right, NULL, &found);
            cr_assert_eq(status, ZC_OK, "%s", zc_error_text(b.ctx));
            cr_assert(zc_rank(found) == zc_rank(wanted) && zc_size(found) == zc_size(wanted));
            const void *straws = dense(hay), *needles = dense(wanted);
            for (int64_t i = 0; i < zc_size(wanted); i += zc_random_range(1, 50)) {
                int64_t below = 0;
                element needle = read_element((zc_dtype)d, needles, i);
                for (int64_t j = 0; j < zc_size(hay); j++) {
                    int order_of = compare(read_element((zc_dtype)d, straws, j), needle);
                    below += right ? order_of <= 0 : order_of < 0;
                }
                cr_assert_eq(((const int64_t *)zc_data(found))[i], below);
            }
            finish(b);
        }
    }
}

Test(searching, promotes_and_takes_scalars)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_INT32, 1, 3, 3, 5), *found;
    cr_assert_eq(zc_searchsorted(x, zc_weak_float(b.ctx, 2.5), false, NULL, &found), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_assert(zc_rank(found) == 0 && integer_at(found, 0) == 1);
    cr_assert_eq(zc_searchsorted(x, zc_weak_int(b.ctx, 3), true, NULL, &found), ZC_OK);
    cr_assert_eq(integer_at(found, 0), 3);
    cr_assert_eq(zc_searchsorted(zc_slice(x, 0, ZC_NONE, ZC_NONE, -1), zc_weak_int(b.ctx, 4), true,
                                 OF(b.ctx, ZC_UINT8, 3, 2, 1, 0), &found),
                 ZC_OK);
    cr_assert_eq(integer_at(found, 0), 3);
    finish(b);
}

/* ---- Sets ---- */

/* Tells whether element i is the first of its kind; a NaN always is. */
static bool is_first(zc_dtype dtype, const void *data, int64_t i)
{
    element e = read_element(dtype, data, i);
    for (int64_t j = 0; j < i && !e.is_nan; j++) {
        if (compare(e, read_element(dtype, data, j)) == 0)
            return false;
    }
    return true;
}

static void check_sets(const zc_tensor *x)
{
    static numbered wanted[MOST_ELEMENTS];
    zc_tensor *values[4], *first, *inverse[2], *counts[2];
    zc_dtype dtype = zc_dtype_of(x);
    const char *data = dense(x);
    int64_t groups = 0;
    for (int64_t i = 0; i < zc_size(x); i++) {
        if (is_first(dtype, data, i))
            wanted[groups++] = (numbered){read_element(dtype, data, i), i, 1};
    }
    qsort(wanted, (size_t)groups, sizeof *wanted, compare_numbered);
    cr_assert_eq(zc_unique_values(x, &values[0]), ZC_OK, "%s", zc_error_text(zc_context_of(x)));
    cr_assert_eq(zc_unique_counts(x, &values[1], &counts[0]), ZC_OK);
    cr_assert_eq(zc_unique_inverse(x, &values[2], &inverse[0]), ZC_OK);
    cr_assert_eq(zc_unique_all(x, &values[3], &first, &inverse[1], &counts[1]), ZC_OK);
    cr_assert(zc_size(first) == groups && zc_size(counts[0]) == groups && zc_size(counts[1]) == groups);
    size_t item = zc_dtype_bytes(dtype);
    for (int i = 0; i < 4; i++) {
        cr_assert(zc_size(values[i]) == groups && zc_rank(values[i]) == 1 && zc_dtype_of(values[i]) == dtype);
        for (int64_t g = 0; g < groups; g++)
            cr_assert_arr_eq((const char *)zc_data(values[i]) + (size_t)g * item, data + (size_t)wanted[g].index * item,
                             item);
    }
    const int64_t *group_of = zc_data(inverse[0]), *as_well = zc_data(inverse[1]);
    cr_assert(zc_rank(inverse[0]) == zc_rank(x) && zc_size(inverse[0]) == zc_size(x));
    for (int64_t g = 0; g < groups; g++) {
        int64_t count = 0;
        cr_assert_eq(((const int64_t *)zc_data(first))[g], wanted[g].index);
        for (int64_t i = 0; i < zc_size(x); i++) {
            element e = read_element(dtype, data, i);
            bool belongs = e.is_nan ? wanted[g].index == i : compare(e, wanted[g].value) == 0;
            cr_assert_eq(group_of[i] == g, belongs);
            cr_assert_eq(as_well[i], group_of[i]);
            count += belongs;
        }
        cr_assert(((const int64_t *)zc_data(counts[0]))[g] == count &&
                  ((const int64_t *)zc_data(counts[1]))[g] == count);
    }
}

Test(sets, are_what_counting_finds)
{
    zc_random_begin("sets/counting");
    for (int round = 0; round < zc_test_count(2); round++) {
        for (int d = 0; d < ORDERED_DTYPES; d++) {
            bench b = begin();
            check_sets(draw_tensor(b.ctx, (zc_dtype)d));
            finish(b);
        }
    }
}

Test(sets, of_a_scalar_and_of_nothing)
{
    bench b = begin();
    zc_tensor *values, *first, *inverse, *counts;
    cr_assert_eq(zc_unique_all(zc_weak_int(b.ctx, 7), &values, &first, &inverse, &counts), ZC_OK);
    cr_assert(zc_size(values) == 1 && zc_rank(values) == 1 && integer_at(values, 0) == 7);
    cr_assert(zc_rank(inverse) == 0 && integer_at(inverse, 0) == 0 && integer_at(counts, 0) == 1);
    cr_assert_eq(zc_unique_all(zc_full(b.ctx, ZC_SHAPE(3, 0), ZC_FLOAT32, 0), &values, &first, &inverse, &counts),
                 ZC_OK);
    cr_assert(zc_size(values) == 0 && zc_rank(values) == 1 && zc_dtype_of(values) == ZC_FLOAT32);
    cr_assert(zc_rank(inverse) == 2 && zc_shape(inverse)[0] == 3 && zc_size(counts) == 0 && zc_size(first) == 0);
    finish(b);
}

Test(sets, nonzero_names_every_place)
{
    zc_random_begin("sets/nonzero");
    for (int round = 0; round < zc_test_count(10); round++) {
        for (int d = 0; d < ORDERED_DTYPES; d++) {
            bench b = begin();
            zc_tensor *x = draw_tensor(b.ctx, (zc_dtype)d), *out[3];
            const void *data = dense(x);
            int64_t found = 0;
            cr_assert_eq(zc_nonzero(x, out), ZC_OK, "%s", zc_error_text(b.ctx));
            for (int64_t i = 0; i < zc_size(x); i++) {
                if (is_zero(read_element((zc_dtype)d, data, i)))
                    continue;
                int64_t place = 0;
                for (int a = 0; a < zc_rank(x); a++)
                    place = place * zc_shape(x)[a] + ((const int64_t *)zc_data(out[a]))[found];
                cr_assert_eq(place, i);
                found++;
            }
            for (int a = 0; a < zc_rank(x); a++)
                cr_assert(zc_size(out[a]) == found && zc_dtype_of(out[a]) == ZC_INT64);
            finish(b);
        }
    }
}
