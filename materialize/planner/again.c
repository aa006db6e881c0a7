#include "materialize/planner/again.h"

#include <math.h>
#include <string.h>

/* The least bytes of a slot that is made again, and of a block beyond which it is, of all efforts without a given
 * length of blocks. */
enum { LEAST_SLOT = ZC_LEAST_SAVED, LEAST_BLOCK = ZC_LEAST_SAVED };

/* Most work for an element of a slot that is made again rather than held: beyond, memory is faster by far. */
enum { MOST_WORK = 512 };

double zc_again_work(const zc_stage *stage)
{
    enum { CONTRACTED = 2 };
    return zc_stage_exact_work(stage) / (stage->kind->packs_operands ? CONTRACTED : 1);
}

/* Bytes of a slot that a stage moves between memory and the processor. */
static int64_t moved_bytes(const zc_plan *plan, int32_t slot)
{
    return plan->slots[slot].kind == ZC_SLOT_TEMPORARY && plan->bytes[slot] >= ZC_LEAST_HELD ? plan->bytes[slot] : 0;
}

static double bytes_of(const zc_plan *plan, const zc_stage *stage)
{
    double bytes = (double)moved_bytes(plan, stage->store.slot);
    for (int32_t v = 0; v < stage->value_count; v++) {
        if (zc_value_reads(&stage->values[v]))
            bytes += (double)moved_bytes(plan, stage->values[v].slot);
    }
    return bytes;
}

void zc_again_begin(zc_again *again, const zc_plan *plan, zc_effort effort)
{
    double bytes = 0;
    again->first = plan->slot_count;
    again->count = 0;
    again->depends = false;
    again->work = 0;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        again->work += zc_again_work(plan->stages[s]);
        bytes += bytes_of(plan, plan->stages[s]);
    }
    const bool is_short = effort.work_of_byte == ZC_ANY_WORK;
    const double more = is_short ? INFINITY : effort.work_of_byte * bytes;
    again->least = plan->ctx->block_length > 0 ? 1 : is_short ? LEAST_SLOT : ZC_LEAST_HELD;
    again->most_each = is_short ? INFINITY : (double)MOST_WORK;
    again->most = again->work;
    if (!effort.is_for_blocks || plan->ctx->block_length >= 0)
        again->most_block = INT64_MAX;
    else
        again->most_block = is_short ? LEAST_BLOCK : ZC_LEAST_BLOCK;
    if (effort.work_of_byte >= 0)
        again->most += more > again->work ? more : again->work;
}

bool zc_again_is_any(zc_again *again)
{
    again->depends = true;
    return isinf(again->most_each);
}

/* ---- Choosing ---- */

static zc_stage *stage_of(const zc_group_search *s, int32_t member)
{
    return s->plan->stages[s->member[member]];
}

/* The fate of members where rows are made again. */
typedef struct made_again {
    bool is_needed[ZC_MOST_MEMBERS]; /* by late stages, or by what is made again for these, */
    bool is_moved[ZC_MOST_MEMBERS];  /* and by nothing else: it goes behind the group itself, and none is copied */
    int copied;                      /* number of those that are not moved */
} made_again;

/* Tells a member whose slot another member reads that stays one. */
static bool is_read(const zc_group_search *s, const made_again *found, int32_t member)
{
    for (int32_t m = member + 1; m < s->group.count; m++) {
        const zc_stage *stage = stage_of(s, m);
        for (int32_t v = 0; v < stage->value_count && !found->is_moved[m]; v++) {
            if (zc_search_maker(s, &stage->values[v]) == member)
                return true;
        }
    }
    return false;
}

/* Tells a member's slot that late stages read and would hold whole, of so many bytes. The search has seen all of these.
 */
static bool is_held_for_late(const zc_group_search *s, int32_t member, int64_t bytes)
{
    const zc_slot *slot = zc_search_slot(s, member);
    return s->is_read_late[member] && slot->kind == ZC_SLOT_TEMPORARY &&
           s->plan->bytes[stage_of(s, member)->store.slot] >= bytes && slot->last_stage < s->end &&
           zc_search_stores_by_rows(s, member);
}

