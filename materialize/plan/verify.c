#include "materialize/plan/verify.h"

#include "materialize/plan/group.h"
#include "materialize/plan/memory.h"
#include "views/overlap.h"

#include <string.h>

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

/* Writes to a slot so far; and for a memory, the slot that has its elements there. */
typedef struct written {
    const zc_stage *piece; /* the last one */
    bool is_whole, is_read;
    int32_t holder; /* or -1 */
} written;

/* The axes along which an access moves, its checks included. */
static uint64_t moving_axes(const zc_stage *stage, const zc_value *value)
{
    const int64_t *stride = stage->stride + (size_t)value->access * (size_t)stage->rank;
    uint64_t axes = 0;
    for (int a = 0; a < stage->rank; a++)
        axes |= (uint64_t)(stride[a] != 0) << a;
    for (int i = 0; i < value->arity; i++)
        axes |= stage->values[value->arg[i]].axes;
    return axes;
}

/* Tells an access that walks a domain with elements inside of `elements`. */
static bool walks_inside(const zc_stage *stage, const zc_value *value, int64_t elements)
{
    const int64_t *stride = stage->stride + (size_t)value->access * (size_t)stage->rank;
    int64_t lowest = stage->offset[value->access], highest = lowest, size = 1;
    for (int a = 0; a < stage->rank; a++) {
        const int64_t extent = zc_stage_extent_of(stage, (int32_t)(value - stage->values), a);
        int64_t *end = stride[a] < 0 ? &lowest : &highest;
        if (extent <= 0 || !zc_checked_multiply(size, extent, &size) ||
            !zc_checked_advance(*end, extent - 1, stride[a], end))
            return false;
    }
    return lowest >= 0 && highest < elements;
}

/* An access stays inside `elements`, wherever its checks may stand. */
static bool access_is_inside(const zc_stage *stage, const zc_value *value, int64_t elements)
{
    zc_view reach, proven;
    if (value->arity == 0)
        return walks_inside(stage, value, elements);
    const int64_t *stride = stage->stride + (size_t)value->access * (size_t)stage->rank;
    int64_t lowest, highest, shape[ZC_MAX_RANK], extent[ZC_MAX_ARITY];
    for (int a = 0; a < stage->rank; a++)
        shape[a] = zc_stage_extent_of(stage, (int32_t)(value - stage->values), a);
    if (zc_view_prove(stage->rank, shape, stride, stage->offset[value->access], elements, &reach, NULL) != ZC_OK)
        return false;
    zc_view_reach(&reach, &lowest, &highest);
    for (int i = 0; i < value->arity; i++)
        extent[i] = stage->values[value->arg[i]].extent;
    for (int end = 0; end < 2; end++) {
        if (zc_view_prove(value->arity, extent, value->pick_stride, end == 0 ? lowest : highest, elements, &proven,
                          NULL) != ZC_OK)
            return false;
    }
    return true;
}

static bool args_are_checks(const zc_stage *stage, const zc_value *value)
{
    for (int i = 0; i < value->arity; i++) {
        if (stage->values[value->arg[i]].kind != ZC_VALUE_CHECK)
            return false;
    }
    return true;
}

static const char *check_load(const zc_plan *plan, const zc_stage *stage, written *slots, const zc_value *value)
{
    if (value->access < 0 || value->access >= stage->access_count)
        return "an access exists";
    if (!args_are_checks(stage, value))
        return "computed positions are checked";
    if (moving_axes(stage, value) != value->axes)
        return "an access moves where its value varies";
    if (value->kind == ZC_VALUE_INDEX)
        return NULL;
    if (value->slot < 0 || value->slot >= plan->slot_count)
        return "a load names a slot";
    const zc_slot *slot = &plan->slots[value->slot];
    if (slot->dtype != (zc_dtype)value->dtype)
        return "a load has its slot's dtype";
    if (slot->kind != ZC_SLOT_INPUT && !slots[value->slot].is_whole)
        return "what is read was written before";
    const int32_t holder = slots[zc_slot_memory(plan, value->slot)].holder;
    if (holder != value->slot && (slot->kind != ZC_SLOT_INPUT || holder >= 0))
        return "what is read was not written over";
    slots[value->slot].is_read = true;
    if (has_elements(stage) && !access_is_inside(stage, value, slot->elements))
        return "an access stays inside its slot";
    return NULL;
}

