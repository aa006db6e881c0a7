#include "materialize/planner/groups.h"

#include <string.h>

#include "materialize/kernels/kernels.h"
#include "materialize/plan/memory.h"
#include "materialize/planner/block_length.h"
#include "materialize/planner/group_search.h"
#include "materialize/planner/turn.h"

/* Bytes that are worth a group where a product of a matrix with itself would be made whole. */
enum { LEAST_MIRRORED = 1 << 26 };

/* Number of axes that are tried in the place of the first one of temporaries. */
enum { MOST_TRIED = 3 };

/* Tells a contraction of a matrix with itself, of which half is copied where it is made whole. */
static bool is_mirrored(const zc_stage *stage)
{
    const zc_value *product = zc_stage_result(stage);
    if (!stage->kind->packs_operands)
        return false;
    const zc_value *x = &stage->values[product->arg[0]], *y = &stage->values[product->arg[1]];
    return x->kind == ZC_VALUE_LOAD && y->kind == ZC_VALUE_LOAD && x->slot == y->slot &&
           stage->offset[x->access] == stage->offset[y->access];
}

/* Bytes that a group saves at least. */
static int64_t least_saved(const zc_group_search *s)
{
    bool mirrors = false;
    for (int32_t m = 0; m < s->group.count; m++)
        mirrors |= is_mirrored(s->plan->stages[s->member[m]]);
    return s->plan->ctx->block_length > 0 ? 1 : mirrors ? LEAST_MIRRORED : ZC_LEAST_SAVED;
}

/* Tells a group that keeps a larger temporary whole than all that it makes by blocks: one that is stored along another
 * axis, by whose rows another group may begin. */
static bool keeps_more_whole(const zc_group_search *s)
{
    for (int32_t m = 1; m < s->group.count; m++) {
        const zc_slot *slot = zc_search_slot(s, m);
        if (slot->kind == ZC_SLOT_TEMPORARY && !zc_search_stores_by_rows(s, m) &&
            slot->elements * (int64_t)zc_dtype_bytes(slot->dtype) >= s->saved) /* proven: in memory */
            return true;
    }
    return false;
}

/* Tells members that were found and are worth a group. */
static bool is_worth_forming(zc_group_search *s)
{
    zc_search_measure(s);
    return s->group.count > 1 && zc_search_is_by_blocks(s, 0) && s->saved >= least_saved(s) && !keeps_more_whole(s);
}

/* Finds the group of `rank` outer axes that begins with a stage: false where none is worth it. */
static bool find(zc_group_search *s, int32_t first, int rank)
{
    return zc_search_walk(s, first, rank) && is_worth_forming(s);
}

/* ---- Forming ---- */

/* Forgets which stage from `first` to `last` is the last to touch a slot that one of them touches, and which stored it.
 * No update is among them: the search ends there. */
static void forget_lifetimes(zc_plan *plan, int32_t first, int32_t last)
{
    for (int32_t at = first; at <= last; at++) {
        const zc_stage *stage = plan->stages[at];
        zc_slot *stored = &plan->slots[stage->store.slot];
        stored->first_stage = stored->first_stage >= first ? -1 : stored->first_stage;
        stored->last_stage = stored->last_stage <= last ? -1 : stored->last_stage;
        for (int32_t v = 0; v < stage->value_count; v++) {
            if (!zc_value_reads(&stage->values[v]))
                continue;
            zc_slot *read = &plan->slots[stage->values[v].slot];
            read->last_stage = read->last_stage <= last ? -1 : read->last_stage;
        }
    }
}

/* Finds it again, once they are in another order. */
static void find_lifetimes(zc_plan *plan, int32_t first, int32_t last)
{
    for (int32_t at = first; at <= last; at++) {
        const zc_stage *stage = plan->stages[at];
        zc_slot *stored = &plan->slots[stage->store.slot];
        stored->first_stage = stored->first_stage < 0 ? at : stored->first_stage;
        stored->last_stage = stored->last_stage <= last ? at : stored->last_stage;
        for (int32_t v = 0; v < stage->value_count; v++) {
            if (!zc_value_reads(&stage->values[v]))
                continue;
            zc_slot *read = &plan->slots[stage->values[v].slot];
            read->last_stage = read->last_stage <= last ? at : read->last_stage;
        }
    }
}

