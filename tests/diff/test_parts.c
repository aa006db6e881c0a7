/*
 * Reductions in parts: the states of any ranges, joined in any number of steps, have the bits of the reduction, for
 * every reduction and dtype, with axes along which nothing changes, with signed zeros, NaN and infinities, and of
 * nothing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/diff/same.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { REDUCTIONS = 1200, MOST_RANGES = 12, MOST_STATES = MOST_RANGES * ZC_MOST_STATES };

/* ---- What is reduced ---- */

/* Numbers of which many are special. */
static double random_number(bool is_special)
{
    static const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 3e38};
    if (is_special && zc_random_range(0, 3) == 0)
        return specials[zc_random_range(0, 7)];
    return (double)zc_random_range(-1000, 1000) / (zc_random_bool() ? 1 : 7);
}

static zc_tensor *random_data(zc_context *ctx, zc_dtype dtype, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    const bool is_special = zc_random_range(0, 2) == 0, are_zeros = zc_random_range(0, 5) == 0;
    double *values = malloc((size_t)(2 * size + 1) * sizeof *values);
    for (int64_t i = 0; i < 2 * size; i++)
        values[i] = are_zeros ? (zc_random_bool() ? 0.0 : -0.0) : random_number(is_special);
    const bool is_complex = dtype == ZC_COMPLEX64 || dtype == ZC_COMPLEX128;
    zc_tensor *t = zc_from_data(ctx, is_complex ? ZC_COMPLEX128 : ZC_FLOAT64, rank, shape, values,
                                (size_t)size * (is_complex ? 16 : 8));
    free(values);
    zc_tensor *converted = NULL;
    (void)zc_materialize(zc_astype(t, dtype), &converted);
    return zc_random_bool() ? converted : zc_astype(t, dtype);
}

/* A tensor of up to three axes, computed or not, some of which may repeat it, or look as if they did not. */
static const zc_tensor *random_operand(zc_context *ctx, zc_dtype dtype)
{
    int64_t shape[3], from[3];
    const int rank = (int)zc_random_range(1, 3);
    const int64_t most = rank == 1 ? 9000 : rank == 2 ? 120 : 24;
    for (int a = 0; a < rank; a++) {
        shape[a] = zc_random_range(0, 15) == 0 ? zc_random_range(0, 1) : zc_random_range(1, most);
        from[a] = zc_random_range(0, 4) == 0 ? 1 : shape[a];
    }
    if (rank == 2 && zc_random_bool())
        from[1] = shape[1] = zc_random_range(900, 3000);
    if (rank == 2 && zc_random_range(0, 3) == 0)
        from[0] = shape[0] = zc_random_range(900, 3000);
    const zc_tensor *t = zc_broadcast_to(random_data(ctx, dtype, rank, from), rank, shape);
    if (zc_random_range(0, 2) == 0 && dtype != ZC_BOOL)
        t = zc_multiply(t, random_data(ctx, dtype, 1, &from[rank - 1]));
    cr_assert_not_null(t, "%s", zc_error_text(ctx));
    if (zc_random_range(0, 3) == 0 && dtype != ZC_BOOL)
        t = zc_astype(zc_square(t), dtype);
    if (rank == 2 && zc_random_range(0, 3) == 0)
        t = zc_matrix_transpose(t);
    if (zc_random_range(0, 4) == 0 && zc_rank(t) > 0)
        t = zc_concat(ctx, 2, (const zc_tensor *[]){t, zc_flip(t, ZC_AXES(0))}, 0);
    if (rank > 1 && zc_random_range(0, 3) == 0)
        t = zc_reshape(t, ZC_SHAPE(zc_size(t)));
    if (zc_random_range(0, 3) == 0 && zc_shape(t)[0] > 4)
        t = zc_slice(t, 0, zc_random_range(0, 3), ZC_NONE, zc_random_range(1, 2));
    return t;
}

typedef zc_tensor *reduction(const zc_tensor *x, int count, const int *axes, bool keepdims);

