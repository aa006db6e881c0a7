#include "views/split.h"

/* The borders between the axes of a storage, as indices into its row-major order, the innermost first. */
static int find_borders(int rank, const int64_t *shape, int64_t *borders)
{
    int count = 0;
    int64_t weight = 1;
    for (int a = rank - 1; a > 0; a--) {
        weight *= shape[a]; /* proven: at most the size of the storage */
        if (shape[a] > 1)
            borders[count++] = weight;
    }
    return count;
}

static bool add_axis(zc_axis_split *r, int origin, int64_t extent, int64_t multiple)
{
    if (r->rank == ZC_MAX_RANK)
        return false;
    r->shape[r->rank] = extent;
    r->multiple[r->rank] = multiple;
    r->origin[r->rank++] = origin;
    return true;
}

/* Splits an axis at every border that it crosses in a whole number of steps. The parts come out innermost first. */
static bool split_axis(zc_axis_split *r, int axis, int64_t extent, int64_t stride, const int64_t *borders, int count)
{
    int64_t multiple = 1, step = stride < 0 ? -stride : stride; /* an index: never INT64_MIN */
    for (int i = 0; i < count && step != 0; i++) {
        int64_t part = borders[i] / step;
        if (borders[i] % step != 0 || part < 2 || part >= extent || extent % part != 0)
            continue;
        if (!add_axis(r, axis, part, multiple))
            return false;
        multiple *= part; /* proven: a divisor of the extent */
        step *= part;     /* proven: a border */
        extent /= part;
    }
    return add_axis(r, axis, extent, multiple);
}

static void reverse(zc_axis_split *r)
{
    const zc_axis_split from = *r;
    for (int i = 0, j = r->rank - 1; i < r->rank; i++, j--) {
        r->shape[i] = from.shape[j];
        r->multiple[i] = from.multiple[j];
        r->origin[i] = from.origin[j];
    }
}

void zc_view_apply_split(const zc_view *view, const zc_axis_split *r, zc_view *out)
{
    out->rank = r->rank;
    out->offset = view->offset;
    for (int a = 0; a < r->rank; a++) {
        out->shape[a] = r->shape[a];
        (void)zc_checked_multiply(view->stride[r->origin[a]], r->multiple[a], &out->stride[a]);
    }
    zc_view_canonicalise(out);
}

bool zc_view_split(const zc_view *view, int rank, const int64_t *shape, zc_axis_split *out)
{
    int64_t borders[ZC_MAX_RANK];
    int count = find_borders(rank, shape, borders);
    out->rank = 0;
    for (int a = view->rank - 1; a >= 0; a--) {
        if (!split_axis(out, a, view->shape[a], view->stride[a], borders, count))
            return false;
    }
    reverse(out);
    return true;
}
