#include "materialize/rewrite/saved.h"

#include <string.h>

#include "materialize/stages/map.h"

/* ---- What is saved ---- */

/* A value's strides over the axes in `axes` alone, and those behind the domain's. NULL when memory is out. */
static const int64_t *drop_axes(zc_arena *arena, const zc_stage *stage, uint64_t axes, const int64_t *stride, int count)
{
    int64_t *kept = zc_arena_take(arena, (size_t)count, sizeof *kept);
    int at = 0;
    for (int a = 0; kept != NULL && a < count; a++) {
        if (a >= stage->rank || (axes >> a & 1) != 0)
            kept[at++] = stride[a];
    }
    return kept;
}

static uint64_t renumber_axes(uint64_t axes, uint64_t kept)
{
    uint64_t renumbered = 0;
    for (int a = 0, at = 0; a < ZC_MAX_RANK; a++) {
        renumbered |= (kept & axes) >> a & 1 ? UINT64_C(1) << at : 0;
        at += (int)(kept >> a & 1);
    }
    return renumbered;
}

/* Copies a value of `stage` to the end of those of `saved`, whose domain has just the axes in `axes`; `at` tells where
 * its operands stand there. */
static bool copy_value(zc_arena *arena, const zc_stage *stage, int32_t v, uint64_t axes, const int32_t *at,
                       zc_stage *saved)
{
    zc_value value = stage->values[v];
    for (int i = 0; i < value.arity; i++)
        value.arg[i] = at[value.arg[i]];
    if (zc_value_moves(&value)) {
        int64_t *to = saved->stride + (size_t)saved->access_count * (size_t)saved->rank;
        const int64_t *from = stage->stride + (size_t)value.access * (size_t)stage->rank;
        for (int a = 0; a < stage->rank; a++) {
            if ((axes >> a & 1) != 0)
                *to++ = from[a];
        }
        saved->offset[saved->access_count] = stage->offset[value.access];
        value.access = saved->access_count++;
    }
    if (value.node_stride != NULL) {
        value.node_stride = drop_axes(arena, stage, axes, value.node_stride, value.node_rank);
        value.node_rank += saved->rank - stage->rank;
        if (value.node_stride == NULL)
            return false;
    }
    value.axes = renumber_axes(value.axes, axes);
    saved->values[saved->value_count++] = value;
    return true;
}

/* Strides of a slot that has just the elements along some axes of a domain; none of these is 0, also where there are no
 * elements. */
static void store_row_major(int rank, const int64_t *shape, uint64_t axes, int64_t *stride)
{
    int64_t step = 1;
    for (int a = rank - 1; a >= 0; a--) {
        const bool varies = (axes >> a & 1) != 0;
        stride[a] = varies ? step : 0;
        step *= varies ? zc_larger(shape[a], 1) : 1; /* proven: a part of the domain */
    }
}

/* A stage without values yet, that stores in a slot what is made along the axes of value v. NULL when memory is out. */
static zc_stage *begin_saved(zc_plan *plan, const zc_stage *stage, int32_t v, int32_t slot, int count)
{
    zc_arena *arena = &plan->arena;
    const zc_value *value = &stage->values[v];
    zc_stage *saved = zc_arena_take(arena, 1, sizeof *saved);
    const size_t room = (size_t)count;
    if (saved == NULL)
        return NULL;
    zc_stage_init(saved, &zc_stage_kind_map, ZC_STAGE_SAVED);
    saved->store.dtype = (zc_dtype)value->dtype;
    saved->store.slot = slot;
    saved->shape = zc_arena_take(arena, (size_t)stage->rank, sizeof *saved->shape);
    saved->store.stride = zc_arena_take(arena, (size_t)stage->rank, sizeof *saved->store.stride);
    saved->values = zc_arena_take(arena, room, sizeof *saved->values);
    saved->offset = zc_arena_take(arena, room, sizeof *saved->offset);
    saved->stride = zc_arena_take(arena, room * (size_t)stage->rank, sizeof *saved->stride);
    if (saved->shape == NULL || saved->store.stride == NULL || saved->values == NULL || saved->offset == NULL ||
        saved->stride == NULL)
        return NULL;
    for (int a = 0; a < stage->rank; a++) {
        if ((value->axes >> a & 1) != 0)
            saved->shape[saved->rank++] = zc_stage_extent_of(stage, v, a);
    }
    saved->kept = saved->rank;
    store_row_major(saved->rank, saved->shape, zc_all_axes(saved->rank), saved->store.stride);
    return saved;
}