/* Moves the stages between members before all of them, or behind. */
static void put_in_order(zc_group_search *s)
{
    zc_stage *members[ZC_MOST_MEMBERS], *late[ZC_MOST_MOVED];
    zc_stage **stages = s->plan->stages;
    const int32_t last = s->member[s->group.count - 1];
    const int32_t first = s->group.first;
    int32_t to = first, next = 0, next_late = 0;
    forget_lifetimes(s->plan, first, last);
    for (int32_t at = s->group.first; at <= last; at++) {
        if (s->member[next] == at)
            members[next++] = stages[at];
        else if (next_late < s->late_count && s->late[next_late] == at)
            late[next_late++] = stages[at];
        else
            stages[to++] = stages[at];
    }
    s->group.first = to;
    memcpy((void *)(stages + to), (void *)members, (size_t)next * sizeof(zc_stage *));
    memcpy((void *)(stages + to + next), (void *)late, (size_t)next_late * sizeof(zc_stage *));
    find_lifetimes(s->plan, first, last);
}

static bool form(zc_group_search *s)
{
    const zc_group *group = &s->group;
    s->group.length = zc_search_block_length(s);
    for (int32_t m = 0; m < group->count; m++) {
        zc_slot *slot = &s->plan->slots[s->plan->stages[s->member[m]]->store.slot];
        slot->is_block = zc_search_is_by_blocks(s, m);
    }
    zc_group *formed = zc_arena_copy(&s->plan->arena, group, 1, sizeof *group);
    if (formed == NULL)
        return false;
    for (int32_t m = 0; m < group->count; m++) {
        zc_member *member = zc_arena_take(&s->plan->arena, 1, sizeof *member);
        if (member == NULL)
            return false;
        zc_stage *stage = s->plan->stages[s->member[m]];
        *member = (zc_member){.group = formed, .whole = stage};
        member->absorbed = zc_group_absorbed(formed, s->outer[m], stage);
        member->state_bytes = zc_search_state_bytes(s, m);
        memcpy(member->outer, s->outer[m], sizeof member->outer);
        stage->member = member;
    }
    put_in_order(s);
    formed->first = s->group.first;
    return true;
}

/* Bytes that a group saves, less those of its blocks: none or fewer where states take most of them. */
static int64_t find_worth(const zc_group_search *s)
{
    return s->saved - s->row_bytes * zc_search_block_length(s); /* proven: both are in memory */
}

/* Finds a group with as few outer axes as make its blocks small, once members were found along one. */
static bool find_smallest(zc_group_search *s, int32_t first)
{
    int rank = 1;
    bool is_larger = false;
    if (!is_worth_forming(s))
        return false;
    while (!is_larger && rank < ZC_MOST_OUTER && s->row_bytes > ZC_GROUP_BYTES) {
        const int64_t worth = find_worth(s);
        is_larger = !find(s, first, rank + 1) || find_worth(s) < worth;
        rank += !is_larger;
    }
    if (is_larger)
        (void)find(s, first, rank); /* as before */
    return true;
}

/* Lets the plan have another list of stages than before. False when memory is out. */
static bool begin_change(zc_plan *plan, zc_ungrouped *before)
{
    if (before->stages != NULL)
        return true;
    zc_stage **stages =
        zc_arena_copy(&plan->arena, (void *)plan->stages, (size_t)plan->stage_count, sizeof(zc_stage *));
    if (stages == NULL)
        return false;
    before->stages = plan->stages;
    before->stage_count = plan->stage_count;
    plan->stages = stages;
    plan->stage_room = plan->stage_count;
    return true;
}

/* Tells a group of which members need a state, or that late stages read. */
static bool may_be_turned(const zc_group_search *s)
{
    bool absorbs = s->late_count > 0;
    for (int32_t m = 1; m < s->group.count && !absorbs; m++)
        absorbs = zc_search_absorbs(s, m);
    return absorbs;
}

