/*
 * Contractions to the bit: random matrix products and tensordots of every dtype and of operands seen in every way,
 * against the definition (docs/numerics.md) written out with the C library's fma; then the same for windows of the
 * result, parts of a batch, both executors and any number of threads.
 */
#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { ROUNDS = 12 };
#else
enum { ROUNDS = 60 };
#endif
enum { CHAIN = 256, RUN = 4096, MOST = 1 << 20 };

/* ---- The definition: of the products of x[i] and y[i], i = 0 .. n-1 ---- */

/* A sum of either kind, in the wider of its types; of integers modulo 2^64. */
typedef union number {
    float f;
    double d;
    uint64_t u;
    float complex c;
    double complex z;
} number;

static number add(zc_dtype dtype, number a, number b)
{
    switch (dtype) {
    case ZC_FLOAT32:
        return (number){.f = a.f + b.f};
    case ZC_FLOAT64:
        return (number){.d = a.d + b.d};
    case ZC_COMPLEX64:
        return (number){.c = a.c + b.c};
    case ZC_COMPLEX128:
        return (number){.z = a.z + b.z};
    default:
        return (number){.u = a.u + b.u};
    }
}

/* sum + x y; the first product has no sum. */
static number add_product(zc_dtype dtype, number x, number y, bool is_first, number sum)
{
    switch (dtype) {
    case ZC_FLOAT32:
        return (number){.f = is_first ? x.f * y.f : fmaf(x.f, y.f, sum.f)};
    case ZC_FLOAT64:
        return (number){.d = is_first ? x.d * y.d : fma(x.d, y.d, sum.d)};
    case ZC_COMPLEX64: {
        float a = crealf(x.c), b = cimagf(x.c), c = crealf(y.c), d = cimagf(y.c);
        float real = is_first ? a * c : fmaf(a, c, crealf(sum.c)), imag = is_first ? a * d : fmaf(a, d, cimagf(sum.c));
        return (number){.c = __builtin_complex(fmaf(-b, d, real), fmaf(b, c, imag))};
    }
    case ZC_COMPLEX128: {
        double a = creal(x.z), b = cimag(x.z), c = creal(y.z), d = cimag(y.z);
        double real = is_first ? a * c : fma(a, c, creal(sum.z)), imag = is_first ? a * d : fma(a, d, cimag(sum.z));
        return (number){.z = __builtin_complex(fma(-b, d, real), fma(b, c, imag))};
    }
    default:
        return (number){.u = sum.u * !is_first + x.u * y.u};
    }
}

/* Runs first .. first + count - 1 by the tree: the largest power of two of them, then the others. */
static number add_runs(zc_dtype dtype, const number *runs, int64_t count)
{
    int64_t half = 1;
    if (count == 1)
        return runs[0];
    while (2 * half < count)
        half *= 2;
    return add(dtype, add_runs(dtype, runs, half), add_runs(dtype, runs + half, count - half));
}

static number contract(zc_dtype dtype, const number *x, const number *y, int64_t n)
{
    static number runs[MOST / RUN + 1];
    number chain = {.u = 0};
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        chain = add_product(dtype, x[i], y[i], i % CHAIN == 0, chain);
        if (i + 1 < n && (i + 1) % CHAIN != 0)
            continue;
        bool begins = i / CHAIN * CHAIN % RUN == 0;
        count += begins;
        runs[count - 1] = begins ? chain : add(dtype, runs[count - 1], chain);
    }
    return n == 0 ? (number){.z = 0} : add_runs(dtype, runs, count);
}

/* ---- Elements ---- */

static number number_at(const zc_tensor *dense, int64_t i)
{
    zc_dtype dtype = zc_dtype_of(dense);
    const char *data = zc_data(dense);
    number n = {.u = 0};
    switch (dtype) {
    case ZC_INT8:
        return (number){.u = (uint64_t)(int64_t)((const int8_t *)data)[i]};
    case ZC_UINT8:
        return (number){.u = ((const uint8_t *)data)[i]};
    case ZC_INT16:
        return (number){.u = (uint64_t)(int64_t)((const int16_t *)(const void *)data)[i]};
    case ZC_INT32:
        return (number){.u = (uint64_t)(int64_t)((const int32_t *)(const void *)data)[i]};
    default:
        memcpy(&n, data + (size_t)i * zc_dtype_bytes(dtype), zc_dtype_bytes(dtype));
        return n;
    }
}

