#include "materialize/lower/buy.h"

#include "materialize/lower/needed.h"
#include "materialize/lower/result.h"
#include "materialize/plan/memory.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/variables.h"

/* In operations on an element: the time that planning a node takes, and the traffic of an element that lies beyond the
 * caches, of which nodes of more bytes than these are taken to be; and how much larger than what it is made of a node
 * is whose elements are as well computed again. */
enum { PLANNING_WORK = 4096, TRAFFIC = 8, CACHED_BYTES = 1 << 20, SPREAD = 4 };

/* Rents are compared in eighths (zc_node_rent). */
enum { WHOLE_RENT = 8 };

/* Work of an element of the node alone, whose operands pay rent of their own. */
static double own_work(const zc_needed *needed)
{
    const zc_node *node = needed->node;
    double reduced = node->kind == ZC_NODE_MAP ? zc_op_describe((zc_op)node->op)->cost : 1;
    for (int a = 0; a < node->domain_rank && (node->kind == ZC_NODE_REDUCE || node->kind == ZC_NODE_CONTRACT); a++)
        reduced *= (node->reduced >> a & 1) != 0 ? (double)zc_node_domain_shape(node)[a] : 1; /* proven: a double */
    return reduced > 1 ? reduced : 1;
}

/* Elements that this run computes, at most all: of a scan or a scatter, which are made from their beginning, all. */
static double computed(const zc_needed *needed)
{
    const double size = (double)needed->node->size;
    double sum = 0;
    if (needed->kind == ZC_NODE_SCAN || needed->kind == ZC_NODE_SCATTER)
        return size;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next)
        sum += (double)step->draft->size;
    return sum < size ? sum : size;
}

/* Tells a node whose elements outgrow both the caches and all that they are made of. */
static bool is_spread(const zc_needed *needed)
{
    const double size = (double)needed->node->size;
    return needed->may_fuse && size * needed->item_bytes > CACHED_BYTES && size > (double)needed->base * SPREAD;
}

static bool purchase(zc_lowering *l, zc_needed *needed)
{
    const zc_node *node = needed->node;
    int64_t bytes;
    if (!zc_checked_multiply(node->size, (int64_t)needed->item_bytes, &bytes) ||
        !zc_plan_may_buy(l->plan->ctx, zc_saturating_add(l->bought_bytes, bytes))) {
        l->plan->is_short_of_memory = true;
        return true;
    }
    needed->bought = zc_plan_add_slot(l->plan, ZC_SLOT_OUTPUT, (zc_dtype)node->dtype, node->size, NULL);
    if (needed->bought < 0)
        return false;
    l->plan->slots[needed->bought].node = node;
    l->bought_bytes += bytes; /* proven: less than what the limit leaves */
    return true;
}

/* Rounds the share up to whole parts. */
static bool add_rent(zc_plan *plan, const zc_node *node, double share)
{
    const int32_t parts = share < 1 ? (int32_t)(share * ZC_RENT_PARTS) + 1 : ZC_RENT_PARTS;
    void *rents = plan->rents;
    if (!zc_arena_make_room(&plan->arena, &rents, plan->rent_count, &plan->rent_room, sizeof *plan->rents))
        return false;
    plan->rents = rents;
    plan->rents[plan->rent_count++] = (zc_rent){.node = (zc_node *)(uintptr_t)node, .parts = parts};
    return true;
}

/* Buys or charges a node that can be asked for after this run. */
static bool rent_or_buy(zc_lowering *l, zc_needed *needed)
{
    const double size = (double)needed->node->size, work = needed->cost > 1 ? needed->cost : 1;
    const double part = is_spread(needed) ? work > TRAFFIC ? (work - TRAFFIC) / (work + TRAFFIC) : 0 : 1;
    if (size == 0)
        return true;
    const double share = part * computed(needed) / size;
    if (zc_node_rent(needed->node) + WHOLE_RENT * share > WHOLE_RENT)
        return purchase(l, needed);
    return add_rent(l->plan, needed->node, share + PLANNING_WORK / (size * own_work(needed)));
}

/* Counts the edges of a node that end with this run, and those that serve what is bought in it. */
static void count_edges(const zc_lowering *l, const zc_needed *needed, bool end, bool cover)
{
    for (int32_t e = 0; e < needed->operand_count; e++) {
        l->needed[l->operands[needed->operands + e]].ending += end;
        zc_needed_operand(l, needed, e)->covered += cover;
    }
}

bool zc_buy(zc_lowering *l, zc_needed *needed)
{
    const zc_node *node = needed->node;
    if (!l->plan->buys || !needed->is_made)
        return true;
    const bool is_handed_out = needed->result >= 0 && l->plan->target == NULL;
    const bool stays = zc_node_references(node) > needed->ending;
    const bool is_covered = needed->covered == needed->consumers; /* reached through what is bought from now on */
    const bool is_compacted = l->layout == ZC_LAYOUT_COMPACT && zc_find_late(needed) != NULL; /* it is stored anyway */
    const bool may_be_bought =
        needed->result < 0 && needed->steps != NULL && !is_compacted && node->heap == l->plan->ctx->heap;
    if (stays && !is_covered && may_be_bought && !rent_or_buy(l, needed))
        return false;
    const bool ends = is_handed_out || needed->bought >= 0 ? !zc_node_varies(node) : !stays;
    count_edges(l, needed, ends, needed->same < 0 && (needed->bought >= 0 || (is_covered && needed->consumers > 0)));
    return true;
}
