/*
 * Statistics, scans and gradients: their numbers that are no axes, and what the array API lets be left out.
 */
#include <string.h>

#include <math.h>

#include "expressions/base/memory.h"
#include "expressions/functions/arguments.h"
#include "expressions/functions/call_views.h"
#include "expressions/functions/calls.h"
#include "expressions/values/literal.h"
#include "expressions/values/number.h"

static bool read_number(zc_call *call, int i, double *number)
{
    zc_object value;
    if (!zc_argument_number(call, i, &value))
        return false;
    *number = zc_number_as_float(value);
    return true;
}

/* ---- Statistics ---- */

typedef zc_tensor *spread_function(const zc_tensor *x, int count, const int *axes, double correction, bool keepdims);

static zc_tensor *spread(zc_call *call, spread_function *function)
{
    int count, axes[ZC_MAX_RANK];
    double correction;
    bool keepdims;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axes(call, 1, &count, axes) || !read_number(call, 2, &correction) ||
        !zc_argument_flag(call, 3, &keepdims))
        return NULL;
    return function(x, count, axes, correction, keepdims);
}

zc_tensor *zc_call_var(zc_call *call)
{
    return spread(call, zc_var);
}

zc_tensor *zc_call_std(zc_call *call)
{
    return spread(call, zc_std);
}

zc_tensor *zc_call_vector_norm(zc_call *call)
{
    int count, axes[ZC_MAX_RANK];
    double order;
    bool keepdims;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axes(call, 1, &count, axes) || !zc_argument_flag(call, 2, &keepdims) ||
        !read_number(call, 3, &order))
        return NULL;
    return zc_vector_norm(x, count, axes, keepdims, order);
}

/* The largest sum, or smallest, of sizes along columns (order 1) or rows (infinity) of the matrices of two axes. */
static zc_tensor *matrix_norm(zc_call *call, const zc_tensor *x, const int axes[2], double order, bool keepdims)
{
    const bool is_of_columns = fabs(order) == 1;
    if (!is_of_columns && !isinf(order)) {
        (void)zc_fault_refuse(call->fault, "norm: of a matrix, the orders are 1, -1, inf, -inf and 'fro'; others need "
                                           "singular values");
        return NULL;
    }
    zc_tensor *floats = zc_dtype_of(x) < ZC_FLOAT32 ? zc_astype(x, ZC_FLOAT64) : zc_itself(x), *sizes = zc_abs(floats);
    zc_tensor *sums = zc_sum(sizes, 1, &axes[is_of_columns ? 0 : 1], true);
    zc_tensor *result = order > 0 ? zc_max(sums, 2, axes, keepdims) : zc_min(sums, 2, axes, keepdims);
    zc_release(floats);
    zc_release(sizes);
    zc_release(sums);
    return result;
}

/* NumPy's: without an order, and by 'fro', that of a vector of all elements; else of a vector along one axis, or of the
 * matrices of two. */
zc_tensor *zc_call_norm(zc_call *call)
{
    int count, axes[ZC_MAX_RANK] = {0, 1};
    double order = 2;
    bool keepdims;
    const zc_object given = call->arguments[1];
    const bool is_named = given.kind == ZC_OBJECT_STRING && strcmp(given.string, "fro") == 0;
    const bool is_given = !is_named && !zc_argument_is_none(call, 1);
    if (given.kind == ZC_OBJECT_STRING && !is_named) {
        (void)zc_fault_refuse(call->fault, "norm: ord is a number or 'fro', not '%s'", given.string);
        return NULL;
    }
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || (is_given && !read_number(call, 1, &order)) || !zc_argument_axes(call, 2, &count, axes) ||
        !zc_argument_flag(call, 3, &keepdims))
        return NULL;
    const int walked = count < 0 ? zc_rank(x) : count;
    if (is_named && walked != 2) {
        (void)zc_fault_refuse(call->fault, "norm: 'fro' is that of a matrix, of two axes and not of %d", walked);
        return NULL;
    }
    if (!is_given || walked == 1)
        return zc_vector_norm(x, count, axes, keepdims, order);
    if (walked == 2)
        return matrix_norm(call, x, axes, order, keepdims);
    (void)zc_fault_refuse(call->fault, "norm: an order is that of one axis or of two, not of %d", walked);
    return NULL;
}

/* ---- Along an axis ---- */