/* Bytes that a turned group saves more where it reads or writes much across lines and memory is not short. */
static int64_t least_across(const zc_group_search *s)
{
    const bool is_any = s->plan->is_lean || s->plan->ctx->block_length > 0;
    return !is_any && zc_turn_bytes_across(s) > s->saved / 2 ? ZC_LEAST_HELD : 0;
}

/* Tells a turn of the temporaries of a stage with which a group is worth so much at least: together with others that
 * are read beside them, which *beside then tells, or else alone. */
static bool is_worth_turning(zc_group_search *s, int32_t first, int outer, int inner, int64_t worth, bool *beside)
{
    zc_turn turn;
    bool is_worth = false;
    for (*beside = true;; *beside = false) {
        zc_arena_clear(&s->trial);
        if (zc_turn_make(&turn, s->plan, &s->trial, first, outer, inner, *beside)) {
            is_worth = zc_search_walk(s, first, 1) && find_smallest(s, first) && zc_turn_is_by_blocks(&turn, s) &&
                       find_worth(s) >= worth + least_across(s);
            zc_turn_undo(&turn);
        }
        if (is_worth || turn.beside <= 0)
            return is_worth;
    }
}

/* Puts before an outer axis the first one with which that is worth so much. */
static bool turn_before(zc_group_search *s, int32_t first, int outer, int64_t worth, zc_turn *turn)
{
    const zc_stage *stage = s->plan->stages[first];
    const int end = (int)zc_smaller(zc_stage_free_axes(stage), outer + 1 + MOST_TRIED);
    for (int inner = outer + 1; inner < end; inner++) {
        bool beside;
        if (is_worth_turning(s, first, outer, inner, worth, &beside) &&
            zc_turn_make(turn, s->plan, &s->plan->arena, first, outer, inner, beside))
            return true;
    }
    return false;
}

/* Tells a stage that takes much longer across its rows, as one that reads chunks does. It is turned last of all. */
static bool is_read_by_rows(const zc_group_search *s, int32_t first)
{
    return s->plan->stages[first]->kind->chunk != NULL;
}

/* Finds the group that begins with a stage, whose members were found along one axis, of temporaries that are turned
 * where that saves more: *turn. */
static bool find_best(zc_group_search *s, zc_ungrouped *before, int32_t first, zc_turn *turn)
{
    int outer[ZC_MOST_OUTER];
    turn->plan = s->plan;
    turn->first = turn->end = 0; /* none */
    const bool is_found = find_smallest(s, first);
    if (!may_be_turned(s) || (is_read_by_rows(s, first) && (is_found || !zc_again_is_any(&before->again))) ||
        !begin_change(s->plan, before))
        return is_found;
    const int64_t worth = (is_found ? find_worth(s) : 0) + s->plan->ctx->least_turned;
    const int rank = s->group.rank;
    memcpy(outer, s->outer[0], sizeof outer);
    for (int k = rank - 1; k >= 0; k--) { /* before the first one, too: the last may be a part of long rows */
        if (turn_before(s, first, outer[k], worth, turn))
            return true;
    }
    return zc_search_walk(s, first, 1) && find_smallest(s, first); /* as before */
}

/* Makes again what stages behind the group that begins with a stage would hold whole. Tells whether there was any; and
 * whether members are found along one axis. */
static zc_status make_again(zc_group_search *s, zc_ungrouped *before, int32_t first, bool *is_made, bool *are_found,
                            zc_reason *why)
{
    zc_status status = ZC_OK;
    *is_made = false;
    while (status == ZC_OK && (*are_found = zc_search_walk(s, first, 1)) && zc_again_is_worth(&before->again, s)) {
        *is_made = before->is_changed = true;
        status = !begin_change(s->plan, before) || !zc_again_make(&before->again, s)
                     ? zc_refuse(why, ZC_ERROR_MEMORY, "out of memory")
                     : zc_plan_account(s->plan, why);
    }
    return status;
}

/* Finds the group that begins with a stage, once what it would make whole is made again. Nothing is turned while more
 * is made again: what the group keeps whole then lies as its node does. */
