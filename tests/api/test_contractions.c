/*
 * Contractions: matmul, vecdot, outer, tensordot and einsum. Values by hand, against plain loops, the grammar of
 * einsum's notation, refusals in their words, and that no operand is expanded.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

#define EINSUM(b, text, ...) zc_einsum((b).ctx, text, TENSORS(__VA_ARGS__))

static zc_tensor *empty(bench b, int rank, const int64_t *shape)
{
    return zc_from_data(b.ctx, ZC_FLOAT64, rank, shape, NULL, 0);
}

/* ---- Values ---- */

Test(contractions, matmul_of_matrices_vectors_and_batches)
{
    bench b = begin();
    zc_tensor *a = count_to(b, ZC_SHAPE(2, 3)), *c = count_to(b, ZC_SHAPE(3, 2)), *v = count_to(b, ZC_SHAPE(3));
    EXPECT(zc_matmul(a, c), 10, 13, 28, 40);
    EXPECT(zc_matmul(a, v), 5, 14);
    EXPECT(zc_matmul(v, c), 10, 13);
    EXPECT(zc_matmul(v, v), 5);
    expect_shape(zc_matmul(v, v), ZC_SCALAR_SHAPE);
    zc_tensor *batch = count_to(b, ZC_SHAPE(2, 1, 2, 3)), *other = count_to(b, ZC_SHAPE(2, 3, 1));
    zc_tensor *product = zc_matmul(batch, other);
    expect_shape(product, ZC_SHAPE(2, 2, 2, 1));
    EXPECT(product, 5, 14, 14, 50, 23, 32, 86, 122);
    EXPECT(zc_matmul(batch, v), 5, 14, 23, 32);
    expect_shape(zc_matmul(v, other), ZC_SHAPE(2, 1));
    EXPECT(zc_matmul(v, other), 5, 14);
    finish(b);
}

Test(contractions, vecdot_outer_and_tensordot)
{
    bench b = begin();
    zc_tensor *a = count_to(b, ZC_SHAPE(2, 3)), *v = count_to(b, ZC_SHAPE(3));
    EXPECT(zc_vecdot(a, v, -1), 5, 14);
    EXPECT(zc_vecdot(a, a, -2), 9, 17, 29);
    EXPECT(zc_vecdot(zc_expand_dims(a, 1), a, -1), 5, 14, 14, 50);
    EXPECT(zc_outer(zc_index(a, 0, 1), v), 0, 3, 6, 0, 4, 8, 0, 5, 10);
    finish(b);
}

Test(contractions, axes_of_tensordot)
{
    bench b = begin();
    zc_tensor *a = count_to(b, ZC_SHAPE(2, 3)), *c = count_to(b, ZC_SHAPE(3, 2)), *v = count_to(b, ZC_SHAPE(2));
    EXPECT(zc_tensordot(a, c, 1, (const int[]){1}, (const int[]){0}), 10, 13, 28, 40);
    EXPECT(zc_tensordot(a, c, 1, (const int[]){-2}, (const int[]){-1}), 3, 9, 15, 4, 14, 24, 5, 19, 33);
    EXPECT(zc_tensordot(a, c, 2, (const int[]){0, 1}, (const int[]){1, 0}), 50);
    EXPECT(zc_tensordot(v, v, 0, NULL, NULL), 0, 0, 0, 1);
    zc_tensor *whole = count_to(b, ZC_SHAPE(2, 3, 4));
    expect_shape(zc_tensordot(whole, a, 1, (const int[]){1}, (const int[]){1}), ZC_SHAPE(2, 4, 2));
    EXPECT(zc_tensordot(whole, whole, 3, (const int[]){0, 1, 2}, (const int[]){0, 1, 2}), 23 * 24 * 47 / 6);
    finish(b);
}

