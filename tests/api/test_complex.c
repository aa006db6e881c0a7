/* Complex numbers: special cases by table, parts and views of them, what is refused, and gradients. */
#include <math.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

#define PI   3.1415926535897932
#define LN2  0.69314718055994531
#define LN10 2.3025850929940457

/* Element i of a complex tensor, or of a real one. */
typedef struct parts {
    double real, imag;
} parts;

static parts parts_at(const zc_tensor *t, int64_t i)
{
    return (parts){value_at(zc_real(t), i), value_at(zc_imag(t), i)};
}

static zc_tensor *number(zc_context *ctx, zc_dtype dtype, double real, double imag)
{
    return zc_astype(zc_complex(OF(ctx, ZC_FLOAT64, real), OF(ctx, ZC_FLOAT64, imag)), dtype);
}

/* ---- Sizes ---- */

/* The standard's rows of those that give real numbers and truths: an infinite part outweighs a NaN. */
Test(complex, sizes_and_kinds_at_special_cases)
{
    static const struct {
        double x, y, size;
        bool is_finite, is_infinite, is_nan;
    } rows[] = {{INFINITY, 1, INFINITY, false, true, false},
                {-INFINITY, NAN, INFINITY, false, true, true},
                {NAN, -INFINITY, INFINITY, false, true, true},
                {1, INFINITY, INFINITY, false, true, false},
                {NAN, 1, NAN, false, false, true},
                {1, NAN, NAN, false, false, true},
                {NAN, NAN, NAN, false, false, true},
                {-0.0, -3, 3, true, false, false},
                {-2, 0.0, 2, true, false, false},
                {-0.0, -0.0, 0, true, false, false},
                {3, -4, 5, true, false, false}};
    bench b = begin();
    for (int d = ZC_COMPLEX64; d <= ZC_COMPLEX128; d++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            zc_tensor *z = number(b.ctx, (zc_dtype)d, rows[i].x, rows[i].y);
            double size = value_at(zc_abs(z), 0);
            cr_expect(isnan(rows[i].size) ? isnan(size) : size == rows[i].size && !signbit(size), "abs of %g%+gi is %g",
                      rows[i].x, rows[i].y, size);
            cr_expect_eq(value_at(zc_isfinite(z), 0), rows[i].is_finite, "isfinite of row %zu", i);
            cr_expect_eq(value_at(zc_isinf(z), 0), rows[i].is_infinite, "isinf of row %zu", i);
            cr_expect_eq(value_at(zc_isnan(z), 0), rows[i].is_nan, "isnan of row %zu", i);
        }
    }
    finish(b);
}

/* Sizes of 3k - 4k i are 5k, whatever is done with them next, over more elements than a vector holds. */
Test(complex, sizes_in_chains_of_operations)
{
    enum { COUNT = 300 };
    static const zc_dtype dtypes[] = {ZC_COMPLEX64, ZC_COMPLEX128};
    for (int d = 0; d < 2; d++) {
        bench b = begin();
        zc_tensor *k = zc_astype(zc_iota(b.ctx, COUNT), ZC_FLOAT64);
        zc_tensor *z = zc_complex(zc_multiply(k, zc_weak_int(b.ctx, 3)), zc_multiply(k, zc_weak_int(b.ctx, -4))), *out;
        cr_assert_eq(zc_materialize(zc_astype(z, dtypes[d]), &out), ZC_OK);
        zc_tensor *size = zc_abs(out), *more = zc_add(zc_multiply(size, zc_weak_int(b.ctx, 2)), zc_weak_int(b.ctx, 1));
        for (int i = 0; i < COUNT; i += 23) {
            cr_assert_eq(value_at(zc_square(size), i), 25.0 * i * i, "element %d of %s", i, zc_dtype_name(dtypes[d]));
            cr_assert_eq(value_at(more, i), 10.0 * i + 1, "element %d of %s", i, zc_dtype_name(dtypes[d]));
        }
        double squares = 25.0 * (COUNT - 1) * COUNT * (2 * COUNT - 1) / 6;
        zc_tensor *sum = zc_sum(zc_square(zc_astype(size, ZC_FLOAT64)), ZC_ALL_AXES, false);
        cr_assert_eq(value_at(sum, 0), squares);
        cr_assert_eq(value_at(zc_sum(zc_square(zc_abs(zc_astype(out, ZC_COMPLEX128))), ZC_ALL_AXES, false), 0),
                     squares);
        finish(b);
    }
}

