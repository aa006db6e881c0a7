#include "materialize/plan/group.h"

int64_t zc_group_blocks(const zc_group *group)
{
    int64_t blocks = zc_divide_up(group->extent[group->rank - 1], group->length);
    for (int k = 0; k < group->rank - 1; k++)
        blocks *= group->extent[k]; /* proven: at most a domain's size */
    return blocks;
}

int64_t zc_group_pitch(const zc_group *group, int k, int64_t elements)
{
    int64_t rows = 1;
    for (int i = 0; i <= k; i++)
        rows *= group->extent[i]; /* proven: at most a domain's size */
    return elements / rows;
}

int64_t zc_slot_held(const zc_plan *plan, const zc_slot *slot)
{
    if (!slot->is_block)
        return slot->elements;
    const zc_group *group = plan->stages[slot->first_stage]->member->group;
    return zc_group_pitch(group, group->rank - 1, slot->elements) * group->length; /* proven: at most all */
}

static bool is_outer(const zc_group *group, const int *outer, int axis)
{
    int k = 0;
    while (k < group->rank && outer[k] != axis)
        k++;
    return k < group->rank;
}

/* Elements from the beginning of a row that an access reaches. */
typedef struct reach {
    int64_t lowest, highest;
} reach;

static void widen(reach *r, int64_t by)
{
    r->lowest += zc_smaller(by, 0);
    r->highest += zc_larger(by, 0);
}

/* Elements by which an access moves inside of rows from one to the next of them: a diagonal does by one. */
static int64_t find_slant(const zc_group *group, int k, int64_t stride, int64_t elements)
{
    return stride - zc_group_pitch(group, k, elements);
}

bool zc_group_is_along(const zc_group *group, int k, int64_t stride, int64_t elements)
{
    const int64_t slant = find_slant(group, k, stride, elements), steps = group->extent[k] - 1;
    return zc_larger(slant, -slant) * steps < zc_group_pitch(group, group->rank - 1, elements); /* proven: in memory */
}

/* Finds the elements that an access reaches in all rows. */
static reach find_reach(const zc_group *group, const int *outer, const zc_stage *stage, int axes, int64_t offset,
                        const int64_t *stride, int64_t elements)
{
    reach r = {offset, offset};
    for (int k = 0; k < group->rank; k++)
        widen(&r, (group->extent[k] - 1) * find_slant(group, k, stride[outer[k]], elements)); /* proven: in memory */
    for (int a = 0; a < axes; a++) {
        if (!is_outer(group, outer, a))
            widen(&r, (stage->shape[a] - 1) * stride[a]); /* proven: inside the slot */
    }
    return r;
}

static bool is_in_row(const zc_group *group, reach r, int64_t elements)
{
    return r.lowest >= 0 && r.highest < zc_group_pitch(group, group->rank - 1, elements);
}

bool zc_group_loads_by_rows(const zc_plan *plan, const zc_group *group, const int *outer, const zc_stage *stage,
                            const zc_value *value)
{
    const int64_t elements = plan->slots[value->slot].elements;
    reach r = find_reach(group, outer, stage, stage->rank, stage->offset[value->access],
                         stage->stride + (size_t)value->access * (size_t)stage->rank, elements);
    for (int i = 0; value->kind == ZC_VALUE_PICK && i < value->arity; i++)
        widen(&r, (stage->values[value->arg[i]].extent - 1) * value->pick_stride[i]); /* proven: likewise */
    return is_in_row(group, r, elements);
}

bool zc_group_is_by_rows(const zc_group *group, const int *outer, const zc_stage *stage, int axes, int64_t offset,
                         const int64_t *stride, int64_t elements)
{
    for (int k = 0; k < group->rank; k++) {
        if (find_slant(group, k, stride[outer[k]], elements) != 0)
            return false;
    }
    return is_in_row(group, find_reach(group, outer, stage, axes, offset, stride, elements), elements);
}

bool zc_group_stores_by_rows(const zc_plan *plan, const zc_group *group, const int *outer, const zc_stage *stage)
{
    return outer[group->rank - 1] < stage->kept && /* else it absorbs */
           zc_group_is_by_rows(group, outer, stage, stage->kept, stage->store.offset, stage->store.stride,
                               plan->slots[stage->store.slot].elements);
}

/* Tells a stage whose reduced axes begin with the outer axes from `rows` on, in their order. */
static bool begins_with(const zc_group *group, const int *outer, int rows, const zc_stage *stage)
{
    int next = rows;
    for (int a = stage->kept; a < stage->rank && next < group->rank; a++) {
        if (outer[next] == a)
            next++;
        else if (stage->shape[a] > 1)
            return false;
    }
    return next == group->rank;
}

/* Tells kept axes before which there are none that are longer than 1 but outer ones: the results of a block are one
 * run. */