Test(contractions, dtypes_are_those_of_the_product_and_integers_wrap)
{
    bench b = begin();
    zc_tensor *i8 = OF(b.ctx, ZC_INT8, 100, 100), *u8 = OF(b.ctx, ZC_UINT8, 2, 2), *f32 = OF(b.ctx, ZC_FLOAT32, 1, 2);
    cr_assert_eq(zc_dtype_of(zc_matmul(i8, u8)), ZC_INT16);
    EXPECT(zc_matmul(i8, u8), 400);
    cr_assert_eq(zc_dtype_of(zc_vecdot(i8, i8, -1)), ZC_INT8);
    EXPECT(zc_vecdot(i8, i8, -1), 32);
    cr_assert_eq(zc_dtype_of(zc_tensordot(f32, u8, 0, NULL, NULL)), ZC_FLOAT32);
    cr_assert_eq(zc_dtype_of(EINSUM(b, "i,i", f32, OF(b.ctx, ZC_FLOAT64, 1, 1))), ZC_FLOAT64);
    cr_assert_eq(zc_dtype_of(EINSUM(b, "i->", u8)), ZC_UINT8);
    cr_assert_eq(zc_dtype_of(zc_outer(i8, zc_astype(i8, ZC_INT32))), ZC_INT32);
    /* Products and sums of bool, by outer and einsum, are and and or. */
    zc_tensor *t = OF(b.ctx, ZC_BOOL, 1, 0, 1), *truth = EINSUM(b, "i,i->", t, t);
    cr_assert_eq(zc_dtype_of(truth), ZC_BOOL);
    EXPECT(truth, 1);
    EXPECT(zc_outer(t, t), 1, 0, 1, 0, 0, 0, 1, 0, 1);
    finish(b);
}

Test(contractions, sums_of_nothing_are_zero)
{
    bench b = begin();
    zc_tensor *a = empty(b, ZC_SHAPE(2, 0)), *c = empty(b, ZC_SHAPE(0, 3)), *v = empty(b, ZC_SHAPE(0));
    EXPECT(zc_matmul(a, c), 0, 0, 0, 0, 0, 0);
    expect_shape(zc_matmul(c, zc_full(b.ctx, ZC_SHAPE(3, 4), ZC_FLOAT64, 1)), ZC_SHAPE(0, 4));
    EXPECT(zc_vecdot(v, v, -1), 0);
    EXPECT(zc_vecdot(a, v, -1), 0, 0);
    EXPECT(zc_tensordot(a, c, 1, (const int[]){1}, (const int[]){0}), 0, 0, 0, 0, 0, 0);
    expect_shape(zc_outer(v, OF(b.ctx, ZC_INT8, 1, 2)), ZC_SHAPE(0, 2));
    EXPECT(EINSUM(b, "ij,jk->k", a, c), 0, 0, 0);
    expect_shape(EINSUM(b, "i,j", v, v), ZC_SHAPE(0, 0));
    /* One against none: the axis has none. */
    EXPECT(EINSUM(b, "i,i", v, OF(b.ctx, ZC_FLOAT64, 5)), 0);
    /* A letter of one operand alone is summed over before: of nothing. */
    EXPECT(EINSUM(b, "i,j->i", OF(b.ctx, ZC_FLOAT64, 1, 2), v), 0, 0);
    EXPECT(EINSUM(b, "ij,id->ij", zc_full(b.ctx, ZC_SHAPE(2, 3), ZC_FLOAT64, 7), a), 0, 0, 0, 0, 0, 0);
    EXPECT(EINSUM(b, "ik,k,ij->i", zc_full(b.ctx, ZC_SHAPE(2, 3), ZC_FLOAT64, 7),
                  zc_full(b.ctx, ZC_SHAPE(3), ZC_FLOAT64, 1), a),
           0, 0);
    finish(b);
}

/* Eight letters of a thousand each are no more than pairs of them at a time. */
Test(contractions, einsum_takes_two_operands_at_a_time)
{
    bench b = begin();
    zc_tensor *a = zc_full(b.ctx, ZC_SHAPE(1000, 1000), ZC_FLOAT64, 0.5),
              *v = zc_full(b.ctx, ZC_SHAPE(1000), ZC_FLOAT64, 1);
    zc_tensor *chain = EINSUM(b, "ab,bc,cd,de,ef,fg,gh,h->a", a, a, a, a, a, a, a, v);
    expect_shape(chain, ZC_SHAPE(1000));
    cr_expect_eq(value_at(chain, 999), 500. * 500 * 500 * 500 * 500 * 500 * 500);
    finish(b);
}

