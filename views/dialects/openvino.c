/*
 * OpenVINO's Broadcast (version 3), in its four modes: they differ in how the argument's axes are placed, and in which
 * of the two shapes may give way.
 *
 * Invariant: a front end only refuses; every view it gives comes from zc_view_broadcast. In every mode the result's
 * shape is settled first, and its size checked last.
 */
#include "views/dialects/dialects.h"

#include "views/broadcast.h"

#include <inttypes.h>
#include <string.h>

static char *openvino_text(char *buffer, int rank, const int64_t *shape)
{
    return zc_shape_text_styled(buffer, ZC_SHAPE_TEXT, rank, shape, "{", ",", "}");
}

/* Request in any mode. */
typedef struct request {
    zc_asked asked;
    int count;
    const int *axes_mapping;
    int axis;
} request;

/* ---- numpy ---- */

static zc_status broadcast_numpy(const request *r, zc_view *out, zc_reason *why)
{
    const zc_view *in = r->asked.in;
    if (in->rank > r->asked.rank)
        return zc_refuse_asked(&r->asked, why, ZC_ERROR_SHAPE,
                               "Broadcast target_shape has smaller rank %d than arg shape %d", r->asked.rank, in->rank);
    for (int d = 0; d < in->rank; d++) {
        int64_t target = r->asked.shape[r->asked.rank - in->rank + d];
        if (in->shape[d] == 1 || in->shape[d] == target)
            continue;
        return zc_refuse_asked(&r->asked, why, ZC_ERROR_SHAPE,
                               "Input shape dimension equal %" PRId64 " cannot be broadcasted (numpy mode) to %" PRId64
                               ". Allowed input dimension value would be 1 or %" PRId64,
                               in->shape[d], target, target);
    }
    zc_view_broadcast_right(in, r->asked.rank, r->asked.shape, out);
    return ZC_OK;
}

/* ---- explicit ---- */

static zc_status check_order(const request *r, zc_reason *why)
{
    int64_t named[ZC_MAX_RANK];
    char text[ZC_SHAPE_TEXT];
    for (int i = 0; i < r->count; i++)
        named[i] = r->axes_mapping[i];
    for (int i = 1; i < r->count; i++) {
        if (named[i - 1] > named[i])
            return zc_refuse_asked(&r->asked, why, ZC_ERROR_ARGUMENT,
                                   "Broadcast doesn't permit transposes. axes_mapping %s not in sorted order",
                                   openvino_text(text, r->count, named));
        if (named[i - 1] == named[i])
            return zc_refuse_asked(&r->asked, why, ZC_ERROR_ARGUMENT, "axes_mapping %s names axis %d twice",
                                   openvino_text(text, r->count, named), (int)named[i]);
    }
    return ZC_OK;
}

static zc_status broadcast_explicit(const request *r, zc_view *out, zc_reason *why)
{
    const zc_view *in = r->asked.in;
    /* A scalar with an axis counts as a tensor of shape {1} whose target dimension is 1. */
    bool is_scalar = in->rank == 0 && r->count > 0;
    if (r->count != (is_scalar ? 1 : in->rank))
        return zc_refuse_asked(&r->asked, why, ZC_ERROR_SHAPE,
                               "Broadcast axes_mapping shape [%d] doesn't match rank of input tensor %d", r->count,
                               in->rank);
    zc_status status = check_order(r, why);
    if (status != ZC_OK)
        return status;
    for (int i = 0; i < r->count; i++) {
        int axis = r->axes_mapping[i];
        if (axis < 0 || axis >= r->asked.rank)
            return zc_refuse_asked(&r->asked, why, ZC_ERROR_ARGUMENT,
                                   "Broadcast axes_mapping[%d]: %d exceeds target rank %d", i, axis, r->asked.rank);
        int64_t size = is_scalar ? 1 : in->shape[i];
        if (size == r->asked.shape[axis] || (size == 1 && !is_scalar))
            continue;
        return zc_refuse_asked(&r->asked, why, ZC_ERROR_SHAPE,
                               "Broadcast target[axes_mapping[%d]] Expected %" PRId64 ". Got %" PRId64, i, size,
                               r->asked.shape[axis]);
    }
    zc_view_broadcast(in, r->asked.rank, r->asked.shape, r->axes_mapping, out);
    return ZC_OK;
}

