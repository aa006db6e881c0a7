#include "materialize/planner/window.h"

#include <string.h>

#include "materialize/planner/planner.h"
#include "runtime/graph/tensor.h"

/* Plans that a search may make: each takes as long as that of the result. */
enum { MOST_PLANS = 16 };

typedef struct search {
    const zc_plan_request *request;
    zc_tensor *window; /* a handle that nobody else has, of the result's node */
    int64_t room;      /* bytes that the limit leaves */
    int plans;         /* made so far */
} search;

/* Bytes at the peak of a window of the result; INT64_MAX when it cannot be planned. */
static int64_t peak_of(search *s, int axis, int64_t first, int64_t count)
{
    const zc_tensor *t = s->request->tensors[0];
    zc_plan plan;
    const zc_plan_request request = {.count = 1,
                                     .tensors = (const zc_tensor *const *)&s->window,
                                     .layout = s->request->layout,
                                     .function = s->request->function};
    s->plans++;
    s->window->dims[axis] = count;
    s->window->size = t->size / t->dims[axis] * count;           /* proven: a part of the result */
    s->window->offset = t->offset + first * zc_strides(t)[axis]; /* proven: an element of the result */
    int64_t peak = INT64_MAX;
    if (zc_plan_make(&request, &plan) == ZC_OK) { /* LCOV_EXCL_BR_LINE: as the whole could be, unless memory is out */
        peak = plan.peak_bytes;
        zc_plan_free(&plan);
    }
    s->window->dims[axis] = t->dims[axis];
    return peak;
}

/* The first and the last window of that length: those between are like them, or like neither end and larger by what
 * they overlap, which the first of a stencil tells. */
static int64_t most_of_both(search *s, int axis, int64_t count)
{
    const int64_t first = peak_of(s, axis, 0, count);
    if (first > s->room)
        return first;
    return zc_larger(first, peak_of(s, axis, s->request->tensors[0]->dims[axis] - count, count));
}

/* Length of a window along an axis if memory is in proportion to it, from the length and the peak of another one. */
static int64_t shorten(int64_t count, int64_t peak, int64_t room)
{
    return zc_smaller((int64_t)((double)count * ((double)room / (double)peak)), count - 1);
}

/* The longest window that the plan of the whole leaves memory for, or, where its temporaries take all, in proportion.
 */
static int64_t first_guess(const zc_plan *plan, int64_t extent, int64_t part, int64_t room)
{
    const int64_t spent = plan->peak_bytes - plan->output_bytes;
    if (spent < room)
        return zc_smaller((room - spent) / part, extent - 1);
    return shorten(extent, plan->peak_bytes, room);
}

static int64_t find_along(search *s, const zc_plan *plan, int axis, int64_t part)
{
    int64_t count = first_guess(plan, s->request->tensors[0]->dims[axis], part, s->room);
    while (count > 0 && s->plans < MOST_PLANS) {
        const int64_t peak = most_of_both(s, axis, count);
        if (peak <= s->room)
            return count;
        count = shorten(count, peak, s->room);
    }
    return 0;
}

/* A handle without references on its node, which the request's tensor holds. */
static zc_tensor *new_window(const zc_tensor *t, size_t bytes)
{
    zc_tensor *window = zc_heap_take(t->heap, bytes);
    if (window != NULL) /* LCOV_EXCL_BR_LINE: memory is out while a refusal is written */
        memcpy(window, t, bytes);
    return window;
}

void zc_window_find(const zc_plan *plan, const zc_plan_request *request, zc_budget *budget)
{
    const zc_tensor *t = request->tensors[0];
    const size_t bytes = sizeof *t + 2 * (size_t)t->rank * sizeof *t->dims;
    const bool had_failed = plan->ctx->failure.status != ZC_OK;
    search s = {.request = request, .room = budget->held < budget->limit ? budget->limit - budget->held : 0};
    int64_t part = plan->output_bytes;
    budget->window_axis = -1;
    if (plan->result_count != 1 || s.room == 0)
        return;
    s.window = new_window(t, bytes);
    if (s.window == NULL) /* LCOV_EXCL_BR_LINE: likewise */
        return;           /* LCOV_EXCL_LINE: likewise */
    for (int a = 0; a < t->rank && budget->window_axis < 0; a++) {
        if (plan->results[0].stride[a] == 0) /* what a compact result holds but once is no less of a window */
            continue;
        part /= t->dims[a]; /* an element at least */
        const int64_t count = find_along(&s, plan, a, part);
        if (count > 0) {
            budget->window_axis = a;
            budget->window_count = count;
        }
    }
    zc_heap_give(t->heap, s.window, bytes);
    if (!had_failed)
        zc_error_clear(plan->ctx);
}
