/*
 * Updates: elements at places set, added to, multiplied, or kept where they are extreme. Random requests are compared
 * with an oracle that applies one value after the other; what is refused; gradients by differences and by definition.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

enum { MOST_ELEMENTS = 1024, ROUNDS = 400, WAYS = 5 };

static int pick(int count)
{
    return (int)zc_random_range(0, count - 1);
}

/* Elements of t in row-major order, as the library computes them on their own. */
static void read_values(const zc_tensor *t, double *to)
{
    zc_tensor *wide = zc_astype(t, ZC_FLOAT64), *dense = NULL, *copy = zc_copy(wide);
    cr_assert_leq(zc_size(t), MOST_ELEMENTS);
    cr_assert_eq(zc_materialize(copy, &dense), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    if (zc_size(t) > 0)
        memcpy(to, zc_data(dense), (size_t)zc_size(t) * sizeof *to);
    zc_release(dense);
}

/* Value of x after an update, spelled out. */
static double combine(zc_update_op op, double x, double value)
{
    switch (op) {
    case ZC_UPDATE_SET:
        return value;
    case ZC_UPDATE_ADD:
        return x + value;
    case ZC_UPDATE_MULTIPLY:
        return x * value;
    case ZC_UPDATE_MIN:
        return value < x ? value : x;
    default:
        return value > x ? value : x;
    }
}

/* One value after the other. Numbers are small integers, so that every order and dtype has the same bits. */
static void update(double *x, int64_t size, const double *places, const double *values, int64_t count, zc_update_op op)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t place = (int64_t)places[i] < 0 ? (int64_t)places[i] + size : (int64_t)places[i];
        x[place] = combine(op, x[place], values[i]);
    }
}

/* ---- Random requests ---- */

/* Numbers of -2 to 2, seen as they stand, turned, in steps, or repeated; computed or not. */
static zc_tensor *make_target(bench b, zc_dtype dtype)
{
    int64_t shape[3], element[64];
    int rank = (int)zc_random_range(1, 3), axis = pick(rank);
    for (int a = 0; a < rank; a++)
        shape[a] = zc_random_range(1, 4);
    for (int i = 0; i < 64; i++)
        element[i] = dtype == ZC_BOOL || dtype == ZC_UINT8 ? zc_random_range(0, 2) : zc_random_range(-2, 2);
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    zc_tensor *x =
        zc_astype(zc_from_data(b.ctx, ZC_INT64, rank, shape, element, (size_t)size * sizeof *element), dtype);
    if (zc_random_bool() && dtype != ZC_BOOL)
        x = zc_positive(x);
    switch (pick(5)) {
    case 0:
        return zc_swapaxes(x, 0, axis);
    case 1:
        return zc_flip(x, 1, &axis);
    case 2:
        return zc_slice(x, axis, 0, ZC_NONE, 2);
    case 3:
        shape[axis] = 3;
        return zc_broadcast_to(zc_slice(x, axis, 0, 1, 1), rank, shape);
    default:
        return x;
    }
}

static zc_tensor *make_positions(bench b, int64_t extent, int rank, const int64_t *shape)
{
    int64_t element[64], size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    for (int64_t i = 0; i < size; i++)
        element[i] = zc_random_range(-extent, extent - 1);
    zc_tensor *t = zc_from_data(b.ctx, ZC_INT64, rank, shape, element, (size_t)size * sizeof *element);
    return zc_astype(zc_random_bool() ? zc_positive(t) : t, zc_random_bool() ? ZC_INT8 : ZC_INT64);
}

