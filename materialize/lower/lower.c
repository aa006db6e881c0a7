#include "materialize/lower/lower.h"

#include "materialize/lower/buy.h"
#include "materialize/lower/concat.h"
#include "materialize/lower/elements.h"
#include "materialize/lower/gather.h"
#include "materialize/lower/map.h"
#include "materialize/lower/needed.h"
#include "materialize/lower/reduce.h"
#include "materialize/lower/result.h"
#include "materialize/lower/rules.h"
#include "materialize/lower/scan.h"
#include "materialize/lower/scatter.h"
#include "materialize/lower/source.h"
#include "materialize/lower/steps.h"
#include "materialize/rewrite/forward.h"
#include "materialize/rewrite/in_place.h"
#include "materialize/rewrite/runs.h"
#include "materialize/rewrite/slabs.h"

/* ---- Drafts ---- */

/* Lets a draft be finished after the decision at hand, if no step of it is left to be decided on. */
static bool touch(zc_lowering *l, zc_draft *draft)
{
    void *touched = l->touched;
    if (l->touched_count > 0 && l->touched[l->touched_count - 1] == draft)
        return true;
    if (!zc_arena_make_room(l->plan->scratch, &touched, l->touched_count, &l->touched_room, sizeof *l->touched))
        return false;
    l->touched = touched;
    l->touched[l->touched_count++] = draft;
    return true;
}

zc_draft *zc_begin_stored(zc_lowering *l, const zc_view *domain, int kept, int32_t slot, zc_stage_reason reason)
{
    zc_draft *draft = l->spare;
    if (draft == NULL && (draft = zc_arena_take(l->plan->scratch, 1, sizeof *draft)) != NULL)
        draft->stage = zc_arena_take(&l->plan->arena, 1, sizeof *draft->stage);
    l->spare = NULL;
    if (draft == NULL || draft->stage == NULL || !zc_draft_begin(l->plan, domain, kept, reason, draft) ||
        !touch(l, draft))
        return NULL;
    zc_stage *stage = draft->stage;
    draft->next = l->drafts;
    l->drafts = draft;
    stage->store.slot = slot;
    stage->store.stride = zc_arena_take(&l->plan->arena, (size_t)kept, sizeof *stage->store.stride);
    if (stage->store.stride == NULL)
        return NULL;
    zc_shape_row_major(kept, domain->shape, stage->store.stride);
    return draft;
}

void zc_end_first(zc_lowering *l)
{
    l->spare = l->drafts;
    l->drafts = l->spare->next;
}

void zc_move_behind(zc_lowering *l, zc_draft *other)
{
    zc_draft *moved = l->drafts;
    l->drafts = moved->next;
    moved->next = other->next;
    other->next = moved;
}

bool zc_add_temporary(zc_lowering *l, zc_region *region, const zc_node *node)
{
    const int64_t elements = region->is_part ? zc_view_size(&region->view) : zc_box_size(zc_region_frame(region));
    const bool is_whole = !region->is_part && zc_box_size(&region->box) == node->size;
    region->slot = zc_plan_add_slot(l->plan, ZC_SLOT_TEMPORARY, (zc_dtype)node->dtype, elements);
    if (region->slot >= 0 && is_whole) {
        l->plan->slots[region->slot].node = node;
        l->plan->slots[region->slot].is_left = l->at->is_left = l->at->may_stay;
    }
    return region->slot >= 0;
}

/* ---- Deciding ---- */

/* One of the node's steps that is the same as another one by now, or NULL; looked for among the first few. */
static zc_step *find_same(const zc_needed *needed, const zc_step *step)
{
    zc_view view, other;
    zc_step *known = needed->steps;
    zc_step_view(step, &view);
    for (int i = 0; known != NULL && i < ZC_MOST_STEPS; known = known->next, i++) {
        zc_step_view(known, &other);
        if (known->draft == step->draft && zc_view_equal(&view, &other))
            return known;
    }
    return NULL;
}

/* Brings the steps of a node up to date, and makes those one that are the same by now. */
static bool gather_steps(zc_lowering *l, zc_needed *needed)
{
    bool were_split = false;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next)
        were_split |= step->draft->split_count > 0;
    if (!zc_catch_up(l, needed))
        return false;
    if (!were_split)
        return true;
    zc_step *others = needed->steps;
    needed->steps = NULL;
    needed->step_count = 0;
    while (others != NULL) {
        zc_step *step = others;
        others = step->next;
        step->same = find_same(needed, step);
        if (step->same != NULL)
            continue;
        step->next = needed->steps;
        needed->steps = step;
        needed->step_count++;
    }
    return true;
}

