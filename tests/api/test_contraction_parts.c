/*
 * A part of a contraction has the bits that it has in the whole: rows, columns and batches alone or together, of
 * operands that are transposed, reversed, in steps or copied, however the contraction is written, by any number of
 * threads.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

enum { ROUNDS = 100, THREADS = 4 };

static const zc_dtype dtypes[] = {ZC_FLOAT32,  ZC_FLOAT32,   ZC_FLOAT64, ZC_FLOAT64, ZC_FLOAT16,
                                  ZC_BFLOAT16, ZC_INT8,      ZC_UINT16,  ZC_INT32,   ZC_INT64,
                                  ZC_UINT64,   ZC_COMPLEX64, ZC_FLOAT32, ZC_FLOAT64, ZC_COMPLEX128};

/* (batches, m, k) @ (batches, k, n), or y (k, n) for all batches. */
typedef struct product {
    int64_t batches, m, n, k;
    zc_dtype dtype;
    bool shares_y;
    const zc_tensor *x, *y;
} product;

static zc_tensor *stored(const zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_not_null(t);
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return out;
}

static zc_tensor *draw_dense(zc_context *ctx, zc_dtype dtype, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    double *values = malloc(((size_t)size + 1) * sizeof *values);
    for (int64_t i = 0; i < size; i++) {
        const uint64_t bits = zc_random_u64();
        values[i] = bits % 16 == 0 ? -0.0 : ((double)(bits >> 40) * 0x1p-24 - 0.5) * (double)(1 << (bits >> 4 & 7));
    }
    zc_tensor *t = zc_from_data(ctx, ZC_FLOAT64, rank, shape, values, (size_t)size * sizeof *values);
    free(values);
    if (dtype < ZC_FLOAT32)
        t = zc_multiply(t, zc_weak_int(ctx, 50));
    return stored(zc_astype(dtype < ZC_COMPLEX64 ? t : zc_complex(t, zc_flip(t, ZC_ALL_AXES)), dtype));
}

/* Seen in some way that repeats no element: those that repeat are summed by a rule of their own. */
static zc_tensor *draw_operand(zc_context *ctx, zc_dtype dtype, int rank, const int64_t *shape)
{
    int64_t other[3];
    const int axis = (int)zc_random_range(0, rank - 1);
    memcpy(other, shape, (size_t)rank * sizeof *other);
    switch (zc_random_range(0, 4)) {
    case 0:
        other[rank - 1] = shape[rank - 2];
        other[rank - 2] = shape[rank - 1];
        return zc_matrix_transpose(draw_dense(ctx, dtype, rank, other));
    case 1:
        return zc_flip(draw_dense(ctx, dtype, rank, shape), 1, &axis);
    case 2:
        other[axis] = 2 * shape[axis];
        return zc_slice(draw_dense(ctx, dtype, rank, other), axis, 0, ZC_NONE, 2);
    case 3:
        other[axis] += 3;
        return zc_slice(draw_dense(ctx, dtype, rank, other), axis, 1, shape[axis] + 1, 1);
    default:
        return draw_dense(ctx, dtype, rank, shape);
    }
}

static int64_t draw_extent(void)
{
    static const int64_t extents[] = {1, 2, 3, 8, 13, 16, 24, 31, 33, 64, 100};
    return extents[zc_random_range(0, 10)];
}

static product draw_product(zc_context *ctx)
{
    static const int64_t products[] = {1, 2, 7, 64, 255, 256, 257, 513, 1000, 4096, 4100, 9000};
    product p = {.batches = zc_random_range(1, 3),
                 .m = draw_extent(),
                 .n = draw_extent(),
                 .k = products[zc_random_range(0, 11)],
                 .dtype = dtypes[zc_random_range(0, (int64_t)(sizeof dtypes / sizeof *dtypes) - 1)],
                 .shares_y = zc_random_bool()};
    while (p.batches * p.m * p.n * p.k > 1 << 19) {
        p.m = (p.m + 1) / 2;
        p.n = (p.n + 1) / 2;
        p.k = p.m * p.n == 1 ? p.k / 2 : p.k;
    }
    p.x = draw_operand(ctx, p.dtype, 3, LENGTHS(p.batches, p.m, p.k));
    p.y = p.shares_y ? draw_operand(ctx, p.dtype, 2, LENGTHS(p.k, p.n))
                     : draw_operand(ctx, p.dtype, 3, LENGTHS(p.batches, p.k, p.n));
    return p;
}

static void expect_same(const product *p, const zc_tensor *wanted, const zc_tensor *got, const char *how)
{
    zc_tensor *a = stored(zc_copy(wanted)), *b = stored(zc_copy(got));
    cr_assert(zc_size(a) == zc_size(b) && zc_dtype_of(a) == zc_dtype_of(b), "%s", how);
    cr_assert(memcmp(zc_data(a), zc_data(b), (size_t)zc_size(a) * zc_dtype_bytes(zc_dtype_of(a))) == 0,
              "%s, %s: (%" PRId64 ", %" PRId64 ", %" PRId64 ") @ (%s%" PRId64 ", %" PRId64 ")", how,
              zc_dtype_name(p->dtype), p->batches, p->m, p->k, p->shares_y ? "" : "batches, ", p->k, p->n);
    zc_release(a);
    zc_release(b);
}

