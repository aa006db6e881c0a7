#include "materialize/explain/explain_text.h"

#include "materialize/explain/whole.h"
#include "materialize/plan/group.h"

/* ---- Words ---- */

static const char *const slot_names[] = {
    [ZC_SLOT_OUTPUT] = "output", [ZC_SLOT_INPUT] = "input", [ZC_SLOT_TEMPORARY] = "temporary"};

/* Slots are called by what they are, and by their number where there can be several. */
void zc_explain_slot(const zc_plan *plan, int32_t slot, zc_text_builder *text)
{
    zc_text_add(text, "%s", slot_names[plan->slots[slot].kind]);
    if (plan->slots[slot].kind != ZC_SLOT_OUTPUT || plan->result_count > 1)
        zc_text_add(text, " %d", (int)slot);
}

void zc_explain_result(const zc_plan *plan, int32_t result, zc_text_builder *text)
{
    zc_view view;
    zc_result_asked(plan, result, &view);
    zc_text_add(text, "%s ", zc_dtype_name(zc_dtype_of(plan->results[result].asked)));
    zc_explain_tuple(view.shape, view.rank, text);
    zc_text_add(text, " strides ");
    zc_explain_tuple(view.stride, view.rank, text);
    if (plan->result_count == 1)
        return;
    zc_text_add(text, ", ");
    zc_explain_slot(plan, plan->results[result].slot, text);
}

void zc_explain_tuple(const int64_t *numbers, int count, zc_text_builder *text)
{
    zc_text_add(text, "(");
    for (int i = 0; i < count; i++)
        zc_text_add(text, "%s%lld", i > 0 ? ", " : "", (long long)numbers[i]);
    zc_text_add(text, count == 1 ? ",)" : ")");
}

void zc_explain_constant(const zc_value *value, zc_text_builder *text)
{
    zc_dtype dtype = (zc_dtype)value->dtype;
    zc_kind kind = zc_dtype_describe(dtype)->kind;
    zc_scalar wide = zc_scalar_convert(*value->constant, dtype, ZC_COMPLEX128);
    if (kind == ZC_KIND_COMPLEX || kind == ZC_KIND_FLOAT) {
        zc_text_add(text, " ");
        zc_text_add_real(text, "%.17g", wide.complex128[0]);
    }
    if (kind == ZC_KIND_COMPLEX) {
        zc_text_add_real(text, "%+.17g", wide.complex128[1]);
        zc_text_add(text, "j");
    }
    if (kind >= ZC_KIND_FLOAT)
        return;
    if (kind == ZC_KIND_UNSIGNED)
        zc_text_add(text, " %llu", (unsigned long long)zc_scalar_convert(*value->constant, dtype, ZC_UINT64).words[0]);
    else
        zc_text_add(text, " %lld", (long long)zc_scalar_convert(*value->constant, dtype, ZC_INT64).int64);
}

static void add_axes(uint64_t axes, zc_text_builder *text)
{
    zc_text_add_axes(text, axes, " ");
    if (axes == 0)
        zc_text_add(text, "-");
}

static const char *axis_word(uint64_t axes)
{
    return (axes & (axes - 1)) != 0 ? "axes" : "axis";
}

void zc_explain_hint_sentence(const zc_hint *hint, zc_text_builder *text)
{
    zc_text_add(text, "%s would make these sums with ", hint->function);
    zc_text_add_real(text, "%.1f", hint->instead_of / hint->operations);
    zc_text_add(text, " times fewer steps: ");
    zc_text_add_real(text, "%.2f", hint->operations);
    zc_text_add(text, " loads, operations and stores per product instead of ");
    zc_text_add_real(text, "%.2f", hint->instead_of);
    zc_text_add(text, " or more (counted, not measured); it rounds a product together with its sum");
}

/* ---- Buffers ---- */

/* Names the base of an update in place. */
static void add_base(const zc_plan *plan, int32_t base, zc_text_builder *text)
{
    if (base < 0)
        return;
    zc_text_add(text, ", in place of ");
    zc_explain_slot(plan, base, text);
}