/* Makes value v, with all that it is made of, the result of a stage of its own. NULL when memory is out. */
static zc_stage *make_saved(zc_plan *plan, const zc_stage *stage, int32_t v, int32_t slot)
{
    const zc_value *value = &stage->values[v];
    const bool is_load = value->kind == ZC_VALUE_LOAD;
    const uint64_t under = is_load ? 0 : zc_stage_values_under(stage, v);
    int32_t at[64] = {0};
    zc_stage *saved = begin_saved(plan, stage, v, slot, is_load ? 1 : v + 1);
    bool done = saved != NULL;
    for (int32_t i = 0; done && !is_load && i < v; i++) {
        at[i] = saved->value_count;
        done = (under >> i & 1) == 0 || copy_value(&plan->arena, stage, i, value->axes, at, saved);
    }
    return done && copy_value(&plan->arena, stage, v, value->axes, at, saved) ? saved : NULL;
}

zc_stage *zc_add_saved(zc_plan *plan, const zc_stage *stage, int32_t v, int64_t elements, zc_stage_reason reason)
{
    const int32_t slot = zc_plan_add_slot(plan, ZC_SLOT_TEMPORARY, (zc_dtype)stage->values[v].dtype, elements);
    zc_stage *saved = slot >= 0 ? make_saved(plan, stage, v, slot) : NULL;
    if (saved == NULL || zc_plan_add_stage(plan, saved) != ZC_OK)
        return NULL;
    saved->reason = reason;
    return saved;
}

/* ---- What nothing uses any more ---- */

void zc_drop_unused(zc_stage *stage, int32_t *at)
{
    int32_t count = 0;
    int besides_count;
    int32_t *besides = zc_stage_besides_to_set(stage, &besides_count);
    memset(at, 0, (size_t)stage->value_count * sizeof *at);
    at[stage->value_count - 1] = 1;
    for (int i = 0; i < besides_count; i++)
        at[besides[i]] = 1;
    for (int32_t v = stage->value_count - 1; v >= 0; v--) {
        for (int i = 0; at[v] != 0 && i < stage->values[v].arity; i++)
            at[stage->values[v].arg[i]] = 1;
    }
    for (int32_t v = 0; v < stage->value_count; v++) {
        const bool is_used = at[v] != 0;
        at[v] = count;
        if (!is_used)
            continue;
        zc_value *value = &stage->values[count++];
        *value = stage->values[v];
        for (int i = 0; i < value->arity; i++)
            value->arg[i] = at[value->arg[i]];
    }
    stage->value_count = count;
    for (int i = 0; i < besides_count; i++)
        besides[i] = at[besides[i]];
}

/* ---- What is put ---- */

/* Adds a load that stands for `value`, of a slot that has just the elements along some axes. */
static void add_load(zc_stage *stage, const zc_value *value, int32_t slot, uint64_t axes)
{
    zc_value *load = &stage->values[stage->value_count++];
    *load = *value;
    load->kind = ZC_VALUE_LOAD;
    load->arity = 0;
    load->slot = slot;
    load->axes = axes;
    load->access = stage->access_count++;
    stage->offset[load->access] = 0;
    store_row_major(stage->rank, stage->shape, axes, stage->stride + (size_t)load->access * (size_t)stage->rank);
}