static const zc_tensor *random_contraction(zc_context *ctx, zc_dtype dtype)
{
    const int64_t k = zc_random_bool() ? zc_random_range(0, 30) : zc_random_range(4000, 20000);
    const int64_t m = zc_random_range(1, 3), n = zc_random_range(1, 3), a = zc_random_range(1, 40);
    const int64_t wide = zc_random_range(1, 400);
    const zc_tensor *x, *y;
    switch (zc_random_range(0, 3)) {
    case 0:
        x = random_data(ctx, dtype, 2, (int64_t[]){m, k});
        y = zc_matrix_transpose(random_data(ctx, dtype, 2, (int64_t[]){n, k}));
        return zc_matmul(zc_random_bool() ? x : zc_negative(x), y);
    case 1:
        x = random_data(ctx, dtype, 1, &k);
        return zc_vecdot(x, zc_random_bool() ? x : random_data(ctx, dtype, 1, &k), -1);
    case 2: /* two axes, of which one may be invariant */
        x = random_data(ctx, dtype, 3, (int64_t[]){m, a, wide});
        y = random_data(ctx, dtype, 3, (int64_t[]){n, a, 1});
        x = zc_random_bool() ? x : zc_broadcast_to(zc_slice(x, 2, 0, 1, 1), 3, zc_shape(x));
        y = zc_broadcast_to(y, ZC_SHAPE(n, a, wide));
        return zc_tensordot(x, y, 2, (const int[]){1, 2}, (const int[]){1, 2});
    default:
        x = zc_broadcast_to(random_data(ctx, dtype, 2, (int64_t[]){m, 1}), ZC_SHAPE(m, k));
        return zc_matmul(x, zc_broadcast_to(random_data(ctx, dtype, 2, (int64_t[]){1, n}), ZC_SHAPE(k, n)));
    }
}

static const zc_tensor *random_selection(const zc_tensor *x)
{
    zc_tensor *values = NULL, *places = NULL;
    const int axis = (int)zc_random_range(0, zc_rank(x) - 1);
    const int64_t most = zc_shape(x)[axis] < 100 ? zc_shape(x)[axis] : 100;
    if (most < 1 || zc_shape(x)[axis] < 2 || zc_size(x) == 0)
        return NULL;
    (void)zc_top_k(x, zc_random_range(1, most), axis, zc_random_bool(), &values, &places);
    return zc_random_bool() ? values : places;
}

/* A reduction of some axes, or NULL: it is refused. */
static const zc_tensor *random_reduction(zc_context *ctx, int which)
{
    static const zc_dtype dtypes[] = {ZC_BOOL,    ZC_INT8,      ZC_UINT8,      ZC_INT16,   ZC_UINT16,   ZC_INT32,
                                      ZC_UINT32,  ZC_INT64,     ZC_UINT64,     ZC_FLOAT16, ZC_BFLOAT16, ZC_FLOAT32,
                                      ZC_FLOAT64, ZC_COMPLEX64, ZC_COMPLEX128, ZC_FLOAT32, ZC_FLOAT64};
    static reduction *const reductions[] = {zc_sum, zc_prod, zc_mean,   zc_max,    zc_min,
                                            zc_any, zc_all,  zc_argmax, zc_argmin, zc_logsumexp};
    enum { KINDS = sizeof reductions / sizeof *reductions };
    const zc_dtype dtype = dtypes[zc_random_range(0, sizeof dtypes / sizeof *dtypes - 1)];
    int axes[3], count = 0;
    if (which % (KINDS + 2) == KINDS)
        return dtype == ZC_BOOL ? NULL : random_contraction(ctx, dtype);
    const zc_tensor *x = random_operand(ctx, dtype);
    cr_assert_not_null(x, "%s", zc_error_text(ctx));
    if (which % (KINDS + 2) == KINDS + 1)
        return dtype == ZC_COMPLEX64 || dtype == ZC_COMPLEX128 ? NULL : random_selection(x);
    for (int a = 0; a < zc_rank(x); a++) {
        if (zc_random_range(0, 2) > 0)
            axes[count++] = a;
    }
    const zc_tensor *r = reductions[which % (KINDS + 2)](x, count, axes, zc_random_bool());
    if (r != NULL && zc_rank(r) > 0 && zc_shape(r)[0] > 1 && zc_random_range(0, 3) == 0)
        r = zc_slice(r, 0, zc_random_range(0, 1), ZC_NONE, 1);
    return r != NULL && zc_random_range(0, 5) == 0 ? zc_astype(r, zc_dtype_of(r)) : r;
}

