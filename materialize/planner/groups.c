#include "materialize/planner/groups.h"

#include <string.h>

#include "materialize/kernels/kernels.h"
#include "materialize/plan/group.h"

/* Temporaries of fewer bytes together are not worth a group, nor fewer where a product of a matrix with itself would be
 * made whole. */
enum { LEAST_SAVED = 1 << 21, LEAST_MIRRORED = 1 << 26, LEAST_FIRST = LEAST_SAVED / ZC_MOST_MEMBERS, MOST_MOVED = 64 };

/* Blocks have about so many bytes together, so that they stay in the caches. Where a contraction packs its other
 * operand once per block, they have so many rows, as far as these have no more bytes, but not fewer than the last. */
enum {
    BLOCK_BYTES = 1 << 20,
    CACHED_BYTES = 1 << 18,
    ALIGNED_BYTES = 1 << 22,
    CONTRACTED_ROWS = 256,
    CONTRACTED_BYTES = 1 << 23,
    LEAST_ROWS = 16
};

typedef struct search {
    zc_plan *plan;
    zc_group group;                            /* first: before stages are moved; length: as members need it, or 0 */
    int32_t member[ZC_MOST_MEMBERS];           /* [group.count]: stages, in their order */
    int outer[ZC_MOST_MEMBERS][ZC_MOST_OUTER]; /* [group.count][group.rank] */
    bool is_read_late[ZC_MOST_MEMBERS];        /* [group.count]: its slot is, by a late stage */
    int32_t late[MOST_MOVED];                  /* [late_count]: stages between members that go behind all of them */
    int32_t late_count;
    int32_t moved_count; /* stages between them that go before all of them */
    int64_t row_bytes;   /* of a row of all temporaries that are made by blocks */
    int64_t saved;       /* bytes of them, less those of states */
} search;

/* ---- Members ---- */

static bool is_divisible(const zc_stage *stage)
{
    return zc_stage_is_divisible(stage) && zc_stage_extent(stage, 0, stage->rank) > 0;
}

static const zc_slot *slot_of(const search *s, int32_t member)
{
    return &s->plan->slots[s->plan->stages[s->member[member]]->store.slot];
}

/* The member that makes what a value loads, or -1. */
static int32_t find_maker(const search *s, const zc_value *value)
{
    for (int32_t m = 0; zc_value_reads(value) && m < s->group.count; m++) {
        if (s->plan->stages[s->member[m]]->store.slot == value->slot)
            return m;
    }
    return -1;
}

/* Finds the axes along which the stage reads what a member made row by row: false where it has no such axes. */
static bool find_outer(const search *s, const zc_stage *stage, const zc_value *value, int *outer)
{
    const int64_t *stride = stage->stride + (size_t)value->access * (size_t)stage->rank;
    const int64_t elements = s->plan->slots[value->slot].elements;
    const int end = stage->kind->absorbs != NULL ? stage->rank : zc_stage_free_axes(stage);
    int from = 0;
    for (int k = 0; k < s->group.rank; k++) {
        int a = from;
        while (a < end &&
               (stage->shape[a] != s->group.extent[k] || stride[a] != zc_group_pitch(&s->group, k, elements)))
            a++;
        if (a >= end)
            return false;
        outer[k] = a;
        from = a + 1;
    }
    return zc_group_absorbed(&s->group, outer, stage) >= 0;
}

static bool stores_by_rows(const search *s, int32_t member)
{
    return zc_group_stores_by_rows(s->plan, &s->group, s->outer[member], s->plan->stages[s->member[member]]);
}

/* Tells a stage that reads all that members make by rows along its outer axes: rows that they store in the same block.
 */
static bool reads_by_rows(const search *s, const zc_stage *stage, const int *outer)
{
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        const int32_t maker = find_maker(s, value);
        if (maker >= 0 &&
            !(stores_by_rows(s, maker) && zc_group_loads_by_rows(s->plan, &s->group, outer, stage, value)))
            return false;
    }
    return true;
}

/* The first value of a stage that reads a member, or NULL. */
static const zc_value *find_read(const search *s, const zc_stage *stage)
{
    int32_t v = 0;
    while (v < stage->value_count && find_maker(s, &stage->values[v]) < 0)
        v++;
    return v < stage->value_count ? &stage->values[v] : NULL;
}

static bool absorbs(const search *s, int32_t member)
{
    return zc_group_absorbed(&s->group, s->outer[member], s->plan->stages[s->member[member]]) > 0;
}

