/*
 * View functions over lists: the shape that several shapes meet in, several tensors in that shape, one tensor in parts.
 *
 * Invariant: a list of results is filled completely or holds nothing but NULL.
 */
#include "runtime/record/record.h"
#include "views/view_ops.h"

#include <inttypes.h>

/* ---- Lists of results ---- */

static void clear(zc_tensor **out, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = NULL;
}

/* Ends the results there are: all or none are handed out. */
static zc_status give_up(zc_tensor **out, int count, zc_status status)
{
    for (int i = 0; i < count; i++)
        zc_release(out[i]);
    clear(out, count);
    return status;
}

static zc_status check_lists(zc_context *ctx, const char *function, int count, bool are_there)
{
    if (count < 0)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "%d is not a number of tensors", count);
    return are_there || count == 0 ? ZC_OK : zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "a list is missing");
}

/* ---- Shapes that meet ---- */

/* Shapes by number: of tensors, or listed. */
typedef struct shape_list {
    int count;
    const zc_tensor *const *tensors; /* or NULL, and */
    const int *ranks;
    const int64_t *const *shapes;
} shape_list;

static int rank_at(const shape_list *list, int k)
{
    return list->tensors != NULL ? list->tensors[k]->rank : list->ranks[k];
}

static const int64_t *shape_at(const shape_list *list, int k)
{
    return list->tensors != NULL ? list->tensors[k]->dims : list->shapes[k];
}

/* Names the first earlier shape that shape k does not fit; the shapes before k fit together. */
static zc_status refuse_mismatch(const shape_list *list, int k, zc_reason *why)
{
    char a[ZC_SHAPE_TEXT], b[ZC_SHAPE_TEXT];
    int64_t met[ZC_MAX_RANK];
    int j = 0, rank;
    while (j < k - 1 && zc_shape_broadcast(rank_at(list, j), shape_at(list, j), rank_at(list, k), shape_at(list, k),
                                           &rank, met, NULL) == ZC_OK)
        j++;
    return zc_refuse(why, ZC_ERROR_SHAPE, "shape mismatch: argument %d with shape %s and argument %d with shape %s", j,
                     zc_shape_text(a, sizeof a, rank_at(list, j), shape_at(list, j)), k,
                     zc_shape_text(b, sizeof b, rank_at(list, k), shape_at(list, k)));
}

static zc_status meet(const shape_list *list, int *rank, int64_t *shape, zc_reason *why)
{
    int64_t size;
    *rank = 0;
    for (int k = 0; k < list->count; k++) {
        zc_status status = zc_shape_size(rank_at(list, k), shape_at(list, k), &size, why);
        if (status != ZC_OK)
            return status;
        if (zc_shape_broadcast(*rank, shape, rank_at(list, k), shape_at(list, k), rank, shape, NULL) != ZC_OK)
            return refuse_mismatch(list, k, why);
    }
    return zc_shape_size(*rank, shape, &size, why);
}

zc_status zc_broadcast_shapes(zc_context *ctx, int count, const int *ranks, const int64_t *const *shapes, int *rank,
                              int64_t shape[ZC_MAX_RANK])
{
    if (count < 0 || rank == NULL || shape == NULL || (count > 0 && (ranks == NULL || shapes == NULL)))
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, "broadcast_shapes", "a list is missing");
    int64_t met[ZC_MAX_RANK];
    int met_rank;
    zc_reason why;
    shape_list list = {.count = count, .ranks = ranks, .shapes = shapes};
    zc_status status = meet(&list, &met_rank, met, &why);
    if (status != ZC_OK)
        return zc_fail_because(ctx, status, "broadcast_shapes", &why);
    *rank = met_rank;
    for (int a = 0; a < met_rank; a++)
        shape[a] = met[a];
    return ZC_OK;
}

/* Empties the results; whether every tensor is there. */
static bool begin_lists(int count, const zc_tensor *const *tensors, zc_tensor **out, const char *function)
{
    if (out != NULL)
        clear(out, count);
    if (count < 0)
        (void)zc_fail(NULL, ZC_ERROR_ARGUMENT, function, "%d tensors are no list", count);
    return count >= 0 && !zc_refuse_lost_in_list(NULL, function, "tensors", count, tensors);
}

zc_status zc_broadcast_arrays(int count, const zc_tensor *const *tensors, zc_tensor **out)
{
    static const char function[] = "broadcast_arrays";
    if (!begin_lists(count, tensors, out, function))
        return ZC_ERROR_ARGUMENT;
    if (count == 0)
        return ZC_OK;
    zc_context *ctx = tensors[0]->ctx;
    int64_t met[ZC_MAX_RANK];
    int rank;
    zc_reason why;
    shape_list list = {.count = count, .tensors = tensors};
    zc_status status = check_lists(ctx, function, count, out != NULL);
    if (status != ZC_OK)
        return status;
    status = meet(&list, &rank, met, &why);
    if (status != ZC_OK)
        return zc_fail_because(ctx, status, function, &why);
    for (int k = 0; k < count; k++) {
        out[k] = zc_broadcast_to(tensors[k], rank, met);
        if (out[k] == NULL)
            return give_up(out, count, zc_error_status(ctx));
    }
    return ZC_OK;
}

/* ---- Grids ---- */