/* A check takes positions in an axis, and only an empty stage has an axis without any. */
static const char *check_check(const zc_stage *stage, const zc_value *value)
{
    if (value->arity != 1 || stage->values[value->arg[0]].dtype != ZC_INT64)
        return "a check has positions";
    return value->extent >= 1 || !has_elements(stage) ? NULL : "a checked axis has positions";
}

static const char *check_op(const zc_stage *stage, int32_t v)
{
    const zc_value *value = &stage->values[v];
    uint64_t axes = 0;
    if (value->op >= ZC_OP_COUNT || value->arity != zc_op_describe((zc_op)value->op)->arity)
        return "an operation has its operands";
    for (int i = 0; i < value->arity; i++)
        axes |= stage->values[value->arg[i]].axes;
    return axes == value->axes ? NULL : "a value varies where its operands do";
}

/* Finds the elements that a stage writes together with the stages of all slabs beside its own; false when its slabs do
 * not lie inside each other. */
static bool find_whole(const zc_stage *stage, int64_t *shape, int64_t *offset)
{
    zc_copy_list(stage->kept, stage->shape, shape);
    *offset = stage->store.offset;
    for (int i = stage->store.slab_count - 1; i >= 0; i--) {
        const zc_slab *slab = &stage->store.slabs[i];
        if (slab->axis < 0 || slab->axis >= stage->kept || slab->length != shape[slab->axis] || slab->first < 0 ||
            slab->length > slab->whole || slab->first > slab->whole - slab->length ||
            !zc_checked_advance(*offset, -slab->first, stage->store.stride[slab->axis], offset))
            return false;
        shape[slab->axis] = slab->whole;
    }
    return true;
}

static bool are_first(const zc_stage *stage, int from)
{
    for (int i = from; i < stage->store.slab_count; i++) {
        if (stage->store.slabs[i].first != 0)
            return false;
    }
    return true;
}

static bool are_last(const zc_stage *stage, int from)
{
    for (int i = from; i < stage->store.slab_count; i++) {
        if (stage->store.slabs[i].first != stage->store.slabs[i].whole - stage->store.slabs[i].length)
            return false;
    }
    return true;
}

/* A slab begins where the one before it ends: after the slabs inside that, and with the first one inside it. */
static bool follows(const zc_stage *stage, const zc_stage *before)
{
    int i = 0,
        count = before->store.slab_count < stage->store.slab_count ? before->store.slab_count : stage->store.slab_count;
    while (i < count && zc_slab_equal(&stage->store.slabs[i], &before->store.slabs[i]))
        i++;
    if (i == count)
        return false;
    const zc_slab *a = &before->store.slabs[i], *b = &stage->store.slabs[i];
    return a->axis == b->axis &&
           a->whole == b->whole &&             /* LCOV_EXCL_BR_LINE: wholes of an axis are as in zc_slab_equal() */
           b->first == a->first + a->length && /* proven: find_whole() */
           are_last(before, i + 1) && are_first(stage, i + 1);
}

/* The slabs of a slot follow each other, and are slabs of the same whole. */
static bool continues(const zc_stage *stage, const written *slot)
{
    int64_t shape[ZC_MAX_RANK], offset;
    const zc_stage *before = slot->piece;
    if (stage->store.slab_count == 0 || slot->is_whole)
        return before == NULL && !slot->is_whole;
    if (!find_whole(stage, shape, &offset))
        return false;
    if (before == NULL)
        return are_first(stage, 0);
    int64_t shape_before[ZC_MAX_RANK], offset_before;
    (void)find_whole(before, shape_before, &offset_before); /* as it did when `before` was looked at */
    return offset == offset_before && zc_shape_equal(stage->kept, shape, before->kept, shape_before) &&
           memcmp(before->store.stride, stage->store.stride, (size_t)stage->kept * sizeof(int64_t)) == 0 &&
           follows(stage, before);
}

/* View of the elements that the stage writes; for a piece, of all that the pieces together write, so that none can meet
 * another. */