static zc_absorption absorption_of(const search *s, int32_t member)
{
    const zc_stage *stage = s->plan->stages[s->member[member]];
    zc_absorption how = {.elements = 0};
    (void)stage->kind->absorbs(stage, &how); /* it does */
    return how;
}

/* Number of rows of a block behind which a member may be stopped; 0: any. */
static int64_t rows_to_stop(const search *s, int32_t member)
{
    if (!absorbs(s, member))
        return 0;
    return absorption_of(s, member).elements /
           zc_group_elements_each(&s->group, s->outer[member], s->plan->stages[s->member[member]]);
}

/* Adds a stage that reads a member by that value, if it reads members by rows. */
static bool join(search *s, int32_t at, const zc_value *read)
{
    const zc_stage *stage = s->plan->stages[at];
    int *outer = s->outer[s->group.count];
    if (!is_divisible(stage) || !find_outer(s, stage, read, outer) || !reads_by_rows(s, stage, outer))
        return false;
    s->member[s->group.count] = at;
    const int64_t stops = rows_to_stop(s, s->group.count);
    if (stops > 0 && s->group.length > 0 && stops != s->group.length)
        return false;
    s->group.length = stops > 0 ? stops : s->group.length;
    s->is_read_late[s->group.count++] = false;
    return true;
}

/* Tells a stage that reads what a late stage stores. */
static bool reads_late(const search *s, const zc_stage *stage)
{
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        for (int32_t l = 0; zc_value_reads(value) && l < s->late_count; l++) {
            if (s->plan->stages[s->late[l]]->store.slot == value->slot)
                return true;
        }
    }
    return false;
}

/* Lets a stage that reads a member, or a late stage, go behind all members. */
static bool make_late(search *s, int32_t at)
{
    const zc_stage *stage = s->plan->stages[at];
    if (s->late_count == MOST_MOVED || stage->store.updates)
        return false;
    s->late[s->late_count++] = at;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const int32_t maker = find_maker(s, &stage->values[v]);
        if (maker >= 0)
            s->is_read_late[maker] = true;
    }
    return true;
}

/* Lets a stage that reads neither go before all members. */
static bool move_before(search *s, int32_t at)
{
    return s->moved_count++ < MOST_MOVED && !s->plan->stages[at]->store.updates;
}

/* Finds a place for the stage behind those before. */
static bool find_place(search *s, int32_t at)
{
    const zc_stage *stage = s->plan->stages[at];
    const zc_value *read = find_read(s, stage);
    if (reads_late(s, stage))
        return make_late(s, at);
    if (read == NULL)
        return move_before(s, at);
    return (s->group.count < ZC_MOST_MEMBERS && join(s, at, read)) || make_late(s, at);
}

/* ---- Temporaries by blocks ---- */

/* Tells a member whose slot is read by members alone, and stored by rows. */
static bool is_by_blocks(const search *s, int32_t member)
{
    const zc_slot *slot = slot_of(s, member);
    return slot->kind == ZC_SLOT_TEMPORARY && slot->last_stage <= s->member[s->group.count - 1] &&
           !s->is_read_late[member] && stores_by_rows(s, member);
}

/* Tells a last member that reads what is made by blocks. */
static bool reads_blocks(const search *s, int32_t member)
{
    const zc_stage *stage = s->plan->stages[s->member[member]];
    for (int32_t v = 0; v < stage->value_count; v++) {
        const int32_t maker = find_maker(s, &stage->values[v]);
        if (maker >= 0 && is_by_blocks(s, maker))
            return true;
    }
    return false;
}

/* Tells a contraction of a matrix with itself, of which half is copied where it is made whole. */
static bool is_mirrored(const zc_stage *stage)
{
    const zc_value *product = zc_stage_result(stage);
    if (!stage->kind->packs_operands)
        return false;
    const zc_value *x = &stage->values[product->arg[0]], *y = &stage->values[product->arg[1]];
    return x->kind == ZC_VALUE_LOAD && y->kind == ZC_VALUE_LOAD && x->slot == y->slot;
}

/* Bytes that a group saves at least. */
static int64_t least_saved(const search *s)
{
    bool mirrors = false;
    for (int32_t m = 0; m < s->group.count; m++)
        mirrors |= is_mirrored(s->plan->stages[s->member[m]]);
    return s->plan->ctx->block_length > 0 ? 1 : mirrors ? LEAST_MIRRORED : LEAST_SAVED;
}

/* Tells a group that keeps a larger temporary whole than all that it makes by blocks: one that is stored along another
 * axis, by whose rows another group may begin. */
