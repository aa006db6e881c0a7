/*
 * View operations that pick elements along axes: slices, single indices, diagonals, windows, and strided views at
 * will.
 *
 * Invariant: the result reaches nothing that `in` does not reach, so steps inside `in` need no bound of their own.
 */
#include "views/view_ops.h"

#include <inttypes.h>

/* Python's slice.indices: the elements start, start + step ... of an axis, `length` of them. */
typedef struct picked {
    int64_t start;
    int64_t length;
} picked;

/* A bound of a slice as a position in lowest..highest; `missing` where it is ZC_NONE. */
static int64_t clamp_bound(int64_t bound, int64_t extent, int64_t lowest, int64_t highest, int64_t missing)
{
    if (bound == ZC_NONE)
        return missing;
    if (bound < 0)
        (void)zc_checked_add(bound, extent, &bound); /* of opposite signs: it fits */
    if (bound < lowest)
        return lowest;
    return bound > highest ? highest : bound;
}

static picked resolve_slice(int64_t extent, int64_t start, int64_t stop, int64_t step)
{
    bool backward = step < 0;
    int64_t lowest = backward ? -1 : 0;
    int64_t highest = backward ? extent - 1 : extent;
    start = clamp_bound(start, extent, lowest, highest, backward ? highest : lowest);
    stop = clamp_bound(stop, extent, lowest, highest, backward ? lowest : highest);
    int64_t distance; /* of two positions in -1..extent: it fits */
    (void)zc_checked_subtract(backward ? start : stop, backward ? stop : start, &distance);
    if (distance <= 0)
        return (picked){0, 0};
    /* Unsigned, because the lowest step has no positive twin. */
    uint64_t stride = backward ? 0 - (uint64_t)step : (uint64_t)step;
    return (picked){start, (int64_t)((uint64_t)(distance - 1) / stride + 1)};
}

zc_status zc_view_slice(const zc_view *in, int axis, int64_t start, int64_t stop, int64_t step, zc_view *out,
                        zc_reason *why)
{
    int along;
    zc_status status = zc_axis_resolve(axis, in->rank, &along, why);
    if (status != ZC_OK)
        return status;
    if (step == 0)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "the step of a slice cannot be 0");
    zc_view_copy(in, out);
    picked elements = resolve_slice(in->shape[along], start, stop, step);
    (void)zc_checked_advance(out->offset, elements.start, out->stride[along], &out->offset);
    if (elements.length > 1)
        (void)zc_checked_multiply(out->stride[along], step, &out->stride[along]);
    out->shape[along] = elements.length;
    zc_view_canonicalise(out);
    return ZC_OK;
}

zc_status zc_view_index(const zc_view *in, int axis, int64_t index, zc_view *out, zc_reason *why)
{
    int along;
    zc_status status = zc_axis_resolve(axis, in->rank, &along, why);
    if (status != ZC_OK)
        return status;
    int64_t extent = in->shape[along];
    if (index < -extent || index >= extent)
        return zc_refuse(why, ZC_ERROR_INDEX, "index %" PRId64 " is out of bounds for axis %d of size %" PRId64, index,
                         along, extent);
    zc_view_copy(in, out);
    (void)zc_checked_advance(out->offset, index < 0 ? index + extent : index, out->stride[along], &out->offset);
    zc_view_drop_axes(out, (uint64_t)1 << along, out);
    return ZC_OK;
}

/* Elements of a diagonal that starts `offset` to the right of the corner (below it when negative). */
static int64_t diagonal_length(int64_t rows, int64_t columns, int64_t offset)
{
    if (offset < 0)
        (void)zc_checked_add(rows, offset, &rows);
    else
        (void)zc_checked_subtract(columns, offset, &columns);
    int64_t length = rows < columns ? rows : columns;
    return length < 0 ? 0 : length;
}

zc_status zc_view_diagonal(const zc_view *in, int64_t offset, int axis1, int axis2, zc_view *out, zc_reason *why)
{
    if (in->rank < 2)
        return zc_refuse(why, ZC_ERROR_SHAPE, "a diagonal needs rank 2 or more, not %d", in->rank);
    int row;
    int column;
    zc_status status = zc_axis_resolve(axis1, in->rank, &row, why);
    if (status == ZC_OK)
        status = zc_axis_resolve(axis2, in->rank, &column, why);
    if (status != ZC_OK)
        return status;
    if (row == column)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "a diagonal needs two axes, not %d twice", row);
    int64_t length = diagonal_length(in->shape[row], in->shape[column], offset);
    int64_t first = in->offset;
    int64_t stride = 0;
    if (length > 0)
        (void)zc_checked_advance(first, offset < 0 ? -offset : offset, in->stride[offset < 0 ? row : column], &first);
    if (length > 1)
        (void)zc_checked_add(in->stride[row], in->stride[column], &stride);
    zc_view_drop_axes(in, (uint64_t)1 << row | (uint64_t)1 << column, out);
    out->offset = first;
    out->shape[out->rank] = length;
    out->stride[out->rank] = stride;
    out->rank++;
    zc_view_canonicalise(out);
    return ZC_OK;
}

