#include "materialize/eager/blocks.h"

#include "materialize/materialize.h"
#include "materialize/plan/memory.h"
#include "materialize/planner/plan_cache.h"
#include "materialize/run/run.h"
#include "runtime/graph/keep.h"

/* Bytes of a block: little beside results that are worth dividing, much beside what planning a block takes. */
enum { BLOCK_BYTES = 4 << 20, LEAST_RUN_BYTES = 128 };

/* ---- The axis ---- */

static int64_t item_bytes(const zc_tensor *x)
{
    return (int64_t)zc_dtype_bytes(zc_dtype_of(x));
}

static int64_t bytes_of_index(const zc_tensor *x, int axis)
{
    return zc_saturating_multiply(x->size / x->dims[axis], item_bytes(x));
}

/* Bytes from one index of an axis to the next one, in row-major order. */
static int64_t bytes_behind(const zc_tensor *x, int axis)
{
    int64_t bytes = item_bytes(x);
    for (int a = axis + 1; a < x->rank; a++)
        bytes = zc_saturating_multiply(bytes, x->dims[a]);
    return bytes;
}

/* The outermost axis beside the lines whose indices are no more than a block, or the one with the most indices. */
static int choose_axis(const zc_tensor *x, uint64_t lines)
{
    int longest = -1;
    for (int a = 0; a < x->rank; a++) {
        if ((lines >> a & 1) != 0 || x->dims[a] < 2)
            continue;
        if (bytes_of_index(x, a) <= BLOCK_BYTES)
            return a;
        if (longest < 0 || x->dims[a] > x->dims[longest])
            longest = a;
    }
    return longest;
}

/* The outermost axis of which runs of indices are blocks. */
static int choose_axis_in_order(const zc_tensor *x)
{
    int axis = 0;
    while (axis < x->rank - 1 && (x->dims[axis] < 2 || bytes_behind(x, axis) > BLOCK_BYTES))
        axis++;
    return x->rank > 0 ? axis : -1;
}

/* ---- Which blocks ---- */

/* The number of a block that has others before and behind it, if there is one: what overlaps with both is in it. */
static int64_t typical(const zc_blocks *b)
{
    return zc_blocks_count(b) > 2 ? 1 : 0;
}

static zc_status get_plan(const zc_blocks *b, const zc_tensor *t, bool buys, zc_plan **plan)
{
    return zc_plan_get(&(zc_plan_request){.count = 1, .tensors = &t, .buys = buys, .function = b->function}, plan);
}

/* Plans a typical block. */
static zc_status plan_block(const zc_blocks *b, zc_plan **plan)
{
    zc_tensor *block = zc_block_take(b, typical(b));
    zc_status status = block != NULL ? get_plan(b, block, false, plan) : zc_error_status(b->x->ctx);
    zc_release(block);
    return status;
}

enum { MOST_SHARED = 16 };

/* Lists nodes of which a block's plan stores all elements, as every block's plan does: handles of them. */
static int list_shared(const zc_blocks *b, const zc_plan *plan, zc_tensor **shared)
{
    int count = 0;
    int64_t bytes = 0;
    for (int32_t i = 0; i < plan->slot_count && count < MOST_SHARED; i++) {
        const zc_slot *slot = &plan->slots[i];
        if (slot->kind != ZC_SLOT_TEMPORARY || slot->node == NULL || slot->node->heap != b->x->ctx->heap)
            continue;
        bytes = zc_saturating_add(bytes, slot->elements * (int64_t)zc_dtype_bytes(slot->dtype)); /* proven: planned */
        if (bytes > BLOCK_BYTES)
            break;
        zc_node *node = zc_node_retain((zc_node *)(uintptr_t)slot->node);
        shared[count] = zc_tensor_of_node(b->x->ctx, node, b->function);
        count += shared[count] != NULL;
    }
    return count;
}

