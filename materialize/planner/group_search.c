#include "materialize/planner/group_search.h"

#include <string.h>

/* The least bytes of a member that reads no other one. */
enum { LEAST_FIRST = (1 << 21) / ZC_MOST_MEMBERS };

/* Least number of elements of a member for each of one that is small beside it. */
enum { LEAST_RATIO = 16 };

/* ---- Slots that are stored ---- */

enum { WORD = 64 };

bool zc_search_init(zc_group_search *s, zc_plan *plan, int most_again)
{
    const size_t words = (size_t)(plan->slot_count + most_again) / WORD + 1; /* proven: a slot takes more memory */
    s->plan = plan;
    s->slot_count = plan->slot_count;
    s->stored.words = (int32_t)words;
    s->stored.count = s->stored.moved_count = 0;
    s->late_count = 0;
    s->stored.by_members = zc_arena_take(&plan->arena, 3 * words, sizeof *s->stored.by_members);
    if (s->stored.by_members == NULL)
        return false;
    s->stored.by_late = s->stored.by_members + words;
    s->stored.by_moved = s->stored.by_late + words;
    memset(s->stored.by_members, 0, 3 * words * sizeof *s->stored.by_members);
    return true;
}

static bool is_stored(const uint64_t *by, int32_t slot)
{
    return (by[slot / WORD] >> slot % WORD & 1) != 0;
}

static void note_stored(zc_group_search *s, uint64_t *by, int32_t slot)
{
    zc_stored_slots *stored = &s->stored;
    by[slot / WORD] |= UINT64_C(1) << slot % WORD;
    if (stored->count < ZC_MOST_MOVED)
        stored->slot[stored->count] = slot;
    stored->count += stored->count <= ZC_MOST_MOVED;
}

void zc_search_note_moved(zc_group_search *s, const zc_stage *stage)
{
    zc_stored_slots *stored = &s->stored;
    if (stored->moved_count == ZC_MOST_MOVED)
        return;
    stored->moved[stored->moved_count++] = stage->store.slot;
    stored->by_moved[stage->store.slot / WORD] |= UINT64_C(1) << stage->store.slot % WORD;
}

void zc_search_forget_moved(zc_group_search *s)
{
    for (int32_t i = 0; i < s->stored.moved_count; i++)
        s->stored.by_moved[s->stored.moved[i] / WORD] = 0;
    s->stored.moved_count = 0;
}

static void forget_stored(zc_stored_slots *stored)
{
    for (int32_t i = 0; i < stored->count && i < ZC_MOST_MOVED; i++)
        stored->by_members[stored->slot[i] / WORD] = stored->by_late[stored->slot[i] / WORD] = 0;
    if (stored->count > ZC_MOST_MOVED)
        memset(stored->by_members, 0, 2 * (size_t)stored->words * sizeof *stored->by_members);
    stored->count = 0;
}

/* ---- Members ---- */

/* Tells a stage that may be a member. Slabs of a result that are copies are assembled one whole after the other: what
 * they copy would be made again for each. */
static bool is_divisible(const zc_group_search *s, const zc_stage *stage)
{
    const bool is_assembled = stage->store.slab_count > 0 &&
                              s->plan->slots[stage->store.slot].kind != ZC_SLOT_TEMPORARY && zc_stage_is_copy(stage);
    return zc_stage_is_divisible(stage) && !is_assembled && zc_stage_extent(stage, 0, stage->rank) > 0;
}

const zc_slot *zc_search_slot(const zc_group_search *s, int32_t member)
{
    return &s->plan->slots[s->plan->stages[s->member[member]]->store.slot];
}

bool zc_search_is_small(const zc_group_search *s, int32_t member, int32_t beside)
{
    return zc_search_slot(s, member)->elements <= zc_search_slot(s, beside)->elements / LEAST_RATIO;
}

int32_t zc_search_writer(const zc_group_search *s, int32_t slot)
{
    for (int32_t m = 0; m < s->group.count && is_stored(s->stored.by_members, slot); m++) {
        if (s->plan->stages[s->member[m]]->store.slot == slot)
            return m;
    }
    return -1;
}