static bool store(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    static bool (*const stores[])(zc_lowering *, zc_needed *, zc_stage_reason) = {
#define ZC_GIVEN_NODE(NAME, name, attributes, invariant, gradient, sign)    /* read where they are seen */
#define ZC_COMPUTED_NODE(NAME, name, attributes, invariant, gradient, sign) [ZC_NODE_##NAME] = zc_store_##name,
#include "runtime/graph/node_kinds.def"
#undef ZC_COMPUTED_NODE
#undef ZC_GIVEN_NODE
    };
    return stores[needed->node->kind](l, needed, reason);
}

/* Inlines a map or a gather; if some step sees it through a view that no strides express, marks it as not affine. */
static bool inline_elements(zc_lowering *l, zc_needed *needed)
{
    zc_inline_function *inline_node = needed->node->kind == ZC_NODE_MAP ? zc_inline_map : zc_inline_take;
    bool inlined;
    if (!inline_node(l, needed, &inlined))
        return false;
    l->is_not_affine = !inlined;
    l->region_count = -1;
    return true;
}

static bool carry_out(zc_lowering *l, zc_needed *needed, const zc_rule *rule)
{
    switch (rule->outcome) {
    case ZC_OUTCOME_INLINE:
        return inline_elements(l, needed);
    case ZC_OUTCOME_PASS_ON:
        return zc_pass_on_concat(l, needed);
    case ZC_OUTCOME_ASSEMBLE:
        return zc_assemble_concat(l, needed, rule->reason);
    case ZC_OUTCOME_CUT:
        return zc_cut_at_concat(l, needed, rule->reason);
    default:
        return store(l, needed, rule->reason);
    }
}

/* Carries out the first rule that applies, until no step is left; asks all rules again where the node turns out not to
 * be affine. False when memory is out, or no rule applies. */
static bool decide_by_rules(zc_lowering *l, zc_needed *needed)
{
    l->at = needed;
    l->region_count = -1;
    l->is_not_affine = false;
    l->is_contracted = zc_is_contracted(needed);
    uint32_t left = zc_find_rules(l, needed);
    while (left != 0 && needed->steps != NULL) {
        const bool was_not_affine = l->is_not_affine;
        const zc_rule *rule = &zc_rules[__builtin_ctz(left)];
        left &= left - 1;
        if (!zc_rule_applies(rule, l, needed))
            continue;
        if (!carry_out(l, needed, rule))
            return false;
        if (l->is_not_affine && !was_not_affine)
            left = zc_find_rules(l, needed);
    }
    return needed->steps == NULL;
}

/* Forgets the steps of drafts that were cut. False when memory is out. */
static bool forget_cut(zc_lowering *l, zc_needed *needed)
{
    zc_step **link = &needed->steps;
    while (*link != NULL) {
        zc_draft *draft = (*link)->draft;
        if (!draft->is_replaced) {
            link = &(*link)->next;
            continue;
        }
        *link = (*link)->next;
        needed->step_count--;
        draft->open_count--;
        if (!touch(l, draft))
            return false;
    }
    return true;
}

static bool decide(zc_lowering *l, zc_needed *needed)
{
    zc_draft *late = zc_find_late(needed);
    for (zc_step *step = needed->steps; step != NULL; step = step->next) {
        step->is_open = false;
        step->draft->open_count--;
        if (!touch(l, step->draft))
            return false;
    }
    if (!gather_steps(l, needed) || !decide_by_rules(l, needed))
        return false;
    if (late != NULL)
        zc_place_late(l, late);
    return true;
}

/* Finishes the drafts of which every step is decided on now. */
static bool finish_touched(zc_lowering *l)
{
    for (int32_t i = 0; i < l->touched_count; i++) {
        zc_draft *draft = l->touched[i];
        if (draft->open_count > 0 || draft->is_late)
            continue;
        if (!draft->is_finished && !draft->is_replaced && !zc_draft_emit(l->plan, draft, &l->room))
            return false;
        zc_draft_end_steps(l->plan, draft);
    }
    l->touched_count = 0;
    return true;
}

/* From consumers to producers. */
static bool decide_all(zc_lowering *l)
{
    for (int32_t i = l->needed_count - 1; i >= 0; i--) {
        if (zc_progress_stops(&l->plan->ctx->progress))
            return false;
        zc_needed *needed = &l->needed[l->order[i]];
        if (i >= ZC_NODES_AHEAD)
            zc_fetch_node(l->needed[l->order[i - ZC_NODES_AHEAD]].node);
        if ((l->has_cut && !forget_cut(l, needed)) || !zc_buy(l, needed) || !zc_begin_whole(l, needed) ||
            (needed->steps != NULL && !decide(l, needed)) || !finish_touched(l))
            return false;
        zc_leave_operands(l, needed);
    }
    return true;
}

/* ---- Finishing ---- */

