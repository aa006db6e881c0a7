#include "materialize/lower/buy.h"

#include "materialize/lower/needed.h"
#include "materialize/lower/result.h"
#include "materialize/plan/memory.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/variables.h"

/* In operations on an element: the time that planning a node takes, and the traffic of an element that lies beyond the
 * caches. */
static const double planning_work = 4096, traffic = 8;

/* Bytes of a temporary that stays without a handle, unless it is condensed: what holds it may be held for long. */
static const double most_left = 1 << 18;

/* Work of an element of the node alone, whose operands pay rent of their own. */
static double own_work(const zc_needed *needed)
{
    const zc_node *node = needed->node;
    double reduced = node->kind == ZC_NODE_MAP ? zc_op_describe((zc_op)node->op)->cost : 1;
    const bool selects = node->kind == ZC_NODE_SELECT;
    const bool walks = node->kind == ZC_NODE_REDUCE || node->kind == ZC_NODE_CONTRACT || selects;
    for (int a = 0; a < node->domain_rank && walks; a++)
        reduced *= (node->reduced >> a & 1) != 0 ? (double)zc_node_domain_shape(node)[a] : 1; /* proven: a double */
    reduced /= selects ? (double)node->shape[node->rank - 1] : 1; /* a line is walked for all that it leaves */
    return reduced > 1 ? reduced : 1;
}

/* Elements that are made for a step: of a selection those of whole lines. */
static double made_for(const zc_step *step)
{
    const zc_node *node = step->value.node;
    zc_view view;
    zc_box box;
    if (node->kind != ZC_NODE_SELECT || step->draft->size == 0 || step->splits != step->draft->split_count)
        return (double)step->draft->size;
    zc_step_view(step, &view);
    zc_box_of_view(&view, node->rank, node->shape, &box);
    box.count[node->rank - 1] = node->shape[node->rank - 1];
    return (double)zc_box_size(&box);
}

/* Elements that this run computes, at most all: of a scan or a scatter, which are made from their beginning, all. */
static double computed(const zc_needed *needed)
{
    const double size = (double)needed->node->size;
    double sum = 0;
    if (needed->kind == ZC_NODE_SCAN || needed->kind == ZC_NODE_SCATTER)
        return size;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next)
        sum += made_for(step);
    return sum < size ? sum : size;
}

/* Lets the plan keep all of a node. False when memory is out. */
static bool keep_whole(zc_lowering *l, zc_needed *needed)
{
    const zc_node *node = needed->node;
    needed->bought = zc_plan_add_slot(l->plan, ZC_SLOT_OUTPUT, (zc_dtype)node->dtype, node->size);
    if (needed->bought < 0)
        return false;
    l->plan->slots[needed->bought].node = node;
    return true;
}

static bool purchase(zc_lowering *l, zc_needed *needed)
{
    int64_t bytes;
    if (!zc_checked_multiply(needed->node->size, (int64_t)needed->item_bytes, &bytes) ||
        !zc_plan_may_buy(l->plan->ctx, zc_saturating_add(l->bought_bytes, bytes))) {
        l->plan->is_short_of_memory = true;
        return true;
    }
    if (!keep_whole(l, needed))
        return false;
    l->bought_bytes += bytes; /* proven: less than what the limit leaves */
    return true;
}

/* Rounds the share up to whole parts. */
static bool add_rent(zc_plan *plan, const zc_node *node, double share)
{
    const int32_t parts = share < 1 ? (int32_t)(share * (double)ZC_RENT_PARTS) + 1 : ZC_RENT_PARTS;
    void *rents = plan->rents;
    if (!zc_arena_make_room(&plan->arena, &rents, plan->rent_count, &plan->rent_room, sizeof *plan->rents))
        return false;
    plan->rents = rents;
    plan->rents[plan->rent_count++] = (zc_rent){.node = (zc_node *)(uintptr_t)node, .parts = parts};
    return true;
}

/* Tells sums of many elements each, which take little memory for the work that they are. */
static bool is_condensed(const zc_needed *needed)
{
    static const double least = 4;
    return (needed->kind == ZC_NODE_REDUCE || needed->kind == ZC_NODE_CONTRACT) &&
           (double)needed->node->size * least <= (double)needed->base;
}

/* Tells a node, small or condensed, that only consumers of this run lead to, which take as much memory and may be asked
 * for again; and of such nodes above each other the highest. */
static bool may_stay(const zc_needed *needed)
{
    return (zc_needed_bytes(needed) <= most_left || is_condensed(needed)) && !needed->is_shrunk &&
           needed->behind < needed->consumers && zc_node_references(needed->node) == needed->consumers;
}

/* Tells a node that other nodes reach through what this run buys alone. */
static bool is_covered(const zc_needed *needed)
{
    return needed->covered == needed->consumers &&
           zc_node_references(needed->node) - zc_node_handles(needed->node) <= needed->consumers;
}

