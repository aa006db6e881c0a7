/*
 * Broadcasting as MindSpore, PyTorch and ONNX have it: all align at the right, and differ in what a size may say.
 *
 * Invariant: a front end only refuses; every view it gives comes from zc_view_broadcast. The checks of each stand in
 * the order of its system, so that of several faults the same one is named.
 */
#include "views/dialects/dialects.h"

#include "views/broadcast.h"

#include <inttypes.h>

typedef struct shape_texts {
    char from[ZC_SHAPE_TEXT];
    char to[ZC_SHAPE_TEXT];
} shape_texts;

static void write_texts(shape_texts *t, const zc_view *in, int rank, const int64_t *shape)
{
    zc_shape_text(t->from, sizeof t->from, in->rank, in->shape);
    zc_shape_text(t->to, sizeof t->to, rank, shape);
}

static char *tuple_text(char *buffer, int rank, const int64_t *shape)
{
    return zc_shape_text(buffer, ZC_SHAPE_TEXT, rank, shape);
}

static char *list_text(char *buffer, int rank, const int64_t *shape)
{
    return zc_shape_text_styled(buffer, ZC_SHAPE_TEXT, rank, shape, "[", ", ", "]");
}

/* Sizes that are settled, but may multiply to more than can be counted. */
static zc_status check_size(const zc_asked *asked, int rank, const int64_t *settled, zc_reason *why)
{
    int64_t size;
    return zc_name_asked(asked, why, zc_shape_size(rank, settled, &size, why));
}

static int find_zero(int rank, const int64_t *shape)
{
    for (int a = 0; a < rank; a++)
        if (shape[a] == 0)
            return a;
    return -1;
}

/* ---- MindSpore ---- */

/* Puts x's size in the place of each -1. */
static zc_status fill_in_sizes(const zc_view *x, int rank, const int64_t *shape, int64_t *filled, zc_reason *why)
{
    shape_texts t;
    int first = rank - x->rank;
    for (int a = 0; a < rank; a++) {
        filled[a] = shape[a];
        if (shape[a] >= 0)
            continue;
        write_texts(&t, x, rank, shape);
        if (shape[a] < -1)
            return zc_refuse(why, ZC_ERROR_ARGUMENT,
                             "%" PRId64 " at index %d of the target shape %s is neither a size nor -1 (x_shape: %s)",
                             shape[a], a, t.to, t.from);
        if (a < first)
            return zc_refuse(why, ZC_ERROR_SHAPE,
                             "-1 is in an incompatible location of the target shape %s: it stands at index %d but can "
                             "only be in index %d onwards for x_shape %s",
                             t.to, a, first, t.from);
        filled[a] = x->shape[a - first];
    }
    return ZC_OK;
}

zc_status zc_view_mindspore_broadcast_to(const zc_view *in, int rank, const int64_t *shape, zc_view *out,
                                         zc_reason *why)
{
    shape_texts t;
    int64_t filled[ZC_MAX_RANK];
    const zc_asked asked = {in, rank, shape, tuple_text};
    zc_status status = zc_shape_check_rank(rank, shape, why);
    if (status != ZC_OK)
        return zc_name_asked(&asked, why, status);
    write_texts(&t, in, rank, shape);
    if (in->rank > rank)
        return zc_refuse(why, ZC_ERROR_SHAPE, "the rank of x, %d, is above that of the target shape, %d: %s to %s",
                         in->rank, rank, t.from, t.to);
    int zero = find_zero(rank, shape);
    if (zero >= 0 && find_zero(in->rank, in->shape) < 0)
        return zc_refuse(why, ZC_ERROR_SHAPE, "the target shape %s has a 0 at index %d, but x_shape %s has none", t.to,
                         zero, t.from);
    status = fill_in_sizes(in, rank, shape, filled, why);
    if (status != ZC_OK)
        return status;
    for (int d = 0, a = rank - in->rank; d < in->rank; d++, a++)
        if (filled[a] != in->shape[d] && in->shape[d] != 1)
            return zc_refuse(why, ZC_ERROR_SHAPE,
                             "each dimension pair must be equal, or the input dimension 1, or the target dimension -1; "
                             "got %" PRId64 " and %" PRId64 " at index %d: x_shape: %s, target shape: %s",
                             in->shape[d], filled[a], a, t.from, t.to);
    status = check_size(&asked, rank, filled, why);
    if (status == ZC_OK)
        zc_view_broadcast_right(in, rank, filled, out);
    return status;
}

