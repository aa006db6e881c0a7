#include "materialize/rewrite/slabs.h"

#include "materialize/plan/group.h"

#include <string.h>

/* Number of slabs of a temporary, and of temporaries that are divided. */
enum { MOST_PARTS = 64, MOST_DIVIDED = 64 };

/* A temporary whose outermost slabs follow each other in memory. */
typedef struct assembled {
    int32_t slot;
    int64_t whole, pitch;     /* extent of the slabs' axis, and elements for each of its coordinates */
    int count;                /* number of slabs */
    zc_slab slab[MOST_PARTS]; /* [count]: axis is that of their stages */
    int32_t part[MOST_PARTS]; /* [count]: the slots that take its place */
} assembled;

/* Temporaries to be divided. */
typedef struct worklist {
    zc_plan *plan;
    int32_t count, done;
    int32_t slot[MOST_DIVIDED]; /* [count] */
} worklist;

/* ---- Slabs ---- */

/* Tells a stage that stores rows of a slab, one beside the other. */
static bool stores_rows(const assembled *j, const zc_stage *stage, const zc_slab *slab)
{
    int64_t highest = stage->store.offset - slab->first * j->pitch; /* proven: inside the slot */
    if (stage->store.stride[slab->axis] != j->pitch)
        return false;
    for (int a = 0; a < stage->kept; a++)
        highest += a == slab->axis ? 0 : (stage->shape[a] - 1) * stage->store.stride[a]; /* proven: likewise */
    return highest < j->pitch;
}

/* Adds the outermost slab of a stage, unless it is that of the stage before. */
static bool add_slab(const zc_plan *plan, assembled *j, const zc_stage *stage)
{
    const zc_slab *slab = stage->store.slabs;
    const int64_t elements = plan->slots[j->slot].elements;
    if (stage->store.slab_count == 0 || stage->store.updates || stage->store.clears > 0)
        return false;
    if (j->count == 0) {
        j->whole = slab->whole;
        j->pitch = elements / slab->whole;
    }
    const bool is_new = j->count == 0 || j->slab[j->count - 1].first != slab->first;
    if (slab->whole != j->whole || elements != j->whole * j->pitch || (is_new && j->count == MOST_PARTS) ||
        !stores_rows(j, stage, slab))
        return false;
    j->slab[j->count - !is_new] = *slab;
    j->count += is_new;
    return true;
}

static bool find_slabs(const zc_plan *plan, assembled *j)
{
    j->count = 0;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const zc_stage *stage = plan->stages[s];
        if (stage->store.base == j->slot || (stage->store.slot == j->slot && !add_slab(plan, j, stage)))
            return false;
    }
    return j->count > 1;
}

/* ---- Readers ---- */

/* The slab in which all that a load reads lies, or -1. */
static int find_slab(const assembled *j, const zc_stage *stage, const zc_value *value)
{
    const int64_t *stride = stage->stride + (size_t)value->access * (size_t)stage->rank;
    int64_t lowest = stage->offset[value->access], highest = lowest;
    for (int a = 0; a < stage->rank; a++) {
        const int64_t reach = (stage->shape[a] - 1) * stride[a]; /* proven: inside the slot */
        lowest += zc_smaller(reach, 0);
        highest += zc_larger(reach, 0);
    }
    for (int p = 0; value->kind == ZC_VALUE_PICK && p < value->arity; p++) {
        const int64_t reach = (stage->values[value->arg[p]].extent - 1) * value->pick_stride[p]; /* proven: likewise */
        lowest += zc_smaller(reach, 0);
        highest += zc_larger(reach, 0);
    }
    int i = 0;
    while (i < j->count && highest >= (j->slab[i].first + j->slab[i].length) * j->pitch)
        i++;
    return i < j->count && lowest >= j->slab[i].first * j->pitch ? i : -1;
}

/* The axis of a stage along which a load goes from row to row of all slabs, or -1. */
static int find_axis(const zc_plan *plan, const assembled *j, const zc_stage *stage, const zc_value *value)
{
    const zc_group rows = {.count = 1, .rank = 1, .extent = {j->whole}, .length = 1};
    const int64_t *stride = stage->stride + (size_t)value->access * (size_t)stage->rank;
    for (int a = 0; a < zc_stage_free_axes(stage); a++) {
        if (stage->shape[a] == j->whole && stride[a] == j->pitch &&
            zc_group_loads_by_rows(plan, &rows, &a, stage, value))
            return a;
    }
    return -1;
}