/* Without an axis there may be only one. */
static bool read_scan_axis(zc_call *call, const zc_tensor *x, int i, int *axis)
{
    *axis = 0;
    if (!zc_argument_is_none(call, i))
        return zc_argument_axis(call, i, axis);
    if (zc_rank(x) != 1)
        return zc_fault_refuse(call->fault, "%s: a tensor of rank %d needs an axis", call->function->name, zc_rank(x));
    return true;
}

typedef zc_tensor *scan_function(const zc_tensor *x, int axis, bool include_initial);

static zc_tensor *scan(zc_call *call, scan_function *function)
{
    int axis;
    bool include_initial;
    zc_dtype dtype = ZC_DTYPE_COUNT;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !read_scan_axis(call, x, 1, &axis) || !zc_argument_dtype(call, 2, &dtype) ||
        !zc_argument_flag(call, 3, &include_initial))
        return NULL;
    if (dtype == ZC_DTYPE_COUNT)
        return function(x, axis, include_initial);
    zc_tensor *converted = zc_astype(x, dtype);
    zc_tensor *scanned = function(converted, axis, include_initial);
    zc_tensor *result = zc_astype(scanned, dtype);
    zc_release(converted);
    zc_release(scanned);
    return result;
}

zc_tensor *zc_call_cumulative_sum(zc_call *call)
{
    return scan(call, zc_cumulative_sum);
}

zc_tensor *zc_call_cumulative_prod(zc_call *call)
{
    return scan(call, zc_cumulative_prod);
}

zc_tensor *zc_call_softmax(zc_call *call)
{
    int axis;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    return x != NULL && zc_argument_axis(call, 1, &axis) ? zc_softmax(x, axis) : NULL;
}

zc_tensor *zc_call_log_softmax(zc_call *call)
{
    int axis;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    return x != NULL && zc_argument_axis(call, 1, &axis) ? zc_log_softmax(x, axis) : NULL;
}

zc_tensor *zc_call_softmax_sum(zc_call *call)
{
    int axis;
    const zc_tensor *scores = zc_argument_tensor(call, 0);
    const zc_tensor *values = scores == NULL ? NULL : zc_argument_tensor(call, 1);
    return values != NULL && zc_argument_axis(call, 2, &axis) ? zc_softmax_sum(scores, values, axis) : NULL;
}

/* Argument i, put before or behind x: a scalar is one element along the axis. */
static const zc_tensor *read_end(zc_call *call, int i, const zc_tensor *x, int axis)
{
    int64_t shape[ZC_MAX_RANK];
    int rank = zc_rank(x);
    const zc_tensor *end = zc_argument_tensor(call, i);
    if (end == NULL || zc_rank(end) > 0 || axis < -rank || axis >= rank)
        return end;
    for (int a = 0; a < rank; a++)
        shape[a] = a == axis || a == axis + rank ? 1 : zc_shape(x)[a];
    zc_tensor *spread = zc_broadcast_to(end, rank, shape);
    zc_release(call->owned[i]);
    call->owned[i] = spread;
    return spread;
}

/* x with what is put before and behind it. */
static zc_tensor *extend(zc_call *call, const zc_tensor *x, int axis)
{
    const zc_tensor *parts[3];
    int count = 0;
    if (!zc_argument_is_none(call, 3) && (parts[count++] = read_end(call, 3, x, axis)) == NULL)
        return NULL;
    parts[count++] = x;
    if (!zc_argument_is_none(call, 4) && (parts[count++] = read_end(call, 4, x, axis)) == NULL)
        return NULL;
    return count == 1 ? zc_itself(x) : zc_concat(call->ctx, count, parts, axis);
}

zc_tensor *zc_call_diff(zc_call *call)
{
    int axis;
    int64_t times;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_integer(call, 1, &times) || !zc_argument_axis(call, 2, &axis))
        return NULL;
    zc_tensor *extended = extend(call, x, axis);
    zc_tensor *result = zc_diff(extended, axis, times);
    zc_release(extended);
    return result;
}

