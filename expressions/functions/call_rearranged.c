/*
 * Functions that rearrange: their lists of tensors and of paddings, and what NumPy does where no axis is given.
 */
#include <limits.h>

#include "expressions/base/memory.h"
#include "expressions/functions/arguments.h"
#include "expressions/functions/call_views.h"
#include "expressions/functions/calls.h"
#include "expressions/values/literal.h"

/* ---- Lists of tensors ---- */

typedef zc_tensor *join_function(zc_context *ctx, int count, const zc_tensor *const *tensors, int axis);

/* The items of a list, or the rows of a tensor, which NumPy takes for one. */
static int64_t count_items(zc_call *call)
{
    const zc_object *list = &call->arguments[0];
    if (zc_object_is_sequence(*list) && list->sequence->count > 0)
        return list->sequence->count;
    if (list->kind == ZC_OBJECT_TENSOR && zc_rank(list->tensor) > 0)
        return zc_shape(list->tensor)[0];
    (void)zc_fault_refuse(call->fault, "%s: the first argument is a list of tensors, not %s", call->function->name,
                          zc_object_is_sequence(*list) ? "an empty one" : zc_object_describe(*list));
    return -1;
}

/* Shapes an item before it is joined; NULL: it stays as it is. */
typedef zc_tensor *shape_function(const zc_tensor *x);

static zc_tensor *take_item(zc_call *call, int64_t i, shape_function *shape)
{
    const zc_object *list = &call->arguments[0];
    zc_tensor *item;
    if (list->kind == ZC_OBJECT_TENSOR)
        item = zc_index(list->tensor, 0, i);
    else if (list->sequence->items[i].kind == ZC_OBJECT_TENSOR)
        item = zc_retain(list->sequence->items[i].tensor);
    else
        item = zc_literal_tensor(call->ctx, list->sequence->items[i], ZC_WEAK, call->function->name, call->fault);
    zc_tensor *shaped = shape != NULL && item != NULL ? shape(item) : NULL;
    if (shape == NULL)
        return item;
    zc_release(item);
    return shaped;
}

/* The second axis, or the only one of items that have no other. */
enum { AXIS_OF_COLUMNS = INT_MAX };

static zc_tensor *join_shaped(zc_call *call, join_function *function, shape_function *shape, int axis)
{
    const int64_t count = count_items(call);
    if (count < 0)
        return NULL;
    if (count >= INT32_MAX)
        (void)zc_fault_memory(call->fault);
    zc_tensor **items = count < INT32_MAX ? zc_memory_take(call->fault, (size_t)count * sizeof *items) : NULL;
    if (items == NULL)
        return NULL;
    int64_t made = 0;
    while (made < count && (items[made] = take_item(call, made, shape)) != NULL)
        made++;
    zc_tensor *result = NULL;
    if (axis == AXIS_OF_COLUMNS)
        axis = made > 0 && zc_rank(items[0]) > 1 ? 1 : 0;
    if (made == count)
        result = function(call->ctx, (int)count, (const zc_tensor *const *)(const void *)items, axis);
    for (int64_t i = 0; i < made; i++)
        zc_release(items[i]);
    zc_memory_give(items);
    return result;
}

static zc_tensor *join(zc_call *call, join_function *function)
{
    int axis = 0;
    const bool is_flat = zc_argument_is_none(call, 1);
    if (!is_flat && !zc_argument_axis(call, 1, &axis))
        return NULL;
    return join_shaped(call, function, is_flat ? zc_ravel : NULL, axis);
}

zc_tensor *zc_call_concat(zc_call *call)
{
    return join(call, zc_concat);
}

zc_tensor *zc_call_stack(zc_call *call)
{
    return join(call, zc_stack);
}

/* ---- At least so many axes ---- */

/* x with axes of one element before its own, and of three axes one behind them. */
static zc_tensor *at_least(const zc_tensor *x, int least)
{
    const int rank = zc_rank(x);
    int64_t shape[3] = {1, 1, 1};
    if (rank >= least)
        return zc_itself(x);
    const int first = rank == 1 ? least - 1 - (least == 3) : 0; /* (n) is (1, n), and (1, n, 1) */
    for (int a = 0; a < rank; a++)
        shape[first + a] = zc_shape(x)[a];
    return zc_reshape(x, least, shape);
}

static zc_tensor *at_least_1d(const zc_tensor *x)
{
    return at_least(x, 1);
}

static zc_tensor *at_least_2d(const zc_tensor *x)
{
    return at_least(x, 2);
}