/* A part without elements gains nothing. */
Test(contractions, gradients_of_sums_of_nothing_are_zero)
{
    bench b = begin();
    zc_tensor *x = zc_astype(count_to(b, ZC_SHAPE(2, 3)), ZC_FLOAT64), *none = zc_slice(zc_exp(x), 1, 0, 0, 1);
    zc_tensor *y = zc_add(zc_matmul(none, empty(b, ZC_SHAPE(0, 3))), x);
    EXPECT(zc_grad(y, x), 1, 1, 1, 1, 1, 1);
    finish(b);
}

/* ---- Einstein's notation ---- */

Test(contractions, einsum_names_axes)
{
    bench b = begin();
    zc_tensor *a = count_to(b, ZC_SHAPE(2, 3)), *c = count_to(b, ZC_SHAPE(3, 2)), *s = count_to(b, ZC_SHAPE(3, 3));
    EXPECT(EINSUM(b, "ij,jk->ik", a, c), 10, 13, 28, 40);
    EXPECT(EINSUM(b, "ij,jk", a, c), 10, 13, 28, 40);
    EXPECT(EINSUM(b, "ba", a), 0, 3, 1, 4, 2, 5); /* without an arrow in the order of letters */
    EXPECT(EINSUM(b, "ij->", a), 15);
    EXPECT(EINSUM(b, "ii", s), 12);
    EXPECT(EINSUM(b, "ii->i", s), 0, 4, 8);
    EXPECT(EINSUM(b, "iii->i", count_to(b, ZC_SHAPE(2, 2, 2))), 0, 7);
    EXPECT(EINSUM(b, "iJ,Jk,k->i", a, c, OF(b.ctx, ZC_INT64, 1, 2)), 36, 108);
    EXPECT(EINSUM(b, " i j , j k -> k i ", a, c), 10, 28, 13, 40);
    EXPECT(EINSUM(b, "", zc_weak_int(b.ctx, 3)), 3);
    EXPECT(EINSUM(b, "->", zc_weak_int(b.ctx, 3)), 3);
    EXPECT(EINSUM(b, "i,->i", OF(b.ctx, ZC_INT64, 2, 3), zc_weak_int(b.ctx, 4)), 8, 12);
    EXPECT(EINSUM(b, "i,i->i", OF(b.ctx, ZC_INT64, 2, 3), OF(b.ctx, ZC_INT64, 4)), 8, 12); /* 1 repeats */
    EXPECT(EINSUM(b, "i,i,i", OF(b.ctx, ZC_INT64, 4), OF(b.ctx, ZC_INT64, 2, 3), OF(b.ctx, ZC_INT64, 5)), 100);
    EXPECT(EINSUM(b, "a,A->aA", OF(b.ctx, ZC_INT64, 2, 3), OF(b.ctx, ZC_INT64, 5)), 10, 15);
    finish(b);
}

Test(contractions, ellipses_stand_for_axes_that_broadcast)
{
    bench b = begin();
    zc_tensor *a = count_to(b, ZC_SHAPE(2, 1, 3)), *c = count_to(b, ZC_SHAPE(2, 3));
    EXPECT(EINSUM(b, "...i,...i->...", a, c), 5, 14, 14, 50);
    EXPECT(EINSUM(b, "...i,...i", a, c), 5, 14, 14, 50);
    EXPECT(EINSUM(b, "i...->...i", c), 0, 3, 1, 4, 2, 5);
    EXPECT(EINSUM(b, "i...", c), 0, 3, 1, 4, 2, 5); /* what the dots stand for comes first */
    expect_shape(EINSUM(b, "...,...->...", a, c), ZC_SHAPE(2, 2, 3));
    expect_shape(EINSUM(b, "i...j,k->k...", count_to(b, ZC_SHAPE(2, 4, 5, 3)), zc_iota(b.ctx, 6)), ZC_SHAPE(6, 4, 5));
    EXPECT(EINSUM(b, "ij...,j->i", c, zc_iota(b.ctx, 3)), 5, 14); /* it may stand for none */
    EXPECT(EINSUM(b, "...", c), 0, 1, 2, 3, 4, 5);
    finish(b);
}

