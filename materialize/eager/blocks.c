#include "materialize/eager/blocks.h"

#include "materialize/planner/plan_cache.h"
#include "materialize/planner/planner.h"
#include "materialize/run/run.h"
#include "runtime/graph/keep.h"

/* Bytes of a block: little beside results that are worth dividing, much beside what planning a block takes. */
enum { BLOCK_BYTES = 4 << 20, LEAST_RUN_BYTES = 128 };

static int64_t bytes_of_index(const zc_tensor *x, int axis)
{
    return zc_saturating_multiply(x->size / x->dims[axis], (int64_t)zc_dtype_bytes(zc_dtype_of(x)));
}

/* The outermost axis whose indices are no more than a block, or the one with the most indices. */
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

/* Tells blocks whose elements lie in runs that are too short to be computed by themselves. */
static bool is_scattered(const zc_blocks *b)
{
    int64_t run = zc_saturating_multiply(b->each, (int64_t)zc_dtype_bytes(zc_dtype_of(b->x)));
    for (int a = b->axis + 1; a < b->x->rank; a++)
        run = zc_saturating_multiply(run, b->x->dims[a]);
    return run < LEAST_RUN_BYTES;
}

/* A block that has others before and behind it, if there is one: what overlaps with both is in it. */
static zc_tensor *take_typical(const zc_blocks *b)
{
    return zc_block_take(b, b->each < b->extent / 2 ? b->each : 0);
}

static zc_status get_plan(const zc_tensor *t, bool buys, const char *function, zc_plan **plan)
{
    return zc_plan_get(&(zc_plan_request){.count = 1, .tensors = &t, .buys = buys, .function = function}, plan);
}

/* Tells blocks that take no more work together than x at once, some of which may serve all of them. */
static zc_status ask_work(const zc_blocks *b, const zc_plan *whole, const char *function, bool *is_as_good)
{
    zc_plan *part;
    zc_tensor *block = take_typical(b);
    zc_status status = block != NULL ? get_plan(block, false, function, &part) : zc_error_status(b->x->ctx);
    if (status == ZC_OK) {
        const double blocks = (double)b->extent / (double)b->each;
        *is_as_good = (double)zc_plan_work(part) * blocks <= (double)zc_plan_work(whole) * 1.125;
        zc_plan_put_back(part);
    }
    zc_release(block);
    return status;
}

/* Tells an operand that may be divided: nothing of it is to be kept, and it takes no more work. Then it is charged as
 * one that is computed at once, so that what a program sorts again and again is kept in the end. */
static zc_status may_divide(const zc_blocks *b, const char *function, bool *may)
{
    zc_plan *whole;
    zc_node *node = b->x->node;
    zc_graph_follow_begin();
    zc_status status = get_plan(b->x, true, function, &whole);
    *may = false;
    if (status == ZC_OK) {
        if (whole->bought_bytes == 0 && zc_node_rent(node) < ZC_WHOLE_RENT)
            status = ask_work(b, whole, function, may);
        if (*may) {
            zc_plan_charge(whole);
            zc_node_charge(node, ZC_RENT_PARTS);
        }
        zc_plan_put_back(whole);
    }
    zc_graph_follow_end();
    return status;
}

zc_status zc_blocks_begin(zc_blocks *b, const zc_tensor *x, uint64_t lines, const char *function)
{
    *b = (zc_blocks){.x = x, .axis = x->size > 0 ? choose_axis(x, lines) : -1, .extent = 1, .each = 1};
    if (b->axis < 0)
        return ZC_OK;
    const int64_t each = BLOCK_BYTES / bytes_of_index(x, b->axis);
    zc_status status = ZC_OK;
    b->extent = x->dims[b->axis];
    b->each = zc_larger(zc_smaller(each, b->extent), 1);
    bool may = b->each < b->extent && !is_scattered(b);
    if (may && !zc_is_view(x))
        status = may_divide(b, function, &may);
    if (!may)
        b->each = b->extent;
    return status;
}

zc_status zc_blocks_need(const zc_blocks *b, zc_need *need)
{
    zc_tensor *block = take_typical(b);
    *need = (zc_need){.ctx = b->x->ctx, .function = need->function, .is_parted = b->each < b->extent};
    zc_status status = block != NULL ? zc_need_add_operand(need, block) : zc_error_status(need->ctx);
    zc_release(block);
    return status;
}

bool zc_blocks_shorten(zc_blocks *b)
{
    if (b->each == 1 || zc_is_view(b->x))
        return false;
    b->each /= 2;
    return true;
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

zc_tensor *zc_block_take(const zc_blocks *b, int64_t first)
{
    if (b->axis < 0)
        return zc_retain((zc_tensor *)(uintptr_t)b->x);
    return zc_slice(b->x, b->axis, first, zc_smaller(b->extent, first + b->each), 1); /* proven: twice an extent of x */
}

void zc_block_place(const zc_blocks *b, int64_t first, const zc_view *whole, zc_view *part)
{
    *part = *whole;
    if (b->axis < 0)
        return;
    part->shape[b->axis] = zc_smaller(b->each, b->extent - first);
    part->offset += first * whole->stride[b->axis]; /* proven: an element of the result */
}