/* ---- Special cases ---- */

typedef struct special_case {
    const char *name;
    zc_tensor *(*function)(const zc_tensor *);
    double x, y, u, v;
} special_case;

static const special_case cases[] = {
#define ZC_SPECIAL_COMPLEX(name, x, y, u, v) {#name "(" #x ", " #y ")", zc_##name, x, y, u, v},
#include "tests/api/special_cases_complex.def"
};

/* Equal with the zero's sign, both NaN, or not whole and within 2 ULP of complex64. */
static bool agrees(double got, double wanted, zc_dtype dtype)
{
    double epsilon = dtype == ZC_COMPLEX64 ? 0x1p-23 : 0x1p-52;
    if (isnan(got) || isnan(wanted))
        return isnan(got) && isnan(wanted);
    if (wanted == trunc(wanted))
        return got == wanted && signbit(got) == signbit(wanted);
    return fabs(got - wanted) <= 2 * epsilon * fabs(wanted);
}

static void check_case(const special_case *c, zc_dtype dtype, bool conjugate, const zc_options *options)
{
    if (conjugate && c->function == zc_sign && c->v == 0)
        return;
    bench b = begin_with(*options);
    double y = conjugate ? -c->y : c->y, v = conjugate && !isnan(y) ? -c->v : c->v; /* NaN has no sign */
    zc_tensor *result = c->function(number(b.ctx, dtype, c->x, y));
    cr_assert_not_null(result, "%s: %s", c->name, zc_error_text(b.ctx));
    cr_assert_eq(zc_dtype_of(result), dtype);
    parts got = parts_at(result, 0);
    cr_expect(agrees(got.real, c->u, dtype) && agrees(got.imag, v, dtype),
              "%s%s of %s is %.17g%+.17gj, not %.17g%+.17gj", conjugate ? "the conjugate of " : "", c->name,
              zc_dtype_name(dtype), got.real, got.imag, c->u, v);
    finish(b);
}

Test(complex, special_cases_are_those_of_the_standard)
{
    static const zc_options executors[] = {{.executor = ZC_EXECUTOR_TILE, .threads = 1},
                                           {.executor = ZC_EXECUTOR_REFERENCE, .threads = 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int way = 0; way < 8; way++)
            check_case(&cases[i], (way & 1) != 0 ? ZC_COMPLEX64 : ZC_COMPLEX128, (way & 2) != 0, &executors[way >> 2]);
    }
}

/* NumPy's: each part of a quotient by 0 over 0; what overflows on the way does so. */
Test(complex, quotients_follow_smith)
{
    bench b = begin();
    zc_tensor *one = number(b.ctx, ZC_COMPLEX128, 1, 0), *zero = number(b.ctx, ZC_COMPLEX128, 0, 0);
    parts by_zero = parts_at(zc_divide(one, zero), 0);
    cr_assert(isinf(by_zero.real) && isnan(by_zero.imag));
    parts far = parts_at(
        zc_divide(number(b.ctx, ZC_COMPLEX128, 0x1p1000, 0x1p1000), number(b.ctx, ZC_COMPLEX128, 0x1p1000, 0x1p1000)),
        0);
    cr_assert(far.real == 1 && far.imag == 0);
    parts turned = parts_at(zc_divide(number(b.ctx, ZC_COMPLEX64, 1, 2), number(b.ctx, ZC_COMPLEX64, 0, 2)), 0);
    cr_assert(turned.real == 1 && turned.imag == -0.5);
    finish(b);
}

/* ---- Parts ---- */

