#include "materialize/explain/explain.h"

#include "materialize/explain/explain_brief.h"
#include "materialize/explain/explain_dot.h"
#include "materialize/explain/explain_json.h"
#include "materialize/explain/explain_text.h"
#include "materialize/materialize.h"
#include "materialize/plan/memory.h"
#include "materialize/planner/budget.h"
#include "materialize/planner/planner.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/keep.h"

static const zc_named reasons[] = {
#define ZC_ORIGIN(NAME, name, sentence)                               [ZC_STAGE_##NAME] = {name, sentence},
#define ZC_RULE(NAME, name, nodes, applies, outcome, force, sentence) [ZC_STAGE_##NAME] = {name, sentence},
#include "materialize/plan/rules.def"
#undef ZC_RULE
#undef ZC_ORIGIN
};

static const zc_named in_place = {"in place", "read through its strides where it lies, without a copy"},
                      constant = {"constant", "one element in the plan, without memory"},
                      counted = {"counted", "computed from the position, without memory"},
                      fused = {"fused", "handed on within the pass, never written to memory"},
                      stored = {"stored", "the stage's result"},
                      checked = {"checked", "positions, which fail the stage where they lie outside their axis"},
                      gathered = {"gathered", "read at computed positions, without a copy"};

zc_named zc_stage_reason_named(zc_stage_reason reason)
{
    return reasons[reason];
}

/* ---- Values ---- */

const char *zc_value_name(const zc_value *value)
{
    switch (value->kind) {
    case ZC_VALUE_LOAD:
        return "load";
    case ZC_VALUE_CONSTANT:
        return "constant";
    case ZC_VALUE_CHECK:
        return "check";
    case ZC_VALUE_PICK:
        return "gather";
    case ZC_VALUE_INDEX:
        return "index";
    default:
        return zc_op_describe((zc_op)value->op)->name;
    }
}

void zc_value_shape(const zc_stage *stage, int32_t v, uint64_t invariant_axes, int64_t *shape)
{
    for (int a = 0; a < stage->rank; a++)
        shape[a] = (invariant_axes >> a & 1) != 0 ? 1 : zc_stage_extent_of(stage, v, a);
}

const int64_t *zc_value_strides(const zc_stage *stage, const zc_value *value)
{
    return zc_value_moves(value) ? stage->stride + (size_t)value->access * (size_t)stage->rank : NULL;
}

static zc_named how_it_comes(const zc_plan *plan, const zc_stage *stage, const zc_value *value)
{
    bool is_result = value == zc_stage_result(stage);
    switch (value->kind) {
    case ZC_VALUE_LOAD:
        return plan->slots[value->slot].kind == ZC_SLOT_INPUT
                   ? in_place
                   : reasons[plan->stages[plan->slots[value->slot].first_stage]->reason];
    case ZC_VALUE_PICK:
        return gathered;
    case ZC_VALUE_CHECK:
        return checked;
    case ZC_VALUE_CONSTANT:
        return constant;
    case ZC_VALUE_INDEX:
        return value->node->kind == ZC_NODE_SOURCE ? stage->kind->result_use(stage) : counted;
    default:
        if (!is_result)
            return fused;
        return stage->kind->result_use != NULL ? stage->kind->result_use(stage) : stored;
    }
}

static uint64_t long_axes(const zc_stage *stage, const zc_value *value)
{
    uint64_t axes = 0;
    for (int a = 0; a < stage->rank; a++)
        axes |= zc_stage_extent_of(stage, (int32_t)(value - stage->values), a) > 1 ? UINT64_C(1) << a : 0;
    return axes;
}

/* None of a value that no node stands for, or whose node is seen through computed positions. */
static uint64_t broadcast_axes(const zc_stage *stage, const zc_value *value)
{
    uint64_t axes = 0;
    for (int a = 0; a < value->node_rank; a++) {
        if (a >= stage->rank && value->node_stride[a] != 0)
            return 0;
        if (a < stage->rank && (long_axes(stage, value) >> a & 1) != 0 && value->node_stride[a] == 0)
            axes |= UINT64_C(1) << a;
    }
    return axes;
}