/* Tells a search that finds something which some effort would make again. */
static bool may_be_made(const zc_group_search *s)
{
    const int64_t least = s->plan->ctx->block_length > 0 ? 1 : LEAST_SLOT;
    int32_t m = 0;
    while (m < s->group.count && !is_held_for_late(s, m, least))
        m++;
    return m < s->group.count;
}

/* Finds the members that are made again: those that late stages read, and what these are made of. */
static void find_needed(const zc_again *again, const zc_group_search *s, made_again *found)
{
    *found = (made_again){.copied = 0};
    for (int32_t m = s->group.count - 1; m >= 0; m--)
        found->is_needed[m] = is_held_for_late(s, m, again->least);
    for (int32_t m = s->group.count - 1; m >= 0; m--) {
        const zc_stage *stage = stage_of(s, m);
        for (int32_t v = 0; found->is_needed[m] && v < stage->value_count; v++) {
            const int32_t maker = zc_search_maker(s, &stage->values[v]);
            if (maker >= 0 && !zc_search_is_small(s, maker, m)) /* as sums of rows are: these are held */
                found->is_needed[maker] = true;
        }
        found->is_moved[m] = found->is_needed[m] && !is_read(s, found, m);
        found->copied += found->is_needed[m] && !found->is_moved[m];
    }
}

/* Tells a late stage that reads a needed member. */
static bool reads_needed(const zc_group_search *s, const zc_stage *stage, const made_again *found)
{
    for (int32_t v = 0; v < stage->value_count; v++) {
        const int32_t maker = zc_search_maker(s, &stage->values[v]);
        if (maker >= 0 && found->is_needed[maker])
            return true;
    }
    return false;
}

/* Tells a late stage that reads needed members by rows alone. */
static bool reads_rows(const zc_group_search *s, const zc_stage *stage, const made_again *found)
{
    int outer[ZC_MOST_OUTER];
    for (int32_t v = 0; v < stage->value_count; v++) {
        const int32_t maker = zc_search_maker(s, &stage->values[v]);
        if (maker >= 0 && found->is_needed[maker] && !zc_search_reads_rows(s, stage, &stage->values[v], outer))
            return false;
    }
    return true;
}

bool zc_again_is_worth(zc_again *again, const zc_group_search *s)
{
    made_again found;
    if (!may_be_made(s))
        return false;
    again->depends = true;
    find_needed(again, s, &found);
    double work = again->work;
    if (found.copied == 0 || found.copied > ZC_MOST_AGAIN - again->count)
        return false;
    for (int32_t m = 0; m < s->group.count; m++) {
        const bool is_copied = found.is_needed[m] && !found.is_moved[m];
        if (found.is_needed[m] && stage_of(s, m)->store.slab_count > 0)
            return false;
        const double more = is_copied ? zc_again_work(stage_of(s, m)) : 0;
        if (more > again->most_each * (double)zc_search_slot(s, m)->elements ||
            (found.is_moved[m] && !zc_stage_has_no_positions(stage_of(s, m)))) /* which is to fail before others */
            return false;
        work += more;
    }
    for (int32_t l = 0; l < s->late_count; l++) {
        if (!reads_rows(s, s->plan->stages[s->late[l]], &found))
            return false;
    }
    return work <= again->most;
}

int64_t zc_again_most_rows(zc_again *again, const zc_group_search *s, int64_t rows)
{
    const int64_t row_bytes = zc_larger(s->row_bytes, 1);
    again->depends |= s->state_bytes > ZC_MOST_STATE_BYTES || rows > LEAST_BLOCK / row_bytes;
    return again->most_block / row_bytes;
}

/* ---- Making ---- */

/* Reads by the stage of slots that are made again. */
static void read_again(zc_stage *stage, const zc_group_search *s, const made_again *found, const int32_t *slot)
{
    for (int32_t v = 0; v < stage->value_count; v++) {
        const int32_t maker = zc_search_maker(s, &stage->values[v]);
        if (maker >= 0 && found->is_needed[maker])
            stage->values[v].slot = slot[maker];
    }
}