int32_t zc_search_maker(const zc_group_search *s, const zc_value *value)
{
    return zc_value_reads(value) ? zc_search_writer(s, value->slot) : -1;
}

/* Finds the first axis from `from` on along which a load goes from row to row as outer axis k does: straight, or moving
 * inside of the rows; `end` where there is none. */
static int find_axis(const zc_group_search *s, const zc_stage *stage, const zc_value *value, int k, int from, int end)
{
    const int64_t *stride = stage->stride + (size_t)value->access * (size_t)stage->rank;
    const int64_t elements = s->plan->slots[value->slot].elements, pitch = zc_group_pitch(&s->group, k, elements);
    int found = end;
    for (int a = end - 1; a >= from; a--) {
        const bool is_straight = found < end && stride[found] == pitch;
        if (stage->shape[a] == s->group.extent[k] &&
            (stride[a] == pitch || (!is_straight && zc_group_is_along(&s->group, k, stride[a], elements))))
            found = a;
    }
    return found;
}

/* Finds the axes along which the stage reads what a member made row by row: false where it has no such axes. */
static bool find_outer(const zc_group_search *s, const zc_stage *stage, const zc_value *value, int *outer)
{
    const int end = stage->kind->absorbs != NULL ? stage->rank : zc_stage_free_axes(stage);
    int from = 0;
    for (int k = 0; k < s->group.rank; k++) {
        outer[k] = find_axis(s, stage, value, k, from, end);
        if (outer[k] == end)
            return false;
        from = outer[k] + 1;
    }
    return zc_group_absorbed(&s->group, outer, stage) >= 0;
}

bool zc_search_stores_by_rows(const zc_group_search *s, int32_t member)
{
    const int32_t slot = s->plan->stages[s->member[member]]->store.slot;
    for (int32_t m = 0; m < s->group.count; m++) {
        const zc_stage *stage = s->plan->stages[s->member[m]];
        if (stage->store.slot == slot && !zc_group_stores_by_rows(s->plan, &s->group, s->outer[m], stage))
            return false;
    }
    return true;
}

bool zc_search_reads_rows(const zc_group_search *s, const zc_stage *stage, const zc_value *value, int *outer)
{
    return is_divisible(s, stage) && find_outer(s, stage, value, outer) &&
           zc_group_loads_by_rows(s->plan, &s->group, outer, stage, value);
}

/* The first value of a stage that reads a member, or NULL. */
static const zc_value *find_read(const zc_group_search *s, const zc_stage *stage)
{
    int32_t v = 0;
    while (v < stage->value_count && zc_search_maker(s, &stage->values[v]) < 0)
        v++;
    return v < stage->value_count ? &stage->values[v] : NULL;
}

/* Tells a small member that reads no other one: it joined for the rows that it makes, and may as well be whole. */
static bool may_be_whole(const zc_group_search *s, int32_t member)
{
    const zc_stage *stage = s->plan->stages[s->member[member]];
    return zc_search_is_small(s, member, 0) && stage->store.slab_count == 0 && find_read(s, stage) == NULL;
}

/* Tells a value that is read by rows along a stage's outer axes: rows that its maker stores in the same block. */
static bool is_by_rows(const zc_group_search *s, const zc_stage *stage, const int *outer, const zc_value *value)
{
    return zc_search_stores_by_rows(s, zc_search_maker(s, value)) &&
           zc_group_loads_by_rows(s->plan, &s->group, outer, stage, value);
}

/* Tells a stage that reads by rows all that members make, but for what may be whole. */
static bool reads_by_rows(const zc_group_search *s, const zc_stage *stage, const int *outer)
{
    for (int32_t v = 0; v < stage->value_count; v++) {
        const int32_t maker = zc_search_maker(s, &stage->values[v]);
        if (maker >= 0 && !may_be_whole(s, maker) && !is_by_rows(s, stage, outer, &stage->values[v]))
            return false;
    }
    return true;
}

/* Lets a member be none, and go before all of them. */
static void leave_out(zc_group_search *s, int32_t member)
{
    const size_t behind = (size_t)(s->group.count - member - 1);
    memmove(&s->member[member], &s->member[member + 1], behind * sizeof s->member[0]);
    memmove(&s->outer[member], &s->outer[member + 1], behind * sizeof s->outer[0]);
    memmove(&s->absorbed[member], &s->absorbed[member + 1], behind * sizeof s->absorbed[0]);
    memmove(&s->is_read_late[member], &s->is_read_late[member + 1], behind * sizeof s->is_read_late[0]);
    s->group.count--;
    s->moved_count++;
}

