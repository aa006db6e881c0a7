#include "materialize/planner/budget.h"

#include "materialize/planner/window.h"
#include "runtime/dtypes/float_environment.h"

#include <stdio.h>

static void window_text(const zc_plan *plan, const zc_tensor *t, const zc_budget *budget, char *text, size_t bytes)
{
    text[0] = '\0';
    if (budget->window_axis >= 0)
        (void)snprintf(text, bytes, "; a window of %lld of the %lld along axis %d would fit",
                       (long long)budget->window_count, (long long)t->dims[budget->window_axis], budget->window_axis);
    else if (plan->result_count == 1)
        (void)snprintf(text, bytes, "; no window of it %s",
                       plan->peak_bytes > plan->output_bytes ? "is known to fit" : "would fit");
}

/* "a result of shape (3,) needs", "4 results need" */
static void need_text(const zc_plan *plan, const zc_tensor *t, char *text, size_t bytes)
{
    char shape[ZC_SHAPE_TEXT];
    if (plan->result_count > 1)
        (void)snprintf(text, bytes, "%d results need", (int)plan->result_count);
    else
        (void)snprintf(text, bytes, "a result of shape %s needs", zc_shape_text(shape, sizeof shape, t->rank, t->dims));
}

zc_status zc_plan_check_budget(const zc_plan *plan, const zc_plan_request *request, zc_reason *why)
{
    if (zc_check_limit(plan->ctx, plan->peak_bytes, NULL) == ZC_OK)
        return ZC_OK;
    ZC_DEFAULT_FLOATS();
    zc_budget budget = {.need = plan->peak_bytes,
                        .held = zc_memory_usage(plan->ctx).held_bytes,
                        .limit = plan->ctx->options.memory_limit,
                        .window_axis = -1};
    char window[128], need[ZC_SHAPE_TEXT + 64];
    zc_window_find(plan, request, &budget);
    need_text(plan, request->tensors[0], need, sizeof need);
    window_text(plan, request->tensors[0], &budget, window, sizeof window);
    why->budget = budget;
    return zc_refuse(why, ZC_ERROR_BUDGET, "%s %lld bytes of memory with %lld held already, over the limit of %lld%s",
                     need, (long long)budget.need, (long long)budget.held, (long long)budget.limit, window);
}
