/*
 * The public elementwise functions: one per row of ops.def. Comparisons of integers of both signednesses, which no
 * integer dtype can hold at once, are put together from comparisons that one can.
 */
#include "runtime/record/record.h"

#include <math.h>

/* ---- uint64 against signed integers: by value ---- */

static zc_tensor *apply(zc_op op, const zc_tensor *a, const zc_tensor *b)
{
    return zc_record_map(op, (const zc_tensor *const[]){a, b}, 2);
}

/* Makes a comparison of a signed s and an unsigned u of the comparison of the two as uint64 and the sign of s: either
 * both must hold (s >= 0 and ...), or one suffices (s < 0 or ...). */
typedef struct mixed_comparison {
    bool is_comparison;
    bool negative_suffices;
    zc_op swapped; /* the same comparison with its operands exchanged */
} mixed_comparison;

static mixed_comparison describe_comparison(zc_op op)
{
    switch (op) {
    case ZC_OP_EQUAL:
        return (mixed_comparison){true, false, ZC_OP_EQUAL};
    case ZC_OP_NOT_EQUAL:
        return (mixed_comparison){true, true, ZC_OP_NOT_EQUAL};
    case ZC_OP_LESS:
        return (mixed_comparison){true, true, ZC_OP_GREATER};
    case ZC_OP_LESS_EQUAL:
        return (mixed_comparison){true, true, ZC_OP_GREATER_EQUAL};
    case ZC_OP_GREATER:
        return (mixed_comparison){true, false, ZC_OP_LESS};
    case ZC_OP_GREATER_EQUAL:
        return (mixed_comparison){true, false, ZC_OP_LESS_EQUAL};
    default:
        return (mixed_comparison){.is_comparison = false};
    }
}

/* s OP u. Each step releases what it used; a NULL along the way comes out as NULL. */
static zc_tensor *compare_mixed(zc_op op, const zc_tensor *s, const zc_tensor *u)
{
    bool negative_suffices = describe_comparison(op).negative_suffices;
    zc_tensor *zero = zc_weak_int(s->ctx, 0);
    zc_tensor *sign = apply(negative_suffices ? ZC_OP_LESS : ZC_OP_GREATER_EQUAL, s, zero);
    zc_tensor *as_unsigned = zc_astype(s, ZC_UINT64);
    zc_tensor *compared = apply(op, as_unsigned, u);
    zc_tensor *result = apply(negative_suffices ? ZC_OP_LOGICAL_OR : ZC_OP_LOGICAL_AND, sign, compared);
    zc_tensor *temporaries[] = {zero, sign, as_unsigned, compared};
    for (size_t i = 0; i < sizeof temporaries / sizeof *temporaries; i++)
        zc_release(temporaries[i]);
    return result;
}

static bool is_signed(const zc_tensor *t)
{
    return zc_dtype_describe(zc_tensor_dtype(t))->kind == ZC_KIND_SIGNED;
}

/* ---- Powers that are a cheaper operation with the same bits ---- */

/* The value of a number that takes the dtype of what it meets; NaN where it is none, or would change that dtype. */
static double weak_number(const zc_tensor *t, const zc_tensor *other)
{
    if (!zc_tensor_is_weak(t) || zc_tensor_is_weak(other) || zc_tensor_dtype(other) == ZC_BOOL)
        return NAN;
    const zc_dtype dtype = (zc_dtype)t->node->dtype;
    if (dtype == ZC_INT64)
        return (double)t->node->constant.int64;
    return dtype == ZC_FLOAT64 && zc_dtype_describe(zc_tensor_dtype(other))->kind >= ZC_KIND_FLOAT
               ? t->node->constant.float64
               : NAN;
}

static zc_tensor *power(const zc_tensor *a, const zc_tensor *b)
{
    const double exponent = weak_number(b, a);
    const bool is_complex = zc_dtype_is_complex(zc_tensor_dtype(a)); /* whose powers are computed in complex128 */
    if (exponent == 2 && !is_complex)
        return zc_square(a);
    if (exponent == -1 && zc_dtype_describe(zc_tensor_dtype(a))->kind == ZC_KIND_FLOAT)
        return zc_reciprocal(a);
    return apply(ZC_OP_POW, a, b);
}