static zc_status find_at(zc_group_search *s, zc_ungrouped *before, int32_t first, bool *is_found, zc_reason *why)
{
    bool is_made, are_found;
    zc_turn turn;
    s->slot_count = s->plan->slot_count;
    zc_search_forget_moved(s);
    s->most_states = s->most_rows = INT64_MAX;
    zc_status status = make_again(s, before, first, &is_made, &are_found, why);
    *is_found = status == ZC_OK && are_found && find_best(s, before, first, &turn);
    if (!*is_found)
        return status;
    const int64_t rows = zc_smaller(s->group.length, s->group.extent[s->group.rank - 1]);
    const int64_t most_rows = zc_again_most_rows(&before->again, s, rows);
    if (s->state_bytes <= ZC_MOST_STATE_BYTES && rows <= most_rows)
        return status;
    zc_turn_undo(&turn);
    s->most_states = ZC_MOST_STATE_BYTES;
    s->most_rows = most_rows;
    status = make_again(s, before, first, &is_made, &are_found, why);
    if (!is_made) {
        s->most_states = s->most_rows = INT64_MAX;
        are_found = zc_search_walk(s, first, 1);
    }
    *is_found = status == ZC_OK && are_found && find_best(s, before, first, &turn);
    return status;
}

/* Forms the group that begins with a stage, and moves on to its last member. */
static zc_status form_at(zc_group_search *s, zc_ungrouped *before, int32_t *first, zc_reason *why)
{
    bool is_found;
    zc_status status = find_at(s, before, *first, &is_found, why);
    if (status != ZC_OK || !is_found)
        return status;
    if (!begin_change(s->plan, before) || !form(s))
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    before->is_changed = true;
    *first = s->group.first + s->group.count - 1;
    return ZC_OK;
}

void zc_plan_end_groups(zc_plan *plan, zc_ungrouped *before)
{
    for (int32_t s = 0; s < plan->stage_count; s++)
        plan->stages[s]->member = NULL;
    for (int32_t s = 0; s < plan->slot_count; s++)
        plan->slots[s].is_block = false;
    plan->stages = before->stages;
    plan->stage_count = plan->stage_room = before->stage_count;
    zc_again_undo(&before->again, plan);
}

/* Tells a plan without temporaries for a group to be worth it, or for one to be made again. */
static bool are_small(const zc_plan *plan)
{
    int64_t bytes = 0;
    for (int32_t s = 0; s < plan->slot_count; s++)
        bytes = zc_saturating_add(bytes, plan->slots[s].kind == ZC_SLOT_TEMPORARY ? plan->bytes[s] : 0);
    const bool is_little = bytes < ZC_LEAST_SAVED && plan->ctx->block_length <= 0;
    return is_little || zc_search_first(plan, 0) == plan->stage_count;
}

zc_status zc_plan_find_groups(zc_plan *plan, zc_effort effort, zc_ungrouped *before, zc_reason *why)
{
    zc_group_search s;
    zc_status status = ZC_OK;
    before->stages = NULL;
    before->is_changed = false;
    before->again.count = 0;
    before->again.depends = false;
    if (are_small(plan))
        return ZC_OK;
    if (!zc_search_init(&s, plan, ZC_MOST_AGAIN))
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    zc_again_begin(&before->again, plan, effort);
    zc_arena_init(&s.trial, plan->ctx->heap);
    for (int32_t first = 0; status == ZC_OK && (first = zc_search_first(plan, first)) < plan->stage_count; first++)
        status = form_at(&s, before, &first, why);
    plan->plan_bytes = zc_larger(plan->plan_bytes, plan->arena.bytes + s.trial.most_bytes); /* proven: in memory */
    zc_arena_free(&s.trial);
    if (status == ZC_OK && before->stages != NULL && !before->is_changed) {
        zc_plan_end_groups(plan, before);
        before->stages = NULL;
    }
    return status;
}

bool zc_plan_make_parts(zc_plan *plan)
{
    bool done = true;
    for (int32_t s = 0; s < plan->stage_count && done; s++) {
        zc_stage *stage = plan->stages[s];
        done = stage->member == NULL || stage->member->part[0] != NULL ||
               zc_group_make_parts(&plan->arena, stage->member->group, stage);
    }
    return done;
}
