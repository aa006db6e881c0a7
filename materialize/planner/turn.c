#include "materialize/planner/turn.h"

#include <string.h>

/* ---- Axes ---- */

/* Moves the element `from` of a list to the place `to` before it. */
static void move_element(int64_t *list, int from, int to)
{
    const int64_t moved = list[from];
    memmove(list + to + 1, list + to, (size_t)(from - to) * sizeof *list);
    list[to] = moved;
}

static uint64_t move_bit(uint64_t axes, int from, int to)
{
    const uint64_t below = (UINT64_C(1) << to) - 1, up_to = (UINT64_C(2) << from) - 1;
    const uint64_t between = axes & up_to & ~below & ~(UINT64_C(1) << from);
    return (axes & (below | ~up_to)) | between << 1 | (axes >> from & 1) << to;
}

/* Moves an axis of the domain to the place of one before it. */
static bool move_axis(zc_arena *arena, zc_stage *stage, int from, int to)
{
    move_element(stage->shape, from, to);
    move_element(stage->store.stride, from, to);
    for (int32_t a = 0; a < stage->access_count; a++)
        move_element(stage->stride + (size_t)a * (size_t)stage->rank, from, to);
    for (int32_t v = 0; v < stage->value_count; v++) {
        zc_value *value = &stage->values[v];
        value->axes = move_bit(value->axes, from, to);
        if (value->node_stride == NULL ||
            value->node_rank <= from) /* LCOV_EXCL_BR_LINE: nodes are seen along all axes */
            continue;
        int64_t *stride = zc_arena_copy(arena, value->node_stride, (size_t)value->node_rank, sizeof *stride);
        if (stride == NULL)
            return false;
        move_element(stride, from, to);
        value->node_stride = stride;
    }
    return true;
}

/* ---- Stages ---- */

static zc_stage *copy_stage(zc_arena *arena, const zc_stage *stage)
{
    zc_stage *copy = zc_arena_copy(arena, stage, 1, sizeof *copy);
    if (copy == NULL)
        return NULL;
    const size_t accesses = (size_t)stage->access_count + (size_t)stage->value_count; /* with those that are added */
    copy->values = zc_arena_copy(arena, stage->values, (size_t)stage->value_count, sizeof *copy->values);
    copy->shape = zc_arena_copy(arena, stage->shape, (size_t)stage->rank, sizeof *copy->shape);
    copy->store.stride = zc_arena_copy(arena, stage->store.stride, (size_t)stage->kept, sizeof *copy->store.stride);
    copy->offset = zc_arena_take(arena, accesses, sizeof *copy->offset);
    copy->stride = zc_arena_take(arena, accesses * (size_t)stage->rank, sizeof *copy->stride);
    if (copy->values == NULL || copy->shape == NULL || copy->store.stride == NULL || copy->offset == NULL ||
        copy->stride == NULL)
        return NULL;
    const size_t count = (size_t)stage->access_count;
    memcpy(copy->offset, stage->offset, count * sizeof *copy->offset);
    memcpy(copy->stride, stage->stride, count * (size_t)stage->rank * sizeof *copy->stride);
    return copy;
}

/* Orders the kept axes of a stage by the steps with which it stores along them. False where it does not store all of a
 * temporary, one element beside the other. */
static bool find_order(const zc_plan *plan, const zc_stage *stage, int *order)
{
    const zc_slot *slot = &plan->slots[stage->store.slot];
    int64_t step = 1;
    for (int a = 0; a < stage->kept; a++) {
        int at = a;
        for (; at > 0 && stage->store.stride[order[at - 1]] < stage->store.stride[a]; at--)
            order[at] = order[at - 1];
        order[at] = a;
    }
    for (int k = stage->kept - 1; k >= 0; k--) {
        if (stage->store.stride[order[k]] != step)
            return false;
        step *= stage->shape[order[k]]; /* proven: in the domain */
    }
    if (step != slot->elements) /* LCOV_EXCL_BR_LINE: slabs and updates apart, all of it is stored */
        return false;           /* LCOV_EXCL_LINE: likewise */
    return slot->kind == ZC_SLOT_TEMPORARY && zc_stage_is_divisible(stage);
}

static const zc_turned_slot *find_turned(const zc_turn *turn, int32_t slot)
{
    int32_t t = 0;
    while (t < turn->count && turn->slot[t].slot != slot)
        t++;
    return t < turn->count ? &turn->slot[t] : NULL;
}

static const zc_turned_slot *find_read(const zc_turn *turn, const zc_value *value)
{
    return zc_value_reads(value) ? find_turned(turn, value->slot) : NULL;
}

/* The slot's axis along which a stride goes by one coordinate at a time, or -1. */
static int find_axis(const zc_turned_slot *slot, int64_t stride)
{
    int a = 0;
    while (a < slot->rank && slot->from[a] != stride)
        a++;
    return a < slot->rank ? a : -1;
}

