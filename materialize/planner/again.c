#include "materialize/planner/again.h"

/* Least bytes of a slot that is made again rather than stored, more than caches hold, and most work for an element of
 * it: beyond, memory is faster by far. */
enum { LEAST_BYTES = 1 << 26, MOST_WORK = 512 };

void zc_again_begin(zc_again *again, const zc_plan *plan)
{
    enum { TIMES = 2 };
    again->first = plan->slot_count;
    again->count = 0;
    again->work = 0;
    for (int32_t s = 0; s < plan->stage_count; s++)
        again->work += zc_stage_exact_work(plan->stages[s]);
    again->most = TIMES * again->work;
}

/* ---- Choosing ---- */

static zc_stage *stage_of(const zc_group_search *s, int32_t member)
{
    return s->plan->stages[s->member[member]];
}

/* Tells a member whose slot another member reads. */
static bool is_read(const zc_group_search *s, int32_t member)
{
    for (int32_t m = member + 1; m < s->group.count; m++) {
        const zc_stage *stage = stage_of(s, m);
        for (int32_t v = 0; v < stage->value_count; v++) {
            if (zc_search_maker(s, &stage->values[v]) == member)
                return true;
        }
    }
    return false;
}

/* Tells a member's slot that late stages read and would hold whole, where members read it, too. The search has seen all
 * of these. */
static bool is_held_for_late(const zc_group_search *s, int32_t member)
{
    const zc_slot *slot = zc_search_slot(s, member);
    const int64_t least = s->plan->ctx->block_length > 0 ? 1 : LEAST_BYTES;
    return s->is_read_late[member] && slot->kind == ZC_SLOT_TEMPORARY && zc_search_stores_by_rows(s, member) &&
           slot->last_stage < s->end && is_read(s, member) && s->plan->bytes[stage_of(s, member)->store.slot] >= least;
}

/* Finds the members that are made again: those that late stages read, and what these are made of. Their number. */
static int find_needed(const zc_group_search *s, bool *needed)
{
    int count = 0;
    for (int32_t m = s->group.count - 1; m >= 0; m--)
        needed[m] = is_held_for_late(s, m);
    for (int32_t m = s->group.count - 1; m >= 0; m--) {
        const zc_stage *stage = stage_of(s, m);
        for (int32_t v = 0; needed[m] && v < stage->value_count; v++) {
            const int32_t maker = zc_search_maker(s, &stage->values[v]);
            if (maker >= 0)
                needed[maker] = true;
        }
        count += needed[m];
    }
    return count;
}

/* Tells a late stage that reads a needed member. */
static bool reads_needed(const zc_group_search *s, const zc_stage *stage, const bool *needed)
{
    for (int32_t v = 0; v < stage->value_count; v++) {
        const int32_t maker = zc_search_maker(s, &stage->values[v]);
        if (maker >= 0 && needed[maker])
            return true;
    }
    return false;
}

/* Tells a late stage that reads needed members by rows alone. */
static bool reads_rows(const zc_group_search *s, const zc_stage *stage, const bool *needed)
{
    int outer[ZC_MOST_OUTER];
    for (int32_t v = 0; v < stage->value_count; v++) {
        const int32_t maker = zc_search_maker(s, &stage->values[v]);
        if (maker >= 0 && needed[maker] && !zc_search_reads_rows(s, stage, &stage->values[v], outer))
            return false;
    }
    return true;
}

bool zc_again_is_worth(const zc_again *again, const zc_group_search *s)
{
    bool needed[ZC_MOST_MEMBERS];
    const int count = find_needed(s, needed);
    double work = again->work;
    if (count == 0 || count > ZC_MOST_AGAIN - again->count)
        return false;
    for (int32_t m = 0; m < s->group.count; m++) {
        const double more = needed[m] ? zc_stage_exact_work(stage_of(s, m)) : 0;
        if (more > MOST_WORK * (double)zc_search_slot(s, m)->elements)
            return false;
        work += more;
    }
    for (int32_t l = 0; l < s->late_count; l++) {
        if (!reads_rows(s, s->plan->stages[s->late[l]], needed))
            return false;
    }
    return work <= again->most;
}