typedef struct refusal {
    const char *text, *sentence;
} refusal;

/* Refused subscripts of a (2, 3) and a (3, 4). */
static const refusal refusals[] = {
    {"ij,jk->ik,", "more follows the result in 'ij,jk->ik,'"},
    {"ij,jk->ik->", "more follows the result in 'ij,jk->ik->'"},
    {"ij", "more operands than subscripts in 'ij'"},
    {"ij->ij", "more operands than subscripts in 'ij->ij'"},
    {"ij,jk,kl", "more subscripts than operands in 'ij,jk,kl'"},
    {"ij,j", "an operand has another number of axes in 'ij,j'"},
    {"ijk,jk", "an operand has another number of axes in 'ijk,jk'"},
    {"", "an operand has another number of axes in ''"},
    {",", "an operand has another number of axes in ','"},
    {"i...jk,jk", "an operand has another number of axes in 'i...jk,jk'"},
    {"......,jk", "two ellipses for one operand in '......,jk'"},
    {"...i...,jk", "two ellipses for one operand in '...i...,jk'"},
    {"ij,ik", "'i' stands for axes of different extents in 'ij,ik'"},
    {"ii,jk", "'i' stands for axes of different extents in 'ii,jk'"},
    {"...,...", "'...' stands for axes of different extents in '...,...'"},
    {"ij,jk->iik", "'i' stands in the result twice in 'ij,jk->iik'"},
    {"...,jk->......jk", "'...' stands in the result twice in '...,jk->......jk'"},
    {"ij,jk->il", "'l' stands in the result alone in 'ij,jk->il'"},
    {"i...,jk->ijk", "the result lacks the ellipsis in 'i...,jk->ijk'"},
    {"i1,jk", "'1' is neither a letter nor an ellipsis in 'i1,jk'"},
    {"ij,jk->i(", "'(' is neither a letter nor an ellipsis in 'ij,jk->i('"},
    {"ij,jk-", "'-' is neither a letter nor an ellipsis in 'ij,jk-'"},
    {"ij,jk>ik", "'>' is neither a letter nor an ellipsis in 'ij,jk>ik'"},
    {"ij,jk=>ik", "'=' is neither a letter nor an ellipsis in 'ij,jk=>ik'"},
    {"i..,jk", "'.' is neither a letter nor an ellipsis in 'i..,jk'"},
    {"%s%n,jk", "'%' is neither a letter nor an ellipsis in '%s%n,jk'"},
    {"i\xc3\xa9,jk", "a character is neither a letter nor an ellipsis in 'i\xc3\xa9,jk'"},
    {"i\x7fj,jk", "a character is neither a letter nor an ellipsis in 'i\x7fj,jk'"},
};

Test(contractions, einsum_refuses_what_is_no_notation)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 3)), *y = count_to(b, ZC_SHAPE(3, 4));
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        char sentence[128];
        (void)snprintf(sentence, sizeof sentence, "einsum: %s", refusals[i].sentence);
        expect_refused(b, EINSUM(b, refusals[i].text, x, y), ZC_ERROR_ARGUMENT, sentence);
    }
    static char endless[100001];
    memset(endless, 'i', sizeof endless - 1);
    cr_assert_null(EINSUM(b, endless, x, y));
    cr_assert_lt(strlen(zc_error_text(b.ctx)), 300);
    zc_error_clear(b.ctx);
    finish(b);
}

