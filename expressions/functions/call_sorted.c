/*
 * Functions that compute when they are called: sorting, searching, sets.
 */
#include "expressions/functions/arguments.h"
#include "expressions/functions/calls.h"

/* Sorting is always stable, so that `stable` need only be True or False. */
static zc_tensor *sort_by(zc_call *call, zc_status (*sort)(const zc_tensor *, int, bool, zc_tensor **))
{
    int axis;
    bool descending, stable;
    zc_tensor *result = NULL;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axis(call, 1, &axis) || !zc_argument_flag(call, 2, &descending) ||
        !zc_argument_flag(call, 3, &stable))
        return NULL;
    (void)sort(x, axis, descending, &result);
    return result;
}

zc_tensor *zc_call_sort(zc_call *call)
{
    return sort_by(call, zc_sort);
}

zc_tensor *zc_call_argsort(zc_call *call)
{
    return sort_by(call, zc_argsort);
}

zc_tensor *zc_call_searchsorted(zc_call *call)
{
    int side;
    zc_tensor *result = NULL;
    const zc_tensor *x1 = zc_argument_tensor(call, 0);
    const zc_tensor *x2 = x1 == NULL ? NULL : zc_argument_tensor(call, 1);
    if (x2 == NULL || !zc_argument_choice(call, 2, (const char *const[]){"left", "right"}, 2, &side))
        return NULL;
    const zc_tensor *sorter = zc_argument_is_none(call, 3) ? NULL : zc_argument_tensor(call, 3);
    if (sorter != NULL || zc_argument_is_none(call, 3))
        (void)zc_searchsorted(x1, x2, side == 1, sorter, &result);
    return result;
}

static zc_tensor *quantile(zc_call *call, bool skip_nan)
{
    int count, axes[ZC_MAX_RANK];
    bool keepdims;
    zc_tensor *result = NULL;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    const zc_tensor *q = x == NULL ? NULL : zc_argument_tensor(call, 1);
    if (q == NULL || !zc_argument_axes(call, 2, &count, axes) || !zc_argument_flag(call, 3, &keepdims))
        return NULL;
    (void)zc_quantile(x, q, count, axes, keepdims, skip_nan, &result);
    return result;
}

static zc_tensor *median(zc_call *call, bool skip_nan)
{
    int count, axes[ZC_MAX_RANK];
    bool keepdims;
    zc_tensor *result = NULL;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axes(call, 1, &count, axes) || !zc_argument_flag(call, 2, &keepdims))
        return NULL;
    (void)zc_median(x, count, axes, keepdims, skip_nan, &result);
    return result;
}

zc_tensor *zc_call_quantile(zc_call *call)
{
    return quantile(call, false);
}

zc_tensor *zc_call_nanquantile(zc_call *call)
{
    return quantile(call, true);
}

zc_tensor *zc_call_median(zc_call *call)
{
    return median(call, false);
}

zc_tensor *zc_call_nanmedian(zc_call *call)
{
    return median(call, true);
}

zc_tensor *zc_call_unique_values(zc_call *call)
{
    zc_tensor *values = NULL;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x != NULL)
        (void)zc_unique_values(x, &values);
    return values;
}

/* ---- Tuples ---- */

/* The tuple of tensors that a call handed out, whose references it takes over. */
static bool give_tuple(zc_call *call, zc_status status, zc_tensor *const *tensors, int count, zc_object *result)
{
    zc_object items[ZC_MAX_RANK];
    for (int i = 0; i < count; i++)
        items[i] = (zc_object){.kind = ZC_OBJECT_TENSOR, .tensor = tensors[i]};
    return status == ZC_OK && zc_object_make_sequence(ZC_OBJECT_TUPLE, items, (size_t)count, result, call->fault);
}

bool zc_call_top_k(zc_call *call, zc_object *result)
{
    int axis, mode;
    int64_t k;
    zc_tensor *out[2];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_integer(call, 1, &k) || !zc_argument_axis(call, 2, &axis) ||
        !zc_argument_choice(call, 3, (const char *const[]){"largest", "smallest"}, 2, &mode))
        return false;
    return give_tuple(call, zc_top_k(x, k, axis, mode == 0, &out[0], &out[1]), out, 2, result);
}

bool zc_call_unique_counts(zc_call *call, zc_object *result)
{
    zc_tensor *out[2];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    return x != NULL && give_tuple(call, zc_unique_counts(x, &out[0], &out[1]), out, 2, result);
}

bool zc_call_unique_inverse(zc_call *call, zc_object *result)
{
    zc_tensor *out[2];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    return x != NULL && give_tuple(call, zc_unique_inverse(x, &out[0], &out[1]), out, 2, result);
}

bool zc_call_unique_all(zc_call *call, zc_object *result)
{
    zc_tensor *out[4];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    return x != NULL && give_tuple(call, zc_unique_all(x, &out[0], &out[1], &out[2], &out[3]), out, 4, result);
}

bool zc_call_nonzero(zc_call *call, zc_object *result)
{
    zc_tensor *out[ZC_MAX_RANK];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    return x != NULL && give_tuple(call, zc_nonzero(x, out), out, zc_rank(x), result);
}