/* The axis of a stage along which a load goes by coordinates of a slot's axis, or -1. */
static int find_axis_of(const zc_stage *stage, const zc_value *value, const zc_turned_slot *slot, int axis)
{
    const int64_t *stride = stage->stride + (size_t)value->access * (size_t)stage->rank;
    int a = 0;
    while (a < stage->rank && (stage->shape[a] != slot->extent[axis] || stride[a] != slot->from[axis]))
        a++;
    return a < stage->rank ? a : -1;
}

/* Moves by computed positions along the axes of a turned slot: false where one is not along an axis, or memory is out.
 * reach: coordinates along each axis that are reached so far. */
static bool pick_turned(zc_arena *arena, const zc_stage *stage, zc_value *value, const zc_turned_slot *slot,
                        int64_t *reach)
{
    if (value->kind != ZC_VALUE_PICK)
        return true;
    int64_t *stride = zc_arena_take(arena, (size_t)value->arity, sizeof *stride);
    for (int i = 0; stride != NULL && i < value->arity; i++) {
        const int axis = find_axis(slot, value->pick_stride[i]);
        if (axis < 0 || (reach[axis] += stage->values[value->arg[i]].extent - 1) >= slot->extent[axis])
            return false;
        stride[i] = slot->to[axis];
    }
    value->pick_stride = stride;
    return stride != NULL;
}

/* Reads a turned slot by an access of its own. Axes that go along one of the slot's together stay inside that: what
 * goes on in the next row would be elsewhere. */
static bool read_turned(zc_arena *arena, zc_stage *stage, zc_value *value, const zc_turned_slot *slot)
{
    int64_t reach[ZC_MAX_RANK] = {0};
    const int64_t *from = stage->stride + (size_t)value->access * (size_t)stage->rank;
    int64_t *to = stage->stride + (size_t)stage->access_count * (size_t)stage->rank;
    if (stage->offset[value->access] != 0 || !pick_turned(arena, stage, value, slot, reach))
        return false;
    for (int a = 0; a < stage->rank; a++) {
        const bool is_still = stage->shape[a] == 1 || from[a] == 0;
        const int axis = is_still ? -1 : find_axis(slot, from[a]);
        if (!is_still && (axis < 0 || (reach[axis] += stage->shape[a] - 1) >= slot->extent[axis]))
            return false;
        to[a] = is_still ? from[a] : slot->to[axis];
    }
    stage->offset[stage->access_count] = 0;
    value->access = stage->access_count++;
    return true;
}

static bool uses_access(const zc_stage *stage, int32_t access)
{
    int32_t v = 0;
    while (v < stage->value_count && !(zc_value_moves(&stage->values[v]) && stage->values[v].access == access))
        v++;
    return v < stage->value_count;
}

/* Drops accesses that no value uses any more: strategies look at all that there are. */
static void drop_unused(zc_stage *stage)
{
    const size_t rank = (size_t)stage->rank;
    int32_t kept = 0;
    for (int32_t a = 0; a < stage->access_count; a++) {
        if (!uses_access(stage, a))
            continue;
        for (int32_t v = 0; v < stage->value_count; v++) {
            zc_value *value = &stage->values[v];
            value->access = zc_value_moves(value) && value->access == a ? kept : value->access;
        }
        stage->offset[kept] = stage->offset[a];
        memmove(stage->stride + (size_t)kept * rank, stage->stride + (size_t)a * rank, rank * sizeof *stage->stride);
        kept++;
    }
    stage->access_count = kept;
}

/* Stores along `inner` in longer steps than along `outer`, which the slot has in that order. */
static void store_turned(zc_stage *stage, const int *order, int outer, int inner)
{
    int64_t step = 1;
    int64_t *stride = stage->store.stride;
    for (int k = stage->kept - 1; k >= 0; k--) {
        if (order[k] != inner) {
            stride[order[k]] = step;
            step *= stage->shape[order[k]]; /* proven: at most the slot's elements */
        }
        if (order[k] == outer) {
            stride[inner] = step;
            step *= stage->shape[inner]; /* proven: likewise */
        }
    }
}

/* Puts an axis of what a stage stores before another one, and so in its domain. */
static bool turn_stage(zc_turn *turn, zc_stage *stage, const int *order, int outer, int inner)
{
    zc_arena *arena = turn->arena;
    const size_t kept = (size_t)stage->kept;
    zc_turned_slot *slot = &turn->slot[turn->count++];
    *slot = (zc_turned_slot){.slot = stage->store.slot, .rank = stage->kept, .outer = outer, .inner = inner};
    slot->extent = zc_arena_copy(arena, stage->shape, kept, sizeof *slot->extent);
    slot->from = zc_arena_copy(arena, stage->store.stride, kept, sizeof *slot->from);
    store_turned(stage, order, outer, inner);
    slot->to = zc_arena_copy(arena, stage->store.stride, kept, sizeof *slot->to);
    return slot->extent != NULL && slot->from != NULL && slot->to != NULL &&
           (inner < outer || move_axis(arena, stage, inner, outer));
}

