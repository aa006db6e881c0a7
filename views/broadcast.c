/*
 * Broadcasting: the constructor, and the front ends of NumPy and TensorFlow. The other systems' stand in dialects/.
 *
 * Invariant: a front end only refuses; every view it gives comes from zc_view_broadcast.
 */
#include "views/broadcast.h"

#include "views/view_ops.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void zc_view_broadcast(const zc_view *in, int rank, const int64_t *shape, const int *dims, zc_view *out)
{
    int64_t stride[ZC_MAX_RANK];
    int rank_in = in->rank;
    memcpy(stride, in->stride, (size_t)rank_in * sizeof *stride);
    out->rank = rank;
    out->offset = in->offset;
    for (int a = 0; a < rank; a++) {
        out->shape[a] = shape[a];
        out->stride[a] = 0;
    }
    /* An axis of size 1 has stride 0 already, so that it repeats needs no case of its own. */
    for (int d = 0; d < rank_in; d++)
        out->stride[dims[d]] = stride[d];
    zc_view_canonicalise(out);
}

void zc_view_broadcast_from(const zc_view *in, int first, int rank, const int64_t *shape, zc_view *out)
{
    int dims[ZC_MAX_RANK];
    for (int d = 0; d < in->rank; d++)
        dims[d] = first + d;
    zc_view_broadcast(in, rank, shape, dims, out);
}

void zc_view_broadcast_right(const zc_view *in, int rank, const int64_t *shape, zc_view *out)
{
    zc_view_broadcast_from(in, rank - in->rank, rank, shape, out);
}

/* ---- Refusals ---- */

zc_status zc_name_asked(const zc_asked *asked, zc_reason *why, zc_status status)
{
    if (status == ZC_OK || why == NULL)
        return status;
    char from[ZC_SHAPE_TEXT];
    char to[ZC_SHAPE_TEXT];
    size_t used = strlen(why->text);
    size_t left = sizeof why->text - used;
    asked->write(from, asked->in->rank, asked->in->shape);
    if (asked->rank < 0 || asked->rank > ZC_MAX_RANK)
        (void)snprintf(why->text + used, left, " (operand shape: %s, target rank: %d)", from, asked->rank);
    else
        (void)snprintf(why->text + used, left, " (operand shape: %s, target shape: %s)", from,
                       asked->rank > 0 && asked->shape == NULL ? "NULL" : asked->write(to, asked->rank, asked->shape));
    return status;
}

zc_status zc_refuse_asked(const zc_asked *asked, zc_reason *why, zc_status status, const char *format, ...)
{
    if (why == NULL)
        return status;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return zc_name_asked(asked, why, status);
}

/* ---- NumPy ---- */

static char *numpy_text(char *buffer, int rank, const int64_t *shape)
{
    return zc_shape_text(buffer, ZC_SHAPE_TEXT, rank, shape);
}

/* The first axis of `in`, aligned at the right, whose size is neither 1 nor the result's; -1 when all fit. */
static int find_misfit(const zc_view *in, int rank, const int64_t *shape)
{
    for (int d = 0; d < in->rank; d++)
        if (in->shape[d] != 1 && in->shape[d] != shape[rank - in->rank + d])
            return d;
    return -1;
}

zc_status zc_view_broadcast_to(const zc_view *in, int rank, const int64_t *shape, zc_view *out, zc_reason *why)
{
    char from[ZC_SHAPE_TEXT];
    char to[ZC_SHAPE_TEXT];
    int64_t size;
    if (rank == 0 && in->rank > 0)
        return zc_refuse(why, ZC_ERROR_SHAPE, "shape %s is not a scalar's and cannot be broadcast to ()",
                         zc_shape_text(from, sizeof from, in->rank, in->shape));
    zc_status status = zc_shape_size(rank, shape, &size, why);
    if (status != ZC_OK)
        return zc_name_asked(&(zc_asked){in, rank, shape, numpy_text}, why, status);
    if (in->rank > rank)
        return zc_refuse(why, ZC_ERROR_SHAPE, "shape %s has more axes than the shape %s it is to be broadcast to",
                         zc_shape_text(from, sizeof from, in->rank, in->shape),
                         zc_shape_text(to, sizeof to, rank, shape));
    int misfit = find_misfit(in, rank, shape);
    if (misfit >= 0)
        return zc_refuse(why, ZC_ERROR_SHAPE,
                         "shape %s cannot be broadcast to %s: axis %d of size %" PRId64 " cannot become %" PRId64,
                         zc_shape_text(from, sizeof from, in->rank, in->shape),
                         zc_shape_text(to, sizeof to, rank, shape), misfit, in->shape[misfit],
                         shape[rank - in->rank + misfit]);
    zc_view_broadcast_right(in, rank, shape, out);
    return ZC_OK;
}

/* ---- TensorFlow ---- */

static char *tensorflow_text(char *buffer, int rank, const int64_t *shape)
{
    return zc_shape_text_styled(buffer, ZC_SHAPE_TEXT, rank, shape, "[", ",", "]");
}

/* Checks of tf.broadcast_to that need only the shape. */
static zc_status check_tensorflow_shape(const zc_asked *asked, zc_reason *why)
{
    char text[ZC_SHAPE_TEXT];
    int64_t size;
    zc_status status = zc_shape_check_rank(asked->rank, asked->shape, why);
    if (status != ZC_OK)
        return zc_name_asked(asked, why, status);
    status = zc_shape_size(asked->rank, asked->shape, &size, NULL);
    if (status == ZC_ERROR_OVERFLOW)
        return zc_refuse_asked(asked, why, status, "Encountered overflow when multiplying the dimensions of shape %s",
                               tensorflow_text(text, asked->rank, asked->shape));
    if (status == ZC_OK)
        return ZC_OK;
    int a = 0;
    while (asked->shape[a] >= 0) /* nothing else is left to refuse */
        a++;
    return zc_refuse_asked(asked, why, status, "Dimension %" PRId64 " must be >= 0", asked->shape[a]);
}

zc_status zc_view_tf_broadcast_to(const zc_view *in, int rank, const int64_t *shape, zc_view *out, zc_reason *why)
{
    char from[ZC_SHAPE_TEXT];
    char to[ZC_SHAPE_TEXT];
    zc_status status = check_tensorflow_shape(&(zc_asked){in, rank, shape, tensorflow_text}, why);
    if (status != ZC_OK)
        return status;
    if (in->rank > rank)
        return zc_refuse(why, ZC_ERROR_SHAPE,
                         "Rank of input (%d) must be no greater than rank of output shape (%d): %s to %s", in->rank,
                         rank, tensorflow_text(from, in->rank, in->shape), tensorflow_text(to, rank, shape));
    if (find_misfit(in, rank, shape) >= 0) {
        /* TensorFlow tells shapes that do not broadcast at all from those whose common shape is another one. */
        int64_t common[ZC_MAX_RANK];
        int common_rank;
        status = zc_shape_broadcast(in->rank, in->shape, rank, shape, &common_rank, common, NULL);
        const char *format = status == ZC_OK ? "Unable to broadcast tensor of shape %s to tensor of shape %s"
                                             : "Incompatible shapes: %s vs. %s";
        return zc_refuse(why, ZC_ERROR_SHAPE, format, tensorflow_text(from, in->rank, in->shape),
                         tensorflow_text(to, rank, shape));
    }
    zc_view_broadcast_right(in, rank, shape, out);
    return ZC_OK;
}

char *zc_ngraph_text(char *buffer, int rank, const int64_t *shape)
{
    return zc_shape_text_styled(buffer, ZC_SHAPE_TEXT, rank, shape, "{", ", ", "}");
}
