/*
 * Products: contractions with their axes, NumPy's rules for operands of any rank, convolution and polynomials.
 */
#include "expressions/base/memory.h"
#include "expressions/functions/arguments.h"
#include "expressions/functions/call_views.h"
#include "expressions/functions/calls.h"
#include "expressions/values/literal.h"

/* ---- Contractions ---- */

zc_tensor *zc_call_vecdot(zc_call *call)
{
    int axis;
    const zc_tensor *a = zc_argument_tensor(call, 0);
    const zc_tensor *b = a == NULL ? NULL : zc_argument_tensor(call, 1);
    return b != NULL && zc_argument_axis(call, 2, &axis) ? zc_vecdot(a, b, axis) : NULL;
}

/* Reads a number of axes, the last of x1 and the first of x2; or the axes of both, as two lists. */
static bool read_tensordot_axes(zc_call *call, const zc_tensor *a, int *count, int *axes_a, int *axes_b)
{
    zc_object value = call->arguments[2];
    int64_t number;
    if (zc_object_as_integer(value, &number)) {
        if (number < 0 || number > zc_rank(a))
            return zc_fault_refuse(call->fault, "tensordot: %lld axes of a tensor of rank %d", (long long)number,
                                   zc_rank(a));
        *count = (int)number;
        for (int i = 0; i < *count; i++) {
            axes_a[i] = zc_rank(a) - *count + i;
            axes_b[i] = i;
        }
        return true;
    }
    int other;
    bool is_pair = zc_object_is_sequence(value) && value.sequence->count == 2;
    if (!is_pair)
        return zc_fault_refuse(call->fault, "tensordot: axes is a number, or two lists of axes, not %s",
                               zc_object_describe(value));
    call->arguments[2] = value.sequence->items[0];
    bool ok = zc_argument_axes(call, 2, count, axes_a);
    call->arguments[2] = value.sequence->items[1];
    ok = ok && zc_argument_axes(call, 2, &other, axes_b);
    call->arguments[2] = value;
    if (ok && *count != other)
        return zc_fault_refuse(call->fault, "tensordot: %d axes with %d", *count, other);
    return ok;
}

zc_tensor *zc_call_tensordot(zc_call *call)
{
    int count, axes_a[ZC_MAX_RANK], axes_b[ZC_MAX_RANK];
    const zc_tensor *a = zc_argument_tensor(call, 0);
    const zc_tensor *b = a == NULL ? NULL : zc_argument_tensor(call, 1);
    if (b == NULL || !read_tensordot_axes(call, a, &count, axes_a, axes_b))
        return NULL;
    return zc_tensordot(a, b, count, axes_a, axes_b);
}

/* The first argument is the text, the others are the operands. */
zc_tensor *zc_call_einsum(zc_call *call)
{
    int count = (int)call->rest_count - 1, made = 0;
    if (count < 1 || call->rest[0].kind != ZC_OBJECT_STRING) {
        (void)zc_fault_refuse(call->fault, "einsum: takes subscripts, such as 'ij,jk->ik', and then the operands");
        return NULL;
    }
    zc_tensor **operands = zc_memory_take(call->fault, (size_t)count * sizeof *operands);
    if (operands == NULL)
        return NULL;
    while (made < count && (operands[made] = zc_literal_tensor(call->ctx, call->rest[made + 1], ZC_STRONG, "einsum",
                                                               call->fault)) != NULL)
        made++;
    zc_tensor *result = NULL;
    if (made == count)
        result = zc_einsum(call->ctx, call->rest[0].string, count, (const zc_tensor *const *)(const void *)operands);
    for (int i = 0; i < made; i++)
        zc_release(operands[i]);
    zc_memory_give(operands);
    return result;
}

/* Sums over the last axis of a, and the last of b or the one before it; of a scalar, which has none, the product. */
static zc_tensor *contract_last(zc_call *call, bool is_inner)
{
    const zc_tensor *a = zc_argument_tensor(call, 0);
    const zc_tensor *b = a == NULL ? NULL : zc_argument_tensor(call, 1);
    if (b == NULL)
        return NULL;
    const int rank_a = zc_rank(a), rank_b = zc_rank(b);
    if (rank_a == 0 || rank_b == 0)
        return zc_multiply(a, b);
    const int axis_a = rank_a - 1, axis_b = is_inner || rank_b == 1 ? rank_b - 1 : rank_b - 2;
    return zc_tensordot(a, b, 1, &axis_a, &axis_b);
}