/* Leaves out the members that the last one reads otherwise than by rows. */
static void leave_out_read(zc_group_search *s)
{
    const zc_stage *stage = s->plan->stages[s->member[s->group.count - 1]];
    for (int32_t v = 0; v < stage->value_count; v++) {
        const int32_t maker = zc_search_maker(s, &stage->values[v]);
        if (maker >= 0 && !is_by_rows(s, stage, s->outer[s->group.count - 1], &stage->values[v]))
            leave_out(s, maker);
    }
}

bool zc_search_absorbs(const zc_group_search *s, int32_t member)
{
    return s->absorbed[member] > 0;
}

zc_absorption zc_search_absorption(const zc_group_search *s, int32_t member)
{
    const zc_stage *stage = s->plan->stages[s->member[member]];
    zc_absorption how = {.elements = 0};
    (void)stage->kind->absorbs(stage, &how); /* it does */
    return how;
}

int64_t zc_search_state_bytes(const zc_group_search *s, int32_t member)
{
    if (!zc_search_absorbs(s, member))
        return 0;
    const zc_stage *stage = s->plan->stages[s->member[member]];
    int64_t blocks = 1;
    for (int k = 0; s->outer[member][k] < stage->kept; k++) /* the last one is not */
        blocks *= s->group.extent[k];                       /* proven: at most a domain's size */
    return zc_divide_up(zc_search_absorption(s, member).state_bytes, blocks);
}

/* Number of elements of a row of a slot. */
static int64_t row_elements(const zc_group_search *s, int32_t slot)
{
    return zc_group_pitch(&s->group, s->group.rank - 1, s->plan->slots[slot].elements);
}

/* Number of rows of a block behind which a member may be stopped; 0: any. */
static int64_t rows_to_stop(const zc_group_search *s, int32_t member)
{
    if (!zc_search_absorbs(s, member))
        return 0;
    return zc_search_absorption(s, member).elements /
           zc_group_elements_each(&s->group, s->outer[member], s->plan->stages[s->member[member]]);
}

static bool is_moved(const zc_group_search *s, const zc_stage *stage)
{
    return is_stored(s->stored.by_moved, stage->store.slot);
}

/* Tells a stage that was made again for late stages of this group, or moved to these. */
static bool is_for_late(const zc_group_search *s, const zc_stage *stage)
{
    const bool is_later =
        s->plan->stages[s->group.first]->reason == ZC_STAGE_AGAIN && stage->store.slot < s->slot_count;
    return is_moved(s, stage) || (stage->reason == ZC_STAGE_AGAIN && !is_later);
}

/* Adds a stage that reads a member by that value, if it reads members by rows. */
static bool join(zc_group_search *s, int32_t at, const zc_value *read)
{
    const zc_stage *stage = s->plan->stages[at];
    int *outer = s->outer[s->group.count];
    if (is_for_late(s, stage) || !is_divisible(s, stage) || !find_outer(s, stage, read, outer) ||
        !reads_by_rows(s, stage, outer))
        return false;
    note_stored(s, s->stored.by_members, stage->store.slot);
    s->member[s->group.count] = at;
    s->absorbed[s->group.count] = zc_group_absorbed(&s->group, outer, stage);
    const int64_t stops = rows_to_stop(s, s->group.count);
    if ((stops > 0 && s->group.rank == 1 && row_elements(s, read->slot) == 1) ||
        (stops > 0 && s->group.length > 0 && stops != s->group.length) || stops > s->most_rows ||
        zc_search_state_bytes(s, s->group.count) > s->most_states)
        return false;
    s->group.length = stops > 0 ? stops : s->group.length;
    s->is_read_late[s->group.count++] = false;
    leave_out_read(s);
    return true;
}

