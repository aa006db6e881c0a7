#include "materialize/rewrite/runs.h"

#include <string.h>

#include "materialize/stages/runs.h"

/* The temporaries that a stage of runs reads are alive together, beside what they are laid into. That is worth it as
 * long as they are small. */
enum { MOST_BYTES = 1 << 18 };

bool zc_may_join_runs(zc_policy policy, zc_dtype dtype)
{
    return policy == ZC_POLICY_FAST && dtype != ZC_BOOL;
}

/* Tells whether a stage only moves few elements that are in memory, or fills with a number. */
static bool moves_little(const zc_stage *stage)
{
    const int64_t elements = zc_stage_extent(stage, 0, stage->rank);
    return zc_stage_is_copy(stage) && !stage->store.updates && stage->store.clears == 0 &&
           elements <= ZC_MOST_RUN_ELEMENTS && elements > 0;
}

/* Tells whether a stage makes a slab of something, and is a run along the slab's axis, or some. */
static bool has_runs(const zc_stage *stage, zc_policy policy)
{
    if (stage->store.slab_count == 0 || !zc_may_join_runs(policy, stage->store.dtype))
        return false;
    return zc_runs_are_along(stage, stage->store.slabs[stage->store.slab_count - 1].axis) || moves_little(stage);
}

/* Bytes of a temporary that the stage reads. */
static int64_t bytes_read(const zc_plan *plan, const zc_stage *stage)
{
    const zc_value *value = zc_stage_result(stage);
    bool is_temporary = value->kind == ZC_VALUE_LOAD && plan->slots[value->slot].kind == ZC_SLOT_TEMPORARY;
    return is_temporary ? zc_stage_extent(stage, 0, stage->rank) * (int64_t)zc_dtype_bytes(stage->store.dtype)
                        : 0; /* proven: few elements */
}

/* Tells whether the stage makes the slab behind that of the one before, of the same whole. */
static bool follows(const zc_stage *stage, const zc_stage *before)
{
    const int last = stage->store.slab_count - 1;
    if (before->store.slab_count != stage->store.slab_count || before->store.slot != stage->store.slot ||
        before->kept != stage->kept ||
        memcmp(before->store.stride, stage->store.stride, (size_t)stage->kept * sizeof(int64_t)) != 0)
        return false;
    for (int i = 0; i < last; i++) {
        if (!zc_slab_equal(&before->store.slabs[i], &stage->store.slabs[i]))
            return false;
    }
    const zc_slab *a = &before->store.slabs[last], *b = &stage->store.slabs[last];
    return a->axis == b->axis && a->whole == b->whole &&
           b->first == a->first + a->length; /* proven: inside the whole */
}

/* Counts the stages from s on that lay runs side by side. */
static int32_t count_runs(const zc_plan *plan, int32_t s, zc_policy policy)
{
    int64_t bytes = 0;
    int32_t count = 0;
    for (; s + count < plan->stage_count; count++) {
        const zc_stage *stage = zc_plan_walk(plan, s + count);
        if (!has_runs(stage, policy) || (count > 0 && !follows(stage, plan->stages[s + count - 1])))
            break;
        bytes += bytes_read(plan, stage); /* proven: at most the limit and one stage more */
        if (bytes > MOST_BYTES)
            break;
    }
    return count;
}

/* Takes the arrays of the joined stage. */
static bool make_room(zc_plan *plan, zc_stage *joined, int axis, int32_t count)
{
    zc_arena *arena = &plan->arena;
    joined->shape = zc_arena_copy(arena, joined->shape, (size_t)joined->rank, sizeof *joined->shape);
    joined->store.slabs =
        zc_arena_copy(arena, joined->store.slabs, (size_t)joined->store.slab_count, sizeof *joined->store.slabs);
    return joined->shape != NULL && joined->store.slabs != NULL && zc_runs_begin(arena, joined, axis, count);
}

static void add_runs(zc_stage *joined, const zc_stage *stage, int axis)
{
    const size_t row = (size_t)joined->rank;
    for (int32_t from = 0; from < stage->value_count; from++) {
        const int32_t v = zc_runs_add(joined, zc_stage_extent_of(stage, from, axis));
        zc_value *value = &joined->values[v];
        *value = stage->values[from];
        if (value->kind != ZC_VALUE_LOAD)
            continue;
        const int32_t access = joined->access_count++;
        joined->offset[access] = stage->offset[value->access];
        memcpy(joined->stride + (size_t)access * row, stage->stride + (size_t)value->access * row,
               row * sizeof(int64_t));
        value->access = access;
    }
}

/* Makes the first of `count` stages all of them. */
static bool join(zc_plan *plan, zc_stage **stages, int32_t count)
{
    int32_t values = 0;
    for (int32_t i = 0; i < count; i++)
        values += stages[i]->value_count;
    zc_stage joined = *stages[0];
    const int axis = joined.store.slabs[joined.store.slab_count - 1].axis;
    if (!make_room(plan, &joined, axis, values))
        return false;
    for (int32_t i = 0; i < count; i++)
        add_runs(&joined, stages[i], axis);
    zc_slab *slab = &joined.store.slabs[joined.store.slab_count - 1];
    slab->length = joined.shape[axis] = zc_runs_end(&joined);
    joined.store.slab_count -= slab->length == slab->whole;
    *stages[0] = joined;
    return true;
}

bool zc_join_runs(zc_plan *plan, zc_policy policy)
{
    int32_t kept = 0;
    for (int32_t s = 0, count; s<plan->stage_count; s += count> 0 ? count : 1) {
        count = count_runs(plan, s, policy);
        if (count > 1 && !join(plan, &plan->stages[s], count))
            return false;
        plan->stages[kept++] = plan->stages[s];
    }
    plan->stage_count = kept;
    return true;
}
