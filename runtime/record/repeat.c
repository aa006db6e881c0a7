/*
 * Elements said again along an axis: tile, of the whole axis, and repeat, of each element. Both broadcast a new axis
 * and merge it with the old one, which is a view of a broadcast in another shape: no data memory, and read through
 * computed positions where no strides express it.
 */
#include "runtime/record/record.h"

#include <string.h>

/* Inserts an axis of `times` into t before axis `at`, and merges it with the axis `merged`, which has then moved. */
static zc_tensor *say_again(const zc_tensor *t, int at, int axis, int64_t times, const char *function)
{
    int64_t spread[ZC_MAX_RANK], merged[ZC_MAX_RANK], size;
    zc_reason why;
    memcpy(merged, t->dims, (size_t)t->rank * sizeof *merged);
    if (!zc_checked_multiply(t->dims[axis], times, &merged[axis]) ||
        zc_shape_size(t->rank, merged, &size, &why) != ZC_OK) {
        (void)zc_fail(t->ctx, ZC_ERROR_OVERFLOW, function,
                      "axis %d of %lld elements, %lld times, is more than int64 holds", axis, (long long)t->dims[axis],
                      (long long)times);
        return NULL;
    }
    if (merged[axis] == t->dims[axis]) /* once, or nothing */
        return zc_adopt(t->ctx, t);
    if (t->dims[axis] == 1) /* nothing to merge */
        return zc_broadcast_to(t, t->rank, merged);
    if (t->rank == ZC_MAX_RANK) {
        (void)zc_fail(t->ctx, ZC_ERROR_SHAPE, function, "rank %d leaves no room for the axis that repeats", t->rank);
        return NULL;
    }
    for (int a = 0, to = 0; a <= t->rank; a++) {
        if (a == at)
            spread[to++] = times;
        if (a < t->rank)
            spread[to++] = t->dims[a];
    }
    zc_tensor *expanded = zc_expand_dims(t, at);
    zc_tensor *repeated = zc_broadcast_to(expanded, t->rank + 1, spread);
    zc_tensor *result = zc_reshape(repeated, t->rank, merged);
    zc_release(expanded);
    zc_release(repeated);
    return result;
}

static bool refuse_count(zc_context *ctx, int64_t times, const char *function)
{
    if (times >= 0)
        return false;
    (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "%lld times is negative", (long long)times);
    return true;
}

zc_tensor *zc_repeat(const zc_tensor *t, int64_t times, int axis)
{
    if (ZC_REFUSE_LOST("repeat", t) || refuse_count(t->ctx, times, "repeat"))
        return NULL;
    zc_reason why;
    zc_status status = zc_axis_resolve(axis, t->rank, &axis, &why);
    if (status != ZC_OK) {
        (void)zc_fail_because(t->ctx, status, "repeat", &why);
        return NULL;
    }
    return say_again(t, axis + 1, axis, times, "repeat");
}

zc_tensor *zc_tile(const zc_tensor *t, int count, const int64_t *times)
{
    if (ZC_REFUSE_LOST("tile", t))
        return NULL;
    int rank = count > t->rank ? count : t->rank;
    int64_t shape[ZC_MAX_RANK];
    if (count < 0 || rank > ZC_MAX_RANK || (count > 0 && times == NULL)) {
        (void)zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "tile", "a list of %d numbers is no list of repetitions", count);
        return NULL;
    }
    for (int a = 0; a < rank; a++)
        shape[a] = a < rank - t->rank ? 1 : t->dims[a - (rank - t->rank)];
    zc_tensor *tiled = zc_reshape(t, rank, shape);
    for (int i = 0; i < count && tiled != NULL; i++) {
        int axis = rank - count + i;
        zc_tensor *before = tiled;
        tiled = refuse_count(t->ctx, times[i], "tile") ? NULL : say_again(before, axis, axis, times[i], "tile");
        zc_release(before);
    }
    return tiled;
}
