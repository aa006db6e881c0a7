/*
 * The gradient of a contraction with respect to an operand is the contraction of the gradient with the other operand
 * along the axes that the operand does not have: its view repeats it there.
 *
 * Where the operand is seen through windows that overlap, that would be one value for each element of each window, to
 * be added where they stand. Instead it is a contraction, too: of windows of the gradient, padded with zeros. What
 * stands at place t gains from the windows that begin at t, at t - 1 ...
 */
#include "runtime/gradient/gradient_contract.h"

#include <string.h>

#include "runtime/gradient/gradient_nodes.h"
#include "runtime/gradient/gradient_views.h"
#include "runtime/record/contract.h"

/* Factors of a gradient's contraction, over the same axes, and the result's view of the operand's node. */
typedef struct factors {
    const zc_tensor *gradient, *other;
    zc_view seen;
    uint64_t summed;
} factors;

/* Windows that begin along axis `start` and extend along `along`, which is summed over: one element along it is `step`
 * elements along `start`. */
typedef struct window {
    int start, along;
    int64_t step;
} window;

/* Tells whether windows that begin along one axis of the operand overlap along another one and are not much longer than
 * their number; sets their step. The other operand does not move along `start`. */
static bool overlaps(const zc_view *seen, const zc_tensor *other, int start, int along, int64_t *step)
{
    const int64_t by = seen->stride[start];
    if (by == 0 || seen->stride[along] == 0 || seen->stride[along] % by != 0 || zc_strides(other)[start] != 0)
        return false;
    *step = seen->stride[along] / by;
    const int64_t size = *step < 0 ? -*step : *step, count = seen->shape[start];
    return size < count && seen->shape[along] - 1 <= count / size;
}

static int find_windows(const zc_backward *b, const factors *f, window *windows)
{
    const zc_node *node = b->node;
    uint64_t taken = 0;
    int count = 0;
    for (int along = 0; along < f->seen.rank; along++) {
        for (int start = 0; start < f->seen.rank && (node->reduced >> along & 1) != 0; start++) {
            window *w = &windows[count];
            *w = (window){.start = start, .along = along};
            if (((node->reduced | taken) >> start & 1) != 0 || !overlaps(&f->seen, f->other, start, along, &w->step))
                continue;
            taken |= UINT64_C(1) << start;
            count++;
            break;
        }
    }
    return count;
}

static int64_t reach_of(const factors *f, const window *w)
{
    return (f->seen.shape[w->along] - 1) * (w->step < 0 ? -w->step : w->step); /* proven: an extent, see overlaps() */
}

/* The gradient of the result with as many zeros before and behind it as windows reach. */
static zc_tensor *pad(const zc_backward *b, const factors *f, const window *windows, int count)
{
    int64_t reach[ZC_MAX_RANK] = {0};
    for (int i = 0; i < count; i++) {
        const uint64_t before = (UINT64_C(1) << windows[i].start) - 1;
        reach[windows[i].start - __builtin_popcountll(b->node->reduced & before)] = reach_of(f, &windows[i]);
    }
    return zc_pad(b->gradient, b->gradient->rank, reach, reach, ZC_PAD_CONSTANT, NULL);
}

/* The factors over axes of which `start` counts the places that windows reach, and windows of the gradient that end
 * there are summed over. */
static bool turn_windows(const zc_backward *b, factors *f, const window *windows, int count)
{
    const zc_tensor *padded = pad(b, f, windows, count);
    int64_t strides[ZC_MAX_RANK], offset = 0;
    if (padded == NULL)
        return false;
    for (int a = 0, from = 0; a < f->seen.rank; a++)
        strides[a] = (b->node->reduced >> a & 1) != 0 ? 0 : zc_strides(padded)[from++];
    for (int i = 0; i < count; i++) {
        const window *w = &windows[i];
        const int64_t reach = reach_of(f, w);
        strides[w->along] = -w->step * strides[w->start];                     /* proven: inside what is padded */
        offset += w->step > 0 ? reach * strides[w->start] : 0;                /* proven: likewise */
        f->seen.offset -= w->step < 0 ? reach * f->seen.stride[w->start] : 0; /* proven: where a window begins */
        f->seen.shape[w->start] += reach; /* proven: less than three times the extent */
        f->summed |= UINT64_C(1) << w->along;
    }
    f->gradient = zc_as_strided(padded, f->seen.rank, f->seen.shape, strides, offset);
    f->other = zc_as_strided(f->other, f->seen.rank, f->seen.shape, zc_strides(f->other), 0);
    return f->gradient != NULL && f->other != NULL;
}

/* Distance between neighbors along an axis, in elements of the operand's node. */
static int64_t distance(const zc_view *view, int axis)
{
    return view->stride[axis] < 0 ? -view->stride[axis] : view->stride[axis];
}

/* Axes in the order in which the operand's node has them, so that the result needs not be turned; those that are summed
 * over come last, in their own order. */
static void list_axes(const factors *f, int *order)
{
    int count = 0;
    for (int a = 0; a < f->seen.rank; a++) {
        int to = count;
        if ((f->summed >> a & 1) != 0)
            continue;
        for (; to > 0 && distance(&f->seen, order[to - 1]) < distance(&f->seen, a); to--)
            order[to] = order[to - 1];
        order[to] = a;
        count++;
    }
    for (int a = 0; a < f->seen.rank; a++) {
        if ((f->summed >> a & 1) != 0)
            order[count++] = a;
    }
}

static zc_tensor *contract(const factors *f, zc_view *shown)
{
    int order[ZC_MAX_RANK];
    const int rank = f->seen.rank, kept = rank - __builtin_popcountll(f->summed);
    list_axes(f, order);
    *shown = (zc_view){.rank = kept, .offset = f->seen.offset};
    for (int a = 0; a < kept; a++) {
        shown->shape[a] = f->seen.shape[order[a]];
        shown->stride[a] = f->seen.stride[order[a]];
    }
    const uint64_t summed = zc_all_axes(rank) & ~zc_all_axes(kept);
    return zc_record_contract(zc_permute_dims(f->gradient, rank, order), zc_permute_dims(f->other, rank, order), summed,
                              "vjp");
}

zc_tensor *zc_gradient_of_contract(const zc_backward *b, int i)
{
    const zc_node *node = b->node;
    window windows[ZC_MAX_RANK];
    factors f = {.other = b->operand[1 - i]};
    zc_view shown;
    zc_node_edge_view(node, i, &f.seen);
    f.summed = zc_view_broadcast_axes(&f.seen);
    const int count = find_windows(b, &f, windows);
    if (count == 0)
        f.gradient = zc_gradient_expand(b, b->gradient);
    else if (!turn_windows(b, &f, windows, count))
        return NULL;
    if (f.summed == 0)
        return zc_gradient_place(zc_multiply(f.gradient, f.other), &f.seen, node->edges[i].node, NULL);
    zc_tensor *gradient = contract(&f, &shown);
    return zc_gradient_place(gradient, &shown, node->edges[i].node, NULL);
}
