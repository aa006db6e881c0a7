#include "materialize/cost.h"

#include "materialize/materialize.h"
#include "materialize/planner/planner.h"
#include "runtime/graph/keep.h"

zc_status zc_ask_cost(int count, const zc_tensor *const *tensors, const char *function, zc_cost *cost)
{
    if (cost != NULL)
        *cost = (zc_cost){0};
    zc_status status = zc_check_tensors(count, tensors, function);
    if (status != ZC_OK || count == 0)
        return status;
    if (cost == NULL)
        return zc_refuse_place(tensors[0], function);
    zc_plan plan;
    zc_graph_follow_begin();
    status =
        zc_plan_ask(&(zc_plan_request){.count = count, .tensors = tensors, .function = function, .buys = true}, &plan);
    zc_graph_follow_end();
    if (status != ZC_OK)
        return status;
    *cost = (zc_cost){.logical_bytes = plan.logical_bytes,
                      .held_bytes = plan.held_bytes,
                      .written_bytes = plan.written_bytes,
                      .kept_bytes = plan.bought_bytes,
                      .peak_bytes = plan.peak_bytes,
                      .plan_bytes = plan.plan_bytes,
                      .work = zc_plan_work(&plan)};
    zc_plan_free(&plan);
    return ZC_OK;
}

zc_status zc_cost_of_all(int count, const zc_tensor *const *tensors, zc_cost *cost)
{
    return zc_ask_cost(count, tensors, "cost_of_all", cost);
}

zc_status zc_cost_of(const zc_tensor *t, zc_cost *cost)
{
    return zc_ask_cost(1, &t, "cost_of", cost);
}
