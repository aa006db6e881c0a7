#include "materialize/run/take_over.h"

#include "materialize/plan/memory.h"
#include "materialize/run/copy.h"
#include "runtime/graph/keep.h"

/* ---- Writing ---- */

typedef struct update {
    const zc_plan *plan;
    const zc_stage *stage;
} update;

static void write_elements(const void *user, void *memory)
{
    const update *u = user;
    const zc_stage *stage = u->stage;
    const zc_value *value = zc_stage_result(stage);
    const bool is_load = value->kind == ZC_VALUE_LOAD;
    const size_t item = zc_dtype_bytes(stage->store.dtype);
    const int64_t nothing[ZC_MAX_RANK] = {0};
    zc_view places = {.rank = stage->rank};
    places.offset = stage->store.offset + zc_slot_shift(u->plan, zc_slot_memory(u->plan, stage->store.base));
    zc_copy_list(stage->rank, stage->shape, places.shape);
    zc_copy_list(stage->rank, stage->store.stride, places.stride);
    if (is_load)
        zc_copy_to_places(&places, memory, stage->stride + (size_t)value->access * (size_t)stage->rank,
                          u->plan->at[value->slot] + stage->offset[value->access] * (int64_t)item, item);
    else
        zc_copy_to_places(&places, memory, nothing, value->constant->bytes, item);
}

/* ---- Runs ---- */

bool zc_take_over(zc_plan *plan, const zc_stage *stage)
{
    zc_node *node = (zc_node *)(uintptr_t)plan->slots[stage->store.slot].node;
    zc_sources sources;
    zc_plan_list_sources(plan, &sources);
    zc_node *first = zc_node_take_over(node, write_elements, &(update){plan, stage});
    if (first == NULL)
        return false;
    zc_buffer *data = zc_node_data(node);
    atomic_store(&data->number, 0); /* what was computed from it before, is not from these elements */
    data->sources.count = 0;
    if (zc_node_has_gradients(node))
        data->sources = sources;
    plan->takeovers[plan->takeover_count++] = (zc_takeover){zc_node_retain(node), first};
    return true;
}

void zc_end_takeovers(zc_plan *plan)
{
    for (int32_t i = 0; i < plan->takeover_count; i++) {
        zc_node_end_operands(plan->takeovers[i].node, plan->takeovers[i].first);
        zc_node_release(plan->takeovers[i].node);
    }
    plan->takeover_count = 0;
}
