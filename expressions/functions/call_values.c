/*
 * Conversions, arguments that may be left out, and arrays of one value.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expressions/functions/arguments.h"
#include "expressions/functions/call_views.h"
#include "expressions/functions/calls.h"
#include "expressions/values/literal.h"

zc_tensor *zc_call_clip(zc_call *call)
{
    const zc_tensor *low = NULL, *high = NULL;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || (!zc_argument_is_none(call, 1) && (low = zc_argument_tensor(call, 1)) == NULL) ||
        (!zc_argument_is_none(call, 2) && (high = zc_argument_tensor(call, 2)) == NULL))
        return NULL;
    if (low != NULL && high != NULL)
        return zc_clip(x, low, high);
    if (low != NULL && zc_argument_binds(call->arguments[1], x, false))
        return zc_maximum(x, low);
    return high != NULL && zc_argument_binds(call->arguments[2], x, true) ? zc_minimum(x, high) : zc_itself(x);
}

/* Without `approximate` the form with erf, which is 'none'. */
zc_tensor *zc_call_gelu(zc_call *call)
{
    static const char *const forms[] = {"none", "tanh"};
    int form;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_choice(call, 1, forms, 2, &form))
        return NULL;
    return form == 0 ? zc_gelu(x) : zc_gelu_tanh(x);
}

/* x in the dtype of argument 1, as `convert` makes it. */
static zc_tensor *in_dtype(zc_call *call, zc_tensor *(*convert)(const zc_tensor *x, zc_dtype dtype))
{
    zc_dtype dtype = ZC_DTYPE_COUNT;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_dtype(call, 1, &dtype))
        return NULL;
    if (dtype == ZC_DTYPE_COUNT) {
        (void)zc_fault_refuse(call->fault, "%s: dtype is a dtype, such as float32, not None", call->function->name);
        return NULL;
    }
    return convert(x, dtype);
}

zc_tensor *zc_call_astype(zc_call *call)
{
    return in_dtype(call, zc_astype);
}

zc_tensor *zc_call_view(zc_call *call)
{
    return in_dtype(call, zc_bitcast);
}

/* copy=False refuses what cannot be had without a conversion. */
zc_tensor *zc_call_asarray(zc_call *call)
{
    bool copy = false, may_not = !zc_argument_is_none(call, 2);
    zc_dtype dtype = ZC_DTYPE_COUNT;
    if ((may_not && !zc_argument_flag(call, 2, &copy)) || !zc_argument_dtype(call, 1, &dtype))
        return NULL;
    bool is_new = call->arguments[0].kind != ZC_OBJECT_TENSOR;
    zc_tensor *t = zc_literal_tensor(call->ctx, call->arguments[0], ZC_STRONG, call->function->name, call->fault);
    if (t == NULL)
        return NULL;
    bool converts = dtype != ZC_DTYPE_COUNT && dtype != zc_dtype_of(t);
    zc_tensor *result = NULL;
    if (may_not && !copy && (is_new || converts))
        (void)zc_fault_refuse(call->fault, "%s: %s cannot be had without a copy", call->function->name,
                              is_new ? "a tensor of what is none" : "another dtype");
    else if (!converts)
        result = copy ? zc_copy(t) : zc_itself(t);
    else if (zc_argument_fits(call, call->arguments[0], dtype))
        result = zc_astype(t, dtype);
    zc_release(t);
    return result;
}

static zc_tensor *constant_array(zc_call *call, double value)
{
    int rank;
    int64_t shape[ZC_MAX_RANK];
    zc_dtype dtype = ZC_FLOAT64;
    if (!zc_argument_shape(call, 0, &rank, shape) || !zc_argument_dtype(call, 1, &dtype))
        return NULL;
    return zc_full(call->ctx, rank, shape, dtype, value);
}

zc_tensor *zc_call_zeros(zc_call *call)
{
    return constant_array(call, 0);
}

zc_tensor *zc_call_ones(zc_call *call)
{
    return constant_array(call, 1);
}

/* Argument 1 in that dtype (ZC_DTYPE_COUNT: its own), everywhere in the shape. */
static zc_tensor *fill(zc_call *call, int rank, const int64_t *shape, zc_dtype dtype)
{
    zc_object value = call->arguments[1];
    zc_tensor *constant = zc_literal_tensor(call->ctx, value, ZC_STRONG, call->function->name, call->fault);
    if (constant == NULL)
        return NULL;
    if (dtype == ZC_DTYPE_COUNT)
        dtype = zc_dtype_of(constant);
    zc_tensor *result = NULL;
    if (zc_argument_fits(call, value, dtype)) {
        zc_tensor *converted = zc_astype(constant, dtype);
        result = zc_broadcast_to(converted, rank, shape);
        zc_release(converted);
    }
    zc_release(constant);
    return result;
}