/* The axes that windows slide along, as many as there are windows; count -1 (ZC_ALL_AXES) is every axis in order. */
static zc_status resolve_window_axes(const zc_view *in, int windows, const int64_t *window, int count, const int *axes,
                                     int *along, zc_reason *why)
{
    if (windows < 0 || count < -1)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "%d is not a number of axes", windows < 0 ? windows : count);
    if ((windows > 0 && window == NULL) || (count > 0 && axes == NULL))
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "the list of %s is NULL", window == NULL ? "window sizes" : "axes");
    int wanted = count == -1 ? in->rank : count;
    if (windows != wanted)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "%d window sizes for %d axes", windows, wanted);
    if (windows > ZC_MAX_RANK - in->rank)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "%d windows over rank %d are more than the highest rank, %d", windows,
                         in->rank, ZC_MAX_RANK);
    for (int i = 0; i < windows; i++) {
        zc_status status = zc_axis_resolve(count == -1 ? i : axes[i], in->rank, &along[i], why);
        if (status != ZC_OK)
            return status;
        if (window[i] < 0)
            return zc_refuse(why, ZC_ERROR_ARGUMENT, "window size %" PRId64 " is negative", window[i]);
    }
    return ZC_OK;
}

zc_status zc_view_sliding_window_view(const zc_view *in, int windows, const int64_t *window, int count, const int *axes,
                                      zc_view *out, zc_reason *why)
{
    int along[ZC_MAX_RANK];
    int64_t size;
    zc_view result;
    zc_status status = resolve_window_axes(in, windows, window, count, axes, along, why);
    if (status != ZC_OK)
        return status;
    zc_view_copy(in, &result);
    for (int i = 0; i < windows; i++) {
        int64_t *positions = &result.shape[along[i]];
        if (window[i] > *positions)
            return zc_refuse(why, ZC_ERROR_SHAPE,
                             "a window of %" PRId64 " is larger than the %" PRId64 " elements left along axis %d",
                             window[i], *positions, along[i]);
        (void)zc_checked_subtract(*positions, window[i], positions);
        if (!zc_checked_add(*positions, 1, positions))
            return zc_refuse(why, ZC_ERROR_OVERFLOW, "axis %d has more than 2^63 - 1 positions for an empty window",
                             along[i]);
        result.shape[result.rank] = window[i];
        result.stride[result.rank] = in->stride[along[i]];
        result.rank++;
    }
    status = zc_shape_size(result.rank, result.shape, &size, why);
    if (status != ZC_OK)
        return status;
    zc_view_canonicalise(&result);
    zc_view_copy(&result, out);
    return ZC_OK;
}

zc_status zc_view_as_strided(const zc_view *in, int rank, const int64_t *shape, const int64_t *stride, int64_t offset,
                             zc_view *out, zc_reason *why)
{
    char text[ZC_SHAPE_TEXT];
    int64_t size;
    zc_status status = zc_shape_size(rank, shape, &size, why);
    if (status != ZC_OK)
        return status;
    if (zc_view_size(in) == 0 && size > 0)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "an empty tensor has no elements to show as %s",
                         zc_shape_text(text, sizeof text, rank, shape));
    if (size == 0)
        return zc_view_prove(rank, shape, stride, 0, 0, out, why);
    /* Take the elements from the lowest to the highest that `in` reaches as a storage of its own: its size fits. */
    int64_t lowest;
    int64_t highest;
    int64_t reached;
    int64_t first;
    zc_view_reach(in, &lowest, &highest);
    (void)zc_checked_subtract(highest, lowest - 1, &reached);
    (void)zc_checked_subtract(in->offset, lowest, &first);
    if (!zc_checked_add(first, offset, &first))
        return zc_refuse(why, ZC_ERROR_OVERFLOW, "offset %" PRId64 " reaches beyond 64 bits", offset);
    status = zc_view_prove(rank, shape, stride, first, reached, out, why);
    if (status == ZC_OK)
        (void)zc_checked_add(out->offset, lowest, &out->offset);
    return status;
}
