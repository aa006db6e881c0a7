#include "materialize/plan/plan.h"

#include "materialize/plan/group.h"

#include "runtime/dtypes/float_environment.h"

int64_t zc_plan_work(const zc_plan *plan)
{
    ZC_DEFAULT_FLOATS();
    const double most = 9e18; /* below INT64_MAX */
    double work = 0;
    for (int32_t s = 0; s < plan->stage_count; s++)
        work += zc_stage_exact_work(zc_plan_walk(plan, s));
    return work < most ? (int64_t)work : INT64_MAX;
}

static uint64_t hash_input(const zc_buffer *buffer)
{
    return zc_hash_word(0, (uint64_t)(uintptr_t)buffer);
}

static int32_t find_input(const zc_plan *plan, zc_dtype dtype, const zc_buffer *buffer, int64_t origin)
{
    size_t cursor = 0;
    int32_t at;
    while ((at = zc_table_next(&plan->inputs, hash_input(buffer), &cursor)) >= 0) {
        const zc_slot *slot = &plan->slots[at];
        const bool is_it = slot->buffer == buffer && slot->dtype == dtype && slot->origin == origin;
        if (is_it)
            return at;
    }
    return -1;
}

int32_t zc_plan_first_input(const zc_plan *plan, const zc_buffer *buffer)
{
    size_t cursor = 0;
    int32_t at, first = plan->slot_count;
    while ((at = zc_table_next(&plan->inputs, hash_input(buffer), &cursor)) >= 0) {
        if (at < first && plan->slots[at].buffer == buffer) /* LCOV_EXCL_BR_LINE: it is it unless hashes collide */
            first = at;
    }
    return first;
}

int32_t zc_plan_add_slot(zc_plan *plan, zc_slot_kind kind, zc_dtype dtype, int64_t elements)
{
    void *slots = plan->slots;
    if (!zc_arena_make_room(&plan->arena, &slots, plan->slot_count, &plan->slot_room, sizeof *plan->slots))
        return -1;
    plan->slots = slots;
    plan->slots[plan->slot_count] =
        (zc_slot){.kind = kind, .dtype = dtype, .elements = elements, .first_stage = -1, .last_stage = -1};
    return plan->slot_count++;
}

int32_t zc_plan_add_input(zc_plan *plan, zc_dtype dtype, int64_t elements, const zc_buffer *buffer, int64_t origin)
{
    const int32_t known = find_input(plan, dtype, buffer, origin);
    if (known >= 0)
        return known;
    const int32_t slot = zc_plan_add_slot(plan, ZC_SLOT_INPUT, dtype, elements);
    if (slot < 0)
        return -1;
    plan->slots[slot].buffer = buffer;
    plan->slots[slot].origin = origin;
    return zc_table_add(&plan->inputs, hash_input(buffer), slot) ? slot : -1;
}

void zc_plan_list_sources(const zc_plan *plan, zc_sources *sources)
{
    *sources = (zc_sources){.nodes = plan->made_of};
    for (int32_t s = 0; s < plan->slot_count; s++) {
        const zc_slot *slot = &plan->slots[s];
        if (slot->kind == ZC_SLOT_INPUT && zc_dtype_describe(slot->dtype)->kind >= ZC_KIND_FLOAT)
            zc_sources_add(sources, (zc_buffer *)(uintptr_t)slot->buffer);
    }
}

bool zc_plan_list_inputs(zc_plan *plan)
{
    plan->inputs = (zc_table){.arena = &plan->arena};
    for (int32_t s = 0; s < plan->slot_count; s++) {
        const zc_slot *slot = &plan->slots[s];
        if (slot->kind == ZC_SLOT_INPUT && !zc_table_add(&plan->inputs, hash_input(slot->buffer), s))
            return false;
    }
    return true;
}

zc_status zc_plan_add_stage(zc_plan *plan, zc_stage *stage)
{
    void *stages = (void *)plan->stages;
    if (!zc_arena_make_room(&plan->arena, &stages, plan->stage_count, &plan->stage_room, sizeof(zc_stage *)))
        return ZC_ERROR_MEMORY;
    plan->stages = stages;
    plan->stages[plan->stage_count++] = stage;
    return ZC_OK;
}

void zc_stage_release(zc_stage *stage)
{
    if (stage->executor != NULL && stage->release != NULL)
        stage->release(stage->prepared);
    stage->executor = NULL;
}

void zc_plan_free(zc_plan *plan)
{
    for (int32_t s = 0; s < plan->stage_count; s++) {
        zc_stage_release(plan->stages[s]);
        for (int i = 0; i < 2 && plan->stages[s]->member != NULL; i++) {
            if (plan->stages[s]->member->part[i] != NULL)
                zc_stage_release(plan->stages[s]->member->part[i]);
        }
    }
    zc_arena_free(&plan->arena);
}

zc_status zc_plan_refuse_size(const zc_plan *plan, const char *function)
{
    const zc_budget budget = {.limit = plan->ctx->options.header_limit, .window_axis = -1};
    return zc_fail_budget(plan->ctx, function, &budget,
                          "the plan takes more than the %lld bytes of header memory that are the limit",
                          (long long)budget.limit);
}