/* Copies a member, which stores a slot of its own. */
static zc_stage *copy_member(zc_again *again, const zc_group_search *s, int32_t member)
{
    const zc_slot *from = zc_search_slot(s, member);
    zc_arena *arena = &s->plan->arena;
    zc_stage *stage = zc_arena_copy(arena, stage_of(s, member), 1, sizeof *stage);
    const int32_t slot = zc_plan_add_slot(s->plan, ZC_SLOT_TEMPORARY, from->dtype, from->elements);
    if (stage == NULL || slot < 0)
        return NULL;
    again->original[again->count++] = stage->store.slot;
    again->work += zc_again_work(stage);
    stage->values = zc_arena_copy(arena, stage->values, (size_t)stage->value_count, sizeof *stage->values);
    stage->store.slot = slot;
    stage->reason = ZC_STAGE_AGAIN;
    return stage->values != NULL ? stage : NULL;
}

/* The first late stage that reads a needed member. */
static int32_t find_place(const zc_group_search *s, const made_again *found)
{
    int32_t l = 0;
    while (!reads_needed(s, s->plan->stages[s->late[l]], found))
        l++;
    return s->late[l];
}

/* The list of stages with what was made again, or is moved, before the first that reads it, but behind the place of the
 * member: what this reads is there then. */
static void add_made(const zc_group_search *s, const made_again *found, zc_stage *const *made, zc_stage **stages)
{
    int32_t to = 0, next = 0, member = 0;
    const int32_t place = find_place(s, found);
    for (int32_t at = 0; at < s->plan->stage_count; at++) {
        for (; at >= place && next < s->group.count && s->member[next] < at; next++) {
            if (found->is_needed[next])
                stages[to++] = made[next];
        }
        const bool is_member = member < s->group.count && s->member[member] == at;
        if (!is_member || !found->is_moved[member])
            stages[to++] = s->plan->stages[at];
        member += is_member;
    }
}

/* Makes room for a longer list of stages. False when memory is out. */
static bool make_room(zc_plan *plan, int32_t count)
{
    if (count <= plan->stage_room)
        return true;
    zc_stage **longer = zc_arena_grow(&plan->arena, (void *)plan->stages, (size_t)plan->stage_count, 2 * (size_t)count,
                                      sizeof(zc_stage *));
    if (longer == NULL)
        return false;
    plan->stages = longer;
    plan->stage_room = 2 * count;
    return true;
}

bool zc_again_make(zc_again *again, zc_group_search *s)
{
    zc_plan *plan = s->plan;
    made_again found;
    int32_t slot[ZC_MOST_MEMBERS] = {0};
    zc_stage *made[ZC_MOST_MEMBERS] = {NULL};
    find_needed(again, s, &found);
    const size_t count = (size_t)plan->stage_count + (size_t)found.copied;
    zc_arena_clear(&s->trial);
    zc_stage **stages = zc_arena_take(&s->trial, count, sizeof(zc_stage *));
    const zc_again before = *again;
    const int32_t first_slot = plan->slot_count;
    bool is_made = stages != NULL && make_room(plan, (int32_t)count);
    for (int32_t m = 0; m < s->group.count && is_made; m++) {
        if (!found.is_needed[m])
            continue;
        made[m] = found.is_moved[m] ? stage_of(s, m) : copy_member(again, s, m);
        is_made = made[m] != NULL;
        slot[m] = is_made ? made[m]->store.slot : 0;
    }
    if (!is_made) {
        plan->slot_count = first_slot;
        *again = before;
        return false;
    }
    add_made(s, &found, made, stages);
    for (int32_t m = 0; m < s->group.count; m++) {
        if (found.is_moved[m])
            zc_search_note_moved(s, made[m]);
        if (made[m] != NULL)
            read_again(made[m], s, &found, slot);
    }
    for (int32_t l = 0; l < s->late_count; l++)
        read_again(plan->stages[s->late[l]], s, &found, slot);
    memcpy((void *)plan->stages, (void *)stages, count * sizeof(zc_stage *));
    plan->stage_count = (int32_t)count;
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
