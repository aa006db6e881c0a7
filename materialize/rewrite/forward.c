#include "materialize/rewrite/forward.h"

#include "materialize/plan/memory.h"

#include <string.h>

/* Writers and readers of a slot, and the slot that it has become. */
typedef struct traffic {
    int32_t writer; /* last stage that writes it, or -1 */
    int32_t writers, readers;
    int32_t renamed; /* -1: it is still itself */
} traffic;

static traffic *count_traffic(zc_plan *plan)
{
    traffic *slots = zc_arena_take(plan->scratch, (size_t)plan->slot_count, sizeof *slots);
    for (int32_t s = 0; slots != NULL && s < plan->slot_count; s++)
        slots[s] = (traffic){.writer = -1, .renamed = -1};
    for (int32_t s = 0; slots != NULL && s < plan->stage_count; s++) {
        const zc_stage *stage = zc_plan_walk(plan, s);
        slots[stage->store.slot].writer = s;
        slots[stage->store.slot].writers++;
        for (int32_t v = 0; v < stage->value_count; v++) {
            if (zc_value_reads(&stage->values[v]))
                slots[stage->values[v].slot].readers++;
        }
    }
    return slots;
}

/* Finds the load of a stage that does nothing but copy a temporary, perhaps to its place among elements that are there;
 * or NULL. */
static const zc_value *find_copied(const zc_plan *plan, const zc_stage *stage)
{
    const zc_value *load = zc_stage_result(stage);
    bool copies = zc_stage_is_copy(stage) && load->kind == ZC_VALUE_LOAD && stage->store.clears == 0 &&
                  plan->slots[load->slot].kind == ZC_SLOT_TEMPORARY;
    return copies ? load : NULL;
}

/* Tells whether the stage copies all elements of a slot to another one in their order; before an update these may be a
 * part of it. */
static bool is_renaming(const zc_plan *plan, const zc_stage *stage, const zc_value *load)
{
    int64_t elements = zc_stage_extent(stage, 0, stage->rank);
    if (stage->reason == ZC_STAGE_BASE)
        return plan->slots[load->slot].elements == plan->slots[stage->store.slot].elements &&
               zc_value_is_at_store(stage, load);
    return stage->store.slab_count == 0 && stage->offset[load->access] == 0 && stage->store.offset == 0 &&
           plan->slots[load->slot].elements == elements && plan->slots[stage->store.slot].elements == elements &&
           memcmp(stage->stride + (size_t)load->access * (size_t)stage->rank, stage->store.stride,
                  (size_t)stage->rank * sizeof(int64_t)) == 0;
}

static int32_t new_name(const traffic *slots, int32_t slot)
{
    while (slots[slot].renamed >= 0)
        slot = slots[slot].renamed;
    return slot;
}

/* Gives every slot its new name. */
static void rename_slots(zc_plan *plan, traffic *slots)
{
    int32_t count = 0;
    for (int32_t s = 0; s < plan->slot_count; s++) {
        int32_t name = new_name(slots, s);
        slots[s].renamed = name != s ? name : -1; /* chains are long: what lies behind is looked up once */
        count += name != s;
    }
    if (count == 0)
        return;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        zc_stage *stage = zc_plan_walk(plan, s);
        stage->store.slot = new_name(slots, stage->store.slot);
        for (int32_t v = 0; v < stage->value_count; v++) {
            if (zc_value_reads(&stage->values[v]))
                stage->values[v].slot = new_name(slots, stage->values[v].slot);
        }
    }
}

/* The strides with which `maker`, which stores what `copy` loads, would store where that stores; false when it walks
 * other axes. */