static void add_slot(const zc_plan *plan, int32_t s, zc_text_builder *text)
{
    const zc_slot *slot = &plan->slots[s];
    zc_text_add(text, "    ");
    zc_explain_slot(plan, s, text);
    zc_text_add(text, "\t%s\t%lld\t%lld\t", zc_dtype_name(slot->dtype), (long long)slot->elements,
                (long long)zc_slot_bytes(plan, s));
    if (slot->kind == ZC_SLOT_INPUT)
        zc_text_add(text, "held");
    else if (slot->kind == ZC_SLOT_OUTPUT)
        zc_text_add(text, slot->first_stage == slot->last_stage ? "written by stage %d" : "stages %d to %d",
                    slot->first_stage + 1, slot->last_stage + 1);
    else
        zc_text_add(text, "%s, stages %d to %d", zc_stage_result_name(plan->stages[slot->first_stage]),
                    slot->first_stage + 1, slot->last_stage + 1);
    if (slot->is_block)
        zc_text_add(text, ", a block of %lld elements at a time", (long long)zc_slot_held(plan, slot));
    const zc_whole whole = zc_explain_whole(plan, s);
    if (whole.name != NULL)
        zc_text_add(text, ", whole: stage %d %s", whole.stage, whole.sentence);
    add_base(plan, zc_slot_base(plan, s), text);
    zc_text_add(text, "\n");
}

static void add_slots(const zc_plan *plan, zc_text_builder *text)
{
    size_t from = text->used;
    zc_text_add(text, "    buffer\tdtype\telements\tbytes\tlife\n");
    for (int32_t s = 0; s < plan->slot_count; s++) {
        add_slot(plan, s, text);
    }
    zc_text_align(text, from, 1 << 2 | 1 << 3);
}

/* ---- Stages ---- */

static void add_operation(const zc_plan *plan, const zc_value *value, zc_text_builder *text)
{
    zc_text_add(text, "%s", zc_value_name(value));
    for (int i = 0; i < value->arity; i++)
        zc_text_add(text, " v%d", (int)value->arg[i]);
    if (value->kind == ZC_VALUE_CONSTANT)
        zc_explain_constant(value, text);
    if (zc_value_reads(value)) {
        zc_text_add(text, " ");
        zc_explain_slot(plan, value->slot, text);
    }
}

static void add_strides(const zc_stage *stage, const zc_value *value, zc_text_builder *text)
{
    const int64_t *strides = zc_value_strides(stage, value);
    if (strides == NULL) {
        zc_text_add(text, "-");
        return;
    }
    zc_explain_tuple(strides, stage->rank, text);
    if (stage->offset[value->access] != 0)
        zc_text_add(text, " from %lld", (long long)stage->offset[value->access]);
}

void zc_explain_times(zc_node_count count, zc_text_builder *text)
{
    if (count.needed == 0)
        zc_text_add(text, "-");
    else
        zc_text_add_real(text, "%.3g", (double)count.computed / (double)count.needed);
}

static void add_value(const zc_counts *counts, const zc_stage *stage, int32_t v, zc_text_builder *text)
{
    const zc_plan *plan = counts->plan;
    const zc_value *value = &stage->values[v];
    zc_value_facts facts = zc_explain_value(counts, stage, v);
    zc_text_add(text, "    v%d\t", (int)v);
    add_operation(plan, value, text);
    int64_t shape[ZC_MAX_RANK];
    zc_value_shape(stage, v, facts.invariant_axes, shape);
    zc_text_add(text, "\t%s\t", zc_dtype_name((zc_dtype)value->dtype));
    zc_explain_tuple(shape, stage->rank, text);
    zc_text_add(text, "\t");
    add_strides(stage, value, text);
    zc_text_add(text, "\t");
    add_axes(facts.broadcast_axes, text);
    zc_text_add(text, "\t");
    add_axes(facts.invariant_axes, text);
    if (facts.logical_bytes < 0)
        zc_text_add(text, "\t2^63 or more");
    else
        zc_text_add(text, "\t%lld", (long long)facts.logical_bytes);
    zc_text_add(text, "\t%lld\t%lld\t", (long long)facts.held_bytes, (long long)facts.written_bytes);
    zc_explain_times(facts.count, text);
    zc_text_add(text, "\t%s", facts.how.name);
    zc_text_add(text, facts.stage >= 0 ? ", stage %d\n" : "\n", facts.stage + 1);
}

static void add_domain(const zc_stage *stage, zc_text_builder *text)
{
    int32_t operations = zc_stage_operations(stage);
    zc_text_add(text, "    domain ");
    zc_explain_tuple(stage->shape, stage->kept, text);
    if (stage->rank > stage->kept) {
        zc_text_add(text, " reducing ");
        zc_explain_tuple(stage->shape + stage->kept, stage->rank - stage->kept, text);
    }
    int64_t elements = zc_stage_extent(stage, 0, stage->rank);
    zc_text_add(text, ", %lld element%s, ", (long long)elements, elements == 1 ? "" : "s");
    if (operations == 0)
        zc_text_add(text, "a copy\n");
    else
        zc_text_add(text, "%d operation%s in one pass\n", (int)operations, operations == 1 ? "" : "s");
}