/* ---- pdpd and bidirectional ---- */

/* The common size of dimension d of the argument and its target; -1 and a refusal when there is none. */
static int64_t meet_sizes(const request *r, int64_t own, int64_t target, zc_reason *why)
{
    if (own == 1 || own == target)
        return target;
    if (target == 1)
        return own;
    (void)zc_refuse_asked(&r->asked, why, ZC_ERROR_SHAPE,
                          "Broadcast incorrect target shape. Expecting either 1 or %" PRId64 ". Got %" PRId64, own,
                          target);
    return -1;
}

/* Checks the settled shape of the result and makes the view. */
static zc_status finish(const request *r, int first, int rank, const int64_t *shape, zc_view *out, zc_reason *why)
{
    int64_t size;
    zc_status status = zc_name_asked(&r->asked, why, zc_shape_size(rank, shape, &size, why));
    if (status == ZC_OK)
        zc_view_broadcast_from(r->asked.in, first, rank, shape, out);
    return status;
}

static zc_status broadcast_pdpd(const request *r, zc_view *out, zc_reason *why)
{
    const zc_view *in = r->asked.in;
    int64_t shape[ZC_MAX_RANK];
    int first = r->axis == -1 ? r->asked.rank - in->rank : r->axis;
    if (first < 0 || first > r->asked.rank - in->rank)
        return zc_refuse_asked(&r->asked, why, ZC_ERROR_SHAPE,
                               "Broadcast target_shape of rank %d has no room for an arg of rank %d at axis %d",
                               r->asked.rank, in->rank, r->axis);
    if (r->asked.rank > 0)
        memcpy(shape, r->asked.shape, (size_t)r->asked.rank * sizeof *shape);
    for (int d = 0; d < in->rank; d++) {
        shape[first + d] = meet_sizes(r, in->shape[d], r->asked.shape[first + d], why);
        if (shape[first + d] < 0)
            return ZC_ERROR_SHAPE;
    }
    return finish(r, first, r->asked.rank, shape, out, why);
}

static zc_status broadcast_bidirectional(const request *r, zc_view *out, zc_reason *why)
{
    const zc_view *in = r->asked.in;
    int64_t shape[ZC_MAX_RANK];
    int rank = in->rank > r->asked.rank ? in->rank : r->asked.rank;
    for (int a = 0; a < rank; a++) {
        int own = a - (rank - in->rank);
        int target = a - (rank - r->asked.rank);
        shape[a] = meet_sizes(r, own < 0 ? 1 : in->shape[own], target < 0 ? 1 : r->asked.shape[target], why);
        if (shape[a] < 0)
            return ZC_ERROR_SHAPE;
    }
    return finish(r, rank - in->rank, rank, shape, out, why);
}

zc_status zc_view_openvino_broadcast(const zc_view *in, int rank, const int64_t *shape, zc_openvino_mode mode,
                                     int count, const int *axes_mapping, int axis, zc_view *out, zc_reason *why)
{
    request r = {{in, rank, shape, openvino_text}, count, axes_mapping, axis};
    int64_t size;
    zc_status status = zc_name_asked(&r.asked, why, zc_shape_size(rank, shape, &size, why));
    if (status != ZC_OK)
        return status;
    if (mode == ZC_OPENVINO_EXPLICIT && (axes_mapping == NULL || count < 0))
        return zc_refuse_asked(&r.asked, why, ZC_ERROR_ARGUMENT,
                               "axes_mapping input should be provided if explicit mode is used");
    if (mode != ZC_OPENVINO_EXPLICIT && (axes_mapping != NULL || count > 0))
        return zc_refuse_asked(&r.asked, why, ZC_ERROR_ARGUMENT,
                               "axes_mapping input should not be provided for mode other than explicit");
    switch (mode) {
    case ZC_OPENVINO_NUMPY:
        return broadcast_numpy(&r, out, why);
    case ZC_OPENVINO_EXPLICIT:
        return broadcast_explicit(&r, out, why);
    case ZC_OPENVINO_BIDIRECTIONAL:
        return broadcast_bidirectional(&r, out, why);
    case ZC_OPENVINO_PDPD:
        return broadcast_pdpd(&r, out, why);
    }
    return zc_refuse_asked(&r.asked, why, ZC_ERROR_ARGUMENT, "%d is not a mode of Broadcast", (int)mode);
}