/* Tells an order in which `outer` stands before `inner`. */
static bool has_before(const int *order, int outer, int inner)
{
    int k = 0;
    while (order[k] != outer && order[k] != inner)
        k++;
    return order[k] == outer;
}

/* Turns what a stage stores, if it has both axes of the slot that it reads. */
static bool turn_reader(zc_turn *turn, zc_stage *stage, const zc_value *read, const zc_turned_slot *slot)
{
    int order[ZC_MAX_RANK];
    const int outer = find_axis_of(stage, read, slot, slot->outer),
              inner = find_axis_of(stage, read, slot, slot->inner);
    const bool has_both = outer >= 0 && outer < stage->kept && inner >= 0 && inner < zc_stage_free_axes(stage);
    if (!has_both || !find_order(turn->plan, stage, order) || !has_before(order, outer, inner))
        return true;
    return turn_stage(turn, stage, order, outer, inner);
}

/* The axis of what a stage stores along which a load of it goes as the reader does along one of its own, or -1. */
static int find_stored(const zc_stage *stage, const zc_stage *reader, const zc_value *load, int axis)
{
    const int64_t stride = reader->stride[(size_t)load->access * (size_t)reader->rank + (size_t)axis];
    int a = 0;
    while (a < stage->kept && (stage->store.stride[a] != stride || stage->shape[a] != reader->shape[axis]))
        a++;
    return a < stage->kept ? a : -1;
}

/* The last load of a slot by a stage, or NULL. */
static const zc_value *find_load(const zc_stage *stage, int32_t slot)
{
    int32_t v = stage->value_count - 1;
    while (v >= 0 && (stage->values[v].kind != ZC_VALUE_LOAD || stage->values[v].slot != slot))
        v--;
    return v >= 0 ? &stage->values[v] : NULL;
}

/* Finds the axes along which a reader of what a stage stores goes along the axes of a turned slot that it reads, too.
 */
static bool find_beside(const zc_turn *turn, const zc_stage *stage, const zc_stage *reader, int *outer, int *inner)
{
    const zc_value *load = find_load(reader, stage->store.slot);
    const zc_turned_slot *slot = NULL;
    int32_t v = 0;
    for (; load != NULL && v < reader->value_count && slot == NULL; v++)
        slot = reader->values[v].kind == ZC_VALUE_LOAD ? find_turned(turn, reader->values[v].slot) : NULL;
    if (slot == NULL)
        return false;
    const zc_value *beside = &reader->values[v - 1];
    const int first = find_axis_of(reader, beside, slot, slot->outer),
              second = find_axis_of(reader, beside, slot, slot->inner);
    *outer = first < 0 ? -1 : find_stored(stage, reader, load, first);
    *inner = second < 0 ? -1 : find_stored(stage, reader, load, second);
    return *outer >= 0 && *inner >= 0;
}

/* Turns what a stage makes of other things, if a later one reads it beside a turned slot. */
static bool turn_beside(zc_turn *turn, int32_t at)
{
    const zc_stage *stage = turn->plan->stages[at];
    const int32_t last = turn->plan->slots[stage->store.slot].last_stage;
    int order[ZC_MAX_RANK], outer = -1, inner = -1;
    const bool may_turn = turn->beside >= 0 && last - turn->first < ZC_MOST_TURNED && !zc_stage_is_parted(stage);
    if (!may_turn || !find_order(turn->plan, stage, order))
        return true;
    int32_t reader = at + 1;
    while (reader <= last && !find_beside(turn, stage, turn->plan->stages[reader], &outer, &inner))
        reader++;
    if (reader > last || inner >= zc_stage_free_axes(stage) || !has_before(order, outer, inner))
        return true;
    zc_stage *copy = copy_stage(turn->arena, stage);
    if (copy == NULL)
        return false;
    turn->plan->stages[at] = copy;
    turn->beside++;
    return turn_stage(turn, copy, order, outer, inner);
}