static zc_status view_store(const zc_plan *plan, const zc_stage *stage, zc_view *store)
{
    int64_t shape[ZC_MAX_RANK], offset;
    (void)find_whole(stage, shape, &offset); /* continues() */
    return zc_view_prove(stage->kept, shape, stage->store.stride, offset, plan->slots[stage->store.slot].elements,
                         store, NULL);
}

/* Tells a store of all elements of a slot in row-major order: inside of it, and none twice. */
static bool stores_in_order(const zc_stage *stage, int64_t elements)
{
    int64_t step = 1;
    bool is_in_order = stage->store.offset == 0 && stage->store.slab_count == 0 && stage->kind->moves == NULL;
    for (int a = stage->kept - 1; a >= 0 && is_in_order; a--)
        is_in_order = stage->shape[a] > 0 && (stage->shape[a] == 1 || stage->store.stride[a] == step) &&
                      zc_checked_multiply(step, stage->shape[a], &step);
    return is_in_order && step == elements;
}

/* Wherever the checks move the store. */
static bool moves_stay_inside(const zc_stage *stage, const zc_view *store, int64_t elements)
{
    int64_t reach[2], extent[ZC_MAX_RANK], step[ZC_MAX_RANK];
    zc_view proven;
    const int count = zc_stage_store_moves(stage, extent, step);
    if (count == 0 || !has_elements(stage))
        return true;
    zc_view_reach(store, &reach[0], &reach[1]);
    for (int end = 0; end < 2; end++) {
        if (zc_view_prove(count, extent, step, reach[end], elements, &proven, NULL) != ZC_OK)
            return false;
    }
    return true;
}

/* The memory of the stage's slot is free, or holds what the stage may store over, or updates in place. */
static bool takes_memory(const zc_plan *plan, const zc_stage *stage, written *slots)
{
    written *memory = &slots[zc_slot_memory(plan, stage->store.slot)];
    const bool is_input =
        stage->store.base >= 0 && plan->slots[stage->store.base].kind == ZC_SLOT_INPUT && memory->holder < 0;
    bool takes = stage->store.base >= 0 ? is_input || memory->holder == stage->store.base
                                        : memory->holder < 0 || memory->holder == stage->store.slot ||
                                              zc_stage_may_overwrite(plan, stage, memory->holder);
    memory->holder = stage->store.slot;
    return takes;
}

/* Tells whether the elements that a stage updates exist: in its slot, which nobody has read, or in that of its base,
 * which nobody has written over and which is the only one that its own slot has had so far. */
static bool has_base(const zc_plan *plan, const zc_stage *stage, const written *slots)
{
    const written *known = &slots[stage->store.slot];
    if (stage->store.clears > 0 || stage->store.slab_count > 0)
        return false;
    if (stage->store.base < 0)
        return known->is_whole && !known->is_read;
    return stage->store.base < plan->slot_count && stage->store.base != stage->store.slot &&
           (slots[stage->store.base].is_whole || plan->slots[stage->store.base].kind == ZC_SLOT_INPUT) &&
           known->piece == NULL && zc_stage_may_continue(plan, stage, stage->store.base);
}

/* The rule about places that a store breaks, or NULL. */
static const char *check_places(const zc_plan *plan, const zc_stage *stage, int64_t elements)
{
    zc_view store;
    if (stores_in_order(stage, elements))
        return NULL;
    if (view_store(plan, stage, &store) != ZC_OK || !moves_stay_inside(stage, &store, elements))
        return "a store stays inside its slot";
    return stage->kind->may_meet || zc_view_is_injective(&store) ? NULL : "a store reaches no element twice";
}

static const char *check_store(const zc_plan *plan, const zc_stage *stage, written *slots)
{
    if (stage->store.slot < 0 || stage->store.slot >= plan->slot_count)
        return "a stage stores to a slot";
    const zc_slot *slot = &plan->slots[stage->store.slot];
    written *known = &slots[stage->store.slot];
    if (stage->store.updates ? !has_base(plan, stage, slots) : stage->store.base >= 0)
        return "what is updated was written before, and not read";
    if (slot->kind == ZC_SLOT_INPUT || (!stage->store.updates && !continues(stage, known)))
        return "a slot is written once";
    if (slot->dtype != stage->store.dtype)
        return "a store has its slot's dtype";
    if (stage->store.clears < 0 || stage->store.clears > slot->elements)
        return "a stage clears its slot";
    const char *rule = check_places(plan, stage, slot->elements);
    if (rule != NULL)
        return rule;
    if (!takes_memory(plan, stage, slots))
        return "only a temporary that is read where it is stored is written over";
    known->piece = stage;
    known->is_whole = are_last(stage, 0);
    return NULL;
}