/* Tells a map, of what is to be computed, too, that takes hardly more time to compute than a run to plan. Only in a
 * context without a scope, where handles are variables of the program, and no temporaries. */
static bool is_soon_computed(const zc_lowering *l, const zc_needed *needed)
{
    static const double most_work = 1 << 14;
    if (l->plan->ctx->scope != NULL || needed->kind != ZC_NODE_MAP ||
        (double)needed->node->size * own_work(needed) > most_work)
        return false;
    for (int32_t e = 0; e < needed->operand_count; e++) {
        if (zc_needed_operand(l, needed, e)->is_made)
            return true;
    }
    return false;
}

/* Tells a node of which this run reads a part, for its only result. */
static bool is_read_in_part(const zc_lowering *l, const zc_needed *needed)
{
    const zc_tensor *asked = l->plan->results[0].asked;
    const bool is_shown = asked->node == needed->node;
    return l->plan->result_count == 1 && !needed->is_due && !needed->has_equal &&
           (is_shown ? needed->kind == ZC_NODE_MAP && asked->size < needed->node->size : needed->is_shrunk);
}

/* Tells an array of few bytes that was assigned to, is joined of others, or is soon computed, and of which this run
 * reads a part: the program has it, nothing else leads to it, and it will read the rest. */
static bool is_gone_on_with(const zc_lowering *l, const zc_needed *needed)
{
    const zc_node *node = needed->node;
    const int64_t references = zc_node_references(node), edges = references - zc_node_handles(node);
    const bool is_array =
        needed->kind == ZC_NODE_SCATTER ? node->scattered->is_assigned : needed->kind == ZC_NODE_CONCAT;
    return (is_array || is_soon_computed(l, needed)) && is_read_in_part(l, needed) &&
           zc_needed_bytes(needed) <= most_left && references > needed->consumers && edges <= needed->consumers;
}

/* Buys or charges a node that can be asked for after this run. A covered one that somebody has a handle on is bought
 * when it was computed once more than others: then a program reads a history from its end. */
static bool rent_or_buy(zc_lowering *l, zc_needed *needed)
{
    const bool is_covered_now = is_covered(needed);
    const double whole = (double)ZC_WHOLE_RENT, price = is_covered_now ? whole * (double)ZC_MOST_RENTS : whole;
    const double size = (double)needed->node->size, work = needed->cost > 1 ? needed->cost : 1;
    const double part = zc_is_spread(needed) ? work > traffic ? (work - traffic) / (work + traffic) : 0 : 1;
    if (size == 0 || (is_covered_now && zc_node_handles(needed->node) == 0))
        return true;
    const double charged = part * computed(needed);
    if (whole * charged > (price - zc_node_rent(needed->node)) * size || is_gone_on_with(l, needed))
        return purchase(l, needed);
    needed->may_stay = !is_covered_now && may_stay(needed);
    return add_rent(l->plan, needed->node, (charged + planning_work / own_work(needed)) / size);
}

/* ---- Updates that take over ---- */

/* Elements whose copy takes as long as an update and its planning. */
enum { UPDATE_WORK = 256 };

/* The owner of a node: the only update that leads to it, directly or through nodes made for it, by its place in
 * l->needed; or one of these. */
enum { NOBODY = -1, SEVERAL = -2 };

typedef struct leading {
    int32_t owner, edges;
} leading;

/* Tells an update of few places. */
static bool may_take_over(const zc_needed *needed)
{
    const zc_node *node = needed->node;
    zc_view place;
    if (needed->kind != ZC_NODE_SCATTER || !needed->is_made || needed->has_equal || needed->result >= 0 ||
        !zc_node_updates_part(node) || zc_node_varies(node))
        return false;
    zc_node_place(node, &place);
    const int64_t elements = zc_view_size(&place);
    const bool is_copy = (zc_update_op)node->op == ZC_UPDATE_SET && node->scattered->moved_count == 0;
    return is_copy ? zc_node_may_write(node, elements) : zc_node_may_put(node, elements, node->scattered->moved_count);
}

/* Finds who leads to each node, from consumers to producers; and how many updates there are. */
static int32_t find_leading(zc_lowering *l, leading *to)
{
    int32_t updates = 0;
    for (int32_t i = 0; i < l->needed_count; i++)
        to[i] = (leading){.owner = NOBODY};
    for (int32_t i = l->needed_count - 1; i >= 0; i--) {
        const int32_t at = l->order[i];
        zc_needed *needed = &l->needed[at];
        const bool is_outside = to[at].owner == NOBODY || zc_node_references(needed->node) > to[at].edges;
        needed->takes_over = may_take_over(needed);
        updates += needed->takes_over;
        const int32_t owner = needed->takes_over ? at : is_outside ? SEVERAL : to[at].owner;
        for (int32_t e = 0; e < needed->operand_count; e++) {
            leading *operand = &to[l->operands[needed->operands + e]];
            operand->edges++;
            operand->owner = operand->owner == NOBODY || operand->owner == owner ? owner : SEVERAL;
        }
    }
    return updates;
}