/* An update without values yet, with room for so many. NULL when memory is out. */
static zc_stage *begin_put(zc_arena *arena, const zc_stage *update, int count)
{
    zc_stage *put = zc_arena_take(arena, 1, sizeof *put);
    const size_t room = (size_t)count;
    if (put == NULL)
        return NULL;
    *put = *update;
    put->kind = update->kind->put != NULL ? update->kind : &zc_stage_kind_map;
    put->rank = update->kept;
    put->value_count = put->access_count = 0;
    put->values = zc_arena_take(arena, room, sizeof *put->values);
    put->offset = zc_arena_take(arena, room, sizeof *put->offset);
    put->stride = zc_arena_take(arena, room * (size_t)put->rank, sizeof *put->stride);
    return put->values != NULL && put->offset != NULL && put->stride != NULL ? put : NULL;
}

/* Checks positions by a stage of its own, before the update that is put there. False when memory is out. */
static bool put_check(zc_plan *plan, const zc_stage *update, int32_t v, zc_stage *put, int32_t *check)
{
    const zc_value *value = &update->values[v];
    const zc_stage *saved = zc_add_saved(plan, update, v, zc_stage_extent_along(update, value->axes), ZC_STAGE_PUT);
    if (saved == NULL)
        return false;
    add_load(put, value, saved->store.slot, value->axes);
    put->values[put->value_count - 1].node = NULL; /* positions are no elements of the update's node */
    *check = put->value_count;
    put->values[put->value_count] = *value;
    put->values[put->value_count++].arg[0] = *check - 1;
    return true;
}

/* Lets the update be a stage that makes what it would write, in memory of its own, and this be loaded there. False when
 * memory is out. */
static bool put_made(zc_plan *plan, zc_stage *maker, zc_stage *put)
{
    const int64_t elements = zc_stage_extent(maker, 0, maker->kept);
    const int32_t slot = zc_plan_add_slot(plan, ZC_SLOT_TEMPORARY, maker->store.dtype, elements);
    int64_t *stride = zc_arena_take(&plan->arena, (size_t)maker->kept, sizeof *stride);
    int32_t *at = zc_arena_take(plan->scratch, (size_t)maker->value_count, sizeof *at);
    if (slot < 0 || stride == NULL || at == NULL || zc_plan_add_stage(plan, maker) != ZC_OK)
        return false;
    add_load(put, zc_stage_result(maker), slot, zc_all_axes(put->rank));
    put->values[put->value_count - 1].dtype = (uint8_t)put->store.dtype;
    store_row_major(maker->kept, maker->shape, zc_all_axes(maker->kept), stride);
    if (maker->kind->put != NULL)
        maker->kind = &zc_stage_kind_map;
    maker->reason = ZC_STAGE_PUT;
    maker->store.updates = false;
    maker->store.slot = slot;
    maker->store.offset = 0;
    maker->store.stride = stride;
    zc_drop_unused(maker, at);
    return true;
}

zc_stage *zc_put_written(zc_plan *plan, zc_stage *maker, int32_t from)
{
    const int32_t result = maker->value_count - 1;
    const zc_value *value = &maker->values[result];
    const bool is_putting = maker->kind->put != NULL;
    const bool is_there =
        is_putting && (value->kind == ZC_VALUE_CONSTANT || (value->kind == ZC_VALUE_LOAD && value->slot != from));
    int count = 0;
    int32_t *checks = is_putting ? zc_stage_besides_to_set(maker, &count) : NULL;
    if (is_there && count == 0 && zc_stage_is_put(maker))
        return maker;
    zc_stage *put = begin_put(&plan->arena, maker, 2 * count + 1);
    if (put == NULL)
        return NULL;
    /* The list of checks becomes the new stage's: the maker is a map from now on, or left out. */
    for (int i = 0; checks != NULL && i < count; i++) {
        if (!put_check(plan, maker, checks[i], put, &checks[i]))
            return NULL;
    }
    const int32_t no_operands[1] = {0};
    const bool done = is_there ? copy_value(&plan->arena, maker, result, zc_all_axes(maker->rank), no_operands, put)
                               : put_made(plan, maker, put);
    return done ? put : NULL;
}