zc_tensor *zc_call_full(zc_call *call)
{
    int rank;
    int64_t shape[ZC_MAX_RANK];
    zc_dtype dtype = ZC_DTYPE_COUNT;
    if (!zc_argument_shape(call, 0, &rank, shape) || !zc_argument_dtype(call, 2, &dtype))
        return NULL;
    return fill(call, rank, shape, dtype);
}

zc_tensor *zc_call_full_like(zc_call *call)
{
    zc_dtype dtype = ZC_DTYPE_COUNT;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_dtype(call, 2, &dtype))
        return NULL;
    return fill(call, zc_rank(x), zc_shape(x), dtype == ZC_DTYPE_COUNT ? zc_dtype_of(x) : dtype);
}

/* ---- Like another array ---- */

static zc_tensor *constant_like(zc_call *call, double value)
{
    zc_dtype dtype = ZC_DTYPE_COUNT;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_dtype(call, 1, &dtype))
        return NULL;
    return zc_full(call->ctx, zc_rank(x), zc_shape(x), dtype == ZC_DTYPE_COUNT ? zc_dtype_of(x) : dtype, value);
}

zc_tensor *zc_call_zeros_like(zc_call *call)
{
    return constant_like(call, 0);
}

zc_tensor *zc_call_ones_like(zc_call *call)
{
    return constant_like(call, 1);
}

/* ---- Rounded, replaced, chosen, compared ---- */

/* x, or x in a dtype that holds it times so many tens, in the open scope. */
static const zc_tensor *in_room_for(const zc_tensor *x, int64_t decimals)
{
    enum { TENS_OF_FLOAT32 = 38 };
    const zc_dtype dtype = zc_dtype_of(x);
    const bool is_half = dtype == ZC_FLOAT16 || dtype == ZC_BFLOAT16;
    if ((is_half || dtype == ZC_FLOAT32) && llabs(decimals) > TENS_OF_FLOAT32)
        return zc_astype(x, ZC_FLOAT64);
    return is_half ? zc_astype(x, ZC_FLOAT32) : x;
}

/* The nearest multiple of 10^-decimals, in the open scope; x where so many decimals leave it as it is. */
static zc_tensor *round_to(zc_context *ctx, const zc_tensor *x, int64_t decimals)
{
    const zc_tensor *unit = zc_weak_float(ctx, pow(10, fabs((double)decimals)));
    if (decimals < 0)
        return zc_multiply(zc_round(zc_divide(x, unit)), unit);
    const zc_tensor *scaled = zc_multiply(x, unit);
    return zc_where(zc_isfinite(scaled), zc_divide(zc_round(scaled), unit), x);
}

/* NumPy's: a multiple of a power of ten, by the nearest whole number of it. Integers have no decimals. */
zc_tensor *zc_call_round(zc_call *call)
{
    enum { MOST = 308 };
    int64_t decimals;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_integer(call, 1, &decimals))
        return NULL;
    const zc_dtype dtype = zc_dtype_of(x);
    if (decimals == 0 || dtype == ZC_BOOL || (dtype < ZC_FLOAT32 && decimals > 0))
        return zc_round(x);
    if (decimals < -MOST || decimals > MOST) {
        (void)zc_fault_refuse(call->fault, "round: decimals are from %d to %d", -MOST, MOST);
        return NULL;
    }
    zc_scope *scope = zc_scope_begin(call->ctx);
    if (scope == NULL)
        return NULL;
    const zc_tensor *wide = in_room_for(x, decimals);
    zc_tensor *rounded = round_to(call->ctx, wide, decimals);
    zc_tensor *result = dtype < ZC_FLOAT32 || wide != x ? zc_astype(rounded, dtype) : rounded;
    return zc_call_keep(scope, result);
}

/* The largest number of a dtype of floats. */
static double largest_of(zc_dtype dtype)
{
    static const double of_float16 = 65504, of_bfloat16 = 0x1.fep127, of_float32 = 0x1.fffffep127;
    return dtype == ZC_FLOAT16    ? of_float16
           : dtype == ZC_BFLOAT16 ? of_bfloat16
           : dtype == ZC_FLOAT32  ? of_float32
                                  : DBL_MAX;
}

/* x with numbers in the place of NaNs and of infinities, in the open scope. with: for NaN, inf and -inf; NULL: the
 * largest number and the smallest one. */
static const zc_tensor *replace_in(zc_context *ctx, const zc_tensor *x, const zc_tensor *const with[3])
{
    const double most = largest_of(zc_dtype_of(x));
    const zc_tensor *high = with[1] != NULL ? with[1] : zc_weak_float(ctx, most);
    const zc_tensor *low = with[2] != NULL ? with[2] : zc_weak_float(ctx, -most);
    const zc_tensor *below = zc_where(zc_equal(x, zc_weak_float(ctx, -(double)INFINITY)), low, x);
    const zc_tensor *inside = zc_where(zc_equal(x, zc_weak_float(ctx, (double)INFINITY)), high, below);
    return zc_where(zc_isnan(x), with[0], inside);
}