static bool keeps_outer_first(const zc_group *group, const int *outer, int rows, const zc_stage *stage)
{
    int a = 0;
    while (rows > 0 && a < outer[rows - 1] && (stage->shape[a] == 1 || is_outer(group, outer, a)))
        a++;
    return rows == 0 || a == outer[rows - 1];
}

/* Tells blocks of rows that a stage may be stopped behind: of the last ones along an axis there may be fewer, where no
 * others follow. */
static bool are_whole(const zc_group *group, int absorbed, int64_t rows)
{
    return absorbed == 1 || group->extent[group->rank - 1] % rows == 0;
}

int zc_group_absorbed(const zc_group *group, const int *outer, const zc_stage *stage)
{
    int rows = 0;
    zc_absorption how;
    while (rows < group->rank && outer[rows] < zc_stage_free_axes(stage))
        rows++;
    const int absorbed = group->rank - rows;
    if (absorbed == 0)
        return 0;
    if (stage->kind->absorbs == NULL || !zc_is_combined(stage) || !stage->kind->absorbs(stage, &how) ||
        !begins_with(group, outer, rows, stage))
        return -1;
    const int64_t each = zc_group_elements_each(group, outer, stage);
    const bool stops = how.elements == 0 || (how.elements % each == 0 && keeps_outer_first(group, outer, rows, stage) &&
                                             are_whole(group, absorbed, how.elements / each));
    return stops ? absorbed : -1;
}

int64_t zc_group_elements_each(const zc_group *group, const int *outer, const zc_stage *stage)
{
    return zc_stage_extent(stage, outer[group->rank - 1] + 1, stage->rank);
}

int64_t zc_stage_state_bytes(const zc_plan *plan, const zc_stage *stage)
{
    const zc_group *group = zc_stage_group(stage);
    int64_t bytes = 0;
    for (int32_t s = group != NULL ? group->first : 0; group != NULL && s < group->first + group->count; s++)
        bytes = zc_saturating_add(bytes, plan->stages[s]->member->state_bytes);
    return bytes;
}

bool zc_stage_is_divisible(const zc_stage *stage)
{
    const zc_store *store = &stage->store;
    return !zc_stage_is_parted(stage) && !store->updates && store->clears == 0 && stage->kind->moves == NULL;
}

/* ---- Parts ---- */

static zc_stage *make_part(zc_arena *arena, const zc_group *group, const zc_stage *stage, int64_t length)
{
    zc_stage *part = zc_arena_copy(arena, stage, 1, sizeof *part);
    if (part == NULL)
        return NULL;
    part->shape = zc_arena_copy(arena, stage->shape, (size_t)stage->rank, sizeof *part->shape);
    part->offset = zc_arena_copy(arena, stage->offset, (size_t)stage->access_count, sizeof *part->offset);
    if (part->shape == NULL || part->offset == NULL)
        return NULL;
    for (int k = 0; k < group->rank; k++)
        part->shape[stage->member->outer[k]] = k == group->rank - 1 ? length : 1;
    return part;
}

bool zc_group_make_parts(zc_arena *arena, const zc_group *group, zc_stage *stage)
{
    const int64_t last = group->extent[group->rank - 1] % group->length;
    stage->member->part[0] = make_part(arena, group, stage, group->length);
    stage->member->part[1] = last > 0 ? make_part(arena, group, stage, last) : NULL;
    return stage->member->part[0] != NULL && (last == 0 || stage->member->part[1] != NULL);
}

/* The outer coordinates at which a block begins. */
static void find_origin(const zc_group *group, int64_t block, int64_t *origin)
{
    const int last = group->rank - 1;
    const int64_t along_last = zc_divide_up(group->extent[last], group->length);
    origin[last] = block % along_last * group->length; /* proven: inside the axis */
    block /= along_last;
    for (int k = last - 1; k >= 0; k--) {
        origin[k] = block % group->extent[k];
        block /= group->extent[k];
    }
}

/* Moves an offset along the first outer axes: in a slot that holds a block of so many elements in all, inside of rows
 * alone; 0: in one that holds all of its own. */
static int64_t moved(int axes, const zc_stage *stage, const int64_t *origin, int64_t offset, const int64_t *stride,
                     int64_t elements)
{
    const zc_group *group = stage->member->group;
    for (int k = 0; k < axes; k++) {
        const int64_t along = stride[stage->member->outer[k]];
        const int64_t step = elements > 0 ? find_slant(group, k, along, elements) : along;
        (void)zc_checked_advance(offset, origin[k], step, &offset); /* inside the slot */
    }
    return offset;
}

/* Elements of a slot of which a block is in memory, or 0. */
static int64_t elements_in_blocks(const zc_slot *slot)
{
    return slot->is_block ? slot->elements : 0;
}

