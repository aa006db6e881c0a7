/*
 * nGraph's Broadcast: the caller names the axes of the result that the argument does not have.
 *
 * Invariant: a front end only refuses; every view it gives comes from zc_view_broadcast.
 */
#include "views/dialects/dialects.h"

#include "views/broadcast.h"

/* The axes of a set in ascending order. Returns how many. */
static int list_axes(uint64_t set, int64_t axes[ZC_MAX_RANK])
{
    int count = 0;
    for (int a = 0; a < ZC_MAX_RANK; a++)
        if (set >> a & 1)
            axes[count++] = a;
    return count;
}

/* The AxisSet: order and duplicates vanish. Of several axes beyond the rank the lowest is named; a negative one is, as
 * in nGraph's unsigned axes, beyond all others. */
static zc_status make_axis_set(const zc_asked *asked, int count, const int *axes, uint64_t *set, zc_reason *why)
{
    if (count < 0 || (count > 0 && axes == NULL))
        return zc_refuse_asked(asked, why, ZC_ERROR_ARGUMENT, "the broadcast axes are missing");
    bool exceeds = false;
    unsigned lowest = 0;
    *set = 0;
    for (int i = 0; i < count; i++) {
        unsigned axis = (unsigned)axes[i];
        if (axis < (unsigned)asked->rank)
            *set |= (uint64_t)1 << axis;
        else if (!exceeds || axis < lowest) {
            exceeds = true;
            lowest = axis;
        }
    }
    if (!exceeds)
        return ZC_OK;
    char from[ZC_SHAPE_TEXT];
    char to[ZC_SHAPE_TEXT];
    return zc_refuse(why, ZC_ERROR_ARGUMENT,
                     "Broadcast axis index (%d) exceeds specified output shape rank %d (argument shape: %s, output "
                     "shape: %s)",
                     (int)lowest, asked->rank, zc_ngraph_text(from, asked->in->rank, asked->in->shape),
                     zc_ngraph_text(to, asked->rank, asked->shape));
}

zc_status zc_view_ngraph_broadcast(const zc_view *in, int rank, const int64_t *shape, int count, const int *axes,
                                   zc_view *out, zc_reason *why)
{
    int64_t size;
    uint64_t set = 0;
    const zc_asked asked = {in, rank, shape, zc_ngraph_text};
    zc_status status = zc_name_asked(&asked, why, zc_shape_size(rank, shape, &size, why));
    if (status == ZC_OK)
        status = make_axis_set(&asked, count, axes, &set, why);
    if (status != ZC_OK)
        return status;
    int dims[ZC_MAX_RANK];
    int64_t required[ZC_MAX_RANK];
    int kept = 0;
    for (int a = 0; a < rank; a++) {
        if (set >> a & 1)
            continue;
        dims[kept] = a;
        required[kept++] = shape[a];
    }
    if (!zc_shape_equal(kept, required, in->rank, in->shape)) {
        char from[ZC_SHAPE_TEXT];
        char to[ZC_SHAPE_TEXT];
        char named[ZC_SHAPE_TEXT];
        int64_t listed[ZC_MAX_RANK];
        int named_count = list_axes(set, listed);
        return zc_refuse(why, ZC_ERROR_SHAPE,
                         "argument shape, specified output shape, and axes are incompatible (argument shape: %s, "
                         "output shape: %s, broadcast axes: %s)",
                         zc_ngraph_text(from, in->rank, in->shape), zc_ngraph_text(to, rank, shape),
                         zc_ngraph_text(named, named_count, listed));
    }
    zc_view_broadcast(in, rank, shape, dims, out);
    return ZC_OK;
}
