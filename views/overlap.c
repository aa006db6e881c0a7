/*
 * Write safety: two elements of a view share an address exactly when some difference of their indices, not all 0, adds
 * up to nothing. Signs of strides do not matter for that, so the search looks at magnitudes only.
 *
 * Invariant: "true" is only said of views whose differences were all excluded.
 */
#include "views/overlap.h"

enum { SEARCH_STEPS = 100000 };

/* The axes of size > 1, the largest stride first. */
typedef struct axes {
    int count;
    int64_t stride[ZC_MAX_RANK];
    int64_t most[ZC_MAX_RANK];       /* extent - 1: the largest difference of two indices */
    int64_t reach[ZC_MAX_RANK + 1];  /* sum of most * stride over this axis and those after it */
    int64_t common[ZC_MAX_RANK + 1]; /* greatest common divisor of their strides; 0 after the last */
} axes;

static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* False when an axis repeats: its stride is 0. */
static bool sort_axes(const zc_view *view, axes *sorted)
{
    sorted->count = 0;
    for (int a = 0; a < view->rank; a++) {
        if (view->shape[a] == 1)
            continue;
        if (view->stride[a] == 0)
            return false;
        int64_t stride = view->stride[a] < 0 ? -view->stride[a] : view->stride[a];
        int i = sorted->count++;
        for (; i > 0 && sorted->stride[i - 1] < stride; i--) {
            sorted->stride[i] = sorted->stride[i - 1];
            sorted->most[i] = sorted->most[i - 1];
        }
        sorted->stride[i] = stride;
        sorted->most[i] = view->shape[a] - 1;
    }
    sorted->reach[sorted->count] = 0;
    sorted->common[sorted->count] = 0;
    for (int i = sorted->count - 1; i >= 0; i--) {
        sorted->reach[i] =
            sorted->reach[i + 1] + sorted->most[i] * sorted->stride[i]; /* proven: within the view's own reach */
        sorted->common[i] = greatest_common_divisor(sorted->stride[i], sorted->common[i + 1]);
    }
    return true;
}

/* Every step of an axis is longer than all smaller axes together: no difference adds up to nothing. */
static bool is_nested(const axes *sorted)
{
    for (int i = 0; i < sorted->count; i++)
        if (sorted->stride[i] <= sorted->reach[i + 1])
            return false;
    return true;
}

/* Per axis: what the axes so far leave for it and those after it, and the differences still to be tried. */
typedef struct search {
    int64_t rest[ZC_MAX_RANK + 1];
    int64_t next[ZC_MAX_RANK];
    int64_t last[ZC_MAX_RANK];
    bool moved[ZC_MAX_RANK + 1]; /* an axis before this one differs */
} search;

/* The differences of axis i that leave no more than the axes after it can make up for. What is left is at most what the
 * axes before can differ by, so the sums stay within the reach of all axes. A solution's negative is one, too: the
 * first difference that is not 0 is taken positive. */
static void enter_axis(const axes *sorted, search *s, int i)
{
    int64_t low;
    int64_t high;
    (void)zc_checked_subtract(s->rest[i], sorted->reach[i + 1], &low);
    (void)zc_checked_add(s->rest[i], sorted->reach[i + 1], &high);
    low = zc_divide_up(low, sorted->stride[i]);
    high = zc_divide_down(high, sorted->stride[i]);
    int64_t lowest = s->moved[i] ? -sorted->most[i] : 0;
    s->next[i] = low < lowest ? lowest : low;
    s->last[i] = high > sorted->most[i] ? sorted->most[i] : high;
}

/* Depth first over the axes, as an explicit stack. True when every difference was excluded within the steps allowed. */
static bool has_no_collision(const axes *sorted)
{
    search s;
    int i = 0;
    s.rest[0] = 0;
    s.moved[0] = false;
    enter_axis(sorted, &s, 0);
    for (int step = 0; step < SEARCH_STEPS; step++) {
        if (s.next[i] > s.last[i]) {
            if (i == 0)
                return true;
            i--;
            continue;
        }
        int64_t difference = s.next[i]++;
        int64_t rest;
        (void)zc_checked_multiply(difference, sorted->stride[i], &rest);
        (void)zc_checked_subtract(s.rest[i], rest, &rest);
        s.moved[i + 1] = s.moved[i] || difference != 0;
        if (rest == 0 && s.moved[i + 1])
            return false;
        if (i + 1 == sorted->count || rest % sorted->common[i + 1] != 0)
            continue;
        i++;
        s.rest[i] = rest;
        enter_axis(sorted, &s, i);
    }
    return false;
}

bool zc_view_is_injective(const zc_view *view)
{
    axes sorted;
    if (zc_view_size(view) == 0)
        return true;
    return sort_axes(view, &sorted) && (is_nested(&sorted) || has_no_collision(&sorted));
}

/* ---- Two views ---- */

/* The greatest common divisor of a number and all strides of axes that move. */
static int64_t common_step(const zc_view *view, int64_t common)
{
    for (int a = 0; a < view->rank; a++)
        common = view->shape[a] == 1 ? common : greatest_common_divisor(view->stride[a], common);
    return common < 0 ? -common : common;
}

/* Finds the place of the view's elements between multiples of `step`, from *lowest to *highest, if all of them are
 * between the same two but for whole steps. */
static bool find_place(const zc_view *view, int64_t step, int64_t *lowest, int64_t *highest)
{
    *lowest = *highest = view->offset % step;
    for (int a = 0; a < view->rank; a++) {
        const int64_t reach = (view->shape[a] - 1) * view->stride[a]; /* proven: inside the storage */
        if (view->shape[a] == 1 || view->stride[a] % step == 0)
            continue;
        if (reach >= step || reach <= -step)
            return false;
        *(reach < 0 ? lowest : highest) += reach; /* proven: both are smaller than the step */
        if (*lowest < 0 || *highest >= step)
            return false;
    }
    return true;
}

/* Tells whether the steps of one of the view's axes tell the two apart. */
static bool are_apart_between_steps(const zc_view *view, const zc_view *a, const zc_view *b)
{
    int64_t lowest[2], highest[2];
    for (int k = 0; k < view->rank; k++) {
        const int64_t step = view->stride[k] < 0 ? -view->stride[k] : view->stride[k];
        if (view->shape[k] > 1 && step > 1 && find_place(a, step, &lowest[0], &highest[0]) &&
            find_place(b, step, &lowest[1], &highest[1]) && (highest[0] < lowest[1] || highest[1] < lowest[0]))
            return true;
    }
    return false;
}

bool zc_views_are_apart(const zc_view *a, const zc_view *b)
{
    int64_t lowest[2], highest[2];
    if (zc_view_size(a) == 0 || zc_view_size(b) == 0)
        return true;
    zc_view_reach(a, &lowest[0], &highest[0]);
    zc_view_reach(b, &lowest[1], &highest[1]);
    if (highest[0] < lowest[1] || highest[1] < lowest[0])
        return true;
    const int64_t common = common_step(a, common_step(b, 0));
    if (common > 1 && (a->offset - b->offset) % common != 0)
        return true;
    return are_apart_between_steps(a, a, b) || are_apart_between_steps(b, a, b);
}