zc_value_facts zc_explain_value(const zc_counts *counts, const zc_stage *stage, int32_t v)
{
    const zc_plan *plan = counts->plan;
    const zc_value *value = &stage->values[v];
    bool loads = zc_value_reads(value);
    zc_value_facts facts = {.how = how_it_comes(plan, stage, value),
                            .stage = loads ? plan->slots[value->slot].first_stage : -1,
                            .broadcast_axes = broadcast_axes(stage, value),
                            .invariant_axes = long_axes(stage, value) & ~value->axes,
                            .count = zc_counts_of(counts, stage, v)};
    int64_t elements = 1;
    for (int a = 0; a < stage->rank; a++)
        elements *= zc_stage_extent_of(stage, v, a); /* proven: at most the domain's size */
    if (zc_shape_bytes(elements, zc_dtype_bytes((zc_dtype)value->dtype), &facts.logical_bytes, NULL) != ZC_OK)
        facts.logical_bytes = -1;
    if (loads)
        facts.held_bytes = zc_slot_bytes(plan, value->slot);
    if (value == zc_stage_result(stage) && !stage->kind->reduces && !zc_stage_is_parted(stage))
        facts.written_bytes = zc_stage_written(plan, stage);
    return facts;
}

/* ---- Slots and stages ---- */

int64_t zc_slot_bytes(const zc_plan *plan, int32_t slot)
{
    return plan->slots[slot].kind == ZC_SLOT_INPUT ? plan->slots[slot].buffer->bytes : plan->bytes[slot];
}

int64_t zc_stage_written(const zc_plan *plan, const zc_stage *stage)
{
    const int64_t bytes = zc_slot_bytes(plan, stage->store.slot); /* none of the caller's memory, without slabs */
    if (bytes == 0 && stage->store.slab_count == 0)
        return 0;
    return zc_stage_stored(stage) * (int64_t)zc_dtype_bytes(stage->store.dtype); /* proven: the slot's */
}

int32_t zc_slot_base(const zc_plan *plan, int32_t slot)
{
    const int first = plan->slots[slot].kind == ZC_SLOT_INPUT ? -1 : plan->slots[slot].first_stage;
    return first < 0 ? -1 : plan->stages[first]->store.base;
}

const char *zc_stage_result_name(const zc_stage *stage)
{
    return stage->kind->result_name != NULL ? stage->kind->result_name(stage) : zc_value_name(zc_stage_result(stage));
}

int32_t zc_stage_operations(const zc_stage *stage)
{
    int32_t count = 0;
    for (int32_t v = 0; v < stage->value_count; v++)
        count += stage->values[v].kind == ZC_VALUE_OP ? 1 : 0;
    return count;
}

/* ---- The calls ---- */

typedef void form_function(const zc_counts *counts, const zc_reason *refusal, zc_text_builder *text);

/* The plan of a request, in words. */
static zc_status explain_plan(const zc_plan_request *request, form_function *form, char **text)
{
    zc_context *ctx = request->tensors[0]->ctx;
    zc_plan plan;
    zc_status status = zc_plan_ask(request, &plan);
    if (status != ZC_OK)
        return status;
    zc_reason why; /* of what exists already nothing is refused */
    const bool is_over = plan.stage_count > 0 && zc_plan_check_budget(&plan, request, &why) != ZC_OK;
    zc_text_builder out = {.heap = ctx->heap};
    zc_counts counts;
    if (!zc_plan_prepare_dry(&plan) || !zc_counts_make(&plan, &counts)) {
        zc_plan_free(&plan);
        return zc_fail_memory(ctx, request->function);
    }
    form(&counts, is_over ? &why : NULL, &out);
    zc_plan_free(&plan);
    *text = zc_text_finish(&out);
    return *text != NULL ? ZC_OK : zc_fail_memory(ctx, request->function);
}

static zc_status explain(int count, const zc_tensor *const *tensors, zc_format format, const char *function,
                         char **text)
{
    ZC_DEFAULT_FLOATS();
    static form_function *const forms[] = {[ZC_TEXT] = zc_explain_text,
                                           [ZC_JSON] = zc_explain_json,
                                           [ZC_DOT] = zc_explain_dot,
                                           [ZC_BRIEF] = zc_explain_brief};
    if (text != NULL)
        *text = NULL;
    zc_status status = zc_check_tensors(count, tensors, function);
    if (status != ZC_OK || count == 0)
        return status != ZC_OK ? status : ZC_ERROR_ARGUMENT;
    zc_context *ctx = tensors[0]->ctx;
    if (text == NULL)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "there is nowhere to put the text");
    if ((unsigned)format >= sizeof forms / sizeof *forms)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "the format %d is none of text, JSON, dot and brief",
                       (int)format);
    zc_graph_follow_begin();
    status = explain_plan(&(zc_plan_request){.count = count, .tensors = tensors, .buys = true, .function = function},
                          forms[format], text);
    zc_graph_follow_end();
    return status;
}

zc_status zc_explain_all(int count, const zc_tensor *const *tensors, zc_format format, char **text)
{
    return explain(count, tensors, format, "explain_all", text);
}

zc_status zc_explain(const zc_tensor *t, zc_format format, char **text)
{
    return explain(1, &t, format, "explain", text);
}