/* ---- PyTorch ---- */

static zc_status refuse_expansion(zc_reason *why, const zc_view *in, int rank, const int64_t *sizes, int axis)
{
    char from[ZC_SHAPE_TEXT];
    char to[ZC_SHAPE_TEXT];
    list_text(from, in->rank, in->shape);
    list_text(to, rank, sizes);
    int own = axis - (rank - in->rank);
    if (own < 0)
        return zc_refuse(why, sizes[axis] == -1 ? ZC_ERROR_SHAPE : ZC_ERROR_ARGUMENT,
                         "the expanded size of the tensor (%" PRId64 ") isn't allowed in a leading, non-existing "
                         "dimension %d; target sizes: %s, tensor sizes: %s",
                         sizes[axis], axis, to, from);
    if (in->shape[own] == 1)
        return zc_refuse(why, ZC_ERROR_ARGUMENT,
                         "the expanded size of the tensor (%" PRId64 ") at dimension %d is neither a size nor -1; "
                         "target sizes: %s, tensor sizes: %s",
                         sizes[axis], axis, to, from);
    return zc_refuse(why, ZC_ERROR_SHAPE,
                     "the expanded size of the tensor (%" PRId64 ") must match the existing size (%" PRId64
                     ") at non-singleton dimension %d; target sizes: %s, tensor sizes: %s",
                     sizes[axis], in->shape[own], axis, to, from);
}

zc_status zc_view_torch_expand(const zc_view *in, int rank, const int64_t *sizes, zc_view *out, zc_reason *why)
{
    int64_t filled[ZC_MAX_RANK];
    const zc_asked asked = {in, rank, sizes, list_text};
    zc_status status = zc_shape_check_rank(rank, sizes, why);
    if (status != ZC_OK)
        return zc_name_asked(&asked, why, status);
    if (rank < in->rank) {
        shape_texts t;
        write_texts(&t, in, rank, sizes);
        return zc_refuse(why, ZC_ERROR_SHAPE,
                         "the number of sizes provided (%d) must be greater or equal to the number of dimensions in "
                         "the tensor (%d): %s to %s",
                         rank, in->rank, t.from, t.to);
    }
    for (int a = rank - 1; a >= 0; a--) {
        int own = a - (rank - in->rank);
        filled[a] = own >= 0 && sizes[a] == -1 ? in->shape[own] : sizes[a];
        bool fits = own < 0 || in->shape[own] == 1 || in->shape[own] == filled[a];
        if (!fits || filled[a] < 0)
            return refuse_expansion(why, in, rank, sizes, a);
    }
    status = check_size(&asked, rank, filled, why);
    if (status == ZC_OK)
        zc_view_broadcast_right(in, rank, filled, out);
    return status;
}

/* ---- ONNX ---- */

zc_status zc_view_onnx_expand(const zc_view *in, int rank, const int64_t *shape, zc_view *out, zc_reason *why)
{
    shape_texts t;
    int64_t common[ZC_MAX_RANK];
    int common_rank;
    zc_reason detail;
    const zc_asked asked = {in, rank, shape, tuple_text};
    zc_status status = zc_shape_check_rank(rank, shape, why);
    if (status != ZC_OK)
        return zc_name_asked(&asked, why, status);
    for (int a = 0; a < rank; a++) {
        if (shape[a] >= 0)
            continue;
        write_texts(&t, in, rank, shape);
        return zc_refuse(why, ZC_ERROR_ARGUMENT,
                         "invalid expand shape %s: dimension %d is %" PRId64 " (input shape %s)", t.to, a, shape[a],
                         t.from);
    }
    status = zc_shape_broadcast(in->rank, in->shape, rank, shape, &common_rank, common, &detail);
    if (status != ZC_OK)
        return zc_refuse(why, status, "incompatible dimensions: %s", detail.text);
    status = check_size(&asked, common_rank, common, why);
    if (status == ZC_OK)
        zc_view_broadcast_right(in, common_rank, common, out);
    return status;
}
