#include "materialize/lower/decide.h"

#include "materialize/lower/region.h"

/* Below this much work a stage of its own takes longer than it saves. */
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
    const zc_stage *stage = &step->draft->stage;
    bool is_smaller = stage->reason == ZC_STAGE_RESULT && step->draft->size <= step->value.node->size;
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
        if (step->draft->stage.contracts)
            return true;
    }
    return false;
}

bool zc_is_better_stored(zc_lowering *l, zc_needed *needed)
{
    const double stage_work = l->policy == ZC_POLICY_FAST ? STAGE_WORK : 0;
    double cost = needed->cost, computed = domains_of(needed);
    if (l->policy == ZC_POLICY_LEAN)
        return needed->step_count > ZC_MOST_LEAN_STEPS;
    if (is_seen_once(needed)) {
        needed->demanded = needed->node->size;
        return l->policy == ZC_POLICY_EAGER && !zc_is_stored_by_all(l, needed);
    }
    if (computed * (cost - 1) <= stage_work && needed->step_count <= ZC_MOST_STEPS && l->policy == ZC_POLICY_FAST) {
        needed->demanded = zc_find_shown(needed);
        return false;
    }
    int count = zc_find_regions(l, needed, true, -1);
    if (l->policy == ZC_POLICY_EAGER)
        return needed->step_count > 1 || !zc_is_stored_by_all(l, needed) || (double)needed->demanded < computed;
    if (needed->step_count > ZC_MOST_STEPS)
        return true;
    double stored = (double)needed->demanded * (cost + 1) + computed + stage_work * count;
    return l->policy == ZC_POLICY_WORK ? computed * cost >= stored : computed * cost > stored;
}