/* Number of the element at which a block begins, of those that a member that absorbs joins. */
static int64_t find_first(const zc_group *group, const zc_stage *stage, const int64_t *origin)
{
    const int rows = group->rank - stage->member->absorbed;
    int64_t first = 0;
    for (int k = rows; k < group->rank; k++)
        first +=
            origin[k] * zc_stage_extent(stage, stage->member->outer[k] + 1, stage->rank); /* proven: in the domain */
    return first;
}

zc_stage *zc_group_move(const zc_plan *plan, const zc_stage *stage, int64_t block)
{
    const zc_group *group = stage->member->group;
    int64_t origin[ZC_MOST_OUTER] = {0};
    find_origin(group, block, origin);
    const bool is_last = origin[group->rank - 1] + group->length > group->extent[group->rank - 1];
    zc_stage *part = stage->member->part[is_last];
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        if (!zc_value_moves(value))
            continue;
        const int64_t *stride = stage->stride + (size_t)value->access * (size_t)stage->rank;
        const int64_t elements = zc_value_reads(value) ? elements_in_blocks(&plan->slots[value->slot]) : 0;
        part->offset[value->access] = moved(group->rank, stage, origin, stage->offset[value->access], stride, elements);
    }
    const int rows = group->rank - stage->member->absorbed;
    part->store.offset = moved(rows, stage, origin, stage->store.offset, stage->store.stride,
                               elements_in_blocks(&plan->slots[stage->store.slot]));
    stage->member->first = find_first(group, stage, origin);
    return part;
}

/* ---- The law ---- */

/* Tells a member that may be stopped behind each of the group's blocks. */
static bool may_stop(const zc_group *group, const zc_stage *stage)
{
    zc_absorption how = {.elements = 0};
    if (zc_stage_absorbs(stage))
        (void)stage->kind->absorbs(stage, &how); /* as zc_group_absorbed() has found */
    if (how.elements == 0)
        return true;
    const int64_t each = zc_group_elements_each(group, stage->member->outer, stage), most = how.elements / each;
    return group->length == most ||
           (group->length < most && group->length == group->extent[group->rank - 1] && stage->member->absorbed == 1);
}

static bool is_member(const zc_group *group, const zc_stage *stage)
{
    const zc_member *member = stage->member;
    if (member == NULL || member->group != group || !zc_stage_is_divisible(stage))
        return false;
    bool fits = true;
    for (int k = 0; k < group->rank && fits; k++)
        fits = member->outer[k] >= 0 && member->outer[k] < stage->rank &&
               stage->shape[member->outer[k]] == group->extent[k];
    return fits && zc_group_absorbed(group, member->outer, stage) == member->absorbed && may_stop(group, stage);
}

static bool stores_by_rows(const zc_plan *plan, const zc_group *group, const zc_stage *stage)
{
    const zc_member *member = stage->member;
    return member != NULL && /* LCOV_EXCL_BR_LINE: is_member() found it */
           zc_group_stores_by_rows(plan, group, member->outer, stage);
}

/* Tells a value of a member that is read as it should: of what members store, rows that are there in the same block. */
static bool reads_rows(const zc_plan *plan, const zc_group *group, int32_t s, const zc_value *value)
{
    for (int32_t m = group->first; m < group->first + group->count; m++) {
        if (plan->stages[m]->store.slot == value->slot &&
            (m >= s || !stores_by_rows(plan, group, plan->stages[m]) ||
             !zc_group_loads_by_rows(plan, group, plan->stages[s]->member->outer, plan->stages[s], value)))
            return false;
    }
    return true;
}

const char *zc_group_broken_rule(const zc_plan *plan, const zc_group *group)
{
    int32_t may_fail = 0;
    if (group->rank < 1 || group->rank > ZC_MOST_OUTER || group->length < 1 || group->count < 2 ||
        group->count > plan->stage_count - group->first)
        return "a group has blocks";
    for (int32_t s = group->first; s < group->first + group->count; s++) {
        const zc_stage *stage = plan->stages[s];
        const zc_slot *to = &plan->slots[stage->store.slot];
        if (!is_member(group, stage))
            return "members of a group make blocks in any order, or go on from a state";
        if (to->is_block && (to->first_stage < group->first || to->first_stage > s))
            return "a block is made by members alone";
        if (to->is_block && !stores_by_rows(plan, group, stage))
            return "a block is stored by rows";
        may_fail += !zc_stage_has_no_positions(stage);
        if (may_fail > 1)
            return "one member of a group looks up positions";
        for (int32_t v = 0; v < stage->value_count; v++) {
            const zc_value *value = &stage->values[v];
            if (zc_value_reads(value) && !reads_rows(plan, group, s, value))
                return "members of a group read each other by rows";
        }
    }
    return NULL;
}