/* Any bytes are either a notation or refused with a sentence. */
Test(contractions, einsum_survives_any_text)
{
    static const char characters[] = "ijkA.,-> \t1\xff...,->ij";
    zc_random_begin("contractions/texts");
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 2)), *y = count_to(b, ZC_SHAPE(2, 1));
    int understood = 0;
    for (int i = 0; i < zc_test_count(20000); i++) {
        char text[12] = {0};
        int64_t length = zc_random_range(0, 10);
        for (int64_t c = 0; c < length; c++)
            text[c] = characters[zc_random_range(0, (int64_t)sizeof characters - 2)];
        zc_scope *scope = zc_scope_begin(b.ctx);
        const zc_tensor *t = zc_random_bool() ? EINSUM(b, text, x, y) : EINSUM(b, text, x);
        cr_assert((t != NULL) == (zc_error_status(b.ctx) == ZC_OK), "'%s': %s", text, zc_error_text(b.ctx));
        understood += t != NULL;
        zc_error_clear(b.ctx);
        zc_scope_end(scope);
    }
    cr_assert_gt(understood, 100 / zc_test_stride());
    finish(b);
}

/* ---- Refusals ---- */

Test(contractions, wrong_shapes_and_axes_are_refused)
{
    bench b = begin();
    zc_tensor *a = count_to(b, ZC_SHAPE(2, 3)), *n = zc_weak_int(b.ctx, 1), *v = zc_iota(b.ctx, 3);
    const int zero[] = {0, 0}, one[] = {1, 1}, high[] = {2};
    expect_refused(b, zc_matmul(a, a), ZC_ERROR_SHAPE,
                   "matmul: the axes that are summed over differ: shapes (2, 3) and (2, 3)");
    expect_refused(b, zc_matmul(n, a), ZC_ERROR_SHAPE,
                   "matmul: a scalar has no axis to sum over: shapes () and (2, 3)");
    expect_refused(b, zc_matmul(v, n), ZC_ERROR_SHAPE, "matmul: a scalar has no axis to sum over: shapes (3,) and ()");
    expect_refused(b, zc_matmul(count_to(b, ZC_SHAPE(2, 4, 3)), count_to(b, ZC_SHAPE(3, 3, 5))), ZC_ERROR_SHAPE,
                   "matmul: the axes before the last two cannot be broadcast: shapes (2, 4, 3) and (3, 3, 5)");
    expect_refused(b, zc_vecdot(a, count_to(b, ZC_SHAPE(3, 3)), -1), ZC_ERROR_SHAPE,
                   "vecdot: shapes (2, 3) and (3, 3) cannot be broadcast together: sizes 2 and 3 at axis 0 of the "
                   "result");
    expect_refused(b, zc_vecdot(a, zc_iota(b.ctx, 2), -1), ZC_ERROR_SHAPE,
                   "vecdot: the axes that are summed over differ: shapes (2, 3) and (2,)");
    expect_refused(b, zc_vecdot(a, v, 0), ZC_ERROR_SHAPE,
                   "vecdot: the axis is counted from the end, within both ranks: shapes (2, 3) and (3,)");
    expect_refused(b, zc_vecdot(a, v, -2), ZC_ERROR_SHAPE,
                   "vecdot: the axis is counted from the end, within both ranks: shapes (2, 3) and (3,)");
    expect_refused(b, zc_outer(a, v), ZC_ERROR_SHAPE, "outer: takes vectors: shapes (2, 3) and (3,)");
    expect_refused(b, zc_outer(v, a), ZC_ERROR_SHAPE, "outer: takes vectors: shapes (3,) and (2, 3)");
    zc_tensor *long_one = zc_broadcast_to(zc_weak_int(b.ctx, 1), ZC_SHAPE(INT64_C(1) << 40));
    expect_refused(b, zc_tensordot(long_one, long_one, 0, NULL, NULL), ZC_ERROR_OVERFLOW,
                   "tensordot: the sizes of shape (1099511627776, 1099511627776) multiply to more than 2^63 - 1");
    expect_refused(b, zc_tensordot(a, a, 1, one, zero), ZC_ERROR_SHAPE,
                   "tensordot: axis 1 of 3 elements cannot be summed with axis 0 of 2");
    expect_refused(b, zc_tensordot(a, a, 2, zero, one), ZC_ERROR_ARGUMENT, "tensordot: axis 0 is named twice");
    expect_refused(b, zc_tensordot(a, a, 1, zero, high), ZC_ERROR_AXIS,
                   "tensordot: axis 2 is out of bounds for rank 2");
    expect_refused(b, zc_tensordot(a, a, -1, zero, zero), ZC_ERROR_SHAPE,
                   "tensordot: too many axes, or a list of them is missing: shapes (2, 3) and (2, 3)");
    expect_refused(b, zc_tensordot(a, a, 1, NULL, zero), ZC_ERROR_SHAPE,
                   "tensordot: too many axes, or a list of them is missing: shapes (2, 3) and (2, 3)");
    finish(b);
}