Test(complex, parts_of_data_are_views_of_it)
{
    bench b = begin();
    const double data[] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};
    zc_tensor *z = zc_from_data(b.ctx, ZC_COMPLEX128, ZC_SHAPE(2, 3), data, sizeof data);
    int64_t held = zc_memory_usage(b.ctx).held_bytes;
    zc_tensor *turned = zc_flip(zc_matrix_transpose(z), ZC_AXES(0)); /* (3, 2), backwards */
    zc_tensor *real = zc_real(turned), *imag = zc_imag(turned);
    cr_assert(zc_is_view(real) && zc_is_view(imag));
    cr_assert_eq(zc_dtype_of(imag), ZC_FLOAT64);
    cr_assert_eq((const double *)zc_data(imag), (const double *)zc_data(z) + 5);
    cr_assert(zc_strides(real)[0] == -2 && zc_strides(real)[1] == 6);
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes, held);
    EXPECT(real, 5, 11, 3, 9, 1, 7);
    EXPECT(imag, -6, -12, -4, -10, -2, -8);
    zc_tensor *spread = zc_imag(zc_broadcast_to(zc_slice(z, 1, 1, 2, 1), ZC_SHAPE(2, 2, 2)));
    cr_assert_eq(zc_broadcast_axes(spread), 5);
    EXPECT(spread, -4, -4, -10, -10, -4, -4, -10, -10);
    EXPECT(zc_bitcast(z, ZC_FLOAT64), 1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12);
    zc_tensor *back = zc_bitcast(zc_bitcast(z, ZC_FLOAT64), ZC_COMPLEX128);
    cr_assert_eq(zc_data(back), zc_data(z));
    cr_assert_eq(zc_size(zc_imag(zc_slice(z, 0, 2, 2, 1))), 0);
    finish(b);
}

Test(complex, parts_of_what_is_computed_are_recorded)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT32, 1, 2, 3), *z = zc_complex(x, zc_negative(x));
    cr_assert_eq(zc_dtype_of(z), ZC_COMPLEX64);
    EXPECT(zc_real(zc_square(z)), 0, 0, 0);
    EXPECT(zc_imag(zc_square(z)), -2, -8, -18);
    EXPECT(zc_imag(zc_conj(z)), 1, 2, 3);
    EXPECT(zc_real(zc_multiply(zc_conj(z), z)), 2, 8, 18);
    cr_assert_eq(zc_dtype_of(zc_abs(z)), ZC_FLOAT32);
    cr_assert_eq(zc_dtype_of(zc_angle(z)), ZC_FLOAT32);
    finish(b);
}

Test(complex, real_numbers_are_their_own_parts)
{
    bench b = begin();
    zc_tensor *i8 = OF(b.ctx, ZC_INT8, -1, 2), *half = OF(b.ctx, ZC_FLOAT16, 0.5);
    EXPECT(zc_real(i8), -1, 2);
    EXPECT(zc_conj(i8), -1, 2);
    EXPECT(zc_imag(i8), 0, 0);
    cr_assert_eq(zc_dtype_of(zc_imag(i8)), ZC_INT8);
    cr_assert_eq(zc_dtype_of(zc_angle(i8)), ZC_FLOAT64);
    cr_assert_eq(zc_dtype_of(zc_angle(half)), ZC_FLOAT16);
    EXPECT(zc_angle(OF(b.ctx, ZC_FLOAT64, 2, -2, 0.0, -0.0)), 0, PI, 0, PI);
    cr_assert_eq(zc_dtype_of(zc_complex(half, half)), ZC_COMPLEX64);
    cr_assert_eq(zc_dtype_of(zc_complex(half, OF(b.ctx, ZC_FLOAT64, 1))), ZC_COMPLEX128);
    cr_assert_eq(zc_dtype_of(zc_complex(i8, i8)), ZC_COMPLEX128);
    cr_assert_null(zc_real(NULL));
    cr_assert_null(zc_imag(NULL));
    cr_assert_null(zc_conj(NULL));
    expect_refused(b, zc_complex(i8, NULL), ZC_ERROR_ARGUMENT, "complex: imag is NULL");
    cr_assert_null(zc_weak_complex(NULL, 1, 2));
    expect_refused(b, zc_complex(number(b.ctx, ZC_COMPLEX64, 1, 2), i8), ZC_ERROR_DTYPE,
                   "complex: takes real parts, not complex64");
    finish(b);
}

/* ---- Conversions, sums, what they are accumulated in ---- */