/* Lets a copy of a stage read, and store, what is turned. */
static bool turn_at(zc_turn *turn, int32_t at)
{
    zc_stage *stage = turn->plan->stages[at];
    const zc_turned_slot *first = NULL;
    int32_t first_read = -1;
    for (int32_t v = stage->value_count - 1; v >= 0; v--) {
        const zc_turned_slot *slot = find_read(turn, &stage->values[v]);
        first = slot != NULL ? slot : first;
        first_read = slot != NULL ? v : first_read;
    }
    if (find_turned(turn, stage->store.base) != NULL)
        return false;
    if (first == NULL)
        return turn_beside(turn, at);
    const zc_value read = stage->values[first_read];
    zc_stage *copy = zc_stage_is_parted(stage) ? NULL : copy_stage(turn->arena, stage);
    if (copy == NULL)
        return false;
    for (int32_t v = 0; v < copy->value_count; v++) {
        const zc_turned_slot *slot = find_read(turn, &copy->values[v]);
        if (slot != NULL && !read_turned(turn->arena, copy, &copy->values[v], slot))
            return false;
    }
    turn->plan->stages[at] = copy;
    const bool is_made = turn_reader(turn, copy, &read, first);
    drop_unused(copy);
    return is_made;
}

/* The last stage that reads a turned slot. */
static int32_t find_last(const zc_turn *turn)
{
    int32_t last = turn->first;
    for (int32_t t = 0; t < turn->count; t++) {
        const zc_slot *slot = &turn->plan->slots[turn->slot[t].slot];
        last = slot->last_stage > last ? slot->last_stage : last;
    }
    return last;
}

bool zc_turn_make(zc_turn *turn, zc_plan *plan, zc_arena *arena, int32_t first, int outer, int inner, bool beside)
{
    turn->plan = plan;
    turn->arena = arena;
    turn->first = turn->end = first;
    turn->count = 0;
    turn->beside = beside ? 0 : -1;
    int order[ZC_MAX_RANK];
    if (!find_order(plan, plan->stages[first], order)) /* LCOV_EXCL_BR_LINE: a group begins with nothing else */
        return false;                                  /* LCOV_EXCL_LINE: likewise */
    zc_stage *copy = copy_stage(arena, plan->stages[first]);
    bool is_made = copy != NULL && turn_stage(turn, copy, order, outer, inner);
    for (int32_t last = first; is_made && turn->end <= last; turn->end++) {
        turn->before[turn->end - first] = plan->stages[turn->end];
        if (turn->end == first)
            plan->stages[first] = copy;
        else
            is_made = turn_at(turn, turn->end);
        last = find_last(turn);
        is_made = is_made && last - first < ZC_MOST_TURNED;
    }
    if (!is_made)
        zc_turn_undo(turn);
    return is_made;
}

void zc_turn_undo(const zc_turn *turn)
{
    const size_t count = (size_t)(turn->end - turn->first);
    if (count > 0)
        memcpy((void *)(turn->plan->stages + turn->first), (void *)turn->before, count * sizeof(zc_stage *));
}

bool zc_turn_is_by_blocks(const zc_turn *turn, const zc_group_search *s)
{
    int32_t blocks = 0;
    for (int32_t m = 0; m < s->group.count; m++) {
        const bool is_turned = find_turned(turn, s->plan->stages[s->member[m]]->store.slot) != NULL;
        blocks += is_turned && zc_search_is_by_blocks(s, m);
    }
    return blocks == turn->count;
}

/* Tells strides of which consecutive elements lie along an outer axis alone, so that a block has a few of each of many
 * lines. */
static bool are_across(const zc_stage *stage, const int64_t *stride, uint64_t axes, int outer)
{
    enum { LEAST_LINES = 64 };
    return stride[outer] == 1 && zc_stage_extent_along(stage, axes & ~(UINT64_C(1) << outer)) >= LEAST_LINES;
}

/* Adds the bytes of elements, of which a view may show more than there are. */
static int64_t add_bytes(int64_t bytes, int64_t elements, zc_dtype dtype)
{
    int64_t more;
    const bool fits = zc_checked_multiply(elements, (int64_t)zc_dtype_bytes(dtype), &more);
    return zc_saturating_add(bytes, fits ? more : INT64_MAX);
}

int64_t zc_turn_bytes_across(const zc_group_search *s)
{
    int64_t bytes = 0;
    for (int32_t m = 0; m < s->group.count; m++) {
        const zc_stage *stage = s->plan->stages[s->member[m]];
        const int outer = s->outer[m][s->group.rank - 1];
        const uint64_t kept = (UINT64_C(1) << stage->kept) - 1;
        for (int32_t v = 0; v < stage->value_count; v++) {
            const zc_value *value = &stage->values[v];
            if (value->kind == ZC_VALUE_LOAD && zc_search_maker(s, value) < 0 &&
                are_across(stage, stage->stride + (size_t)value->access * (size_t)stage->rank, value->axes, outer))
                bytes = add_bytes(bytes, zc_stage_extent_along(stage, value->axes), (zc_dtype)value->dtype);
        }
        if (outer < stage->kept && !zc_search_is_by_blocks(s, m) && are_across(stage, stage->store.stride, kept, outer))
            bytes = add_bytes(bytes, zc_stage_stored(stage), stage->store.dtype);
    }
    return bytes;
}
