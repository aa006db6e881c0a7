#include "materialize/plan/memory.h"

#include "materialize/plan/group.h"
#include "views/overlap.h"

#include <stdio.h>
#include <string.h>

/* The shape of what is made in a slot: of a result, or of the first one, which an intermediate result serves. */
static char *shape_text(const zc_plan *plan, int32_t slot, char text[ZC_SHAPE_TEXT])
{
    int32_t at = plan->result_count - 1;
    while (at > 0 && plan->results[at].slot != slot)
        at--;
    const zc_tensor *t = plan->results[at].asked;
    return zc_shape_text(text, ZC_SHAPE_TEXT, t->rank, t->dims);
}

static zc_status slot_bytes(const zc_plan *plan, int32_t s, zc_reason *why)
{
    const zc_slot *slot = &plan->slots[s];
    char shape[ZC_SHAPE_TEXT];
    zc_status status = zc_shape_bytes(zc_slot_held(plan, slot), zc_dtype_bytes(slot->dtype), &plan->bytes[s], why);
    return status == ZC_OK
               ? ZC_OK
               : zc_refuse(why, status, "%s of %lld elements of %s takes more bytes than int64 counts; the shape is %s",
                           slot->kind == ZC_SLOT_OUTPUT ? "the result" : "an intermediate result",
                           (long long)slot->elements, zc_dtype_name(slot->dtype), shape_text(plan, s, shape));
}

/* When each slot is written and last read. */
static void find_lifetimes(zc_plan *plan)
{
    for (int32_t i = 0; i < plan->slot_count; i++) {
        plan->slots[i].first_stage = plan->slots[i].last_stage = -1;
        plan->slots[i].is_read = false;
    }
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const zc_stage *stage = zc_plan_walk(plan, s);
        zc_slot *written = &plan->slots[stage->store.slot];
        written->first_stage = written->first_stage < 0 ? s : written->first_stage;
        written->last_stage = s;
        if (stage->store.base >= 0)
            plan->slots[stage->store.base].last_stage = s;
        for (int32_t v = 0; v < stage->value_count; v++) {
            if (!zc_value_reads(&stage->values[v]))
                continue;
            zc_slot *read = &plan->slots[stage->values[v].slot];
            read->last_stage = s;
            read->is_read = true;
        }
    }
    for (int32_t s = 0; s < plan->stage_count; s++)
        plan->stages[s]->feeds = plan->slots[plan->stages[s]->store.slot].is_read;
}

static zc_status add_bytes(const zc_plan *plan, int64_t *sum, int64_t bytes, zc_reason *why)
{
    char shape[ZC_SHAPE_TEXT];
    if (zc_checked_add(*sum, bytes, sum))
        return ZC_OK;
    return zc_refuse(why, ZC_ERROR_OVERFLOW,
                     "the intermediate results take more bytes together than int64 counts; the shape is %s",
                     shape_text(plan, -1, shape));
}

int64_t zc_slot_stored(const zc_plan *plan, int32_t slot)
{
    return plan->stored != NULL ? plan->stored[slot] : plan->slots[slot].elements;
}

/* Adds up what is stored into each slot, where that may not be all of it: where there are updates. False when memory is
 * out. */
static bool find_stored(zc_plan *plan)
{
    int32_t first = 0;
    plan->stored = NULL;
    while (first < plan->stage_count && !zc_plan_walk(plan, first)->store.updates)
        first++;
    if (first == plan->stage_count)
        return true;
    plan->stored = zc_arena_take(&plan->arena, (size_t)plan->slot_count, sizeof *plan->stored);
    if (plan->stored == NULL)
        return false;
    memset(plan->stored, 0, (size_t)plan->slot_count * sizeof *plan->stored);
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const zc_stage *stage = zc_plan_walk(plan, s);
        int64_t *stored = &plan->stored[stage->store.slot];
        *stored =
            zc_smaller(zc_saturating_add(*stored, zc_stage_stored(stage)), plan->slots[stage->store.slot].elements);
    }
    return true;
}

