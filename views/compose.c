/*
 * Composition by digits.
 *
 * An index into inner's row-major order is a number with one digit per axis of inner, and its address is the sum of
 * digit * stride. A step of outer adds a fixed number to the index. Where it always adds the same to every digit, it
 * adds the same to the address, and that is the composed stride. Where a digit would leave its range it carries
 * instead.
 *
 * Axes of inner that continue each other are merged first. Between merged axes every carry changes the address, so one
 * boundary that is carried across rules strides out. Carries at two boundaries or more can cancel out, though they
 * rarely do (about one in 10,000 pairs of random views, no pair made by chains of operations); that is looked for
 * element by element.
 *
 * Invariant: a composed view shows exactly the addresses of inner, so it satisfies view.h's invariants because inner
 * does.
 */
#include "views/compose.h"

/* Elements that the search for cancelling carries looks at before it gives up. */
enum { SEARCH_LIMIT = 4096 };

/* inner's axes of size > 1, merged: the digits of an index, the most significant first. */
typedef struct digits {
    int count;
    int64_t extent[ZC_MAX_RANK];
    int64_t stride[ZC_MAX_RANK];
} digits;

static void merge_axes(const zc_view *inner, digits *merged)
{
    int count = 0;
    for (int a = 0; a < inner->rank; a++) {
        int64_t extent = inner->shape[a];
        int64_t stride = inner->stride[a];
        int64_t continued;
        if (extent == 1)
            continue;
        if (count > 0 && zc_checked_multiply(extent, stride, &continued) && continued == merged->stride[count - 1]) {
            (void)zc_checked_multiply(extent, merged->extent[count - 1], &extent); /* at most inner's size */
            count--;
        }
        merged->extent[count] = extent;
        merged->stride[count] = stride;
        count++;
    }
    merged->count = count;
}

/* Composes with an inner view of at most one digit: there is nothing to carry into. */
static void scale(const zc_view *outer, int64_t stride, zc_view *out)
{
    (void)zc_checked_multiply(outer->offset, stride, &out->offset);
    for (int a = 0; a < outer->rank; a++)
        (void)zc_checked_multiply(outer->stride[a], stride, &out->stride[a]);
}

static void split(const digits *merged, int64_t index, int64_t *digit)
{
    for (int i = merged->count - 1; i > 0; i--) {
        int64_t extent = merged->extent[i];
        digit[i] = index < extent ? index : index % extent;
        index = index < extent ? 0 : index / extent;
    }
    digit[0] = index;
}

/* Sum of digit * stride: an address, or the difference of two addresses, of inner, so it fits. */
static int64_t weigh(const digits *merged, const int64_t *digit)
{
    int64_t sum = 0;
    for (int i = 0; i < merged->count; i++)
        (void)zc_checked_advance(sum, digit[i], merged->stride[i], &sum);
    return sum;
}

/* Lowest and highest value of every digit over the elements of outer, as long as nothing carries. */
typedef struct ranges {
    int64_t low[ZC_MAX_RANK];
    int64_t high[ZC_MAX_RANK];
} ranges;

/* `times` steps of one more axis. What leaves int64 has left the digit's range before; it stays outside. */
static void widen(const digits *merged, const int64_t *step, int64_t times, ranges *reached)
{
    for (int i = 0; i < merged->count; i++) {
        int64_t *end = step[i] < 0 ? &reached->low[i] : &reached->high[i];
        if (!zc_checked_advance(*end, times, step[i], end))
            *end = step[i] < 0 ? INT64_MIN : INT64_MAX;
    }
}

/* The least significant digit that leaves its range: all after it carry nothing. -1 when no digit does. */
static int find_carry(const digits *merged, const ranges *reached)
{
    int i = merged->count - 1;
    while (i >= 0 && reached->low[i] >= 0 && reached->high[i] < merged->extent[i])
        i--;
    return i;
}

/* A candidate for the composed strides, right where nothing carries. */
typedef struct candidate {
    zc_view *view;               /* its offset leaves out inner's */
    uint64_t moved[ZC_MAX_RANK]; /* the digits that a step along the axis changes, as a bit set */
    int carry;                   /* as find_carry has it */
} candidate;