Test(contractions, bool_is_refused_where_numbers_are_meant)
{
    bench b = begin();
    zc_tensor *t = OF(b.ctx, ZC_BOOL, 1, 0);
    const int zero[] = {0};
    expect_refused(b, zc_matmul(t, t), ZC_ERROR_DTYPE, "matmul: takes numbers, not bool; convert with astype");
    expect_refused(b, zc_vecdot(t, t, -1), ZC_ERROR_DTYPE, "vecdot: takes numbers, not bool; convert with astype");
    expect_refused(b, zc_tensordot(t, t, 1, zero, zero), ZC_ERROR_DTYPE,
                   "tensordot: takes numbers, not bool; convert with astype");
    zc_tensor *small = OF(b.ctx, ZC_INT8, 1, 2), *large = zc_weak_int(b.ctx, 300);
    expect_refused(b, EINSUM(b, "i,", small, large), ZC_ERROR_OVERFLOW, "einsum: the integer 300 does not fit in int8");
    finish(b);
}

Test(contractions, operands_of_other_contexts_and_missing_ones_are_refused)
{
    bench b = begin();
    zc_context *foreign = zc_context_new(NULL);
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2), *f = zc_adopt(foreign, x);
    static const char *const names[] = {"matmul", "vecdot", "multiply", "tensordot", "einsum"};
    for (int i = 0; i < 5; i++) {
        char sentence[128];
        zc_tensor *t = i == 0   ? zc_matmul(x, f)
                       : i == 1 ? zc_vecdot(x, f, -1)
                       : i == 2 ? zc_outer(x, f)
                       : i == 3 ? zc_tensordot(x, f, 0, NULL, NULL)
                                : EINSUM(b, "i,i", x, f);
        (void)snprintf(sentence, sizeof sentence,
                       "%s: operands belong to different contexts; zc_adopt brings them together", names[i]);
        expect_refused(b, t, ZC_ERROR_ARGUMENT, sentence);
    }
    zc_release(f);
    zc_context_free(foreign);
    expect_refused(b, zc_matmul(x, NULL), ZC_ERROR_ARGUMENT, "matmul: b is NULL");
    expect_refused(b, zc_vecdot(NULL, x, -1), ZC_ERROR_ARGUMENT, "vecdot: a is NULL");
    expect_refused(b, zc_outer(x, NULL), ZC_ERROR_ARGUMENT, "outer: b is NULL");
    expect_refused(b, EINSUM(b, "i,i", x, NULL), ZC_ERROR_ARGUMENT, "einsum: tensors[1] is NULL");
    cr_assert_null(zc_tensordot(NULL, NULL, 0, NULL, NULL));
    cr_assert_null(zc_einsum(NULL, "i", TENSORS(x)));
    cr_assert_eq(zc_error_status(b.ctx), ZC_OK);
    expect_refused(b, zc_einsum(b.ctx, NULL, TENSORS(x)), ZC_ERROR_ARGUMENT, "einsum: there are no subscripts");
    expect_refused(b, zc_einsum(b.ctx, "", 0, NULL), ZC_ERROR_ARGUMENT, "einsum: there are no operands");
    expect_refused(b, zc_einsum(b.ctx, "i", 1, NULL), ZC_ERROR_ARGUMENT, "einsum: there are no operands");
    finish(b);
}

