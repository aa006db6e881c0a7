#include "materialize/explain/explain_brief.h"

#include "materialize/explain/explain_text.h"
#include "materialize/plan/group.h"

/* Adds the buffers that a stage reads, the first ones by their names. */
static void add_read_slots(const zc_plan *plan, const zc_stage *stage, zc_text_builder *text)
{
    enum { MOST_NAMED = 4 };
    int32_t named[MOST_NAMED];
    int count = 0;
    bool are_all = true;
    for (int32_t v = 0; v < stage->value_count && are_all; v++) {
        const int32_t slot = stage->values[v].slot;
        int at = 0;
        if (!zc_value_reads(&stage->values[v]))
            continue;
        while (at < count && named[at] != slot)
            at++;
        are_all = at < MOST_NAMED;
        if (at < count || !are_all)
            continue;
        named[count++] = slot;
        zc_text_add(text, count > 1 ? ", " : "");
        zc_explain_slot(plan, slot, text);
    }
    if (!are_all)
        zc_text_add(text, ", ...");
    else if (count == 0)
        zc_text_add(text, "-");
}

/* Adds the loop over a group's blocks, which the stage shares with its neighbors. */
static void add_blocks(const zc_stage *stage, zc_text_builder *text)
{
    const zc_group *group = zc_stage_group(stage);
    if (group == NULL)
        zc_text_add(text, "-");
    else
        zc_text_add(text, "%lld of %lld", (long long)zc_group_blocks(group), (long long)group->length);
}

static void add_stage(const zc_plan *plan, int32_t s, zc_text_builder *text)
{
    const zc_stage *stage = plan->stages[s];
    zc_text_add(text, "%d\t%s\t", (int)s + 1, zc_stage_result_name(stage));
    zc_explain_tuple(stage->shape, stage->kept, text);
    if (stage->rank > stage->kept) {
        zc_text_add(text, " reducing ");
        zc_explain_tuple(stage->shape + stage->kept, stage->rank - stage->kept, text);
    }
    zc_text_add(text, "\t%s\t", zc_stage_strategy_name(stage));
    add_blocks(stage, text);
    zc_text_add(text, "\t");
    add_read_slots(plan, stage, text);
    zc_text_add(text, "\t");
    zc_explain_slot(plan, stage->store.slot, text);
    zc_text_add(text, "\t%lld\t%s\n", (long long)zc_slot_bytes(plan, stage->store.slot),
                zc_stage_reason_named(stage->reason).name);
}

void zc_explain_brief(const zc_counts *counts, const zc_reason *refusal, zc_text_builder *text)
{
    const zc_plan *plan = counts->plan;
    zc_explain_head(plan, refusal, text);
    zc_explain_nothing(plan, text);
    const size_t from = text->used;
    if (plan->stage_count > 0)
        zc_text_add(text, "stage\tmakes\tshape\tstrategy\tblocks\treads\tinto\tbytes\twhy\n");
    for (int32_t s = 0; s < plan->stage_count; s++)
        add_stage(plan, s, text);
    zc_text_align(text, from, 1 << 0 | 1 << 7);
}