static bool find_strides(const zc_stage *maker, const zc_stage *copy, const zc_value *load, int64_t *strides)
{
    const int64_t *from = copy->stride + (size_t)load->access * (size_t)copy->rank;
    int a = 0;
    for (int m = 0; m < maker->kept; m++, a++) {
        while (a < copy->rank && copy->shape[a] == 1 && maker->shape[m] != 1)
            a++;
        if (a == copy->rank || copy->shape[a] != maker->shape[m] || from[a] != maker->store.stride[m])
            return false;
        strides[m] = copy->store.stride[a];
    }
    while (a < copy->rank && copy->shape[a] == 1)
        a++;
    return a == copy->rank;
}

/* Lets the stage that makes what is copied store it in place. */
static bool store_in_place(zc_plan *plan, zc_stage *maker, const zc_stage *copy, const zc_value *load, bool *moved)
{
    int64_t strides[ZC_MAX_RANK];
    *moved = maker->store.clears == 0 && !maker->store.updates && maker->store.slab_count == 0 &&
             (!copy->store.updates || !zc_stage_is_parted(maker)) &&
             maker->store.offset == copy->offset[load->access] &&
             (copy->store.slab_count == 0 || maker->kept == copy->kept) && find_strides(maker, copy, load, strides);
    if (!*moved)
        return true;
    maker->store.stride = zc_arena_copy(&plan->arena, strides, (size_t)maker->kept, sizeof *strides);
    maker->store.slot = copy->store.slot;
    maker->store.offset = copy->store.offset;
    maker->store.slabs = copy->store.slabs;
    maker->store.slab_count = copy->store.slab_count;
    maker->store.updates = copy->store.updates;
    return maker->store.stride != NULL;
}

/* Forwards the copy of stage `s`, if it is one. False when memory is out. */
static bool forward(zc_plan *plan, zc_policy policy, traffic *slots, int32_t s, bool *dropped)
{
    zc_stage *copy = zc_plan_walk(plan, s);
    const zc_value *load = find_copied(plan, copy);
    if (load == NULL)
        return true;
    int32_t from = load->slot, maker = slots[from].writer;
    bool is_updated = slots[copy->store.slot].writers > 1;
    bool is_base = copy->reason == ZC_STAGE_BASE && slots[from].renamed < 0 && !plan->slots[from].takes_over &&
                   (slots[from].readers == 1 || !is_updated); /* updates go on in the same memory */
    bool is_result = plan->slots[copy->store.slot].kind == ZC_SLOT_OUTPUT && slots[from].renamed < 0;
    if ((is_result || is_base) && is_renaming(plan, copy, load)) {
        traffic *to = &slots[copy->store.slot];
        if (!is_updated) {
            to->writer = slots[from].writer;
            to->writers = slots[from].writers;
        }
        to->readers += slots[from].readers - 1;
        slots[from].renamed = copy->store.slot;
        dropped[s] = true;
        return true;
    }
    bool moved;
    if (slots[from].readers > 1 || slots[from].writers > 1 || (policy == ZC_POLICY_EAGER && copy->store.slab_count > 0))
        return true;
    if (!store_in_place(plan, plan->stages[maker], copy, load, &moved))
        return false;
    if (moved) { /* it takes the copy's turn, which pieces before and behind it wait for */
        plan->stages[s] = plan->stages[maker];
        dropped[maker] = true;
    }
    return true;
}

bool zc_forward_copies(zc_plan *plan, zc_policy policy)
{
    traffic *slots = count_traffic(plan);
    bool *dropped = zc_arena_take(plan->scratch, (size_t)plan->stage_count, sizeof *dropped);
    if (slots == NULL || dropped == NULL)
        return false;
    memset(dropped, 0, (size_t)plan->stage_count * sizeof *dropped);
    for (int32_t s = 0; s < plan->stage_count; s++) {
        if (!forward(plan, policy, slots, s, dropped))
            return false;
    }
    rename_slots(plan, slots);
    int32_t kept = 0;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        if (dropped[s])
            continue;
        plan->stages[kept++] = plan->stages[s];
    }
    plan->stage_count = kept;
    return true;
}