static const char *check_value(const zc_plan *plan, const zc_stage *stage, written *slots, int32_t v)
{
    const zc_value *value = &stage->values[v];
    for (int i = 0; i < value->arity; i++) {
        if (value->arg[i] < 0 || value->arg[i] >= v)
            return "operands stand before their users";
    }
    switch (value->kind) {
    case ZC_VALUE_CONSTANT:
        return NULL;
    case ZC_VALUE_OP:
        return check_op(stage, v);
    case ZC_VALUE_CHECK:
        return check_check(stage, value);
    default:
        return check_load(plan, stage, slots, value);
    }
}

static const char *check_stage(const zc_plan *plan, int32_t s, written *slots)
{
    const zc_stage *stage = zc_plan_walk(plan, s);
    if (stage->value_count < 1 || stage->kept < 0 || stage->kept > stage->rank || stage->rank > ZC_MAX_RANK)
        return "a stage has a domain and a value";
    if (!stage->kind->reduces && stage->kept != stage->rank)
        return "only reductions reduce axes";
    const char *broken = stage->kind->broken_rule != NULL ? stage->kind->broken_rule(stage) : NULL;
    if (broken != NULL)
        return broken;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const char *rule = check_value(plan, stage, slots, v);
        if (rule != NULL)
            return rule;
    }
    return check_store(plan, stage, slots);
}

/* Checks the dtype and shape of a result against the tensor that was asked for; the caller's memory was looked at by
 * whoever took it. */
static const char *check_result(const zc_plan *plan, const zc_plan_result *result, const written *slots)
{
    const zc_tensor *t = result->asked;
    zc_view shown;
    if (result->slot < 0 || result->slot >= plan->slot_count)
        return "a result has a slot";
    const zc_slot *slot = &plan->slots[result->slot];
    if (slot->kind == ZC_SLOT_TEMPORARY || (slot->kind == ZC_SLOT_OUTPUT && !slots[result->slot].is_whole))
        return "stages make the outputs";
    if (slot->dtype != zc_dtype_of(t) ||
        (plan->target == NULL &&
         zc_view_prove(t->rank, t->dims, result->stride, result->offset, slot->elements, &shown, NULL) != ZC_OK))
        return "a result lies in its slot";
    return NULL;
}

/* A slot of which a group has one block is written and read in the group alone. */
static const char *check_block(const zc_plan *plan, const zc_slot *slot)
{
    const zc_group *group = slot->first_stage >= 0 ? zc_stage_group(plan->stages[slot->first_stage]) : NULL;
    if (!slot->is_block)
        return NULL;
    return slot->kind == ZC_SLOT_TEMPORARY && group != NULL && slot->last_stage < group->first + group->count
               ? NULL
               : "a block is read in its group";
}

zc_status zc_plan_verify(zc_plan *plan, zc_reason *why)
{
    written *slots = zc_arena_take(&plan->arena, (size_t)plan->slot_count, sizeof *slots);
    if (slots == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    for (int32_t i = 0; i < plan->slot_count; i++)
        slots[i] = (written){.holder = -1};
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const char *rule = check_stage(plan, s, slots);
        const zc_group *group = zc_stage_group(plan->stages[s]);
        if (rule == NULL && group != NULL && group->first == s)
            rule = zc_group_broken_rule(plan, group);
        if (rule != NULL)
            return broken(why, s, rule);
    }
    for (int32_t i = 0; i < plan->slot_count; i++) {
        const char *rule = check_block(plan, &plan->slots[i]);
        if (rule != NULL)
            return broken(why, plan->stage_count, rule);
    }
    for (int32_t i = 0; i < plan->result_count; i++) {
        const char *rule = check_result(plan, &plan->results[i], slots);
        if (rule != NULL)
            return broken(why, plan->stage_count, rule);
    }
    return ZC_OK;
}