/* ---- Parts ---- */

typedef struct parts {
    int ranges, n;
    int64_t begin[MOST_RANGES + 1];
    const zc_tensor *states[MOST_STATES];
} parts;

/* Cuts of the numbers from `first` to `end`, which is a cut itself. */
static void draw_cuts(parts *p, int64_t first, int64_t end, int64_t step)
{
    p->ranges = p->n = 0;
    p->begin[0] = first;
    while (p->begin[p->ranges] < end) {
        const int64_t at = p->begin[p->ranges], left = (end - at + step - 1) / step;
        int64_t next = at + step * zc_random_range(1, zc_random_bool() ? left : left / 2 + 1);
        next = next > end || p->ranges == MOST_RANGES - 1 ? end : next;
        p->begin[++p->ranges] = next;
    }
}

/* The elements alone, as another process would send them. */
static const zc_tensor *sent(zc_context *ctx, const zc_tensor *t)
{
    zc_tensor *made = NULL;
    if (zc_random_range(0, 2) == 0)
        return t;
    cr_assert_eq(zc_materialize(t, &made), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return zc_from_data(ctx, zc_dtype_of(t), zc_rank(t), zc_shape(t), zc_data(made),
                        (size_t)zc_size(t) * zc_dtype_bytes(zc_dtype_of(t)));
}

static void make_states(zc_context *ctx, const zc_tensor *r, parts *p)
{
    for (int i = 0; i < p->ranges; i++) {
        int n = 0;
        zc_tensor *states[ZC_MOST_STATES];
        const zc_status status = zc_part(r, p->begin[i], p->begin[i + 1] - p->begin[i], &n, states);
        cr_assert_eq(status, ZC_OK, "%s", zc_error_text(ctx));
        cr_assert(n >= 1 && n <= ZC_MOST_STATES);
        for (int k = 0; k < n; k++)
            p->states[p->n++] = sent(ctx, states[k]);
    }
}

/* Joins some neighboring ranges to one, so that there are fewer. */
static void join_some(zc_context *ctx, const zc_tensor *r, parts *p)
{
    parts *fewer = calloc(1, sizeof *fewer);
    int given = 0;
    fewer->begin[0] = p->begin[0];
    for (int i = 0; i < p->ranges;) {
        const int to = (int)zc_random_range(i + 1, p->ranges);
        int n = 0, count = 0;
        zc_tensor *unused[ZC_MOST_STATES], *states[ZC_MOST_STATES];
        for (int k = i; k < to; k++) {
            int own = 0;
            cr_assert_eq(zc_part(r, p->begin[k], p->begin[k + 1] - p->begin[k], &own, unused), ZC_OK, "%s",
                         zc_error_text(ctx));
            n += own;
        }
        cr_assert_eq(zc_join_parts(r, to - i, p->begin + i, n, p->states + given, &count, states), ZC_OK, "%s",
                     zc_error_text(ctx));
        given += n;
        for (int k = 0; k < count; k++)
            fewer->states[fewer->n++] = sent(ctx, states[k]);
        fewer->begin[++fewer->ranges] = p->begin[to];
        i = to;
    }
    *p = *fewer;
    free(fewer);
}

/* Counts the cuts that were made: 0 of what is refused. */
static int check_reduction(int which)
{
    int64_t numbers, step;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = (int)zc_random_range(1, 2)});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *r = random_reduction(ctx, which);
    int cuts = 0;
    if (r != NULL) {
        parts *p = calloc(1, sizeof *p);
        zc_error_clear(ctx);
        cr_assert_eq(zc_part_numbers(r, &numbers, &step), ZC_OK, "%s", zc_error_text(ctx));
        draw_cuts(p, 0, numbers, step);
        cuts = p->ranges + 1;
        make_states(ctx, r, p);
        if (zc_random_range(0, 2) == 0)
            join_some(ctx, r, p);
        zc_tensor *joined = zc_join(r, p->ranges, p->begin, p->n, p->states), *got = NULL, *wanted = NULL;
        cr_assert_not_null(joined, "%s", zc_error_text(ctx));
        cr_assert_eq(zc_dtype_of(joined), zc_dtype_of(r));
        cr_assert_eq(zc_materialize(joined, &got), ZC_OK, "%s", zc_error_text(ctx));
        cr_assert_eq(zc_materialize(r, &wanted), ZC_OK, "%s", zc_error_text(ctx));
        expect_same(wanted, got, 0, "joined");
        free(p);
    }
    zc_error_clear(ctx);
    zc_scope_end(scope);
    zc_context_free(ctx);
    return cuts;
}