/* Held and written bytes: inputs once per buffer, the outputs and every temporary. */
static zc_status add_up(zc_plan *plan, zc_reason *why)
{
    for (int32_t s = 0; s < plan->slot_count; s++) {
        const zc_slot *slot = &plan->slots[s];
        if (slot->kind == ZC_SLOT_INPUT) {
            zc_status status = zc_plan_first_input(plan, slot->buffer) < s
                                   ? ZC_OK
                                   : add_bytes(plan, &plan->held_bytes, slot->buffer->bytes, why);
            if (status != ZC_OK) /* LCOV_EXCL_BR_LINE: they are memory that there is */
                return status;   /* LCOV_EXCL_LINE: likewise */
        } else if (slot->first_stage >= 0) {
            const int64_t stored = slot->is_block ? slot->elements : zc_slot_stored(plan, s);
            const int64_t written = plan->bytes[s] > 0 ? stored * (int64_t)zc_dtype_bytes(slot->dtype) : 0;
            zc_status status = add_bytes(plan, &plan->written_bytes, written, why); /* proven: at most the slot's */
            if (status != ZC_OK)
                return status;
            const bool is_new =
                slot->kind == ZC_SLOT_OUTPUT && plan->slots[zc_slot_memory(plan, s)].kind != ZC_SLOT_INPUT;
            plan->output_bytes += is_new ? plan->bytes[s] : 0;                            /* proven: they are summed */
            plan->bought_bytes += is_new && zc_slot_is_bought(slot) ? plan->bytes[s] : 0; /* proven: likewise */
        }
    }
    return ZC_OK;
}

/* Sums the bytes of the results; tensors asked for twice count twice. */
static int64_t count_logical(const zc_plan *plan)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < plan->result_count; i++) {
        const zc_tensor *t = plan->results[i].asked;
        int64_t bytes;
        if (!zc_checked_multiply(t->size, (int64_t)zc_dtype_bytes(zc_dtype_of(t)), &bytes) ||
            !zc_checked_add(sum, bytes, &sum))
            return INT64_MAX;
    }
    return sum;
}

/* ---- Writing over temporaries ---- */

int32_t zc_slot_memory(const zc_plan *plan, int32_t slot)
{
    while (plan->slots[slot].memory != slot)
        slot = plan->slots[slot].memory;
    return slot;
}

bool zc_value_is_at_store(const zc_stage *stage, const zc_value *load)
{
    if (load->kind != ZC_VALUE_LOAD || stage->kept != stage->rank || stage->offset[load->access] != stage->store.offset)
        return false;
    const int64_t *stride = stage->stride + (size_t)load->access * (size_t)stage->rank;
    int a = 0;
    while (a < stage->rank && (stage->shape[a] == 1 || stride[a] == stage->store.stride[a]))
        a++;
    return a == stage->rank;
}

/* Tells a slot whose rows a stage finds in the block at hand: one that its own group made. Without a group, any is. */
static bool is_of_group(const zc_stage *stage, const zc_slot *from)
{
    return stage->member == NULL || from->is_block || from->first_stage >= stage->member->group->first;
}

bool zc_stage_may_overwrite(const zc_plan *plan, const zc_stage *stage, int32_t slot)
{
    const zc_slot *to = &plan->slots[stage->store.slot], *from = &plan->slots[slot];
    if (!stage->kind->is_elementwise || stage->store.clears > 0 || stage->store.updates ||
        stage->store.slab_count > 0 || from->kind != ZC_SLOT_TEMPORARY ||
        plan->slots[zc_slot_memory(plan, slot)].kind == ZC_SLOT_INPUT || from->elements != to->elements ||
        from->is_block != to->is_block || !is_of_group(stage, from) ||
        zc_dtype_bytes(from->dtype) != zc_dtype_bytes(to->dtype))
        return false;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        if (zc_value_reads(value) && value->slot == slot && !zc_value_is_at_store(stage, value))
            return false;
    }
    return true;
}