/* Tells an update to whose base nothing else leads, and whose base has data, or takes it over before. */
static bool is_alone(const zc_lowering *l, const leading *to, int32_t at)
{
    const int32_t b = l->operands[l->needed[at].operands + zc_node_base(l->needed[at].node)];
    const zc_needed *base = &l->needed[b];
    return to[b].owner == at && zc_node_references(base->node) == to[b].edges &&
           (base->takes_over || (base->data != NULL && zc_buffer_is_own(base->data, l->plan->ctx->heap)));
}

bool zc_find_takeovers(zc_lowering *l)
{
    const size_t count = (size_t)l->needed_count;
    if (!l->plan->buys || l->layout != ZC_LAYOUT_DENSE || !zc_may_take_over(l->plan->ctx->heap) || !l->has_updates)
        return true;
    leading *to = zc_arena_take(l->plan->scratch, count, sizeof *to);
    if (to == NULL)
        return false;
    const int64_t least = (int64_t)find_leading(l, to) * UPDATE_WORK; /* proven: an int32 times a constant */
    for (int32_t i = 0; i < l->needed_count; i++) {
        zc_needed *needed = &l->needed[l->order[i]];
        needed->takes_over = needed->takes_over && needed->node->size >= least && is_alone(l, to, l->order[i]);
        if (needed->takes_over)
            zc_needed_operand(l, needed, zc_node_base(needed->node))->is_taken = true;
    }
    zc_arena_give_back(l->plan->scratch, to, count, sizeof *to);
    return true;
}

/* ---- Deciding ---- */

/* Lets the update have its base's memory, which is in l->needed, too. False when memory is out. */
static bool take_over(zc_lowering *l, zc_needed *needed)
{
    if (!keep_whole(l, needed))
        return false;
    l->plan->slots[needed->bought].takes_over = true;
    return true;
}

/* Marks the memory of a node in memory that an update takes over. */
static bool give_away(zc_lowering *l, const zc_needed *needed)
{
    const int32_t slot = zc_plan_add_input(l->plan, (zc_dtype)needed->node->dtype, needed->node->size, needed->data, 0);
    if (slot < 0)
        return false;
    l->plan->slots[slot].is_taken = true;
    return true;
}

static bool stays(const zc_needed *needed)
{
    return zc_node_references(needed->node) > needed->ending;
}

/* Tells a node of which a result shows as many elements, so that they are stored as good as all. */
static bool is_compacted(const zc_lowering *l, const zc_needed *needed)
{
    const zc_draft *late = l->layout == ZC_LAYOUT_COMPACT ? zc_find_late(needed) : NULL;
    return late != NULL && late->size >= needed->node->size;
}

bool zc_buy(zc_lowering *l, zc_needed *needed)
{
    const zc_node *node = needed->node;
    if (needed->is_taken && !needed->is_made && !give_away(l, needed))
        return false;
    if (!l->plan->buys || !needed->is_made)
        return true;
    const bool may_be_bought =
        needed->result < 0 && needed->steps != NULL && !is_compacted(l, needed) && node->heap == l->plan->ctx->heap;
    if (needed->is_due && needed->result < 0 && !needed->takes_over)
        return purchase(l, needed);
    if (!stays(needed))
        return true;
    if (needed->takes_over)
        return take_over(l, needed);
    return !may_be_bought || rent_or_buy(l, needed);
}

void zc_leave_operands(zc_lowering *l, const zc_needed *needed)
{
    if (!l->plan->buys || !needed->is_made)
        return;
    const bool is_kept = (needed->result >= 0 && l->plan->target == NULL) || needed->bought >= 0;
    const bool ends = is_kept ? !zc_node_varies(needed->node) : !stays(needed);
    const bool covers = needed->same < 0 && (needed->bought >= 0 || (is_covered(needed) && needed->consumers > 0));
    const bool is_behind = needed->is_left || (needed->consumers > 0 && needed->behind == needed->consumers);
    const double own = zc_needed_bytes(needed);
    bool has_large = false; /* of large operands one stays at most: the node takes no more memory itself */
    for (int32_t e = 0; e < needed->operand_count; e++) {
        zc_needed *itself = &l->needed[l->operands[needed->operands + e]], *operand = zc_needed_operand(l, needed, e);
        itself->ending += ends;
        operand->covered += covers;
        const double bytes = zc_needed_bytes(operand);
        const bool is_large = bytes > most_left;
        operand->is_shrunk |= needed->node->size < operand->node->size || (is_large && (has_large || own < bytes));
        has_large |= is_large;
        if (is_behind && operand->behind < UINT8_MAX)
            operand->behind++;
    }
}
