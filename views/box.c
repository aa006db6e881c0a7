#include "views/box.h"

#include <string.h>

/* The coordinates of an index into the row-major order of a shape. The first is not bounded by its extent. */
static void find_coordinates(int rank, const int64_t *shape, int64_t index, int64_t *at)
{
    for (int k = rank - 1; k > 0; k--) {
        at[k] = index < shape[k] ? index : index % shape[k];
        index = index < shape[k] ? 0 : index / shape[k];
    }
    if (rank > 0)
        at[0] = index;
}

/* By how much a step along the view's axis changes each coordinate, as far as none leaves its axis. */
static void find_steps(const zc_view *view, int axis, int rank, const int64_t *shape, const int64_t *first,
                       int64_t *step)
{
    find_coordinates(rank, shape, view->offset + view->stride[axis], step); /* proven: an element of the view */
    for (int k = 0; k < rank; k++)
        step[k] -= first[k];
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    a = a < 0 ? -a : a; /* coordinates, so not INT64_MIN */
    b = b < 0 ? -b : b;
    if (a == 0 || a == 1) /* the most frequent: nothing has to be divided */
        return a == 0 ? b : 1;
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void zc_box_copy(const zc_box *from, zc_box *to)
{
    to->rank = from->rank;
    to->is_rows = from->is_rows;
    for (int k = 0; k < from->rank; k++) {
        to->first[k] = from->first[k];
        to->count[k] = from->count[k];
        to->step[k] = from->step[k];
    }
}

void zc_box_whole(int rank, const int64_t *shape, zc_box *out)
{
    out->rank = rank;
    out->is_rows = true;
    for (int k = 0; k < rank; k++) {
        out->first[k] = 0;
        out->count[k] = shape[k];
        out->step[k] = 1;
    }
}

/* Finds the rows that a view reaches; the view leaves an axis, so there is one. */
static void find_rows(const zc_view *view, int rank, const int64_t *shape, zc_box *out)
{
    int64_t lowest, highest, row = 1;
    for (int k = 1; k < rank; k++)
        row *= shape[k]; /* proven: at most the size of the shape */
    zc_box_whole(rank, shape, out);
    zc_view_reach(view, &lowest, &highest);
    out->first[0] = lowest / row;
    out->count[0] = highest / row - out->first[0] + 1;
}

/* The ends of the coordinates and their common step; false where one leaves its axis: the view carries. */
static bool find_ranges(const zc_view *view, int rank, const int64_t *shape, zc_box *out)
{
    int64_t first[ZC_MAX_RANK], step[ZC_MAX_RANK], *last = out->count;
    find_coordinates(rank, shape, view->offset, first);
    for (int k = 0; k < rank; k++) {
        out->first[k] = last[k] = first[k];
        out->step[k] = 0;
    }
    for (int a = 0; a < view->rank; a++) {
        if (view->stride[a] == 0 || view->shape[a] == 1)
            continue;
        find_steps(view, a, rank, shape, first, step);
        for (int k = 0; k < rank; k++) {
            int64_t *end = step[k] < 0 ? &out->first[k] : &last[k];
            if (step[k] == 0)
                continue;
            int64_t room = step[k] < 0 ? *end : shape[k] - 1 - *end, size = step[k] < 0 ? -step[k] : step[k];
            if (view->shape[a] - 1 > (size == 1 ? room : room / size))
                return false;
            *end += (view->shape[a] - 1) * step[k]; /* proven: inside the axis */
            out->step[k] = greatest_divisor(out->step[k], step[k]);
        }
    }
    return true;
}

/* Tells whether the box is consecutive rows. */
static bool is_rows(const zc_box *box, const int64_t *shape)
{
    for (int k = 0; k < box->rank; k++) {
        if (box->step[k] != 1 || (k > 0 && box->count[k] != shape[k]))
            return false;
    }
    return true;
}

static void set_counts(zc_box *box, const int64_t *last)
{
    for (int k = 0; k < box->rank; k++) {
        if (last[k] == box->first[k])
            box->step[k] = 1;
        int64_t reach = last[k] - box->first[k];
        box->count[k] = (box->step[k] == 1 ? reach : reach / box->step[k]) + 1;
    }
}

void zc_box_of_view(const zc_view *view, int rank, const int64_t *shape, zc_box *out)
{
    out->rank = rank;
    if (!find_ranges(view, rank, shape, out)) {
        find_rows(view, rank, shape, out);
        return;
    }
    set_counts(out, out->count);
    out->is_rows = false;
}

void zc_box_join(const zc_box *a, const zc_box *b, const int64_t *shape, zc_box *out)
{
    int64_t last[ZC_MAX_RANK];
    bool needs_rows = a->is_rows || b->is_rows;
    out->rank = a->rank;
    for (int k = 0; k < a->rank; k++) {
        bool is_whole = needs_rows && k > 0;
        int64_t ends[2] = {a->first[k] + (a->count[k] - 1) * a->step[k],  /* proven: coordinates */
                           b->first[k] + (b->count[k] - 1) * b->step[k]}; /* proven: coordinates */
        int64_t step = greatest_divisor(a->count[k] > 1 ? a->step[k] : 0, a->first[k] - b->first[k]);
        step = greatest_divisor(step, b->count[k] > 1 ? b->step[k] : 0);
        out->first[k] = is_whole ? 0 : zc_smaller(a->first[k], b->first[k]);
        last[k] = is_whole ? shape[k] - 1 : zc_larger(ends[0], ends[1]);
        out->step[k] = needs_rows || step == 0 ? 1 : step;
    }
    set_counts(out, last);
    out->is_rows = needs_rows;
}

int64_t zc_box_size(const zc_box *box)
{
    int64_t size = 1;
    for (int k = 0; k < box->rank; k++)
        size *= box->count[k]; /* proven: at most the size of the shape */
    return size;
}

/* Coordinates of axis k in both; those of different steps are counted as if every one of the finer ones were. */
static int64_t shared_coordinates(const zc_box *a, const zc_box *b, int k)
{
    int64_t step = a->count[k] > 1 ? a->step[k] : b->step[k];
    bool differ = a->count[k] > 1 && b->count[k] > 1 && a->step[k] != b->step[k];
    if (!differ && step != 1 && (a->first[k] - b->first[k]) % step != 0)
        return 0;
    int64_t from = zc_larger(a->first[k], b->first[k]);
    int64_t to = zc_smaller(a->first[k] + (a->count[k] - 1) * a->step[k],  /* proven: coordinates */
                            b->first[k] + (b->count[k] - 1) * b->step[k]); /* proven: coordinates */
    if (differ)
        step = zc_larger(a->step[k], b->step[k]);
    return to < from ? 0 : (step == 1 ? to - from : (to - from) / step) + 1;
}

int64_t zc_box_overlap(const zc_box *a, const zc_box *b)
{
    int64_t size = 1;
    for (int k = 0; k < a->rank; k++)
        size *= shared_coordinates(a, b, k); /* proven: at most the size of the shape */
    return size;
}

bool zc_box_contains(const zc_box *box, const zc_box *inner)
{
    if (inner->is_rows && !box->is_rows)
        return false;
    for (int k = 0; k < box->rank; k++) {
        int64_t last = inner->first[k] + (inner->count[k] - 1) * inner->step[k]; /* proven: a coordinate */
        if (inner->first[k] < box->first[k] || last > box->first[k] + (box->count[k] - 1) * box->step[k] ||
            (inner->first[k] - box->first[k]) % box->step[k] != 0 ||
            (inner->count[k] > 1 && inner->step[k] % box->step[k] != 0))
            return false;
    }
    return true;
}

void zc_box_fill(zc_box *box)
{
    for (int k = 0; k < box->rank; k++) {
        box->count[k] = (box->count[k] - 1) * box->step[k] + 1; /* proven: between coordinates */
        box->step[k] = 1;
    }
}

/* Narrows a range of steps, `size` each, to those that move by at least `least` and at most `most`. */
static void clip_range(int64_t least, int64_t most, int64_t size, int64_t *from, int64_t *to)
{
    *from = zc_larger(*from, zc_divide_up(least, size));
    *to = zc_smaller(*to, zc_divide_down(most, size));
}

/* Range of one axis of the view that stays inside the box; counts it as a mover of the coordinates that it changes. */
static void clip_axis(const zc_box *box, const zc_view *view, int axis, const int64_t *shape, const int64_t *at,
                      int *movers, zc_ranges *out)
{
    int64_t step[ZC_MAX_RANK], from = 0, to = view->shape[axis] - 1;
    if (view->stride[axis] == 0 || view->shape[axis] == 1)
        return;
    find_steps(view, axis, box->rank, shape, at, step);
    for (int k = 0; k < box->rank; k++) {
        if (step[k] == 0)
            continue;
        const int64_t first = box->first[k], last = first + box->count[k] - 1; /* proven: coordinates */
        movers[k]++;
        if (step[k] < 0)
            clip_range(at[k] - last, at[k] - first, -step[k], &from, &to);
        else
            clip_range(first - at[k], last - at[k], step[k], &from, &to);
    }
    out->first[axis] = from;
    out->count[axis] = zc_larger(to - from + 1, 0);
}

bool zc_box_clip(const zc_box *box, const zc_view *view, const int64_t *shape, zc_ranges *out)
{
    zc_box reached;
    int64_t at[ZC_MAX_RANK];
    int movers[ZC_MAX_RANK] = {0};
    bool is_outside = zc_view_size(view) == 0, is_exact = true;
    for (int a = 0; a < view->rank; a++) {
        out->first[a] = 0;
        out->count[a] = view->shape[a];
    }
    if (is_outside)
        return true;
    if (!find_ranges(view, box->rank, shape, &reached))
        return false;
    find_coordinates(box->rank, shape, view->offset, at);
    for (int a = 0; a < view->rank; a++)
        clip_axis(box, view, a, shape, at, movers, out);
    for (int k = 0; k < box->rank; k++) {
        int64_t last = box->first[k] + box->count[k] - 1, *highest = reached.count; /* as find_ranges() leaves it */
        is_outside |= highest[k] < box->first[k] || reached.first[k] > last;
        is_exact &= movers[k] < 2 || (reached.first[k] >= box->first[k] && highest[k] <= last);
    }
    for (int a = 0; a < view->rank && is_exact; a++)
        is_outside |= out->count[a] == 0;
    for (int a = 0; a < view->rank && is_outside; a++)
        out->first[a] = out->count[a] = 0;
    return is_outside ? view->rank > 0 : is_exact;
}

void zc_view_clip(const zc_view *view, const zc_ranges *ranges, zc_view *out)
{
    zc_view_copy(view, out);
    for (int a = 0; a < view->rank; a++) {
        out->offset += ranges->first[a] * view->stride[a]; /* proven: an index of the view */
        out->shape[a] = ranges->count[a];
    }
}

void zc_box_view(const zc_box *box, const int64_t *shape, uint64_t kept, zc_view *out)
{
    int64_t stride[ZC_MAX_RANK];
    zc_shape_row_major(box->rank, shape, stride);
    out->rank = 0;
    out->offset = 0;
    for (int k = 0; k < box->rank; k++) {
        out->offset += box->first[k] * stride[k]; /* proven: an index of the shape */
        if (box->count[k] == 1 && (kept >> k & 1) == 0)
            continue;
        out->shape[out->rank] = box->count[k];
        out->stride[out->rank++] = box->count[k] == 1 ? 0 : box->step[k] * stride[k]; /* proven: between indices */
    }
}

void zc_box_locate(const zc_box *box, const zc_view *view, const int64_t *shape, zc_view *out)
{
    int64_t own[ZC_MAX_RANK], first[ZC_MAX_RANK], step[ZC_MAX_RANK];
    zc_view_copy(view, out);
    if (is_rows(box, shape)) {
        int64_t row = 1;
        for (int k = 1; k < box->rank; k++)
            row *= shape[k];                                    /* proven: at most the size of the shape */
        out->offset -= box->rank > 0 ? box->first[0] * row : 0; /* proven: an index of the shape */
        return;
    }
    zc_shape_row_major(box->rank, box->count, own);
    find_coordinates(box->rank, shape, view->offset, first);
    out->offset = 0;
    for (int k = 0; k < box->rank; k++)
        out->offset += (first[k] - box->first[k]) / box->step[k] * own[k]; /* proven: an index of the box */
    for (int a = 0; a < view->rank; a++) {
        out->stride[a] = 0;
        if (view->stride[a] == 0 || view->shape[a] == 1)
            continue;
        find_steps(view, a, box->rank, shape, first, step);
        for (int k = 0; k < box->rank; k++)
            out->stride[a] += step[k] / box->step[k] * own[k]; /* proven: a step between indices of the box */
    }
}

void zc_view_part(const zc_view *view, zc_view *part, zc_view *through)
{
    int64_t own[ZC_MAX_RANK];
    uint64_t repeated = zc_view_broadcast_axes(view);
    for (int a = 0; a < view->rank; a++)
        repeated |= (uint64_t)(view->shape[a] == 1) << a;
    zc_view_drop_axes(view, repeated, part);
    zc_shape_row_major(part->rank, part->shape, own);
    zc_view_copy(view, through);
    through->offset = 0;
    for (int a = 0, from = 0; a < view->rank; a++)
        through->stride[a] = (repeated >> a & 1) != 0 ? 0 : own[from++];
}
