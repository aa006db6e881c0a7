#include "materialize/explain/explain_dot.h"

#include "materialize/explain/explain_text.h"
#include "materialize/explain/whole.h"
#include "materialize/plan/group.h"

static void add_slot(const zc_plan *plan, int32_t s, zc_text_builder *text)
{
    const zc_slot *slot = &plan->slots[s];
    zc_text_add(text, "  slot%d [shape=box%s, label=\"", (int)s,
                slot->kind == ZC_SLOT_TEMPORARY ? ", style=dashed" : "");
    zc_explain_slot(plan, s, text);
    zc_text_add(text, "\\n%s x %lld\\n%lld bytes", zc_dtype_name(slot->dtype), (long long)slot->elements,
                (long long)zc_slot_bytes(plan, s));
    const zc_whole whole = zc_explain_whole(plan, s);
    if (whole.name != NULL)
        zc_text_add(text, "\\nwhole: stage %d %s", whole.stage, whole.sentence);
    zc_text_add(text, "\"];\n");
}

/* A load's edge tells its strides; it is dashed where they repeat elements. */
static void add_edges(const zc_stage *stage, int32_t s, int32_t v, uint64_t broadcast_axes, zc_text_builder *text)
{
    const zc_value *value = &stage->values[v];
    for (int i = 0; i < value->arity; i++)
        zc_text_add(text, "  s%d_v%d -> s%d_v%d;\n", (int)s, (int)value->arg[i], (int)s, (int)v);
    if (!zc_value_reads(value))
        return;
    zc_text_add(text, "  slot%d -> s%d_v%d [%slabel=\"", (int)value->slot, (int)s, (int)v,
                broadcast_axes != 0 ? "style=dashed, " : "");
    zc_explain_tuple(zc_value_strides(stage, value), stage->rank, text);
    zc_text_add(text, "\"];\n");
}

static void add_value(const zc_counts *counts, int32_t s, int32_t v, zc_text_builder *text)
{
    const zc_stage *stage = counts->plan->stages[s];
    const zc_value *value = &stage->values[v];
    zc_value_facts facts = zc_explain_value(counts, stage, v);
    zc_text_add(text, "    s%d_v%d [label=\"v%d: %s", (int)s, (int)v, (int)v, zc_value_name(value));
    if (value->kind == ZC_VALUE_CONSTANT)
        zc_explain_constant(value, text);
    zc_text_add(text, "\\n%s, %s", zc_dtype_name((zc_dtype)value->dtype), facts.how.name);
    if (facts.count.computed > facts.count.needed) {
        zc_text_add(text, ", times ");
        zc_explain_times(facts.count, text);
    }
    zc_text_add(text, "\"];\n");
}

static void add_cluster(const zc_counts *counts, int32_t s, zc_text_builder *text)
{
    const zc_stage *stage = counts->plan->stages[s];
    const zc_hint hint = zc_explain_hint(stage);
    zc_text_add(text, "  subgraph cluster_%d {\n    label=\"stage %d, %s\\n", (int)s, (int)s + 1,
                zc_stage_reason_named(stage->reason).name);
    zc_explain_tuple(stage->shape, stage->kept, text);
    if (stage->rank > stage->kept) {
        zc_text_add(text, " reducing ");
        zc_explain_tuple(stage->shape + stage->kept, stage->rank - stage->kept, text);
    }
    zc_text_add(text, "\\nby %s, %s", zc_stage_executor_name(stage), zc_stage_strategy_name(stage));
    if (stage->scratch_bytes > 0)
        zc_text_add(text, "\\n%lld bytes of scratch memory", (long long)stage->scratch_bytes);
    if (stage->member != NULL)
        zc_text_add(text, "\\nin %lld blocks, stages %d to %d in turns",
                    (long long)zc_group_blocks(stage->member->group), (int)stage->member->group->first + 1,
                    (int)(stage->member->group->first + stage->member->group->count));
    zc_text_add(text, "\";\n");
    for (int32_t v = 0; v < stage->value_count; v++)
        add_value(counts, s, v, text);
    if (stage->kind->reduces) {
        zc_text_add(text, "    s%d_join [shape=house, label=\"", (int)s);
        if (stage->kind->add_text != NULL) /* LCOV_EXCL_BR_LINE: kinds that reduce have it */
            stage->kind->add_text(stage, text);
        if (hint.function != NULL) {
            zc_text_add(text, "\\nhint: ");
            zc_explain_hint_sentence(&hint, text);
        }
        zc_text_add(text, "\"];\n");
    }
    zc_text_add(text, "  }\n");
}

static void add_stage(const zc_counts *counts, int32_t s, zc_text_builder *text)
{
    const zc_stage *stage = counts->plan->stages[s];
    int32_t last = stage->value_count - 1;
    add_cluster(counts, s, text);
    for (int32_t v = 0; v <= last; v++)
        add_edges(stage, s, v, zc_explain_value(counts, stage, v).broadcast_axes, text);
    if (stage->kind->reduces)
        zc_text_add(text, "  s%d_v%d -> s%d_join;\n  s%d_join -> slot%d;\n", (int)s, (int)last, (int)s, (int)s,
                    (int)stage->store.slot);
    else
        zc_text_add(text, "  s%d_v%d -> slot%d;\n", (int)s, (int)last, (int)stage->store.slot);
    if (stage->store.base >= 0)
        zc_text_add(text, "  slot%d -> slot%d [style=bold, label=\"in place\"];\n", (int)stage->store.base,
                    (int)stage->store.slot);
}

void zc_explain_dot(const zc_counts *counts, const zc_reason *refusal, zc_text_builder *text)
{
    const zc_plan *plan = counts->plan;
    zc_text_add(text, "digraph plan {\n  rankdir=BT;\n  node [fontname=monospace];\n  edge [fontname=monospace];\n"
                      "  label=\"");
    for (int32_t i = 0; i < plan->result_count; i++) {
        zc_explain_result(plan, i, text);
        zc_text_add(text, "\\n");
    }
    zc_text_add(text, "%lld bytes logical, %lld held, %lld to write, %lld at the peak", (long long)plan->logical_bytes,
                (long long)plan->held_bytes, (long long)plan->written_bytes, (long long)plan->peak_bytes);
    if (refusal != NULL)
        zc_text_add(text, "\\nover the limit: %s", refusal->text);
    zc_text_add(text, "\";\n");
    for (int32_t s = 0; s < plan->slot_count; s++) {
        add_slot(plan, s, text);
    }
    for (int32_t s = 0; s < plan->stage_count; s++)
        add_stage(counts, s, text);
    zc_text_add(text, "}\n");
}
