/*
 * View operations that rearrange whole axes: order, new axes of size 1, their removal, reversal, rotation.
 *
 * Invariant: every axis of the result is an axis of `in`, or has size 1.
 */
#include "views/view_ops.h"

#include <inttypes.h>

static void exchange(int64_t *a, int64_t *b)
{
    int64_t kept = *a;
    *a = *b;
    *b = kept;
}

static void exchange_axes(zc_view *view, int a, int b)
{
    exchange(&view->shape[a], &view->shape[b]);
    exchange(&view->stride[a], &view->stride[b]);
}

zc_status zc_view_permute_dims(const zc_view *in, int count, const int *axes, zc_view *out, zc_reason *why)
{
    if (count != in->rank)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "the order names %d axes, the tensor has %d", count, in->rank);
    uint64_t every;
    zc_status status = zc_axes_resolve(count, axes, in->rank, &every, why);
    if (status != ZC_OK)
        return status;
    zc_view source;
    zc_view_copy(in, &source);
    out->rank = source.rank;
    out->offset = source.offset;
    for (int a = 0; a < count; a++) {
        int from = axes[a] < 0 ? axes[a] + count : axes[a];
        out->shape[a] = source.shape[from];
        out->stride[a] = source.stride[from];
    }
    return ZC_OK;
}

zc_status zc_view_matrix_transpose(const zc_view *in, zc_view *out, zc_reason *why)
{
    if (in->rank < 2)
        return zc_refuse(why, ZC_ERROR_SHAPE, "a matrix needs rank 2 or more, not %d", in->rank);
    return zc_view_swapaxes(in, -2, -1, out, why);
}

zc_status zc_view_swapaxes(const zc_view *in, int axis1, int axis2, zc_view *out, zc_reason *why)
{
    int first;
    int second;
    zc_status status = zc_axis_resolve(axis1, in->rank, &first, why);
    if (status == ZC_OK)
        status = zc_axis_resolve(axis2, in->rank, &second, why);
    if (status != ZC_OK)
        return status;
    zc_view_copy(in, out);
    exchange_axes(out, first, second);
    return ZC_OK;
}

zc_status zc_view_moveaxis(const zc_view *in, int source, int destination, zc_view *out, zc_reason *why)
{
    int from;
    int to;
    zc_status status = zc_axis_resolve(source, in->rank, &from, why);
    if (status == ZC_OK)
        status = zc_axis_resolve(destination, in->rank, &to, why);
    if (status != ZC_OK)
        return status;
    zc_view_copy(in, out);
    int step = from < to ? 1 : -1;
    for (int a = from; a != to; a += step)
        exchange_axes(out, a, a + step);
    return ZC_OK;
}

zc_status zc_view_expand_dims(const zc_view *in, int axis, zc_view *out, zc_reason *why)
{
    if (in->rank == ZC_MAX_RANK)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "the tensor has rank %d already, the highest", ZC_MAX_RANK);
    int added;
    zc_status status = zc_axis_resolve(axis, in->rank + 1, &added, why);
    if (status != ZC_OK)
        return status;
    zc_view_copy(in, out);
    out->shape[out->rank] = 1;
    out->stride[out->rank] = 0;
    for (int a = out->rank++; a > added; a--)
        exchange_axes(out, a, a - 1);
    return ZC_OK;
}

zc_status zc_view_squeeze(const zc_view *in, int count, const int *axes, zc_view *out, zc_reason *why)
{
    uint64_t dropped;
    zc_status status = zc_axes_resolve(count, axes, in->rank, &dropped, why);
    if (status != ZC_OK)
        return status;
    char text[ZC_SHAPE_TEXT];
    for (int a = 0; a < in->rank; a++)
        if ((dropped >> a & 1) && in->shape[a] != 1)
            return zc_refuse(why, ZC_ERROR_SHAPE, "axis %d of shape %s has size %" PRId64 ", not 1", a,
                             zc_shape_text(text, sizeof text, in->rank, in->shape), in->shape[a]);
    zc_view_drop_axes(in, dropped, out);
    return ZC_OK;
}

zc_status zc_view_flip(const zc_view *in, int count, const int *axes, zc_view *out, zc_reason *why)
{
    uint64_t flipped;
    zc_status status = zc_axes_resolve(count, axes, in->rank, &flipped, why);
    if (status != ZC_OK)
        return status;
    zc_view_copy(in, out);
    for (int a = 0; a < out->rank; a++) {
        if ((flipped >> a & 1) == 0 || out->stride[a] == 0)
            continue;
        (void)zc_checked_advance(out->offset, out->shape[a] - 1, out->stride[a], &out->offset);
        (void)zc_checked_subtract(0, out->stride[a], &out->stride[a]);
    }
    return ZC_OK;
}

/* A quarter turn is a reversal and an exchange of the two axes; three quarters are the same in the other order. */
zc_status zc_view_rot90(const zc_view *in, int64_t k, int axis1, int axis2, zc_view *out, zc_reason *why)
{
    if (in->rank < 2)
        return zc_refuse(why, ZC_ERROR_SHAPE, "a rotation needs rank 2 or more, not %d", in->rank);
    int from;
    int to;
    zc_status status = zc_axis_resolve(axis1, in->rank, &from, why);
    if (status == ZC_OK)
        status = zc_axis_resolve(axis2, in->rank, &to, why);
    if (status != ZC_OK)
        return status;
    if (from == to)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "a rotation needs two axes, not %d twice", from);
    const int flipped[] = {to, from};
    switch ((uint64_t)k % 4) { /* 2^64 is a multiple of 4, so negative turns come out right */
    case 1:
        (void)zc_view_flip(in, 1, flipped, out, why);
        exchange_axes(out, from, to);
        break;
    case 2:
        (void)zc_view_flip(in, 2, flipped, out, why);
        break;
    case 3:
        zc_view_copy(in, out);
        exchange_axes(out, from, to);
        (void)zc_view_flip(out, 1, flipped, out, why);
        break;
    default:
        zc_view_copy(in, out);
        break;
    }
    return ZC_OK;
}
