/*
 * Shapes: checked arithmetic, element counts, broadcasting, axes and texts.
 *
 * Invariant: a shape that zc_shape_size accepted has row-major strides and an element count that fit in int64, so
 * the functions after it need no check of their own.
 */
#include "views/shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

zc_status zc_shape_check_rank(int rank, const int64_t *shape, zc_reason *why)
{
    if (rank < 0 || rank > ZC_MAX_RANK)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "rank %d is outside 0 to %d", rank, ZC_MAX_RANK);
    if (rank > 0 && shape == NULL)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "the shape is NULL");
    return ZC_OK;
}

zc_status zc_shape_size(int rank, const int64_t *shape, int64_t *size, zc_reason *why)
{
    zc_status status = zc_shape_check_rank(rank, shape, why);
    if (status != ZC_OK)
        return status;
    char text[ZC_SHAPE_TEXT];
    int64_t product = 1;
    bool fits = true;
    bool empty = false;
    for (int a = 0; a < rank; a++) {
        if (shape[a] < 0)
            return zc_refuse(why, ZC_ERROR_ARGUMENT, "size %" PRId64 " of axis %d of shape %s is negative", shape[a], a,
                             zc_shape_text(text, sizeof text, rank, shape));
        if (shape[a] == 0)
            empty = true;
        else
            fits = zc_checked_multiply(product, shape[a], &product) && fits;
    }
    if (!fits)
        return zc_refuse(why, ZC_ERROR_OVERFLOW, "the sizes of shape %s multiply to more than 2^63 - 1",
                         zc_shape_text(text, sizeof text, rank, shape));
    *size = empty ? 0 : product;
    return ZC_OK;
}

zc_status zc_shape_bytes(int64_t size, size_t itemsize, int64_t *bytes, zc_reason *why)
{
    bool fits = zc_checked_multiply(size, (int64_t)itemsize, bytes);
#if SIZE_MAX > INT64_MAX
    fits = fits && itemsize <= INT64_MAX;
#else
    fits = fits && *bytes <= (int64_t)SIZE_MAX;
#endif
    if (!fits)
        return zc_refuse(why, ZC_ERROR_OVERFLOW, "%" PRId64 " elements of %zu bytes are more than memory can hold",
                         size, itemsize);
    return ZC_OK;
}

void zc_shape_row_major(int rank, const int64_t *shape, int64_t *stride)
{
    int64_t step = 1;
    for (int a = rank - 1; a >= 0; a--) {
        stride[a] = shape[a] == 1 ? 0 : step;
        (void)zc_checked_multiply(step, shape[a], &step);
    }
    for (int a = 0; step == 0 && a < rank; a++)
        stride[a] = 0;
}

/* The extent of `shape` at an axis of a result of `rank`, aligned at the right; 1 where there is none. */
static int64_t aligned_extent(int rank_shape, const int64_t *shape, int rank, int axis)
{
    int own = axis - (rank - rank_shape);
    return own < 0 ? 1 : shape[own];
}

zc_status zc_shape_broadcast(int rank_a, const int64_t *a, int rank_b, const int64_t *b, int *rank_out, int64_t *out,
                             zc_reason *why)
{
    char text_a[ZC_SHAPE_TEXT];
    char text_b[ZC_SHAPE_TEXT];
    int64_t result[ZC_MAX_RANK];
    int rank = rank_a > rank_b ? rank_a : rank_b;
    for (int axis = 0; axis < rank; axis++) {
        int64_t extent_a = aligned_extent(rank_a, a, rank, axis);
        int64_t extent_b = aligned_extent(rank_b, b, rank, axis);
        if (extent_a != extent_b && extent_a != 1 && extent_b != 1)
            return zc_refuse(why, ZC_ERROR_SHAPE,
                             "shapes %s and %s cannot be broadcast together: sizes %" PRId64 " and %" PRId64
                             " at axis %d of the result",
                             zc_shape_text(text_a, sizeof text_a, rank_a, a),
                             zc_shape_text(text_b, sizeof text_b, rank_b, b), extent_a, extent_b, axis);
        result[axis] = extent_a == 1 ? extent_b : extent_a;
    }
    *rank_out = rank;
    memcpy(out, result, (size_t)rank * sizeof *out);
    return ZC_OK;
}

zc_status zc_axis_resolve(int axis, int rank, int *out, zc_reason *why)
{
    if (axis < -rank || axis >= rank)
        return zc_refuse(why, ZC_ERROR_AXIS, "axis %d is out of bounds for rank %d", axis, rank);
    *out = axis < 0 ? axis + rank : axis;
    return ZC_OK;
}

zc_status zc_axes_resolve(int count, const int *axes, int rank, uint64_t *set, zc_reason *why)
{
    if (count < -1)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "%d is not a number of axes", count);
    if (count > 0 && axes == NULL)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "the list of axes is NULL");
    uint64_t found = 0;
    for (int i = 0; i < (count == -1 ? rank : count); i++) {
        int axis = 0;
        zc_status status = zc_axis_resolve(count == -1 ? i : axes[i], rank, &axis, why);
        if (status != ZC_OK)
            return status;
        uint64_t bit = (uint64_t)1 << axis;
        if (found & bit)
            return zc_refuse(why, ZC_ERROR_ARGUMENT, "axis %d is named twice", axis);
        found |= bit;
    }
    *set = found;
    return ZC_OK;
}

char *zc_shape_text_styled(char *buffer, size_t bytes, int rank, const int64_t *shape, const char *open,
                           const char *separator, const char *close)
{
    size_t used = (size_t)snprintf(buffer, bytes, "%s%s", open, rank == 0 ? close : "");
    for (int a = 0; a < rank; a++) {
        bool last = a == rank - 1;
        char piece[40];
        int length =
            snprintf(piece, sizeof piece, "%s%" PRId64 "%s", a == 0 ? "" : separator, shape[a], last ? close : "");
        size_t needed = used + (size_t)length + (last ? sizeof "" : sizeof "...");
        if (needed > bytes) {
            if (used < bytes)
                snprintf(buffer + used, bytes - used, "...");
            break;
        }
        memcpy(buffer + used, piece, (size_t)length + 1);
        used += (size_t)length;
    }
    return buffer;
}

char *zc_shape_text(char *buffer, size_t bytes, int rank, const int64_t *shape)
{
    return zc_shape_text_styled(buffer, bytes, rank, shape, "(", ", ", rank == 1 ? ",)" : ")");
}