/* The strides that the first two elements along each axis of outer ask for. */
static void draw_up(const digits *merged, const zc_view *outer, candidate *found)
{
    int64_t first[ZC_MAX_RANK];
    int64_t step[ZC_MAX_RANK];
    ranges reached;
    split(merged, outer->offset, first);
    for (int i = 0; i < merged->count; i++)
        reached.low[i] = reached.high[i] = first[i];
    found->view->offset = weigh(merged, first);
    for (int a = 0; a < outer->rank; a++) {
        found->view->stride[a] = 0;
        found->moved[a] = 0;
        if (outer->stride[a] == 0)
            continue;
        int64_t second; /* an index of inner, so it fits */
        (void)zc_checked_add(outer->offset, outer->stride[a], &second);
        split(merged, second, step);
        for (int i = 0; i < merged->count; i++) {
            step[i] -= first[i];
            found->moved[a] |= (uint64_t)(step[i] != 0) << i;
        }
        found->view->stride[a] = weigh(merged, step);
        widen(merged, step, outer->shape[a] - 1, &reached);
    }
    found->carry = find_carry(merged, &reached);
}

/* Tells whether element k, in row-major order, of outer is where `claimed` has it. */
static bool lies_as_claimed(const digits *merged, const zc_view *outer, const zc_view *claimed, int64_t k)
{
    int64_t index = outer->offset;
    int64_t claim = claimed->offset;
    bool fits = true;
    for (int a = outer->rank - 1; a >= 0; a--) {
        int64_t at = k % outer->shape[a];
        k /= outer->shape[a];
        (void)zc_checked_advance(index, at, outer->stride[a], &index);
        fits &= zc_checked_advance(claim, at, claimed->stride[a], &claim);
    }
    int64_t digit[ZC_MAX_RANK];
    split(merged, index, digit);
    return fits && claim == weigh(merged, digit);
}

/* Tells whether the candidate holds although digits carry. That takes two boundaries between digits to carry across. An
 * axis that moves neither the digit that carries nor one between it and the first takes no part and stays out of the
 * search. */
static bool carries_cancel(const digits *merged, const zc_view *outer, const candidate *found)
{
    if (found->carry < 2)
        return false;
    uint64_t carrying = ((uint64_t)2 << found->carry) - 2;
    uint64_t apart = 0;
    for (int a = 0; a < outer->rank; a++)
        apart |= (uint64_t)((found->moved[a] & carrying) == 0) << a;
    zc_view walked;
    zc_view claimed;
    zc_view_drop_axes(outer, apart, &walked);
    zc_view_drop_axes(found->view, apart, &claimed);
    int64_t size = zc_view_size(&walked);
    if (size > SEARCH_LIMIT)
        return false;
    for (int64_t k = 0; k < size; k++)
        if (!lies_as_claimed(merged, &walked, &claimed, k))
            return false;
    return true;
}

static bool find_strides(const digits *merged, const zc_view *outer, zc_view *out)
{
    candidate found = {.view = out};
    draw_up(merged, outer, &found);
    return found.carry < 0 || carries_cancel(merged, outer, &found);
}

bool zc_view_compose(const zc_view *inner, const zc_view *outer, zc_view *out)
{
    int64_t size = zc_view_size(inner);
    if (size == 0) {
        zc_view_row_major(outer->rank, outer->shape, out);
        return true;
    }
    if (zc_shape_equal(inner->rank, inner->shape, outer->rank, outer->shape) && zc_view_is_identity(outer, size)) {
        zc_view_copy(inner, out);
        return true;
    }
    digits merged;
    merge_axes(inner, &merged);
    out->rank = outer->rank;
    for (int a = 0; a < outer->rank; a++)
        out->shape[a] = outer->shape[a];
    if (merged.count < 2)
        scale(outer, merged.count == 0 ? 0 : merged.stride[0], out);
    else if (!find_strides(&merged, outer, out))
        return false;
    (void)zc_checked_add(out->offset, inner->offset, &out->offset);
    zc_view_canonicalise(out);
    return true;
}