static bool reads(const assembled *j, const zc_value *value)
{
    return zc_value_reads(value) && value->slot == j->slot;
}

/* Number of rows of a slab that a contraction takes at least: it packs its other operand once for each slab. */
enum { LEAST_CONTRACTED = 256 };

/* Tells a contraction whose other operand each slab would pack for few rows. */
static bool packs_for_few(const assembled *j, const zc_stage *stage, int axis)
{
    if (!stage->kind->packs_operands)
        return false;
    const zc_value *product = zc_stage_result(stage);
    const uint64_t x = stage->values[product->arg[0]].axes, y = stage->values[product->arg[1]].axes;
    const uint64_t own = (x >> axis & 1) != 0 ? x & ~y : y & ~x, kept = (UINT64_C(1) << stage->kept) - 1;
    if ((x & y) >> axis & 1) /* of batches, each of which has its own */
        return false;
    const int64_t rows = zc_stage_extent_along(stage, own & kept) / j->whole; /* for each coordinate */
    for (int i = 0; i < j->count; i++) {
        if (j->slab[i].length * rows < LEAST_CONTRACTED) /* proven: at most the domain's */
            return true;
    }
    return false;
}

/* Finds the axis along which a stage walks all slabs; -1: none. False where it reads several slabs in another way. */
static bool find_walked(const zc_plan *plan, const assembled *j, const zc_stage *stage, int *axis)
{
    *axis = -1;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        if (!reads(j, value) || find_slab(j, stage, value) >= 0)
            continue;
        const int along = find_axis(plan, j, stage, value);
        if (along < 0 || (*axis >= 0 && along != *axis) || !zc_stage_is_divisible(stage) ||
            packs_for_few(j, stage, along))
            return false;
        *axis = along;
    }
    return true;
}

/* Tells whether all that reads several slabs can be split. */
static bool can_split(const zc_plan *plan, const assembled *j)
{
    int axis;
    int32_t s = 0;
    while (s < plan->stage_count && find_walked(plan, j, plan->stages[s], &axis))
        s++;
    return s == plan->stage_count;
}

/* ---- Splitting ---- */

static bool add_slots(zc_plan *plan, assembled *j)
{
    for (int i = 0; i < j->count; i++) {
        j->part[i] = zc_plan_add_slot(plan, ZC_SLOT_TEMPORARY, plan->slots[j->slot].dtype,
                                      j->slab[i].length * j->pitch); /* proven: at most the slot's */
        if (j->part[i] < 0)
            return false;
    }
    return true;
}

/* Lets a stage that stores in a slab store in the slot of that slab. */
static void store_in_slab(const assembled *j, zc_stage *stage)
{
    int i = 0;
    while (j->slab[i].first != stage->store.slabs->first)
        i++;
    stage->store.slot = j->part[i];
    stage->store.offset -= j->slab[i].first * j->pitch; /* proven: inside the slot */
    stage->store.slabs++;
    stage->store.slab_count--;
}

/* Lets the loads of a stage that stay inside a slab read its slot. */
static void read_slab(const assembled *j, zc_stage *stage)
{
    for (int32_t v = 0; v < stage->value_count; v++) {
        zc_value *value = &stage->values[v];
        const int i = reads(j, value) ? find_slab(j, stage, value) : -1;
        if (i < 0)
            continue;
        value->slot = j->part[i];
        stage->offset[value->access] -= j->slab[i].first * j->pitch; /* proven: inside the slot */
    }
}

/* A stage over a part of an axis that it keeps; NULL when memory is out. */
static zc_stage *make_part(zc_arena *arena, const zc_stage *stage, int axis, const zc_slab *slab)
{
    zc_stage *part = zc_arena_copy(arena, stage, 1, sizeof *part);
    const zc_slab own = {axis, slab->first, slab->length, stage->shape[axis]};
    if (part == NULL)
        return NULL;
    part->shape = zc_arena_copy(arena, stage->shape, (size_t)stage->rank, sizeof *part->shape);
    part->offset = zc_arena_copy(arena, stage->offset, (size_t)stage->access_count, sizeof *part->offset);
    part->values = zc_arena_copy(arena, stage->values, (size_t)stage->value_count, sizeof *part->values);
    if (part->shape == NULL || part->offset == NULL || part->values == NULL ||
        !zc_store_add_slab(arena, &stage->store, own, &part->store))
        return NULL;
    part->shape[axis] = slab->length;
    for (int32_t a = 0; a < stage->access_count; a++)
        (void)zc_checked_advance(stage->offset[a], slab->first,
                                 stage->stride[(size_t)a * (size_t)stage->rank + (size_t)axis],
                                 &part->offset[a]); /* inside the slot */
    (void)zc_checked_advance(stage->store.offset, slab->first, stage->store.stride[axis], &part->store.offset);
    for (int32_t v = 0; v < stage->value_count; v++) {
        zc_value *value = &part->values[v];
        if (value->node_stride != NULL && value->node_rank > axis)
            (void)zc_checked_advance(value->node_offset, slab->first, value->node_stride[axis], &value->node_offset);
    }
    return part;
}

