/*
 * Views as values: making, proving, comparing, asking.
 *
 * Invariant: whatever leaves this file through an `out` satisfies the three invariants of view.h.
 */
#include "views/view.h"

#include <inttypes.h>

/* Lowest and highest element that strides reach over a shape with elements; false when either leaves int64. */
static bool find_reach(int rank, const int64_t *shape, const int64_t *stride, int64_t offset, int64_t *lowest,
                       int64_t *highest)
{
    bool fits = true;
    *lowest = offset;
    *highest = offset;
    for (int a = 0; a < rank; a++) {
        int64_t *end = stride[a] < 0 ? lowest : highest;
        fits = zc_checked_advance(*end, shape[a] - 1, stride[a], end) && fits;
    }
    return fits;
}

void zc_view_row_major(int rank, const int64_t *shape, zc_view *out)
{
    out->rank = rank;
    out->offset = 0;
    for (int a = 0; a < rank; a++)
        out->shape[a] = shape[a];
    zc_shape_row_major(rank, shape, out->stride);
}

zc_status zc_view_prove(int rank, const int64_t *shape, const int64_t *stride, int64_t offset, int64_t storage,
                        zc_view *out, zc_reason *why)
{
    char shape_text[ZC_SHAPE_TEXT];
    char stride_text[ZC_SHAPE_TEXT];
    int64_t size;
    zc_status status = zc_shape_size(rank, shape, &size, why);
    if (status != ZC_OK)
        return status;
    if (rank > 0 && stride == NULL)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "the strides are NULL");
    if (size > 0) {
        int64_t lowest;
        int64_t highest;
        if (!find_reach(rank, shape, stride, offset, &lowest, &highest))
            return zc_refuse(why, ZC_ERROR_OVERFLOW,
                             "shape %s with strides %s from element %" PRId64 " reaches beyond 64 bits",
                             zc_shape_text(shape_text, sizeof shape_text, rank, shape),
                             zc_shape_text(stride_text, sizeof stride_text, rank, stride), offset);
        if (lowest < 0 || highest >= storage)
            return zc_refuse(why, ZC_ERROR_ARGUMENT,
                             "shape %s with strides %s from element %" PRId64 " reaches element %" PRId64
                             " of a storage of %" PRId64 " elements",
                             zc_shape_text(shape_text, sizeof shape_text, rank, shape),
                             zc_shape_text(stride_text, sizeof stride_text, rank, stride), offset,
                             lowest < 0 ? lowest : highest, storage);
    }
    out->rank = rank;
    out->offset = offset;
    for (int a = 0; a < rank; a++) {
        out->shape[a] = shape[a];
        out->stride[a] = stride[a];
    }
    zc_view_canonicalise(out);
    return ZC_OK;
}

void zc_view_canonicalise(zc_view *view)
{
    bool empty = false;
    for (int a = 0; a < view->rank; a++) {
        empty = empty || view->shape[a] == 0;
        if (view->shape[a] == 1)
            view->stride[a] = 0;
    }
    if (!empty)
        return;
    view->offset = 0;
    for (int a = 0; a < view->rank; a++)
        view->stride[a] = 0;
}

void zc_view_copy(const zc_view *from, zc_view *to)
{
    to->rank = from->rank;
    to->offset = from->offset;
    for (int a = 0; a < from->rank; a++) {
        to->shape[a] = from->shape[a];
        to->stride[a] = from->stride[a];
    }
}

bool zc_view_equal(const zc_view *a, const zc_view *b)
{
    return a->offset == b->offset && zc_shape_equal(a->rank, a->shape, b->rank, b->shape) &&
           zc_shape_equal(a->rank, a->stride, b->rank, b->stride);
}

int64_t zc_view_size(const zc_view *view)
{
    int64_t size = 1;
    for (int a = 0; a < view->rank; a++)
        if (!zc_checked_multiply(size, view->shape[a], &size))
            size = INT64_MAX;
    return size;
}

void zc_view_reach(const zc_view *view, int64_t *lowest, int64_t *highest)
{
    (void)find_reach(view->rank, view->shape, view->stride, view->offset, lowest, highest);
}

bool zc_view_is_dense(const zc_view *view)
{
    int64_t step = 1;
    bool is_dense = true, is_still = true;
    for (int a = view->rank - 1; a >= 0; a--) { /* as zc_shape_row_major() has it */
        is_dense = is_dense && view->stride[a] == (view->shape[a] == 1 ? 0 : step);
        is_still = is_still && view->stride[a] == 0;
        (void)zc_checked_multiply(step, view->shape[a], &step);
    }
    return step == 0 ? is_still : is_dense;
}

bool zc_view_is_identity(const zc_view *view, int64_t storage)
{
    return view->offset == 0 && zc_view_size(view) == storage && zc_view_is_dense(view);
}

uint64_t zc_view_broadcast_axes(const zc_view *view)
{
    uint64_t axes = 0;
    for (int a = 0; a < view->rank; a++)
        if (view->stride[a] == 0 && view->shape[a] > 1)
            axes |= (uint64_t)1 << a;
    return axes;
}

void zc_view_drop_axes(const zc_view *view, uint64_t axes, zc_view *out)
{
    int rank = 0;
    for (int a = 0; a < view->rank; a++) {
        if (axes >> a & 1)
            continue;
        out->shape[rank] = view->shape[a];
        out->stride[rank] = view->stride[a];
        rank++;
    }
    out->offset = view->offset;
    out->rank = rank;
}