/* Computes what is listed, which its nodes keep. */
static zc_status compute_shared(const zc_blocks *b, int count, zc_tensor **shared)
{
    zc_tensor *computed[MOST_SHARED] = {NULL};
    zc_status status = zc_materialize_for(count, (const zc_tensor *const *)shared, b->function, computed);
    for (int i = 0; i < count; i++) {
        zc_release(computed[i]);
        zc_release(shared[i]);
    }
    return status;
}

/* Tells blocks that take no more work together than x at once, where what they share is computed before. */
static zc_status ask_work(const zc_blocks *b, const zc_plan *whole, bool *is_as_good)
{
    zc_plan *part;
    zc_tensor *shared[MOST_SHARED];
    zc_status status = plan_block(b, &part);
    if (status != ZC_OK)
        return status;
    const int count = list_shared(b, part, shared);
    zc_plan_put_back(part);
    if (count > 0)
        status = compute_shared(b, count, shared);
    if (status == ZC_OK)
        status = plan_block(b, &part);
    if (status != ZC_OK)
        return status;
    const double blocks = (double)b->outer * (double)b->extent / (double)b->each;
    *is_as_good = (double)zc_plan_work(part) * blocks <= (double)zc_plan_work(whole) * 1.125;
    zc_plan_put_back(part);
    return ZC_OK;
}

/* Tells a tensor that a run which computes all of it would keep, or for which it would keep much. */
static bool is_to_be_kept(const zc_tensor *x, const zc_plan *whole)
{
    return whole->bought_bytes > BLOCK_BYTES ||
           (zc_node_rent(x->node) >= ZC_WHOLE_RENT && zc_plan_may_buy(x->ctx, whole->output_bytes));
}

/* Tells a tensor that may be divided: nothing of it is to be kept, and it takes no more work. Then it is charged as one
 * that is computed at once, so that what a program asks for again and again is kept in the end. */
static zc_status may_divide(const zc_blocks *b, bool *may)
{
    zc_plan *whole;
    zc_node *node = b->x->node;
    zc_graph_follow_begin();
    zc_status status = get_plan(b, b->x, true, &whole);
    *may = false;
    if (status == ZC_OK) {
        if (!is_to_be_kept(b->x, whole))
            status = ask_work(b, whole, may);
        if (*may) {
            zc_plan_charge(whole);
            zc_node_charge(node, ZC_RENT_PARTS);
        }
        zc_plan_put_back(whole);
    }
    zc_graph_follow_end();
    return status;
}

/* Divides along the axis that was chosen, in runs of so many bytes for each index. */
static zc_status divide(zc_blocks *b, int64_t bytes_each)
{
    zc_status status = ZC_OK;
    b->extent = b->x->dims[b->axis];
    b->each = zc_larger(zc_smaller(BLOCK_BYTES / bytes_each, b->extent), 1);
    bool may =
        zc_blocks_count(b) > 1 && zc_saturating_multiply(b->each, bytes_behind(b->x, b->axis)) >= LEAST_RUN_BYTES;
    if (may && !zc_is_view(b->x))
        status = may_divide(b, &may);
    b->is_whole = !may;
    return status;
}

zc_status zc_blocks_begin(zc_blocks *b, const zc_tensor *x, uint64_t lines, const char *function)
{
    *b = (zc_blocks){.x = x, .function = function, .axis = -1, .extent = 1, .each = 1, .outer = 1};
    b->axis = x->size > 0 ? choose_axis(x, lines) : -1;
    b->is_whole = b->axis < 0;
    return b->is_whole ? ZC_OK : divide(b, bytes_of_index(x, b->axis));
}

zc_status zc_blocks_begin_in_order(zc_blocks *b, const zc_tensor *x, const char *function)
{
    *b = (zc_blocks){.x = x, .function = function, .axis = -1, .extent = 1, .each = 1, .outer = 1};
    b->axis = x->size > 0 ? choose_axis_in_order(x) : -1;
    for (int a = 0; a < b->axis; a++)
        b->outer *= x->dims[a]; /* proven: a part of x's size */
    b->is_whole = b->axis < 0;
    return b->is_whole ? ZC_OK : divide(b, bytes_behind(x, b->axis));
}