/* Places of every kind: views, with places that occur again, positions along one axis or all, any numbers. */
static zc_tensor *make_places(bench b, const zc_tensor *x)
{
    zc_tensor *all = zc_places(x), *list[3];
    int rank = zc_rank(x), axis = pick(rank);
    const int64_t *shape = zc_shape(x), extent = shape[axis], any[] = {zc_random_range(0, 4), zc_random_range(1, 4)};
    switch (pick(8)) {
    case 0:
        return zc_slice(all, axis, zc_random_range(-4, 3), ZC_NONE, 1 + pick(2));
    case 1:
        return zc_sliding_window_view(zc_reshape(all, ZC_SHAPE(-1)), 1, (const int64_t[]){zc_size(x) < 2 ? 1 : 2},
                                      ZC_AXES(0));
    case 2:
        return zc_swapaxes(zc_flip(all, 1, &axis), 0, axis);
    case 3:
        return zc_take(all, make_positions(b, extent, 1 + pick(2), any + 0), axis);
    case 4:
        return zc_slice(zc_take(zc_flip(all, 1, &axis), make_positions(b, extent, 1, any + 1), axis), axis, 0, ZC_NONE,
                        1);
    case 5:
        for (int a = 0; a < rank; a++)
            list[a] = make_positions(b, shape[a], a == 0 ? 2 : pick(3), any + 0);
        for (int a = 1; a < rank; a++)
            list[a] = zc_rank(list[a]) == 1 ? make_positions(b, shape[a], 1, any + 1) : list[a];
        return zc_gather(all, rank, (const int[]){0, 1, 2}, (const zc_tensor *const[]){list[0], list[1], list[2]});
    case 6:
        return zc_add(all, zc_weak_int(b.ctx, -zc_size(x)));
    default:
        return make_positions(b, zc_size(x), 2, any);
    }
}

/* Windows of an update, which make just what they show of it, have the bits of the whole. */
static void check_windows(const zc_tensor *result, const zc_tensor *again)
{
    double wanted[MOST_ELEMENTS], got[MOST_ELEMENTS];
    int axis = pick(zc_rank(result)), other = pick(zc_rank(result));
    int64_t first = zc_random_range(0, 3), step = 1 + pick(2);
    zc_tensor *stored = NULL;
    cr_assert_eq(zc_materialize(result, &stored), ZC_OK);
    for (int i = 0; i < 2; i++) {
        const zc_tensor *whole = i == 0 ? stored : again;
        zc_tensor *seen = zc_slice(zc_flip(whole, 1, &axis), axis, first, ZC_NONE, step);
        read_values(zc_slice(seen, other, 0, first, 1), i == 0 ? wanted : got);
        if (i == 1)
            cr_assert_eq(memcmp(got, wanted, (size_t)zc_size(zc_slice(seen, other, 0, first, 1)) * sizeof *got), 0);
    }
    zc_release(stored);
}

static void check_one(bench b)
{
    static const zc_dtype dtypes[] = {ZC_FLOAT64, ZC_FLOAT32, ZC_INT64,   ZC_INT8,    ZC_INT32,
                                      ZC_UINT8,   ZC_FLOAT16, ZC_FLOAT64, ZC_BFLOAT16};
    double wanted[MOST_ELEMENTS], got[MOST_ELEMENTS], places[MOST_ELEMENTS], values[MOST_ELEMENTS];
    zc_scope *scope = zc_scope_begin(b.ctx);
    zc_update_op op = (zc_update_op)pick(WAYS);
    zc_dtype dtype = dtypes[pick(9)];
    zc_tensor *x = make_target(b, dtype), *at = zc_size(x) > 0 ? make_places(b, x) : zc_places(x);
    cr_assert_not_null(at, "%s", zc_error_text(b.ctx));
    if (zc_size(at) <= 64) {
        int64_t few[64];
        for (int i = 0; i < 64; i++)
            few[i] = dtype == ZC_UINT8 ? zc_random_range(0, 1) : zc_random_range(-1, 2);
        zc_tensor *v = zc_astype(
            zc_from_data(b.ctx, ZC_INT64, zc_rank(at), zc_shape(at), few, (size_t)zc_size(at) * sizeof *few), dtype);
        if (zc_rank(at) > 0 && zc_random_bool())
            v = zc_slice(zc_index(zc_broadcast_to(v, zc_rank(at), zc_shape(at)), 0, 0), 0, 0, ZC_NONE, 1);
        v = v == NULL ? zc_weak_int(b.ctx, 1) : v;
        zc_error_clear(b.ctx);
        read_values(x, wanted);
        read_values(at, places);
        read_values(zc_broadcast_to(v, zc_rank(at), zc_shape(at)), values);
        update(wanted, zc_size(x), places, values, zc_size(at), op);
        zc_tensor *result = zc_update(x, at, v, op);
        cr_assert_not_null(result, "%s", zc_error_text(b.ctx));
        expect_shape(result, zc_rank(x), zc_shape(x));
        cr_assert_eq(zc_dtype_of(result), dtype);
        read_values(result, got);
        for (int64_t i = 0; i < zc_size(x); i++) {
            bool is_16_bit = dtype == ZC_FLOAT16 || dtype == ZC_BFLOAT16;
            double largest = is_16_bit ? 128 : dtype == ZC_INT8 || dtype == ZC_UINT8 ? 127 : 1e9;
            cr_assert(got[i] == wanted[i] || fabs(wanted[i]) > largest, "element %ld: %g, not %g, by %s", (long)i,
                      got[i], wanted[i], (const char *[]){"set", "add", "multiply", "min", "max"}[op]);
        }
        check_windows(result, zc_update(x, at, v, op));
    }
    zc_scope_end(scope);
}