zc_tensor *zc_call_dot(zc_call *call)
{
    return contract_last(call, false);
}

zc_tensor *zc_call_inner(zc_call *call)
{
    return contract_last(call, true);
}

/* ---- Kronecker's product ---- */

/* x with an axis of one element behind each of `rank` axes, or before it. The lists are twice as long as a shape. */
static zc_tensor *spread_axes(const zc_tensor *x, int rank, bool is_behind)
{
    int64_t shape[2 * ZC_MAX_RANK];
    const int missing = rank - zc_rank(x);
    for (int a = 0; a < rank; a++) {
        const int64_t extent = a < missing ? 1 : zc_shape(x)[a - missing];
        shape[2 * a] = is_behind ? extent : 1;
        shape[2 * a + 1] = is_behind ? 1 : extent;
    }
    return zc_reshape(x, 2 * rank, shape);
}

zc_tensor *zc_call_kron(zc_call *call)
{
    int64_t shape[ZC_MAX_RANK];
    const zc_tensor *a = zc_argument_tensor(call, 0);
    const zc_tensor *b = a == NULL ? NULL : zc_argument_tensor(call, 1);
    if (b == NULL)
        return NULL;
    const int rank = zc_rank(a) > zc_rank(b) ? zc_rank(a) : zc_rank(b);
    zc_tensor *x = spread_axes(a, rank, true), *y = spread_axes(b, rank, false), *product = zc_multiply(x, y);
    for (int k = 0; product != NULL && k < rank; k++)
        shape[k] = zc_shape(product)[2 * k] * zc_shape(product)[2 * k + 1]; /* proven: part of the product's size */
    zc_tensor *result = zc_reshape(product, rank, shape);
    zc_release(x);
    zc_release(y);
    zc_release(product);
    return result;
}

/* ---- Convolution ---- */

static const int first_axis = 0;

/* The windows of v's length along a, which has zeros before and behind it, in the open scope. */
static const zc_tensor *windows_of(const zc_tensor *a, const zc_tensor *v, int64_t before, int64_t behind)
{
    const zc_tensor *padded = zc_pad(a, 1, &before, &behind, ZC_PAD_CONSTANT, NULL);
    return zc_sliding_window_view(padded, 1, zc_shape(v), 1, &first_axis);
}

/* The sums at one end of a, of products of elements alone: what is outside times an infinity would be a NaN. */
static const zc_tensor *slide_over_end(const zc_tensor *a, const zc_tensor *turned, int64_t before, int64_t behind)
{
    const int last = 1;
    if (a == NULL)
        return NULL;
    zc_context *ctx = zc_context_of(a);
    const zc_tensor *inside = zc_full(ctx, 1, zc_shape(a), ZC_BOOL, 1), *zero = zc_weak_int(ctx, 0);
    const zc_tensor *products = zc_multiply(windows_of(a, turned, before, behind), turned);
    return zc_sum(zc_where(windows_of(inside, turned, before, behind), products, zero), 1, &last, false);
}

/* Sums over a window that slides along a, from its first element on or with both ends, in the open scope. Integers have
 * no infinities, so zeros may be outside. */
static const zc_tensor *slide(const zc_tensor *a, const zc_tensor *v, bool has_ends)
{
    const int64_t outside = zc_size(v) - 1, length = zc_size(a);
    const zc_tensor *turned = zc_flip(v, 1, &first_axis);
    if (turned == NULL)
        return NULL;
    const bool has_floats = zc_dtype_of(a) >= ZC_FLOAT32 || zc_dtype_of(v) >= ZC_FLOAT32;
    const int64_t zeros = has_ends && !has_floats ? outside : 0;
    const zc_tensor *sums = zc_matmul(windows_of(a, turned, zeros, zeros), turned);
    if (!has_ends || !has_floats || outside == 0)
        return sums;
    const zc_tensor *parts[] = {slide_over_end(zc_slice(a, 0, 0, outside, 1), turned, outside, 0), sums,
                                slide_over_end(zc_slice(a, 0, length - outside, length, 1), turned, 0, outside)};
    return zc_concat(zc_context_of(a), 3, parts, 0);
}

