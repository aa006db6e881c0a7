#include "materialize/lower/decide.h"

#include "materialize/lower/region.h"

/* Below this much work a stage of its own takes longer than it saves. Each further time that a node is inlined takes as
 * long to plan. */
static const double STAGE_WORK = 4096;

static double domains_of(const zc_needed *needed)
{
    double sum = 0;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next)
        sum += (double)step->draft->size;
    return sum;
}

/* Whether it is seen once, as it is. */
static bool is_seen_once(const zc_needed *needed)
{
    zc_view view;
    if (needed->step_count > 1 || needed->steps->draft->size != needed->node->size)
        return false;
    zc_step_view(needed->steps, &view);
    return zc_view_is_identity(&view, needed->node->size);
}

bool zc_stores_step(const zc_lowering *l, zc_step *step)
{
    const zc_stage *stage = step->draft->stage;
    bool is_smaller = (stage->reason == ZC_STAGE_RESULT || stage->reason == ZC_STAGE_KEPT) &&
                      step->draft->size <= step->value.node->size;
    bool takes_it = l->policy != ZC_POLICY_EAGER || is_smaller;
    return takes_it && !stage->reduces && !stage->scans && stage->clears == 0 && !stage->updates &&
           zc_step_resolve(step->draft->result) == step;
}

bool zc_is_stored_by_all(const zc_lowering *l, const zc_needed *needed)
{
    for (zc_step *step = needed->steps; step != NULL; step = step->next) {
        if (!zc_stores_step(l, step))
            return false;
    }
    return true;
}

bool zc_is_contracted(const zc_needed *needed)
{
    for (const zc_step *step = needed->steps; step != NULL; step = step->next) {
        if (step->draft->stage->contracts)
            return true;
    }
    return false;
}

bool zc_is_factor_step(const zc_step *step)
{
    if (!step->draft->stage->contracts)
        return false;
    const zc_step *product = zc_step_resolve(step->draft->result);
    return zc_step_resolve(product->arg[0]) == step || zc_step_resolve(product->arg[1]) == step;
}

bool zc_is_factor(const zc_needed *needed)
{
    const zc_step *step = needed->steps;
    while (step != NULL && !zc_is_factor_step(step))
        step = step->next;
    return step != NULL;
}

/* Under how many views a node may be inlined: any number where no operand is left to be decided (a mask that is
 * computed from positions, a number from numbers), and they are seen through strides. */
static int32_t most_steps(const zc_node *node)
{
    bool ends_here = node->kind == ZC_NODE_MAP && node->op != ZC_OP_COPY;
    for (int i = 0; i < node->edge_count; i++)
        ends_here &= node->edges[i].node->kind == ZC_NODE_CONSTANT || node->edges[i].node->kind == ZC_NODE_IOTA;
    return ends_here ? INT32_MAX : ZC_MOST_STEPS;
}

bool zc_is_better_stored(zc_lowering *l, zc_needed *needed)
{
    const double stage_work = l->policy == ZC_POLICY_FAST ? STAGE_WORK : 0;
    const int32_t most = most_steps(needed->node);
    const double planned_again = most == ZC_MOST_STEPS ? stage_work * (needed->step_count - 1) : 0;
    double cost = needed->cost, computed = domains_of(needed);
    l->region_count = -1;
    if (l->policy == ZC_POLICY_LEAN)
        return needed->step_count > ZC_MOST_LEAN_STEPS;
    if (is_seen_once(needed)) {
        needed->demanded = needed->node->size;
        return l->policy == ZC_POLICY_EAGER && !zc_is_stored_by_all(l, needed);
    }
    if (computed * (cost - 1) + planned_again <= stage_work && needed->step_count <= most &&
        l->policy == ZC_POLICY_FAST) {
        needed->demanded = zc_find_shown(needed);
        return false;
    }
    int count = l->region_count = zc_find_regions(l, needed, true, -1);
    if (l->policy == ZC_POLICY_EAGER)
        return needed->step_count > 1 || !zc_is_stored_by_all(l, needed) || (double)needed->demanded < computed;
    if (needed->step_count > most)
        return true;
    double stored = (double)needed->demanded * (cost + 1) + computed + stage_work * count;
    double inlined = computed * cost + planned_again;
    return l->policy == ZC_POLICY_WORK ? inlined >= stored : inlined > stored;
}