/* Tells whether an element of a result is the definition's; NaNs have no bits to compare. */
static bool is_same(zc_dtype dtype, number wanted, const char *got)
{
    float f[2];
    double d[2];
    size_t bytes = zc_dtype_bytes(dtype);
    int parts = dtype == ZC_COMPLEX64 || dtype == ZC_COMPLEX128 ? 2 : 1;
    bool same = true;
    if (dtype != ZC_FLOAT32 && dtype != ZC_FLOAT64 && parts == 1)
        return memcmp(&wanted.u, got, bytes) == 0; /* little-endian */
    memcpy(f, got, bytes < sizeof f ? bytes : sizeof f);
    memcpy(d, got, bytes < sizeof d ? bytes : sizeof d);
    for (int i = 0; i < parts; i++) {
        if (dtype == ZC_FLOAT32 || dtype == ZC_COMPLEX64)
            same &=
                memcmp(&f[i], (float *)&wanted + i, sizeof *f) == 0 || (isnan(f[i]) && isnan(((float *)&wanted)[i]));
        else
            same &=
                memcmp(&d[i], (double *)&wanted + i, sizeof *d) == 0 || (isnan(d[i]) && isnan(((double *)&wanted)[i]));
    }
    return same;
}

/* Numbers of many sizes, a few zeros of both signs among them. */
static zc_tensor *draw_dense(bench b, zc_dtype dtype, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    double *values = malloc((size_t)(size > 0 ? size : 1) * sizeof *values);
    bool is_float = dtype == ZC_FLOAT32 || dtype == ZC_FLOAT64 || dtype == ZC_COMPLEX64 || dtype == ZC_COMPLEX128;
    for (int64_t i = 0; i < size; i++) {
        values[i] = is_float ? (zc_random_double() - 0.5) * exp2((double)zc_random_range(-8, 8))
                             : (double)zc_random_range(-100, 100);
        if (zc_random_range(0, 9) == 0)
            values[i] = zc_random_bool() ? 0.0 : -0.0;
    }
    zc_tensor *t = zc_from_data(b.ctx, ZC_FLOAT64, rank, shape, values, (size_t)size * sizeof *values), *stored = NULL;
    free(values);
    if (dtype == ZC_COMPLEX64 || dtype == ZC_COMPLEX128) {
        zc_dtype part = dtype == ZC_COMPLEX64 ? ZC_FLOAT32 : ZC_FLOAT64;
        t = zc_complex(zc_astype(t, part), zc_astype(zc_subtract(zc_weak_float(b.ctx, 0.25), t), part));
    }
    cr_assert_eq(zc_materialize(zc_astype(t, dtype), &stored), ZC_OK, "%s", zc_error_text(b.ctx));
    return stored;
}

/* An operand of that shape: dense, with its last axes transposed in memory, backwards, in steps, repeated, gathered or
 * computed. */
static zc_tensor *draw_operand(bench b, zc_dtype dtype, int rank, const int64_t *shape)
{
    int64_t other[8];
    int axis = (int)zc_random_range(0, rank - 1);
    memcpy(other, shape, (size_t)rank * sizeof *other);
    switch (zc_random_range(0, 7)) {
    case 0:
        other[rank - 1] = shape[rank - 2];
        other[rank - 2] = shape[rank - 1];
        return zc_matrix_transpose(draw_dense(b, dtype, rank, other));
    case 1:
        return zc_flip(draw_dense(b, dtype, rank, shape), 1, &axis);
    case 2:
        other[axis] = 2 * shape[axis];
        return zc_slice(draw_dense(b, dtype, rank, other), axis, 0, 2 * shape[axis], 2);
    case 3:
        other[axis] = 1;
        return zc_broadcast_to(draw_dense(b, dtype, rank, other), rank, shape);
    case 4:
        return zc_negative(draw_dense(b, dtype, rank, shape));
    case 5:
        other[axis] += 3;
        return zc_slice(draw_dense(b, dtype, rank, other), axis, 2, 2 + shape[axis], 1);
    default:
        return draw_dense(b, dtype, rank, shape);
    }
}

static const char *const names[] = {"float32", "float64", "complex64", "complex128", "int8",
                                    "uint8",   "int16",   "int32",     "int64"};
static const zc_dtype dtypes[] = {ZC_FLOAT32, ZC_FLOAT64, ZC_COMPLEX64, ZC_COMPLEX128, ZC_INT8,
                                  ZC_UINT8,   ZC_INT16,   ZC_INT32,     ZC_INT64};

static int64_t draw_extent(void)
{
    static const int64_t extents[] = {1, 2, 3, 7, 16, 31, 33, 64, 100, 130};
    return extents[zc_random_range(0, 9)];
}

static int64_t draw_products(void)
{
    static const int64_t products[] = {0, 1, 2, 5, 64, 255, 256, 257, 300, 512, 1000, 4096, 4097, 9000, 20000};
    return products[zc_random_range(0, 14)];
}

