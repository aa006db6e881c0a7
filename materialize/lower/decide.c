#include "materialize/lower/decide.h"

bool zc_stores_step(const zc_lowering *l, zc_step *step)
{
    const zc_stage *stage = step->draft->stage;
    bool is_smaller = (stage->reason == ZC_STAGE_RESULT || stage->reason == ZC_STAGE_KEPT) &&
                      step->draft->size <= step->value.node->size;
    bool takes_it = l->policy != ZC_POLICY_EAGER || is_smaller;
    return takes_it && stage->kind->is_elementwise && stage->store.clears == 0 && !stage->store.updates &&
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

int32_t zc_count_views(const zc_needed *needed)
{
    double count = 0;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next)
        count += step->draft->sections != NULL ? 1.0 / *step->draft->sections : 1;
    return count > 1 ? (int32_t)(count + 0.5) : 1;
}

bool zc_is_contracted(const zc_needed *needed)
{
    for (const zc_step *step = needed->steps; step != NULL; step = step->next) {
        if (step->draft->stage->kind->packs_operands)
            return true;
    }
    return false;
}

bool zc_is_factor_step(const zc_step *step)
{
    if (!step->draft->stage->kind->packs_operands)
        return false;
    const zc_step *product = zc_step_resolve(step->draft->result);
    return zc_step_resolve(product->arg[0]) == step || zc_step_resolve(product->arg[1]) == step;
}