static zc_tensor *compare(zc_op op, const zc_tensor *a, const zc_tensor *b)
{
    if (is_signed(a) && zc_tensor_dtype(b) == ZC_UINT64)
        return compare_mixed(op, a, b);
    if (zc_tensor_dtype(a) == ZC_UINT64 && is_signed(b))
        return compare_mixed(describe_comparison(op).swapped, b, a);
    return apply(op, a, b);
}

static zc_tensor *binary(zc_op op, const zc_tensor *a, const zc_tensor *b)
{
    if (op == ZC_OP_POW && a != NULL && b != NULL && a->ctx == b->ctx)
        return power(a, b);
    if (a == NULL || b == NULL || a->ctx != b->ctx || !describe_comparison(op).is_comparison)
        return apply(op, a, b);
    zc_tensor *left = zc_record_by_value(a, b), *right = zc_record_by_value(b, a); /* no uint8 equals -1 */
    zc_tensor *result = left == NULL || right == NULL ? NULL : compare(op, left, right);
    zc_release(left);
    zc_release(right);
    return result;
}

/* ---- Bounds that the dtype has no elements beyond ---- */

/* The largest element of an integer dtype, or the smallest. */
static zc_scalar end_of(zc_dtype dtype, bool is_high)
{
    const zc_dtype_info *info = zc_dtype_describe(dtype);
    const bool is_signed = info->kind == ZC_KIND_SIGNED;
    const uint64_t most = UINT64_MAX >> (64 - info->bits + (is_signed ? 1 : 0));
    const zc_scalar end = {.words = {is_high ? most : is_signed ? ~most : 0, 0}};
    return zc_scalar_convert(end, is_high ? ZC_UINT64 : ZC_INT64, dtype);
}

/* A bound as an operand beside elements of that dtype: a new reference. */
static zc_tensor *bound(const zc_tensor *t, zc_dtype dtype, bool is_high)
{
    if (zc_record_fits(t, dtype) || (zc_tensor_dtype(t) == ZC_UINT64 || t->node->constant.int64 > 0) != is_high)
        return zc_retain((zc_tensor *)(uintptr_t)t);
    return zc_tensor_of_node(t->ctx, zc_record_constant(t->heap, dtype, end_of(dtype, is_high), false), "clip");
}

static zc_tensor *ternary(zc_op op, const zc_tensor *a, const zc_tensor *b, const zc_tensor *c)
{
    const zc_tensor *operands[] = {a, b, c};
    if (op != ZC_OP_CLIP || a == NULL || b == NULL || c == NULL)
        return zc_record_map(op, operands, 3);
    const zc_dtype dtype = zc_record_meeting(operands, 3);
    zc_tensor *low = bound(b, dtype, false), *high = bound(c, dtype, true);
    zc_tensor *result = zc_record_map(op, (const zc_tensor *const[]){a, low, high}, 3);
    zc_release(low);
    zc_release(high);
    return result;
}

/* ---- The functions ---- */

#define ZC_ARITY_1(NAME, name)                                                                                         \
    zc_tensor *zc_##name(const zc_tensor *x)                                                                           \
    {                                                                                                                  \
        return zc_record_map(ZC_OP_##NAME, &x, 1);                                                                     \
    }
#define ZC_ARITY_2(NAME, name)                                                                                         \
    zc_tensor *zc_##name(const zc_tensor *a, const zc_tensor *b)                                                       \
    {                                                                                                                  \
        return binary(ZC_OP_##NAME, a, b);                                                                             \
    }
#define ZC_ARITY_3(NAME, name)                                                                                         \
    zc_tensor *zc_##name(const zc_tensor *a, const zc_tensor *b, const zc_tensor *c)                                   \
    {                                                                                                                  \
        return ternary(ZC_OP_##NAME, a, b, c);                                                                         \
    }
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning) ZC_ARITY_##arity(NAME, name)
#include "runtime/ops/ops.def"