/* 64 axes are the most there are. */
Test(contractions, too_many_axes_are_refused)
{
    bench b = begin();
    int64_t shape[64];
    for (int a = 0; a < 64; a++)
        shape[a] = 1;
    zc_tensor *most = zc_full(b.ctx, 64, shape, ZC_INT32, 2), *half = zc_full(b.ctx, 40, shape, ZC_INT32, 3);
    cr_assert_null(zc_matmul(most, half));
    cr_assert_eq(strncmp(zc_error_text(b.ctx), "matmul: too many axes: shapes (1, 1", 35), 0);
    zc_error_clear(b.ctx);
    EXPECT(zc_matmul(zc_full(b.ctx, 63, shape, ZC_INT32, 2), half), 6);
    EXPECT(zc_vecdot(most, half, -1), 6);
    cr_assert_null(zc_tensordot(most, half, 1, (const int[]){0}, (const int[]){0}));
    cr_assert_eq(strncmp(zc_error_text(b.ctx), "tensordot: too many axes", 24), 0);
    zc_error_clear(b.ctx);
    EXPECT(EINSUM(b, "...", most), 2);
    EXPECT(EINSUM(b, "...,...", most, half), 6);
    expect_refused(b, EINSUM(b, "...,a...", most, half), ZC_ERROR_ARGUMENT, "einsum: too many axes in '...,a...'");
    expect_refused(b, EINSUM(b, "...,a...->a...", most, half), ZC_ERROR_ARGUMENT,
                   "einsum: too many axes in '...,a...->a...'");
    expect_refused(b, EINSUM(b, "...,a...->...", most, half), ZC_ERROR_ARGUMENT,
                   "einsum: too many axes in '...,a...->...'");
    finish(b);
}

/* ---- Against plain loops ---- */

/* Operands that are slices, turned, reversed and broadcast, of integers: exact in any order. */
Test(contractions, strided_operands_agree_with_loops)
{
    zc_random_begin("contractions/strided");
    for (int run = 0; run < zc_test_count(20); run++) {
        bench b = begin_with(
            (zc_options){.executor = run % 2 == 0 ? ZC_EXECUTOR_TILE : ZC_EXECUTOR_REFERENCE, .threads = 1 + run % 3});
        int64_t m = zc_random_range(1, 20), k = zc_random_range(1, 40), n = zc_random_range(1, 20);
        zc_tensor *a =
            zc_slice(zc_flip(zc_matrix_transpose(count_to(b, 2, LENGTHS(2 * k, m))), ZC_AXES(0)), 1, 1, ZC_NONE, 2);
        zc_tensor *row = zc_broadcast_to(zc_iota(b.ctx, n), 2, LENGTHS(k, n)), *out[3];
        cr_assert_eq(zc_materialize(zc_matmul(a, row), &out[0]), ZC_OK, "%s", zc_error_text(b.ctx));
        cr_assert_eq(zc_materialize(EINSUM(b, "mk,kn->mn", a, row), &out[1]), ZC_OK);
        cr_assert_eq(zc_materialize(zc_tensordot(a, row, 1, (const int[]){1}, (const int[]){0}), &out[2]), ZC_OK);
        for (int64_t i = 0; i < m * n; i++) {
            int64_t sum = 0;
            for (int64_t j = 0; j < k; j++)
                sum += ((2 * j + 1) * m + m - 1 - i / n) * (i % n);
            for (int o = 0; o < 3; o++)
                cr_assert_eq(((const int64_t *)zc_data(out[o]))[i], sum, "(%ld, %ld, %ld), way %d", (long)m, (long)k,
                             (long)n, o);
        }
        finish(b);
    }
}

/* ---- What they cost ---- */

