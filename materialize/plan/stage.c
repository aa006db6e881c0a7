#include "materialize/plan/stage.h"

void zc_stage_init(zc_stage *stage, const zc_stage_kind *kind, zc_stage_reason reason)
{
    *stage = (zc_stage){
        .kind = kind, .reason = reason, .store = {.overwritten = -1, .base = -1}, .scratch_limit = INT64_MAX};
}

int64_t zc_stage_extent(const zc_stage *stage, int first, int last)
{
    int64_t elements = 1;
    for (int a = first; a < last; a++)
        elements *= stage->shape[a]; /* proven: the domain's size fits */
    return elements;
}

int64_t zc_stage_extent_along(const zc_stage *stage, uint64_t axes)
{
    int64_t elements = 1;
    for (int a = 0; a < stage->rank; a++)
        elements *= (axes >> a & 1) != 0 ? stage->shape[a] : 1; /* proven: likewise */
    return elements;
}

int64_t zc_stage_stored(const zc_stage *stage)
{
    return zc_larger(stage->store.clears, zc_stage_extent(stage, 0, stage->kept));
}

int64_t zc_walked_count(const zc_stage *stage)
{
    return zc_stage_extent(stage, stage->kept, stage->rank);
}

bool zc_is_combined(const zc_stage *stage)
{
    return stage->kind->reduces && stage->rank > stage->kept && zc_walked_count(stage) > 0;
}

uint64_t zc_stage_values_under(const zc_stage *stage, int32_t value)
{
    uint64_t under = UINT64_C(1) << value;
    for (int32_t v = value; v >= 0; v--) {
        for (int i = 0; (under >> v & 1) != 0 && i < stage->values[v].arity; i++)
            under |= UINT64_C(1) << stage->values[v].arg[i];
    }
    return under;
}

int64_t zc_stage_work(const zc_stage *stage)
{
    int64_t work, elements = zc_stage_extent(stage, 0, stage->rank);
    return zc_checked_multiply(elements, zc_stage_values_each(stage), &work) ? work : INT64_MAX;
}

double zc_value_work(const zc_value *value)
{
    return zc_value_moves(value) ? 1 : value->kind == ZC_VALUE_OP ? zc_op_describe((zc_op)value->op)->cost : 0;
}

double zc_stage_real_extent(const zc_stage *stage, uint64_t axes)
{
    double extent = 1;
    for (int a = 0; a < stage->rank; a++)
        extent *= (axes >> a & 1) != 0 ? (double)stage->shape[a] : 1; /* proven: a double */
    return extent;
}

double zc_stage_work_each(const zc_stage *stage)
{
    double each = 0;
    for (int32_t v = 0; v < stage->value_count; v++)
        each += zc_value_work(&stage->values[v]);
    return each;
}

double zc_stage_exact_work(const zc_stage *stage)
{
    double stored = 1;
    for (int a = 0; a < stage->kept; a++)
        stored *= (double)stage->shape[a]; /* proven: a double */
    if (stage->kind->work != NULL)
        return stage->kind->work(stage) + stored;
    return zc_stage_real_extent(stage, UINT64_MAX) * zc_stage_work_each(stage) + stored;
}

bool zc_store_add_slab(zc_arena *arena, const zc_store *whole, zc_slab slab, zc_store *store)
{
    int count = whole->slab_count;
    if (count > 0 && whole->slabs[count - 1].axis == slab.axis) {
        slab.first += whole->slabs[--count].first; /* proven: inside the slab */
        slab.whole = whole->slabs[count].whole;
    }
    store->slabs = zc_arena_grow(arena, whole->slabs, (size_t)count, (size_t)count + 1, sizeof slab);
    if (store->slabs == NULL)
        return false;
    store->slabs[count] = slab;
    store->slab_count = count + 1;
    return true;
}

bool zc_stage_is_put(const zc_stage *stage)
{
    bool is_put = stage->kind->put != NULL && zc_stage_result(stage)->kind != ZC_VALUE_CHECK;
    for (int32_t v = 0; v < stage->value_count && is_put; v++) {
        const zc_value *value = &stage->values[v];
        is_put = value->kind == ZC_VALUE_LOAD || value->kind == ZC_VALUE_CONSTANT ||
                 (value->kind == ZC_VALUE_CHECK && stage->values[value->arg[0]].kind == ZC_VALUE_LOAD);
    }
    return is_put;
}
