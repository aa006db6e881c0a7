/*
 * Broadcasting as XLA and StableHLO have it: new axes in front, or every axis of the operand placed by name.
 *
 * Invariant: a front end only refuses; every view it gives comes from zc_view_broadcast. The checks stand in the order
 * of each system, so that of several faults the same one is named.
 */
#include "views/dialects/dialects.h"

#include "views/broadcast.h"

#include <inttypes.h>
#include <string.h>

static char *xla_text(char *buffer, int rank, const int64_t *shape)
{
    return zc_shape_text_styled(buffer, ZC_SHAPE_TEXT, rank, shape, "[", ",", "]");
}

zc_status zc_view_xla_broadcast(const zc_view *in, int count, const int64_t *sizes, zc_view *out, zc_reason *why)
{
    int64_t shape[2 * ZC_MAX_RANK];
    int64_t size;
    zc_status status = zc_shape_check_rank(count, sizes, why);
    if (status != ZC_OK)
        return zc_name_asked(&(zc_asked){in, count, NULL, xla_text}, why, status);
    int rank = count + in->rank;
    const zc_asked asked = {in, rank, shape, xla_text};
    if (count > 0)
        memcpy(shape, sizes, (size_t)count * sizeof *shape);
    memcpy(shape + count, in->shape, (size_t)in->rank * sizeof *shape);
    for (int a = 0; a < count; a++)
        if (sizes[a] < 0)
            return zc_refuse_asked(&asked, why, ZC_ERROR_ARGUMENT,
                                   "Broadcast with negative dimension size %" PRId64 " at index %d", sizes[a], a);
    if (rank > ZC_MAX_RANK) {
        char from[ZC_SHAPE_TEXT];
        char to[ZC_SHAPE_TEXT];
        return zc_refuse(why, ZC_ERROR_ARGUMENT,
                         "%d sizes before an operand of rank %d exceed the highest rank, %d (operand shape: %s, target "
                         "shape: %s)",
                         count, in->rank, ZC_MAX_RANK, xla_text(from, in->rank, in->shape), xla_text(to, rank, shape));
    }
    status = zc_name_asked(&asked, why, zc_shape_size(rank, shape, &size, why));
    if (status == ZC_OK)
        zc_view_broadcast_right(in, rank, shape, out);
    return status;
}

/* Checks that both in-dim broadcasts have one dimension for each axis of the operand. */
static zc_status check_dimension_count(const zc_asked *asked, int count, const int *dims, zc_reason *why)
{
    int rank = asked->in->rank;
    if (count != rank)
        return zc_refuse_asked(asked, why, ZC_ERROR_ARGUMENT,
                               "broadcast_dimensions size (%d) does not match operand rank (%d)", count, rank);
    if (count > 0 && dims == NULL)
        return zc_refuse_asked(asked, why, ZC_ERROR_ARGUMENT, "broadcast_dimensions are NULL");
    return ZC_OK;
}

zc_status zc_view_xla_broadcast_in_dim(const zc_view *in, int rank, const int64_t *shape, int count, const int *dims,
                                       zc_view *out, zc_reason *why)
{
    char from[ZC_SHAPE_TEXT];
    char to[ZC_SHAPE_TEXT];
    int64_t size;
    const zc_asked asked = {in, rank, shape, xla_text};
    zc_status status = zc_name_asked(&asked, why, zc_shape_size(rank, shape, &size, why));
    if (status != ZC_OK)
        return status;
    if (in->rank > rank)
        return zc_refuse(why, ZC_ERROR_SHAPE,
                         "InDim style broadcast must be to an equal or higher ranked shape; operand rank: %d; output "
                         "rank: %d (%s to %s)",
                         in->rank, rank, xla_text(from, in->rank, in->shape), xla_text(to, rank, shape));
    status = check_dimension_count(&asked, count, dims, why);
    if (status != ZC_OK)
        return status;
    for (int d = 0; d < count; d++) {
        if (dims[d] < 0 || dims[d] >= rank)
            return zc_refuse_asked(&asked, why, ZC_ERROR_ARGUMENT,
                                   "Broadcast dimension %d is out of bound for output shape %s", dims[d],
                                   xla_text(to, rank, shape));
        if (in->shape[d] != 1 && in->shape[d] != shape[dims[d]])
            return zc_refuse(why, ZC_ERROR_SHAPE,
                             "Input dimension should be either 1 or equal to the output dimension it is broadcasting "
                             "into: operand dimension %d of %s is %" PRId64 ", output dimension %d of %s is %" PRId64,
                             d, xla_text(from, in->rank, in->shape), in->shape[d], dims[d], xla_text(to, rank, shape),
                             shape[dims[d]]);
        if (d > 0 && dims[d - 1] >= dims[d])
            return zc_refuse_asked(&asked, why, ZC_ERROR_ARGUMENT,
                                   "Broadcast dimensions order is wrong: %d comes after %d", dims[d], dims[d - 1]);
    }
    zc_view_broadcast(in, rank, shape, dims, out);
    return ZC_OK;
}

static zc_status check_distinct(const zc_asked *asked, int count, const int *dims, zc_reason *why)
{
    for (int d = 0; d < count; d++)
        for (int e = 0; e < d; e++)
            if (dims[d] == dims[e])
                return zc_refuse_asked(asked, why, ZC_ERROR_ARGUMENT,
                                       "broadcast_dimensions should not have duplicates: %d comes twice", dims[d]);
    return ZC_OK;
}

zc_status zc_view_stablehlo_broadcast_in_dim(const zc_view *in, int rank, const int64_t *shape, int count,
                                             const int *dims, zc_view *out, zc_reason *why)
{
    int64_t size;
    const zc_asked asked = {in, rank, shape, xla_text};
    zc_status status = zc_name_asked(&asked, why, zc_shape_size(rank, shape, &size, why));
    if (status == ZC_OK)
        status = check_dimension_count(&asked, count, dims, why);
    if (status == ZC_OK)
        status = check_distinct(&asked, count, dims, why);
    if (status != ZC_OK)
        return status;
    char from[ZC_SHAPE_TEXT];
    char to[ZC_SHAPE_TEXT];
    for (int d = 0; d < count; d++) {
        if (dims[d] < 0 || dims[d] >= rank)
            return zc_refuse_asked(&asked, why, ZC_ERROR_ARGUMENT,
                                   "broadcast_dimensions contains invalid value %d for result with rank %d", dims[d],
                                   rank);
        if (in->shape[d] != 1 && in->shape[d] != shape[dims[d]])
            return zc_refuse(why, ZC_ERROR_SHAPE,
                             "size of operand dimension %d (%" PRId64 ") is not equal to 1 or size of result dimension "
                             "%d (%" PRId64 "): %s to %s",
                             d, in->shape[d], dims[d], shape[dims[d]], xla_text(from, in->rank, in->shape),
                             xla_text(to, rank, shape));
    }
    zc_view_broadcast(in, rank, shape, dims, out);
    return ZC_OK;
}