Test(updates, are_what_the_oracle_says)
{
    zc_random_begin("updates/oracle");
    for (int executor = 0; executor < 2; executor++) {
        bench b = begin_with((zc_options){.threads = 1 + executor, .executor = (zc_executor)executor});
        for (int i = 0; i < zc_test_count(ROUNDS); i++)
            check_one(b);
        finish(b);
    }
}

/* ---- In order ---- */

/* Many values for few places, shared among threads or not, by either executor: rounded sums show the order. */
Test(updates, have_the_same_bits_for_any_number_of_threads)
{
    enum { N = 30000, PLACES = 7 };
    static double values[N];
    static int64_t at[N];
    double wanted[WAYS][PLACES];
    zc_random_begin("updates/threads");
    for (int i = 0; i < N; i++) {
        values[i] = 0.5 + zc_random_double();
        at[i] = zc_random_range(-PLACES, PLACES - 1);
    }
    for (int way = 0; way < WAYS; way++) {
        for (int p = 0; p < PLACES; p++)
            wanted[way][p] = 1;
        for (int i = 0; i < N; i++) {
            double *x = &wanted[way][at[i] < 0 ? at[i] + PLACES : at[i]];
            *x = combine((zc_update_op)way, *x, values[i]);
        }
    }
    for (int threads = 1; threads <= 3; threads++) {
        bench b = begin_with((zc_options){.threads = threads, .executor = (zc_executor)(threads % 2)});
        zc_tensor *x = zc_full(b.ctx, ZC_SHAPE(PLACES), ZC_FLOAT64, 1);
        zc_tensor *p = zc_from_data(b.ctx, ZC_INT64, ZC_SHAPE(N), at, sizeof at);
        zc_tensor *v = zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(N), values, sizeof values);
        for (int way = 0; way < WAYS; way++) {
            zc_tensor *updated = zc_update(x, p, zc_positive(v), (zc_update_op)way), *out = NULL;
            cr_assert_eq(zc_materialize(updated, &out), ZC_OK, "%s", zc_error_text(b.ctx));
            cr_assert_eq(memcmp(zc_data(out), wanted[way], sizeof wanted[way]), 0, "%d threads, way %d", threads, way);
            zc_release(out);
        }
        finish(b);
    }
}