/* ---- Making ---- */

/* Reads by the stage of slots that are made again. */
static void read_again(zc_stage *stage, const zc_group_search *s, const bool *needed, const int32_t *slot)
{
    for (int32_t v = 0; v < stage->value_count; v++) {
        const int32_t maker = zc_search_maker(s, &stage->values[v]);
        if (maker >= 0 && needed[maker])
            stage->values[v].slot = slot[maker];
    }
}

/* Copies a member, which stores a slot of its own. */
static zc_stage *copy_member(const zc_group_search *s, int32_t member, int32_t slot)
{
    zc_arena *arena = &s->plan->arena;
    zc_stage *stage = zc_arena_copy(arena, stage_of(s, member), 1, sizeof *stage);
    if (stage == NULL)
        return NULL;
    stage->values = zc_arena_copy(arena, stage->values, (size_t)stage->value_count, sizeof *stage->values);
    stage->store.slot = slot;
    stage->reason = ZC_STAGE_AGAIN;
    return stage->values != NULL ? stage : NULL;
}

/* The first late stage that reads a needed member. */
static int32_t find_place(const zc_group_search *s, const bool *needed)
{
    int32_t l = 0;
    while (!reads_needed(s, s->plan->stages[s->late[l]], needed))
        l++;
    return s->late[l];
}

/* The list of stages with what was made again before the first that reads it, but behind the member that it is a copy
 * of: what this reads is there then. */
static void add_made(const zc_group_search *s, int32_t place, zc_stage *const *made, const int32_t *member,
                     int32_t count, zc_stage **stages)
{
    int32_t to = 0, next = 0;
    for (int32_t at = 0; at < s->plan->stage_count; at++) {
        while (at >= place && next < count && s->member[member[next]] < at)
            stages[to++] = made[next++];
        stages[to++] = s->plan->stages[at];
    }
}

bool zc_again_make(zc_again *again, const zc_group_search *s)
{
    zc_plan *plan = s->plan;
    bool needed[ZC_MOST_MEMBERS];
    int32_t slot[ZC_MOST_MEMBERS] = {0}, member[ZC_MOST_MEMBERS], count = 0;
    zc_stage *made[ZC_MOST_MEMBERS];
    const int32_t all = find_needed(s, needed), first_slot = plan->slot_count;
    zc_stage **stages = zc_arena_take(&plan->arena, (size_t)plan->stage_count + (size_t)all, sizeof(zc_stage *));
    bool is_made = stages != NULL;
    for (int32_t m = 0; m < s->group.count && is_made; m++) {
        if (!needed[m])
            continue;
        const zc_slot *from = zc_search_slot(s, m);
        slot[m] = zc_plan_add_slot(plan, ZC_SLOT_TEMPORARY, from->dtype, from->elements, NULL);
        made[count] = slot[m] >= 0 ? copy_member(s, m, slot[m]) : NULL;
        is_made = made[count] != NULL;
        if (!is_made)
            continue;
        read_again(made[count], s, needed, slot);
        member[count++] = m;
    }
    if (!is_made) {
        plan->slot_count = first_slot;
        return false;
    }
    add_made(s, find_place(s, needed), made, member, count, stages);
    for (int32_t n = 0; n < count; n++) {
        again->original[again->count++] = stage_of(s, member[n])->store.slot;
        again->work += zc_stage_exact_work(stage_of(s, member[n]));
    }
    for (int32_t l = 0; l < s->late_count; l++)
        read_again(plan->stages[s->late[l]], s, needed, slot);
    plan->stages = stages;
    plan->stage_count = plan->stage_room = plan->stage_count + count;
    return true;
}

void zc_again_undo(const zc_again *again, zc_plan *plan)
{
    for (int32_t s = 0; s < plan->stage_count && again->count > 0; s++) {
        zc_stage *stage = plan->stages[s];
        for (int32_t v = 0; v < stage->value_count; v++) {
            zc_value *value = &stage->values[v];
            while (zc_value_reads(value) && value->slot >= again->first)
                value->slot = again->original[value->slot - again->first];
        }
    }
    plan->slot_count = again->count > 0 ? again->first : plan->slot_count;
}