Test(complex, conversions_keep_what_there_is)
{
    bench b = begin();
    zc_tensor *z = number(b.ctx, ZC_COMPLEX128, 0.1, -0.0);
    EXPECT(zc_astype(
               zc_stack(b.ctx, TENSORS(z, number(b.ctx, ZC_COMPLEX128, 0, 0), number(b.ctx, ZC_COMPLEX128, 0, 2)), 0),
               ZC_BOOL),
           1, 0, 1);
    parts narrow = parts_at(zc_astype(z, ZC_COMPLEX64), 0);
    cr_assert(narrow.real == (double)0.1f && narrow.imag == 0 && signbit(narrow.imag));
    parts from_integer = parts_at(zc_astype(OF(b.ctx, ZC_INT64, 0x1p53), ZC_COMPLEX64), 0);
    cr_assert(from_integer.real == 0x1p53 && from_integer.imag == 0 && !signbit(from_integer.imag));
    parts full = parts_at(zc_full(b.ctx, ZC_SHAPE(2), ZC_COMPLEX64, 2.5), 1);
    cr_assert(full.real == 2.5 && full.imag == 0);
    for (int d = 1; d < ZC_COMPLEX64; d++) {
        cr_assert_null(zc_astype(z, (zc_dtype)d));
        cr_assert_not_null(strstr(zc_error_text(b.ctx), "would drop the imaginary parts"), "%s", zc_error_text(b.ctx));
        zc_error_clear(b.ctx);
    }
    finish(b);
}

Test(complex, sums_keep_the_signs_of_zeros)
{
    bench b = begin();
    parts sum = parts_at(zc_sum(number(b.ctx, ZC_COMPLEX64, -0.0, -0.0), ZC_ALL_AXES, true), 0);
    cr_assert(sum.real == 0 && signbit(sum.real) && sum.imag == 0 && signbit(sum.imag));
    zc_tensor *nothing = zc_slice(number(b.ctx, ZC_COMPLEX128, 1, 1), 0, 1, ZC_NONE, 1);
    parts empty = parts_at(zc_prod(nothing, ZC_ALL_AXES, true), 0);
    cr_assert(empty.real == 1 && empty.imag == 0);
    empty = parts_at(zc_mean(nothing, ZC_ALL_AXES, true), 0);
    cr_assert(isnan(empty.real) && isnan(empty.imag));
    finish(b);
}

/* An invariant axis is not walked: n z, and z^n by squaring. */
Test(complex, invariant_axes_are_reduced_by_rule)
{
    bench b = begin();
    zc_tensor *z = number(b.ctx, ZC_COMPLEX64, 1, -2), *many = zc_broadcast_to(z, ZC_SHAPE(INT64_C(1) << 40, 1));
    parts sum = parts_at(zc_sum(many, ZC_AXES(0), false), 0), mean = parts_at(zc_mean(many, ZC_AXES(0), false), 0);
    cr_assert(sum.real == 0x1p40 && sum.imag == -0x1p41);
    cr_assert(mean.real == 1 && mean.imag == -2);
    parts power = parts_at(zc_prod(zc_broadcast_to(z, ZC_SHAPE(5, 1)), ZC_AXES(0), false), 0);
    cr_assert(power.real == 41 && power.imag == 38); /* (1 - 2j)^5 */
    parts round =
        parts_at(zc_prod(zc_broadcast_to(number(b.ctx, ZC_COMPLEX128, 0, 1), ZC_SHAPE((INT64_C(1) << 40) + 1, 1)),
                         ZC_AXES(0), false),
                 0);
    cr_assert(round.real == 0 && round.imag == 1);
    finish(b);
}

/* var and norms are real; vecdot conjugates its first operand. */
Test(complex, statistics_are_real)
{
    bench b = begin();
    zc_tensor *z = zc_complex(OF(b.ctx, ZC_FLOAT32, 3, 0, -3), OF(b.ctx, ZC_FLOAT32, 4, 0, -4));
    zc_tensor *var = zc_var(z, ZC_ALL_AXES, 1, false), *norm = zc_vector_norm(z, ZC_ALL_AXES, false, 1);
    cr_assert_eq(zc_dtype_of(var), ZC_FLOAT32);
    EXPECT(var, 25);
    EXPECT(zc_std(z, ZC_ALL_AXES, 1, false), 5);
    EXPECT(norm, 10);
    EXPECT(zc_count_nonzero(z, ZC_ALL_AXES, false), 2);
    parts product = parts_at(zc_vecdot(z, z, -1), 0);
    cr_assert(product.real == 50 && product.imag == 0);
    finish(b);
}