Test(updates, take_every_dtype)
{
    bench b = begin();
    zc_tensor *at = OF(b.ctx, ZC_INT64, 1, 1, 0);
    zc_tensor *truth = zc_astype(OF(b.ctx, ZC_INT64, 0, 1, 0), ZC_BOOL), *set = OF(b.ctx, ZC_BOOL, 1, 0, 1);
    EXPECT(zc_update(truth, at, set, ZC_UPDATE_SET), 1, 0, 0);
    EXPECT(zc_update(truth, at, set, ZC_UPDATE_MAX), 1, 1, 0);
    EXPECT(zc_update(truth, at, set, ZC_UPDATE_MIN), 0, 0, 0);
    zc_tensor *z = zc_complex(OF(b.ctx, ZC_FLOAT64, 1, 2, 3), OF(b.ctx, ZC_FLOAT64, 1, 0, 0));
    zc_tensor *product = zc_update(z, at, zc_complex(OF(b.ctx, ZC_FLOAT64, 0, 0, 1), OF(b.ctx, ZC_FLOAT64, 1, 1, 1)),
                                   ZC_UPDATE_MULTIPLY); /* 2 i i, and (1 + i)(1 + i) */
    EXPECT(zc_real(product), 0, -2, 3);
    EXPECT(zc_imag(product), 2, 0, 0);
    zc_tensor *sum = zc_update(z, at, zc_weak_int(b.ctx, 2), ZC_UPDATE_ADD);
    EXPECT(zc_real(sum), 3, 6, 3);
    /* Sums are rounded once: float16 would lose each 1 that is added to 2048 alone. */
    zc_tensor *half = OF(b.ctx, ZC_FLOAT16, 0, 2048, 0);
    EXPECT(zc_update(half, at, zc_weak_int(b.ctx, 1), ZC_UPDATE_ADD), 1, 2050, 0);
    finish(b);
}

/* The elements of x are computed where they are changed, x itself stays, and so does what has been stored of it. */
Test(updates, copy_once_and_leave_the_tensor_as_it_was)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(100, 10)), *all = zc_places(x), *out = NULL;
    zc_tensor *updated = zc_update(zc_negative(x), zc_slice(all, 0, 10, 20, 1), zc_weak_int(b.ctx, 7), ZC_UPDATE_SET);
    cr_assert_eq(cost_of(updated).peak_bytes, 8000);
    zc_tensor *stored = NULL, *doubled = zc_multiply(x, zc_weak_int(b.ctx, 2));
    cr_assert_eq(zc_materialize(doubled, &stored), ZC_OK);
    cr_assert_eq(zc_materialize(zc_update(doubled, zc_index(all, 0, 3), zc_weak_int(b.ctx, 0), ZC_UPDATE_SET), &out),
                 ZC_OK);
    EXPECT(zc_index(zc_slice(out, 0, 2, 5, 1), 1, 9), 58, 0, 98);
    EXPECT(zc_index(zc_slice(stored, 0, 2, 5, 1), 1, 9), 58, 78, 98);
    EXPECT(zc_index(zc_slice(doubled, 0, 2, 5, 1), 1, 9), 58, 78, 98);
    zc_release(out);
    zc_release(stored);
    finish(b);
}

/* Memory of the caller's that holds something, and is larger than the result: that stays behind it. What is made of
 * nothing, as a gradient is, is zero where nothing is added. */