/* Tells a stage that reads what a late stage stores, or stores the next slab of it. */
static bool follows_late(const zc_group_search *s, const zc_stage *stage)
{
    bool follows = is_stored(s->stored.by_late, stage->store.slot);
    for (int32_t v = 0; v < stage->value_count && s->late_count > 0 && !follows; v++)
        follows = zc_value_reads(&stage->values[v]) && is_stored(s->stored.by_late, stage->values[v].slot);
    return follows;
}

/* Lets a stage that reads a member, or a late stage, go behind all members. */
static bool make_late(zc_group_search *s, int32_t at)
{
    const zc_stage *stage = s->plan->stages[at];
    if (s->late_count == ZC_MOST_MOVED || stage->store.updates)
        return false;
    s->late[s->late_count++] = at;
    note_stored(s, s->stored.by_late, stage->store.slot);
    for (int32_t v = 0; v < stage->value_count; v++) {
        const int32_t maker = zc_search_maker(s, &stage->values[v]);
        if (maker >= 0)
            s->is_read_late[maker] = true;
    }
    return true;
}

/* Lets a stage that reads neither go before all members. */
static bool move_before(zc_group_search *s, int32_t at)
{
    return s->moved_count++ < ZC_MOST_MOVED && !s->plan->stages[at]->store.updates;
}

/* Tells a stage that makes enough of a temporary to begin a group. */
static bool may_begin(const zc_plan *plan, const zc_stage *stage)
{
    const bool is_small = plan->bytes[stage->store.slot] < LEAST_FIRST && plan->ctx->block_length < 0;
    return plan->slots[stage->store.slot].kind == ZC_SLOT_TEMPORARY && !is_small;
}

int32_t zc_search_first(const zc_plan *plan, int32_t from)
{
    while (from < plan->stage_count && !may_begin(plan, plan->stages[from]))
        from++;
    return from;
}

/* Finds a stage's outer axes where it reads no member: its first axes that are longer than 1. False where it makes too
 * little, or not by rows. */
static bool find_own_outer(const zc_group_search *s, const zc_stage *stage, int *outer)
{
    int k = 0;
    if (!may_begin(s->plan, stage) || !is_divisible(s, stage))
        return false;
    for (int a = 0; a < zc_stage_free_axes(stage) && k < s->group.rank; a++) {
        if (stage->shape[a] > 1)
            outer[k++] = a;
    }
    return k == s->group.rank;
}

/* Adds a stage that reads no member but makes rows of the same extents, which members may read together with theirs. A
 * row of one element is no reason: all of them together are as good. */
static bool join_beside(zc_group_search *s, int32_t at)
{
    const zc_stage *stage = s->plan->stages[at];
    int *outer = s->outer[s->group.count];
    bool fits = !is_for_late(s, stage) && row_elements(s, stage->store.slot) > 1 && find_own_outer(s, stage, outer) &&
                zc_group_stores_by_rows(s->plan, &s->group, outer, stage);
    for (int k = 0; k < s->group.rank && fits; k++)
        fits = stage->shape[outer[k]] == s->group.extent[k];
    if (!fits)
        return false;
    note_stored(s, s->stored.by_members, stage->store.slot);
    s->member[s->group.count] = at;
    s->absorbed[s->group.count] = 0; /* it has them among its own first axes */
    s->is_read_late[s->group.count++] = false;
    return true;
}

/* Finds a place for the stage behind those before. Slabs stay in their order. Stages that look up positions stay in
 * their order, so that the same wrong one is told as without groups. */
static bool find_place(zc_group_search *s, int32_t at)
{
    const zc_stage *stage = s->plan->stages[at];
    const zc_value *read = find_read(s, stage);
    const bool has_room = s->group.count < ZC_MOST_MEMBERS, may_fail = !zc_stage_has_no_positions(stage);
    const bool is_second = may_fail && s->may_fail;
    s->may_fail |= may_fail;
    if (is_second || follows_late(s, stage))
        return make_late(s, at);
    if (read != NULL)
        return (has_room && join(s, at, read)) || make_late(s, at);
    if (has_room && join_beside(s, at))
        return true;
    const bool follows_slab = zc_search_writer(s, stage->store.slot) >= 0;
    const bool is_late = stage->reason == ZC_STAGE_AGAIN || is_moved(s, stage) || follows_slab;
    return is_late ? make_late(s, at) : move_before(s, at);
}

