/*
 * What a plan must be: the definition, checked before every run. A refusal here is a defect of lowering, never of the
 * caller, and is reported as such instead of reading outside a buffer.
 */
#include "materialize/plan.h"
#include "views/overlap.h"

static zc_status broken(zc_reason *why, int32_t stage, const char *rule)
{
    return zc_refuse(why, ZC_ERROR_INTERNAL, "stage %d breaks the rule that %s; please report this", (int)stage, rule);
}

static bool has_elements(const zc_stage *stage)
{
    for (int a = 0; a < stage->rank; a++) {
        if (stage->shape[a] == 0)
            return false;
    }
    return true;
}

/* An access moves only along `axes` and stays inside `elements`. */
static bool access_is_inside(const zc_stage *stage, const zc_value *value, int64_t elements)
{
    zc_view proven;
    const int64_t *stride = stage->stride + (size_t)value->access * (size_t)stage->rank;
    for (int a = 0; a < stage->rank; a++) {
        if (((value->axes >> a & 1) != 0) != (stride[a] != 0))
            return false;
    }
    return zc_view_prove(stage->rank, stage->shape, stride, stage->offset[value->access], elements, &proven, NULL) ==
           ZC_OK;
}

static const char *check_load(const zc_plan *plan, const zc_stage *stage, int32_t s, const zc_value *value)
{
    if (value->access < 0 || value->access >= stage->access_count)
        return "an access exists";
    if (value->kind == ZC_VALUE_INDEX)
        return NULL;
    if (value->slot < 0 || value->slot >= plan->slot_count)
        return "a load names a slot";
    const zc_slot *slot = &plan->slots[value->slot];
    if (slot->dtype != (zc_dtype)value->dtype)
        return "a load has its slot's dtype";
    if (slot->kind != ZC_SLOT_INPUT && (slot->first_stage < 0 || slot->first_stage >= s))
        return "what is read was written before";
    if (has_elements(stage) && !access_is_inside(stage, value, slot->elements))
        return "an access stays inside its slot";
    return NULL;
}

static const char *check_op(const zc_stage *stage, int32_t v)
{
    const zc_value *value = &stage->values[v];
    uint64_t axes = 0;
    if (value->op >= ZC_OP_COUNT || value->arity != zc_op_describe((zc_op)value->op)->arity)
        return "an operation has its operands";
    for (int i = 0; i < value->arity; i++) {
        if (value->arg[i] < 0 || value->arg[i] >= v)
            return "operands stand before their users";
        axes |= stage->values[value->arg[i]].axes;
    }
    return axes == value->axes ? NULL : "a value varies where its operands do";
}

static const char *check_store(const zc_plan *plan, const zc_stage *stage, int32_t s)
{
    if (stage->store_slot < 0 || stage->store_slot >= plan->slot_count)
        return "a stage stores to a slot";
    const zc_slot *slot = &plan->slots[stage->store_slot];
    if (slot->kind == ZC_SLOT_INPUT || slot->first_stage != s)
        return "a slot is written by one stage";
    if (slot->dtype != stage->result_dtype)
        return "a store has its slot's dtype";
    zc_view store;
    if (zc_view_prove(stage->kept, stage->shape, stage->store_stride, stage->store_offset, slot->elements, &store,
                      NULL) != ZC_OK)
        return "a store stays inside its slot";
    return zc_view_is_injective(&store) ? NULL : "a store reaches no element twice";
}

static const char *check_stage(const zc_plan *plan, int32_t s)
{
    const zc_stage *stage = &plan->stages[s];
    if (stage->value_count < 1 || stage->kept < 0 || stage->kept > stage->rank || stage->rank > ZC_MAX_RANK)
        return "a stage has a domain and a value";
    if (!stage->reduces && stage->kept != stage->rank)
        return "only reductions reduce axes";
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        const char *rule = value->kind == ZC_VALUE_OP         ? check_op(stage, v)
                           : value->kind == ZC_VALUE_CONSTANT ? NULL
                                                              : check_load(plan, stage, s, value);
        if (rule != NULL)
            return rule;
    }
    return check_store(plan, stage, s);
}

zc_status zc_plan_verify(const zc_plan *plan, zc_reason *why)
{
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const char *rule = check_stage(plan, s);
        if (rule != NULL)
            return broken(why, s, rule);
    }
    if (plan->stage_count < 1 || plan->stages[plan->stage_count - 1].store_slot != ZC_OUTPUT_SLOT)
        return broken(why, plan->stage_count, "the last stage makes the output");
    return ZC_OK;
}