/* Room for a stage of every draft of a list. */
static bool make_room(zc_plan *plan, const zc_draft *first)
{
    int32_t count = 0;
    for (const zc_draft *draft = first; draft != NULL; draft = draft->next)
        count += !draft->is_replaced;
    plan->stages = zc_arena_take(&plan->arena, (size_t)count, sizeof(zc_stage *));
    plan->stage_room = count;
    return plan->stages != NULL;
}

static bool finish(zc_lowering *l, zc_draft *first)
{
    zc_plan *plan = l->plan;
    for (zc_draft *draft = first; draft != NULL; draft = draft->next) {
        if (draft->is_replaced)
            continue;
        if (!draft->is_finished && (zc_progress_stops(&plan->ctx->progress) || !zc_draft_emit(plan, draft, &l->room)))
            return false;
        if (zc_plan_add_stage(plan, draft->stage) != ZC_OK)
            return false;
    }
    return true;
}

/* Stages of producers come before those of their consumers, pieces in the order of their slabs, and copies last. */
static bool finish_drafts(zc_lowering *l)
{
    bool done = make_room(l->plan, l->drafts) && finish(l, l->drafts);
    for (int32_t i = 0; i < l->plan->result_count && done; i++)
        done = l->late[i] == NULL || !l->late[i]->is_late || finish(l, l->late[i]);
    return done;
}

/* Gives back what decisions were made from: the stages take its place. */
static void end_deciding(zc_lowering *l)
{
    zc_plan *plan = l->plan;
    zc_arena *scratch = plan->scratch;
    plan->certain_bytes = l->policy == ZC_POLICY_FAST ? zc_certain_bytes(l) : 0;
    plan->eager_bytes = zc_eager_bytes(l);
    plan->plan_bytes = scratch->most_bytes + plan->arena.most_bytes;
    zc_arena_give_back(scratch, l->needed, (size_t)l->needed_room, sizeof *l->needed);
    zc_arena_give_back(scratch, l->operands, (size_t)l->operand_room, sizeof *l->operands);
    zc_arena_give_back(scratch, l->order, (size_t)l->needed_count, sizeof *l->order);
    zc_arena_give_back(scratch, l->steps, (size_t)l->step_room, sizeof *l->steps);
    zc_table_end(&l->table);
    zc_table_end(&l->equals);
    zc_table_end(&l->seen);
    scratch->most_bytes = scratch->bytes;
}

static bool make_stages(zc_lowering *l)
{
    if (!zc_find_needed(l) || !zc_begin_views(l) || !zc_find_takeovers(l) || !decide_all(l))
        return false;
    end_deciding(l);
    l->plan->is_bound = l->plan->enough_bytes > 0 && l->plan->eager_bytes >= l->plan->enough_bytes;
    if (l->plan->is_bound)
        return true;
    return !l->plan->scratch->failed && finish_drafts(l) && zc_forward_copies(l->plan, l->policy) &&
           zc_update_in_place(l->plan) && zc_join_runs(l->plan, l->policy) && zc_split_slabs(l->plan, l->policy);
}

zc_status zc_plan_lower(zc_plan *plan, zc_policy policy, zc_layout layout, const char *function)
{
    zc_arena scratch;
    zc_region regions[ZC_MOST_REGIONS + 1];
    zc_view shown[ZC_MAX_ARITY];
    zc_lowering l = {.plan = plan,
                     .policy = policy == ZC_POLICY_APART ? ZC_POLICY_FAST : policy,
                     .is_apart = policy == ZC_POLICY_APART,
                     .layout = layout,
                     .table.arena = &scratch,
                     .equals.arena = &scratch,
                     .results.arena = &scratch,
                     .seen.arena = &scratch,
                     .regions = regions,
                     .shown = shown};
    zc_arena_init(&scratch, plan->ctx->heap);
    scratch.limit = plan->arena.limit;
    plan->scratch = &scratch;
    plan->spare_steps = NULL;
    plan->eager_bytes = plan->certain_bytes = plan->plan_bytes = 0;
    plan->made_of = 0;
    plan->may_be_apart = false;
    bool lowered = make_stages(&l), failed = scratch.failed || plan->arena.failed;
    plan->scratch = NULL;
    plan->spare_steps = NULL;
    plan->plan_bytes = zc_larger(plan->plan_bytes, scratch.most_bytes + plan->arena.most_bytes);
    zc_arena_free(&scratch);
    if (lowered)
        return ZC_OK;
    if (scratch.is_over || plan->arena.is_over)
        return zc_plan_refuse_size(plan, function);
    if (failed)
        return zc_fail_memory(plan->ctx, function);
    if (zc_progress_stops(&plan->ctx->progress))
        return zc_fail_cancelled(plan->ctx, function);
    return zc_fail(plan->ctx, ZC_ERROR_INTERNAL, function, "a node could not be decided; please report this");
}