/* A window of an update of 10^12 elements makes the window: of what lies outside nothing is computed. */
Test(updates, make_of_a_window_what_it_shows)
{
    bench b = begin();
    zc_cost cost;
    zc_tensor *x = zc_broadcast_to(zc_astype(zc_iota(b.ctx, 1000000), ZC_FLOAT64), ZC_SHAPE(1000000, 1000000)), *out;
    zc_tensor *rows = zc_slice(zc_places(x), 0, 3, 500000, 1);
    zc_tensor *set = zc_update(x, rows, zc_weak_float(b.ctx, -1), ZC_UPDATE_SET);
    zc_tensor *window = zc_slice(zc_slice(set, 0, 2, 5, 1), 1, 7, 9, 1);
    cr_assert_eq(zc_cost_of(window, &cost), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_eq(cost.peak_bytes, 6 * 8, "%" PRId64, cost.peak_bytes);
    cr_assert_eq(zc_materialize(window, &out), ZC_OK);
    cr_expect_eq(memcmp(zc_data(out), (const double[]){7, 8, -1, -1, -1, -1}, 6 * sizeof(double)), 0);
    zc_release(out);
    /* positions along one axis: a window of the others */
    zc_tensor *at = zc_take(zc_places(x), zc_astype(zc_iota(b.ctx, 3), ZC_INT64), 0);
    window = zc_slice(zc_slice(zc_update(x, at, zc_weak_float(b.ctx, 1), ZC_UPDATE_ADD), 1, 5, 7, 1), 0, 2, 4, 1);
    cr_assert_eq(zc_materialize(window, &out), ZC_OK, "%s", zc_error_text(b.ctx));
    cr_expect_eq(memcmp(zc_data(out), (const double[]){6, 7, 5, 6}, 4 * sizeof(double)), 0);
    zc_release(out);
    finish(b);
}

Test(updates, go_into_the_memory_of_the_caller)
{
    bench b = begin();
    zc_tensor *x = zc_astype(count_to(b, ZC_SHAPE(6)), ZC_FLOAT64), *at = OF(b.ctx, ZC_INT64, 1, 1, 4);
    zc_tensor *gradient = zc_grad(zc_take(x, at, 0), x),
              *updated = zc_update(x, at, zc_weak_int(b.ctx, 2), ZC_UPDATE_ADD);
    const double wanted[2][8] = {{0, 2, 0, 0, 1, 0, 9, 9}, {0, 5, 2, 3, 6, 5, 9, 9}};
    const double apart[2][8] = {{0, 9, 2, 9, 0, 9, 0, 9}, {0, 9, 5, 9, 2, 9, 3, 9}};
    for (int i = 0; i < 2; i++) {
        double to[8] = {9, 9, 9, 9, 9, 9, 9, 9}, strided[8] = {9, 9, 9, 9, 9, 9, 9, 9};
        const zc_tensor *t = i == 0 ? gradient : updated;
        cr_assert_eq(zc_materialize_into(t, to, sizeof to, NULL, 0), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_assert_eq(memcmp(to, wanted[i], sizeof to), 0, "row %d", i);
        cr_assert_eq(zc_materialize_into(zc_slice(t, 0, 0, 4, 1), strided, sizeof strided, (const int64_t[]){2}, 0),
                     ZC_OK);
        cr_assert_eq(memcmp(strided, apart[i], sizeof strided), 0, "row %d", i);
    }
    finish(b);
}

/* ---- Gradients ---- */

enum { ELEMENTS = 6, VALUES = 5 };

static zc_tensor *update_at(bench b, const double *x, const double *v, const double *at, zc_update_op op,
                            const zc_tensor **from)
{
    zc_tensor *tx = values_of(b.ctx, ZC_FLOAT64, ELEMENTS, x), *tv = values_of(b.ctx, ZC_FLOAT64, VALUES, v);
    zc_tensor *shaped = zc_reshape(tx, ZC_SHAPE(2, 3));
    from[0] = tx;
    from[1] = tv;
    zc_tensor *flat = zc_reshape(zc_places(shaped), ZC_SHAPE(-1));
    return zc_update(shaped, zc_take(flat, values_of(b.ctx, ZC_INT64, VALUES, at), 0), tv, op);
}

/* The sum of the result times weights, a smooth function of x and the values where no two are equal. */
static double weigh(const double *x, const double *v, const double *at, zc_update_op op)
{
    double result[ELEMENTS], sum = 0;
    memcpy(result, x, sizeof result);
    update(result, ELEMENTS, at, v, VALUES, op);
    for (int i = 0; i < ELEMENTS; i++)
        sum += result[i] * (i + 1);
    return sum;
}

static double slope(double *x, const double *all_x, const double *all_v, const double *at, zc_update_op op)
{
    const double step = 1e-6, kept = *x;
    *x = kept + step;
    double up = weigh(all_x, all_v, at, op);
    *x = kept - step;
    double down = weigh(all_x, all_v, at, op);
    *x = kept;
    return (up - down) / (2 * step);
}

Test(updates, have_the_gradients_that_differences_show)
{
    zc_random_begin("updates/gradients");
    for (int round = 0; round < 40; round++) {
        bench b = begin();
        double x[ELEMENTS], v[VALUES], at[VALUES];
        zc_update_op op = (zc_update_op)(round % WAYS);
        for (int i = 0; i < ELEMENTS; i++)
            x[i] = zc_random_double() + 0.5;
        for (int i = 0; i < VALUES; i++) {
            v[i] = zc_random_double() + 0.5;
            at[i] = (double)zc_random_range(-ELEMENTS, ELEMENTS - 1);
        }
        const zc_tensor *from[2];
        zc_tensor *y = update_at(b, x, v, at, op, from), *out[2];
        zc_tensor *weights = zc_add(zc_astype(zc_places(y), ZC_FLOAT64), zc_weak_int(b.ctx, 1));
        cr_assert_eq(zc_vjp(y, weights, 2, from, out), ZC_OK, "%s", zc_error_text(b.ctx));
        for (int i = 0; i < ELEMENTS; i++)
            cr_assert_float_eq(value_at(out[0], i), slope(&x[i], x, v, at, op), 1e-6, "x[%d], way %d", i, (int)op);
        for (int i = 0; i < VALUES; i++)
            cr_assert_float_eq(value_at(out[1], i), slope(&v[i], x, v, at, op), 1e-6, "v[%d], way %d", i, (int)op);
        finish(b);
    }
}

/* Gradients where differences say nothing: zeros that are multiplied, equal elements, values that are covered. */
Test(updates, have_the_gradients_that_the_manual_says)
{
    bench b = begin();
    const double x[] = {2, 3, 5, 7, 1, 1}, v[] = {0, 4, 6, 0, 3}, at[] = {0, 0, 1, 1, 1};
    const zc_tensor *from[2];
    zc_tensor *y = update_at(b, x, v, at, ZC_UPDATE_MULTIPLY, from);
    EXPECT(zc_grad(y, from[0]), 0, 0, 1, 1, 1, 1);
    EXPECT(zc_grad(y, from[1]), 8, 0, 0, 54, 0);
    const double twice_zero[] = {0, 4, 0, 0, 3};
    y = update_at(b, x, twice_zero, at, ZC_UPDATE_MULTIPLY, from);
    EXPECT(zc_grad(y, from[1]), 8, 0, 0, 0, 0);
    y = update_at(b, x, v, at, ZC_UPDATE_SET, from);
    EXPECT(zc_grad(y, from[0]), 0, 0, 1, 1, 1, 1);
    EXPECT(zc_grad(y, from[1]), 0, 1, 0, 0, 1);
    const double equal[] = {2, 2, 3, 1, 3};
    y = update_at(b, x, equal, at, ZC_UPDATE_MAX, from);
    EXPECT(zc_multiply(zc_grad(y, from[0]), zc_weak_int(b.ctx, 3)), 1, 1, 3, 3, 3, 3);
    EXPECT(zc_multiply(zc_grad(y, from[1]), zc_weak_int(b.ctx, 3)), 1, 1, 1, 0, 1);
    y = update_at(b, x, equal, at, ZC_UPDATE_MIN, from);
    EXPECT(zc_grad(y, from[1]), 1.0 / 3, 1.0 / 3, 0, 1, 0);
    /* Slices: what is set gains all of it, and once more. */
    zc_tensor *t = zc_reshape(from[0], ZC_SHAPE(2, 3)), *row = OF(b.ctx, ZC_FLOAT64, 1, 2, 3);
    zc_tensor *set = zc_update(t, zc_index(zc_places(t), 0, 1), row, ZC_UPDATE_SET);
    EXPECT(zc_grad(zc_multiply(set, zc_square(set)), row), 3, 12, 27);
    EXPECT(zc_grad(zc_grad(zc_multiply(set, zc_square(set)), row), row), 6, 12, 18);
    EXPECT(zc_grad(zc_square(set), t), 4, 6, 10, 0, 0, 0);
    zc_tensor *scaled = zc_update(t, zc_index(zc_places(t), 0, 1), row, ZC_UPDATE_MULTIPLY);
    EXPECT(zc_grad(scaled, row), 7, 1, 1);
    /* Three values for one place, of which the last one stays. */
    zc_tensor *same = zc_broadcast_to(zc_index(zc_index(zc_places(t), 0, 1), 0, 0), ZC_SHAPE(3));
    EXPECT(zc_grad(zc_update(t, same, row, ZC_UPDATE_SET), row), 0, 0, 1);
    finish(b);
}

/* ---- Refusals ---- */

Test(updates, refuse_what_does_not_fit)
{
    bench b = begin(), other = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 3)), *all = zc_places(x), *one = zc_weak_int(b.ctx, 1), *out = NULL;
    zc_tensor *f = zc_astype(x, ZC_FLOAT32), *z = zc_astype(x, ZC_COMPLEX64), *p = OF(b.ctx, ZC_INT64, 0, 6);
    int64_t ones[ZC_MAX_RANK];
    for (int a = 0; a < ZC_MAX_RANK; a++)
        ones[a] = 1;
    expect_refused(b, zc_update(x, zc_reshape(OF(b.ctx, ZC_INT64, 0), ZC_MAX_RANK, ones), one, ZC_UPDATE_SET),
                   ZC_ERROR_SHAPE, "update: rank 64 of the places leaves no room for what they number");
    expect_refused(b, zc_update(x, all, one, (zc_update_op)5), ZC_ERROR_ARGUMENT, "update: 5 is no way to update");
    expect_refused(b, zc_update(x, all, one, (zc_update_op)-1), ZC_ERROR_ARGUMENT, "update: -1 is no way to update");
    expect_refused(b, zc_update(x, f, one, ZC_UPDATE_SET), ZC_ERROR_DTYPE, "update: places are integers, not float32");
    expect_refused(b, zc_update(f, all, x, ZC_UPDATE_SET), ZC_ERROR_DTYPE,
                   "update: values of int64 do not fit into a tensor of float32; convert them with astype");
    expect_refused(b, zc_update(x, all, zc_weak_float(b.ctx, 1), ZC_UPDATE_SET), ZC_ERROR_DTYPE,
                   "update: values of float64 do not fit into a tensor of int64; convert them with astype");
    expect_refused(b, zc_update(zc_astype(x, ZC_INT8), all, zc_weak_int(b.ctx, 300), ZC_UPDATE_SET), ZC_ERROR_OVERFLOW,
                   "update: the integer 300 does not fit in int8");
    expect_refused(b, zc_update(z, all, one, ZC_UPDATE_MIN), ZC_ERROR_DTYPE,
                   "update: min takes real numbers, not complex64");
    expect_refused(b, zc_update(z, all, one, ZC_UPDATE_MAX), ZC_ERROR_DTYPE,
                   "update: max takes real numbers, not complex64");
    expect_refused(b, zc_update(x, zc_places(zc_iota(other.ctx, 6)), one, ZC_UPDATE_SET), ZC_ERROR_ARGUMENT,
                   "update: operands belong to different contexts; zc_adopt brings them together");
    expect_refused(b, zc_update(x, all, zc_iota(other.ctx, 3), ZC_UPDATE_SET), ZC_ERROR_ARGUMENT,
                   "update: operands belong to different contexts; zc_adopt brings them together");
    expect_refused(b, zc_update(x, zc_iota(b.ctx, 7), one, ZC_UPDATE_SET), ZC_ERROR_INDEX,
                   "update: place 6 is out of bounds for a tensor of 6 elements");
    expect_refused(b, zc_update(zc_slice(x, 0, 0, 0, 1), p, one, ZC_UPDATE_SET), ZC_ERROR_INDEX,
                   "update: there is no element to update");
    cr_assert_null(zc_update(x, zc_slice(all, 1, 0, 2, 1), zc_iota(b.ctx, 3), ZC_UPDATE_SET));
    cr_assert_eq(zc_error_status(b.ctx), ZC_ERROR_SHAPE);
    zc_error_clear(b.ctx);
    expect_refused(b, zc_update(NULL, all, one, ZC_UPDATE_SET), ZC_ERROR_ARGUMENT, "update: t is NULL");
    expect_refused(b, zc_update(x, NULL, one, ZC_UPDATE_SET), ZC_ERROR_ARGUMENT, "update: places is NULL");
    expect_refused(b, zc_update(x, all, NULL, ZC_UPDATE_SET), ZC_ERROR_ARGUMENT, "update: values is NULL");
    cr_assert_null(zc_places(NULL));
    cr_assert_eq(zc_error_status(b.ctx), ZC_OK);
    cr_assert_eq(zc_materialize(zc_update(x, p, one, ZC_UPDATE_ADD), &out), ZC_ERROR_INDEX);
    cr_assert_str_eq(zc_error_text(b.ctx), "update: place 6 is out of bounds for a tensor of 6 elements");
    zc_error_clear(b.ctx);
    cr_assert_eq(zc_materialize(zc_update(x, zc_take(all, p, 1), one, ZC_UPDATE_ADD), &out), ZC_ERROR_INDEX);
    cr_assert_str_eq(zc_error_text(b.ctx), "update: position 6 is out of bounds for axis 1 of size 3");
    zc_error_clear(b.ctx);
    EXPECT(zc_update(x, zc_slice(all, 0, 0, 0, 1), one, ZC_UPDATE_SET), 0, 1, 2, 3, 4, 5);
    expect_shape(zc_update(zc_slice(x, 0, 0, 0, 1), zc_slice(p, 0, 0, 0, 1), one, ZC_UPDATE_SET), ZC_SHAPE(0, 3));
    EXPECT(zc_update(zc_index(zc_index(x, 0, 0), 0, 0), zc_weak_int(b.ctx, -1), one, ZC_UPDATE_ADD), 1);
    finish(b);
    finish(other);
}

