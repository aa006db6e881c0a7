#include "materialize/explain/explain_json.h"

#include <math.h>

#include "materialize/explain/explain_text.h"
#include "materialize/explain/whole.h"
#include "materialize/plan/group.h"

static void add_numbers(const char *key, const int64_t *numbers, int count, zc_text_builder *text)
{
    zc_text_add(text, "\"%s\": [", key);
    for (int i = 0; i < count; i++)
        zc_text_add(text, "%s%lld", i > 0 ? ", " : "", (long long)numbers[i]);
    zc_text_add(text, "]");
}

static void add_axes(const char *key, uint64_t axes, zc_text_builder *text)
{
    zc_text_add(text, "\"%s\": [", key);
    zc_text_add_axes(text, axes, ", ");
    zc_text_add(text, "]");
}

static void add_float(double x, zc_text_builder *text)
{
    if (isfinite(x))
        zc_text_add_real(text, "%.17g", x);
    else
        zc_text_add(text, "\"%s\"", isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

static void add_complex(const double *parts, zc_text_builder *text)
{
    zc_text_add(text, "[");
    add_float(parts[0], text);
    zc_text_add(text, ", ");
    add_float(parts[1], text);
    zc_text_add(text, "]");
}

static void add_constant(const zc_value *value, zc_text_builder *text)
{
    zc_dtype dtype = (zc_dtype)value->dtype;
    zc_text_add(text, ", \"constant\": ");
    switch (zc_dtype_describe(dtype)->kind) {
    case ZC_KIND_BOOL:
        zc_text_add(text, "%s", zc_scalar_convert(*value->constant, dtype, ZC_INT64).int64 != 0 ? "true" : "false");
        break;
    case ZC_KIND_UNSIGNED:
        zc_text_add(text, "%llu", (unsigned long long)zc_scalar_convert(*value->constant, dtype, ZC_UINT64).words[0]);
        break;
    case ZC_KIND_SIGNED:
        zc_text_add(text, "%lld", (long long)zc_scalar_convert(*value->constant, dtype, ZC_INT64).int64);
        break;
    case ZC_KIND_FLOAT:
        add_float(zc_scalar_convert(*value->constant, dtype, ZC_FLOAT64).float64, text);
        break;
    default: /* ZC_KIND_COMPLEX */
        add_complex(zc_scalar_convert(*value->constant, dtype, ZC_COMPLEX128).complex128, text);
        break;
    }
}

/* NULL of JSON for what int64 does not count. */
static void add_bytes(const zc_value_facts *facts, zc_text_builder *text)
{
    if (facts->logical_bytes < 0)
        zc_text_add(text, ", \"logical_bytes\": null");
    else
        zc_text_add(text, ", \"logical_bytes\": %lld", (long long)facts->logical_bytes);
    zc_text_add(text, ", \"held_bytes\": %lld, \"written_bytes\": %lld", (long long)facts->held_bytes,
                (long long)facts->written_bytes);
}

static void add_facts(const zc_value_facts *facts, zc_text_builder *text)
{
    zc_text_add(text, ", ");
    add_axes("broadcast_axes", facts->broadcast_axes, text);
    zc_text_add(text, ", ");
    add_axes("invariant_axes", facts->invariant_axes, text);
    add_bytes(facts, text);
    if (facts->count.needed > 0)
        zc_text_add(text, ", \"computed_elements\": %lld, \"needed_elements\": %lld", (long long)facts->count.computed,
                    (long long)facts->count.needed);
    zc_text_add(text, ", \"how\": \"%s\", \"why\": \"%s\"", facts->how.name, facts->how.sentence);
    if (facts->stage >= 0)
        zc_text_add(text, ", \"stage\": %d", facts->stage + 1);
}

static void add_value(const zc_counts *counts, const zc_stage *stage, int32_t v, zc_text_builder *text)
{
    const zc_value *value = &stage->values[v];
    zc_value_facts facts = zc_explain_value(counts, stage, v);
    const int64_t *strides = zc_value_strides(stage, value);
    zc_text_add(text, "%s{\"name\": \"%s\", \"dtype\": \"%s\"", v > 0 ? ", " : "", zc_value_name(value),
                zc_dtype_name((zc_dtype)value->dtype));
    if (zc_value_reads(value))
        zc_text_add(text, ", \"slot\": %d", (int)value->slot);
    if (value->kind == ZC_VALUE_CONSTANT)
        add_constant(value, text);
    if (value->arity > 0) {
        int64_t args[ZC_MAX_ARITY];
        for (int i = 0; i < value->arity; i++)
            args[i] = value->arg[i];
        zc_text_add(text, ", ");
        add_numbers("args", args, value->arity, text);
    }
    int64_t shape[ZC_MAX_RANK];
    zc_value_shape(stage, v, facts.invariant_axes, shape);
    zc_text_add(text, ", ");
    add_numbers("shape", shape, stage->rank, text);
    if (strides != NULL) {
        zc_text_add(text, ", \"offset\": %lld, ", (long long)stage->offset[value->access]);
        add_numbers("strides", strides, stage->rank, text);
    }
    add_facts(&facts, text);
    zc_text_add(text, "}");
}

static void add_store(const zc_plan *plan, const zc_stage *stage, zc_text_builder *text)
{
    zc_text_add(text, ", \"stores\": %d, \"dtype\": \"%s\", ", (int)stage->store.slot,
                zc_dtype_name(stage->store.dtype));
    add_numbers("strides", stage->store.stride, stage->kept, text);
    zc_text_add(text, ", \"written_bytes\": %lld", (long long)zc_stage_written(plan, stage));
    if (stage->store.base >= 0)
        zc_text_add(text, ", \"in_place_of\": %d", (int)stage->store.base);
}

static void add_hint(const zc_stage *stage, zc_text_builder *text)
{
    const zc_hint hint = zc_explain_hint(stage);
    if (hint.function == NULL)
        return;
    zc_text_add(text, ", \"hint\": {\"function\": \"%s\", \"operations\": ", hint.function);
    zc_text_add_real(text, "%.17g", hint.operations);
    zc_text_add(text, ", \"instead_of\": ");
    zc_text_add_real(text, "%.17g", hint.instead_of);
    zc_text_add(text, ", \"why\": \"");
    zc_explain_hint_sentence(&hint, text);
    zc_text_add(text, "\"}");
}

static void add_group(const zc_stage *stage, zc_text_builder *text)
{
    const zc_group *group = zc_stage_group(stage);
    int64_t axes[ZC_MOST_OUTER];
    if (group == NULL)
        return;
    for (int k = 0; k < group->rank; k++)
        axes[k] = stage->member->outer[k];
    zc_text_add(text, "\"group\": {\"first_stage\": %d, \"last_stage\": %d, \"blocks\": %lld, \"length\": %lld, ",
                (int)group->first + 1, (int)(group->first + group->count), (long long)zc_group_blocks(group),
                (long long)group->length);
    add_numbers("outer_axes", axes, group->rank, text);
    zc_text_add(text, "}, ");
}

static void add_stage(const zc_counts *counts, int32_t s, zc_text_builder *text)
{
    const zc_plan *plan = counts->plan;
    const zc_stage *stage = plan->stages[s];
    zc_named reason = zc_stage_reason_named(stage->reason);
    zc_text_add(text, "%s{\"stage\": %d, \"reason\": \"%s\", \"why\": \"%s\", ", s > 0 ? ", " : "", (int)s + 1,
                reason.name, reason.sentence);
    zc_text_add(text, "\"makes\": \"%s\", \"executor\": \"%s\", \"strategy\": \"%s\", \"scratch_bytes\": %lld, ",
                zc_stage_result_name(stage), zc_stage_executor_name(stage), zc_stage_strategy_name(stage),
                (long long)stage->scratch_bytes);
    add_group(stage, text);
    add_numbers("domain", stage->shape, stage->kept, text);
    zc_text_add(text, ", ");
    add_numbers("reduced", stage->shape + stage->kept, stage->rank - stage->kept, text);
    if (stage->kind->add_json != NULL)
        stage->kind->add_json(stage, text);
    add_hint(stage, text);
    zc_text_add(text, ", \"values\": [");
    for (int32_t v = 0; v < stage->value_count; v++)
        add_value(counts, stage, v, text);
    zc_text_add(text, "]");
    add_store(plan, stage, text);
    zc_text_add(text, "}");
}

static void add_slot(const zc_plan *plan, int32_t s, zc_text_builder *text)
{
    static const char *const kinds[] = {
        [ZC_SLOT_OUTPUT] = "output", [ZC_SLOT_INPUT] = "input", [ZC_SLOT_TEMPORARY] = "temporary"};
    const zc_slot *slot = &plan->slots[s];
    zc_text_add(text, "%s{\"kind\": \"%s\", \"dtype\": \"%s\", \"elements\": %lld, \"bytes\": %lld", s > 0 ? ", " : "",
                kinds[slot->kind], zc_dtype_name(slot->dtype), (long long)slot->elements,
                (long long)zc_slot_bytes(plan, s));
    if (slot->first_stage >= 0)
        zc_text_add(text, ", \"first_stage\": %d, \"last_stage\": %d", slot->first_stage + 1, slot->last_stage + 1);
    if (slot->is_block)
        zc_text_add(text, ", \"block_elements\": %lld", (long long)zc_slot_held(plan, slot));
    const zc_whole whole = zc_explain_whole(plan, s);
    if (whole.name != NULL)
        zc_text_add(text, ", \"whole\": {\"reason\": \"%s\", \"stage\": %d}", whole.name, whole.stage);
    if (zc_slot_base(plan, s) >= 0)
        zc_text_add(text, ", \"in_place_of\": %d", (int)zc_slot_base(plan, s));
    zc_text_add(text, "}");
}

static void add_result(const zc_plan *plan, int32_t result, zc_text_builder *text)
{
    zc_view view;
    zc_result_asked(plan, result, &view);
    zc_text_add(text, "\"dtype\": \"%s\", ", zc_dtype_name(zc_dtype_of(plan->results[result].asked)));
    add_numbers("shape", view.shape, view.rank, text);
    zc_text_add(text, ", ");
    add_numbers("strides", view.stride, view.rank, text);
    zc_text_add(text, ", ");
    add_axes("broadcast_axes", zc_view_broadcast_axes(&view), text);
    zc_text_add(text, ", \"exists\": %s, ", zc_result_exists(plan, result) ? "true" : "false");
}

static void add_results(const zc_plan *plan, zc_text_builder *text)
{
    zc_text_add(text, "\"results\": [");
    for (int32_t i = 0; i < plan->result_count; i++) {
        zc_text_add(text, "%s{", i > 0 ? ", " : "");
        add_result(plan, i, text);
        zc_text_add(text, "\"slot\": %d}", (int)plan->results[i].slot);
    }
    zc_text_add(text, "], ");
}

/* NULL of JSON where the limit has room for the plan. */
static void add_refusal(const zc_reason *refusal, zc_text_builder *text)
{
    if (refusal == NULL) {
        zc_text_add(text, "\"over_limit\": null, ");
        return;
    }
    const zc_budget *budget = &refusal->budget;
    zc_text_add(text, "\"over_limit\": {\"need\": %lld, \"held\": %lld, \"limit\": %lld, ", (long long)budget->need,
                (long long)budget->held, (long long)budget->limit);
    if (budget->window_axis >= 0)
        zc_text_add(text, "\"window_axis\": %d, \"window_count\": %lld, ", budget->window_axis,
                    (long long)budget->window_count);
    zc_text_add(text, "\"why\": \"%s\"}, ", refusal->text);
}

void zc_explain_json(const zc_counts *counts, const zc_reason *refusal, zc_text_builder *text)
{
    const zc_plan *plan = counts->plan;
    zc_text_add(text, "{");
    if (plan->result_count == 1)
        add_result(plan, 0, text);
    add_results(plan, text);
    zc_text_add(text,
                "\"logical_bytes\": %lld, \"held_bytes\": %lld, \"written_bytes\": %lld, "
                "\"peak_bytes\": %lld, \"plan_bytes\": %lld, \"work\": %lld, ",
                (long long)plan->logical_bytes, (long long)plan->held_bytes, (long long)plan->written_bytes,
                (long long)plan->peak_bytes, (long long)plan->plan_bytes, (long long)zc_plan_work(plan));
    add_refusal(refusal, text);
    zc_text_add(text, "\"slots\": [");
    for (int32_t s = 0; s < plan->slot_count; s++)
        add_slot(plan, s, text);
    zc_text_add(text, "], \"stages\": [");
    for (int32_t s = 0; s < plan->stage_count; s++)
        add_stage(counts, s, text);
    zc_text_add(text, "]}\n");
}