static bool keeps_more_whole(const search *s)
{
    for (int32_t m = 1; m < s->group.count; m++) {
        const zc_slot *slot = slot_of(s, m);
        if (slot->kind == ZC_SLOT_TEMPORARY && !stores_by_rows(s, m) &&
            slot->elements * (int64_t)zc_dtype_bytes(slot->dtype) >= s->saved) /* proven: in memory */
            return true;
    }
    return false;
}

/* Tells a contraction that packs all of an operand once per block. */
static bool packs_anew(const search *s, int32_t member)
{
    const zc_stage *stage = s->plan->stages[s->member[member]];
    const zc_value *product = zc_stage_result(stage);
    const int axis = s->outer[member][s->group.rank - 1];
    return stage->kind->packs_operands &&
           (stage->values[product->arg[0]].axes & stage->values[product->arg[1]].axes & UINT64_C(1) << axis) == 0;
}

/* Bytes that a member reads of a value in each block again. */
static int64_t bytes_anew(const search *s, int32_t member, const zc_value *value)
{
    const zc_stage *stage = s->plan->stages[s->member[member]];
    const int axis = s->outer[member][s->group.rank - 1];
    if (!zc_value_reads(value) || (value->axes >> axis & 1) != 0)
        return 0;
    return zc_stage_extent_along(stage, value->axes) *
           (int64_t)zc_dtype_bytes((zc_dtype)value->dtype); /* proven: at most an input's, or a slot's */
}

/* Number of rows that a block has at least, so that what each block packs or reads again is no more than it makes. */
static int64_t least_rows(const search *s)
{
    int64_t bytes = 0;
    for (int32_t m = 0; m < s->group.count; m++) {
        const zc_stage *stage = s->plan->stages[s->member[m]];
        const int64_t row_bytes = zc_larger(s->row_bytes, 1);
        if (packs_anew(s, m))
            return zc_larger(zc_smaller(CONTRACTED_ROWS, CONTRACTED_BYTES / row_bytes), LEAST_ROWS);
        for (int32_t v = 0; v < stage->value_count; v++)
            bytes = zc_larger(bytes, bytes_anew(s, m, &stage->values[v]));
    }
    return bytes <= CACHED_BYTES ? 1 : zc_smaller(bytes, ALIGNED_BYTES) / zc_larger(s->row_bytes, 1);
}

/* Leaves out members at the end that have nothing to do with what is made by blocks, and counts that. */
static void measure(search *s)
{
    int64_t states = 0;
    s->row_bytes = s->saved = 0;
    while (s->group.count > 1 && !reads_blocks(s, s->group.count - 1))
        s->group.count--;
    for (int32_t m = 0; m < s->group.count; m++) {
        const zc_slot *slot = slot_of(s, m);
        if (absorbs(s, m)) {
            states = zc_saturating_add(states, absorption_of(s, m).state_bytes);
        }
        if (!is_by_blocks(s, m))
            continue;
        const int64_t item = (int64_t)zc_dtype_bytes(slot->dtype);
        s->row_bytes += zc_group_pitch(&s->group, s->group.rank - 1, slot->elements) * item; /* proven: in memory */
        s->saved += slot->elements * item;                                                   /* proven: likewise */
    }
    s->saved -= zc_smaller(states, s->saved);
}

/* Finds the outer axes of the first member: its first axes that are longer than 1. */
static bool begin(search *s, int32_t first, int rank)
{
    const zc_stage *stage = s->plan->stages[first];
    const zc_slot *slot = &s->plan->slots[stage->store.slot];
    s->group = (zc_group){.first = first, .count = 1, .rank = rank};
    s->moved_count = s->late_count = 0;
    s->is_read_late[0] = false;
    s->member[0] = first;
    const bool is_small = s->plan->bytes[stage->store.slot] < LEAST_FIRST && s->plan->ctx->block_length < 0;
    if (slot->kind != ZC_SLOT_TEMPORARY || is_small || !is_divisible(stage))
        return false;
    int k = 0;
    for (int a = 0; a < zc_stage_free_axes(stage) && k < rank; a++) {
        if (stage->shape[a] == 1)
            continue;
        s->group.extent[k] = stage->shape[a];
        s->outer[0][k++] = a;
    }
    return k == rank && stores_by_rows(s, 0);
}

