/*
 * Reshape: the same elements in row-major order under another shape, as a view where strides can show it.
 *
 * Invariant: element k in row-major order of the result is element k in row-major order of the argument.
 */
#include "views/view_ops.h"

#include <inttypes.h>

static zc_status refuse_sizes(const zc_view *in, int rank, const int64_t *shape, zc_reason *why)
{
    char from[ZC_SHAPE_TEXT];
    char to[ZC_SHAPE_TEXT];
    return zc_refuse(why, ZC_ERROR_SHAPE, "shape %s of %" PRId64 " elements cannot be reshaped to %s",
                     zc_shape_text(from, sizeof from, in->rank, in->shape), zc_view_size(in),
                     zc_shape_text(to, sizeof to, rank, shape));
}

/* The new shape with its -1, if any, replaced by what the element count leaves for it. */
static zc_status resolve_shape(const zc_view *in, int rank, const int64_t *shape, int64_t *resolved, zc_reason *why)
{
    char to[ZC_SHAPE_TEXT];
    int unknown = -1;
    bool usable = rank >= 0 && rank <= ZC_MAX_RANK && shape != NULL; /* else left to zc_shape_size */
    for (int a = 0; usable && a < rank; a++) {
        resolved[a] = shape[a];
        if (shape[a] >= 0)
            continue;
        if (shape[a] < -1)
            return zc_refuse(why, ZC_ERROR_ARGUMENT, "size %" PRId64 " of axis %d of shape %s is negative", shape[a], a,
                             zc_shape_text(to, sizeof to, rank, shape));
        if (unknown >= 0)
            return zc_refuse(why, ZC_ERROR_ARGUMENT, "only one size of shape %s can be -1",
                             zc_shape_text(to, sizeof to, rank, shape));
        unknown = a;
        resolved[a] = 1;
    }
    int64_t total = zc_view_size(in);
    int64_t size;
    zc_status status = zc_shape_size(rank, usable ? resolved : shape, &size, why);
    if (status != ZC_OK)
        return status;
    if (unknown >= 0 && size > 0 && total % size == 0)
        resolved[unknown] = total / size;
    else if (unknown >= 0 || size != total)
        return refuse_sizes(in, rank, shape, why);
    return ZC_OK;
}

/* One side of the walk: axes in order of their steps, taken until the group's element count matches the other's. */
typedef struct group {
    int first;
    int end;
    int64_t size;
} group;

static void widen(group *g, const int64_t *shape)
{
    (void)zc_checked_multiply(g->size, shape[g->end], &g->size);
    g->end++;
}

/* Tells whether axes first..end-1 of the view continue each other: one walk with the stride of the last. */
static bool is_one_walk(const zc_view *view, int first, int end)
{
    for (int a = first; a + 1 < end; a++) {
        int64_t continued;
        if (!zc_checked_multiply(view->shape[a + 1], view->stride[a + 1], &continued) || continued != view->stride[a])
            return false;
    }
    return true;
}

/* Row-major strides for axes first..end-1 of the view, `step` apart. */
static void lay_out(zc_view *view, int first, int end, int64_t step)
{
    for (int a = end - 1; a >= first; a--) {
        view->stride[a] = step;
        (void)zc_checked_multiply(step, view->shape[a], &step);
    }
}

/* Strides for `out`, whose shape is set and has as many elements as `in`; neither is empty, and `in` has no axis of
 * size
 * 1. Both are walked in groups of the same element count, the smallest there are: strides exist exactly when in's axes
 * within each are one walk. */
static bool find_strides(const zc_view *in, zc_view *out)
{
    group old = {0, 0, 1};
    group new = {0, 0, 1};
    while (old.end < in->rank) {
        widen(&old, in->shape);
        widen(&new, out->shape);
        while (old.size != new.size)
            widen(old.size < new.size ? &old : &new, old.size < new.size ? in->shape : out->shape);
        if (!is_one_walk(in, old.first, old.end))
            return false;
        lay_out(out, new.first, new.end, in->stride[old.end - 1]);
        old = (group){old.end, old.end, 1};
        new = (group){new.end, new.end, 1};
    }
    return true;
}

zc_status zc_view_reshape(const zc_view *in, int rank, const int64_t *shape, bool *affine, zc_view *out, zc_reason *why)
{
    int64_t resolved[ZC_MAX_RANK];
    zc_status status = resolve_shape(in, rank, shape, resolved, why);
    if (status != ZC_OK)
        return status;
    zc_view source;
    uint64_t ones = 0;
    for (int a = 0; a < in->rank; a++)
        ones |= (uint64_t)(in->shape[a] == 1) << a;
    zc_view_drop_axes(in, ones, &source);
    zc_view_row_major(rank, resolved, out);
    *affine = true;
    if (zc_view_size(out) == 0)
        return ZC_OK;
    *affine = find_strides(&source, out);
    if (*affine)
        out->offset = source.offset;
    else
        zc_view_row_major(rank, resolved, out);
    zc_view_canonicalise(out);
    return ZC_OK;
}
