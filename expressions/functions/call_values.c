/*
 * Conversions, arguments that may be left out, and arrays of one value.
 */
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
