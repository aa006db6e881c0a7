/*
 * The same bytes as elements of another size: what becomes of shape, strides and offset.
 *
 * Invariant: the result reaches exactly the bytes that the argument reaches, in the same order.
 */
#include "views/view_ops.h"

#include <inttypes.h>

/* Every step and the offset `ratio` times as many elements; the last axis is walked one by one. */
static zc_status refine(const zc_view *in, int64_t ratio, zc_view *out, zc_reason *why)
{
    bool fits = zc_checked_multiply(in->offset, ratio, &out->offset);
    for (int a = 0; a < in->rank; a++)
        fits = zc_checked_multiply(in->stride[a], ratio, &out->stride[a]) && fits;
    fits = zc_checked_multiply(in->shape[in->rank - 1], ratio, &out->shape[in->rank - 1]) && fits;
    return fits ? ZC_OK
                : zc_refuse(why, ZC_ERROR_OVERFLOW, "elements %" PRId64 " times smaller reach beyond 64 bits", ratio);
}

/* `ratio` elements become one: they have to follow each other, and begin where such an element can. */
static zc_status coarsen(const zc_view *in, int64_t ratio, zc_view *out, zc_reason *why)
{
    int last = in->rank - 1;
    if (in->shape[last] % ratio != 0)
        return zc_refuse(why, ZC_ERROR_SHAPE,
                         "the last axis has %" PRId64 " elements, which do not make whole elements of %" PRId64
                         " times their size",
                         in->shape[last], ratio);
    if (in->offset % ratio != 0)
        return zc_refuse(why, ZC_ERROR_ARGUMENT,
                         "the first element is number %" PRId64 " of the memory, where none of %" PRId64
                         " times its size begins",
                         in->offset, ratio);
    for (int a = 0; a < last; a++) {
        if (in->stride[a] % ratio != 0)
            return zc_refuse(why, ZC_ERROR_ARGUMENT,
                             "axis %d steps %" PRId64 " elements, no multiple of the %" PRId64 " that become one", a,
                             in->stride[a], ratio);
        out->stride[a] = in->stride[a] / ratio;
    }
    out->shape[last] = in->shape[last] / ratio;
    out->offset = in->offset / ratio;
    return ZC_OK;
}

zc_status zc_view_bitcast(const zc_view *in, size_t from_bytes, size_t to_bytes, zc_view *out, zc_reason *why)
{
    zc_view result;
    zc_view_copy(in, &result);
    if (from_bytes != to_bytes) {
        int last = in->rank - 1;
        int64_t size;
        if (in->rank == 0)
            return zc_refuse(why, ZC_ERROR_SHAPE, "a scalar has no axis that elements of another size could fill");
        if (in->shape[last] > 1 && in->stride[last] != 1 && zc_view_size(in) > 0)
            return zc_refuse(why, ZC_ERROR_SHAPE,
                             "the last axis steps %" PRId64 " elements, not 1, as elements of another size need it",
                             in->stride[last]);
        zc_status status = to_bytes < from_bytes ? refine(in, (int64_t)(from_bytes / to_bytes), &result, why)
                                                 : coarsen(in, (int64_t)(to_bytes / from_bytes), &result, why);
        if (status == ZC_OK)
            status = zc_shape_size(result.rank, result.shape, &size, why);
        if (status != ZC_OK)
            return status;
        result.stride[last] = 1;
        zc_view_canonicalise(&result);
    }
    zc_view_copy(&result, out);
    return ZC_OK;
}