static zc_status check_grid(int count, const zc_tensor *const *tensors, const char *function)
{
    char shape[ZC_SHAPE_TEXT];
    zc_context *ctx = tensors[0]->ctx;
    if (count > ZC_MAX_RANK)
        return zc_fail(ctx, ZC_ERROR_SHAPE, function, "%d tensors make more than %d axes", count, ZC_MAX_RANK);
    for (int k = 0; k < count; k++) {
        if (tensors[k]->rank > 1)
            return zc_fail(ctx, ZC_ERROR_SHAPE, function, "argument %d has shape %s, and not one axis", k,
                           zc_shape_text(shape, sizeof shape, tensors[k]->rank, tensors[k]->dims));
    }
    return ZC_OK;
}

/* The tensor along an axis of its own, the others stride 0. */
static zc_tensor *lay_along(const zc_tensor *t, int axis, int rank, const int64_t *shape, const char *function)
{
    zc_view view = {.rank = rank, .offset = t->offset};
    for (int a = 0; a < rank; a++) {
        view.shape[a] = shape[a];
        view.stride[a] = a == axis && t->rank == 1 ? zc_strides(t)[0] : 0;
    }
    zc_view_canonicalise(&view);
    return zc_tensor_new(t->ctx, zc_node_retain(t->node), &view, function);
}

zc_status zc_meshgrid(int count, const zc_tensor *const *tensors, bool swaps, zc_tensor **out)
{
    static const char function[] = "meshgrid";
    int64_t shape[ZC_MAX_RANK], size;
    zc_reason why;
    if (!begin_lists(count, tensors, out, function))
        return ZC_ERROR_ARGUMENT;
    if (count == 0)
        return ZC_OK;
    zc_context *ctx = tensors[0]->ctx;
    zc_status status = check_lists(ctx, function, count, out != NULL);
    if (status == ZC_OK)
        status = check_grid(count, tensors, function);
    if (status != ZC_OK)
        return status;
    swaps = swaps && count > 1;
    for (int k = 0; k < count; k++)
        shape[swaps && k < 2 ? 1 - k : k] = tensors[k]->size;
    status = zc_shape_size(count, shape, &size, &why);
    if (status != ZC_OK)
        return zc_fail_because(ctx, status, function, &why);
    for (int k = 0; k < count; k++) {
        out[k] = lay_along(tensors[k], swaps && k < 2 ? 1 - k : k, count, shape, function);
        if (out[k] == NULL)
            return give_up(out, count, zc_error_status(ctx));
    }
    return ZC_OK;
}

/* ---- Parts ---- */

/* Checks that parts of these sizes, or without sizes `count` equal ones, make up an axis of that extent. */
static zc_status check_parts(int64_t extent, int axis, int count, const int64_t *sizes, zc_reason *why)
{
    if (sizes == NULL)
        return count > 0 && extent % count == 0
                   ? ZC_OK
                   : zc_refuse(why, ZC_ERROR_SHAPE, "axis %d of size %" PRId64 " does not divide into %d equal parts",
                               axis, extent, count);
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        if (sizes[i] < 0)
            return zc_refuse(why, ZC_ERROR_ARGUMENT, "size %" PRId64 " of part %d is negative", sizes[i], i);
        if (!zc_checked_add(sum, sizes[i], &sum))
            return zc_refuse(why, ZC_ERROR_OVERFLOW, "the sizes of the parts add up to more than 2^63 - 1");
    }
    return sum == extent ? ZC_OK
                         : zc_refuse(why, ZC_ERROR_SHAPE,
                                     "the sizes of the parts add up to %" PRId64 ", axis %d has size %" PRId64, sum,
                                     axis, extent);
}

zc_status zc_split(const zc_tensor *t, int axis, int count, const int64_t *sizes, zc_tensor **out)
{
    static const char function[] = "split";
    if (ZC_REFUSE_LOST(function, t))
        return ZC_ERROR_ARGUMENT;
    zc_status status = check_lists(t->ctx, function, count, out != NULL);
    if (status != ZC_OK)
        return status;
    clear(out, count);
    int along;
    zc_reason why;
    status = zc_axis_resolve(axis, t->rank, &along, &why);
    if (status == ZC_OK)
        status = check_parts(t->dims[along], along, count, sizes, &why);
    if (status != ZC_OK)
        return zc_fail_because(t->ctx, status, function, &why);
    int64_t start = 0, stop;
    for (int i = 0; i < count; i++, start = stop) {
        (void)zc_checked_add(start, sizes != NULL ? sizes[i] : t->dims[along] / count, &stop); /* within the axis */
        out[i] = zc_slice(t, along, start, stop, 1);
        if (out[i] == NULL)
            return give_up(out, count, zc_error_status(t->ctx));
    }
    return ZC_OK;
}

zc_status zc_unstack(const zc_tensor *t, int axis, int count, zc_tensor **out)
{
    static const char function[] = "unstack";
    if (ZC_REFUSE_LOST(function, t))
        return ZC_ERROR_ARGUMENT;
    zc_status status = check_lists(t->ctx, function, count, out != NULL);
    if (status != ZC_OK)
        return status;
    clear(out, count);
    int along;
    zc_reason why;
    status = zc_axis_resolve(axis, t->rank, &along, &why);
    if (status == ZC_OK && t->dims[along] != count)
        status = zc_refuse(&why, ZC_ERROR_SHAPE, "axis %d has size %" PRId64 ", there is room for %d tensors", along,
                           t->dims[along], count);
    if (status != ZC_OK)
        return zc_fail_because(t->ctx, status, function, &why);
    for (int i = 0; i < count; i++) {
        out[i] = zc_index(t, along, i);
        if (out[i] == NULL)
            return give_up(out, count, zc_error_status(t->ctx));
    }
    return ZC_OK;
}
