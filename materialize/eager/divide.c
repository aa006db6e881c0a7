#include "materialize/eager/divide.h"

#include "materialize/materialize.h"
#include "materialize/plan/memory.h"
#include "materialize/planner/plan_cache.h"
#include "materialize/run/run.h"
#include "runtime/graph/keep.h"

/* Work of blocks together beside that of the whole: they may take an eighth more. */
static const double most_work = 1.125;

enum { MOST_SHARED = 16 };

/* Nodes that blocks share, as handles of all of each. */
typedef struct shared {
    const zc_blocks *blocks;
    int count;
    zc_tensor *nodes[MOST_SHARED];
    int64_t bytes;
} shared;

/* The plan of a tensor, or NULL after a failure. */
static zc_plan *get_plan(const zc_blocks *b, const zc_tensor *t, bool buys)
{
    zc_plan *plan;
    const zc_plan_request request = {.count = 1, .tensors = &t, .buys = buys, .function = b->function};
    return zc_plan_get(&request, &plan) == ZC_OK ? plan : NULL;
}

static zc_plan *plan_block(const zc_blocks *b, int64_t k)
{
    zc_tensor *block = zc_block_take(b, k);
    zc_plan *plan = block != NULL ? get_plan(b, block, false) : NULL;
    zc_release(block);
    return plan;
}

/* ---- What is shared ---- */

static bool is_listed(const shared *s, const zc_node *node)
{
    for (int i = 0; i < s->count; i++) {
        if (s->nodes[i]->node == node)
            return true;
    }
    return false;
}

/* Lists a node unless it is large, or another context's. */
static zc_status list_node(shared *s, const zc_node *node)
{
    const zc_tensor *x = s->blocks->x;
    const int64_t bytes = zc_saturating_multiply(node->size, (int64_t)zc_dtype_bytes((zc_dtype)node->dtype));
    if (s->count == MOST_SHARED || bytes > ZC_BLOCK_BYTES - s->bytes || node->heap != x->ctx->heap ||
        is_listed(s, node))
        return ZC_OK;
    zc_tensor *t = zc_tensor_of_node(x->ctx, zc_node_retain((zc_node *)(uintptr_t)node), s->blocks->function);
    if (t == NULL)
        return zc_error_status(x->ctx);
    s->bytes += bytes; /* proven: at most a block's */
    s->nodes[s->count++] = t;
    return ZC_OK;
}

/* Lists what a plan keeps, or stores all of for a while. */
static zc_status list_stored(shared *s, const zc_plan *plan)
{
    zc_status status = ZC_OK;
    for (int32_t i = 0; i < plan->slot_count && status == ZC_OK; i++) {
        const zc_slot *slot = &plan->slots[i];
        if (slot->kind != ZC_SLOT_INPUT && slot->node != NULL)
            status = list_node(s, slot->node);
    }
    return status;
}

/* Adds up the work of all blocks, by some of them, and lists what their plans store, unless s is NULL. */
static zc_status look_at_blocks(const zc_blocks *b, shared *s, double *work)
{
    int64_t numbers[ZC_SAMPLES];
    zc_status status = ZC_OK;
    const int count = zc_blocks_sample(b, numbers);
    *work = 0;
    for (int i = 0; i < count && status == ZC_OK; i++) {
        zc_plan *plan = plan_block(b, numbers[i]);
        if (plan == NULL)
            return zc_error_status(b->x->ctx);
        *work += (double)zc_plan_work(plan) / count * (double)zc_blocks_count(b);
        status = s != NULL ? list_stored(s, plan) : ZC_OK;
        zc_plan_put_back(plan);
    }
    return status;
}

/* Computes nodes, which keep their elements. */
static zc_status compute_nodes(const zc_blocks *b, int count, const zc_tensor *const *nodes)
{
    zc_tensor *computed[MOST_SHARED];
    const zc_status status = zc_materialize_parts(count, nodes, b->function, computed);
    for (int i = 0; i < count && status == ZC_OK; i++) {
        zc_buffer *data = zc_node_share(computed[i]->node);
        zc_node_keep(nodes[i]->node, data);
        zc_kept_add(nodes[i]->node);
        zc_buffer_release(data);
        zc_release(computed[i]);
    }
    return status;
}