Test(contractions, no_operand_is_expanded)
{
    const int64_t n = 300;
    bench b = begin_with((zc_options){.memory_limit = 2 * n * n * 4}); /* without room for panels beside a result */
    zc_tensor *x = zc_astype(count_to(b, ZC_SHAPE(n, n)), ZC_FLOAT32), *held = NULL;
    cr_assert_eq(zc_materialize(x, &held), ZC_OK);
    zc_tensor *products[] = {zc_matmul(held, held), EINSUM(b, "ij,kj->ik", held, held),
                             zc_tensordot(held, held, 1, (const int[]){0}, (const int[]){1})};
    for (int i = 0; i < 3; i++) {
        cr_assert_leq(cost_of(products[i]).peak_bytes, n * n * 4);
        cr_assert_leq(cost_of(products[i]).written_bytes, n * n * 4);
    }
    /* A batch of 10^9 equal matrices takes the memory of one. */
    zc_tensor *batch = zc_broadcast_to(held, ZC_SHAPE(1000000000, n, n)), *out = NULL;
    zc_tensor *sum = zc_sum(zc_slice(zc_matmul(batch, held), 2, 0, 1, 1), ZC_ALL_AXES, false);
    cr_assert_leq(cost_of(sum).peak_bytes, n * n * 4 + 1000);
    zc_memory_reset_peak(b.ctx);
    int64_t before = zc_memory_usage(b.ctx).held_bytes;
    cr_assert_eq(zc_materialize(zc_index(zc_matmul(batch, held), 0, 12345), &out), ZC_OK);
    cr_assert_leq(zc_memory_usage(b.ctx).peak_bytes - before, n * n * 4);
    expect_shape(out, ZC_SHAPE(n, n));
    finish(b);
}

/* Whatever is packed is a matter of blocks, not of how many products there are: one panel of them, many, and a row. */
Test(contractions, panels_do_not_grow_with_the_products)
{
    static const int64_t columns[] = {8, 100, 1};
    const int64_t rows = 300, products = 20000;
    for (int i = 0; i < 3; i++) {
        bench b = begin_with((zc_options){.threads = 2});
        zc_tensor *left = zc_remainder(zc_iota(b.ctx, products * rows), zc_weak_int(b.ctx, 7)), *held[2] = {NULL};
        zc_tensor *right = zc_remainder(zc_iota(b.ctx, products * columns[i]), zc_weak_int(b.ctx, 5)), *made = NULL;
        cr_assert_eq(zc_materialize(zc_reshape(zc_astype(left, ZC_FLOAT32), ZC_SHAPE(products, rows)), held), ZC_OK);
        cr_assert_eq(zc_materialize(zc_reshape(zc_astype(right, ZC_FLOAT32), ZC_SHAPE(products, columns[i])), held + 1),
                     ZC_OK);
        const int64_t before = zc_memory_usage(b.ctx).held_bytes;
        zc_memory_reset_peak(b.ctx);
        cr_assert_eq(zc_materialize(zc_matmul(zc_matrix_transpose(held[0]), held[1]), &made), ZC_OK);
        const zc_memory memory = zc_memory_usage(b.ctx);
        cr_assert_lt(memory.header_bytes + memory.peak_bytes - before, 8 << 20, "%ld columns", (long)columns[i]);
        finish(b);
    }
}

/* A sum over an axis that no operand has but by repeating takes no loop: n times the product. */
Test(contractions, axes_of_broadcasts_are_summed_by_rule)
{
    bench b = begin();
    const int64_t n = INT64_C(10000000000);
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2), *wide = zc_broadcast_to(zc_expand_dims(x, 1), ZC_SHAPE(2, n));
    zc_tensor *ones = zc_full(b.ctx, ZC_SHAPE(n), ZC_FLOAT64, 0.5);
    EXPECT(zc_matmul(wide, ones), 5e9, 1e10);
    EXPECT(zc_vecdot(wide, ones, -1), 5e9, 1e10);
    EXPECT(EINSUM(b, "ij,j", wide, ones), 5e9, 1e10);
    finish(b);
}

Test(contractions, results_belong_to_the_callers_scope)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(2, 2));
    zc_scope *inner = zc_scope_begin(b.ctx);
    zc_tensor *kept = zc_keep(EINSUM(b, "ij,jk", x, x));
    cr_assert_not_null(zc_matmul(kept, zc_matmul(x, kept)));
    zc_scope_end(inner);
    EXPECT(kept, 2, 3, 6, 11);
    zc_release(kept);
    finish(b);
}