/* Tells whether no place of one is a place of the other; false where they have too many axes to tell. */
static bool are_apart(const zc_stage *stage, const zc_value *value)
{
    zc_view read, stored;
    int64_t extent[ZC_MAX_RANK], step[ZC_MAX_RANK];
    const int moves = zc_stage_store_moves(stage, extent, step);
    if (stage->rank + value->arity > ZC_MAX_RANK || stage->kept + moves > ZC_MAX_RANK)
        return false;
    read.rank = stage->rank + value->arity;
    read.offset = stage->offset[value->access];
    zc_copy_list(stage->rank, stage->stride + (size_t)value->access * (size_t)stage->rank, read.stride);
    for (int a = 0; a < stage->rank; a++)
        read.shape[a] = zc_stage_extent_of(stage, (int32_t)(value - stage->values), a);
    for (int i = 0; i < value->arity; i++) {
        read.shape[stage->rank + i] = stage->values[value->arg[i]].extent;
        read.stride[stage->rank + i] = value->pick_stride[i];
    }
    stored.rank = stage->kept + moves;
    stored.offset = stage->store.offset;
    zc_copy_list(stage->kept, stage->shape, stored.shape);
    zc_copy_list(stage->kept, stage->store.stride, stored.stride);
    zc_copy_list(moves, extent, stored.shape + stage->kept);
    zc_copy_list(moves, step, stored.stride + stage->kept);
    return zc_views_are_apart(&read, &stored);
}

/* Tells whether the stage reads an element at most before it stores the one at its place, which it does once. */
static bool keeps_places(const zc_stage *stage)
{
    int64_t extent[ZC_MAX_RANK], step[ZC_MAX_RANK];
    return !stage->kind->reduces && zc_stage_free_axes(stage) == stage->rank &&
           zc_stage_store_moves(stage, extent, step) == 0;
}

bool zc_value_may_stay(const zc_stage *stage, const zc_value *value)
{
    return (keeps_places(stage) && zc_value_is_at_store(stage, value)) || are_apart(stage, value);
}

bool zc_stage_takes_over(const zc_plan *plan, const zc_stage *stage)
{
    return stage->store.base >= 0 && plan->slots[zc_slot_memory(plan, stage->store.base)].kind == ZC_SLOT_INPUT;
}

/* Tells a check of what a stage has checked. */
static bool is_checked(const zc_plan *plan, const zc_stage *stage, const zc_value *check)
{
    const int32_t slot = stage->values[check->arg[0]].slot;
    for (int32_t s = 0; s < plan->stage_count && plan->slots[slot].kind == ZC_SLOT_TEMPORARY; s++) {
        const zc_value *made = zc_stage_result(plan->stages[s]);
        if (plan->stages[s]->store.slot == slot)
            return made->kind == ZC_VALUE_CHECK && made->extent == check->extent;
    }
    return false;
}

static bool are_checked(const zc_plan *plan, const zc_stage *stage)
{
    int count;
    const int32_t *checks = zc_stage_besides(stage, &count);
    int i = 0;
    while (i < count && is_checked(plan, stage, &stage->values[checks[i]]))
        i++;
    return i == count;
}

/* Tells an update that cannot fail: it puts elements that are there, and nobody else has the node of its base. */
static bool puts_for_good(const zc_plan *plan, const zc_stage *stage, const zc_slot *from)
{
    const zc_slot *to = &plan->slots[stage->store.slot];
    return from->is_taken && to->takes_over && to->node != NULL && zc_stage_is_put(stage) && are_checked(plan, stage);
}

bool zc_stage_may_continue(const zc_plan *plan, const zc_stage *stage, int32_t slot)
{
    const zc_slot *to = &plan->slots[stage->store.slot], *from = &plan->slots[slot];
    if (zc_stage_takes_over(plan, stage) ? !puts_for_good(plan, stage, from) : from->kind != ZC_SLOT_TEMPORARY)
        return false;
    if ((to->kind == ZC_SLOT_OUTPUT && plan->target != NULL && !zc_slot_is_bought(to)) ||
        from->elements != to->elements || from->dtype != to->dtype)
        return false;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        if (zc_value_reads(value) && value->slot == slot && !zc_value_may_stay(stage, value))
            return false;
    }
    return true;
}