/* The same, and no failure where they do not fit: *fit. */
static zc_status try_nodes(const zc_blocks *b, int count, const zc_tensor *const *nodes, bool *fit)
{
    zc_context *ctx = b->x->ctx;
    const bool had_failed = ctx->failure.status != ZC_OK;
    const zc_status status = count > 0 ? compute_nodes(b, count, nodes) : ZC_OK;
    *fit = status != ZC_ERROR_BUDGET;
    if (!*fit && !had_failed)
        zc_error_clear(ctx);
    return *fit ? status : ZC_OK;
}

/* Computes what is listed: in one run, which shares work, or else one after the other. What does not fit is computed in
 * each block. */
static zc_status compute_shared(const shared *s)
{
    const zc_tensor *nodes[MOST_SHARED];
    int count = 0;
    bool fit_together, fits;
    for (int i = 0; i < s->count; i++) {
        if (!zc_is_view(s->nodes[i]))
            nodes[count++] = s->nodes[i];
    }
    zc_status status = try_nodes(s->blocks, count, nodes, &fit_together);
    for (int i = 0; i < count && !fit_together && status == ZC_OK; i++)
        status = try_nodes(s->blocks, 1, &nodes[i], &fits);
    return status;
}

/* ---- The whole ---- */

/* The whole's work, and whether a run that computes all of it would keep it, or much for it. Lists what little it would
 * keep. */
static zc_status look_at_whole(shared *s, double *work, bool *is_kept)
{
    const zc_tensor *x = s->blocks->x;
    zc_plan *plan = get_plan(s->blocks, x, true);
    zc_status status = ZC_OK;
    if (plan == NULL)
        return zc_error_status(x->ctx);
    *work = (double)zc_plan_work(plan);
    *is_kept =
        plan->bought_bytes > ZC_BLOCK_BYTES || (x->size == x->node->size && zc_node_rent(x->node) >= ZC_WHOLE_RENT &&
                                                zc_plan_may_buy(x->ctx, plan->output_bytes));
    for (int32_t i = 0; i < plan->slot_count && status == ZC_OK; i++) {
        if (zc_slot_is_bought(&plan->slots[i]))
            status = list_node(s, plan->slots[i].node);
    }
    zc_plan_put_back(plan);
    return status;
}

/* Charges the nodes that a run of all would charge, and the tensor's own where it is all of that. */
static zc_status charge(const zc_blocks *b)
{
    zc_plan *plan = get_plan(b, b->x, true);
    if (plan == NULL)
        return zc_error_status(b->x->ctx);
    zc_plan_charge(plan);
    zc_plan_put_back(plan);
    if (b->x->size == b->x->node->size)
        zc_node_charge(b->x->node, ZC_RENT_PARTS);
    return ZC_OK;
}

zc_status zc_may_divide(const zc_blocks *b, bool *may)
{
    shared s = {.blocks = b};
    double whole = 0, parts = 0;
    bool is_kept = false;
    *may = false;
    zc_graph_follow_begin();
    zc_status status = look_at_whole(&s, &whole, &is_kept);
    if (status == ZC_OK && !is_kept)
        status = look_at_blocks(b, b->x->ctx->options.recompute ? NULL : &s, &parts);
    zc_graph_follow_end();
    if (status == ZC_OK && !is_kept)
        status = compute_shared(&s);
    for (int i = 0; i < s.count; i++)
        zc_release(s.nodes[i]);
    if (status != ZC_OK || is_kept)
        return status;
    zc_graph_follow_begin();
    if (s.count > 0) /* which is in memory by now */
        status = look_at_blocks(b, NULL, &parts);
    *may = status == ZC_OK && parts <= whole * most_work;
    if (*may)
        status = charge(b);
    zc_graph_follow_end();
    return status;
}
