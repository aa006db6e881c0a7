#include "materialize/plan/plan.h"

#include "runtime/dtypes/float_environment.h"

int64_t zc_stage_extent(const zc_stage *stage, int first, int last)
{
    int64_t elements = 1;
    for (int a = first; a < last; a++)
        elements *= stage->shape[a]; /* proven: the domain's size fits */
    return elements;
}

int64_t zc_stage_extent_along(const zc_stage *stage, uint64_t axes)
{
    int64_t elements = 1;
    for (int a = 0; a < stage->rank; a++)
        elements *= (axes >> a & 1) != 0 ? stage->shape[a] : 1; /* proven: likewise */
    return elements;
}

int64_t zc_stage_stored(const zc_stage *stage)
{
    return zc_larger(stage->clears, zc_stage_extent(stage, 0, stage->kept));
}

uint64_t zc_stage_values_under(const zc_stage *stage, int32_t value)
{
    uint64_t under = UINT64_C(1) << value;
    for (int32_t v = value; v >= 0; v--) {
        for (int i = 0; (under >> v & 1) != 0 && i < stage->values[v].arity; i++)
            under |= UINT64_C(1) << stage->values[v].arg[i];
    }
    return under;
}

int64_t zc_stage_work(const zc_stage *stage)
{
    int64_t work, elements = zc_stage_extent(stage, 0, stage->rank);
    return zc_checked_multiply(elements, zc_stage_values_each(stage), &work) ? work : INT64_MAX;
}

/* The part of the elements that are in a run; no run is empty. */
static double share_of_run(const zc_stage *stage, int32_t v)
{
    return (double)zc_stage_extent_of(stage, v, stage->run_axis) / (double)stage->shape[stage->run_axis];
}

/* An index is made as often as a load is read. */
static double work_of(const zc_value *value)
{
    return zc_value_moves(value) ? 1 : value->kind == ZC_VALUE_OP ? zc_op_describe((zc_op)value->op)->cost : 0;
}

/* Elements along some axes of the domain. */
static double extent_along(const zc_stage *stage, uint64_t axes)
{
    double extent = 1;
    for (int a = 0; a < stage->rank; a++)
        extent *= (axes >> a & 1) != 0 ? (double)stage->shape[a] : 1; /* proven: a double */
    return extent;
}

/* What is computed of a contraction's operands is computed once, and then loaded for each product. */
static double work_of_contraction(const zc_stage *stage)
{
    const zc_value *product = zc_stage_result(stage);
    const double products = extent_along(stage, UINT64_MAX);
    double work = products * work_of(product);
    for (int i = 0; i < product->arity; i++)
        work += stage->values[product->arg[i]].kind == ZC_VALUE_OP ? products : 0;
    for (int32_t v = 0; v + 1 < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        const bool is_factor = v == product->arg[0] || v == product->arg[1];
        const bool is_loaded = is_factor && zc_value_reads(value);
        work += work_of(value) * (is_loaded ? products : extent_along(stage, value->axes));
    }
    return work;
}

static double exact_work(const zc_stage *stage)
{
    double work = 0, stored = 1;
    for (int a = 0; a < stage->kept; a++)
        stored *= (double)stage->shape[a]; /* proven: a double */
    if (stage->contracts)
        return work_of_contraction(stage) + stored;
    for (int32_t v = 0; v < stage->value_count; v++)
        work += work_of(&stage->values[v]) * (stage->runs != NULL ? share_of_run(stage, v) : 1);
    return extent_along(stage, UINT64_MAX) * work + stored;
}

int64_t zc_plan_work(const zc_plan *plan)
{
    ZC_DEFAULT_FLOATS();
    const double most = 9e18; /* below INT64_MAX */
    double work = 0;
    for (int32_t s = 0; s < plan->stage_count; s++)
        work += exact_work(zc_plan_walk(plan, s));
    return work < most ? (int64_t)work : INT64_MAX;
}

static uint64_t hash_input(zc_dtype dtype, const zc_buffer *buffer)
{
    return zc_hash_word((uint64_t)dtype, (uint64_t)(uintptr_t)buffer);
}

int32_t zc_plan_find_input(const zc_plan *plan, zc_dtype dtype, const zc_buffer *buffer)
{
    size_t cursor = 0;
    int32_t at;
    while ((at = zc_table_next(&plan->inputs, hash_input(dtype, buffer), &cursor)) >= 0) {
        bool is_it = plan->slots[at].buffer == buffer && plan->slots[at].dtype == dtype; /* LCOV_EXCL_BR_LINE: hashes */
        if (is_it) /* LCOV_EXCL_BR_LINE: it is not where hashes collide */
            return at;
    }
    return -1;
}

int32_t zc_plan_add_slot(zc_plan *plan, zc_slot_kind kind, zc_dtype dtype, int64_t elements, const zc_buffer *buffer)
{
    int32_t known = kind == ZC_SLOT_INPUT ? zc_plan_find_input(plan, dtype, buffer) : -1;
    if (known >= 0)
        return known;
    void *slots = plan->slots;
    if (!zc_arena_make_room(&plan->arena, &slots, plan->slot_count, &plan->slot_room, sizeof *plan->slots))
        return -1;
    plan->slots = slots;
    if (kind == ZC_SLOT_INPUT && !zc_table_add(&plan->inputs, hash_input(dtype, buffer), plan->slot_count))
        return -1;
    plan->slots[plan->slot_count] = (zc_slot){
        .kind = kind, .dtype = dtype, .elements = elements, .buffer = buffer, .first_stage = -1, .last_stage = -1};
    return plan->slot_count++;
}

void zc_plan_list_sources(const zc_plan *plan, zc_sources *sources)
{
    sources->count = 0;
    sources->highest = 0;
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
        if (slot->kind == ZC_SLOT_INPUT && !zc_table_add(&plan->inputs, hash_input(slot->dtype, slot->buffer), s))
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
        if (plan->stages[s]->band != NULL)
            zc_stage_release(plan->stages[s]->band);
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