/* Tells members that store all slabs of a slot, of which no late stage reads any. */
static bool store_all(const zc_group_search *s, int32_t slot)
{
    const zc_plan *plan = s->plan;
    int32_t slabs = 0;
    for (int32_t at = plan->slots[slot].first_stage; at <= plan->slots[slot].last_stage; at++)
        slabs += plan->stages[at]->store.slot == slot;
    for (int32_t m = 0; m < s->group.count; m++) {
        const bool stores = plan->stages[s->member[m]]->store.slot == slot;
        if (stores && s->is_read_late[m])
            return false;
        slabs -= stores;
    }
    return slabs == 0;
}

bool zc_search_is_by_blocks(const zc_group_search *s, int32_t member)
{
    const zc_slot *slot = zc_search_slot(s, member);
    const zc_store *store = &s->plan->stages[s->member[member]]->store;
    return slot->kind == ZC_SLOT_TEMPORARY && slot->last_stage <= s->member[s->group.count - 1] &&
           !s->is_read_late[member] && zc_search_stores_by_rows(s, member) &&
           (store->slab_count == 0 || store_all(s, store->slot));
}

/* Begins with a first member. */
static bool begin(zc_group_search *s, int32_t first, int rank)
{
    const zc_stage *stage = s->plan->stages[first];
    s->group = (zc_group){.first = first, .count = 1, .rank = rank};
    s->moved_count = s->late_count = 0;
    s->absorbed[0] = 0;
    s->is_read_late[0] = false;
    s->may_fail = !zc_stage_has_no_positions(stage);
    s->member[0] = first;
    forget_stored(&s->stored);
    note_stored(s, s->stored.by_members, stage->store.slot);
    if (!find_own_outer(s, stage, s->outer[0]))
        return false;
    for (int k = 0; k < rank; k++)
        s->group.extent[k] = stage->shape[s->outer[0][k]];
    return zc_search_stores_by_rows(s, 0);
}

/* The last stage that reads what a member stores. */
static int32_t find_last_reader(const zc_group_search *s)
{
    int32_t last = s->group.first;
    for (int32_t m = 0; m < s->group.count; m++)
        last = zc_search_slot(s, m)->last_stage > last ? zc_search_slot(s, m)->last_stage : last;
    return last;
}

bool zc_search_walk(zc_group_search *s, int32_t first, int rank)
{
    if (!begin(s, first, rank))
        return false;
    int32_t last = find_last_reader(s);
    for (s->end = first + 1; s->end <= last && find_place(s, s->end); s->end++)
        last = find_last_reader(s);
    return true;
}

/* Tells a last member that reads what is made by blocks. */
static bool reads_blocks(const zc_group_search *s, int32_t member)
{
    const zc_stage *stage = s->plan->stages[s->member[member]];
    bool reads = false;
    for (int32_t v = 0; v < stage->value_count && !reads; v++) {
        const int32_t maker = zc_search_maker(s, &stage->values[v]);
        reads = maker >= 0 && zc_search_is_by_blocks(s, maker);
    }
    return reads;
}

void zc_search_measure(zc_group_search *s)
{
    s->row_bytes = s->saved = s->state_bytes = 0;
    while (s->group.count > 1 && !reads_blocks(s, s->group.count - 1))
        s->group.count--;
    for (int32_t m = 0; m < s->group.count; m++) {
        const zc_slot *slot = zc_search_slot(s, m);
        if (zc_search_absorbs(s, m))
            s->state_bytes = zc_saturating_add(s->state_bytes, zc_search_state_bytes(s, m));
        const bool is_counted = zc_search_writer(s, s->plan->stages[s->member[m]]->store.slot) < m; /* another slab */
        if (!zc_search_is_by_blocks(s, m) || is_counted)
            continue;
        const int64_t item = (int64_t)zc_dtype_bytes(slot->dtype);
        s->row_bytes += zc_group_pitch(&s->group, s->group.rank - 1, slot->elements) * item; /* proven: in memory */
        s->saved += slot->elements * item;                                                   /* proven: likewise */
    }
    s->saved -= zc_smaller(s->state_bytes, s->saved);
}