/* Dense, in memory. */
static zc_tensor *store(const zc_tensor *t)
{
    zc_tensor *stored = NULL, *copy = zc_copy(t);
    cr_assert_not_null(copy, "%s", zc_error_text(zc_context_of(t)));
    cr_assert_eq(zc_materialize(copy, &stored), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return stored;
}

/* ---- Matrices ---- */

typedef struct product {
    int64_t batches, m, n, k;
    zc_dtype dtype;
    const char *name;
    zc_tensor *x, *y; /* (batches, m, k), (batches, k, n) */
} product;

static product draw_product(bench b)
{
    int which = (int)zc_random_range(0, 8);
    product p = {.batches = zc_random_range(1, 3), .m = draw_extent(), .n = draw_extent(), .k = draw_products()};
    while (p.batches * p.m * p.n * p.k > 1 << 21) {
        p.m = (p.m + 1) / 2;
        p.n = (p.n + 1) / 2;
        p.k = p.m * p.n == 1 ? p.k / 2 : p.k;
    }
    p.dtype = dtypes[which];
    p.name = names[which];
    p.x = draw_operand(b, p.dtype, 3, (const int64_t[]){p.batches, p.m, p.k});
    p.y = draw_operand(b, p.dtype, 3, (const int64_t[]){p.batches, p.k, p.n});
    return p;
}

static void expect_definition(const product *p, const zc_tensor *result)
{
    static number row[MOST], column[MOST];
    zc_tensor *x = store(p->x), *y = store(p->y);
    size_t item = zc_dtype_bytes(p->dtype);
    for (int64_t i = 0; i < zc_size(result); i++) {
        int64_t batch = i / (p->m * p->n), r = i / p->n % p->m, c = i % p->n;
        for (int64_t k = 0; k < p->k; k++) {
            row[k] = number_at(x, (batch * p->m + r) * p->k + k);
            column[k] = number_at(y, (batch * p->k + k) * p->n + c);
        }
        number wanted = contract(p->dtype, row, column, p->k);
        cr_assert(is_same(p->dtype, wanted, (const char *)zc_data(result) + (size_t)i * item),
                  "%s (%" PRId64 ", %" PRId64 ", %" PRId64 ") @ (%" PRId64 "): element %" PRId64, p->name, p->batches,
                  p->m, p->k, p->n, i);
    }
    zc_release(x);
    zc_release(y);
}

static void expect_same(const zc_tensor *a, const zc_tensor *b, const char *what)
{
    zc_tensor *x = store(a), *y = store(b);
    size_t item = zc_dtype_bytes(zc_dtype_of(a));
    for (int64_t i = 0; i < zc_size(x); i++) {
        number n = {.u = 0};
        memcpy(&n, (const char *)zc_data(x) + (size_t)i * item, item);
        cr_assert(is_same(zc_dtype_of(a), n, (const char *)zc_data(y) + (size_t)i * item), "%s: element %" PRId64, what,
                  i);
    }
    zc_release(x);
    zc_release(y);
}

/* Expects the same of a part of the rows, of the columns, and of one batch alone, recorded in two ways. */
static void expect_parts(const product *p, const zc_tensor *result)
{
    int64_t first = zc_random_range(0, p->m - 1), end = zc_random_range(first + 1, p->m);
    int64_t from = zc_random_range(0, p->n - 1), to = zc_random_range(from + 1, p->n);
    int64_t batch = zc_random_range(0, p->batches - 1);
    zc_tensor *rows = zc_slice(p->x, 1, first, end, 1), *columns = zc_slice(p->y, 2, from, to, 1);
    expect_same(zc_slice(result, 1, first, end, 1), zc_slice(zc_matmul(p->x, p->y), 1, first, end, 1),
                "a window of rows");
    expect_same(zc_slice(result, 1, first, end, 1), zc_matmul(rows, p->y), "rows of an operand");
    expect_same(zc_slice(result, 2, from, to, 1), zc_matmul(p->x, columns), "columns of an operand");
    expect_same(zc_index(result, 0, batch), zc_matmul(zc_index(p->x, 0, batch), zc_index(p->y, 0, batch)), "a batch");
    expect_same(zc_index(zc_index(result, 0, batch), 0, first),
                zc_matmul(zc_index(zc_index(p->x, 0, batch), 0, first), zc_index(p->y, 0, batch)), "a vector");
    if (p->dtype != ZC_COMPLEX64 && p->dtype != ZC_COMPLEX128) { /* whose products are not commutative to the bit */
        zc_tensor *turned = zc_matmul(zc_matrix_transpose(p->y), zc_matrix_transpose(p->x));
        expect_same(result, zc_matrix_transpose(turned), "transposed");
    }
}

static void check(int executor, int threads, int rounds)
{
    bench b = begin_with((zc_options){.threads = threads, .executor = (zc_executor)executor});
    for (int i = 0; i < zc_test_count(rounds); i++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        product p = draw_product(b);
        zc_tensor *result = store(zc_matmul(p.x, p.y));
        expect_definition(&p, result);
        if (p.m > 0 && p.n > 0)
            expect_parts(&p, result);
        zc_release(result);
        zc_scope_end(scope);
    }
    finish(b);
}

Test(contraction_bits, are_those_of_the_definition)
{
    zc_random_begin("contraction_bits");
    check(0, 1, ROUNDS);
    check(0, 3, ROUNDS);
}

Test(contraction_bits, are_those_of_the_reference)
{
    zc_random_begin("contraction_bits/reference");
    check(1, 1, ROUNDS / 4);
}