static void add_slot(worklist *s, int32_t slot)
{
    for (int32_t i = 0; i < s->count; i++) {
        if (s->slot[i] == slot)
            return;
    }
    if (s->count < MOST_DIVIDED)
        s->slot[s->count++] = slot;
}

/* Puts the parts of stages in their places. False when memory is out. */
static bool split_stages(worklist *s, const assembled *j)
{
    zc_plan *plan = s->plan;
    zc_stage **before = plan->stages;
    const int32_t count = plan->stage_count;
    plan->stages = NULL;
    plan->stage_count = plan->stage_room = 0;
    for (int32_t at = 0; at < count; at++) {
        zc_stage *stage = before[at];
        int axis;
        if (stage->store.slot == j->slot)
            store_in_slab(j, stage);
        (void)find_walked(plan, j, stage, &axis);
        for (int i = 0; i < (axis < 0 ? 1 : j->count); i++) {
            zc_stage *part = axis < 0 ? stage : make_part(&plan->arena, stage, axis, &j->slab[i]);
            if (part == NULL || zc_plan_add_stage(plan, part) != ZC_OK)
                return false;
            read_slab(j, part);
        }
        if (axis >= 0 && plan->slots[stage->store.slot].kind == ZC_SLOT_TEMPORARY)
            add_slot(s, stage->store.slot);
    }
    return true;
}

/* ---- What is split ---- */

/* Bytes of a slab, on average, that are worth it. */
enum { LEAST_SLAB = ZC_LEAST_SAVED / 4 };

static bool is_forced(const zc_plan *plan)
{
    return plan->ctx->block_length > 0;
}

/* Finds large temporaries in slabs. */
static void find_large(worklist *s)
{
    const zc_plan *plan = s->plan;
    for (int32_t at = 0; at < plan->stage_count; at++) {
        const zc_stage *stage = plan->stages[at];
        const zc_slot *slot = &plan->slots[stage->store.slot];
        const bool is_large = slot->elements >= ZC_LEAST_SAVED / (int64_t)zc_dtype_bytes(slot->dtype);
        if (stage->store.slab_count > 0 && slot->kind == ZC_SLOT_TEMPORARY && (is_large || is_forced(plan)))
            add_slot(s, stage->store.slot);
    }
}

static bool has_large_slabs(const zc_plan *plan, const assembled *j)
{
    const zc_slot *slot = &plan->slots[j->slot];
    return slot->elements / j->count >= LEAST_SLAB / (int64_t)zc_dtype_bytes(slot->dtype) || is_forced(plan);
}

bool zc_split_slabs(zc_plan *plan, zc_policy policy)
{
    worklist s = {.plan = plan};
    plan->is_split = false;
    if (policy == ZC_POLICY_EAGER || plan->keeps_slabs || plan->ctx->block_length == 0 ||
        plan->ctx->options.executor == ZC_EXECUTOR_REFERENCE)
        return true;
    find_large(&s);
    const int32_t large = s.count; /* those behind are made of them */
    for (; s.done < s.count; s.done++) {
        if (zc_progress_stops(&plan->ctx->progress))
            return false;
        assembled j = {.slot = s.slot[s.done]};
        if (!find_slabs(plan, &j) || !(s.done >= large || has_large_slabs(plan, &j)) || !can_split(plan, &j))
            continue;
        plan->is_split = true;
        if (!add_slots(plan, &j) || !split_stages(&s, &j)) /* LCOV_EXCL_BR_LINE: memory fails in smaller plans */
            return false;                                  /* LCOV_EXCL_LINE: likewise */
    }
    return true;
}