/* Numbers that are no places of x as they were taken: of a longer range, and seen across rows of what was taken. */
Test(updates, take_numbers_that_no_view_of_places_shows)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_INT64, 0, 0, 0, 0), *rows = OF(b.ctx, ZC_INT64, 1, 0), *longer = zc_iota(b.ctx, 9);
    zc_tensor *ones = zc_weak_int(b.ctx, 1);
    EXPECT(zc_update(x, zc_take(longer, OF(b.ctx, ZC_INT64, 3, 0, 3), 0), ones, ZC_UPDATE_ADD), 1, 0, 0, 2);
    EXPECT(zc_update(x, OF(b.ctx, ZC_UINT8, 2, 2), ones, ZC_UPDATE_ADD), 0, 0, 2, 0);
    zc_tensor *square = zc_reshape(zc_astype(zc_iota(b.ctx, 6), ZC_INT64), ZC_SHAPE(2, 3));
    zc_tensor *taken = zc_take(zc_places(square), rows, 0); /* 3 4 5, 0 1 2 */
    zc_tensor *across = zc_slice(zc_reshape(taken, ZC_SHAPE(6)), 0, 1, 5, 1);
    EXPECT(zc_update(square, across, zc_weak_int(b.ctx, 9), ZC_UPDATE_SET), 9, 9, 2, 3, 9, 9);
    finish(b);
}

/* A gradient that repeats a row, with respect to the tensor in one row: no strides show that. */
Test(updates, of_what_is_reshaped_are_copied_where_no_strides_show_them)
{
    bench b = begin();
    zc_tensor *x = zc_keep(zc_exp(zc_reshape(OF(b.ctx, ZC_FLOAT64, 0, 0, 0, 0, 0, 0), ZC_SHAPE(2, 3))));
    zc_tensor *weights = OF(b.ctx, ZC_FLOAT64, 2, 3, 5);
    zc_tensor *y = zc_sum(zc_multiply(weights, zc_sum(x, ZC_AXES(0), false)), ZC_ALL_AXES, false);
    EXPECT(zc_grad(y, zc_reshape(x, ZC_SHAPE(6))), 2, 3, 5, 2, 3, 5);
    zc_release(x);
    finish(b);
}
