/*
 * Hoisting: a value that varies along few of the domain's axes is evaluated once per element of those axes, in a stage
 * of its own, and loaded with stride 0 along the others. exp(row) + matrix takes as many exps as the row has elements.
 */
#include "materialize/lower/lower.h"

#include <string.h>

/* Below this much work (elements times cost) a stage of its own takes longer than it saves. A hoisted value is stored
 * and loaded again, so a cheap one must be used many times. */
enum { LEAST_WORK = 4096, COSTLY = 8, LEAST_USES = 2, LEAST_USES_CHEAP = 8 };

static bool is_worthwhile(uint32_t cost, int64_t own, int64_t wanted)
{
    if (cost == 0 || own <= 1 || wanted / own < LEAST_USES)
        return false;
    if (cost < COSTLY && wanted / own < LEAST_USES_CHEAP)
        return false;
    return wanted >= LEAST_WORK / cost;
}

/* What one element of each value costs, its operands' included. */
static uint32_t *costs_of(zc_plan *plan, const zc_stage *stage)
{
    uint32_t *cost = zc_arena_take(&plan->arena, (size_t)stage->value_count, sizeof *cost);
    for (int32_t v = 0; cost != NULL && v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        uint64_t sum = value->kind == ZC_VALUE_OP ? (uint64_t)zc_op_describe((zc_op)value->op)->cost : 0;
        for (int i = 0; i < value->arity; i++)
            sum += cost[value->arg[i]];
        cost[v] = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
    }
    return cost;
}

/* The view of the value's node from the axes along which it varies. */
static void part_of(const zc_stage *stage, const zc_value *value, zc_view *out)
{
    out->rank = 0;
    out->offset = value->node_offset;
    for (int a = 0; a < stage->rank; a++) {
        if ((value->axes >> a & 1) == 0)
            continue;
        out->shape[out->rank] = stage->shape[a];
        out->stride[out->rank++] = value->node_stride[a];
    }
}

/* Whether computed positions have a say in which elements of its node the value stands for: a part of the node does not
 * tell it from others then. */
static bool is_picked(const zc_stage *stage, const zc_value *value)
{
    for (int a = stage->rank; a < value->node_rank; a++) {
        if (value->node_stride[a] != 0)
            return true;
    }
    return false;
}

/* Hoists inside the new stage too: its values vary along fewer axes each time, so this nests as deep as the rank at
 * most, with the large structures in the arena and not on the stack. */
static bool add_stage_of(zc_lowering *lowering, const zc_stage *stage, int32_t at, const zc_view *part,
                         int32_t *intermediate)
{
    zc_stage *own = zc_arena_take(&lowering->plan->arena, 1, sizeof *own);
    zc_stage *from = zc_arena_take(&lowering->plan->arena, 1, sizeof *from);
    zc_view *place = zc_arena_take(&lowering->plan->arena, 1, sizeof *place);
    if (own == NULL || from == NULL || place == NULL)
        return false;
    *from = *stage;
    from->store_moves = 0;
    from->scan_factor = -1; /* what moves the store of a scatter, or scans, stays there */
    if (!zc_stage_extract(lowering->plan, from, at, stage->values[at].axes, own))
        return false;
    own->reason = ZC_STAGE_HOISTED;
    own->kept = own->rank;
    own->reduces = own->scans = own->adds = own->clears = false;
    own->index_weight = NULL;
    bool changed;
    if (!zc_hoist(lowering, own, 0, &changed)) /* recursion: as deep as the rank */
        return false;
    int32_t slot = zc_store_in_temporary(lowering->plan, own);
    zc_view_row_major(part->rank, part->shape, place);
    const zc_node *node = stage->values[at].node;
    *intermediate = slot < 0                               ? -1
                    : is_picked(stage, &stage->values[at]) ? zc_lowering_add_unlisted(lowering, node, part, slot, place)
                                                           : zc_lowering_add(lowering, node, part, slot, place);
    return *intermediate >= 0;
}

/* Makes the value a load of the intermediate. Its access is a new row, so the stage's rows grow by one. */
static bool replace_by_load(zc_plan *plan, zc_stage *stage, int32_t at, const zc_intermediate *from)
{
    size_t count = (size_t)stage->access_count, row = (size_t)stage->rank;
    int64_t *offset = zc_arena_grow(&plan->arena, stage->offset, count, count + 1, sizeof *offset);
    int64_t *stride = zc_arena_grow(&plan->arena, stage->stride, count * row, (count + 1) * row, sizeof *stride);
    if (offset == NULL || stride == NULL)
        return false;
    stage->offset = offset;
    stage->stride = stride;
    zc_value *value = &stage->values[at];
    int64_t *to = stride + count * row;
    for (int a = 0, next = 0; a < stage->rank; a++)
        to[a] = (value->axes >> a & 1) != 0 ? from->stride[next++] : 0;
    offset[count] = from->offset;
    value->kind = ZC_VALUE_LOAD;
    value->arity = 0;
    value->slot = from->slot;
    value->access = stage->access_count++;
    return true;
}

static bool hoist_value(zc_lowering *lowering, zc_stage *stage, int32_t at)
{
    zc_view *part = zc_arena_take(&lowering->plan->arena, 1, sizeof *part);
    if (part == NULL)
        return false;
    part_of(stage, &stage->values[at], part);
    bool is_listed = !is_picked(stage, &stage->values[at]);
    int32_t intermediate = is_listed ? zc_lowering_find(lowering, stage->values[at].node, part) : -1;
    if (intermediate < 0 && !add_stage_of(lowering, stage, at, part, &intermediate))
        return false;
    return replace_by_load(lowering->plan, stage, at, &lowering->intermediates[intermediate]);
}

/* Raises what is wanted of the operands to what is wanted of their user. */
static void want_operands(const zc_value *value, int64_t own, int64_t *wanted)
{
    for (int i = 0; i < value->arity; i++) {
        if (wanted[value->arg[i]] < own)
            wanted[value->arg[i]] = own;
    }
}

bool zc_hoist(zc_lowering *lowering, zc_stage *stage, int64_t wanted, bool *changed)
{
    zc_plan *plan = lowering->plan;
    *changed = false;
    uint32_t *cost = costs_of(plan, stage);
    int64_t *uses = zc_arena_take(&plan->arena, (size_t)stage->value_count, sizeof *uses);
    if (cost == NULL || uses == NULL)
        return false;
    memset(uses, 0, (size_t)stage->value_count * sizeof *uses);
    uses[stage->value_count - 1] = wanted > 0 ? wanted : 1;
    if (stage->scan_factor >= 0)
        uses[stage->scan_factor] = uses[stage->value_count - 1];
    for (int32_t v = stage->value_count - 1; v >= 0; v--) {
        const zc_value *value = &stage->values[v];
        if (uses[v] == 0)
            continue;
        int64_t own = zc_stage_extent_along(stage, value->axes);
        bool is_node = value->kind == ZC_VALUE_OP && value->node_stride != NULL;
        if (is_node && is_worthwhile(cost[v], own, uses[v]) && zc_may_spend(plan, own, (zc_dtype)value->dtype)) {
            if (!hoist_value(lowering, stage, v))
                return false;
            *changed = true;
        } else {
            want_operands(value, own > 0 ? own : 1, uses);
        }
    }
    return true;
}