zc_tensor *zc_call_convolve(zc_call *call)
{
    enum { FULL, SAME, VALID };
    int mode;
    const zc_tensor *a = zc_argument_tensor(call, 0);
    const zc_tensor *v = a == NULL ? NULL : zc_argument_tensor(call, 1);
    if (v == NULL || !zc_argument_choice(call, 2, (const char *const[]){"full", "same", "valid"}, 3, &mode))
        return NULL;
    if (zc_rank(a) != 1 || zc_rank(v) != 1 || zc_size(a) == 0 || zc_size(v) == 0) {
        (void)zc_fault_refuse(call->fault, "convolve: takes two arrays of one axis with elements");
        return NULL;
    }
    const bool is_swapped = zc_size(v) > zc_size(a);
    const int64_t longer = zc_size(is_swapped ? v : a), shorter = zc_size(is_swapped ? a : v);
    zc_scope *scope = zc_scope_begin(call->ctx);
    if (scope == NULL)
        return NULL;
    const int64_t first = mode == SAME ? (shorter - 1) / 2 : 0;
    const zc_tensor *all = slide(is_swapped ? v : a, is_swapped ? a : v, mode != VALID);
    zc_tensor *result = zc_slice(all, 0, first, mode == SAME ? first + longer : ZC_NONE, 1); /* proven: inside */
    return zc_call_keep(scope, result);
}

/* ---- Vectors in space ---- */

/* a[i] * b[j] - a[j] * b[i] along the last axis, in the open scope. */
static const zc_tensor *cross_component(const zc_tensor *a, const zc_tensor *b, int i, int j)
{
    return zc_subtract(zc_multiply(zc_index(a, -1, i), zc_index(b, -1, j)),
                       zc_multiply(zc_index(a, -1, j), zc_index(b, -1, i)));
}

static bool has_three(const zc_tensor *t)
{
    return zc_rank(t) > 0 && zc_shape(t)[zc_rank(t) - 1] == 3;
}

zc_tensor *zc_call_cross(zc_call *call)
{
    const zc_tensor *a = zc_argument_tensor(call, 0);
    const zc_tensor *b = a == NULL ? NULL : zc_argument_tensor(call, 1);
    if (b == NULL)
        return NULL;
    if (!has_three(a) || !has_three(b)) {
        (void)zc_fault_refuse(call->fault, "cross: takes vectors of three elements along the last axis");
        return NULL;
    }
    zc_scope *scope = zc_scope_begin(call->ctx);
    if (scope == NULL)
        return NULL;
    const zc_tensor *parts[] = {cross_component(a, b, 1, 2), cross_component(a, b, 2, 0), cross_component(a, b, 0, 1)};
    zc_tensor *result = zc_stack(call->ctx, 3, parts, -1);
    return zc_call_keep(scope, result);
}

/* ---- Polynomials ---- */

/* Horner's rule: the coefficient of the highest power first. */
zc_tensor *zc_call_polyval(zc_call *call)
{
    enum { MOST = 4096 };
    const zc_tensor *p = zc_argument_tensor(call, 0);
    const zc_tensor *x = p == NULL ? NULL : zc_argument_tensor(call, 1);
    if (x == NULL)
        return NULL;
    if (zc_rank(p) != 1 || zc_size(p) > MOST) {
        (void)zc_fault_refuse(call->fault, "polyval: the coefficients are one axis of at most %d", MOST);
        return NULL;
    }
    if (zc_size(p) == 0)
        return zc_full(call->ctx, zc_rank(x), zc_shape(x), zc_dtype_of(x), 0);
    zc_tensor *zero = zc_weak_int(call->ctx, 0), *y = zc_multiply(x, zero);
    zc_release(zero);
    for (int64_t i = 0; i < zc_size(p); i++) {
        zc_tensor *coefficient = zc_index(p, 0, i), *product = zc_multiply(y, x), *next = zc_add(product, coefficient);
        zc_release(coefficient);
        zc_release(product);
        zc_release(y);
        y = next;
    }
    return y;
}
