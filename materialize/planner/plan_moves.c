#include "materialize/planner/plan_moves.h"

#include <string.h>

#include "materialize/plan/memory.h"

/* Elements of memory, from the first to the last. */
typedef struct reach {
    int64_t first, last;
} reach;

static void add_view(reach *all, const zc_view *view)
{
    int64_t lowest, highest;
    if (zc_view_size(view) == 0)
        return;
    zc_view_reach(view, &lowest, &highest);
    all->first = zc_smaller(all->first, lowest);
    all->last = zc_larger(all->last, highest);
}

/* Adds what a node that is still to be computed sees of a memory, but for all of it that an update changes; and where
 * the node puts its own. */
static void add_node(reach *all, const zc_plan_key *key, const zc_key_node *k, int32_t memory)
{
    zc_view view;
    for (int e = 0; e < k->node->edge_count && k->data == NULL; e++) {
        const int32_t operand = zc_plan_key_find(key, k->node->edges[e].node);
        if (key->nodes[operand].memory != memory || zc_key_node_shows_all(k, e))
            continue;
        zc_node_edge_view(k->node, e, &view);
        add_view(all, &view);
    }
    if (k->memory == memory && k->data == NULL) {
        zc_node_place(k->node, &view);
        add_view(all, &view);
    }
}

static reach reach_of(const zc_plan_request *request, const zc_plan_key *key, int32_t memory)
{
    reach all = {INT64_MAX, INT64_MIN};
    zc_view view;
    for (int32_t n = 0; n < key->node_count; n++)
        add_node(&all, key, &key->nodes[n], memory);
    for (int i = 0; i < request->count; i++) {
        zc_tensor_view(request->tensors[i], &view);
        if (key->nodes[zc_plan_key_find(key, request->tensors[i]->node)].memory == memory)
            add_view(&all, &view);
    }
    return all;
}

static bool is_within(const reach *all, const zc_view *view)
{
    reach seen = *all;
    add_view(&seen, view);
    return seen.first == all->first && seen.last == all->last;
}

/* Tells a stage that reads and stores in a slot's memory inside a reach. What is picked by positions may lie anywhere.
 */
static bool stays_within(const zc_plan *plan, const zc_stage *stage, int32_t slot, const reach *all)
{
    zc_view view = {.rank = stage->rank};
    bool is_inside = true;
    for (int32_t v = 0; v < stage->value_count && is_inside; v++) {
        const zc_value *value = &stage->values[v];
        if (!zc_value_reads(value) || zc_slot_memory(plan, value->slot) != slot)
            continue;
        view.offset = stage->offset[value->access];
        for (int a = 0; a < stage->rank; a++) {
            view.shape[a] = zc_stage_extent_of(stage, v, a);
            view.stride[a] = stage->stride[(size_t)value->access * (size_t)stage->rank + (size_t)a];
        }
        is_inside = value->kind == ZC_VALUE_LOAD && is_within(all, &view);
    }
    if (!is_inside || zc_slot_memory(plan, stage->store.slot) != slot)
        return is_inside;
    view = (zc_view){.rank = stage->kept, .offset = stage->store.offset};
    for (int a = 0; a < stage->kept; a++) {
        view.shape[a] = stage->shape[a];
        view.stride[a] = stage->store.stride[a];
    }
    return is_within(all, &view);
}

bool zc_plan_moves(const zc_plan *plan, const zc_plan_request *request, const zc_plan_key *key, int32_t slot,
                   int32_t memory)
{
    const reach all = reach_of(request, key, memory);
    bool moves = true;
    for (int32_t s = 0; s < plan->stage_count && moves; s++)
        moves = stays_within(plan, plan->stages[s], slot, &all);
    return moves;
}