zc_tensor *zc_call_nan_to_num(zc_call *call)
{
    const zc_tensor *x = zc_argument_tensor(call, 0), *with[3] = {NULL};
    for (int i = 0; i < 3; i++) {
        if (x == NULL || (!zc_argument_is_none(call, i + 1) && (with[i] = zc_argument_tensor(call, i + 1)) == NULL))
            return NULL;
    }
    const zc_dtype dtype = zc_dtype_of(x);
    if (dtype < ZC_FLOAT32)
        return zc_itself(x);
    zc_scope *scope = zc_scope_begin(call->ctx);
    if (scope == NULL)
        return NULL;
    with[0] = with[0] != NULL ? with[0] : zc_weak_int(call->ctx, 0);
    const zc_tensor *made = zc_argument_is_complex(dtype) ? zc_complex(replace_in(call->ctx, zc_real(x), with),
                                                                       replace_in(call->ctx, zc_imag(x), with))
                                                          : replace_in(call->ctx, x, with);
    zc_tensor *result = made != NULL ? zc_astype(made, dtype) : NULL;
    if (result != NULL && !zc_arguments_have_one_shape(result, x)) {
        (void)zc_fault_refuse(call->fault, "nan_to_num: what replaces elements has more of them than x");
        result = NULL;
    }
    return zc_call_keep(scope, result);
}

/* C's remainder, with the sign of x1. */
zc_tensor *zc_call_fmod(zc_call *call)
{
    const zc_tensor *a = zc_argument_tensor(call, 0);
    const zc_tensor *b = a == NULL ? NULL : zc_argument_tensor(call, 1);
    if (b == NULL)
        return NULL;
    zc_scope *scope = zc_scope_begin(call->ctx);
    if (scope == NULL)
        return NULL;
    const zc_tensor *zero = zc_weak_int(call->ctx, 0), *r = zc_remainder(a, b); /* with the sign of x2 */
    zc_tensor *result = NULL;
    if (r != NULL && zc_dtype_of(r) >= ZC_FLOAT32) {
        const zc_tensor *x = zc_astype(a, zc_dtype_of(r)), *y = zc_astype(b, zc_dtype_of(r));
        result = zc_copysign(zc_remainder(zc_abs(x), zc_abs(y)), x);
    } else if (r != NULL) {
        const zc_tensor *is_other = zc_not_equal(zc_less(a, zero), zc_less(b, zero));
        result = zc_where(zc_logical_and(is_other, zc_not_equal(r, zero)), zc_subtract(r, b), r);
    }
    return zc_call_keep(scope, result);
}

zc_tensor *zc_call_array_equal(zc_call *call)
{
    const zc_tensor *a = zc_argument_tensor(call, 0);
    const zc_tensor *b = a == NULL ? NULL : zc_argument_tensor(call, 1);
    if (b == NULL)
        return NULL;
    if (!zc_arguments_have_one_shape(a, b))
        return zc_full(call->ctx, ZC_SCALAR_SHAPE, ZC_BOOL, 0);
    zc_tensor *are_equal = zc_equal(a, b), *result = zc_all(are_equal, ZC_ALL_AXES, false);
    zc_release(are_equal);
    return result;
}

/* The first choice whose condition is true. */
zc_tensor *zc_call_select(zc_call *call)
{
    const zc_object conditions = call->arguments[0], choices = call->arguments[1];
    const bool are_lists = zc_object_is_sequence(conditions) && zc_object_is_sequence(choices) &&
                           conditions.sequence->count == choices.sequence->count && choices.sequence->count > 0;
    if (!are_lists) {
        (void)zc_fault_refuse(call->fault,
                              "select: takes as many conditions as choices, in two lists, and one at least");
        return NULL;
    }
    const zc_tensor *otherwise = zc_argument_tensor(call, 2);
    zc_tensor *result = otherwise == NULL ? NULL : zc_itself(otherwise);
    for (int64_t i = conditions.sequence->count - 1; result != NULL && i >= 0; i--) {
        zc_tensor *condition =
            zc_literal_tensor(call->ctx, conditions.sequence->items[i], ZC_STRONG, "select", call->fault);
        zc_tensor *choice = zc_literal_tensor(call->ctx, choices.sequence->items[i], ZC_WEAK, "select", call->fault);
        zc_tensor *chosen = zc_where(condition, choice, result);
        zc_release(condition);
        zc_release(choice);
        zc_release(result);
        result = chosen;
    }
    return result;
}