Test(complex, what_needs_an_order_is_refused)
{
    bench b = begin();
    zc_tensor *z = number(b.ctx, ZC_COMPLEX64, 1, 2), *out = NULL;
    expect_refused(b, zc_less(z, z), ZC_ERROR_DTYPE, "less: takes real numbers, not complex64");
    expect_refused(b, zc_atan2(z, z), ZC_ERROR_DTYPE, "atan2: takes real numbers, not complex64");
    expect_refused(b, zc_floor(z), ZC_ERROR_DTYPE, "floor: takes real numbers, not complex64");
    expect_refused(b, zc_bitwise_and(z, z), ZC_ERROR_DTYPE, "bitwise_and: takes integers or bool, not complex64");
    expect_refused(b, zc_max(z, ZC_ALL_AXES, false), ZC_ERROR_DTYPE, "max: takes real numbers, not complex64");
    expect_refused(b, zc_softmax(z, 0), ZC_ERROR_DTYPE, "softmax: takes real numbers, not complex64");
    cr_assert_eq(zc_sort(z, 0, false, &out), ZC_ERROR_DTYPE);
    expect_refused(b, out, ZC_ERROR_DTYPE, "sort: complex64 has no order");
    expect_refused(b, zc_xla_binary(ZC_XLA_LT, z, z, ZC_NO_AXES), ZC_ERROR_DTYPE,
                   "xla.lt: Binary op lt does not take complex64[1] (operands: complex64[1] and complex64[1])");
    parts quotient = parts_at(zc_xla_binary(ZC_XLA_DIV, z, z, ZC_NO_AXES), 0);
    cr_assert(quotient.real == 1 && quotient.imag == 0);
    finish(b);
}

/* From real numbers to real ones by way of complex ones is refused, too; what does not pass through them is not. */
Test(complex, gradients_are_refused)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT32, 1, 2), *z = zc_complex(x, x);
    expect_refused(b, zc_grad(zc_abs(z), x), ZC_ERROR_DTYPE,
                   "grad: y depends on x by way of complex64; real numbers have gradients");
    expect_refused(b, zc_grad(zc_real(zc_exp(zc_astype(x, ZC_COMPLEX128))), x), ZC_ERROR_DTYPE,
                   "grad: y depends on x by way of complex128; real numbers have gradients");
    expect_refused(b, zc_grad(z, x), ZC_ERROR_DTYPE, "grad: y is complex64; floats have gradients");
    expect_refused(b, zc_grad(zc_abs(z), z), ZC_ERROR_DTYPE, "grad: x is complex64; floats have gradients");
    zc_tensor *size = zc_abs(number(b.ctx, ZC_COMPLEX64, 3, 4));
    EXPECT(zc_grad(zc_multiply(x, size), x), 5, 5);
    EXPECT(zc_grad(zc_where(zc_equal(z, zc_weak_int(b.ctx, 1)), x, zc_square(x)), x), 2, 4);
    finish(b);
}

/* ---- Files and foreign memory ---- */

Test(complex, foreign_memory_is_aligned_as_its_parts_are)
{
    bench b = begin();
    static const double data[5] = {0, 1, 2, 3, 4};
    zc_tensor *z = zc_import(b.ctx, ZC_COMPLEX128, ZC_SHAPE(2), NULL, 0, data + 1, 4 * sizeof(double), NULL, NULL);
    cr_assert_not_null(z, "%s", zc_error_text(b.ctx));
    EXPECT(zc_imag(z), 2, 4);
    EXPECT(zc_real(zc_square(z)), -3, -7);
    cr_assert_null(
        zc_import(b.ctx, ZC_COMPLEX128, ZC_SHAPE(1), NULL, 0, (const char *)data + 4, 2 * sizeof(double), NULL, NULL));
    zc_error_clear(b.ctx);
    finish(b);
}

