#include "materialize/run/take_over.h"

#include "materialize/plan/memory.h"
#include "runtime/graph/keep.h"

/* ---- Writing ---- */

typedef struct update {
    const zc_plan *plan;
    const zc_stage *stage;
} update;

static void put(const void *user, void *memory)
{
    const update *u = user;
    const zc_stage *stage = u->stage;
    const int64_t first = stage->store.offset + zc_slot_shift(u->plan, zc_slot_memory(u->plan, stage->store.base));
    stage->kind->put(stage, u->plan->at, (char *)memory + first * (int64_t)zc_dtype_bytes(stage->store.dtype));
}

/* ---- Runs ---- */

bool zc_take_over(zc_plan *plan, const zc_stage *stage)
{
    zc_node *node = (zc_node *)(uintptr_t)plan->slots[stage->store.slot].node;
    zc_sources sources;
    zc_plan_list_sources(plan, &sources);
    zc_node *first = zc_node_take_over(node, put, &(update){plan, stage});
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