/* ---- Memory ---- */

static zc_status find_need(const zc_blocks *b, int64_t k, zc_need *need)
{
    zc_tensor *block = zc_block_take(b, k);
    *need = (zc_need){.ctx = b->x->ctx, .function = b->function, .is_parted = !b->is_whole};
    zc_status status = block != NULL ? zc_need_add_operand(need, block) : zc_error_status(need->ctx);
    zc_release(block);
    return status;
}

zc_status zc_blocks_need(const zc_blocks *b, zc_need *need)
{
    zc_need last; /* of which a running sum takes all before */
    zc_status status = find_need(b, typical(b), need);
    if (status == ZC_OK && !b->is_whole)
        status = find_need(b, zc_blocks_count(b) - 1, &last);
    if (status == ZC_OK && !b->is_whole && last.peak_bytes > need->peak_bytes)
        *need = last;
    return status;
}

bool zc_blocks_shorten(zc_blocks *b)
{
    const bool may = b->is_whole ? zc_saturating_multiply(b->outer, b->extent) > 1 : b->each > 1;
    if (!b->is_whole)
        b->each = zc_larger(b->each / 2, 1);
    b->is_whole &= !may;
    return may;
}

zc_status zc_blocks_refuse(const zc_blocks *b, zc_need *need, int64_t result_bytes)
{
    zc_reason why;
    if (zc_need_ask(need, &why) != ZC_ERROR_BUDGET || b->axis < 0)
        return zc_need_check(need);
    const int64_t room = why.budget.limit - why.budget.held, each = result_bytes / b->extent;
    const int64_t count = (room - (why.budget.need - result_bytes)) / zc_larger(each, 1); /* proven: parts of a need */
    if (count < 1)
        return zc_need_check(need);
    why.budget.window_axis = b->axis;
    why.budget.window_count = count;
    return zc_fail_budget(need->ctx, need->function, &why.budget,
                          "%s; a window of %lld of the %lld along axis %d would fit", why.text, (long long)count,
                          (long long)b->extent, b->axis);
}

/* ---- Each block ---- */

/* Blocks of one place of the axes before the one that is divided. */
static int64_t blocks_each(const zc_blocks *b)
{
    return (b->extent - 1) / b->each + 1;
}

int64_t zc_blocks_count(const zc_blocks *b)
{
    return b->is_whole ? 1 : zc_saturating_multiply(b->outer, blocks_each(b));
}

void zc_block_box(const zc_blocks *b, int64_t k, zc_box *box)
{
    zc_box_whole(b->x->rank, b->x->dims, box);
    if (b->is_whole)
        return;
    const int64_t each = blocks_each(b);
    box->first[b->axis] = k % each * b->each; /* proven: less than the extent */
    box->count[b->axis] = zc_smaller(b->each, b->extent - box->first[b->axis]);
    k /= each;
    for (int a = b->axis - 1; a >= 0 && b->outer > 1; a--) {
        box->first[a] = k % b->x->dims[a];
        box->count[a] = 1;
        k /= b->x->dims[a];
    }
}

void zc_block_place(const zc_blocks *b, int64_t k, const zc_view *whole, zc_view *part)
{
    zc_box box;
    zc_block_box(b, k, &box);
    *part = *whole;
    for (int a = 0; a < whole->rank; a++) {
        if (box.count[a] == b->x->dims[a]) /* the result may have another extent along the lines */
            continue;
        part->shape[a] = box.count[a];
        part->offset += box.first[a] * whole->stride[a]; /* proven: an element of the result */
    }
}

zc_tensor *zc_block_take(const zc_blocks *b, int64_t k)
{
    zc_view whole, part;
    zc_tensor_view(b->x, &whole);
    zc_block_place(b, k, &whole, &part);
    return zc_tensor_new(b->x->ctx, zc_node_retain(b->x->node), &part, b->function);
}