static zc_tensor *at_least_3d(const zc_tensor *x)
{
    return at_least(x, 3);
}

/* (n) becomes (n, 1). */
static zc_tensor *as_column(const zc_tensor *x)
{
    const int64_t shape[] = {zc_size(x), 1};
    return zc_rank(x) < 2 ? zc_reshape(x, 2, shape) : zc_itself(x);
}

static zc_tensor *shape_argument(zc_call *call, shape_function *shape)
{
    const zc_tensor *x = zc_argument_tensor(call, 0);
    return x == NULL ? NULL : shape(x);
}

zc_tensor *zc_call_atleast_1d(zc_call *call)
{
    return shape_argument(call, at_least_1d);
}

zc_tensor *zc_call_atleast_2d(zc_call *call)
{
    return shape_argument(call, at_least_2d);
}

zc_tensor *zc_call_atleast_3d(zc_call *call)
{
    return shape_argument(call, at_least_3d);
}

zc_tensor *zc_call_vstack(zc_call *call)
{
    return join_shaped(call, zc_concat, at_least_2d, 0);
}

zc_tensor *zc_call_hstack(zc_call *call)
{
    return join_shaped(call, zc_concat, at_least_1d, AXIS_OF_COLUMNS);
}

zc_tensor *zc_call_dstack(zc_call *call)
{
    return join_shaped(call, zc_concat, at_least_3d, 2);
}

zc_tensor *zc_call_column_stack(zc_call *call)
{
    return join_shaped(call, zc_concat, as_column, 1);
}

/* The diagonal of a matrix, or a matrix with such a diagonal. */
zc_tensor *zc_call_diag(zc_call *call)
{
    int64_t k;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_integer(call, 1, &k))
        return NULL;
    if (zc_rank(x) == 2)
        return zc_diagonal(x, k, 0, 1);
    if (zc_rank(x) != 1) {
        (void)zc_fault_refuse(call->fault, "diag: takes one axis or two, not %d", zc_rank(x));
        return NULL;
    }
    if (k <= -INT32_MAX || k >= INT32_MAX || zc_size(x) > INT64_MAX - INT32_MAX) {
        (void)zc_fault_refuse(call->fault, "diag: no matrix has %lld elements on diagonal %lld", (long long)zc_size(x),
                              (long long)k);
        return NULL;
    }
    const int64_t beyond = k < 0 ? -k : k, none = 0, side = zc_size(x) + beyond; /* proven: less than 2^63 */
    zc_tensor *is_on = zc_eye(call->ctx, side, side, k, ZC_BOOL),
              *zero = zc_full(call->ctx, ZC_SCALAR_SHAPE, zc_dtype_of(x), 0);
    zc_tensor *padded =
        zc_pad(x, 1, &none, &beyond, ZC_PAD_CONSTANT, NULL); /* by rows above the diagonal, else columns */
    zc_tensor *spread = zc_expand_dims(padded, k < 0 ? 0 : 1), *result = zc_where(is_on, spread, zero);
    zc_release(is_on);
    zc_release(zero);
    zc_release(padded);
    zc_release(spread);
    return result;
}

/* ---- Without an axis, NumPy flattens ---- */

/* x, or its elements in a row when argument i, the axis, is None; the caller's reference. */
static zc_tensor *along_axis(zc_call *call, int i, int *axis)
{
    const zc_tensor *x = zc_argument_tensor(call, 0);
    *axis = 0;
    if (x != NULL && zc_argument_is_none(call, i))
        return zc_ravel(x);
    if (x == NULL || !zc_argument_axis(call, i, axis))
        return NULL;
    return zc_retain((zc_tensor *)(uintptr_t)x);
}

zc_tensor *zc_call_repeat(zc_call *call)
{
    int axis;
    int64_t times;
    if (!zc_argument_integer(call, 1, &times))
        return NULL;
    zc_tensor *x = along_axis(call, 2, &axis);
    zc_tensor *result = zc_repeat(x, times, axis);
    zc_release(x);
    return result;
}

typedef zc_tensor *take_function(const zc_tensor *x, const zc_tensor *positions, int axis);

static zc_tensor *take(zc_call *call, take_function *function)
{
    int axis;
    const zc_tensor *positions = zc_argument_tensor(call, 1);
    zc_tensor *x = positions == NULL ? NULL : along_axis(call, 2, &axis);
    zc_tensor *result = x == NULL ? NULL : function(x, positions, axis);
    zc_release(x);
    return result;
}