/* Result of a way of storing: moved, transposed, repeated, computed, joined, reduced, scanned, contracted, taken. */
static zc_tensor *result_of_kind(int kind, const zc_tensor *z)
{
    const zc_tensor *turned = zc_permute_dims(z, ZC_AXES(1, 0));
    const zc_tensor *pair[] = {z, z}, *places = zc_iota(zc_context_of(z), 3);
    switch (kind) {
    case 0:
        return zc_flip(z, ZC_AXES(0, 1));
    case 1:
        return zc_copy(turned);
    case 2:
        return zc_broadcast_to(zc_slice(z, 0, 0, 1, 1), zc_rank(z), zc_shape(z));
    case 3:
        return zc_multiply(z, zc_add(z, z));
    case 4:
        return zc_add(z, turned);
    case 5:
        return zc_concat(zc_context_of(z), 2, pair, 1);
    case 6:
        return zc_sum(z, ZC_AXES(0), true);
    case 7:
        return zc_prod(z, ZC_AXES(1), false);
    case 8:
        return zc_cumulative_sum(z, 1, false);
    case 9:
        return zc_matmul(z, turned);
    case 10:
        return zc_vecdot(z, z, -1);
    case 11:
        return zc_take(z, places, 1);
    default:
        return NULL;
    }
}

/* As memory is that comes from elsewhere. */
Test(complex, targets_are_aligned_as_their_parts_are)
{
    enum { SIDE = 150, KINDS = 12 };
    static double memory[4 * SIDE * SIDE + 1];
    for (int way = 0; way < 2 * KINDS; way++) {
        const zc_dtype dtype = way < KINDS ? ZC_COMPLEX64 : ZC_COMPLEX128;
        const size_t part = dtype == ZC_COMPLEX64 ? sizeof(float) : sizeof(double);
        bench b = begin();
        zc_tensor *n = zc_astype(zc_reshape(zc_iota(b.ctx, SIDE * SIDE), ZC_SHAPE(SIDE, SIDE)), dtype), *z, *wanted;
        cr_assert_eq(zc_materialize(n, &z), ZC_OK);
        zc_tensor *t = result_of_kind(way % KINDS, z);
        cr_assert_not_null(t, "%s", zc_error_text(b.ctx));
        cr_assert_eq(zc_materialize_into(t, (char *)memory + part, 2 * part * (size_t)zc_size(t), NULL, 0), ZC_OK, "%s",
                     zc_error_text(b.ctx));
        cr_assert_eq(zc_materialize(t, &wanted), ZC_OK);
        cr_expect_arr_eq((char *)memory + part, zc_data(wanted), 2 * part * (size_t)zc_size(t), "result %d", way);
        zc_release(wanted);
        zc_release(z);
        finish(b);
    }
}

/* Few rows, of zeros of either sign: what is joined beside them has the last word on the sign. */
Test(complex, products_of_few_rows_have_the_bits_of_the_reference)
{
    enum { MOST = 20, COLUMNS = 3 };
    zc_random_begin("complex/products");
    for (int rows = 1; rows <= MOST; rows++) {
        float values[MOST * COLUMNS * 2], results[2][COLUMNS * 2];
        for (int i = 0; i < rows * COLUMNS * 2; i++)
            values[i] = (float)copysign((double)zc_random_range(0, 1), zc_random_range(0, 1) == 0 ? -1 : 1);
        for (int reference = 0; reference < 2; reference++) {
            bench b = begin_with((zc_options){.executor = reference != 0 ? ZC_EXECUTOR_REFERENCE : ZC_EXECUTOR_TILE});
            zc_tensor *x = zc_from_data(b.ctx, ZC_COMPLEX64, ZC_SHAPE(rows, COLUMNS), values,
                                        (size_t)(rows * COLUMNS) * 2 * sizeof *values);
            zc_tensor *product = zc_prod(x, ZC_AXES(0), false);
            cr_assert_eq(zc_materialize_into(product, results[reference], sizeof *results, NULL, 0), ZC_OK, "%s",
                         zc_error_text(b.ctx));
            finish(b);
        }
        cr_assert_arr_eq(results[0], results[1], sizeof *results, "%d rows", rows);
    }
}