/* Finds the group that begins with a stage, with so many outer axes: false where none is worth it. */
static bool find(search *s, int32_t first, int rank)
{
    if (!begin(s, first, rank))
        return false;
    int32_t at = first + 1;
    while (at < s->plan->stage_count && find_place(s, at))
        at++;
    measure(s);
    return s->group.count > 1 && is_by_blocks(s, 0) && s->saved >= least_saved(s) && !keeps_more_whole(s);
}

/* ---- Forming ---- */

/* Moves the stages between members before all of them, or behind. */
static void put_in_order(search *s)
{
    zc_stage *members[ZC_MOST_MEMBERS], *late[MOST_MOVED];
    zc_stage **stages = s->plan->stages;
    const int32_t last = s->member[s->group.count - 1];
    int32_t to = s->group.first, next = 0, next_late = 0;
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
}

/* Number of rows of which a block has a multiple where a member absorbs: whole rounds of lanes, or, of rows that are
 * one run, sum blocks that threads share. */
static int64_t rows_at_once(const search *s)
{
    int64_t rows = 1;
    for (int32_t m = 0; m < s->group.count; m++) {
        const zc_stage *stage = s->plan->stages[s->member[m]];
        const int64_t row = zc_stage_extent(stage, s->outer[m][s->group.rank - 1] + 1, stage->rank);
        const int64_t least = s->plan->ctx->options.threads > 1 ? ZC_LEAF / zc_smaller(row & -row, ZC_LEAF) : ZC_LANES;
        if (absorbs(s, m))
            rows = zc_larger(zc_larger(rows, ZC_LANES), least); /* powers of 2 */
    }
    return rows;
}

/* Number of rows of a block. */
static int64_t find_length(const search *s)
{
    const int64_t all = s->group.extent[s->group.rank - 1], forced = s->plan->ctx->block_length;
    const int64_t most = zc_larger(BLOCK_BYTES / zc_larger(s->row_bytes, 1), least_rows(s)), step = rows_at_once(s);
    if (s->group.length > 0)
        return zc_smaller(s->group.length, all);
    const int64_t rounded = zc_larger(most / step, 1) * step; /* proven: few rows */
    const bool fits = rounded <= most || rounded <= ALIGNED_BYTES / zc_larger(s->row_bytes, 1);
    return zc_smaller(forced > 0 ? forced : fits ? rounded : most, all);
}

static bool form(search *s)
{
    const zc_group *group = &s->group;
    s->group.length = find_length(s);
    for (int32_t m = 0; m < group->count; m++) {
        zc_slot *slot = &s->plan->slots[s->plan->stages[s->member[m]]->store.slot];
        slot->is_block = is_by_blocks(s, m);
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
        memcpy(member->outer, s->outer[m], sizeof member->outer);
        stage->member = member;
    }
    put_in_order(s);
    formed->first = s->group.first;
    return true;
}

/* Finds a group with as few outer axes as make its blocks small. */
static bool find_smallest(search *s, int32_t first)
{
    int rank = 1;
    if (!find(s, first, rank))
        return false;
    while (rank < ZC_MOST_OUTER && s->row_bytes > BLOCK_BYTES && find(s, first, rank + 1))
        rank++;
    if (s->group.rank != rank)
        (void)find(s, first, rank); /* as before */
    return true;
}

bool zc_plan_find_groups(zc_plan *plan, zc_stage ***before)
{
    search s = {.plan = plan};
    *before = NULL;
    for (int32_t first = 0; first < plan->stage_count; first++) {
        if (!find_smallest(&s, first))
            continue;
        if (*before == NULL) {
            *before = plan->stages;
            plan->stages =
                zc_arena_copy(&plan->arena, (void *)plan->stages, (size_t)plan->stage_count, sizeof(zc_stage *));
            plan->stage_room = plan->stage_count;
        }
        if (plan->stages == NULL) {
            plan->stages = *before;
            return false;
        }
        if (!form(&s))
            return false;
        first = s.group.first + s.group.count - 1;
    }
    return true;
}

void zc_plan_end_groups(zc_plan *plan, zc_stage **before)
{
    plan->stages = before;
    for (int32_t s = 0; s < plan->stage_count; s++)
        plan->stages[s]->member = NULL;
    for (int32_t s = 0; s < plan->slot_count; s++)
        plan->slots[s].is_block = false;
}

bool zc_plan_make_parts(zc_plan *plan)
{
    bool done = true;
    for (int32_t s = 0; s < plan->stage_count && done; s++) {
        zc_stage *stage = plan->stages[s];
        done = stage->member == NULL || zc_group_make_parts(&plan->arena, stage->member->group, stage);
    }
    return done;
}