static bool reads_at_store(const zc_stage *stage, int32_t slot)
{
    int32_t v = 0;
    while (v < stage->value_count && !(zc_value_reads(&stage->values[v]) && stage->values[v].slot == slot &&
                                       zc_value_is_at_store(stage, &stage->values[v])))
        v++;
    return v < stage->value_count;
}

/* A temporary that the stage is the last to read, and may store over; -1 when there is none. */
static int32_t find_overwritten(const zc_plan *plan, int32_t s)
{
    const zc_stage *stage = zc_plan_walk(plan, s);
    if (stage->store.base >= 0)
        return reads_at_store(stage, stage->store.base) ? stage->store.base : -1;
    if (stage->value_count == 1 || (plan->slots[stage->store.slot].kind == ZC_SLOT_OUTPUT && plan->target != NULL) ||
        plan->slots[stage->store.slot].first_stage != s)
        return -1;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        if (value->kind == ZC_VALUE_LOAD && plan->slots[value->slot].last_stage == s &&
            zc_stage_may_overwrite(plan, stage, value->slot))
            return value->slot;
    }
    return -1;
}

/* Lets slots share memory. An output's memory is its own, so it takes in what it writes over. */
static void share_memory(zc_plan *plan)
{
    for (int32_t i = 0; i < plan->slot_count; i++)
        plan->slots[i].memory = plan->slots[i].holder = i;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        int32_t from = find_overwritten(plan, s), to = plan->stages[s]->store.slot;
        plan->stages[s]->store.overwritten = from;
        from = plan->stages[s]->store.base >= 0 ? plan->stages[s]->store.base : from;
        if (from < 0)
            continue;
        from = zc_slot_memory(plan, from);
        if (plan->slots[to].kind == ZC_SLOT_OUTPUT && plan->slots[from].kind != ZC_SLOT_INPUT)
            plan->slots[from].memory = to;
        else
            plan->slots[to].memory = from;
        plan->slots[from].holder = to;
    }
}

/* ---- How much is alive ---- */

/* The first and the last stage of those that run in turns with a stage: of its group, or itself. */
static int32_t begin_of(const zc_plan *plan, int32_t s)
{
    const zc_group *group = zc_stage_group(plan->stages[s]);
    return group != NULL ? group->first : s;
}

static int32_t end_of(const zc_plan *plan, int32_t s)
{
    const zc_group *group = zc_stage_group(plan->stages[s]);
    return group != NULL ? group->first + group->count - 1 : s;
}

/* When each memory is first written and last used. */
static void find_memory_lifetimes(const zc_plan *plan, int32_t *begins, int32_t *ends)
{
    for (int32_t i = 0; i < plan->slot_count; i++)
        begins[i] = ends[i] = -1;
    for (int32_t i = 0; i < plan->slot_count; i++) {
        const zc_slot *slot = &plan->slots[i];
        int32_t memory = zc_slot_memory(plan, i);
        if (plan->slots[memory].kind == ZC_SLOT_INPUT || slot->first_stage < 0)
            continue;
        const int32_t first = begin_of(plan, slot->first_stage), last = end_of(plan, slot->last_stage);
        if (begins[memory] < 0 || first < begins[memory])
            begins[memory] = first;
        ends[memory] = last > ends[memory] ? last : ends[memory];
    }
}

/* Lists the memories that end with each stage: those of outputs do not. */
static void list_ends(zc_plan *plan, const int32_t *ends)
{
    for (int32_t s = 0; s < plan->stage_count; s++)
        plan->ends_first[s] = -1;
    for (int32_t i = 0; i < plan->slot_count; i++) {
        if (plan->slots[i].kind == ZC_SLOT_OUTPUT || ends[i] < 0)
            continue;
        plan->ends_next[i] = plan->ends_first[ends[i]];
        plan->ends_first[ends[i]] = i;
    }
}

