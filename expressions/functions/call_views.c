#include "expressions/functions/call_views.h"

#include "expressions/functions/arguments.h"
#include "expressions/functions/calls.h"

/* ---- Views that take more than one call: NumPy's conveniences (axes left out, several axes at once). ---- */

zc_tensor *zc_itself(const zc_tensor *x)
{
    return zc_retain((zc_tensor *)(uintptr_t)x); /* a reference does not change what is referred to */
}

zc_tensor *zc_ravel(const zc_tensor *x)
{
    return zc_reshape(x, ZC_SHAPE(-1));
}

zc_tensor *zc_reverse_axes(const zc_tensor *x)
{
    int axes[ZC_MAX_RANK], rank = zc_rank(x);
    for (int i = 0; i < rank; i++)
        axes[i] = rank - 1 - i;
    return zc_permute_dims(x, rank, axes);
}

/* The array API's copy: None where strides need one, False never, True always. */
zc_tensor *zc_call_reshape(zc_call *call)
{
    int rank;
    int64_t shape[ZC_MAX_RANK];
    bool copies;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_shape(call, 1, &rank, shape))
        return NULL;
    if (zc_argument_is_none(call, 2))
        return zc_reshape(x, rank, shape);
    if (!zc_argument_flag(call, 2, &copies))
        return NULL;
    if (!copies)
        return zc_reshape_view(x, rank, shape);
    zc_tensor *copy = zc_copy(x);
    zc_tensor *result = zc_reshape(copy, rank, shape);
    zc_release(copy);
    return result;
}

zc_tensor *zc_call_transpose(zc_call *call)
{
    int count, axes[ZC_MAX_RANK];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axes(call, 1, &count, axes))
        return NULL;
    return count < 0 ? zc_reverse_axes(x) : zc_permute_dims(x, count, axes);
}

/* Axes counted from 0, each at most once. */
static bool resolve_axes(zc_call *call, int count, int *axes, int rank)
{
    uint64_t seen = 0;
    for (int i = 0; i < count; i++) {
        int axis = axes[i] < 0 ? axes[i] + rank : axes[i];
        if (axis < 0 || axis >= rank)
            return zc_fault_refuse(call->fault, "%s: axis %d is out of bounds for rank %d", call->function->name,
                                   axes[i], rank);
        if ((seen >> axis & 1) != 0)
            return zc_fault_refuse(call->fault, "%s: axis %d is named twice", call->function->name, axes[i]);
        seen |= (uint64_t)1 << axis;
        axes[i] = axis;
    }
    return true;
}

static bool contains(const int *axes, int count, int axis)
{
    for (int i = 0; i < count; i++) {
        if (axes[i] == axis)
            return true;
    }
    return false;
}

zc_tensor *zc_call_moveaxis(zc_call *call)
{
    int sources, destinations, source[ZC_MAX_RANK], destination[ZC_MAX_RANK], order[ZC_MAX_RANK];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axes(call, 1, &sources, source) ||
        !zc_argument_axes(call, 2, &destinations, destination))
        return NULL;
    int rank = zc_rank(x);
    if (sources != destinations || sources < 0) {
        (void)zc_fault_refuse(call->fault, "moveaxis: source and destination must name equally many axes");
        return NULL;
    }
    if (!resolve_axes(call, sources, source, rank) || !resolve_axes(call, sources, destination, rank))
        return NULL;
    for (int i = 0; i < sources; i++)
        order[destination[i]] = source[i];
    int from = 0; /* the axes that stay fill the other places in their order */
    for (int to = 0; to < rank; to++) {
        if (contains(destination, sources, to))
            continue;
        while (contains(source, sources, from))
            from++;
        order[to] = from++;
    }
    return zc_permute_dims(x, rank, order);
}

zc_tensor *zc_call_expand_dims(zc_call *call)
{
    int count, axes[ZC_MAX_RANK];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axes(call, 1, &count, axes))
        return NULL;
    if (count == 1)
        return zc_expand_dims(x, axes[0]);
    int rank = zc_rank(x) + count;
    bool ok = count < 0 ? zc_fault_refuse(call->fault, "expand_dims: axis names the new axes, not None")
              : rank > ZC_MAX_RANK
                  ? zc_fault_refuse(call->fault, "expand_dims: rank %d is above the highest, %d", rank, ZC_MAX_RANK)
                  : resolve_axes(call, count, axes, rank);
    if (!ok)
        return NULL;
    int64_t shape[ZC_MAX_RANK];
    const int64_t *next = zc_shape(x);
    for (int i = 0; i < rank; i++)
        shape[i] = contains(axes, count, i) ? 1 : *next++;
    return zc_reshape(x, rank, shape);
}

zc_tensor *zc_call_squeeze(zc_call *call)
{
    int count, axes[ZC_MAX_RANK];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axes(call, 1, &count, axes))
        return NULL;
    if (count < 0) {
        count = 0;
        for (int i = 0; i < zc_rank(x); i++) {
            if (zc_shape(x)[i] == 1)
                axes[count++] = i;
        }
    }
    return zc_squeeze(x, count, axes);
}

/* axes None stands for NumPy's default, (0, 1). */
zc_tensor *zc_call_rot90(zc_call *call)
{
    int64_t k;
    int count, axes[ZC_MAX_RANK] = {0, 1};
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_integer(call, 1, &k) || !zc_argument_axes(call, 2, &count, axes))
        return NULL;
    if (count != 2 && count >= 0) {
        (void)zc_fault_refuse(call->fault, "rot90: axes names two axes, not %d", count);
        return NULL;
    }
    return zc_rot90(x, k, axes[0], axes[1]);
}

typedef zc_tensor *diagonal_function(const zc_tensor *x, int64_t offset, int axis1, int axis2);

static zc_tensor *along_diagonal(zc_call *call, diagonal_function *function)
{
    int64_t offset;
    int axis1, axis2;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_integer(call, 1, &offset) || !zc_argument_axis(call, 2, &axis1) ||
        !zc_argument_axis(call, 3, &axis2))
        return NULL;
    return function(x, offset, axis1, axis2);
}

zc_tensor *zc_call_diagonal(zc_call *call)
{
    return along_diagonal(call, zc_diagonal);
}

zc_tensor *zc_call_trace(zc_call *call)
{
    return along_diagonal(call, zc_trace);
}

zc_tensor *zc_call_as_strided(zc_call *call)
{
    int rank, stride_count;
    int64_t shape[ZC_MAX_RANK], strides[ZC_MAX_RANK], offset;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_shape(call, 1, &rank, shape) || !zc_argument_shape(call, 2, &stride_count, strides) ||
        !zc_argument_integer(call, 3, &offset))
        return NULL;
    if (rank != stride_count) {
        (void)zc_fault_refuse(call->fault, "as_strided: %d sizes but %d strides", rank, stride_count);
        return NULL;
    }
    return zc_as_strided(x, rank, shape, strides, offset);
}