/* The same elements in other memory: transposed twice, copied in between. */
static zc_tensor *laid_otherwise(const zc_tensor *t)
{
    return zc_random_bool() ? stored(zc_copy(t)) : zc_matrix_transpose(stored(zc_copy(zc_matrix_transpose(t))));
}

static zc_tensor *by_einsum(const product *p, const zc_tensor *x, const zc_tensor *y)
{
    return zc_einsum(zc_context_of(x), p->shares_y ? "bmk,kn->bmn" : "bmk,bkn->bmn", TENSORS(x, y));
}

/* Other ways to the same product. */
static void check_ways(const product *p, const zc_tensor *x, const zc_tensor *y, const zc_tensor *whole)
{
    expect_same(p, whole, zc_matmul(x, y), "threads");
    expect_same(p, whole, zc_matmul(laid_otherwise(x), laid_otherwise(y)), "copies of the operands");
    expect_same(p, whole, by_einsum(p, x, y), "einsum");
    if (p->shares_y)
        expect_same(p, whole, zc_tensordot(x, y, 1, (const int[]){2}, (const int[]){0}), "tensordot");
    zc_tensor *rows = zc_expand_dims(x, 2), *columns = zc_expand_dims(zc_matrix_transpose(y), p->shares_y ? 0 : 1);
    if (p->dtype < ZC_COMPLEX64) /* which vecdot conjugates, and whose products are not commutative to the bit */
        expect_same(p, whole, zc_vecdot(rows, columns, -1), "vecdot");
    if (p->dtype < ZC_COMPLEX64)
        expect_same(p, whole, zc_matrix_transpose(zc_matmul(zc_matrix_transpose(y), zc_matrix_transpose(x))),
                    "transposed");
}

/* Windows of the result, and products of windows of the operands. */
static void check_parts(const product *p, const zc_tensor *x, const zc_tensor *y, const zc_tensor *whole)
{
    const int64_t i = zc_random_range(0, p->m - 1), j = zc_random_range(i + 1, p->m);
    const int64_t from = zc_random_range(0, p->n - 1), to = zc_random_range(from + 1, p->n);
    const int64_t batch = zc_random_range(0, p->batches - 1);
    const zc_tensor *rows = zc_slice(x, 1, i, j, 1), *columns = zc_slice(y, p->shares_y ? 1 : 2, from, to, 1);
    const zc_tensor *part = zc_slice(zc_slice(whole, 1, i, j, 1), 2, from, to, 1);
    expect_same(p, part, zc_slice(zc_slice(zc_matmul(x, y), 1, i, j, 1), 2, from, to, 1), "a window of the result");
    expect_same(p, zc_slice(whole, 1, i, j, 1), zc_matmul(rows, y), "rows");
    expect_same(p, zc_slice(whole, 2, from, to, 1), zc_matmul(x, columns), "columns");
    expect_same(p, part, zc_matmul(laid_otherwise(rows), columns), "rows and columns");
    const zc_tensor *one = p->shares_y ? y : zc_index(y, 0, batch), *of_x = zc_index(x, 0, batch);
    expect_same(p, zc_index(whole, 0, batch), zc_matmul(of_x, one), "a batch");
    expect_same(p, zc_index(zc_index(whole, 0, batch), 0, i), zc_matmul(zc_index(of_x, 0, i), one), "a row");
    expect_same(p, zc_index(zc_index(whole, 0, batch), 1, from), zc_matmul(of_x, zc_index(one, 1, from)), "a column");
    expect_same(p, zc_index(zc_index(zc_index(whole, 0, batch), 0, i), 0, from),
                zc_vecdot(zc_conj(zc_index(of_x, 0, i)), zc_index(one, 1, from), -1), "an element");
}

Test(contraction_parts, have_the_bits_of_the_whole)
{
    zc_random_begin("contraction_parts");
    bench whole = begin_with((zc_options){.threads = 1}), others[THREADS];
    for (int t = 0; t < THREADS; t++)
        others[t] = begin_with((zc_options){.threads = t + 1});
    for (int i = 0; i < zc_test_count(ROUNDS); i++) {
        const int t = (int)zc_random_range(0, THREADS - 1);
        zc_scope *scopes[] = {zc_scope_begin(whole.ctx), zc_scope_begin(others[t].ctx)};
        product p = draw_product(whole.ctx);
        zc_tensor *wanted = stored(zc_matmul(p.x, p.y)), *adopted = zc_adopt(others[t].ctx, wanted);
        const zc_tensor *x = zc_adopt(others[t].ctx, p.x), *y = zc_adopt(others[t].ctx, p.y);
        check_ways(&p, x, y, adopted);
        check_parts(&p, x, y, adopted);
        zc_scope_end(scopes[1]);
        zc_scope_end(scopes[0]);
    }
    fprintf(stderr, "%d products: their parts have the bits of the whole\n", zc_test_count(ROUNDS));
    for (int t = 0; t < THREADS; t++)
        finish(others[t]);
    finish(whole);
}