Test(parts, joined_states_have_the_bits_of_the_reduction)
{
    const int count = zc_test_count(REDUCTIONS) / zc_test_long_step(4);
    int cuts = 0;
    zc_random_begin("parts/bits");
    for (int i = 0; i < count; i++)
        cuts += check_reduction(i);
    fprintf(stderr, "parts/bits: %d cuts\n", cuts);
    cr_assert_gt(cuts, 2 * count);
}

/* ---- What bits follow from ---- */

/* The join of ranges of so many numbers, over elements that were sent. */
static void check_ranges(zc_context *ctx, const zc_tensor *r, int64_t length)
{
    int64_t numbers, step;
    parts *p = calloc(1, sizeof *p);
    cr_assert_eq(zc_part_numbers(r, &numbers, &step), ZC_OK, "%s", zc_error_text(ctx));
    while (p->begin[p->ranges] < numbers) {
        const int64_t next = p->begin[p->ranges] + length;
        p->begin[++p->ranges] = next < numbers ? next : numbers;
    }
    make_states(ctx, r, p);
    zc_tensor *joined = zc_join(r, p->ranges, p->begin, p->n, p->states), *got = NULL, *wanted = NULL;
    cr_assert_eq(zc_materialize(joined, &got), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_materialize(r, &wanted), ZC_OK, "%s", zc_error_text(ctx));
    expect_same(wanted, got, 0, "joined");
    free(p);
}

