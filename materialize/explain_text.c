/* A plan in words, for people. */
#include "materialize/explain.h"

/* Slots are called by what they are and numbered among themselves. */
static void add_slot_name(const zc_plan *plan, int32_t slot, zc_text *text)
{
    static const char *const names[] = {
        [ZC_SLOT_OUTPUT] = "the output", [ZC_SLOT_INPUT] = "input", [ZC_SLOT_TEMPORARY] = "temporary"};
    zc_text_add(text, "%s", names[plan->slots[slot].kind]);
    if (plan->slots[slot].kind != ZC_SLOT_OUTPUT)
        zc_text_add(text, " %d", (int)slot);
}

static void add_numbers(const int64_t *numbers, int count, zc_text *text)
{
    zc_text_add(text, "(");
    for (int i = 0; i < count; i++)
        zc_text_add(text, "%s%lld", i > 0 ? ", " : "", (long long)numbers[i]);
    zc_text_add(text, count == 1 ? ",)" : ")");
}

static void add_constant(const zc_value *value, zc_text *text)
{
    zc_dtype dtype = (zc_dtype)value->dtype;
    zc_kind kind = zc_dtype_describe(dtype)->kind;
    if (kind == ZC_KIND_FLOAT)
        zc_text_add(text, " %.17g", zc_scalar_convert(value->constant, dtype, ZC_FLOAT64).float64);
    else if (kind == ZC_KIND_UNSIGNED)
        zc_text_add(text, " %llu", (unsigned long long)zc_scalar_convert(value->constant, dtype, ZC_UINT64).words[0]);
    else
        zc_text_add(text, " %lld", (long long)zc_scalar_convert(value->constant, dtype, ZC_INT64).int64);
}

static void add_value(const zc_plan *plan, const zc_stage *stage, int32_t v, zc_text *text)
{
    const zc_value *value = &stage->values[v];
    zc_text_add(text, "    v%d = %s", (int)v, zc_value_name(value));
    for (int i = 0; value->kind == ZC_VALUE_OP && i < value->arity; i++)
        zc_text_add(text, " v%d", (int)value->arg[i]);
    if (value->kind == ZC_VALUE_CONSTANT)
        add_constant(value, text);
    if (value->kind == ZC_VALUE_LOAD) {
        zc_text_add(text, " ");
        add_slot_name(plan, value->slot, text);
    }
    if (value->kind == ZC_VALUE_LOAD || value->kind == ZC_VALUE_INDEX) {
        zc_text_add(text, " strides ");
        add_numbers(stage->stride + (size_t)value->access * (size_t)stage->rank, stage->rank, text);
        if (stage->offset[value->access] != 0)
            zc_text_add(text, " offset %lld", (long long)stage->offset[value->access]);
    }
    zc_text_add(text, "   %s\n", zc_dtype_name((zc_dtype)value->dtype));
}

static void add_axes(uint64_t axes, zc_text *text)
{
    zc_text_add(text, " %s", (axes & (axes - 1)) != 0 ? "axes" : "axis");
    for (int a = 0; a < ZC_MAX_RANK; a++) {
        if ((axes >> a & 1) != 0)
            zc_text_add(text, " %d", a);
    }
}

static void add_reduction(const zc_stage *stage, zc_text *text)
{
    zc_text_add(text, "    %s", zc_reduction_describe(stage->reduction)->name);
    if (stage->rank > stage->kept)
        zc_text_add(text, " of %lld elements each", (long long)zc_stage_extent(stage, stage->kept, stage->rank));
    if (stage->free_axes != 0) {
        zc_text_add(text, "%s by rule over", stage->rank > stage->kept ? "," : "");
        add_axes(stage->free_axes, text);
        zc_text_add(text, " of %lld elements, which are not walked", (long long)stage->free_count);
    }
    zc_text_add(text, "\n");
}

static void add_stage(const zc_plan *plan, int32_t s, zc_text *text)
{
    const zc_stage *stage = &plan->stages[s];
    zc_text_add(text, "stage %d, %s: %s\n    domain ", (int)s + 1, zc_stage_reason_name(stage->reason),
                zc_stage_reason_sentence(stage->reason));
    add_numbers(stage->shape, stage->kept, text);
    if (stage->rank > stage->kept) {
        zc_text_add(text, " reducing ");
        add_numbers(stage->shape + stage->kept, stage->rank - stage->kept, text);
    }
    zc_text_add(text, "\n");
    for (int32_t v = 0; v < stage->value_count; v++)
        add_value(plan, stage, v, text);
    if (stage->reduces)
        add_reduction(stage, text);
    zc_text_add(text, "    -> ");
    add_slot_name(plan, stage->store_slot, text);
    zc_text_add(text, ", %s, %lld bytes\n", zc_dtype_name(stage->result_dtype),
                (long long)plan->bytes[stage->store_slot]);
}

static void add_inputs(const zc_plan *plan, zc_text *text)
{
    for (int32_t s = 0; s < plan->slot_count; s++) {
        const zc_slot *slot = &plan->slots[s];
        if (slot->kind == ZC_SLOT_INPUT)
            zc_text_add(text, "input %d: %s, %lld elements, %lld bytes\n", (int)s, zc_dtype_name(slot->dtype),
                        (long long)slot->elements, (long long)slot->buffer->bytes);
    }
}

void zc_explain_text(const zc_plan *plan, zc_text *text)
{
    zc_text_add(text, "result: %s ", zc_dtype_name((zc_dtype)plan->root->dtype));
    add_numbers(plan->root_view.shape, plan->root_view.rank, text);
    uint64_t repeated = zc_view_broadcast_axes(&plan->root_view);
    if (repeated != 0) {
        zc_text_add(text, ", broadcast along");
        add_axes(repeated, text);
    }
    zc_text_add(text, "\nbytes: %lld logical, %lld held, %lld to write, %lld at the peak\n",
                (long long)plan->bytes[ZC_OUTPUT_SLOT], (long long)plan->held_bytes, (long long)plan->written_bytes,
                (long long)plan->peak_bytes);
    add_inputs(plan, text);
    for (int32_t s = 0; s < plan->stage_count; s++)
        add_stage(plan, s, text);
}
