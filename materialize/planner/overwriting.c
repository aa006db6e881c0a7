#include "materialize/planner/overwriting.h"

#include <string.h>

#include "materialize/plan/group.h"
#include "materialize/plan/memory.h"

/* A result of more than CACHED_BYTES is divided into blocks of about BLOCK_BYTES. Blocks of fewer than LEAST_ROWS rows
 * that meet the same columns are not worth packing those for. Beyond MOST_PRODUCTS, another pass over the results takes
 * little of the time. */
enum { CACHED_BYTES = 1 << 21, BLOCK_BYTES = 1 << 18, LEAST_ROWS = 64, MOST_PRODUCTS = 128 };

/* Tells a stage that overwrites the result of `stage`, each element with one that is made of it. */
static bool follows(const zc_stage *stage, const zc_stage *next)
{
    const size_t row = (size_t)stage->kept * sizeof(int64_t);
    if (stage->member != NULL || next->member != NULL || !stage->kind->packs_operands || stage->store.slab_count > 0 ||
        next->store.overwritten != stage->store.slot || !zc_stage_is_divisible(stage))
        return false;
    /* LCOV_EXCL_BR_START: what is overwritten is read where it is stored, by the same axes but for extents of 1 */
    return next->store.base < 0 && zc_shape_equal(stage->kept, stage->shape, next->kept, next->shape) &&
           next->store.offset == stage->store.offset && memcmp(next->store.stride, stage->store.stride, row) == 0 &&
           zc_stage_has_no_positions(next);
    /* LCOV_EXCL_BR_STOP */
}

/* Tells a contraction that computes one of its operands anew for each block along the axis. */
static bool computes_anew(const zc_stage *stage, int axis)
{
    const zc_value *product = zc_stage_result(stage);
    for (int i = 0; i < product->arity; i++) {
        const zc_value *factor = &stage->values[product->arg[i]];
        if (factor->kind == ZC_VALUE_OP && (factor->axes >> axis & 1) == 0)
            return true;
    }
    return false;
}

/* The axis that blocks divide: of those longer than 1, the one with the longest steps in memory; -1: none. */
static int leading_axis(const zc_stage *stage)
{
    const int64_t *stride = stage->store.stride;
    int found = -1;
    for (int a = 0; a < stage->kept; a++) {
        if (stage->shape[a] > 1 && (found < 0 || stride[a] > stride[found]))
            found = a;
    }
    return found;
}

/* Length of a block along the axis; 0: the stages do not take turns. */
static int64_t find_length(const zc_stage *stage, int axis)
{
    const int64_t all = stage->shape[axis];
    const int64_t each =
        stage->store.stride[axis] * (int64_t)zc_dtype_bytes(stage->store.dtype); /* proven: in memory */
    if (all <= CACHED_BYTES / each || zc_stage_extent(stage, stage->kept, stage->rank) > MOST_PRODUCTS ||
        computes_anew(stage, axis))
        return 0;
    const zc_value *product = zc_stage_result(stage);
    const uint64_t batches = stage->values[product->arg[0]].axes & stage->values[product->arg[1]].axes;
    const int64_t length = zc_larger(BLOCK_BYTES / each, (batches >> axis & 1) != 0 ? 1 : LEAST_ROWS);
    return length <= all / 2 ? length : 0;
}

static zc_member *make_member(zc_arena *arena, const zc_group *group, const zc_stage *stage, int axis)
{
    const zc_member member = {.group = group, .outer = {axis}, .whole = stage};
    return zc_arena_copy(arena, &member, 1, sizeof member);
}

/* Lets two stages take turns. False when memory is out. */
static bool form(zc_plan *plan, int32_t first, const zc_group *group, int axis)
{
    zc_stage *stage = plan->stages[first], *next = plan->stages[first + 1];
    const zc_group *formed = zc_arena_copy(&plan->arena, group, 1, sizeof *group);
    zc_member *members[2] = {NULL};
    if (formed != NULL) {
        members[0] = make_member(&plan->arena, formed, stage, axis);
        members[1] = make_member(&plan->arena, formed, next, axis);
    }
    if (members[0] == NULL || members[1] == NULL)
        return false;
    stage->member = members[0];
    next->member = members[1];
    return true;
}

zc_status zc_plan_group_overwriting(zc_plan *plan, zc_reason *why)
{
    const zc_options *options = &plan->ctx->options;
    bool is_changed = false;
    if (options->threads != 1 || options->executor == ZC_EXECUTOR_REFERENCE || plan->ctx->block_length == 0)
        return ZC_OK; /* threads would wait for each other at the end of each block */
    for (int32_t s = 0; s + 1 < plan->stage_count; s++) {
        const zc_stage *stage = plan->stages[s], *next = plan->stages[s + 1];
        const int axis = follows(stage, next) ? leading_axis(stage) : -1;
        const int64_t length = axis >= 0 ? find_length(stage, axis) : 0;
        if (length == 0)
            continue;
        const zc_group group = {.first = s, .count = 2, .rank = 1, .extent = {stage->shape[axis]}, .length = length};
        if (!zc_group_stores_by_rows(plan, &group, &axis, stage)) /* LCOV_EXCL_BR_LINE: temporaries are dense */
            continue;                                             /* LCOV_EXCL_LINE: likewise */
        if (!form(plan, s, &group, axis))
            return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
        is_changed = true;
    }
    return is_changed ? zc_plan_account(plan, why) : ZC_OK;
}