/* Rows of one number each, in a row: a part of it is inside one row, where no element changes. */
Test(parts, what_is_walked_in_the_whole_is_walked_in_a_part)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_random_begin("parts/walked");
    for (int i = 0; i < 20; i++) {
        const zc_tensor *column = random_data(ctx, ZC_FLOAT32, 2, (int64_t[]){4, 1});
        const zc_tensor *wide = zc_exp(zc_sin(zc_broadcast_to(column, ZC_SHAPE(4, 3000))));
        const zc_tensor *row = zc_reshape(wide, ZC_SHAPE(12000));
        check_ranges(ctx, zc_sum(row, ZC_ALL_AXES, false), 1024);
        check_ranges(ctx, zc_prod(row, ZC_ALL_AXES, false), 1024);
        check_ranges(ctx, zc_sum(wide, ZC_ALL_AXES, false), 1024);
        const zc_tensor *wider =
            zc_reshape(zc_exp(zc_sin(zc_broadcast_to(column, ZC_SHAPE(4, 9000)))), ZC_SHAPE(36000));
        check_ranges(ctx, zc_vecdot(wider, zc_exp(wider), -1), 4096);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* The last leaf has one element, which is joined to 1 before it. */
Test(parts, a_number_alone_is_joined_as_in_the_whole)
{
    static const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -2};
    enum { SPECIALS = sizeof specials / sizeof *specials, LENGTH = 1025 };
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_random_begin("parts/alone");
    double values[2 * LENGTH];
    for (int k = 0; k < SPECIALS * SPECIALS; k++) {
        for (int i = 0; i < 2 * LENGTH; i++)
            values[i] = i % 2 == 0 ? 1 : 0;
        values[2 * LENGTH - 2] = specials[k / SPECIALS];
        values[2 * LENGTH - 1] = specials[k % SPECIALS];
        const zc_tensor *x = zc_from_data(ctx, ZC_COMPLEX128, ZC_SHAPE(LENGTH), values, sizeof values);
        check_ranges(ctx, zc_prod(x, ZC_ALL_AXES, false), 1024);
        check_ranges(ctx, zc_sum(x, ZC_ALL_AXES, false), 1024);
        check_ranges(ctx, zc_logsumexp(zc_real(x), ZC_ALL_AXES, false), 1024);
        check_ranges(ctx, zc_mean(x, ZC_ALL_AXES, false), 1024);
        check_ranges(ctx, zc_prod(zc_real(x), ZC_ALL_AXES, false), 1024);
        check_ranges(ctx, zc_max(zc_imag(x), ZC_ALL_AXES, false), 1024);
        check_ranges(ctx, zc_argmin(zc_real(x), ZC_ALL_AXES, false), 512);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Results seen in ways that no strides lead through, or converted. */
static const zc_tensor *seen(const zc_tensor *x, int which)
{
    zc_tensor *values = NULL, *places = NULL;
    const zc_tensor *sum = zc_sum(x, ZC_AXES(1), false), *wide = zc_astype(zc_astype(sum, ZC_FLOAT32), ZC_FLOAT64);
    cr_assert_eq(zc_top_k(x, 3, 1, true, &values, &places), ZC_OK);
    switch (which) {
    case 0:
        return zc_reshape(sum, ZC_SHAPE(20));
    case 1:
        return zc_flip(wide, ZC_AXES(0, 1));
    case 2:
        return zc_broadcast_to(zc_expand_dims(wide, 1), ZC_SHAPE(5, 3, 4));
    case 3:
        return zc_slice(zc_matrix_transpose(zc_argmin(x, ZC_AXES(1), false)), 0, 0, 4, 2);
    case 4:
        return zc_slice(values, 0, 1, 4, 2);
    case 5:
        return zc_slice(zc_flip(places, ZC_AXES(1)), 2, 1, 3, 1);
    case 6:
        return zc_reshape(zc_sum(zc_permute_dims(x, 3, (const int[]){2, 0, 1}), ZC_AXES(2), false), ZC_SHAPE(20));
    default:
        return zc_sum(zc_reshape(x, ZC_SHAPE(15, 1000, 4)), ZC_AXES(0, 1), true);
    }
}

Test(parts, any_view_of_a_reduction_is_made_in_parts)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_random_begin("parts/views");
    const zc_tensor *x = random_data(ctx, ZC_FLOAT16, 3, (int64_t[]){5, 3000, 4});
    for (int which = 0; which < 8; which++)
        check_ranges(ctx, seen(x, which), 2048);
    /* a state that stands in memory as no part gives it */
    int n = 0;
    zc_tensor *states[ZC_MOST_STATES], *got = NULL, *wanted = NULL;
    const zc_tensor *flat = zc_reshape(zc_sum(zc_exp(x), ZC_AXES(1), false), ZC_SHAPE(20));
    cr_assert_eq(zc_part(flat, 0, 3000, &n, states), ZC_OK);
    const zc_tensor *turned = zc_matrix_transpose(zc_copy(zc_matrix_transpose(states[0])));
    const zc_tensor *joined = zc_join(flat, 1, (const int64_t[]){0, 3000}, n, &turned);
    cr_assert_eq(zc_materialize(joined, &got), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_materialize(flat, &wanted), ZC_OK);
    expect_same(wanted, got, 0, "of a turned state");
    zc_scope_end(scope);
    zc_context_free(ctx);
}