zc_tensor *zc_call_take(zc_call *call)
{
    return take(call, zc_take);
}

zc_tensor *zc_call_take_along_axis(zc_call *call)
{
    return take(call, zc_take_along_axis);
}

/* As many shifts as axes; one of either goes with all of the other. */
static zc_tensor *roll_axes(zc_call *call, const zc_tensor *x, int shift_count, int64_t *shifts)
{
    int count, axes[ZC_MAX_RANK];
    if (!zc_argument_axes(call, 2, &count, axes))
        return NULL;
    int most = count > shift_count ? count : shift_count;
    if ((count != most && count != 1) || (shift_count != most && shift_count != 1)) {
        (void)zc_fault_refuse(call->fault, "roll: %d shifts for %d axes", shift_count, count);
        return NULL;
    }
    for (int i = most - 1; i >= 0; i--) {
        axes[i] = axes[count == 1 ? 0 : i];
        shifts[i] = shifts[shift_count == 1 ? 0 : i];
    }
    return zc_roll(x, most, shifts, axes);
}

zc_tensor *zc_call_roll(zc_call *call)
{
    int count;
    int64_t shifts[ZC_MAX_RANK];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_shape(call, 1, &count, shifts))
        return NULL;
    if (!zc_argument_is_none(call, 2))
        return roll_axes(call, x, count, shifts);
    zc_tensor *flat = zc_ravel(x);
    int axes[ZC_MAX_RANK] = {0}; /* the only one, for every shift */
    zc_tensor *rolled = zc_roll(flat, count, shifts, axes);
    zc_tensor *result = rolled == NULL ? NULL : zc_reshape(rolled, zc_rank(x), zc_shape(x));
    zc_release(flat);
    zc_release(rolled);
    return result;
}

/* ---- Triangles ---- */

typedef zc_tensor *triangle_function(const zc_tensor *x, int64_t k);

static zc_tensor *triangle(zc_call *call, triangle_function *function)
{
    int64_t k;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    return x != NULL && zc_argument_integer(call, 1, &k) ? function(x, k) : NULL;
}

zc_tensor *zc_call_tril(zc_call *call)
{
    return triangle(call, zc_tril);
}

zc_tensor *zc_call_triu(zc_call *call)
{
    return triangle(call, zc_triu);
}

/* ---- Padding ---- */

static const char *const pad_modes[] = {[ZC_PAD_CONSTANT] = "constant",
                                        [ZC_PAD_EDGE] = "edge",
                                        [ZC_PAD_REFLECT] = "reflect",
                                        [ZC_PAD_SYMMETRIC] = "symmetric",
                                        [ZC_PAD_WRAP] = "wrap"};

/* One width, or a pair of them. */
static bool read_width(zc_object value, int64_t *before, int64_t *after)
{
    const zc_object *items = &value;
    int64_t count = 1;
    if (zc_object_is_sequence(value)) {
        items = value.sequence->items;
        count = value.sequence->count;
    }
    return (count == 1 || count == 2) && zc_object_as_integer(items[0], before) &&
           zc_object_as_integer(items[count - 1], after);
}

/* NumPy's pad_width: one number or pair for every axis, or a pair for each. */
static bool read_widths(zc_call *call, int rank, int64_t *before, int64_t *after)
{
    zc_object value = call->arguments[1];
    bool is_nested = zc_object_is_sequence(value) && value.sequence->depth > 1;
    int64_t count = is_nested ? value.sequence->count : 1;
    bool fits = count == 1 || count == rank;
    for (int a = 0; a < rank && fits; a++)
        fits = read_width(!is_nested ? value : value.sequence->items[count == 1 ? 0 : a], &before[a], &after[a]);
    if (!fits)
        return zc_fault_refuse(call->fault,
                               "pad: pad_width is a number, a pair of numbers, or a pair for each of %d axes", rank);
    return true;
}

zc_tensor *zc_call_pad(zc_call *call)
{
    int64_t before[ZC_MAX_RANK], after[ZC_MAX_RANK];
    int mode;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    const zc_tensor *value = x == NULL ? NULL : zc_argument_tensor(call, 3);
    if (value == NULL || !read_widths(call, zc_rank(x), before, after) ||
        !zc_argument_choice(call, 2, pad_modes, 5, &mode) ||
        !zc_argument_fits(call, call->arguments[3], zc_dtype_of(x)))
        return NULL;
    return zc_pad(x, zc_rank(x), before, after, (zc_pad_mode)mode, value);
}