/* Half the sum of each two neighbors times how far they are apart: argument 1 has their places, or 2 the step. */
zc_tensor *zc_call_trapezoid(zc_call *call)
{
    int axis;
    const bool has_places = !zc_argument_is_none(call, 1);
    const zc_tensor *y = zc_argument_tensor(call, 0);
    const zc_tensor *step = y == NULL ? NULL : zc_argument_tensor(call, 2);
    const zc_tensor *x = step == NULL || !has_places ? step : zc_argument_tensor(call, 1);
    if (x == NULL || !zc_argument_axis(call, 3, &axis))
        return NULL;
    zc_scope *scope = zc_scope_begin(call->ctx);
    if (scope == NULL)
        return NULL;
    const zc_tensor *sums = zc_add(zc_slice(y, axis, 1, ZC_NONE, 1), zc_slice(y, axis, 0, -1, 1)), *apart = x;
    if (has_places)
        apart = zc_diff(x, zc_rank(x) == 1 ? 0 : axis, 1);
    if (has_places && zc_rank(x) == 1 && sums != NULL) { /* along the axis */
        int64_t shape[ZC_MAX_RANK];
        for (int a = 0; a < zc_rank(y); a++)
            shape[a] = a == axis || a == axis + zc_rank(y) ? -1 : 1;
        apart = zc_reshape(apart, zc_rank(y), shape);
    }
    const zc_tensor *areas = zc_divide(zc_multiply(apart, sums), zc_weak_float(call->ctx, 2));
    zc_tensor *result = zc_sum(areas, 1, &axis, false);
    return zc_call_keep(scope, result);
}

/* ---- Gradients ---- */

/* Gives zeros by what y does not depend on, as zc_vjp() does, and tells its sentences as those of grad(). */
zc_tensor *zc_call_grad(zc_call *call)
{
    static const char caller[] = "vjp";
    const zc_tensor *y = zc_argument_tensor(call, 0);
    const zc_tensor *x = y == NULL ? NULL : zc_argument_tensor(call, 1);
    zc_tensor *gradient = NULL;
    if (x == NULL || zc_vjp(y, NULL, 1, &x, &gradient) == ZC_OK)
        return gradient;
    const char *text = zc_error_text(call->ctx);
    const bool is_vjps = strncmp(text, caller, sizeof caller - 1) == 0;
    (void)zc_fault_refuse(call->fault, "%s%s", is_vjps ? "grad" : "", is_vjps ? text + sizeof caller - 1 : text);
    call->fault->status = zc_error_status(call->ctx);
    return NULL;
}

zc_tensor *zc_call_vjp(zc_call *call)
{
    const zc_tensor *y = zc_argument_tensor(call, 0);
    const zc_tensor *x = y == NULL ? NULL : zc_argument_tensor(call, 1);
    const zc_tensor *delta = x == NULL ? NULL : zc_argument_tensor(call, 2);
    if (delta == NULL)
        return NULL;
    zc_tensor *gradient = NULL, *spread_delta = zc_broadcast_to(delta, zc_rank(y), zc_shape(y));
    if (spread_delta != NULL)
        (void)zc_vjp(y, spread_delta, 1, &x, &gradient);
    zc_release(spread_delta);
    return gradient;
}

zc_tensor *zc_call_isin(zc_call *call)
{
    bool invert;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    const zc_tensor *values = x == NULL ? NULL : zc_argument_tensor(call, 1);
    if (values == NULL || !zc_argument_flag(call, 2, &invert))
        return NULL;
    zc_tensor *is_in = zc_isin(x, values);
    if (!invert)
        return is_in;
    zc_tensor *is_not = zc_logical_not(is_in);
    zc_release(is_in);
    return is_not;
}

/* ---- Extremes beside NaN ---- */

typedef zc_tensor *reduction(const zc_tensor *x, int count, const int *axes, bool keepdims);

/* The extreme of what is no NaN; NaN where nothing else is. Integers have none. */
static zc_tensor *extreme_beside_nan(zc_call *call, reduction *extreme, double neutral)
{
    int count, axes[ZC_MAX_RANK];
    bool keepdims;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axes(call, 1, &count, axes) || !zc_argument_flag(call, 2, &keepdims))
        return NULL;
    const zc_dtype dtype = zc_dtype_of(x);
    if (dtype < ZC_FLOAT32)
        return extreme(x, count, axes, keepdims);
    zc_scope *scope = zc_scope_begin(call->ctx);
    if (scope == NULL)
        return NULL;
    const zc_tensor *is_nan = zc_isnan(x);
    const zc_tensor *found = extreme(zc_where(is_nan, zc_weak_float(call->ctx, neutral), x), count, axes, keepdims);
    zc_tensor *result = zc_where(zc_all(is_nan, count, axes, keepdims), zc_weak_float(call->ctx, (double)NAN), found);
    return zc_call_keep(scope, result);
}

zc_tensor *zc_call_nanmax(zc_call *call)
{
    return extreme_beside_nan(call, zc_max, -(double)INFINITY);
}

zc_tensor *zc_call_nanmin(zc_call *call)
{
    return extreme_beside_nan(call, zc_min, (double)INFINITY);
}