static void add_hint(const zc_stage *stage, zc_text_builder *text)
{
    const zc_hint hint = zc_explain_hint(stage);
    if (hint.function == NULL)
        return;
    zc_text_add(text, "    hint: ");
    zc_explain_hint_sentence(&hint, text);
    zc_text_add(text, "\n");
}

static void add_group(const zc_stage *stage, zc_text_builder *text)
{
    const zc_group *group = zc_stage_group(stage);
    if (group == NULL)
        return;
    zc_text_add(text, "    in %lld blocks of ", (long long)zc_group_blocks(group));
    for (int k = 0; k < group->rank - 1; k++)
        zc_text_add(text, "1 x ");
    zc_text_add(text, "%lld along %s", (long long)group->length, group->rank > 1 ? "axes" : "axis");
    for (int k = 0; k < group->rank; k++)
        zc_text_add(text, " %d", stage->member->outer[k]);
    zc_text_add(text, ", stages %d to %d in turns\n", (int)group->first + 1, (int)(group->first + group->count));
}

static void add_stage(const zc_counts *counts, int32_t s, zc_text_builder *text)
{
    const zc_plan *plan = counts->plan;
    const zc_stage *stage = plan->stages[s];
    zc_named reason = zc_stage_reason_named(stage->reason);
    zc_text_add(text, "\nstage %d, %s: %s\n", (int)s + 1, reason.name, reason.sentence);
    zc_text_add(text, "    run by %s, strategy %s", zc_stage_executor_name(stage), zc_stage_strategy_name(stage));
    if (stage->scratch_bytes > 0)
        zc_text_add(text, ", in %lld bytes of scratch memory", (long long)stage->scratch_bytes);
    zc_text_add(text, "\n");
    add_group(stage, text);
    add_domain(stage, text);
    size_t from = text->used;
    zc_text_add(text,
                "    value\toperation\tdtype\tshape\tstrides\tbroadcast\tinvariant\tlogical\theld\twritten\ttimes\t"
                "how\n");
    for (int32_t v = 0; v < stage->value_count; v++)
        add_value(counts, stage, v, text);
    zc_text_align(text, from, 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10);
    if (stage->kind->add_text != NULL) {
        zc_text_add(text, "    ");
        stage->kind->add_text(stage, text);
        zc_text_add(text, "\n");
    }
    add_hint(stage, text);
    zc_text_add(text, "    -> ");
    zc_explain_slot(plan, stage->store.slot, text);
    zc_text_add(text, ": %s ", zc_dtype_name(stage->store.dtype));
    zc_explain_tuple(stage->shape, stage->kept, text);
    zc_text_add(text, " strides ");
    zc_explain_tuple(stage->store.stride, stage->kept, text);
    zc_text_add(text, ", %lld bytes", (long long)zc_stage_written(plan, stage));
    add_base(plan, stage->store.base, text);
    zc_text_add(text, "\n");
}

/* ---- The whole ---- */

static void add_result(const zc_plan *plan, int32_t result, zc_text_builder *text)
{
    zc_view view;
    zc_result_asked(plan, result, &view);
    uint64_t repeated = zc_view_broadcast_axes(&view);
    if (plan->result_count == 1)
        zc_text_add(text, "result: ");
    else
        zc_text_add(text, "result %d: ", (int)result + 1);
    zc_explain_result(plan, result, text);
    if (repeated != 0) {
        zc_text_add(text, ", broadcast along %s ", axis_word(repeated));
        add_axes(repeated, text);
    }
    zc_text_add(text, "\n");
}

void zc_explain_head(const zc_plan *plan, const zc_reason *refusal, zc_text_builder *text)
{
    for (int32_t i = 0; i < plan->result_count; i++)
        add_result(plan, i, text);
    zc_text_add(text, "bytes: %lld logical, %lld held, %lld to write, %lld at the peak\n",
                (long long)plan->logical_bytes, (long long)plan->held_bytes, (long long)plan->written_bytes,
                (long long)plan->peak_bytes);
    if (refusal != NULL)
        zc_text_add(text, "over the limit: %s\n", refusal->text);
}

void zc_explain_nothing(const zc_plan *plan, zc_text_builder *text)
{
    if (plan->stage_count == 0)
        zc_text_add(text, "nothing to run: the result%s\n", plan->result_count == 1 ? " exists" : "s exist");
}

void zc_explain_text(const zc_counts *counts, const zc_reason *refusal, zc_text_builder *text)
{
    const zc_plan *plan = counts->plan;
    zc_explain_head(plan, refusal, text);
    add_slots(plan, text);
    zc_explain_nothing(plan, text);
    for (int32_t s = 0; s < plan->stage_count; s++)
        add_stage(counts, s, text);
}