/* Walks the stages as run.c will: memory is taken before the stage that first writes it and given back after the last
 * one that uses it. The sum of all of it fits, so this one does. */
static void find_alive(zc_plan *plan, int32_t *begins)
{
    int64_t alive = 0;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const int32_t last = begin_of(plan, s) == s ? end_of(plan, s) : s;
        for (int32_t m = s; m <= last; m++) {
            int32_t memory = zc_slot_memory(plan, zc_plan_walk(plan, m)->store.slot);
            alive += begins[memory] == s ? plan->bytes[memory] : 0;
            begins[memory] = begins[memory] == s ? -1 : begins[memory]; /* it is taken once */
        }
        plan->stages[s]->alive_bytes = alive;
        plan->alive_bytes = zc_larger(plan->alive_bytes, alive);
        for (int32_t i = plan->ends_first[s]; i >= 0; i = plan->ends_next[i])
            alive -= plan->bytes[i];
    }
    plan->peak_bytes = plan->alive_bytes;
}

void zc_plan_add_states(zc_plan *plan)
{
    plan->needed_bytes = plan->alive_bytes;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const zc_stage *stage = zc_plan_walk(plan, s);
        const int64_t states = zc_stage_state_bytes(plan, stage);
        plan->needed_bytes = zc_larger(plan->needed_bytes, zc_saturating_add(stage->alive_bytes, states));
    }
}

void zc_plan_add_scratch(zc_plan *plan)
{
    plan->peak_bytes = plan->alive_bytes;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const zc_stage *stage = zc_plan_walk(plan, s);
        const int64_t besides = zc_saturating_add(stage->scratch_bytes, zc_stage_state_bytes(plan, stage));
        plan->peak_bytes = zc_larger(plan->peak_bytes, zc_saturating_add(stage->alive_bytes, besides));
    }
}

zc_status zc_plan_account(zc_plan *plan, zc_reason *why)
{
    zc_arena *arena = &plan->arena;
    size_t slots = (size_t)plan->slot_count, stages = (size_t)plan->stage_count;
    int32_t *begins = zc_arena_take(arena, slots, sizeof *begins), *ends = zc_arena_take(arena, slots, sizeof *ends);
    plan->logical_bytes = count_logical(plan);
    plan->held_bytes = plan->output_bytes = plan->bought_bytes = plan->written_bytes = 0;
    plan->alive_bytes = 0;
    plan->bytes = zc_arena_take(arena, slots, sizeof *plan->bytes);
    plan->ends_first = zc_arena_take(arena, stages, sizeof *plan->ends_first);
    plan->ends_next = zc_arena_take(arena, slots, sizeof *plan->ends_next);
    if (begins == NULL || ends == NULL || plan->bytes == NULL || plan->ends_first == NULL || plan->ends_next == NULL ||
        !find_stored(plan))
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    find_lifetimes(plan);
    for (int32_t s = 0; s < plan->slot_count; s++) {
        zc_status status = slot_bytes(plan, s, why);
        if (status != ZC_OK)
            return status;
        if (plan->target != NULL && plan->slots[s].kind == ZC_SLOT_OUTPUT && !zc_slot_is_bought(&plan->slots[s]))
            plan->bytes[s] = 0; /* the caller's memory is there already */
    }
    share_memory(plan);
    find_memory_lifetimes(plan, begins, ends);
    list_ends(plan, ends);
    zc_status status = add_up(plan, why);
    if (status == ZC_OK) {
        find_alive(plan, begins);
        zc_plan_add_states(plan);
    }
    zc_arena_give_back(arena, begins, slots, sizeof *begins);
    zc_arena_give_back(arena, ends, slots, sizeof *ends);
    return status;
}

bool zc_plan_may_buy(zc_context *ctx, int64_t bytes)
{
    enum { PART = 4 };
    return bytes == 0 || bytes <= (zc_context_keep_limit(ctx) - zc_memory_usage(ctx).held_bytes) / PART;
}
